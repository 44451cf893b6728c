package frame

import (
	"slices"
	"time"

	"homeward/internal/lost"
)

// Clock returns the time zone of the location where the user works, for the times on a page.
func (c *Call) Clock() *time.Location {
	here, err := c.UsualLocation()
	if err != nil {
		return time.UTC
	}
	return here.Zone()
}

// locationCookie remembers the location where the user works.
const locationCookie = "at"

// maxMenuLocations is the maximum number of locations in the menu. The locations page lists all of them.
const maxMenuLocations = lost.MaxLimit

// Locations returns the locations the user can access, by name.
func (c *Call) Locations() ([]lost.Location, error) {
	if c.locations != nil || c.Session.User.ID == "" {
		return c.locations, nil
	}
	list, err := c.Services.Locations.List(c.Context(), c.Actor(),
		lost.LocationFilter{Page: lost.Page{Number: 1, Limit: maxMenuLocations}})
	c.locations = list.Data
	return list.Data, err
}

// Location returns the location in the URL and remembers it as the one where the user works.
func (c *Call) Location() (lost.Location, error) {
	l, err := c.Services.Locations.Get(c.Context(), c.Actor(), c.Request.PathValue("location"))
	if err != nil {
		return l, err
	}
	c.Here = &l
	if c.Cookie(locationCookie) != l.ID {
		c.SetCookie(locationCookie, l.ID, CookieYear)
	}
	return l, nil
}

// UsualLocation returns the location where the user works: the location of the current page, otherwise the last one
// used, otherwise the first one. It is empty if the user can access no location.
func (c *Call) UsualLocation() (lost.Location, error) {
	if c.Here != nil {
		return *c.Here, nil
	}
	all, err := c.Locations()
	if err != nil || len(all) == 0 {
		return lost.Location{}, err
	}
	if n := slices.IndexFunc(all, func(l lost.Location) bool { return l.ID == c.Cookie(locationCookie) }); n >= 0 {
		return all[n], nil
	}
	return all[0], nil
}

// LocationPath returns the path of a page about a location; below is the part after the location.
func LocationPath(location, below string) string { return "/at/" + location + below }
