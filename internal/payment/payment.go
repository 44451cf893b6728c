// Package payment implements the ways in which the fee for a shipment is collected: on Stripe's checkout page, on a
// built-in test page, or at the desk.
//
// The pages of a shipment are numbered (see lost.CheckoutRequest.Round). Opening a page twice with the same number
// returns the same page. Refunding a payment twice refunds it only once. Events are accepted only if the provider has
// signed them. An error with the code lost.Invalid means that the provider refuses the request permanently; its
// message is shown to staff. After an error with the code lost.Unavailable, the request may be repeated.
package payment

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"homeward/internal/lost"
)

// pageTime is how long a payment page stays open. It is the same for Stripe's pages.
const pageTime = 24 * time.Hour

// testPage is the prefix of every test page's id.
const testPage = "test_"

// None is the provider for services where staff collect the fee at the desk.
type None struct{}

// Method returns how the fee is paid.
func (None) Method() lost.PayBy { return lost.PayDesk }

// Open returns an error, because there is no payment page.
func (None) Open(context.Context, lost.CheckoutRequest) (lost.Checkout, error) {
	return lost.Checkout{}, errors.New("the fee is paid at the desk; there is no checkout page")
}

// Close does nothing, because there is no page.
func (None) Close(context.Context, string) error { return nil }

// Handles returns true for payments at the desk.
func (None) Handles(by lost.PayBy) bool { return by == lost.PayDesk }

// CheckoutState returns an empty update, because there is no page.
func (None) CheckoutState(context.Context, string) (lost.PaymentUpdate, error) {
	return lost.PaymentUpdate{}, nil
}

// Refund does nothing, because staff refund the fee themselves.
func (None) Refund(context.Context, string) error { return nil }

// ParseEvent returns an error, because there are no events.
func (None) ParseEvent(http.Header, []byte) (lost.PaymentUpdate, bool, error) {
	return lost.PaymentUpdate{}, false, notSetUp()
}

// notSetUp returns the error for an event from a provider that is not set up. Because of the error, the provider
// retries the event and informs the operator.
func notSetUp() error { return lost.E(lost.NotFound, "This payment provider is not set up.") }

// Test is a provider for trying out the service. It uses a built-in test page, and no money is paid.
type Test struct {
	Now func() time.Time
}

// Method returns how the fee is paid.
func (Test) Method() lost.PayBy { return lost.PayTest }

// Open returns a page without a URL, because the service shows the page itself. Calls with the same shipment and
// b.Round return the same page.
func (t Test) Open(_ context.Context, b lost.CheckoutRequest) (lost.Checkout, error) {
	return lost.Checkout{ID: testPage + b.Shipment.ID + strconv.Itoa(b.Round), ExpiresAt: t.Now().Add(pageTime)}, nil
}

// Close does nothing, because the test page always checks the state of the shipment.
func (Test) Close(context.Context, string) error { return nil }

// Handles returns true for test payments.
func (Test) Handles(by lost.PayBy) bool { return by == lost.PayTest }

// CheckoutState returns an empty update, because the test page reports payments directly and none can be lost.
func (Test) CheckoutState(context.Context, string) (lost.PaymentUpdate, error) {
	return lost.PaymentUpdate{}, nil
}

// Refund does nothing, because no money was paid.
func (Test) Refund(context.Context, string) error { return nil }

// ParseEvent returns an error, because the test page reports payments directly and sends no events.
func (Test) ParseEvent(http.Header, []byte) (lost.PaymentUpdate, bool, error) {
	return lost.PaymentUpdate{}, false, notSetUp()
}
