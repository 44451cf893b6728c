package payment

import (
	"context"

	"github.com/stripe/stripe-go/v86"

	"homeward/internal/lost"
)

// Refund refunds a payment. If staff have already refunded a part of it in Stripe's dashboard, it refunds the rest.
// If it is called again with the same reference, it does nothing. It also does nothing if reference is empty, because
// then the guest paid nothing.
//
// The request contains no amount, because the full amount would be too much after a partial refund. It has no
// idempotency key: with a key, Stripe would repeat an error response for a day, and even without a key it refunds a
// payment only once.
func (s *Stripe) Refund(ctx context.Context, reference string) error {
	if reference == "" {
		return nil
	}
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	refund := &stripe.RefundCreateParams{PaymentIntent: &reference}
	made, err := s.client.V1Refunds.Create(ctx, refund)
	switch {
	case hasCode(err, stripe.ErrorCodeChargeAlreadyRefunded):
		return nil
	case err != nil:
		return s.refusal(err)
	case made.ID == "":
		return lost.E(lost.Unavailable, "Stripe did not refund the payment.")
	case made.Status == stripe.RefundStatusFailed || made.Status == stripe.RefundStatusCanceled:
		return lost.E(lost.Invalid, "Stripe could not refund the payment: %s",
			line(firstOf(string(made.FailureReason), "no reason was given"), maxQuoted))
	default:
		return nil
	}
}
