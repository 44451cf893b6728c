// Package desk implements the use cases of a lost-property desk: items, requests, locations, handovers, storage,
// tags, stock counts, imports and exports, saved views, tasks and statistics, messages, and the choices of guests.
// Parcels and payments are in shipping, suggestions in matching, webhooks in endpoint, and users in identity.
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

// Visit is a resolved guest link, with its item and location.
type Visit = change.Visit

// Shipper starts the shipment of an item that staff marked as paid.
type Shipper interface {
	ShipOut(tx *store.Tx, i *lost.Item) error
}

// Quotes returns prices for shipping an item.
type Quotes interface {
	Offers(ctx context.Context, l lost.Location, i lost.Item, to lost.Recipient) (lost.Offers, error)
}

// Payments reports how guests pay fees, and refunds the fee of an earlier shipment.
type Payments interface {
	PayBy() lost.PayBy
	RefundFormer(tx *store.Tx, i *lost.Item) error
}

// Matcher matches the items of a location again after its matching rules have changed.
type Matcher interface {
	MatchLocationAgain(tx *store.Tx, l lost.Location) error
}

// Searcher finds items by words that may be misspelled, in another language, or only similar. If only is not nil, it
// contains the ids of the locations.
type Searcher interface {
	List(ctx context.Context, account string, only []string, f lost.ItemFilter) (lost.List[lost.Item], error)
	All(ctx context.Context, account string, only []string, query string, limit int) (lost.SearchResults, error)
}

// FileReader reads saved files.
type FileReader interface {
	// Read returns the content of a file. It returns an error if the file has more than limit bytes.
	Read(ctx context.Context, name string, limit int64) ([]byte, error)
}

// Files stores printed documents.
type Files interface {
	// NewName creates a name that nobody can guess.
	NewName() string
	// Save stores a PDF under a name. An existing file is replaced.
	Save(ctx context.Context, name string, content []byte) error
}
