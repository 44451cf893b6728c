package privacy

import (
	"context"
	"fmt"
	"time"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// RetentionPolicy sets how long guests' data is kept.
type RetentionPolicy struct {
	db                *store.DB
	deliveryRetention time.Duration
}

// RetentionPolicyOptions are the dependencies of RetentionPolicy.
type RetentionPolicyOptions struct {
	DB         *store.DB
	Deliveries time.Duration
}

// NewRetentionPolicy makes RetentionPolicy.
func NewRetentionPolicy(o RetentionPolicyOptions) *RetentionPolicy {
	return &RetentionPolicy{
		db: o.DB, deliveryRetention: o.Deliveries,
	}
}

// Retention is how long an account keeps guests' data, and what was removed because of it.
type Retention struct {
	Days       int
	Removed    []lost.ErasedOnDay // the last days on which something was removed
	Deliveries time.Duration      // how long the operator keeps events and their deliveries
}

// removedDays is how many of these days are listed.
const removedDays = 14

// Get tells how long guests' data is kept.
func (s *RetentionPolicy) Get(ctx context.Context, a lost.Actor) (r Retention, err error) {
	if err := access.MayOversee(a, lost.ManageAccount); err != nil {
		return r, err
	}
	account, err := s.db.Account(ctx, a.Account)
	if err != nil {
		return r, err
	}
	r.Days, r.Deliveries = account.GuestDays, s.deliveryRetention
	r.Removed, err = s.db.ErasedPerDay(ctx, a.Account, removedDays)
	return r, err
}

// Preview tells how many items would lose their guest's data at once if it were kept for so many days.
func (s *RetentionPolicy) Preview(ctx context.Context, a lost.Actor, days int) (lost.Total, error) {
	if err := access.MayOversee(a, lost.ManageAccount); err != nil {
		return lost.Total{}, err
	}
	if _, err := (&lost.Account{}).SetGuestDays(days); err != nil {
		return lost.Total{}, err
	}
	return s.db.CountItemsToErase(ctx, a.Account, s.db.Now().AddDate(0, 0, -days))
}

// Set sets for how many days guests' data is kept after an item is closed. Older data is removed by the next
// maintenance.
func (s *RetentionPolicy) Set(ctx context.Context, a lost.Actor, days int) error {
	return access.ChangeAccount(ctx, s.db, a, lost.RetentionChanged, func(account *lost.Account) (string, error) {
		before := account.GuestDays
		if changed, err := account.SetGuestDays(days); err != nil || !changed {
			return "", err
		}
		return fmt.Sprintf("from %d to %d days", before, days), nil
	})
}
