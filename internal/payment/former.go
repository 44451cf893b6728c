package payment

import (
	"context"
	"net/http"
	"strings"

	"homeward/internal/lost"
)

// Provider takes payments in one way.
type Provider interface {
	Method() lost.PayBy
	Handles(by lost.PayBy) bool
	Open(ctx context.Context, b lost.CheckoutRequest) (lost.Checkout, error)
	Close(ctx context.Context, checkout string) error
	CheckoutState(ctx context.Context, checkout string) (lost.PaymentUpdate, error)
	Refund(ctx context.Context, reference string) error
	ParseEvent(header http.Header, body []byte) (lost.PaymentUpdate, bool, error)
}

// Former takes payments through one provider, and still handles those that were started with
// Stripe: it receives their events, closes their pages and refunds them. So no payment is lost when
// an operator changes how guests pay.
type Former struct {
	Provider
	Stripe *Stripe
}

// Handles reports whether a payment belongs to the provider or to Stripe.
func (f Former) Handles(by lost.PayBy) bool { return f.Provider.Handles(by) || f.Stripe.Handles(by) }

// Close closes a page at the provider that opened it.
func (f Former) Close(ctx context.Context, checkout string) error {
	return f.providerOf(checkout).Close(ctx, checkout)
}

// CheckoutState asks for the state of a page.
func (f Former) CheckoutState(ctx context.Context, checkout string) (lost.PaymentUpdate, error) {
	return f.providerOf(checkout).CheckoutState(ctx, checkout)
}

// Refund refunds a payment at the provider that received it.
func (f Former) Refund(ctx context.Context, reference string) error {
	return f.providerOf(reference).Refund(ctx, reference)
}

// ParseEvent decodes an event of Stripe. No other provider sends events.
func (f Former) ParseEvent(header http.Header, body []byte) (lost.PaymentUpdate, bool, error) {
	return f.Stripe.ParseEvent(header, body)
}

// providerOf returns the provider of a page or a payment, by its id. The desk's payments have no id.
func (f Former) providerOf(name string) Provider {
	if name == "" || strings.HasPrefix(name, testPage) {
		return f.Provider
	}
	return f.Stripe
}
