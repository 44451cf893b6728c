package bulk

import (
	"homeward/internal/desk"
	"homeward/internal/lost"
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
		layout.Headings, layout.Language = headings(c.Locale), c.Tag()
	}
	wanted := f.Desk(c.Session.User, l, c.Now())
	if wanted.Searches() {
		return c.exportFound(l, wanted, layout)
	}
	return c.downloadItems(l, func(w *frame.Download) error {
		return c.Services.Imports.Export(c.Context(), c.Actor(), l.ID, wanted, layout, w)
	})
}

// exportFound sends the items that a search finds as CSV, at most as many as can be selected.
func (c *call) exportFound(l lost.Location, f lost.ItemFilter, layout desk.Layout) error {
	f.Page = lost.Page{Number: 1, Limit: lost.MaxSelected}
	found, err := c.Services.Items.List(c.Context(), c.Actor(), l.ID, f)
	if err != nil {
		return err
	}
	ids := make([]string, len(found.Data))
	for n, i := range found.Data {
		ids[n] = i.ID
	}
	if len(ids) == 0 {
		ids = []string{lost.ItemID} // no item has this id: the file has only the headings
	}
	return c.downloadItems(l, func(w *frame.Download) error {
		return c.Services.Imports.ExportItems(c.Context(), c.Actor(), l.ID, ids, layout, w)
	})
}

// downloadItems sends a CSV file of items. write writes its content.
func (c *call) downloadItems(l lost.Location, write func(*frame.Download) error) error {
	return c.WriteFile("items-"+l.Permalink+"-"+l.Day(c.Now())+".csv", write)
}
