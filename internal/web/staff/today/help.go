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

// Below returns the path of a page of the user's location. It is empty if there is no location.
func (p helpPage) Below(path string) string {
	if p.At == "" {
		return ""
	}
	return p.At + path
}

// meaning explains a status.
type meaning struct {
	Status lost.Status
	Text   string // the key of the text
}

// meanings explains the statuses, in the order in which an item goes through them.
var meanings = []meaning{
	{lost.Pending, "today.help.status.pending"},
	{lost.PickUp, "today.help.status.pickup"},
	{lost.InfoCompleted, "today.help.status.address"},
	{lost.FeePaid, "today.help.status.paid"},
	{lost.Shipped, "today.help.status.shipped"},
	{lost.Delivered, "today.help.status.delivered"},
	{lost.Discard, "today.help.status.left"},
	{lost.Donate, "today.help.status.donated"},
}

func (c *call) help() error {
	p := helpPage{
		Page: c.NewPage(c.Say("frame.help")), Role: c.RoleText(c.Session.User.Role), Statuses: meanings,
		Looks: c.May(lost.ViewItems), Records: c.May(lost.RecordItems), Handles: c.May(lost.HandleItems),
		Arranges: c.May(lost.ManageLocations), Integrates: c.May(lost.ManageIntegrations),
		Invites: c.May(lost.ManageStaff),
	}
	if p.Here.ID != "" {
		p.At = frame.LocationPath(p.Here.ID, "")
	}
	return c.Render(http.StatusOK, "help", p)
}
