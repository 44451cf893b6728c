package store

import (
	"context"
	"errors"
	"time"

	"homeward/internal/lost"
	"homeward/internal/tracing"
)

// Watch is who hears how the database fares.
type Watch struct {
	// Wrote is told of every write; nil for nobody.
	Wrote func(Written)
	// Traced has every query be a span of its own, inside that of whoever asks.
	Traced bool
}

// Written is how a write went.
type Written struct {
	Outcome Outcome
	Waited  time.Duration // for its turn: for SQLite's one writer, or for a connection to PostgreSQL
	Took    time.Duration // altogether
	Reruns  int           // because others were quicker
}

// Outcome is what became of a write.
type Outcome string

// The outcomes of a write.
const (
	Committed Outcome = "committed"
	Refused   Outcome = "refused" // by a rule, or because whoever asked is gone
	Broken    Outcome = "failed"  // by the database
)

// Pool is some connections to the database.
type Pool struct {
	Name             string
	InUse, Idle, Max int
	Waits            int64         // how often somebody had to wait for one
	Waited           time.Duration // and for how long in all
}

// CacheUse tells of what was remembered how often it was there when it was asked for.
type CacheUse struct {
	Name         string
	Hits, Misses int64
}

// Watch has somebody hear how the database fares. It is called once, before anything else.
func (db *DB) Watch(w Watch) {
	db.observer = w
	if w.Traced {
		db.h = tracedHandle{db.engine}
	}
}

// Pools tells how busy the connections are.
func (db *DB) Pools() []Pool { return db.engine.pools() }

// WritesWaiting is how many writes wait for their turn.
func (db *DB) WritesWaiting() int64 { return db.waiting.Load() }

// Prepared tells how often a statement was at hand; nothing on PostgreSQL.
func (db *DB) Prepared() CacheUse { return db.engine.cacheStats() }

// observedWrite is one write as it is seen from outside.
type observedWrite struct {
	db     *DB
	began  time.Time
	waited time.Duration
	runs   int
}

// write is engine.write, with an eye on how long its turn is in coming.
func (w *observedWrite) write(ctx context.Context, fn func(txHandle) error) error {
	w.runs++
	asked, turn := time.Now(), false
	w.db.waiting.Add(1)
	err := w.db.engine.write(ctx, func(h txHandle) error {
		turn = true
		w.db.waiting.Add(-1)
		w.waited += time.Since(asked)
		if w.db.observer.Traced {
			h = tracedTx{h, tracedHandle{h}}
		}
		return fn(h)
	})
	if !turn { // it never came
		w.db.waiting.Add(-1)
		w.waited += time.Since(asked)
	}
	return err
}

// report says how the write went, to whoever watches.
func (w *observedWrite) report(span tracing.Span, err error) {
	span.Set("homeward.reruns", w.runs-1)
	span.Set("homeward.wait_us", w.waited.Microseconds())
	outcome := outcomeOf(err)
	span.Set("homeward.outcome", string(outcome))
	if outcome != Broken { // a refusal is an answer, not a fault
		err = nil
	}
	span.End(err)
	if w.db.observer.Wrote != nil {
		w.db.observer.Wrote(Written{Outcome: outcome, Waited: w.waited, Took: time.Since(w.began), Reruns: w.runs - 1})
	}
}

func outcomeOf(err error) Outcome {
	switch code := lost.CodeOf(err); {
	case err == nil:
		return Committed
	case errors.Is(err, context.Canceled):
		return Refused
	case code == lost.Unavailable || code == lost.Internal:
		return Broken
	default:
		return Refused
	}
}
