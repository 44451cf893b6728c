package payment

import (
	"context"

	"github.com/stripe/stripe-go/v86"

	"homeward/internal/lost"
)

// Refund refunds a payment completely, except for what the desk has already refunded at Stripe.
// Repeated for the same reference, it does nothing. A page without anything to pay has no
// reference, and nothing to refund.
//
// No amount is sent, because after a partial refund it would be too much. No idempotency key is
// sent either: Stripe would repeat a refusal for a day, and it recognises a repeated refund by the
// payment.
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
		return lost.E(lost.Unavailable, "Stripe made no refund.")
	case made.Status == stripe.RefundStatusFailed || made.Status == stripe.RefundStatusCanceled:
		return lost.E(lost.Invalid, "Stripe could not refund the payment: %s",
			line(firstOf(string(made.FailureReason), "no reason was given"), maxQuoted))
	default:
		return nil
	}
}
