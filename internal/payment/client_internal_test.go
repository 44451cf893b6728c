package payment

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stripe/stripe-go/v86"
	"github.com/stripe/stripe-go/v86/webhook"

	"homeward/internal/lost"
)

// recordedCall is what Stripe would receive.
type recordedCall struct {
	Line, Version, Authorization, Type string
	Keyed                              bool
	Form                               url.Values
}

// recorder returns the URL of a server that records calls and returns a session.
func recorder(t *testing.T) (address string, calls *[]recordedCall) {
	t.Helper()
	calls = &[]recordedCall{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil {
			t.Error(err)
		}
		*calls = append(*calls, recordedCall{
			Line: r.Method + " " + r.URL.Path, Version: r.Header.Get("Stripe-Version"),
			Authorization: r.Header.Get("Authorization"), Type: r.Header.Get("Content-Type"),
			Keyed: r.Header.Get("Idempotency-Key") != "", Form: r.PostForm,
		})
		_, _ = w.Write([]byte(`{"id":"cs_1","url":"https://pay.example","status":"succeeded"}`))
	}))
	t.Cleanup(server.Close)
	return server.URL, calls
}

// TestCallsAreThoseOfStripesLibrary makes the same calls with Stripe's library and compares what arrives.
func TestCallsAreThoseOfStripesLibrary(t *testing.T) {
	address, calls := recorder(t)
	s, err := NewStripe(Options{Key: "sk_test_1", API: address})
	if err != nil {
		t.Fatal(err)
	}
	library := stripe.NewClient("sk_test_1", stripe.WithBackends(stripe.NewBackendsWithConfig(&stripe.BackendConfig{
		URL: &address, LeveledLogger: &stripe.LeveledLogger{Level: stripe.LevelNull},
	})))
	b := lost.CheckoutRequest{
		Title: "Grüner Schal & Hut", Email: "ada@example.com", Done: "https://h.example/?a=b&c=d",
	}
	b.Shipment.ID = "shp_1"
	b.Shipment.Quote.Price.Postage, b.Shipment.Quote.Price.Currency = 1140, "EUR"
	if _, err := s.Open(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	name, metadata := (*calls)[0].Form.Get("line_items[0][price_data][product_data][name]"), map[string]string{
		"shipment": "shp_1", "round": "0",
	}
	for _, err := range []error{
		failure(library.V1CheckoutSessions.Create(t.Context(), &stripe.CheckoutSessionCreateParams{
			Mode: stripe.String(stripe.CheckoutSessionModePayment), Locale: stripe.String("auto"),
			LineItems: []*stripe.CheckoutSessionCreateLineItemParams{{
				Quantity: stripe.Int64(1),
				PriceData: &stripe.CheckoutSessionCreateLineItemPriceDataParams{
					Currency: stripe.String("eur"), UnitAmount: stripe.Int64(1140),
					ProductData: &stripe.CheckoutSessionCreateLineItemPriceDataProductDataParams{
						Name: &name, Description: &b.Title,
					},
				},
			}},
			ClientReferenceID: &b.Shipment.ID, Metadata: metadata, CustomerEmail: &b.Email, SuccessURL: &b.Done,
			PaymentIntentData: &stripe.CheckoutSessionCreatePaymentIntentDataParams{
				Description: &b.Title, Metadata: metadata,
			},
			AdaptivePricing: &stripe.CheckoutSessionCreateAdaptivePricingParams{Enabled: stripe.Bool(false)},
		})),
		failure(s.CheckoutState(t.Context(), "cs_1")),
		failure(library.V1CheckoutSessions.Retrieve(t.Context(), "cs_1", nil)),
		s.Close(t.Context(), "cs_1"),
		failure(library.V1CheckoutSessions.Expire(t.Context(), "cs_1", nil)),
		s.Refund(t.Context(), "pi_1"),
		failure(library.V1Refunds.Create(t.Context(), &stripe.RefundCreateParams{
			PaymentIntent: stripe.String("pi_1"),
		})),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	if len(*calls) != 8 {
		t.Fatalf("got %d calls", len(*calls))
	}
	for i := 0; i < len(*calls); i += 2 {
		ours, theirs := (*calls)[i], (*calls)[i+1]
		if theirs.Line[:3] == "GET" {
			theirs.Type = "" // a request without a body needs no type
		}
		if diff := cmp.Diff(theirs, ours); diff != "" {
			t.Errorf("call %d differs from the library's: %s", i, diff)
		}
	}
}

func failure[T any](_ T, err error) error { return err }

// TestSignaturesAreThoseOfStripesLibrary signs with Stripe's library, also while Stripe replaces the secret.
func TestSignaturesAreThoseOfStripesLibrary(t *testing.T) {
	t.Parallel()
	s, err := NewStripe(Options{Key: "sk_test_1", WebhookSecret: "whsec_new"})
	if err != nil {
		t.Fatal(err)
	}
	body, at := []byte(`{"type":"charge.refunded"}`), time.Now()
	sign := func(secret string) string {
		return webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{
			Payload: body, Secret: secret, Timestamp: at,
		}).Header
	}
	current, former := sign("whsec_new"), sign("whsec_old")
	_, signature, _ := strings.Cut(current, ",")
	for header, want := range map[string]bool{
		current: true, former: false, former + "," + signature: true, current + ",v1=xyz,v0=00": true, "": false,
		signature: false, strings.Replace(current, "t=", "t=x", 1): false,
	} {
		err := s.verify(http.Header{"Stripe-Signature": {header}}, body)
		if (err == nil) != want {
			t.Errorf("%s: got %v, want accepted %t", header, err, want)
		}
		if theirs := webhook.ValidatePayload(body, header, "whsec_new"); (theirs == nil) != (err == nil) {
			t.Errorf("%s: the library says %v, we say %v", header, theirs, err)
		}
	}
}

// TestALockedObjectIsTriedAgain checks the one refusal that is worth a second attempt.
func TestALockedObjectIsTriedAgain(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]int{"lock_timeout": 2, "rate_limit": 1} {
		calls := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			calls++
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = w.Write([]byte(`{"error":{"code":"` + code + `"}}`))
		}))
		t.Cleanup(server.Close)
		err := newClient(server.URL, "sk_test_1").get(t.Context(), "/v1/refunds/re_1", &struct{}{})
		if !hasCode(err, code) || calls != want {
			t.Errorf("%s: got %v after %d calls, want %d", code, err, calls, want)
		}
	}
}

// TestVersionIsThatOfTheLibrary keeps the version up to date together with the library, whose types the tests use.
func TestVersionIsThatOfTheLibrary(t *testing.T) {
	t.Parallel()
	if apiVersion != stripe.APIVersion {
		t.Errorf("got %s, want %s", apiVersion, stripe.APIVersion)
	}
}
