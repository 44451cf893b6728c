package payment_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/payment"
)

func TestKeyIsOnlySentToStripe(t *testing.T) {
	var reached atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(other.Close)
	api := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	t.Cleanup(api.Close)
	s := stripeAt(t, payment.Options{Key: "sk_test_1", API: api.URL})
	if _, err := s.Open(t.Context(), bill()); lost.CodeOf(err) != lost.Unavailable || reached.Load() != 0 {
		t.Errorf("%d requests were sent to another host: %v", reached.Load(), err)
	}
}

func TestAKeyOfAnyFormIsNotQuoted(t *testing.T) {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":{"type":"invalid_request_error","message":"Wrong: ` +
			r.Header.Get("Authorization") + `"}}`))
	}))
	t.Cleanup(api.Close)
	s := stripeAt(t, payment.Options{Key: "unusual-key", API: api.URL})
	if err := s.Refund(t.Context(), "pi_1"); lost.CodeOf(err) != lost.Invalid ||
		strings.Contains(err.Error(), "unusual-key") {
		t.Errorf("got %v", err)
	}
}

func TestResponseSizeIsLimited(t *testing.T) {
	server, s := newStripe(t)
	server.Fail(http.StatusOK, `{"id":"re_1","status":"succeeded","more":"`+strings.Repeat("x", 2<<20)+`"}`)
	if err := s.Refund(t.Context(), "pi_1"); lost.CodeOf(err) != lost.Unavailable {
		t.Errorf("got %v", err)
	}
}

// By default, Stripe's library reports the duration of each request to Stripe, and writes Stripe's responses to
// standard error.
func TestNothingIsLoggedOrReportedToStripe(t *testing.T) {
	var telemetry atomic.Int32
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Stripe-Client-Telemetry") != "" {
			telemetry.Add(1)
		}
		w.Header().Set("Request-Id", "req_1")
		if r.FormValue("payment_intent") == "pi_good" {
			_, _ = w.Write([]byte(`{"id":"re_1","status":"succeeded"}`))
			return
		}
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":{"type":"invalid_request_error","message":"ada@example.com"}}`))
	}))
	t.Cleanup(api.Close)
	terminal, err := os.Create(filepath.Join(t.TempDir(), "terminal"))
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	before := os.Stderr
	os.Stderr = terminal
	defer func() { os.Stderr = before }()
	s := stripeAt(t, payment.Options{Key: "sk_test_1", API: api.URL})
	for _, reference := range []string{"pi_good", "pi_good", "pi_bad", "pi_good"} {
		_ = s.Refund(t.Context(), reference)
	}
	logged, err := os.ReadFile(terminal.Name())
	if err != nil || len(logged) > 0 || telemetry.Load() > 0 {
		t.Errorf("logged %q, %d requests with telemetry: %v", logged, telemetry.Load(), err)
	}
}
