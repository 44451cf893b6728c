package app

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

// await waits for a signal.
func await(t *testing.T, what string, signal <-chan struct{}) {
	t.Helper()
	select {
	case <-signal:
	case <-time.After(time.Minute):
		t.Fatalf("timed out waiting until %s", what)
	}
}

// instance tries to do work that only one instance may do.
type instance struct {
	began, ended chan struct{}
	stop         context.CancelFunc
}

func newInstance(t *testing.T, l lease) instance {
	ctx, stop := context.WithCancel(t.Context())
	i := instance{make(chan struct{}, 10), make(chan struct{}, 10), stop}
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.run(ctx, func(ctx context.Context) {
			i.began <- struct{}{}
			<-ctx.Done()
			i.ended <- struct{}{}
		})
	}()
	t.Cleanup(func() {
		stop()
		await(t, "the instance stops", done)
	})
	return i
}

// acquireLease gets a lease like an instance.
func acquireLease(t *testing.T, db *store.DB, name, holder string) (acquired bool) {
	t.Helper()
	err := db.Write(t.Context(), func(tx *store.Tx) (err error) {
		acquired, err = tx.AcquireLease(name, holder, time.Minute)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return acquired
}

func TestOnlyOneInstanceDoesTheWork(t *testing.T) {
	clock := &storetest.Clock{}
	storetest.EachClock(t, clock.Now, func(t *testing.T, db *store.DB) {
		l := lease{
			db: db, log: slog.New(slog.DiscardHandler), name: "work", life: time.Minute, renew: 5 * time.Millisecond,
		}
		first := newInstance(t, l)
		await(t, "the first instance begins", first.began)
		second := newInstance(t, l)
		l.name = "other work"
		other := newInstance(t, l)
		await(t, "other work begins", other.began)
		if len(second.began) > 0 || len(first.ended) > 0 {
			t.Error("two instances do the same work")
		}
		first.stop()
		await(t, "the second instance takes over", second.began)
		await(t, "the first instance has ended", first.ended)

		// An instance that could not renew its lease in time stops when another one has got it.
		for clock.Advance(time.Hour); !acquireLease(t, db, "work", "third"); {
			clock.Advance(time.Hour)
		}
		await(t, "the second instance ends", second.ended)
	})
}

func TestAnExpiredLeaseIsTakenOver(t *testing.T) {
	clock := &storetest.Clock{}
	storetest.EachClock(t, clock.Now, func(t *testing.T, db *store.DB) {
		for range 2 { // the second time, it is renewed
			if !acquireLease(t, db, "work", "crashed") || acquireLease(t, db, "work", "second") {
				t.Error("the first holder must have the lease")
			}
		}
		clock.Advance(59 * time.Second)
		if acquireLease(t, db, "work", "second") {
			t.Error("the lease was taken too early")
		}
		clock.Advance(time.Second)
		if !acquireLease(t, db, "work", "second") || acquireLease(t, db, "work", "crashed") {
			t.Error("the lease was not taken over after it expired")
		}
	})
}

func TestAFailedLeaseRequestIsLogged(t *testing.T) {
	storetest.EachClock(t, time.Now, func(t *testing.T, db *store.DB) {
		lines, out := io.Pipe()
		// Without any time, each request fails.
		newInstance(t, lease{
			db: db, log: slog.New(slog.NewTextHandler(out, nil)), name: "work", renew: time.Millisecond,
		})
		text := make([]byte, 1000)
		n, err := lines.Read(text)
		if got := string(text[:n]); err != nil || !strings.Contains(got, "lease request failed; retrying") ||
			!strings.Contains(got, "work=work") {
			t.Errorf("got %q, %v", got, err)
		}
		_ = lines.Close() // later lines are not read
	})
}
