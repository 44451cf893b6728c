package shipping

import (
	"context"
	"net/http"

	"homeward/internal/lost"
)

// Carrier sends parcels. It is met outside transactions. An Invalid error is a refusal for good, whose detail is for
// the desk to read; after any other, it is asked again.
type Carrier interface {
	// Quotes gives the ways to send something, the cheapest first and at most lost.MaxOffers. Where no price can be
	// told, an Invalid error says why.
	Quotes(ctx context.Context, c lost.Consignment) ([]lost.Quote, error)
	// NeedsAddress tells whether a country is not enough for a quote.
	NeedsAddress() bool
	// Prepare agrees with the carrier on a shipment, without buying anything, and gives what to keep of that: the
	// quote, which is the shipment's own where it has one, and what Buy needs. It may be done again: what is not bought
	// costs nothing.
	Prepare(ctx context.Context, s lost.Shipment, c lost.Consignment) (lost.Quote, lost.Postage, error)
	// Buy buys what was agreed on. Done again, it buys nothing and gives the same.
	Buy(ctx context.Context, s lost.Shipment, c lost.Consignment) (lost.Postage, error)
	// Label fetches the carrier's label, a PDF, and tells the size of its paper; nothing where we print it.
	Label(ctx context.Context, p lost.Postage) (content []byte, paper string, err error)
	// Void gives back a label that was not used, where the carrier can. Done again, it does nothing.
	Void(ctx context.Context, p lost.Postage) error
	// Track asks where a parcel is.
	Track(ctx context.Context, p lost.Postage) (lost.ParcelNews, error)
	// Tracks tells whether the carrier knows where its parcels are.
	Tracks() bool
	// Hear reads what the carrier tells of a parcel by itself. A Forbidden error is one that it did not write. ours is
	// false for what is none of our business.
	Hear(header http.Header, body []byte) (news lost.ParcelNews, ours bool, err error)
}

// PaymentProvider takes payments. It is met outside transactions. An Invalid error is a refusal for good, whose detail
// is for the desk to read.
type PaymentProvider interface {
	By() lost.PayBy
	// Knows tells whether payments that were made in a way can be heard of and given back: also one that is no longer
	// By.
	Knows(by lost.PayBy) bool
	// Open opens a page to pay a shipment on. Done again for the same round, it opens no second one.
	Open(ctx context.Context, b lost.Bill) (lost.Checkout, error)
	// Close makes sure that a page can no longer be paid on. A Conflict error says that it was paid, or is about to be.
	Close(ctx context.Context, checkout string) error
	// Look asks what became of a page. Its news has no state while it is open.
	Look(ctx context.Context, checkout string) (lost.PaymentNews, error)
	// Refund gives a payment back, whole. Done again for the same reference, it gives nothing.
	Refund(ctx context.Context, reference string) error
	// Hear reads what the provider tells of a payment. A Forbidden error is one that it did not write. ours is false
	// for what is none of our business.
	Hear(header http.Header, body []byte) (news lost.PaymentNews, ours bool, err error)
}

// Papers prints.
type DocumentPrinter interface {
	// Print makes one of a shipment's papers, a PDF, and tells the size of its sheets. The same shipment has the same
	// paper.
	Print(kind lost.DocumentKind, s lost.Shipment, c lost.Consignment) (content []byte, paper string, err error)
}

// Files keeps papers.
type Files interface {
	// NewName makes a name that nobody can guess.
	NewName() string
	// Keep keeps a PDF by its name. Done again, it replaces it.
	Keep(ctx context.Context, name string, content []byte) error
}
