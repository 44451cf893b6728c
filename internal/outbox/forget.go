package outbox

import (
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
	removed := false
	defer func() {
		if removed { // whoever reads just now may hold it up; the next round does it then
			_, _ = o.db.Scrub(ctx)
		}
	}()
	for after := ""; ; {
		accounts, err := o.db.AccountsAfter(ctx, after, accountsAtOnce)
		if err != nil {
			return err
		}
		for _, a := range accounts {
			some, err := o.forgetOf(ctx, a)
			if removed = removed || some; err != nil {
				return err
			}
			after = a.ID
		}
		if len(accounts) < accountsAtOnce {
			return nil
		}
	}
}

// erase removes a person who asked for it.
func (o *Outbox) erase(ctx context.Context, job store.Job) error {
	about, err := job.Names()
	if err != nil || len(about) != 3 {
		return lost.E(lost.Invalid, "The job names nobody.").Because(err)
	}
	return after(o.erasures.RunErasure(ctx, job.Account, about[0], lost.Person{Email: about[1], Phone: about[2]}))
}

func (o *Outbox) forgetOf(ctx context.Context, a lost.Account) (some bool, err error) {
	for range forgetPieces {
		seen := 0
		err := o.db.Write(ctx, func(tx *store.Tx) (err error) {
			seen, err = forgetSome(tx, a)
			return err
		})
		if some = some || seen > 0; err != nil || seen < forgetAtOnce {
			return some, err
		}
	}
	return some, nil
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
		_, had, err := tx.ForgetItem(i, lost.Actor{Kind: lost.ByService}, nil)
		if err != nil {
			return 0, err
		}
		removed += had.Items + had.Requests
	}
	if removed == 0 {
		return len(items), nil
	}
	return len(items), tx.CountForgotten(a.ID, tx.Now().Format(lost.DateForm), removed)
}
