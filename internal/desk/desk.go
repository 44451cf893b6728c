// Package desk holds the use cases about lost and found things: items, locations, requests, messages, storage, imports,
// reports and webhooks. There is one type per noun and one method per use case, and every interface (the API, the
// dashboard, the guest's pages, the command line) calls the same methods.
//
// A method that changes something is one transaction: the change, its history and the jobs that follow from it are
// saved together or not at all.
package desk

import (
	"context"

	"homeward/internal/change"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// Visit is what a guest's link leads to.
type Visit = change.Visit

// Shipper begins the shipment of an item that staff marked as paid.
type Shipper interface {
	ShipOut(tx *store.Tx, i *lost.Item) error
}

// Quotes tells what sending an item costs.
type Quotes interface {
	Offers(ctx context.Context, l lost.Location, i lost.Item, to lost.Recipient) (lost.Offers, error)
}

// Payments tells how fees are paid, and refunds one that was paid for an earlier shipment.
type Payments interface {
	PayBy() lost.PayBy
	RefundFormer(tx *store.Tx, i *lost.Item) error
}

// Matcher matches the items of a location again after its rules changed.
type Matcher interface {
	MatchLocationAgain(tx *store.Tx, l lost.Location) error
}

// Files stores printed documents.
type Files interface {
	// NewName makes a name that nobody can guess.
	NewName() string
	// Keep stores a PDF under its name. If it exists, it is replaced.
	Keep(ctx context.Context, name string, content []byte) error
}
