package apitest

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
)

// maxRecorded is the largest number of bytes recorded from a body. Even the longest list of items is smaller.
const maxRecorded = 16 << 20

// Transport passes requests to base, or to http.DefaultTransport if base is nil, and reports every request or
// response under /v1 that does not conform to the document. It does not change the response.
//
// report may be called from several goroutines at once, as t.Error allows.
func (c *Checker) Transport(base http.RoundTripper, report func(error)) http.RoundTripper {
	if base == nil {
		base = http.DefaultTransport
	}
	return &transport{c, base, report}
}

type transport struct {
	checker *Checker
	base    http.RoundTripper
	report  func(error)
}

func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if !strings.HasPrefix(req.URL.Path, "/v1/") {
		return t.base.RoundTrip(req)
	}
	watched, sent := watch(req)
	resp, err := t.base.RoundTrip(watched)
	if err != nil {
		return nil, err
	}
	resp.Request = req
	if resp.StatusCode == http.StatusRequestHeaderFieldsTooLarge {
		return resp, nil // written by the HTTP server itself, before any operation
	}
	x := exchange{request: req, response: resp}
	x.body, x.bodyAll = peek(resp)
	x.sent, x.sentAll = sent.get(req.ContentLength)
	if err := t.checker.check(x); err != nil {
		t.report(err)
	}
	return resp, nil
}

// peek reads the body of a response in advance and restores it for the client. It does not read a body that is not
// JSON, because that may be an endless stream.
func peek(resp *http.Response) (body []byte, all bool) {
	if !strings.Contains(resp.Header.Get("Content-Type"), "json") {
		return nil, false
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxRecorded+1))
	rest := io.Reader(resp.Body)
	if err != nil {
		rest = failing{err}
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), rest), resp.Body}
	return body, err == nil && len(body) <= maxRecorded
}

// failing is a reader that returns an error that occurred while the body was read in advance.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// watch returns a request whose body is recorded as it is read.
func watch(req *http.Request) (*http.Request, *recordedBody) {
	k := &recordedBody{}
	if req.Body == nil || req.Body == http.NoBody {
		k.whole = true
		return req, k
	}
	out := req.Clone(req.Context())
	out.Body = k.begin(req.Body)
	if req.GetBody != nil { // used if a connection was lost before anything was sent
		out.GetBody = func() (io.ReadCloser, error) {
			body, err := req.GetBody()
			if err != nil {
				return nil, err
			}
			return k.begin(body), nil
		}
	}
	return out, k
}

// recordedBody records a request body while it is being sent. Sending may continue after the response has arrived.
type recordedBody struct {
	mu    sync.Mutex
	bytes []byte
	over  bool // the body is larger than maxRecorded
	whole bool // the body was read completely
}

func (k *recordedBody) begin(body io.ReadCloser) io.ReadCloser {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.bytes, k.over, k.whole = nil, false, false
	return &recordedReader{body, k}
}

func (k *recordedBody) add(b []byte, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.whole = k.whole || errors.Is(err, io.EOF)
	if len(k.bytes)+len(b) > maxRecorded {
		k.over = true
		return
	}
	k.bytes = append(k.bytes, b...)
}

func (k *recordedBody) get(length int64) (body []byte, whole bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	whole = k.whole || length > 0 && int64(len(k.bytes)) == length
	return bytes.Clone(k.bytes), whole && !k.over
}

type recordedReader struct {
	io.ReadCloser
	record *recordedBody
}

func (b *recordedReader) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.record.add(p[:n], err)
	return n, err
}
