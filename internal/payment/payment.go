// Package payment collects the fee for a shipment: through Stripe's checkout page, through a test
// page of our own, or not at all, if the desk collects it.
//
// Opening a page twice for the same round returns the same page, and refunding a payment twice
// refunds it once. Events are accepted only if the provider has signed them. An Invalid error is a
// permanent refusal, with a text for the desk; after an Unavailable error the request may be
// repeated.
package payment

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"homeward/internal/lost"
)

// pageTime is how long a page can be paid; Stripe uses the same time.
const pageTime = 24 * time.Hour

// testPage is the prefix of the ids of our test pages.
const testPage = "test_"

// None is the provider of a desk that collects the fee itself.
type None struct{}

// Method returns the way to pay.
func (None) Method() lost.PayBy { return lost.PayDesk }

// Open fails, because there is no page.
func (None) Open(context.Context, lost.CheckoutRequest) (lost.Checkout, error) {
	return lost.Checkout{}, errors.New("the fee is paid at the desk; there is no checkout page")
}

// Close does nothing.
func (None) Close(context.Context, string) error { return nil }

// Handles reports whether a payment was made at the desk.
func (None) Handles(by lost.PayBy) bool { return by == lost.PayDesk }

// CheckoutState returns nothing, because there is no page.
func (None) CheckoutState(context.Context, string) (lost.PaymentUpdate, error) {
	return lost.PaymentUpdate{}, nil
}

// Refund does nothing: the desk refunds what it collected.
func (None) Refund(context.Context, string) error { return nil }

// ParseEvent refuses every event.
func (None) ParseEvent(http.Header, []byte) (lost.PaymentUpdate, bool, error) {
	return lost.PaymentUpdate{}, false, notSetUp()
}

// notSetUp is the answer to a provider that is not set up: it retries, and somebody notices.
func notSetUp() error { return lost.E(lost.NotFound, "Payments by this provider are not set up here.") }

// Test is for evaluating the service: it has a test page of our own and moves no money.
type Test struct {
	Now func() time.Time
}

// Method returns the way to pay.
func (Test) Method() lost.PayBy { return lost.PayTest }

// Open returns a page without an address, because it is our own. The same round has the same page.
func (t Test) Open(_ context.Context, b lost.CheckoutRequest) (lost.Checkout, error) {
	return lost.Checkout{ID: testPage + b.Shipment.ID + strconv.Itoa(b.Round), ExpiresAt: t.Now().Add(pageTime)}, nil
}

// Close does nothing: the page reads the shipment's state.
func (Test) Close(context.Context, string) error { return nil }

// Handles reports whether a payment was a test.
func (Test) Handles(by lost.PayBy) bool { return by == lost.PayTest }

// CheckoutState returns nothing: the page calls the use case itself.
func (Test) CheckoutState(context.Context, string) (lost.PaymentUpdate, error) {
	return lost.PaymentUpdate{}, nil
}

// Refund does nothing: no money was paid.
func (Test) Refund(context.Context, string) error { return nil }

// ParseEvent refuses every event: the page calls the use case itself.
func (Test) ParseEvent(http.Header, []byte) (lost.PaymentUpdate, bool, error) {
	return lost.PaymentUpdate{}, false, notSetUp()
}
