package today

import (
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// setupChecklist is what a location has not said about itself yet, with where it is said. It goes away when it is.
type setupChecklist struct {
	Where string
	Parts []frame.Link
}

// setupChecklist tells what the location that a page is about still lacks: the one that was chosen, else the usual one. Only who can do something about it is told.
func (c *call) setupChecklist(usual lost.Location, s scope) (m setupChecklist) {
	l := usual
	if s.Location != "" {
		chosen, err := c.Location()
		if err != nil {
			return m
		}
		l = chosen
	}
	if l.ID == "" || !c.May(lost.Arrange) {
		return m
	}
	m.Where = l.Name
	for _, part := range []struct {
		lacks      bool
		name, path string
	}{
		{l.Address1 == "" || l.City == "" || l.Country == "", "Address", "address"},
		{l.Pickup.From == "" && l.Pickup.To == "", "Opening hours", "storage"},
		{l.Reminders == nil, "Reminders", "reminders"},
		{l.Shipping == nil, "Your prices", "shipping"},
	} {
		if part.lacks {
			m.Parts = append(m.Parts, frame.Link{Name: part.name, Href: "/locations/" + l.ID + "/" + part.path})
		}
	}
	return m
}
