package desk

import (
	"context"
	"fmt"
	"time"

	"homeward/internal/lost"
)

// Retention is how long an account keeps its guests' data, and what was removed for it.
type Retention struct {
	Days       int
	Removed    []lost.Forgotten // the last days on which something was
	Deliveries time.Duration    // how long the operator keeps events and their deliveries
}

// removedDays is how many days are told of.
const removedDays = 14

// Retention tells how long guests' data is kept.
func (d *Desk) Retention(ctx context.Context, a lost.Actor) (r Retention, err error) {
	if err := mayOversee(a, lost.Govern); err != nil {
		return r, err
	}
	account, err := d.db.Account(ctx, a.Account)
	if err != nil {
		return r, err
	}
	r.Days, r.Deliveries = account.GuestDays, d.keepDeliveries
	r.Removed, err = d.db.Forgotten(ctx, a.Account, removedDays)
	return r, err
}

// WouldForget tells of how many items guests' data is removed at once when it is kept for so many days.
func (d *Desk) WouldForget(ctx context.Context, a lost.Actor, days int) (lost.Total, error) {
	if err := mayOversee(a, lost.Govern); err != nil {
		return lost.Total{}, err
	}
	if _, err := (&lost.Account{}).KeepGuests(days); err != nil {
		return lost.Total{}, err
	}
	return d.db.CountToForget(ctx, a.Account, d.db.Now().AddDate(0, 0, -days))
}

// SetRetention sets for how many days guests' data is kept after an item has ended. What is older goes with the next upkeep.
func (d *Desk) SetRetention(ctx context.Context, a lost.Actor, days int) error {
	return d.changeAccount(ctx, a, lost.RetentionChanged, func(account *lost.Account) (string, error) {
		before := account.GuestDays
		if changed, err := account.KeepGuests(days); err != nil || !changed {
			return "", err
		}
		return fmt.Sprintf("from %d to %d days", before, days), nil
	})
}
