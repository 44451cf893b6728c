package staff

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"homeward/internal/lost"
	"homeward/internal/web/reply"
)

// export answers with a location's items as a file, by the filters of the list. It begins with a mark by which Excel knows that it is UTF-8, unless
// mark=no is asked for.
func (c *call) export() error {
	l, err := c.at()
	if err != nil {
		return err
	}
	values := c.r.URL.Query()
	f, err := exportFilter(values)
	if err != nil {
		return err
	}
	list := readItemFilter(values).desk(c.in.User, l, c.now()) // what the list has beside
	f.Source, f.Open, f.By, f.Since = list.Source, list.Open, list.By, list.Since
	return c.download(l, func(w *download) error {
		return c.desk.Export(c.ctx(), c.actor(), l.ID, f, values.Get("mark") != "no", w)
	})
}

// exportFilter reads the filters of the list from an address.
func exportFilter(values url.Values) (lost.ItemFilter, error) {
	var p lost.Problems
	f := lost.ItemFilter{Term: values.Get("term"), Source: lost.Source(values.Get("source")), From: values.Get("from"), To: values.Get("to")}
	for _, s := range values["status"] {
		if s != "" {
			f.Statuses = append(f.Statuses, lost.Status(s))
		}
	}
	known := func(s lost.Status) bool { return slices.Contains(lost.Statuses(), s) }
	if slices.ContainsFunc(f.Statuses, func(s lost.Status) bool { return !known(s) }) {
		p.Add("status", "not-allowed", "must be one of %s", lost.Quoted(lost.Statuses()))
	}
	if f.Source != "" && f.Source != "all" && !slices.Contains(lost.Sources(), f.Source) {
		p.Add("source", "not-allowed", "must be one of %s", lost.Quoted(lost.Sources()))
	}
	for _, day := range []struct{ name, date string }{{"from", f.From}, {"to", f.To}} {
		if _, ok := lost.ParseDate(day.date); day.date != "" && !ok {
			p.Add(day.name, "invalid-date", "must be a date that exists, written YYYY-MM-DD")
		}
	}
	return f, p.Err()
}

// download is a file on its way to the browser, of any length: it goes out as it is written.
type download struct {
	c    *call
	name string
}

// lineTime is how long a browser may take for a part of a file.
const lineTime = time.Minute

// Write sends a part. The first one begins the answer: until then another can be given.
func (d *download) Write(p []byte) (int, error) {
	w := d.c.w
	if !reply.Begun(w) {
		w.Header().Set("Content-Type", "text/csv; charset=utf-8; header=present")
		w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", d.name))
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(lineTime)) // where there is one to set
	return w.Write(p)
}

// download answers with a file of items.
func (c *call) download(l lost.Location, write func(*download) error) error {
	return c.file("items-"+l.Permalink+"-"+l.Day(c.now())+".csv", write)
}

// file answers with a file. What goes wrong on the way cuts it off, so that nobody takes a part for the whole.
func (c *call) file(name string, write func(*download) error) error {
	err := write(&download{c: c, name: name})
	if err != nil && reply.Begun(c.w) {
		reply.Failed(c.w, err)
		panic(http.ErrAbortHandler)
	}
	return err
}
