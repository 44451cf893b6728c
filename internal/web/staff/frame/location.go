package frame

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"homeward/internal/i18n"
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

// AllLocations stands for all locations that the user can access. It is in the path of a list instead of the ID of a
// location.
const AllLocations = "all"

// The cookies that remember a location.
const (
	menuCookie   = "at"     // the location whose lists the menu opens, or AllLocations
	recordCookie = "record" // the user, and the location where the user records items
)

// maxMenuLocations is the maximum number of locations in the menu. The locations page lists all of them.
const maxMenuLocations = lost.MaxLimit

// Locations returns the locations the user can access, by name in the order of the user's language.
func (c *Call) Locations() ([]lost.Location, error) {
	if c.locations != nil || c.Session.User.ID == "" {
		return c.locations, nil
	}
	list, err := c.Services.Locations.List(c.Context(), c.Actor(),
		lost.LocationFilter{Page: lost.Page{Number: 1, Limit: maxMenuLocations}})
	if err != nil {
		return nil, err
	}
	c.locations = i18n.SortByName(c.Language, list.Data, func(l lost.Location) string { return l.Name })
	return c.locations, nil
}

// Location returns the location in the URL.
func (c *Call) Location() (lost.Location, error) {
	l, err := c.Services.Locations.Get(c.Context(), c.Actor(), c.Request.PathValue("location"))
	if err == nil {
		c.Here = &l
	}
	return l, err
}

// Scope is what a list shows: the records of one location, or of all locations that the user can access.
type Scope struct {
	At  lost.Location // for all locations, the one where the user works, whose time zone the page uses
	All bool
}

// ID returns the ID of the location. It is empty for all locations.
func (s Scope) ID() string {
	if s.All {
		return ""
	}
	return s.At.ID
}

// Path returns the path of a page about the same records; below is the part after the location.
func (s Scope) Path(below string) string {
	if s.All {
		return LocationPath(AllLocations, below)
	}
	return LocationPath(s.At.ID, below)
}

// ReadScope returns what the URL selects.
func ReadScope(c *Call) (s Scope, err error) {
	if c.Request.PathValue("location") == AllLocations {
		s.All = true
		s.At, err = c.UsualLocation()
		return s, err
	}
	s.At, err = c.Location()
	return s, err
}

// ReadListScope returns what a list shows, and remembers it: the menu then opens lists of the same location. Pages
// about one record do not change that.
func ReadListScope(c *Call) (Scope, error) {
	s, err := ReadScope(c)
	if err == nil {
		setMenuPlace(c, c.Request.PathValue("location"))
	}
	return s, err
}

// setMenuPlace remembers the location whose lists the menu opens, unless the browser only prefetches the page.
func setMenuPlace(c *Call, location string) {
	c.menuPlace = location
	if c.Cookie(menuCookie) != location && !Prefetches(c) {
		c.SetCookie(menuCookie, location, CookieYear)
	}
}

// ReadMenuScope returns what a page shows whose path has no location: the location in the query or, without one, that
// of the menu. Like ReadListScope, it remembers it.
func ReadMenuScope(c *Call) (Scope, error) {
	location := c.Request.URL.Query().Get("location")
	if location == "" {
		s, err := menuScope(c)
		if err != nil || s.At.ID == "" {
			return s, err
		}
		location = cmp.Or(s.ID(), AllLocations)
	}
	c.Request.SetPathValue("location", location)
	return ReadListScope(c)
}

// menuScope returns what the lists that the menu opens show. Until the user chooses a location, it is all of them.
func menuScope(c *Call) (Scope, error) {
	all, err := c.Locations()
	if err != nil {
		return Scope{}, err
	}
	if len(all) < 2 || !c.May(lost.ViewItems) {
		usual, err := c.UsualLocation()
		return Scope{At: usual}, err
	}
	if l, found := findLocation(c, cmp.Or(c.menuPlace, c.Cookie(menuCookie))); found {
		return Scope{At: l}, nil
	}
	return Scope{At: recordLocation(c), All: true}, nil
}

// findLocation returns one of the locations that the user can access.
func findLocation(c *Call, id string) (lost.Location, bool) {
	if c.Here != nil && c.Here.ID == id {
		return *c.Here, true
	}
	n := slices.IndexFunc(c.locations, func(l lost.Location) bool { return l.ID == id })
	if n < 0 {
		return lost.Location{}, false
	}
	return c.locations[n], true
}

// UsualLocation returns the location of the current page or, if it has none, the one where the user records items. It
// is empty if the user can access no location.
func (c *Call) UsualLocation() (lost.Location, error) {
	if c.Here != nil {
		return *c.Here, nil
	}
	_, err := c.Locations()
	return recordLocation(c), err
}

// recordLocation returns the location where the user records items: the last one that they chose, otherwise the first
// one. The pages that the user looks at do not change it.
func recordLocation(c *Call) lost.Location {
	chosen, _ := strings.CutPrefix(c.Cookie(recordCookie), c.Session.User.ID+".")
	if l, found := findLocation(c, chosen); found {
		return l
	}
	if len(c.locations) == 0 {
		return lost.Location{}
	}
	return c.locations[0]
}

// RecordAt remembers the location where the user records items. Other users of the browser are not affected.
func RecordAt(c *Call, location string) {
	if value := c.Session.User.ID + "." + location; c.Cookie(recordCookie) != value {
		c.SetCookie(recordCookie, value, CookieYear)
	}
}

// UseLocation makes a location the one where the user records items, and whose lists the menu opens.
func UseLocation(c *Call, location string) {
	RecordAt(c, location)
	setMenuPlace(c, location)
}

// LocationNamesOf returns the names of the records' locations by ID.
func LocationNamesOf(c *Call, records []lost.Item) (map[string]string, error) {
	all, err := c.Locations()
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, l := range all {
		names[l.ID] = l.Name
	}
	for _, i := range records {
		if _, known := names[i.LocationID]; known {
			continue
		}
		l, err := c.Services.Locations.Get(c.Request.Context(), c.Actor(), i.LocationID)
		if err != nil && lost.CodeOf(err) != lost.NotFound { // it may have been deleted meanwhile
			return nil, err
		}
		names[i.LocationID] = l.Name
	}
	return names, nil
}

// LocationPath returns the path of a page about a location; below is the part after the location.
func LocationPath(location, below string) string { return "/at/" + location + below }
