// Package easyposttest is an HTTP server for tests that behaves like EasyPost's documented API: it returns rates for
// shipments, sells one label for each shipment, refunds labels and tracks parcels. It counts the sold labels, and
// tests can make it fail.
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

// The phases in which the OnRequest function is called: before the request is processed, and after it was processed
// but before the response is sent.
const (
	Before = "before"
	After  = "after"
)

// Rate is a carrier's price. Its fields are as in EasyPost's API.
type Rate struct {
	Carrier, Service, Price, Currency string
	Days                              int
}

// Server is a fake EasyPost server. Use New or Start to create one.
type Server struct {
	URL    string // the URL of the API
	Key    string // the valid API key
	Secret string // the webhook secret that signs the server's events

	http *httptest.Server

	mu        sync.Mutex
	rates     []Rate
	shipments map[string]*shipment
	names     []string // ids of the shipments, oldest first
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

// Request is a request that was made with the valid key.
type Request struct{ Method, Path, IdempotencyKey string }

// problem is an error in EasyPost's format.
type problem struct{ code, message string }

// hang is the state of a call to Hang.
type hang struct {
	arrived chan struct{}
	came    sync.Once
	over    chan struct{}
	ended   sync.Once
}

// New runs a server until the test ends.
func New(t testing.TB) *Server {
	t.Helper()
	s := Start()
	t.Cleanup(s.Close)
	return s
}

// Start runs a server on a free port until it is closed.
func Start() *Server {
	s := &Server{
		Key: "EZTKtest0123456789abcdef", Secret: "a shared secret",
		shipments: map[string]*shipment{}, bought: map[string]int{}, refunded: map[string]int{},
		rates: []Rate{
			{"USPS", "Express", "33.10", "USD", 2},
			{"USPS", "Priority", "6.90", "USD", 2},
			{"USPS", "GroundAdvantage", "5.93", "USD", 3},
		},
	}
	s.http = httptest.NewUnstartedServer(s.routes())
	s.http.Config.ErrorLog = log.New(io.Discard, "", 0) // otherwise it would log connections that tests close early
	s.http.Start()
	s.URL = s.http.URL
	return s
}

// Close stops the server and releases blocked requests.
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

// Offer sets the rates for shipments that are created from now on.
func (s *Server) Offer(rates ...Rate) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rates = rates
}

// Refuse makes the next purchase fail with an EasyPost error code and a message.
func (s *Server) Refuse(code, message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusal = &problem{code, message}
}

// Fail makes every request fail with an HTTP status, without being processed. Status 0 ends this.
func (s *Server) Fail(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = status
}

// Garble makes the server process every request but respond with status 200 and this body, until Ungarble is called.
func (s *Server) Garble(body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.body = &body
}

// Ungarble ends the effect of Garble.
func (s *Server) Ungarble() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.body = nil
}

// Hang blocks every request before it is processed, until release is called or the client disconnects. The channel
// arrived is closed when the first request arrives. If its client disconnects, the request is not processed.
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

// OnRequest sets a function that is called for each request, in the phases Before and After. In both phases, the
// client is still waiting for the response. The function may block. A panic with http.ErrAbortHandler closes the
// connection.
func (s *Server) OnRequest(f func(method, path, phase string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onRequest = f
}

// Requests lists the requests that were made with the valid key, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Bought returns the number of labels that were sold for a reference.
func (s *Server) Bought(reference string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bought[reference]
}

// Refunded returns the number of labels that were refunded for a reference.
func (s *Server) Refunded(reference string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refunded[reference]
}

// Declared returns the newest shipment with a reference as the client sent it, or nil if there is none.
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

// routes returns the server's handler. As with EasyPost, labels can be downloaded without an API key.
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

// act returns a handler that processes requests with do, or fails as the test has requested. It holds the lock while
// it calls do.
func (s *Server) act(do func(r *http.Request, body []byte) (int, any)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			return // the client has disconnected
		}
		if user, _, _ := r.BasicAuth(); user != s.Key {
			write(w, http.StatusUnauthorized, errorBody("APIKEY.INACTIVE", "This api key is no longer active."))
			return
		}
		s.notify(r, Before)
		if !s.wait(r) {
			return
		}
		status, response := s.locked(r, body, do)
		s.notify(r, After)
		write(w, status, response)
	})
}

func (s *Server) locked(r *http.Request, body []byte, do func(r *http.Request, body []byte) (int, any)) (int, any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, Request{r.Method, r.URL.Path, r.Header.Get("Idempotency-Key")})
	if s.status != 0 {
		return s.status, errorBody(failures[s.status], "Simulated failure.")
	}
	status, response := do(r, body)
	if s.body != nil {
		return http.StatusOK, json.RawMessage(*s.body)
	}
	return status, response
}

func (s *Server) notify(r *http.Request, phase string) {
	s.mu.Lock()
	f := s.onRequest
	s.mu.Unlock()
	if f != nil {
		f(r.Method, r.URL.Path, phase)
	}
}

// wait blocks a request while Hang is active, and reports whether the client is still connected.
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
