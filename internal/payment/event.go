package payment

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/stripe/stripe-go/v86"
	"github.com/stripe/stripe-go/v86/webhook"

	"homeward/internal/lost"
)

// maxEvent is the largest event that is accepted, in bytes. Events usually have a few thousand bytes.
const maxEvent = 1 << 20

// event holds those fields of a Stripe event that the service uses. A webhook may be configured for any API version,
// so only fields that are the same in all versions are used.
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

// ParseEvent decodes an event about a payment. The error is Forbidden if Stripe did not sign the event, or signed it
// more than five minutes ago. Events may arrive late or more than once; the caller must handle this.
func (s *Stripe) ParseEvent(header http.Header, body []byte) (update lost.PaymentUpdate, ok bool, err error) {
	if err := s.verify(header, body); err != nil {
		return update, false, err
	}
	var e event
	if err := json.Unmarshal(body, &e); err != nil {
		return update, false, unreadable()
	}
	kind, isCheckout := strings.CutPrefix(e.Type, "checkout.session.")
	if !isCheckout {
		return update, false, nil
	}
	var object session
	if err := json.Unmarshal(e.Data.Object, &object); err != nil {
		return update, false, unreadable()
	}
	state := object.state(kind)
	if state == "" || !strings.HasPrefix(object.ClientReferenceID, lost.ShipmentID+"_") {
		return update, false, nil
	}
	update, err = object.update(state)
	return update, err == nil, err
}

// update converts a session to a payment update.
func (s session) update(state lost.PaymentState) (lost.PaymentUpdate, error) {
	currency := strings.ToUpper(s.Currency)
	amount, exact := fromStripe(s.AmountTotal, currency)
	if !exact {
		return lost.PaymentUpdate{}, lost.E(lost.Unreadable, "The amount of the event is not valid in its currency.")
	}
	update := lost.PaymentUpdate{
		By: lost.PayStripe, Shipment: s.ClientReferenceID, Checkout: s.ID, State: state, Amount: amount,
		Currency: currency,
	}
	if s.PaymentIntent != nil {
		update.Reference = s.PaymentIntent.ID
	}
	return update, nil
}

// verify returns an error unless Stripe has signed the body recently. If no secret is set, it rejects all events,
// because anybody could sign with an empty secret.
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

// unreadable returns the error for an event that cannot be decoded. It has no cause, because the cause would quote
// the event.
func unreadable() error { return lost.E(lost.Unreadable, "The event cannot be read.") }

// state returns the payment state for an event type, or "" if the event is not about a payment.
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
