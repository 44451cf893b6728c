package staff

import "homeward/internal/lost"

// lacks is what a location has not said about itself yet, with where it is said. It goes away when it is.
type lacks struct {
	Where string
	Parts []link
}

// lacks tells what the location that a page is about still lacks: the one that was chosen, else the usual one. Only who can do something about it is told.
func (c *call) lacks(usual lost.Location, s scope) (m lacks) {
	l := usual
	if s.Location != "" {
		chosen, err := c.at()
		if err != nil {
			return m
		}
		l = chosen
	}
	if l.ID == "" || !c.may(lost.Arrange) {
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
			m.Parts = append(m.Parts, link{Name: part.name, Href: "/locations/" + l.ID + "/" + part.path})
		}
	}
	return m
}
