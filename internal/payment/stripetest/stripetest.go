// Package stripetest is a stateful Stripe server for tests.
//
// New starts a server. It implements the part of Stripe's API that the service uses (checkout sessions, refunds,
// idempotency keys, errors), has a payment page, and makes the events that Stripe would send, signed with the
// official library. Mock starts Stripe's official mock, which is stateless but validates every parameter.
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

// Server is a stateful Stripe server. Its methods are safe for concurrent use.
type Server struct {
	URL    string // URL of the API and the pages
	Key    string // the valid API key
	Secret string // for signing events

	mu        sync.Mutex
	numbered  int
	sessions  map[string]*Session
	order     []string
	refunds   map[string]int // by payment intent
	responses map[string]response
	requests  []string
	onRequest func(method, path, phase string)
	hang      <-chan struct{}
	failures  []failure
	notify    string
	events    []Event
}

// Session is a checkout session.
type Session struct {
	ID       string
	Shipment string // client_reference_id
	Metadata map[string]string
	Lines    []Line
	Amount   int64 // total of all lines, in Stripe's units
	Currency string
	Form     map[string]string // all parameters of the create request

	Status        string // open, complete, expired
	PaymentStatus string // unpaid, paid, no_payment_required
	PaymentIntent string // empty until there is a payment
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
		sessions: map[string]*Session{}, refunds: map[string]int{}, responses: map[string]response{},
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

// name returns a new id with the length of Stripe's ids.
func (s *Server) name(prefix string) string {
	s.numbered++
	return fmt.Sprintf("%s_%024d", prefix, s.numbered)
}

// OnRequest sets a function that is called twice for each request with the valid key: in the phase "before" the
// request takes effect, and in the phase "after" the effect but before the response. The function may block, kill the
// client, or panic with http.ErrAbortHandler to drop the response.
func (s *Server) OnRequest(fn func(method, path, phase string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onRequest = fn
}

// Hang blocks every request before it takes effect, until the channel is closed. If the client has disconnected by
// then, the request has no effect.
func (s *Server) Hang(until <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hang = until
}

type failure struct {
	status int
	body   string
}

// Fail makes the next request fail with a status and a body, without effect. Each further call applies to the request
// after that.
func (s *Server) Fail(status int, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures = append(s.failures, failure{status, body})
}

// Notify sets the URL to which the events of the payment page are posted.
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

// Charges returns the number of payments of a shipment.
func (s *Server) Charges(shipment string) int {
	n := 0
	for _, session := range s.Sessions() {
		if session.Shipment == shipment && session.Charged {
			n++
		}
	}
	return n
}

// Refunds returns the number of refunds of a payment.
func (s *Server) Refunds(paymentIntent string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refunds[paymentIntent]
}

// notifyTest calls the test's OnRequest function.
func (s *Server) notifyTest(r *http.Request, phase string) {
	s.mu.Lock()
	fn := s.onRequest
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

// failing removes and returns the next failure.
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
