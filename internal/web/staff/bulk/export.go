package bulk

import (
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// export sends a location's items as CSV, filtered like the list. The file starts with a byte order mark, which tells
// Excel that it is UTF-8, unless the query contains mark=no.
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
	return c.downloadItems(l, func(w *frame.Download) error {
		return c.Services.Imports.Export(c.Context(), c.Actor(), l.ID, f.Desk(c.Session.User, l, c.Now()),
			values.Get("mark") != "no", w)
	})
}

// downloadItems sends a CSV file of items. write writes its content.
func (c *call) downloadItems(l lost.Location, write func(*frame.Download) error) error {
	return c.WriteFile("items-"+l.Permalink+"-"+l.Day(c.Now())+".csv", write)
}
