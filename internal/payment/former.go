package payment

import (
	"context"
	"net/http"
	"strings"

	"homeward/internal/lost"
)

// Till is what takes payments, one way or another.
type Till interface {
	By() lost.PayBy
	Knows(by lost.PayBy) bool
	Open(ctx context.Context, b lost.Bill) (lost.Checkout, error)
	Close(ctx context.Context, checkout string) error
	Look(ctx context.Context, checkout string) (lost.PaymentNews, error)
	Refund(ctx context.Context, reference string) error
	Hear(header http.Header, body []byte) (lost.PaymentNews, bool, error)
}

// Former takes payments one way, and still hears of those that were begun with Stripe, closes their pages and gives them back: whoever
// changes how guests pay leaves nobody's money behind.
type Former struct {
	Till
	Stripe *Stripe
}

// Knows tells that payments by Stripe are known too.
func (f Former) Knows(by lost.PayBy) bool { return f.Till.Knows(by) || f.Stripe.Knows(by) }

// Close closes a page, whoever opened it.
func (f Former) Close(ctx context.Context, checkout string) error {
	return f.of(checkout).Close(ctx, checkout)
}

// Look asks what became of a page.
func (f Former) Look(ctx context.Context, checkout string) (lost.PaymentNews, error) {
	return f.of(checkout).Look(ctx, checkout)
}

// Refund gives a payment back where it was made.
func (f Former) Refund(ctx context.Context, reference string) error {
	return f.of(reference).Refund(ctx, reference)
}

// Hear reads what Stripe tells. Nobody else does.
func (f Former) Hear(header http.Header, body []byte) (lost.PaymentNews, bool, error) {
	return f.Stripe.Hear(header, body)
}

// of tells who a page or a payment belongs to, by its name. A desk's payments have none.
func (f Former) of(name string) Till {
	if name == "" || strings.HasPrefix(name, testPage) {
		return f.Till
	}
	return f.Stripe
}
