package api

import (
	"context"
	"time"

	"golang.org/x/time/rate"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// keyAttempts limits how many wrong API keys and unknown websites a client may try. A valid key that this instance
// remembers always works, whatever other keys the same client has sent: many programs may share an address.
type keyAttempts struct {
	throttle *respond.Throttle
	// turns limits how many keys of clients over the limit are looked up at once, so that their wrong keys cannot keep
	// the database busy. places limits how many of them are looked up or wait for a turn.
	turns, places chan struct{}
}

// The limits for wrong keys of one client, and for look-ups of all clients that exceed it.
const (
	maxWrongKeys   = 30
	wrongKeyEvery  = 5 * time.Second
	wrongKeyChecks = 2
	waitingKeys    = 50
	keyTurnTimeout = 5 * time.Second
)

func newKeyAttempts(now func() time.Time) *keyAttempts {
	return &keyAttempts{
		throttle: respond.NewThrottle(rate.Every(wrongKeyEvery), maxWrongKeys, now),
		turns:    make(chan struct{}, wrongKeyChecks),
		places:   make(chan struct{}, wrongKeyChecks+waitingKeys),
	}
}

// authenticate calls lookUp for a key of a client, as take does.
func (k *keyAttempts) authenticate(ctx context.Context, client string, remembers func() bool,
	lookUp func() (lost.Actor, error)) (actor lost.Actor, err error) {
	err = k.take(ctx, client, remembers, func() (err error) {
		actor, err = lookUp()
		return err
	})
	return actor, err
}

// take calls lookUp for a key or a website of a client. One that this instance does not remember, of a client over the
// limit, first waits for its turn: a few milliseconds for each look-up before it. If too many are waiting, or if the
// turn does not come in time, the error is TooMany and lookUp is not called.
func (k *keyAttempts) take(ctx context.Context, client string, remembers func() bool, lookUp func() error) error {
	if k.throttle.Wait(client) == 0 || remembers() {
		return lookUp()
	}
	select {
	case k.places <- struct{}{}:
		defer func() { <-k.places }()
	default:
		return k.tooMany(client)
	}
	timeout := time.NewTimer(keyTurnTimeout)
	defer timeout.Stop()
	select {
	case k.turns <- struct{}{}:
		defer func() { <-k.turns }()
	case <-timeout.C:
		return k.tooMany(client)
	case <-ctx.Done():
		return ctx.Err()
	}
	return lookUp()
}

// tooMany returns the error for a client whose key is not looked up.
func (k *keyAttempts) tooMany(client string) error {
	return tooManyWrongKeys(max(k.throttle.Wait(client), time.Second))
}

// refuse counts a wrong key or an unknown website and returns the error for it: TooMany if the client has tried too
// many of them.
func (k *keyAttempts) refuse(client string, wrong error) error {
	_, wait := k.throttle.Take(client)
	if wait == 0 {
		return wrong
	}
	return tooManyWrongKeys(wait)
}

func tooManyWrongKeys(wait time.Duration) error {
	e := lost.E(lost.TooMany, "Too many requests with a wrong API key or from unknown websites. Check the key, and "+
		"try again in %s.", lost.HumanDuration(wait))
	e.Wait = wait
	return e
}
