package today

import (
	"net/http"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// helpPage tells of the daily work, as far as it is the reader's.
type helpPage struct {
	frame.Page
	Role                                          frame.RolePhrase
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
		Page: c.NewPage("Help"), Role: frame.RoleText(c.Session.User.Role), Statuses: meanings,
		Looks: c.May(lost.Look), Records: c.May(lost.Record), Handles: c.May(lost.Handle), Arranges: c.May(lost.Arrange), Integrates: c.May(lost.Integrate),
		Invites: c.May(lost.Staff),
	}
	if p.Here.ID != "" {
		p.At = frame.LocationPath(p.Here.ID, "")
	}
	return c.Render(http.StatusOK, "help", p)
}
