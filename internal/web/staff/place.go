package staff

import (
	"slices"

	"homeward/internal/lost"
)

// placeCookie remembers the location that somebody works at.
const placeCookie = "at"

// mostPlaces is how many locations are offered in the menu. Whoever has more finds the others on the page of locations.
const mostPlaces = lost.MaxLimit

// places gives the locations that the person reaches, by name.
func (c *call) places() ([]lost.Location, error) {
	if c.locations != nil || c.in.User.ID == "" {
		return c.locations, nil
	}
	list, err := c.desk.Locations(c.ctx(), c.actor(), lost.LocationFilter{Page: lost.Page{Number: 1, Limit: mostPlaces}})
	c.locations = list.Data
	return list.Data, err
}

// at finds the location that the address names, and remembers that the person works there.
func (c *call) at() (lost.Location, error) {
	l, err := c.desk.Location(c.ctx(), c.actor(), c.r.PathValue("location"))
	if err != nil {
		return l, err
	}
	c.here = &l
	if c.cookie(placeCookie) != l.ID {
		c.keep(placeCookie, l.ID, year)
	}
	return l, nil
}

// usual is the location where the person works, as far as is known: the page's, else the last one, else the first. It is empty
// where there is none.
func (c *call) usual() (lost.Location, error) {
	if c.here != nil {
		return *c.here, nil
	}
	all, err := c.places()
	if err != nil || len(all) == 0 {
		return lost.Location{}, err
	}
	if n := slices.IndexFunc(all, func(l lost.Location) bool { return l.ID == c.cookie(placeCookie) }); n >= 0 {
		return all[n], nil
	}
	return all[0], nil
}

// atPath is an address below a location's part of the dashboard.
func atPath(location, below string) string { return "/at/" + location + below }
