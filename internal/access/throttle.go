package access

import (
	"context"
	"strings"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// Limit defines how often something may be attempted. Attempts are counted in the database, so the limit applies to
// all instances of the service together.
type Limit struct {
	Kind   string // the name of the limit in the database
	Policy lost.ThrottlePolicy
	// UnderAttack replaces the policy while a watched limit of the same attempt is exceeded. It may be nil.
	UnderAttack *lost.ThrottlePolicy
	// Watched makes the limit reject nothing. When it is exceeded, the policies for attacks apply. Use it for counts
	// that strangers can raise, because otherwise they could lock somebody out.
	Watched bool
	// ResetOnSuccess makes a successful attempt reset the count to zero. If it is false, a successful attempt is only
	// subtracted from the count.
	ResetOnSuccess bool
}

// Attempt is an attempt that counts towards a limit, for example a login with an e-mail address or from a client.
type Attempt struct {
	limit Limit
	who   string
}

// NewAttempt returns an attempt that this limit applies to. Attempts with the same values of who are counted together.
func (l Limit) NewAttempt(who ...string) Attempt {
	return Attempt{l, strings.Join(who, " ")}
}

// Throttle counts attempts before they are made, so that concurrent attempts cannot exceed the limit. If one of the
// attempts has reached its limit, Throttle returns an error and counts none of them. Callers must always pass attempts
// in the same order, or two transactions may deadlock.
func Throttle(tx *store.Tx, attempts ...Attempt) error {
	counts := make([]lost.Throttle, len(attempts))
	var wait time.Duration
	attack := false
	for n, t := range attempts {
		count, err := tx.LockThrottle(t.limit.Kind, t.who)
		if err != nil {
			return err
		}
		counts[n] = count
		if t.limit.Watched {
			attack = attack || count.Exceeds(t.limit.Policy, tx.Now())
			continue
		}
		wait = max(wait, count.Wait(tx.Now()))
	}
	if wait > 0 {
		return lost.RateLimitError(wait)
	}
	for n, t := range attempts {
		counts[n].Fail(t.limit.policy(attack), tx.Now())
		if err := tx.SaveThrottle(t.limit.Kind, t.who, counts[n]); err != nil {
			return err
		}
	}
	return nil
}

// Count counts an attempt that is never rejected, and returns how many there were. The first one starts the window of
// the limit's policy.
func Count(tx *store.Tx, t Attempt) (int, error) {
	count, err := tx.LockThrottle(t.limit.Kind, t.who)
	if err != nil {
		return 0, err
	}
	count.Fail(t.limit.Policy, tx.Now())
	return count.Failures, tx.SaveThrottle(t.limit.Kind, t.who, count)
}

// policy returns the policy that applies. attack is true if a watched limit is exceeded.
func (l Limit) policy(attack bool) lost.ThrottlePolicy {
	if attack && l.UnderAttack != nil {
		return *l.UnderAttack
	}
	return l.Policy
}

// ThrottleNow is Throttle in a new transaction.
func ThrottleNow(ctx context.Context, db *store.DB, attempts ...Attempt) error {
	return db.Write(ctx, func(tx *store.Tx) error { return Throttle(tx, attempts...) })
}

// Forgive undoes the counting by Throttle after the attempts have succeeded.
func Forgive(tx *store.Tx, attempts ...Attempt) error {
	for _, t := range attempts {
		count, err := tx.LockThrottle(t.limit.Kind, t.who)
		if err != nil {
			return err
		}
		count.Forgive(tx.Now())
		if t.limit.ResetOnSuccess {
			count = lost.Throttle{}
		}
		if err := tx.SaveThrottle(t.limit.Kind, t.who, count); err != nil {
			return err
		}
	}
	return nil
}
