package shipping

import (
	"context"
	"net/http"

	"homeward/internal/lost"
)

// Carrier ships parcels. It is called outside transactions. An Invalid error means that the carrier refuses the
// parcel permanently; its detail is shown to staff. After any other error, the call is retried.
type Carrier interface {
	// Quotes returns at most lost.MaxOffers shipping options, cheapest first. If the parcel has no price, it returns
	// an Invalid error that contains the reason.
	Quotes(ctx context.Context, c lost.ParcelOrder) ([]lost.Quote, error)
	// NeedsAddress reports whether Quotes needs the full address. Otherwise the country is enough.
	NeedsAddress() bool
	// Prepare creates a shipment at the carrier without buying it. It returns the shipment's quote, or a new quote if
	// the shipment has none, and the data that Buy needs. It can be repeated, because a shipment costs nothing until
	// it is bought.
	Prepare(ctx context.Context, s lost.Shipment, c lost.ParcelOrder) (lost.Quote, lost.Postage, error)
	// Buy buys a prepared shipment. It is idempotent.
	Buy(ctx context.Context, s lost.Shipment, c lost.ParcelOrder) (lost.Postage, error)
	// Label returns the carrier's label as a PDF, and its paper size. The content is nil if the carrier provides no
	// label and the service has to print it.
	Label(ctx context.Context, p lost.Postage) (content []byte, paper string, err error)
	// Void voids an unused label, if the carrier supports this. It is idempotent.
	Void(ctx context.Context, p lost.Postage) error
	// Track returns the tracking state of a parcel.
	Track(ctx context.Context, p lost.Postage) (lost.ParcelUpdate, error)
	// HasTracking reports whether the carrier tracks its parcels.
	HasTracking() bool
	// ParseEvent parses a callback from the carrier. The error is Forbidden if the carrier did not send it. ours is
	// false if the parcel belongs to another service.
	ParseEvent(header http.Header, body []byte) (update lost.ParcelUpdate, ours bool, err error)
}

// PaymentProvider collects payments. It is called outside transactions. An Invalid error means that the provider
// refuses the request permanently; its detail is shown to staff.
type PaymentProvider interface {
	Method() lost.PayBy
	// Handles reports whether payments of a kind can be received and refunded. It may also return true for a kind
	// that is no longer offered to guests.
	Handles(by lost.PayBy) bool
	// Open opens a payment page for a shipment. Calls with the same shipment and b.Round return the same page.
	Open(ctx context.Context, b lost.CheckoutRequest) (lost.Checkout, error)
	// Close closes a page, so that nobody can pay on it. The error is Conflict if the page was paid or is being paid.
	Close(ctx context.Context, checkout string) error
	// CheckoutState returns the state of a page. The state in the update is empty while the page is open.
	CheckoutState(ctx context.Context, checkout string) (lost.PaymentUpdate, error)
	// Refund refunds a whole payment. It is idempotent for each reference.
	Refund(ctx context.Context, reference string) error
	// ParseEvent parses a callback from the provider. The error is Forbidden if the provider did not send it. ours is
	// false if the payment belongs to another service.
	ParseEvent(header http.Header, body []byte) (update lost.PaymentUpdate, ours bool, err error)
}

// DocumentPrinter prints shipping documents.
type DocumentPrinter interface {
	// Print renders a shipping document as a PDF, and returns its paper size. The same input always produces the same
	// bytes.
	Print(kind lost.DocumentKind, s lost.Shipment, c lost.ParcelOrder) (content []byte, paper string, err error)
}

// Files stores documents.
type Files interface {
	// NewName creates a name that nobody can guess.
	NewName() string
	// Save stores a PDF under a name. An existing file is replaced.
	Save(ctx context.Context, name string, content []byte) error
}
