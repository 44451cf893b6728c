package payment

import (
	"context"
	"net/http"
	"strings"

	"homeward/internal/lost"
)

// Provider takes payments in one way.
type Till interface {
	By() lost.PayBy
	Knows(by lost.PayBy) bool
	Open(ctx context.Context, b lost.Bill) (lost.Checkout, error)
	Close(ctx context.Context, checkout string) error
	Look(ctx context.Context, checkout string) (lost.PaymentNews, error)
	Refund(ctx context.Context, reference string) error
	Hear(header http.Header, body []byte) (lost.PaymentNews, bool, error)
}

// Former takes payments through one provider, and still handles those that were started with
// Stripe: it receives their events, closes their pages and refunds them. So no payment is lost when
// an operator changes how guests pay.
type Former struct {
	Till
	Stripe *Stripe
}

// Knows reports whether a payment belongs to the provider or to Stripe.
func (f Former) Knows(by lost.PayBy) bool { return f.Till.Knows(by) || f.Stripe.Knows(by) }

// Close closes a page at the provider that opened it.
func (f Former) Close(ctx context.Context, checkout string) error {
	return f.providerOf(checkout).Close(ctx, checkout)
}

// Look asks for the state of a page.
func (f Former) Look(ctx context.Context, checkout string) (lost.PaymentNews, error) {
	return f.providerOf(checkout).Look(ctx, checkout)
}

// Refund refunds a payment at the provider that received it.
func (f Former) Refund(ctx context.Context, reference string) error {
	return f.providerOf(reference).Refund(ctx, reference)
}

// Hear decodes an event of Stripe. No other provider sends events.
func (f Former) Hear(header http.Header, body []byte) (lost.PaymentNews, bool, error) {
	return f.Stripe.Hear(header, body)
}

// providerOf returns the provider of a page or a payment, by its id. The desk's payments have no id.
func (f Former) providerOf(name string) Till {
	if name == "" || strings.HasPrefix(name, testPage) {
		return f.Till
	}
	return f.Stripe
}
