package api

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"homeward/internal/lost"
)

func isForgotten() bool  { return false }
func isRemembered() bool { return true }

// Clients over the limit share two look-ups. The number of keys that wait for them is limited, and so is the time.
func TestKeysThatWaitAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKeyAttempts(time.Now)
		for k.throttle.Wait("attacker") == 0 {
			_ = k.refuse("attacker", errors.New("wrong"))
		}
		finish := make(chan struct{})
		slow := func() (lost.Actor, error) { <-finish; return lost.Actor{}, nil }
		ask := func(lookUp func() (lost.Actor, error)) error {
			_, err := k.authenticate(t.Context(), "attacker", isForgotten, lookUp)
			return err
		}
		errs := make(chan error, 1000)
		var asking sync.WaitGroup
		for range 1000 {
			asking.Go(func() { errs <- ask(slow) })
		}
		synctest.Wait()
		if n := len(errs); n != 1000-wrongKeyChecks-waitingKeys {
			t.Errorf("%d of 1000 keys were refused at once, want all but %d", n, wrongKeyChecks+waitingKeys)
		}
		time.Sleep(keyTurnTimeout) //nolint:forbidigo // inside testing/synctest, where time is simulated
		synctest.Wait()
		if n := len(errs); n != 1000-wrongKeyChecks {
			t.Errorf("%d of 1000 keys were refused after the time limit, want all but %d", n, wrongKeyChecks)
		}
		for range len(errs) {
			e, _ := errors.AsType[*lost.Error](<-errs)
			if e == nil || e.Code != lost.TooMany || e.Wait < time.Second {
				t.Fatalf("got %v, want TooMany with a time to wait", e)
			}
		}
		other := func() (lost.Actor, error) { return lost.Actor{ID: "key"}, nil }
		if a, err := k.authenticate(t.Context(), "other", isForgotten, other); err != nil || a.ID != "key" {
			t.Errorf("another client: got %v, %v", a, err)
		}
		if a, err := k.authenticate(t.Context(), "attacker", isRemembered, other); err != nil || a.ID != "key" {
			t.Errorf("a remembered key of the same client: got %v, %v", a, err)
		}
		close(finish)
		asking.Wait()
	})
}

// A look-up that panics or is cancelled gives its turn back.
func TestATurnIsAlwaysReturned(t *testing.T) {
	k := newKeyAttempts(time.Now)
	for k.throttle.Wait("attacker") == 0 {
		_ = k.refuse("attacker", errors.New("wrong"))
	}
	for range wrongKeyChecks + waitingKeys {
		func() {
			defer func() { _ = recover() }()
			_, _ = k.authenticate(t.Context(), "attacker", isForgotten, func() (lost.Actor, error) { panic("a bug") })
		}()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range wrongKeyChecks {
		k.turns <- struct{}{}
	}
	if _, err := k.authenticate(ctx, "attacker", isForgotten, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled request: got %v", err)
	}
	if n := len(k.places); n != 0 {
		t.Errorf("%d places are still taken", n)
	}
}
