// Package stripetest is a fake Stripe server for tests.
//
// New starts a server. It keeps state and implements the part of Stripe's API that the service uses (checkout
// sessions, refunds, idempotency keys, errors). It also has a payment page, and creates the events that Stripe would
// send, signed with Stripe's official library. Mock starts Stripe's official mock, which is stateless but validates
// every parameter.
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

// Server is a fake Stripe server that keeps state. Its methods are safe for concurrent use.
type Server struct {
	URL    string // the URL of the API and the payment pages
	Key    string // the valid API key
	Secret string // the webhook secret that signs events

	mu        sync.Mutex
	numbered  int
	sessions  map[string]*Session
	order     []string
	refunds   map[string]int // number of refunds by payment intent
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

// name returns a new id that is as long as Stripe's ids.
func (s *Server) name(prefix string) string {
	s.numbered++
	return fmt.Sprintf("%s_%024d", prefix, s.numbered)
}

// OnRequest sets a function that is called twice for each request with the valid key: in the phase "before", before
// the request is processed, and in the phase "after", after it was processed but before the response is sent. The
// function may block, kill the client, or panic with http.ErrAbortHandler to drop the response.
func (s *Server) OnRequest(fn func(method, path, phase string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onRequest = fn
}

// Hang blocks every request before it is processed, until the channel is closed. If the client has disconnected by
// then, the request is not processed.
func (s *Server) Hang(until <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hang = until
}

type failure struct {
	status int
	body   string
}

// Fail makes the next request fail with a status and a body, without being processed. If Fail is called several
// times, each call applies to one more request.
func (s *Server) Fail(status int, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures = append(s.failures, failure{status, body})
}

// Notify sets the URL to which events are posted when somebody pays on the payment page.
func (s *Server) Notify(url string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notify = url
}

// Requests lists the method, path and idempotency key of each request.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Sessions lists the sessions, oldest first.
func (s *Server) Sessions() []Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Session
	for _, id := range s.order {
		all = append(all, *s.sessions[id])
	}
	return all
}

// Charges returns the number of payments for a shipment.
func (s *Server) Charges(shipment string) int {
	n := 0
	for _, session := range s.Sessions() {
		if session.Shipment == shipment && session.Charged {
			n++
		}
	}
	return n
}

// Refunds returns how often a payment was refunded.
func (s *Server) Refunds(paymentIntent string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refunds[paymentIntent]
}

// notifyTest calls the function that the test has set with OnRequest.
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

// failing removes and returns the next failure that was set with Fail.
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
