package payment_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"homeward/internal/lost"
	"homeward/internal/payment"
	"homeward/internal/payment/stripetest"
)

func paid(t *testing.T, server *stripetest.Server, s *payment.Stripe) (reference string) {
	t.Helper()
	c := opened(t, s, bill())
	server.Pay(c.ID)
	return server.Sessions()[0].PaymentIntent
}

func TestAPaymentIsRefundedOnce(t *testing.T) {
	server, s := newStripe(t)
	reference := paid(t, server, s)
	for range 3 {
		if err := s.Refund(t.Context(), reference); err != nil {
			t.Fatal(err)
		}
	}
	if n := server.Refunds(reference); n != 1 || server.Charges(shipment) != 1 {
		t.Errorf("refunded %d times, %d charges", n, server.Charges(shipment))
	}
}

func TestRefundAlreadyMadeAtStripeSucceeds(t *testing.T) {
	server, s := newStripe(t)
	server.Fail(http.StatusBadRequest,
		`{"error":{"type":"invalid_request_error","code":"charge_already_refunded",`+
			`"message":"Charge ch_1 has already been refunded."}}`)
	if err := s.Refund(t.Context(), "pi_1"); err != nil {
		t.Error(err)
	}
}

func TestRefundIsMadeOnceAfterALostResponse(t *testing.T) {
	t.Parallel()
	server, s := newStripe(t)
	reference := paid(t, server, s)
	var once sync.Once
	server.OnRequest(func(_, _, phase string) {
		if phase == "after" {
			once.Do(func() { panic(http.ErrAbortHandler) })
		}
	})
	if err := s.Refund(t.Context(), reference); err != nil || server.Refunds(reference) != 1 {
		t.Errorf("refunded %d times: %v", server.Refunds(reference), err)
	}
}

func TestWithoutAPaymentNothingIsRefunded(t *testing.T) {
	server, s := newStripe(t)
	if err := s.Refund(t.Context(), ""); err != nil || len(server.Requests()) != 0 {
		t.Error(err, server.Requests())
	}
}

// refusal is an error response from Stripe, and the error that we expect for it.
type refusal struct {
	status int
	body   string
	want   lost.Code
	text   string
}

func refusals() []refusal {
	long := strings.Repeat("and so on ", 500)
	return []refusal{
		{
			400,
			`{"error":{"type":"invalid_request_error","code":"charge_disputed","message":"The charge was disputed."}}`,
			lost.Invalid, "The charge was disputed.",
		},
		{
			402, `{"error":{"type":"card_error","code":"insufficient_funds","message":"Insufficient funds."}}`,
			lost.Invalid, "Insufficient funds.",
		},
		{
			404,
			`{"error":{"type":"invalid_request_error","code":"resource_missing",` +
				`"message":"No such payment_intent: 'pi_1'"}}`, lost.Invalid, "No such payment_intent: 'pi_1'",
		},
		{400, `{"error":{"type":"invalid_request_error","message":"` + long + `"}}`, lost.Invalid, "and so on"},
		{400, `{"error":{"type":"invalid_request_error","code":"amount_too_small"}}`, lost.Invalid, "amount_too_small"},
		{
			400,
			`{"error":{"type":"invalid_request_error",` +
				`"message":"Secretkey SECRET and sk_live_other, ada@example.com, https://x.example/y"}}`,
			lost.Invalid, "Secretkey",
		},
		{
			401, `{"error":{"type":"invalid_request_error","message":"Invalid API Key provided: SECRET"}}`,
			lost.Unavailable, "Invalid API Key",
		},
		{
			403,
			`{"error":{"type":"invalid_request_error",` +
				`"message":"The provided key 'rk_live_1' does not have the required permissions"}}`,
			lost.Unavailable, "permissions",
		},
		{
			409,
			`{"error":{"type":"idempotency_error","code":"idempotency_key_in_use",` +
				`"message":"There is another request"}}`, lost.Unavailable, "another request",
		},
		{
			429, `{"error":{"type":"invalid_request_error","code":"rate_limit","message":"Too many"}}`,
			lost.Unavailable, "429",
		},
		{500, `{"error":{"type":"api_error","message":"Sorry"}}`, lost.Unavailable, "500"},
		{503, `{"error":{"type":"api_error","message":"Sorry"}}`, lost.Unavailable, "503"},
		{302, `{}`, lost.Unavailable, ""},
		{200, `{}`, lost.Unavailable, ""},
		{
			200, `{"id":"re_1","status":"failed","failure_reason":"lost_or_stolen_card"}`, lost.Invalid,
			"lost_or_stolen_card",
		},
		{200, `{"id":"re_1","status":"pending"}`, "", ""},
		{200, `{"id":"re_1","status":"requires_action"}`, "", ""},
	}
}

func TestPermanentAndTemporaryRefusalsAreDistinguished(t *testing.T) {
	for _, c := range refusals() {
		server, s := newStripe(t)
		server.Fail(c.status, strings.ReplaceAll(c.body, "SECRET", server.Key))
		err := s.Refund(t.Context(), "pi_1")
		if c.want == "" {
			if err != nil {
				t.Errorf("%d %.60s: %v", c.status, c.body, err)
			}
			continue
		}
		text := fmt.Sprint(err)
		if err == nil || lost.CodeOf(err) != c.want || !strings.Contains(text, c.text) ||
			utf8.RuneCountInString(text) > 350 {
			t.Errorf("%d %.60s: got %v, want %s with %q", c.status, c.body, err, c.want, c.text)
		}
		for _, private := range []string{server.Key, "sk_live", "rk_live", "ada@", "x.example"} {
			if strings.Contains(text, private) {
				t.Errorf("%d %.60s: contains %q", c.status, c.body, text)
			}
		}
	}
}

// Stripe's library retries each of these requests once, after half a second.
func TestResponsesNotFromStripeAreNotQuoted(t *testing.T) {
	for _, body := range []string{"<html>secretword", `{"secretword":1}`, `"secretword`, "", `{"error":"secretword"}`} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			server, s := newStripe(t)
			server.Fail(http.StatusBadGateway, body)
			server.Fail(http.StatusBadGateway, body)
			err := s.Refund(t.Context(), "pi_1")
			if lost.CodeOf(err) != lost.Unavailable || strings.Contains(err.Error(), "secretword") {
				t.Errorf("%q: %v", body, err)
			}
			if n := len(server.Requests()); n > 2 {
				t.Errorf("%q: got %d requests", body, n)
			}
		})
	}
}

func TestATooSmallAmountIsRefusedWithStripesText(t *testing.T) {
	_, s := newStripe(t)
	b := bill()
	b.Shipment.Quote.Price = lost.Price{Postage: 20, Currency: "EUR"}
	if _, err := s.Open(t.Context(), b); lost.CodeOf(err) != lost.Invalid ||
		!strings.Contains(err.Error(), "at least 50 cents") {
		t.Errorf("got %v", err)
	}
}
