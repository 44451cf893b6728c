package payment

import (
	"context"
	"net/url"

	"homeward/internal/lost"
)

// Refund refunds a payment. If staff have already refunded a part of it in Stripe's dashboard, it refunds the rest.
// If it is called again with the same reference, it does nothing. It also does nothing if reference is empty, because
// then the guest paid nothing.
//
// The request contains no amount, because the full amount would be too much after a partial refund. Each
// call has an idempotency key of its own: with the same key, Stripe would repeat an error response for a day, and even
// with another key it refunds a payment only once.
func (s *Stripe) Refund(ctx context.Context, reference string) error {
	if reference == "" {
		return nil
	}
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	var made struct {
		ID            string
		Status        string
		FailureReason string `json:"failure_reason"`
	}
	err := s.client.post(ctx, "/v1/refunds", url.Values{"payment_intent": {reference}}, "", &made)
	switch {
	case hasCode(err, "charge_already_refunded"):
		return nil
	case err != nil:
		return s.refusal(err)
	case made.ID == "":
		return lost.E(lost.Unavailable, "Stripe did not refund the payment.")
	case made.Status == "failed" || made.Status == "canceled":
		return lost.E(lost.Invalid, "Stripe could not refund the payment: %s",
			line(firstOf(made.FailureReason, "no reason was given"), maxQuoted))
	default:
		return nil
	}
}
