package bulk

import (
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// export sends a location's items as CSV, with the filter of the list. It starts with a byte order mark, by which Excel
// recognises UTF-8, unless the query has mark=no.
func (c *call) export() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	values := c.Request.URL.Query()
	f := frame.ReadItemFilter(values)
	if err := f.Problems.Err(); err != nil { // without the invalid filter the file would contain too many items
		return err
	}
	return c.downloadItems(l, func(w *frame.Download) error {
		return c.Services.Imports.Export(c.Context(), c.Actor(), l.ID, f.Desk(c.Session.User, l, c.Now()),
			values.Get("mark") != "no", w)
	})
}

// downloadItems sends a CSV file of items.
func (c *call) downloadItems(l lost.Location, write func(*frame.Download) error) error {
	return c.WriteFile("items-"+l.Permalink+"-"+l.Day(c.Now())+".csv", write)
}
