package access

import (
	"context"
	"strings"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// Limit says how often something may be attempted. The counts are kept in the database, so they hold on every copy of
// the service.
type Limit struct {
	Kind   string // as it is stored
	Policy lost.ThrottlePolicy
	// ResetOnSuccess makes a success forget all earlier attempts. Otherwise it forgets only its own.
	ResetOnSuccess bool
}

// Attempt is something that a person, an address or a client tries.
type Attempt struct {
	limit Limit
	slot  int64
}

// Of gives the attempt that is counted for a combination of names.
func (l Limit) Of(who ...string) Attempt {
	return Attempt{l, store.ThrottleSlot(strings.Join(who, " "))}
}

// Throttle counts attempts before they are made, so that many at once do not get around the limit. If one of them has
// to wait, none is counted. Callers name attempts always in the same order, so that two transactions cannot wait for
// each other.
func Throttle(tx *store.Tx, attempts ...Attempt) error {
	counts := make([]lost.Throttle, len(attempts))
	var wait time.Duration
	for n, t := range attempts {
		count, err := tx.LockThrottle(t.limit.Kind, t.slot)
		if err != nil {
			return err
		}
		counts[n] = count
		wait = max(wait, count.Wait(tx.Now()))
	}
	if wait > 0 {
		return lost.RateLimitError(wait)
	}
	for n, t := range attempts {
		counts[n].Fail(t.limit.Policy, tx.Now())
		if err := tx.SaveThrottle(t.limit.Kind, t.slot, counts[n]); err != nil {
			return err
		}
	}
	return nil
}

// ThrottleNow is Throttle in a transaction of its own.
func ThrottleNow(ctx context.Context, db *store.DB, attempts ...Attempt) error {
	return db.Write(ctx, func(tx *store.Tx) error { return Throttle(tx, attempts...) })
}

// Forgive takes back what Throttle counted, after the attempts succeeded.
func Forgive(tx *store.Tx, attempts ...Attempt) error {
	for _, t := range attempts {
		count, err := tx.LockThrottle(t.limit.Kind, t.slot)
		if err != nil {
			return err
		}
		count.Forgive(tx.Now())
		if t.limit.ResetOnSuccess {
			count = lost.Throttle{}
		}
		if err := tx.SaveThrottle(t.limit.Kind, t.slot, count); err != nil {
			return err
		}
	}
	return nil
}
