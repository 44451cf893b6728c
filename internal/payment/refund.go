package payment

import (
	"context"

	"github.com/stripe/stripe-go/v86"

	"homeward/internal/lost"
)

// Refund gives a payment back, whole: whatever of it the desk has not given back at Stripe itself. Done again for the same
// reference, it gives nothing. A page on which nothing was to be paid has no reference, and nothing to give back.
//
// No amount is sent along: what came back already would make it too much. Nor is a name by which Stripe would remember the request: it
// would remember a refusal for a day, too, and what was given back it knows by the payment itself.
func (s *Stripe) Refund(ctx context.Context, reference string) error {
	if reference == "" {
		return nil
	}
	ctx, cancel := soon(ctx)
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
		return lost.E(lost.Invalid, "Stripe could not give the payment back: %s", line(firstOf(string(made.FailureReason), "no reason was given"), maxQuoted))
	default:
		return nil
	}
}
