// Package stripetest is a Stripe server with state, for tests.
//
// New starts one. It implements the part of Stripe's API that the service uses (checkout sessions,
// refunds, idempotency keys, errors), has a page with a button to pay, and makes the events that
// Stripe would send, signed with the official library. Mock starts Stripe's own mock, which has no
// state but knows every parameter.
package stripetest

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Server is a Stripe server with state. All methods may be called while requests are in progress.
type Server struct {
	URL    string // address of the API and the pages
	Key    string // the valid API key
	Secret string // signs events

	mu       sync.Mutex
	numbered int
	sessions map[string]*Session
	order    []string
	refunds  map[string]int // by payment intent
	answers  map[string]answer
	requests []string
	onAsk    func(method, path, phase string)
	hang     <-chan struct{}
	failures []failure
	notify   string
	events   []Event
}

// Session is a checkout session.
type Session struct {
	ID       string
	Shipment string // client_reference_id
	Metadata map[string]string
	Lines    []Line
	Amount   int64 // of all lines, in Stripe's units
	Currency string
	Form     map[string]string // everything that was sent to create it

	Status        string // open, complete, expired
	PaymentStatus string // unpaid, paid, no_payment_required
	PaymentIntent string // once there is one
	Charged       bool
	Expires       time.Time
}

// Line is a line item.
type Line struct {
	Name, Description string
	Amount            int64
}

// New runs a server until the test ends.
func New(t testing.TB) *Server {
	s := &Server{
		Key: "sk_test_" + rand.Text(), Secret: "whsec_" + rand.Text(),
		sessions: map[string]*Session{}, refunds: map[string]int{}, answers: map[string]answer{},
	}
	mux := http.NewServeMux()
	mux.Handle("/v1/", http.HandlerFunc(s.serveAPI))
	mux.HandleFunc("GET /pay/{session}", s.showPage)
	mux.HandleFunc("POST /pay/{session}", s.pressButton)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// name returns a new id, as long as Stripe's.
func (s *Server) name(prefix string) string {
	s.numbered++
	return fmt.Sprintf("%s_%024d", prefix, s.numbered)
}

// OnRequest calls fn twice for each request with the right key: with phase "before" its effect, and
// "after" the effect but before the answer. fn may block, may kill the client, and may
// panic(http.ErrAbortHandler) to lose the answer.
func (s *Server) OnRequest(fn func(method, path, phase string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onAsk = fn
}

// Hang blocks every request before its effect, until the channel is closed. A request whose client
// has disconnected by then has no effect.
func (s *Server) Hang(until <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hang = until
}

type failure struct {
	status int
	body   string
}

// Fail answers the next request with a status and a body, and without effect. A second call is for
// the request after that.
func (s *Server) Fail(status int, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures = append(s.failures, failure{status, body})
}

// Notify posts the events of what is done on a page to an address.
func (s *Server) Notify(url string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notify = url
}

// Requests lists the requests: method, path and idempotency key.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Sessions lists the sessions, the oldest first.
func (s *Server) Sessions() []Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Session
	for _, id := range s.order {
		all = append(all, *s.sessions[id])
	}
	return all
}

// Charges counts how often a shipment was paid.
func (s *Server) Charges(shipment string) int {
	n := 0
	for _, session := range s.Sessions() {
		if session.Shipment == shipment && session.Charged {
			n++
		}
	}
	return n
}

// Refunds counts how often a payment was refunded.
func (s *Server) Refunds(paymentIntent string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refunds[paymentIntent]
}

// asked calls the test's OnRequest function.
func (s *Server) asked(r *http.Request, phase string) {
	s.mu.Lock()
	fn := s.onAsk
	s.mu.Unlock()
	if fn != nil {
		fn(r.Method, r.URL.Path, phase)
	}
}

// wait blocks a request while Hang is active, and aborts it if the client has disconnected.
func (s *Server) wait(r *http.Request) {
	s.mu.Lock()
	until := s.hang
	s.mu.Unlock()
	if until == nil {
		return
	}
	select {
	case <-until:
	case <-r.Context().Done():
		panic(http.ErrAbortHandler)
	}
}

// failing returns the next failure.
func (s *Server) failing() (failure, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.failures) == 0 {
		return failure{}, false
	}
	next := s.failures[0]
	s.failures = s.failures[1:]
	return next, true
}

func (s *Server) allowed(r *http.Request) bool {
	key, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return bearer && key == s.Key
}
