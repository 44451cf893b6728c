package outbox

import (
	"cmp"
	"context"

	"homeward/internal/lost"
	"homeward/internal/store"
)

const (
	accountsAtOnce = 500
	forgetAtOnce   = 25  // items in one transaction: others write between
	forgetPieces   = 400 // of one account in one round of upkeep; the rest follows with the next
)

// forget removes what is kept of guests whose items ended as long ago as their accounts say.
func (o *Outbox) forget(ctx context.Context) error {
	for after := ""; ; {
		accounts, err := o.db.AccountsAfter(ctx, after, accountsAtOnce)
		if err != nil {
			return err
		}
		for _, a := range accounts {
			if err := o.forgetOf(ctx, a); err != nil {
				return err
			}
			after = a.ID
		}
		if len(accounts) < accountsAtOnce {
			return nil
		}
	}
}

func (o *Outbox) forgetOf(ctx context.Context, a lost.Account) error {
	for range forgetPieces {
		seen := 0
		err := o.db.Write(ctx, func(tx *store.Tx) (err error) {
			seen, err = forgetSome(tx, a)
			return err
		})
		if err != nil || seen < forgetAtOnce {
			return err
		}
	}
	return nil
}

// forgetSome forgets the guests of some items and tells how many it looked at. Whoever dies on the way has done nothing; of what is done, nothing is
// left to do.
func forgetSome(tx *store.Tx, a lost.Account) (seen int, err error) {
	items, err := tx.ItemsToForget(a.ID, tx.Now().AddDate(0, 0, -a.GuestDays), forgetAtOnce)
	if err != nil {
		return 0, err
	}
	removed := 0
	for _, i := range items {
		had, err := forgetGuest(tx, i)
		if err != nil {
			return 0, err
		}
		if had {
			removed++
		}
	}
	if removed == 0 {
		return len(items), nil
	}
	return len(items), tx.CountForgotten(a.ID, tx.Now().Format(lost.DateForm), removed)
}

// forgetGuest removes what is kept of one item's guest, and tells whether there was anything.
func forgetGuest(tx *store.Tx, i lost.Item) (bool, error) {
	before, files := i, i.Files()
	had := i.Forget(tx.Now())
	shipments, err := tx.LockShipments(i.Account, i.ID)
	if err != nil {
		return false, err
	}
	for _, s := range shipments {
		files = append(files, s.Forget(tx.Now())...)
		err = cmp.Or(err, tx.SaveShipment(s), tx.RemoveEntry(store.TrackerEntry, store.Entry{Account: s.Account, Subject: s.ID}))
	}
	err = cmp.Or(err, tx.ForgetGuest(i), tx.DeleteFilesLater(i.Account, files...))
	if err == nil && had {
		err = cmp.Or(tx.SaveItem(before, i), tx.AddHistory(i, lost.NewEntry(lost.Actor{Kind: lost.ByService}, lost.Forgot, tx.Now())))
	}
	return had, cmp.Or(err, tx.NoteForgotten(i))
}
