// Package respond contains what the HTTP interfaces share. It reads bodies and forms, writes JSON, problems, pages
// and redirects, parses templates, and serves stylesheets and scripts (Assets). It also has the same-origin check,
// throttling and panic recovery. It does not depend on routes or use cases.
package respond

import (
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
)

// statusClientGone is the status that nginx and other web servers log if the client disconnects before the response
// is sent.
const statusClientGone = 499

// RequestIDHeader is the header that carries the request ID, in requests and in responses.
const RequestIDHeader = "X-Request-Id"

// status returns the HTTP status and the problem title of an error code.
func status(code lost.Code) (int, string) {
	switch code.Kind() {
	case lost.Unreadable:
		return http.StatusBadRequest, "The request could not be read"
	case lost.Unauthorized:
		return http.StatusUnauthorized, "A valid API key is needed"
	case lost.Forbidden:
		return http.StatusForbidden, "This key may not do that"
	case lost.NotFound:
		return http.StatusNotFound, "Not found"
	case lost.Gone:
		return http.StatusGone, "Expired"
	case lost.NoMethod:
		return http.StatusMethodNotAllowed, "Method not allowed"
	case lost.PreconditionFailed:
		return http.StatusPreconditionFailed, "The record has changed"
	case lost.Conflict:
		return http.StatusConflict, "Conflict with the current state"
	case lost.TooLarge:
		return http.StatusRequestEntityTooLarge, "Too large"
	case lost.TooSlow:
		return http.StatusRequestTimeout, "The request arrived too slowly"
	case lost.Unsupported:
		return http.StatusUnsupportedMediaType, "Unsupported content type"
	case lost.Invalid:
		return http.StatusUnprocessableEntity, "Some fields are invalid"
	case lost.TooMany:
		return http.StatusTooManyRequests, "Too many requests"
	case lost.Unavailable:
		return http.StatusServiceUnavailable, "Not available right now"
	default:
		return http.StatusInternalServerError, "Something went wrong on our side"
	}
}

// Status returns the HTTP status of an error code.
func Status(code lost.Code) int {
	httpStatus, _ := status(code)
	return httpStatus
}

// JSON responds with v, encoded as JSON.
func JSON(w http.ResponseWriter, code int, v any) error {
	return v1.UseEncoded(v, func(body []byte) { write(w, code, jsonType, body) })
}

// Record responds with one record and its entity tag. If a GET request already has the record, which it says with
// If-None-Match, the response is 304 without the record.
func Record(w http.ResponseWriter, r *http.Request, code int, record any) error {
	return v1.UseEncoded(record, func(body []byte) {
		tag := v1.Tag(body)
		w.Header()["Etag"] = []string{tag}
		known := r.Header["If-None-Match"]
		if len(known) > 0 && (r.Method == http.MethodGet || r.Method == http.MethodHead) && namesTag(known, tag) {
			w.Header()["Cache-Control"] = noStore
			if len(body) >= minCompressed {
				addVary(w.Header(), varyEncoding)
			}
			w.WriteHeader(http.StatusNotModified)
			return
		}
		write(w, code, jsonType, body)
	})
}

// namesTag reports whether a list of entity tags contains the given one or an asterisk. Weak tags are equal to strong
// ones here, and so are those of compressed responses.
func namesTag(list []string, tag string) bool {
	for _, tags := range list {
		if strings.TrimSpace(tags) == "*" || strings.Contains(tags, tag) || strings.Contains(tags, CompressedTag(tag)) {
			return true
		}
	}
	return false
}

// CompressedTag returns the entity tag of the compressed form of a response. A strong tag stands for exact bytes.
func CompressedTag(tag string) string { return strings.TrimSuffix(tag, `"`) + `-gzip"` }

