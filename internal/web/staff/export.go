package staff

import (
	"cmp"
	"fmt"
	"net/http"
	"time"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// export answers with a location's items as a file, by the filters of the list. It begins with a mark by which Excel knows that it is UTF-8, unless
// mark=no is asked for.
func (c *call) export() error {
	l, err := c.at()
	if err != nil {
		return err
	}
	values := c.r.URL.Query()
	f := readItemFilter(values)
	if err := f.problems.Err(); err != nil { // a file of more than was asked for helps nobody
		return err
	}
	return c.download(l, func(w *download) error {
		return c.desk.Export(c.ctx(), c.actor(), l.ID, f.desk(c.in.User, l, c.now()), values.Get("mark") != "no", w)
	})
}

// download is a file on its way to the browser, of any length: it goes out as it is written.
type download struct {
	c    *call
	name string
	kind string // of its content; CSV where it is empty
}

// lineTime is how long a browser may take for a part of a file.
const lineTime = time.Minute

// Write sends a part. The first one begins the answer: until then another can be given.
func (d *download) Write(p []byte) (int, error) {
	w := d.c.w
	if !respond.Begun(w) {
		w.Header().Set("Content-Type", cmp.Or(d.kind, "text/csv; charset=utf-8; header=present"))
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
	return c.fileAs(name, "", write)
}

// fileAs is file for another kind of content than CSV.
func (c *call) fileAs(name, kind string, write func(*download) error) error {
	err := write(&download{c: c, name: name, kind: kind})
	if err != nil && respond.Begun(c.w) {
		respond.Failed(c.w, err)
		panic(http.ErrAbortHandler)
	}
	return err
}
