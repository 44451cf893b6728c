package bulk

import (
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// export answers with a location's items as a file, by the filters of the list. It begins with a mark by which Excel knows that it is UTF-8, unless
// mark=no is asked for.
func (c *call) export() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	values := c.Request.URL.Query()
	f := frame.ReadItemFilter(values)
	if err := f.Problems.Err(); err != nil { // a file of more than was asked for helps nobody
		return err
	}
	return c.downloadItems(l, func(w *frame.Download) error {
		return c.Desk.Export(c.Context(), c.Actor(), l.ID, f.Desk(c.Session.User, l, c.Now()), values.Get("mark") != "no", w)
	})
}

// downloadItems answers with a file of items.
func (c *call) downloadItems(l lost.Location, write func(*frame.Download) error) error {
	return c.WriteFile("items-"+l.Permalink+"-"+l.Day(c.Now())+".csv", write)
}