// Problem responds with an error in RFC 9457 format. The cause of the error is only logged, never sent.
func Problem(w http.ResponseWriter, err error) {
	if ClientDisconnected(w, err) {
		return
	}
	p := ProblemOf(w, err)
	RecordError(w, err)
	h := w.Header()
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="homeward"`)
	}
	h.Del("Cache-Control")
	body, _ := v1.Encode(p) // encoding plain fields never fails
	write(w, p.Status, problemType, body)
}

// ProblemOf returns an error in RFC 9457 format. It does not contain the cause of the error.
func ProblemOf(w http.ResponseWriter, err error) v1.Problem {
	p := v1.Problem{RequestID: w.Header().Get(RequestIDHeader), Code: string(lost.ReasonOf(err))}
	p.Status, p.Title = status(lost.CodeOf(err))
	p.Type = "/docs/problems#" + p.Code
	p.Detail = "The fault is on our side. Try again; if it happens again, tell us the requestId."
	if e, ok := errors.AsType[*lost.Error](err); ok {
		p.Detail = e.Detail
		p.Errors = v1.FieldErrors(e.Fields)
	}
	return p
}

// Header values that all responses share, which saves allocations. They must be replaced with Set, never with Add.
var (
	jsonType    = []string{"application/json"}
	problemType = []string{"application/problem+json"}
	pageType    = []string{"text/html; charset=utf-8"}
	noSniff     = []string{"nosniff"}
	noStore     = []string{"no-store"}
)

// write responds with a body. It compresses the body if the recorder says that it may and the client asked for it. An
// entity tag then becomes that of the compressed form.
func write(w http.ResponseWriter, code int, contentType []string, body []byte) {
	r, ok := w.(*Recorder)
	if !ok || !r.MayCompress || len(body) < minCompressed {
		writePlain(w, code, contentType, body)
		return
	}
	addVary(w.Header(), varyEncoding)
	if !r.AcceptsGzip {
		writePlain(w, code, contentType, body)
		return
	}
	h := w.Header()
	h.Set("Content-Encoding", "gzip")
	if tag := h.Get("ETag"); tag != "" {
		h.Set("ETag", CompressedTag(tag))
	}
	useCompressed(body, func(compressed []byte) { writePlain(w, code, contentType, compressed) })
}

func writePlain(w http.ResponseWriter, code int, contentType []string, body []byte) {
	h := w.Header()
	h["Content-Type"] = contentType
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	h["X-Content-Type-Options"] = noSniff
	if h.Get("Cache-Control") == "" {
		h["Cache-Control"] = noStore
	}
	w.WriteHeader(code)
	_, _ = w.Write(body) // an error only means that the client disconnected
}

// Recorder is a response writer that records values for the request's log line.
type Recorder struct {
	http.ResponseWriter
	Status int
	Bytes  int64
	Err    error
	Attrs  []slog.Attr

	MayCompress bool      // the response is for a program; pages are not compressed, because they contain form tokens
	AcceptsGzip bool      // the client prefers a compressed response
	Streams     time.Time // when the response became a stream, which lasts as long as the client wants; may be zero

	first [2]slog.Attr // the memory of the first attributes
}

// WriteHeader records the status.
func (r *Recorder) WriteHeader(code int) {
	if r.Status == 0 {
		r.Status = code
	}
	r.ResponseWriter.WriteHeader(code)
}

// Write counts the bytes.
func (r *Recorder) Write(b []byte) (int, error) {
	if r.Status == 0 {
		r.Status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(b)
	r.Bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (r *Recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// BeginStream records that the response is a stream from now on.
func BeginStream(w http.ResponseWriter) {
	if r, ok := w.(*Recorder); ok {
		r.Streams = time.Now()
	}
}

// recordError records an error for the request's log line.
func recordError(w http.ResponseWriter, err error) {
	if r, ok := w.(*Recorder); ok {
		r.Err = err
	}
}

// AddLogAttrs adds attributes to the request's log line.
func AddLogAttrs(w http.ResponseWriter, attrs ...slog.Attr) {
	if r, ok := w.(*Recorder); ok {
		if r.Attrs == nil {
			r.Attrs = r.first[:0]
		}
		r.Attrs = append(r.Attrs, attrs...)
	}
}
