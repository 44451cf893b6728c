package bulk

import (
	"homeward/internal/desk"
	"homeward/internal/web/staff/frame"
)

// export sends a location's items as CSV, filtered like the list. The file starts with a byte order mark, which tells
// Excel that it is UTF-8, unless the query contains mark=no. The headings are in the user's language, unless the query
// contains headings=api.
func (c *call) export() error {
	l, err := c.Location()
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
		layout.Headings = headings(c.Locale)
	}
	wanted := f.Desk(c.Session.User, l, c.Now())
	return c.downloadItems(frame.Scope{At: l}, func(w *frame.Download) error {
		return c.Services.Imports.Export(c.Context(), c.Actor(), l.ID, wanted, layout, w)
	})
}

// downloadItems sends a CSV file of items. write writes its content.
func (c *call) downloadItems(s frame.Scope, write func(*frame.Download) error) error {
	name := "items-" + s.At.Day(c.Now())
	if !s.All {
		name = "items-" + s.At.Permalink + "-" + s.At.Day(c.Now())
	}
	return c.WriteFile(name+".csv", write)
}
