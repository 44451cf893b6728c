package api

import (
	"context"
	"time"

	"golang.org/x/time/rate"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// wrongKeys limits how many wrong API keys a client may try. A valid key always works, whatever other keys the same
// client has sent: many programs may share an address.
type wrongKeys struct {
	throttle *respond.Throttle
	// turns limits how many keys of clients over the limit are looked up at once, so that their wrong keys cannot keep
	// the database busy.
	turns chan struct{}
}

// The limits for wrong keys of one client, and for look-ups of all clients that exceed it.
const (
	maxWrongKeys   = 30
	wrongKeyEvery  = 5 * time.Second
	wrongKeyChecks = 2
)

func newWrongKeys(now func() time.Time) *wrongKeys {
	return &wrongKeys{
		throttle: respond.NewThrottle(rate.Every(wrongKeyEvery), maxWrongKeys, now),
		turns:    make(chan struct{}, wrongKeyChecks),
	}
}

// enter waits until a key of a client may be looked up. The caller must call leave afterwards. Only keys that this
// instance does not remember, of clients over the limit, have to wait: a few milliseconds for each key before them.
func (w *wrongKeys) enter(ctx context.Context, client string, remembered bool) (leave func(), err error) {
	if remembered || w.throttle.Wait(client) == 0 {
		return func() {}, nil
	}
	select {
	case w.turns <- struct{}{}:
		return func() { <-w.turns }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// refuse counts a wrong key and returns the error for it: TooMany if the client has tried too many of them.
func (w *wrongKeys) refuse(client string, wrong error) error {
	_, wait := w.throttle.Take(client)
	if wait == 0 {
		return wrong
	}
	e := lost.E(lost.TooMany, "Too many requests with a wrong API key. Check the key, and try again in %s.",
		lost.HumanDuration(wait))
	e.Wait = wait
	return e
}
