package frame

import (
	"cmp"
	"fmt"
	"net/http"
	"time"

	"homeward/internal/web/respond"
)

// Download is a file on its way to the browser, of any length: it goes out as it is written.
type Download struct {
	c    *Call
	name string
	kind string // of its content; CSV where it is empty
}

// lineTime is how long a browser may take for a part of a file.
const lineTime = time.Minute

// Write sends a part. The first one begins the answer: until then another can be given.
func (d *Download) Write(p []byte) (int, error) {
	w := d.c.Writer
	if !respond.Begun(w) {
		w.Header().Set("Content-Type", cmp.Or(d.kind, "text/csv; charset=utf-8; header=present"))
		w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", d.name))
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(lineTime)) // where there is one to set
	return w.Write(p)
}

// WriteFile answers with a file. What goes wrong on the way cuts it off, so that nobody takes a part for the whole.
func (c *Call) WriteFile(name string, write func(*Download) error) error {
	return c.WriteFileAs(name, "", write)
}

// WriteFileAs is file for another kind of content than CSV.
func (c *Call) WriteFileAs(name, kind string, write func(*Download) error) error {
	err := write(&Download{c: c, name: name, kind: kind})
	if err != nil && respond.Begun(c.Writer) {
		respond.Failed(c.Writer, err)
		panic(http.ErrAbortHandler)
	}
	return err
}
