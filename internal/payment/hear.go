package payment

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/stripe/stripe-go/v86"
	"github.com/stripe/stripe-go/v86/webhook"

	"homeward/internal/lost"
)

// maxEvent is the largest size of an event, in bytes. Stripe's have a few thousand.
const maxEvent = 1 << 20

// event holds the fields of Stripe's events that are used. Every version of its API has them, and
// an endpoint may be set to any version.
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

// ParseEvent decodes an event about a payment. A Forbidden error means that Stripe did not sign it, or
// signed it more than five minutes ago. Events may arrive twice or late; the shipment handles that.
func (s *Stripe) ParseEvent(header http.Header, body []byte) (news lost.PaymentUpdate, ours bool, err error) {
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

// news converts a session.
func (s session) news(state lost.PaymentState) (lost.PaymentUpdate, error) {
	currency := strings.ToUpper(s.Currency)
	amount, exact := fromStripe(s.AmountTotal, currency)
	if !exact {
		return lost.PaymentUpdate{}, lost.E(lost.Unreadable, "The amount of the event is not possible in its currency.")
	}
	news := lost.PaymentUpdate{
		By: lost.PayStripe, Shipment: s.ClientReferenceID, Checkout: s.ID, State: state, Amount: amount,
		Currency: currency,
	}
	if s.PaymentIntent != nil {
		news.Reference = s.PaymentIntent.ID
	}
	return news, nil
}

// verify checks that Stripe signed a body, and recently. Without a secret every event is refused,
// because with an empty one anybody could sign.
func (s *Stripe) verify(header http.Header, body []byte) error {
	forged := lost.E(lost.Forbidden, "The event is not signed by Stripe.")
	if s.options.WebhookSecret == "" || len(body) > maxEvent {
		return forged
	}
	if err := webhook.ValidatePayload(body, header.Get("Stripe-Signature"), s.options.WebhookSecret); err != nil {
		return forged.WithCause(err)
	}
	return nil
}

// unreadable does not wrap the cause, because that would quote the body.
func unreadable() error { return lost.E(lost.Unreadable, "The event cannot be read.") }

// state returns what an event says about a session; empty if it is not about a payment.
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
