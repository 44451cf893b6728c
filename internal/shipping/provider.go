package shipping

import (
	"context"
	"net/http"

	"homeward/internal/lost"
)

// Carrier sends parcels. It is called outside transactions. An Invalid error is a final refusal, whose detail is
// shown to staff. After any other error the call is retried.
type Carrier interface {
	// Quotes gives the ways to send something, cheapest first and at most lost.MaxOffers. If there is no price, an
	// Invalid error says why.
	Quotes(ctx context.Context, c lost.ParcelOrder) ([]lost.Quote, error)
	// NeedsAddress tells whether a quote needs more than the country.
	NeedsAddress() bool
	// Prepare agrees with the carrier on a shipment without buying anything. It gives the quote, which is the
	// shipment's own if it has one, and what Buy needs. It can be repeated: what is not bought costs nothing.
	Prepare(ctx context.Context, s lost.Shipment, c lost.ParcelOrder) (lost.Quote, lost.Postage, error)
	// Buy buys what was agreed on. Repeated, it buys nothing and gives the same.
	Buy(ctx context.Context, s lost.Shipment, c lost.ParcelOrder) (lost.Postage, error)
	// Label fetches the carrier's label as a PDF, with its paper size. It gives nothing if we print it.
	Label(ctx context.Context, p lost.Postage) (content []byte, paper string, err error)
	// Void returns an unused label, if the carrier can do that. Repeated, it does nothing.
	Void(ctx context.Context, p lost.Postage) error
	// Track asks where a parcel is.
	Track(ctx context.Context, p lost.Postage) (lost.ParcelUpdate, error)
	// HasTracking tells whether the carrier tracks its parcels.
	HasTracking() bool
	// ParseEvent reads a callback of the carrier. A Forbidden error says that the carrier did not send it. ours is
	// false for parcels of others.
	ParseEvent(header http.Header, body []byte) (news lost.ParcelUpdate, ours bool, err error)
}

// PaymentProvider takes payments. It is called outside transactions. An Invalid error is a final refusal, whose
// detail is shown to staff.
type PaymentProvider interface {
	Method() lost.PayBy
	// Handles tells whether payments of a kind can be received and refunded. That may include a kind that is no
	// longer offered.
	Handles(by lost.PayBy) bool
	// Open opens a payment page for a shipment. Repeated for the same round, it opens no second one.
	Open(ctx context.Context, b lost.CheckoutRequest) (lost.Checkout, error)
	// Close makes sure that a page can no longer be paid. A Conflict error says that it was paid, or is being paid.
	Close(ctx context.Context, checkout string) error
	// CheckoutState asks about a page. The news has no state while the page is open.
	CheckoutState(ctx context.Context, checkout string) (lost.PaymentUpdate, error)
	// Refund refunds a whole payment. Repeated for the same reference, it does nothing.
	Refund(ctx context.Context, reference string) error
	// ParseEvent reads a callback of the provider. A Forbidden error says that the provider did not send it. ours is
	// false for payments of others.
	ParseEvent(header http.Header, body []byte) (news lost.PaymentUpdate, ours bool, err error)
}

// DocumentPrinter prints the documents of shipments.
type DocumentPrinter interface {
	// Print makes a document of a shipment as a PDF, with its paper size. The same shipment gives the same document.
	Print(kind lost.DocumentKind, s lost.Shipment, c lost.ParcelOrder) (content []byte, paper string, err error)
}

// Files stores documents.
type Files interface {
	// NewName makes a name that nobody can guess.
	NewName() string
	// Keep stores a PDF under its name. If it exists, it is replaced.
	Keep(ctx context.Context, name string, content []byte) error
}
