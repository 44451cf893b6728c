package respond

import (
	"bytes"
	"context"
	"errors"
	"html/template"
	"math"
	"net/http"
	"strconv"
	"time"

	"homeward/internal/lost"
)

// Page responds with a page. It renders the whole page before it sends the first byte, so that the caller can still
// respond with an error if the template fails.
func Page(w http.ResponseWriter, code int, t *template.Template, name string, data any) error {
	var page bytes.Buffer
	if err := t.ExecuteTemplate(&page, name, data); err != nil {
		return err
	}
	write(w, code, pageType, page.Bytes())
	return nil
}

// SeeOther redirects the browser to a path on this service after a form was accepted. The browser requests the path
// with GET.
func SeeOther(w http.ResponseWriter, path string) {
	w.Header().Set("Location", path)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusSeeOther)
}

// RecordError records an error for the request's log line, sets Retry-After if a retry can help, and returns the status
// for the response.
func RecordError(w http.ResponseWriter, err error) int {
	recordError(w, err)
	code := Status(lost.CodeOf(err))
	if e, ok := errors.AsType[*lost.Error](err); ok && e.Wait > 0 {
		SetRetryAfter(w, e.Wait)
	}
	if code == http.StatusServiceUnavailable && w.Header().Get("Retry-After") == "" {
		w.Header().Set("Retry-After", "5")
	}
	return code
}

// SetRetryAfter sets the Retry-After header to wait, rounded up to whole seconds.
func SetRetryAfter(w http.ResponseWriter, wait time.Duration) {
	w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
}

// ClientDisconnected reports whether err means that the client has disconnected. If so, it ends the response.
func ClientDisconnected(w http.ResponseWriter, err error) bool {
	if !errors.Is(err, context.Canceled) {
		return false
	}
	recordError(w, err)
	w.WriteHeader(statusClientGone)
	return true
}

// Started reports whether part of the response has been sent. If so, it is too late to send a different response.
func Started(w http.ResponseWriter) bool {
	r, ok := w.(*Recorder)
	return ok && r.Status != 0
}
