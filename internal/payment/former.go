package payment

import (
	"context"
	"net/http"
	"strings"

	"homeward/internal/lost"
)

// Provider is a payment provider.
type Provider interface {
	Method() lost.PayBy
	Handles(by lost.PayBy) bool
	Open(ctx context.Context, b lost.CheckoutRequest) (lost.Checkout, error)
	Close(ctx context.Context, checkout string) error
	CheckoutState(ctx context.Context, checkout string) (lost.PaymentUpdate, error)
	Refund(ctx context.Context, reference string) error
	ParseEvent(header http.Header, body []byte) (lost.PaymentUpdate, bool, error)
}

// WithFormerStripe uses another provider for new payments, but still handles payments that were started with Stripe:
// it receives their events, closes their pages and refunds them. This way, no payment is lost when an operator
// switches from Stripe to another payment method.
type WithFormerStripe struct {
	Provider
	Stripe *Stripe
}

// Handles reports whether payments of a kind belong to the current provider or to Stripe.
func (f WithFormerStripe) Handles(by lost.PayBy) bool {
	return f.Provider.Handles(by) || f.Stripe.Handles(by)
}

// Close closes a page at the provider that opened it.
func (f WithFormerStripe) Close(ctx context.Context, checkout string) error {
	return f.providerOf(checkout).Close(ctx, checkout)
}

// CheckoutState requests the state of a page from the provider that opened it.
func (f WithFormerStripe) CheckoutState(ctx context.Context, checkout string) (lost.PaymentUpdate, error) {
	return f.providerOf(checkout).CheckoutState(ctx, checkout)
}

// Refund refunds a payment at the provider that received it.
func (f WithFormerStripe) Refund(ctx context.Context, reference string) error {
	return f.providerOf(reference).Refund(ctx, reference)
}

// ParseEvent decodes an event from Stripe. Other providers do not send events.
func (f WithFormerStripe) ParseEvent(header http.Header, body []byte) (lost.PaymentUpdate, bool, error) {
	return f.Stripe.ParseEvent(header, body)
}

// providerOf returns the provider that a page or payment belongs to, which it recognises by the id. Payments at the
// desk have no id.
func (f WithFormerStripe) providerOf(name string) Provider {
	if name == "" || strings.HasPrefix(name, testPage) {
		return f.Provider
	}
	return f.Stripe
}
