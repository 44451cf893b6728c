package today

import (
	"net/http"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// helpPage explains the daily work. It covers only what the user's role allows.
type helpPage struct {
	frame.Page
	Role                                          frame.RolePhrase
	Looks, Records, Handles, Arranges, Integrates bool
	Invites                                       bool
	At                                            string // the path of the user's location; empty if there is none
	Statuses                                      []meaning
}

// meaning explains a status.
type meaning struct {
	Status lost.Status
	Text   string
}

// meanings explains the statuses, in the order in which an item goes through them.
var meanings = []meaning{
	{lost.Pending, "The item is in storage, and the owner has not decided yet."},
	{lost.PickUp, "The owner will collect the item. It is closed when you hand it over."},
	{lost.InfoCompleted, "The owner wants the item shipped and gave an address. The fee is not paid yet."},
	{lost.FeePaid, "Pack the item, print the label, and select “Mark shipped”."},
	{lost.Shipped, "The parcel is with the carrier."},
	{lost.Delivered, "The owner has the item back."},
	{lost.Discard, "The owner does not want the item back, or its storage time ended."},
	{lost.Donate, "The item goes to the location’s charity."},
}

func (c *call) help() error {
	p := helpPage{
		Page: c.NewPage("Help"), Role: c.RoleText(c.Session.User.Role), Statuses: meanings,
		Looks: c.May(lost.ViewItems), Records: c.May(lost.RecordItems), Handles: c.May(lost.HandleItems),
		Arranges: c.May(lost.ManageLocations), Integrates: c.May(lost.ManageIntegrations),
		Invites: c.May(lost.ManageStaff),
	}
	if p.Here.ID != "" {
		p.At = frame.LocationPath(p.Here.ID, "")
	}
	return c.Render(http.StatusOK, "help", p)
}
