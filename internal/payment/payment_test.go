package payment_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/payment"
	"homeward/internal/payment/stripetest"
)

const shipment = "shp_01jcrq8ksyf6xtz7s2n3v4w5x6"

func bill() lost.CheckoutRequest {
	return lost.CheckoutRequest{
		Shipment: lost.Shipment{
			ID:    shipment,
			Quote: lost.Quote{Service: "Parcel", Price: lost.Price{Postage: 890, Handling: 250, Currency: "EUR"}},
		},
		Round: 1, Title: "Black umbrella, Hotel Alpenblick", Email: "ada@example.com", Language: "en",
		Done: "https://homeward.example/g/token?paid", Back: "https://homeward.example/g/token",
	}
}

func newStripe(t *testing.T) (*stripetest.Server, *payment.Stripe) {
	t.Helper()
	server := stripetest.New(t)
	return server, stripeAt(t, payment.Options{Key: server.Key, WebhookSecret: server.Secret, API: server.URL})
}

func stripeAt(t *testing.T, o payment.Options) *payment.Stripe {
	t.Helper()
	s, err := payment.NewStripe(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func opened(t *testing.T, s payment.Provider, b lost.CheckoutRequest) lost.Checkout {
	t.Helper()
	c, err := s.Open(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestADeskThatCollectsTheFeeHasNoPage(t *testing.T) {
	var s payment.Provider = payment.None{}
	if _, err := s.Open(t.Context(), bill()); err == nil || lost.CodeOf(err) != lost.Internal {
		t.Errorf("got %v, want an internal error", err)
	}
	if s.Method() != lost.PayDesk || s.Close(t.Context(), "any") != nil || s.Refund(t.Context(), "any") != nil {
		t.Error("Close or Refund did something")
	}
	// ParseEvent returns an error, so that the operator notices that events are sent here by mistake.
	if _, ok, err := s.ParseEvent(http.Header{}, []byte("{}")); ok || lost.CodeOf(err) != lost.NotFound {
		t.Error(ok, err)
	}
}

func TestTestPaymentsUseTheBuiltInPage(t *testing.T) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	var s payment.Provider = payment.Test{Now: func() time.Time { return now }}
	first, again := opened(t, s, bill()), opened(t, s, bill())
	if want := (lost.Checkout{ID: "test_" + shipment + "1", ExpiresAt: now.Add(24 * time.Hour)}); first != want ||
		again != want {
		t.Errorf("got %v and %v, want %v", first, again, want)
	}
	next := bill()
	next.Round = 2
	if opened(t, s, next).ID == first.ID {
		t.Error("two rounds have the same page")
	}
	if s.Method() != lost.PayTest || s.Close(t.Context(), first.ID) != nil || s.Refund(t.Context(), "any") != nil {
		t.Error("Close or Refund did something")
	}
	// ParseEvent returns an error, so that the operator notices that events are sent here by mistake.
	if _, ok, err := s.ParseEvent(http.Header{}, []byte("{}")); ok || lost.CodeOf(err) != lost.NotFound {
		t.Error(ok, err)
	}
}

func TestStripeNeedsAKeyAndAURL(t *testing.T) {
	for _, o := range []payment.Options{
		{},
		{Key: "sk_test_secretword", API: "stripe.example"},
		{Key: "sk_test_secretword", API: "ftp://stripe.example"},
		{Key: "sk_test_secretword", API: "https://user:secretword@stripe.example"},
		{Key: "sk_test_secretword", API: "https://\x00secretword"},
	} {
		if _, err := payment.NewStripe(o); err == nil || strings.Contains(err.Error(), "secretword") {
			t.Errorf("%q: %v", o.API, err)
		}
	}
	if s := stripeAt(t, payment.Options{Key: "sk_test_1"}); s.Method() != lost.PayStripe {
		t.Error(s.Method())
	}
}
