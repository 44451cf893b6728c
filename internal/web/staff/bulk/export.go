package bulk

import (
	"homeward/internal/desk"
	"homeward/internal/web/staff/frame"
)

// export sends the items of one or all locations as CSV, filtered like the list. The file starts with a byte order
// mark, which tells Excel that it is UTF-8, unless the query contains mark=no. The headings are in the user's language,
// unless the query contains headings=api. In the user's language, the separator is the one that Excel expects in it.
func (c *call) export() error {
	s, err := frame.ReadScope(c.Call)
	if err != nil {
		return err
	}
	values := c.Request.URL.Query()
	f := frame.ReadItemFilter(values)
	if err := f.Problems.Err(); err != nil { // ignoring the invalid filter would export too many items
		return err
	}
	layout := desk.Layout{Mark: values.Get("mark") != "no"}
	if values.Get("headings") != "api" {
		layout.Headings, layout.Language = headings(c.Locale, s), c.Tag()
	}
	wanted := f.Desk(c.Session.User, s.At, c.Now())
	return c.downloadItems(s, func(w *frame.Download) error {
		return c.Services.Imports.Export(c.Context(), c.Actor(), s.ID(), wanted, layout, w)
	})
}

// downloadItems sends a CSV file of items. write writes its content.
func (c *call) downloadItems(s frame.Scope, write func(*frame.Download) error) error {
	place := "all-locations"
	if !s.All {
		place = s.At.Permalink
	}
	return c.WriteFile("items-"+place+"-"+s.At.Day(c.Now())+".csv", write)
}
