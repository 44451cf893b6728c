// Package desk implements the use cases about lost and found items: items, locations, requests, messages, storage,
// imports, reports and webhooks. There is one type per noun and one method per use case, and every interface (the
// API, the dashboard, the guest pages, the command line) calls the same methods.
//
// A method that changes data uses one transaction: the change, its history and the resulting jobs are saved together
// or not at all.
package desk

import (
	"context"

	"homeward/internal/change"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// Visit is a guest's link, resolved to its item and location.
type Visit = change.Visit

// Shipper starts the shipment of an item that staff marked as paid.
type Shipper interface {
	ShipOut(tx *store.Tx, i *lost.Item) error
}

// Quotes returns prices for sending items.
type Quotes interface {
	Offers(ctx context.Context, l lost.Location, i lost.Item, to lost.Recipient) (lost.Offers, error)
}

// Payments returns how fees are paid, and refunds the fee of an earlier shipment.
type Payments interface {
	PayBy() lost.PayBy
	RefundFormer(tx *store.Tx, i *lost.Item) error
}

// Matcher matches the items of a location again after its matching rules have changed.
type Matcher interface {
	MatchLocationAgain(tx *store.Tx, l lost.Location) error
}

// Files stores printed documents.
type Files interface {
	// NewName creates a name that nobody can guess.
	NewName() string
	// Save stores a PDF under a name. An existing file is replaced.
	Save(ctx context.Context, name string, content []byte) error
}
