package staff

import (
	"net/http"

	"homeward/internal/lost"
)

func helpRoutes() []Route {
	return []Route{{Method: http.MethodGet, Path: "/help", serve: (*call).help}}
}

// helpPage tells of the daily work, as far as it is the reader's.
type helpPage struct {
	page
	Role                                          rolePhrase
	Looks, Records, Handles, Arranges, Integrates bool
	Invites                                       bool
	At                                            string // the address of where the person works; empty where there is no location
	Statuses                                      []meaning
}

// meaning is what a status says about an item.
type meaning struct {
	Status lost.Status
	Says   string
}

// meanings are in the order in which an item goes through them.
var meanings = []meaning{
	{lost.Pending, "It is on your shelf, and nobody has said what becomes of it."},
	{lost.PickUp, "The owner comes for it. It stays so until you hand it over."},
	{lost.InfoCompleted, "The owner wants it sent and has said where to. The fee is not paid yet."},
	{lost.FeePaid, "Pack it, print the label, and mark it shipped."},
	{lost.Shipped, "The parcel is with the carrier."},
	{lost.Delivered, "It is home."},
	{lost.Discard, "The owner does without it, or its time was over."},
	{lost.Donate, "It goes to the location’s charity."},
}

func (c *call) help() error {
	p := helpPage{
		page: c.page("Help"), Role: roleWords(c.in.User.Role), Statuses: meanings,
		Looks: c.may(lost.Look), Records: c.may(lost.Record), Handles: c.may(lost.Handle), Arranges: c.may(lost.Arrange), Integrates: c.may(lost.Integrate),
		Invites: c.may(lost.Staff),
	}
	if p.Here.ID != "" {
		p.At = atPath(p.Here.ID, "")
	}
	return c.write(http.StatusOK, "help", p)
}
