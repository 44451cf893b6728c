// Package reply writes answers for every door: records as JSON, errors as problems, and what
// the log line of a request should know.
package respond

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
)

// statusGone is how logs commonly tell of a client that left before its answer.
const statusGone = 499

// RequestIDHeader names a request, in both directions and in the log.
const RequestIDHeader = "X-Request-Id"

// status is the one table from kinds of error to HTTP.
func status(code lost.Code) (int, string) {
	switch code {
	case lost.Unreadable:
		return http.StatusBadRequest, "The request could not be read"
	case lost.Unauthorized:
		return http.StatusUnauthorized, "A valid API key is needed"
	case lost.Forbidden:
		return http.StatusForbidden, "This key may not do that"
	case lost.NotFound:
		return http.StatusNotFound, "Not found"
	case lost.Gone:
		return http.StatusGone, "Its time is over"
	case lost.NoMethod:
		return http.StatusMethodNotAllowed, "This address does not take that method"
	case lost.Conflict:
		return http.StatusConflict, "In conflict with the present state"
	case lost.TooLarge:
		return http.StatusRequestEntityTooLarge, "Too large"
	case lost.Unsupported:
		return http.StatusUnsupportedMediaType, "This kind of content is not taken"
	case lost.Invalid:
		return http.StatusUnprocessableEntity, "Some fields are not right"
	case lost.TooMany:
		return http.StatusTooManyRequests, "Too many requests"
	case lost.Unavailable:
		return http.StatusServiceUnavailable, "Not available right now"
	default:
		return http.StatusInternalServerError, "Something went wrong here"
	}
}

// Status is the HTTP status that answers a kind of error.
func Status(code lost.Code) int {
	s, _ := status(code)
	return s
}

// Method is the name of a request's method where it is one of HTTP's. What else is sent in its place may be anything, and is not repeated.
func Method(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodConnect, http.MethodOptions, http.MethodTrace:
		return r.Method
	}
	return "another"
}

// JSON answers with a record.
func JSON(w http.ResponseWriter, code int, v any) error {
	body, err := v1.Encode(v)
	if err != nil {
		return err
	}
	write(w, code, "application/json", body)
	return nil
}

// Problem answers with an error, in the form of RFC 9457. What caused it goes into the log alone.
func Problem(w http.ResponseWriter, err error) {
	if errors.Is(err, context.Canceled) { // whoever asked is gone
		note(w, err)
		w.WriteHeader(statusGone)
		return
	}
	p := v1.Problem{RequestID: w.Header().Get(RequestIDHeader), Code: string(lost.CodeOf(err))}
	p.Status, p.Title = status(lost.CodeOf(err))
	p.Type = "/docs/problems#" + p.Code
	p.Detail = "The fault is on our side. Try again; if it stays, tell us the requestId."
	if e, ok := errors.AsType[*lost.Error](err); ok {
		p.Detail, p.Errors = e.Detail, v1.FieldErrors(e.Fields)
	}
	note(w, err)
	tellWait(w, err)
	h := w.Header()
	switch {
	case p.Status == http.StatusServiceUnavailable && h.Get("Retry-After") == "":
		h.Set("Retry-After", "5")
	case p.Status == http.StatusUnauthorized:
		h.Set("WWW-Authenticate", `Bearer realm="homeward"`)
	}
	h.Del("Cache-Control")
	body, _ := v1.Encode(p) // plain fields always encode
	write(w, p.Status, "application/problem+json", body)
}

func write(w http.ResponseWriter, code int, contentType string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("X-Content-Type-Options", "nosniff")
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store")
	}
	w.WriteHeader(code)
	_, _ = w.Write(body) // a client that left is no error of ours
}

// Record is a response writer that remembers what the log line of the request tells.
type Record struct {
	http.ResponseWriter
	Status int
	Bytes  int64
	Err    error
	Attrs  []slog.Attr
}

// WriteHeader notes the status.
func (r *Record) WriteHeader(code int) {
	if r.Status == 0 {
		r.Status = code
	}
	r.ResponseWriter.WriteHeader(code)
}

// Write counts the bytes.
func (r *Record) Write(b []byte) (int, error) {
	if r.Status == 0 {
		r.Status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(b)
	r.Bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (r *Record) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func note(w http.ResponseWriter, err error) {
	if r, ok := w.(*Record); ok {
		r.Err = err
	}
}

// Note adds something to the log line of the request.
func Note(w http.ResponseWriter, attrs ...slog.Attr) {
	if r, ok := w.(*Record); ok {
		r.Attrs = append(r.Attrs, attrs...)
	}
}
