package frame

import (
	"cmp"
	"net/http"

	"homeward/internal/web/respond"
)

// Download streams a file of any length to the browser.
type Download struct {
	c    *Call
	name string
	kind string // the content type; if empty, the file is CSV
}

// Write sends part of the file. The first call starts the response; until then, an error page can still be sent.
func (d *Download) Write(p []byte) (int, error) {
	w := d.c.Writer
	if !respond.Started(w) {
		w.Header().Set("Content-Type", cmp.Or(d.kind, "text/csv; charset=utf-8; header=present"))
		w.Header().Set("Cache-Control", "private, no-store") // it contains personal data
		w.Header().Set("Content-Disposition", disposition("attachment", d.name))
	}
	return respond.Stream(w, p)
}

// WriteFile sends a CSV file. An error while writing aborts the response, so that nobody mistakes a partial file for
// a complete one.
func (c *Call) WriteFile(name string, write func(*Download) error) error {
	return c.WriteFileAs(name, "", write)
}

// WriteFileAs is like WriteFile, but sends a file of another content type.
func (c *Call) WriteFileAs(name, kind string, write func(*Download) error) error {
	err := write(&Download{c: c, name: name, kind: kind})
	if err != nil && respond.Started(c.Writer) {
		respond.RecordError(c.Writer, err)
		panic(http.ErrAbortHandler)
	}
	return err
}
