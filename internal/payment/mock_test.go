package payment_test

import (
	"net/http"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/payment"
	"homeward/internal/payment/stripetest"
)

// Stripe's mock rejects parameters that do not match Stripe's OpenAPI description.
func TestStripesOwnMockAcceptsEveryRequest(t *testing.T) {
	t.Parallel()
	mock := stripetest.Mock(t)
	s := stripeAt(t, payment.Options{Key: "sk_test_123", WebhookSecret: "whsec_123", API: mock})
	bare := bill()
	bare.Title = ""
	bare.Email = ""
	bare.Language = ""
	bare.Back = ""
	bare.Shipment.Quote.Price.Handling = 0
	for _, b := range []lost.CheckoutRequest{bill(), bare} {
		if c := opened(t, s, b); c.ID == "" || c.URL == "" {
			t.Errorf("got %+v", c)
		}
	}
	for _, language := range []string{"de", "fr-CA", "zh-Hant-HK", "no", "uk"} {
		b := bill()
		b.Language = language
		opened(t, s, b)
	}
	if err := s.Close(t.Context(), "cs_test_1"); err != nil {
		t.Error(err)
	}
	if err := s.Refund(t.Context(), "pi_1"); err != nil {
		t.Error(err)
	}
	checkMock(t, mock)
}

// checkMock checks that the mock accepts a valid request and rejects an invalid one.
func checkMock(t *testing.T, mock string) {
	t.Helper()
	for form, want := range map[string]int{
		"payment_intent=pi_1": http.StatusOK, "payment_intent=pi_1&nonsense=1": http.StatusBadRequest,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, mock+"/v1/refunds", strings.NewReader(form))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer sk_test_123")
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%s: got %d, want %d", form, res.StatusCode, want)
		}
	}
}
