package outbox

import (
	"context"

	"homeward/internal/lost"
	"homeward/internal/store"
)

const (
	accountsPerQuery = 500
	itemsPerErase    = 25  // items per transaction; kept low so that other writers can run in between
	maxErasePieces   = 400 // transactions per account in each round of upkeep; the rest follows in the next round
)

// eraseExpiredGuests removes guests' data from items that have been closed for longer than the account's retention
// period.
func (o *Outbox) eraseExpiredGuests(ctx context.Context) error {
	removed := false
	defer func() {
		if removed { // if a reader prevents this, the next round of upkeep tries again
			_, _ = o.db.RemoveDeletedData(ctx)
		}
	}()
	for after := ""; ; {
		accounts, err := o.db.AccountsAfter(ctx, after, accountsPerQuery)
		if err != nil {
			return err
		}
		for _, a := range accounts {
			found, err := o.eraseExpiredInAccount(ctx, a)
			removed = removed || found
			if err != nil {
				return err
			}
			after = a.ID
		}
		if len(accounts) < accountsPerQuery {
			return nil
		}
	}
}

// eraseExpiredInAccount removes an account's expired guest data, and reports whether there was any.
func (o *Outbox) eraseExpiredInAccount(ctx context.Context, a lost.Account) (removed bool, err error) {
	for range maxErasePieces {
		seen := 0
		err := o.db.Write(ctx, func(tx *store.Tx) (err error) {
			seen, err = eraseExpiredPiece(tx, a)
			return err
		})
		removed = removed || seen > 0
		if err != nil || seen < itemsPerErase {
			return removed, err
		}
	}
	return removed, nil
}

// eraseExpiredPiece removes the guest data from a batch of items and returns how many items it read. It runs in one
// transaction, so an interruption changes nothing. Items without guest data are not selected again.
func eraseExpiredPiece(tx *store.Tx, a lost.Account) (seen int, err error) {
	items, err := tx.LockItemsToErase(a.ID, tx.Now().AddDate(0, 0, -a.GuestDays), itemsPerErase)
	if err != nil {
		return 0, err
	}
	removed := 0
	for _, i := range items {
		_, erased, err := tx.EraseItemGuest(i, lost.Actor{Kind: lost.ByService}, nil)
		if err != nil {
			return 0, err
		}
		removed += erased.Items + erased.Requests
	}
	if removed == 0 {
		return len(items), nil
	}
	return len(items), tx.AddErasedCount(a.ID, tx.Now().Format(lost.DateLayout), removed)
}
