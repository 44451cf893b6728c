package app

import (
	"context"
	"crypto/rand"
	"log/slog"
	"time"

	"homeward/internal/store"
)

// lease makes work run on only one of the instances that share a database.
type lease struct {
	db    *store.DB
	log   *slog.Logger
	name  string        // the work
	life  time.Duration // how long until another instance takes over the work of one that has crashed
	renew time.Duration // how often the lease is renewed, and how often the other instances try to get it
}

func (a *App) newLease(name string) lease {
	return lease{db: a.db, log: a.log, name: name, life: time.Minute, renew: 15 * time.Second}
}

// run does the work whenever this instance has the lease, until the context ends. The context of the work ends if
// another instance has the lease, or if the lease could not be renewed in time.
func (l lease) run(ctx context.Context, work func(context.Context)) {
	holder := rand.Text()
	for ctx.Err() == nil {
		acquired, err := l.acquire(ctx, holder)
		if acquired {
			l.hold(ctx, holder, work)
		}
		l.report(ctx, err)
		select {
		case <-ctx.Done():
		case <-time.After(l.renew):
		}
	}
}

// hold does the work while this instance has the lease, and then releases it.
func (l lease) hold(ctx context.Context, holder string, work func(context.Context)) {
	working, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		work(working)
	}()
	l.keep(ctx, holder)
	stop()
	<-done
	releasing, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.life/4)
	defer cancel()
	err := l.db.Write(releasing, func(tx *store.Tx) error { return tx.ReleaseLease(l.name, holder) })
	if err != nil {
		l.log.Warn("releasing the lease failed; another instance waits until it expires", "work", l.name, "error", err)
	}
}

// report logs that getting or renewing the lease failed. There is at most one such line for each attempt, and attempts
// are l.renew apart.
func (l lease) report(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		l.log.Error("lease request failed; retrying", "work", l.name, "error", err, "retry", l.renew)
	}
}

// keep renews the lease until it is lost or the context ends.
func (l lease) keep(ctx context.Context, holder string) {
	renewed := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(l.renew):
		}
		began := time.Now()
		acquired, err := l.acquire(ctx, holder)
		l.report(ctx, err)
		switch {
		case acquired:
			renewed = began
		case err == nil || time.Since(renewed) > l.life/2: // before another instance can get it
			return
		}
	}
}

// acquire gets or renews the lease.
func (l lease) acquire(ctx context.Context, holder string) (acquired bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, l.life/4)
	defer cancel()
	err = l.db.Write(ctx, func(tx *store.Tx) (err error) {
		acquired, err = tx.AcquireLease(l.name, holder, l.life)
		return err
	})
	return acquired && err == nil, err
}
