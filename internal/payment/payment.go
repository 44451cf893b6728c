// Package payment takes the fee for a shipment: on a page of Stripe's, on a page of ours that says that it is a test, or not at all,
// where the desk collects it.
//
// Whoever opens a page twice for the same round gets the same one, whoever gives a payment back twice gives it back once, and
// nothing is believed that the provider has not signed. An Invalid error is a refusal for good, in words for the desk; after
// an Unavailable one the same may be asked again.
package payment

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"homeward/internal/lost"
)

// pageTime is how long a page can be paid on. It is Stripe's own.
const pageTime = 24 * time.Hour

// testPage begins the names of our own pages.
const testPage = "test_"

// None is for a desk that collects the fee itself, and says so.
type None struct{}

// By names the way to pay.
func (None) By() lost.PayBy { return lost.PayDesk }

// Open fails: nobody is led to a page that does not exist.
func (None) Open(context.Context, lost.Bill) (lost.Checkout, error) {
	return lost.Checkout{}, errors.New("the fee is paid at the desk: there is no page to pay on")
}

// Close has nothing to do.
func (None) Close(context.Context, string) error { return nil }

// Knows tells that the desk has what is paid there.
func (None) Knows(by lost.PayBy) bool { return by == lost.PayDesk }

// Look knows nothing: there is no page.
func (None) Look(context.Context, string) (lost.PaymentNews, error) { return lost.PaymentNews{}, nil }

// Refund has nothing to do: the desk gives back what it collected.
func (None) Refund(context.Context, string) error { return nil }

// Hear knows nobody who could tell anything.
func (None) Hear(http.Header, []byte) (lost.PaymentNews, bool, error) {
	return lost.PaymentNews{}, false, unheard()
}

// unheard answers a call of a provider that is not set up: so it tries again, and somebody notices.
func unheard() error { return lost.E(lost.NotFound, "Payments by this provider are not set up here.") }

// Test is for trying the service out: the page to pay on is our own, says that it is a test, and moves no money.
type Test struct {
	Now func() time.Time
}

// By names the way to pay.
func (Test) By() lost.PayBy { return lost.PayTest }

// Open gives a page without an address: it is ours. The same round has the same page.
func (t Test) Open(_ context.Context, b lost.Bill) (lost.Checkout, error) {
	return lost.Checkout{ID: testPage + b.Shipment.ID + strconv.Itoa(b.Round), ExpiresAt: t.Now().Add(pageTime)}, nil
}

// Close has nothing to do: the page looks at the shipment.
func (Test) Close(context.Context, string) error { return nil }

// Knows tells that tests are known.
func (Test) Knows(by lost.PayBy) bool { return by == lost.PayTest }

// Look knows nothing: the page tells the desk itself.
func (Test) Look(context.Context, string) (lost.PaymentNews, error) { return lost.PaymentNews{}, nil }

// Refund has nothing to do: no money came.
func (Test) Refund(context.Context, string) error { return nil }

// Hear knows nobody who could tell anything: the page tells the desk itself.
func (Test) Hear(http.Header, []byte) (lost.PaymentNews, bool, error) {
	return lost.PaymentNews{}, false, unheard()
}
