package today

import (
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// setupChecklist lists the settings that a location still needs, with links. It is hidden when nothing is missing.
type setupChecklist struct {
	Where string
	Parts []frame.Link
}

// setupChecklist returns the settings that a location still needs. It is empty for users who are not allowed to change
// locations.
func (c *call) setupChecklist(l lost.Location) (m setupChecklist) {
	if l.ID == "" || !c.May(lost.ManageLocations) {
		return m
	}
	m.Where = l.Name
	hasHours := l.Pickup != (lost.PickupWindow{}) || len(l.OpeningHours) > 0
	for _, part := range []struct {
		missing    bool
		name, path string
	}{
		{l.Address1 == "" || l.City == "" || l.Country == "", c.Say("today.checklist.address"), "address"},
		{!hasHours, c.Say("calendar.hours"), "hours"},
		{l.Reminders == nil, c.Say("today.checklist.reminders"), "reminders"},
		{l.Shipping == nil, c.Say("today.checklist.shipping"), "shipping"},
	} {
		if part.missing {
			m.Parts = append(m.Parts, frame.Link{Name: part.name, Href: "/locations/" + l.ID + "/" + part.path})
		}
	}
	return m
}
