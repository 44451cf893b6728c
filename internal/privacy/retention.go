package privacy

import (
	"context"
	"fmt"
	"time"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// RetentionPolicy manages how long guests' data is stored.
type RetentionPolicy struct {
	db                *store.DB
	deliveryRetention time.Duration
}

// RetentionPolicyOptions are the dependencies of a RetentionPolicy.
type RetentionPolicyOptions struct {
	DB         *store.DB
	Deliveries time.Duration
}

// NewRetentionPolicy creates a RetentionPolicy.
func NewRetentionPolicy(o RetentionPolicyOptions) *RetentionPolicy {
	return &RetentionPolicy{
		db: o.DB, deliveryRetention: o.Deliveries,
	}
}

// Retention is how long an account stores guests' data, and what has been removed as a result.
type Retention struct {
	Days       int
	Removed    []lost.ErasedOnDay // the most recent days on which something was removed
	Deliveries time.Duration      // how long events and their deliveries are stored
}

// removedDays is the largest number of days in Retention.Removed.
const removedDays = 14

// Get returns the retention settings of the actor's account.
func (s *RetentionPolicy) Get(ctx context.Context, a lost.Actor) (r Retention, err error) {
	if err := access.MayViewAccount(a, lost.ManageAccount); err != nil {
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

// Preview returns how many items would immediately lose their guest's data if it were stored for the given number of
// days.
func (s *RetentionPolicy) Preview(ctx context.Context, a lost.Actor, days int) (lost.Total, error) {
	if err := access.MayViewAccount(a, lost.ManageAccount); err != nil {
		return lost.Total{}, err
	}
	if _, err := (&lost.Account{}).SetGuestDays(days); err != nil {
		return lost.Total{}, err
	}
	return s.db.CountItemsToErase(ctx, a.Account, s.db.Now().AddDate(0, 0, -days))
}

// Set sets how many days guests' data is stored after an item is closed. The next maintenance run removes older data.
func (s *RetentionPolicy) Set(ctx context.Context, a lost.Actor, days int) error {
	return access.ChangeAccount(ctx, s.db, a, lost.RetentionChanged, func(account *lost.Account) (string, error) {
		before := account.GuestDays
		if changed, err := account.SetGuestDays(days); err != nil || !changed {
			return "", err
		}
		return fmt.Sprintf("from %d to %d days", before, days), nil
	})
}
