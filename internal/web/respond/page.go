package respond

import (
	"bytes"
	"context"
	"errors"
	"html/template"
	"math"
	"net/http"
	"strconv"

	"homeward/internal/lost"
)

// Page answers with a page. It is made whole before the first byte goes out, so that a template that
// fails leaves the answer to its caller.
func Page(w http.ResponseWriter, code int, t *template.Template, name string, data any) error {
	var page bytes.Buffer
	if err := t.ExecuteTemplate(&page, name, data); err != nil {
		return err
	}
	write(w, code, "text/html; charset=utf-8", page.Bytes())
	return nil
}

// See sends a browser on to another page of ours with GET, after a form was taken.
func See(w http.ResponseWriter, path string) {
	w.Header().Set("Location", path)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusSeeOther)
}

// Failed notes an error on the log line of a request that a page answers, and gives the status of that page.
func Failed(w http.ResponseWriter, err error) int {
	note(w, err)
	code := Status(lost.CodeOf(err))
	tellWait(w, err)
	if code == http.StatusServiceUnavailable && w.Header().Get("Retry-After") == "" {
		w.Header().Set("Retry-After", "5")
	}
	return code
}

// tellWait says how long it takes until another try is worth it, where the error knows.
func tellWait(w http.ResponseWriter, err error) {
	if e, ok := errors.AsType[*lost.Error](err); ok && e.Wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(e.Wait.Seconds()))))
	}
}

// Left answers a browser that is gone already, if that is what the error says.
func Left(w http.ResponseWriter, err error) bool {
	if !errors.Is(err, context.Canceled) {
		return false
	}
	note(w, err)
	w.WriteHeader(statusGone)
	return true
}

// Begun tells whether a part of the answer is out: nothing else can be said then.
func Begun(w http.ResponseWriter) bool {
	r, ok := w.(*Record)
	return ok && r.Status != 0
}
