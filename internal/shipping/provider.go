package shipping

import (
	"context"
	"net/http"

	"homeward/internal/lost"
)

// Carrier sends parcels. It is called outside transactions. An Invalid error is a final refusal; its detail is shown
// to staff. After any other error the call is retried.
type Carrier interface {
	// Quotes returns at most lost.MaxOffers shipping options, cheapest first. If there is no price, it returns an
	// Invalid error with the reason.
	Quotes(ctx context.Context, c lost.ParcelOrder) ([]lost.Quote, error)
	// NeedsAddress reports whether a quote needs the full address, not only the country.
	NeedsAddress() bool
	// Prepare creates a shipment at the carrier without buying it. It returns the quote, which is the shipment's own
	// if it has one, and the data that Buy needs. It can be repeated: an unbought shipment costs nothing.
	Prepare(ctx context.Context, s lost.Shipment, c lost.ParcelOrder) (lost.Quote, lost.Postage, error)
	// Buy buys a prepared shipment. It is idempotent.
	Buy(ctx context.Context, s lost.Shipment, c lost.ParcelOrder) (lost.Postage, error)
	// Label fetches the carrier's label as a PDF, with its paper size. The content is nil if we print the label.
	Label(ctx context.Context, p lost.Postage) (content []byte, paper string, err error)
	// Void voids an unused label, if the carrier supports that. It is idempotent.
	Void(ctx context.Context, p lost.Postage) error
	// Track returns the tracking state of a parcel.
	Track(ctx context.Context, p lost.Postage) (lost.ParcelUpdate, error)
	// HasTracking reports whether the carrier tracks its parcels.
	HasTracking() bool
	// ParseEvent parses a callback of the carrier. The error is Forbidden if the carrier did not send it. ours is
	// false for parcels of other services.
	ParseEvent(header http.Header, body []byte) (update lost.ParcelUpdate, ours bool, err error)
}

// PaymentProvider takes payments. It is called outside transactions. An Invalid error is a final refusal; its detail
// is shown to staff.
type PaymentProvider interface {
	Method() lost.PayBy
	// Handles reports whether payments of a kind can be received and refunded. This may include a kind that is no
	// longer offered.
	Handles(by lost.PayBy) bool
	// Open opens a payment page for a shipment. It is idempotent for the same round.
	Open(ctx context.Context, b lost.CheckoutRequest) (lost.Checkout, error)
	// Close closes a page, so that it can no longer be paid. The error is Conflict if it was paid or is being paid.
	Close(ctx context.Context, checkout string) error
	// CheckoutState returns the state of a page. The update has no state while the page is open.
	CheckoutState(ctx context.Context, checkout string) (lost.PaymentUpdate, error)
	// Refund refunds a whole payment. It is idempotent for the same reference.
	Refund(ctx context.Context, reference string) error
	// ParseEvent parses a callback of the provider. The error is Forbidden if the provider did not send it. ours is
	// false for payments of other services.
	ParseEvent(header http.Header, body []byte) (update lost.PaymentUpdate, ours bool, err error)
}

// DocumentPrinter prints the documents of shipments.
type DocumentPrinter interface {
	// Print renders a document of a shipment as a PDF, with its paper size. The output is deterministic.
	Print(kind lost.DocumentKind, s lost.Shipment, c lost.ParcelOrder) (content []byte, paper string, err error)
}

// Files stores documents.
type Files interface {
	// NewName creates a name that nobody can guess.
	NewName() string
	// Save stores a PDF under a name. An existing file is replaced.
	Save(ctx context.Context, name string, content []byte) error
}
