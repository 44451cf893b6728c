package change

import (
	"context"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// LockPartner locks and returns an item to compare with a request. It returns an error unless the item is at the
// request's location, or at a sister location (one whose items are also matched with the request) where the actor may
// handle items too.
func LockPartner(tx *store.Tx, a lost.Actor, request lost.Item, item string) (lost.Item, error) {
	found, err := tx.LockAccountItem(a.Account, item)
	if err != nil || found.LocationID == request.LocationID {
		return found, err
	}
	return found, CheckSisters(tx.Context(), tx, a, request, found)
}

// locationReader reads locations. It is a database or a transaction.
type locationReader interface {
	Location(ctx context.Context, account, id string) (lost.Location, error)
}

// CheckSisters returns an error unless two items are at sister locations and the actor may handle items at both.
func CheckSisters(ctx context.Context, from locationReader, a lost.Actor, x, y lost.Item) error {
	for _, location := range []string{x.LocationID, y.LocationID} {
		if err := access.May(a, lost.HandleItems, location, "item"); err != nil {
			return err
		}
		l, err := from.Location(ctx, a.Account, location)
		if err != nil {
			return err
		}
		if !l.Matching.Sisters {
			return lost.Missing("item")
		}
	}
	return nil
}
