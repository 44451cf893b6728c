// Package payment collects the fee for a shipment: with Stripe's checkout page, with a built-in test page, or not at
// all if the desk collects it.
//
// Opening a page twice for the same round returns the same page, and refunding a payment twice refunds it once.
// Events are accepted only if the provider has signed them. An Invalid error is a permanent refusal, with a message
// for the desk. After an Unavailable error, the request may be repeated.
package payment

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"homeward/internal/lost"
)

// pageTime is how long a page can be used for payment. Stripe uses the same time.
const pageTime = 24 * time.Hour

// testPage is the prefix of the ids of test pages.
const testPage = "test_"

// None is the provider for desks that collect the fee themselves.
type None struct{}

// Method returns how the fee is paid.
func (None) Method() lost.PayBy { return lost.PayDesk }

// Open fails, because there is no page.
func (None) Open(context.Context, lost.CheckoutRequest) (lost.Checkout, error) {
	return lost.Checkout{}, errors.New("the fee is paid at the desk; there is no checkout page")
}

// Close does nothing, because there is no page.
func (None) Close(context.Context, string) error { return nil }

// Handles reports whether a payment was made at the desk.
func (None) Handles(by lost.PayBy) bool { return by == lost.PayDesk }

// CheckoutState returns an empty update, because there is no page.
func (None) CheckoutState(context.Context, string) (lost.PaymentUpdate, error) {
	return lost.PaymentUpdate{}, nil
}

// Refund does nothing, because the desk refunds the fee.
func (None) Refund(context.Context, string) error { return nil }

// ParseEvent returns an error, because there are no events.
func (None) ParseEvent(http.Header, []byte) (lost.PaymentUpdate, bool, error) {
	return lost.PaymentUpdate{}, false, notSetUp()
}

// notSetUp returns the error for an event of a provider that is not set up. The provider retries the event and
// reports the failure to the operator.
func notSetUp() error { return lost.E(lost.NotFound, "This payment provider is not set up.") }

// Test is a provider for evaluating the service. It has a built-in test page and does not move money.
type Test struct {
	Now func() time.Time
}

// Method returns how the fee is paid.
func (Test) Method() lost.PayBy { return lost.PayTest }

// Open returns a page without a URL, because the service shows the page itself. The same round has the same page.
func (t Test) Open(_ context.Context, b lost.CheckoutRequest) (lost.Checkout, error) {
	return lost.Checkout{ID: testPage + b.Shipment.ID + strconv.Itoa(b.Round), ExpiresAt: t.Now().Add(pageTime)}, nil
}

// Close does nothing, because the page reads the state of the shipment.
func (Test) Close(context.Context, string) error { return nil }

// Handles reports whether a payment was a test.
func (Test) Handles(by lost.PayBy) bool { return by == lost.PayTest }

// CheckoutState returns an empty update, because the page calls the use case directly.
func (Test) CheckoutState(context.Context, string) (lost.PaymentUpdate, error) {
	return lost.PaymentUpdate{}, nil
}

// Refund does nothing, because no money was paid.
func (Test) Refund(context.Context, string) error { return nil }

// ParseEvent returns an error, because the page calls the use case directly.
func (Test) ParseEvent(http.Header, []byte) (lost.PaymentUpdate, bool, error) {
	return lost.PaymentUpdate{}, false, notSetUp()
}
