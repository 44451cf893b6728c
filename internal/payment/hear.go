package payment

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/stripe/stripe-go/v86"
	"github.com/stripe/stripe-go/v86/webhook"

	"homeward/internal/lost"
)

// maxEvent bounds what is read of an event, in bytes. Stripe's have a few thousand.
const maxEvent = 1 << 20

// event is what matters of Stripe's: an endpoint may be set to any version of its API, and these fields are in all of them.
type event struct {
	Type string `json:"type"`
	Data struct {
		Object json.RawMessage `json:"object"`
	} `json:"data"`
}

type session struct {
	ID                string                `json:"id"`
	ClientReferenceID string                `json:"client_reference_id"`
	PaymentStatus     string                `json:"payment_status"`
	PaymentIntent     *stripe.PaymentIntent `json:"payment_intent"`
	AmountTotal       int64                 `json:"amount_total"`
	Currency          string                `json:"currency"`
}

// Hear reads what Stripe tells of a payment. A Forbidden error is one that Stripe did not write, or wrote more than five minutes
// ago. Of what Stripe tells it twice, or late, nothing is known here: that is for the shipment to judge.
func (s *Stripe) Hear(header http.Header, body []byte) (news lost.PaymentNews, ours bool, err error) {
	if err := s.verify(header, body); err != nil {
		return news, false, err
	}
	var e event
	if err := json.Unmarshal(body, &e); err != nil {
		return news, false, unreadable()
	}
	kind, ofCheckout := strings.CutPrefix(e.Type, "checkout.session.")
	if !ofCheckout {
		return news, false, nil
	}
	var about session
	if err := json.Unmarshal(e.Data.Object, &about); err != nil {
		return news, false, unreadable()
	}
	state := about.state(kind)
	if state == "" || !strings.HasPrefix(about.ClientReferenceID, lost.ShipmentID+"_") {
		return news, false, nil
	}
	news, err = about.news(state)
	return news, err == nil, err
}

// news tells of a session in our words.
func (s session) news(state lost.PaymentState) (lost.PaymentNews, error) {
	currency := strings.ToUpper(s.Currency)
	amount, exact := fromStripe(s.AmountTotal, currency)
	if !exact {
		return lost.PaymentNews{}, lost.E(lost.Unreadable, "The event tells of an amount that its currency does not have.")
	}
	news := lost.PaymentNews{By: lost.PayStripe, Shipment: s.ClientReferenceID, Checkout: s.ID, State: state, Amount: amount, Currency: currency}
	if s.PaymentIntent != nil {
		news.Reference = s.PaymentIntent.ID
	}
	return news, nil
}

// verify checks that Stripe wrote a body, and lately. An endpoint without a secret believes nobody: with an empty one
// everybody could sign.
func (s *Stripe) verify(header http.Header, body []byte) error {
	forged := lost.E(lost.Forbidden, "The event is not signed by Stripe.")
	if s.options.WebhookSecret == "" || len(body) > maxEvent {
		return forged
	}
	if err := webhook.ValidatePayload(body, header.Get("Stripe-Signature"), s.options.WebhookSecret); err != nil {
		return forged.Because(err)
	}
	return nil
}

// The cause is not told: it would quote the body.
func unreadable() error { return lost.E(lost.Unreadable, "The event cannot be read.") }

// state tells what an event says of a session; empty where it says nothing of a payment.
func (s session) state(kind string) lost.PaymentState {
	switch kind {
	case "completed":
		free := s.PaymentStatus == string(stripe.CheckoutSessionPaymentStatusNoPaymentRequired) && s.AmountTotal == 0
		if free || s.PaymentStatus == string(stripe.CheckoutSessionPaymentStatusPaid) {
			return lost.PaymentPaid
		}
		return lost.PaymentWaiting
	case "async_payment_succeeded":
		return lost.PaymentPaid
	case "async_payment_failed":
		return lost.PaymentFailed
	case "expired":
		return lost.PaymentExpired
	default:
		return ""
	}
}
