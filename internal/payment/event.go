package payment

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"homeward/internal/lost"
)

const (
	// maxEvent is the largest event that is accepted, in bytes. Events usually have a few thousand bytes.
	maxEvent = 1 << 20
	// maxEventAge limits how long after signing an event is accepted, so that a recorded one is useless.
	maxEventAge = 5 * time.Minute
)

// event holds those fields of a Stripe event that the service uses. A webhook may be configured for any API version,
// so only fields that are the same in all versions are used.
type event struct {
	Type string `json:"type"`
	Data struct {
		Object json.RawMessage `json:"object"`
	} `json:"data"`
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
	var object checkoutSession
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
func (s checkoutSession) update(state lost.PaymentState) (lost.PaymentUpdate, error) {
	currency := strings.ToUpper(s.Currency)
	amount, exact := fromStripe(s.AmountTotal, currency)
	if !exact {
		return lost.PaymentUpdate{}, lost.E(lost.Unreadable, "The amount of the event is not valid in its currency.")
	}
	return lost.PaymentUpdate{
		By: lost.PayStripe, Shipment: s.ClientReferenceID, Checkout: s.ID, State: state, Amount: amount,
		Currency: currency, Reference: string(s.PaymentIntent),
	}, nil
}

// verify returns an error unless Stripe has signed the body recently. If no secret is set, it rejects all events,
// because anybody could sign with an empty secret.
func (s *Stripe) verify(header http.Header, body []byte) error {
	forged := lost.E(lost.Forbidden, "The event is not signed by Stripe.")
	if s.options.WebhookSecret == "" || len(body) > maxEvent {
		return forged
	}
	signed, signatures, err := parseSignature(header.Get("Stripe-Signature"))
	switch {
	case err != nil:
		return forged.WithCause(err)
	case time.Since(signed) > maxEventAge:
		return forged.WithCause(errors.New("the signature is too old"))
	}
	mac := hmac.New(sha256.New, []byte(s.options.WebhookSecret))
	_, _ = fmt.Fprintf(mac, "%d.%s", signed.Unix(), body) // a hash returns no error
	want := mac.Sum(nil)
	if !slices.ContainsFunc(signatures, func(given []byte) bool { return hmac.Equal(given, want) }) {
		return forged.WithCause(errors.New("no signature fits"))
	}
	return nil
}

// parseSignature decodes a signature header such as t=1495999758,v1=5257a8… It has several signatures of version v1
// while Stripe replaces the secret, and may have signatures of other versions, which are ignored.
func parseSignature(header string) (signed time.Time, signatures [][]byte, err error) {
	for part := range strings.SplitSeq(header, ",") {
		name, value, found := strings.Cut(part, "=")
		switch {
		case !found || strings.Contains(value, "="):
			return signed, nil, errors.New("the signature cannot be read")
		case name == "t":
			seconds, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				return signed, nil, errors.New("the time of the signature cannot be read")
			}
			signed = time.Unix(seconds, 0)
		case name == "v1":
			if given, err := hex.DecodeString(value); err == nil {
				signatures = append(signatures, given)
			}
		}
	}
	return signed, signatures, nil
}

// unreadable returns the error for an event that cannot be decoded. It has no cause, because the cause would quote
// the event.
func unreadable() error { return lost.E(lost.Unreadable, "The event cannot be read.") }

// state returns the payment state for an event type, or "" if the event is not about a payment.
func (s checkoutSession) state(kind string) lost.PaymentState {
	switch kind {
	case "completed":
		free := s.PaymentStatus == "no_payment_required" && s.AmountTotal == 0
		if free || s.PaymentStatus == "paid" {
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
