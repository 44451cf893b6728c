package payment

import (
	"context"

	"github.com/stripe/stripe-go/v86"

	"homeward/internal/lost"
)

// Refund refunds the remaining amount of a payment: the desk may already have refunded a part of it at Stripe. If it
// is called again for the same reference, it does nothing. A page with nothing to pay has no reference and needs no
// refund.
//
// The request has no amount, because the full amount would be too much after a partial refund. It has no idempotency
// key, because Stripe would repeat a refusal for a day, and recognises a repeated refund by the payment.
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
		return lost.E(lost.Unavailable, "Stripe did not make a refund.")
	case made.Status == stripe.RefundStatusFailed || made.Status == stripe.RefundStatusCanceled:
		return lost.E(lost.Invalid, "Stripe could not refund the payment: %s",
			line(firstOf(string(made.FailureReason), "no reason was given"), maxQuoted))
	default:
		return nil
	}
}
