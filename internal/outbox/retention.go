package outbox

import (
	"context"

	"homeward/internal/lost"
	"homeward/internal/store"
)

const (
	accountsAtOnce = 500
	eraseAtOnce    = 25  // items in one transaction, so that others can write in between
	erasePieces    = 400 // of one account in one round of upkeep; the rest follows in the next
)

// eraseExpiredGuests removes the data of guests whose items ended longer ago than their account keeps it.
func (o *Outbox) eraseExpiredGuests(ctx context.Context) error {
	removed := false
	defer func() {
		if removed { // a reader may hold it up; then the next round does it
			_, _ = o.db.RemoveDeletedData(ctx)
		}
	}()
	for after := ""; ; {
		accounts, err := o.db.AccountsAfter(ctx, after, accountsAtOnce)
		if err != nil {
			return err
		}
		for _, a := range accounts {
			found, err := o.eraseExpiredOf(ctx, a)
			removed = removed || found
			if err != nil {
				return err
			}
			after = a.ID
		}
		if len(accounts) < accountsAtOnce {
			return nil
		}
	}
}

// eraseExpiredOf removes the expired guest data of one account, and reports whether there was any.
func (o *Outbox) eraseExpiredOf(ctx context.Context, a lost.Account) (removed bool, err error) {
	for range erasePieces {
		seen := 0
		err := o.db.Write(ctx, func(tx *store.Tx) (err error) {
			seen, err = eraseExpiredPiece(tx, a)
			return err
		})
		removed = removed || seen > 0
		if err != nil || seen < eraseAtOnce {
			return removed, err
		}
	}
	return removed, nil
}

// eraseExpiredPiece removes the guest data of some items and returns how many items it read. It is one
// transaction: if it is interrupted, nothing has changed, and what it has removed is not found again.
func eraseExpiredPiece(tx *store.Tx, a lost.Account) (seen int, err error) {
	items, err := tx.LockItemsToErase(a.ID, tx.Now().AddDate(0, 0, -a.GuestDays), eraseAtOnce)
	if err != nil {
		return 0, err
	}
	removed := 0
	for _, i := range items {
		_, had, err := tx.EraseItemGuest(i, lost.Actor{Kind: lost.ByService}, nil)
		if err != nil {
			return 0, err
		}
		removed += had.Items + had.Requests
	}
	if removed == 0 {
		return len(items), nil
	}
	return len(items), tx.AddErasedCount(a.ID, tx.Now().Format(lost.DateForm), removed)
}
