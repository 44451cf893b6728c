package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// localTransport serves requests with a handler of this process instead of sending them.
type localTransport struct {
	handler http.Handler
	client  string // the address of the agent, for the audit log and the limits
}

// RoundTrip implements http.RoundTripper.
func (t localTransport) RoundTrip(r *http.Request) (_ *http.Response, err error) {
	in := r.Clone(r.Context())
	in.URL = &url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
	in.Host, in.RequestURI, in.RemoteAddr = r.URL.Host, r.URL.RequestURI(), t.client
	if in.Body == nil {
		in.Body = http.NoBody
	}
	// A handler that cannot finish its response panics to end the connection. There is none, and this goroutine is not
	// protected by the HTTP server.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the request was aborted: %v", p)
		}
	}()
	w := &buffer{header: http.Header{}}
	t.handler.ServeHTTP(w, in)
	w.WriteHeader(http.StatusOK)
	return &http.Response{
		StatusCode: w.status, Header: w.header, Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
	}, nil
}

// buffer is a response writer that keeps the response. It holds one byte more than a client accepts, so that the client
// notices that a response is too large.
type buffer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

var errFull = errors.New("the response is too large")

func (b *buffer) Header() http.Header { return b.header }

// WriteHeader keeps the first status.
func (b *buffer) WriteHeader(status int) {
	if b.status == 0 {
		b.status = status
	}
}

func (b *buffer) Write(p []byte) (int, error) {
	b.WriteHeader(http.StatusOK)
	n := min(len(p), maxResponse+1-b.body.Len())
	b.body.Write(p[:n])
	if n < len(p) {
		return n, errFull
	}
	return n, nil
}
