// Package easyposttest is a real HTTP server for tests that behaves as EasyPost's documentation says: it rates shipments, sells one label for
// each, takes labels back and follows parcels. It counts what it sells, and fails when it is told to.
package easyposttest

import (
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
)

// The two moments of a request at which OnRequest is called: nothing has been done yet, or everything has and nobody knows.
const (
	Before = "before"
	After  = "after"
)

// Rate is what a carrier takes, in the words that go over the wire.
type Rate struct {
	Carrier, Service, Price, Currency string
	Days                              int
}

// Server is an EasyPost. Make one with New or Start.
type Server struct {
	URL    string // where it is, as an API address
	Key    string // opens it
	Secret string // signs what it tells by itself

	http *httptest.Server

	mu        sync.Mutex
	rates     []Rate
	shipments map[string]*shipment
	names     []string // of them, in the order they came
	bought    map[string]int
	refunded  map[string]int
	requests  []Request
	events    int

	refusal   *problem
	status    int
	body      *string
	hang      *hang
	onRequest func(method, path, phase string)
}

// Request is one that was made with the right key.
type Request struct{ Method, Path, IdempotencyKey string }

// problem is an error as EasyPost words it.
type problem struct{ code, message string }

// hang holds requests up.
type hang struct {
	arrived chan struct{}
	came    sync.Once
	over    chan struct{}
	ended   sync.Once
}

// New runs a server for as long as the test.
func New(t testing.TB) *Server {
	t.Helper()
	s := Start()
	t.Cleanup(s.Close)
	return s
}

// Start runs a server until it is closed, on an address of its own.
func Start() *Server {
	s := &Server{
		Key: "EZTKtest0123456789abcdef", Secret: "a secret between the two of us",
		shipments: map[string]*shipment{}, bought: map[string]int{}, refunded: map[string]int{},
		rates: []Rate{
			{"USPS", "Express", "33.10", "USD", 2},
			{"USPS", "Priority", "6.90", "USD", 2},
			{"USPS", "GroundAdvantage", "5.93", "USD", 3},
		},
	}
	s.http = httptest.NewUnstartedServer(s.routes())
	s.http.Config.ErrorLog = log.New(io.Discard, "", 0) // clients that go away are part of the tests
	s.http.Start()
	s.URL = s.http.URL
	return s
}

// Close ends it. What hangs is let go.
func (s *Server) Close() {
	s.mu.Lock()
	h := s.hang
	s.hang = nil
	s.mu.Unlock()
	if h != nil {
		h.release()
	}
	s.http.CloseClientConnections()
	s.http.Close()
}

// Offer sets the rates of shipments that are made from now on.
func (s *Server) Offer(rates ...Rate) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rates = rates
}

// Refuse has the next purchase refused.
func (s *Server) Refuse(code, message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusal = &problem{code, message}
}

// Fail has every request answered with a status, and nothing done, until it is 0.
func (s *Server) Fail(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = status
}

// Garble has every request done and answered with 200 and this body, until Ungarble.
func (s *Server) Garble(body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.body = &body
}

// Ungarble ends Garble.
func (s *Server) Ungarble() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.body = nil
}

// Hang holds every request up, before anything is done, until release is called or the client has gone. arrived is closed
// when the first is there. A request whose client has gone is not acted on.
func (s *Server) Hang() (arrived <-chan struct{}, release func()) {
	h := &hang{arrived: make(chan struct{}), over: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hang = h
	return h.arrived, func() {
		s.mu.Lock()
		if s.hang == h {
			s.hang = nil
		}
		s.mu.Unlock()
		h.release()
	}
}

func (h *hang) release() { h.ended.Do(func() { close(h.over) }) }

// OnRequest has f called with each request, Before it is acted on and After that, while the client still waits for the
// answer. f may block. A panic with http.ErrAbortHandler breaks the connection off there.
func (s *Server) OnRequest(f func(method, path, phase string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onRequest = f
}

// Requests lists the requests so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Bought tells how many labels were sold for a reference.
func (s *Server) Bought(reference string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bought[reference]
}

// Refunded tells how many labels were taken back for a reference.
func (s *Server) Refunded(reference string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refunded[reference]
}

// Declared gives the newest shipment of a reference as it was sent, or nil.
func (s *Server) Declared(reference string) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range slices.Backward(s.names) {
		if sh := s.shipments[name]; sh.reference == reference {
			return sh.sent
		}
	}
	return nil
}

// routes lists what it answers. Labels are open to whoever knows their address, as the real ones are.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /labels/{name}", s.label)
	mux.Handle("POST /v2/shipments", s.act(s.create))
	mux.Handle("GET /v2/shipments/{id}", s.act(s.retrieve))
	mux.Handle("POST /v2/shipments/{id}/buy", s.act(s.buy))
	mux.Handle("POST /v2/shipments/{id}/refund", s.act(s.refund))
	mux.Handle("GET /v2/trackers/{id}", s.act(s.track))
	mux.Handle("/", s.act(func(*http.Request, []byte) (int, any) { return missing() }))
	return mux
}

const maxBody = 1 << 20

// act does one request, with the knobs that are set. do is called under the lock.
func (s *Server) act(do func(r *http.Request, body []byte) (int, any)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			return // the client has gone
		}
		if user, _, _ := r.BasicAuth(); user != s.Key {
			write(w, http.StatusUnauthorized, wrong("APIKEY.INACTIVE", "This api key is no longer active."))
			return
		}
		s.tell(r, Before)
		if !s.wait(r) {
			return
		}
		status, answer := s.locked(r, body, do)
		s.tell(r, After)
		write(w, status, answer)
	})
}

func (s *Server) locked(r *http.Request, body []byte, do func(r *http.Request, body []byte) (int, any)) (int, any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, Request{r.Method, r.URL.Path, r.Header.Get("Idempotency-Key")})
	if s.status != 0 {
		return s.status, wrong(failures[s.status], "It does not work.")
	}
	status, answer := do(r, body)
	if s.body != nil {
		return http.StatusOK, json.RawMessage(*s.body)
	}
	return status, answer
}

func (s *Server) tell(r *http.Request, phase string) {
	s.mu.Lock()
	f := s.onRequest
	s.mu.Unlock()
	if f != nil {
		f(r.Method, r.URL.Path, phase)
	}
}

// wait holds a request up while it is told to, and tells whether there is still somebody to answer.
func (s *Server) wait(r *http.Request) bool {
	s.mu.Lock()
	h := s.hang
	s.mu.Unlock()
	if h == nil {
		return true
	}
	h.came.Do(func() { close(h.arrived) })
	select {
	case <-h.over:
		return r.Context().Err() == nil
	case <-r.Context().Done():
		return false
	}
}
