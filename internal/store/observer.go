package store

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
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

// Backlog is what waits to be done, of one kind.
type Backlog struct {
	Queue  string    // a kind of job, DeliveryQueue or LookQueue
	Due    int       // that could be begun now, counted to MaxBacklog
	Oldest time.Time // since when the first of them could; zero where there is none
	Failed int       // jobs that were given up and are kept to be seen, likewise counted
}

// MaxBacklog is how far what waits is counted.
const MaxBacklog = 10_000

// What waits beside jobs.
const (
	DeliveryQueue = "deliver" // events on their way to endpoints
	LookQueue     = "look"    // items that background work is to look at: reminders, tasks
)

// Backlogs tells of every queue what waits in it. It walks indexes of what waits, each of them not far: a long queue costs
// no more than a bounded one, and what is done costs nothing. It crosses accounts: for whoever watches the service.
func (r reader) Backlogs(ctx context.Context, now time.Time) ([]Backlog, error) {
	ctx = across(ctx, Background)
	const lanes = 1000 // endpoints whose first delivery is looked at
	waiting, err := r.WaitingLanes(ctx, "", lanes)
	if err != nil {
		return nil, err
	}
	var first time.Time
	for _, l := range waiting {
		if !l.Due.After(now) && (first.IsZero() || l.Due.Before(first)) {
			first = l.Due
		}
	}
	rs, err := r.h.Query(ctx, backlogQuery(), micros(now))
	return collect(rs, err, func(rs rows) (b Backlog, err error) {
		var oldest int64
		err = rs.Scan(&b.Queue, &b.Due, &oldest, &b.Failed)
		if b.Oldest = fromMicros(oldest); b.Queue == DeliveryQueue {
			b.Oldest = first
		}
		return b, err
	})
}

// backlogQuery asks for each kind of job by itself: so each is a walk of its part of the index. How old the first delivery is stands elsewhere: it is a walk from endpoint to endpoint.
func backlogQuery() string {
	const each = `SELECT '%[1]s', (SELECT COUNT(*) FROM (SELECT 1 FROM jobs WHERE state = 'due' AND kind = '%[1]s' AND due_at <= $1 LIMIT %[2]d) AS bounded),
			(SELECT COALESCE(MIN(due_at), 0) FROM jobs WHERE state = 'due' AND kind = '%[1]s' AND due_at <= $1),
			(SELECT COUNT(*) FROM given_up WHERE kind = '%[1]s')`
	var parts []string
	for _, kind := range JobKinds() {
		parts = append(parts, fmt.Sprintf(each, kind, MaxBacklog))
	}
	parts = append(parts, fmt.Sprintf(`SELECT '%s', (SELECT COUNT(*) FROM (SELECT 1 FROM deliveries WHERE state = 'pending' AND due_at <= $1 LIMIT %d) AS bounded), 0, 0`, DeliveryQueue, MaxBacklog),
		// Items that an update has all looked at have 1 there, which is no time.
		fmt.Sprintf(`SELECT '%s', (SELECT COUNT(*) FROM (SELECT 1 FROM items WHERE look_at > 0 AND look_at <= $1 LIMIT %d) AS bounded),
			(SELECT COALESCE(MIN(look_at), 0) FROM items WHERE look_at > 0 AND look_at > 1 AND look_at <= $1), 0`, LookQueue, MaxBacklog))
	return fmt.Sprintf("WITH given_up (kind) AS (SELECT kind FROM jobs WHERE state = 'failed' LIMIT %d) ", MaxBacklog) + strings.Join(parts, "\n\t\tUNION ALL ")
}

// tracedHandle makes a span of every query. It is put between only where spans are collected.
type tracedHandle struct{ handle }

func (t tracedHandle) Query(ctx context.Context, sql string, args ...any) (rows, error) {
	ctx, span := tracing.Call(ctx, queryName(sql))
	rs, err := t.handle.Query(ctx, sql, args...)
	return traceRows(rs, err, span)
}

func (t tracedHandle) QueryPlanned(ctx context.Context, sql string, args ...any) (rows, error) {
	ctx, span := tracing.Call(ctx, queryName(sql))
	rs, err := t.handle.QueryPlanned(ctx, sql, args...)
	return traceRows(rs, err, span)
}

// tracedTx does so inside a transaction. What is left for later travels with another statement, and is a moment of the transaction's span.
type tracedTx struct {
	txHandle
	reads tracedHandle
}

func (t tracedTx) Query(ctx context.Context, sql string, args ...any) (rows, error) {
	return t.reads.Query(ctx, sql, args...)
}

func (t tracedTx) QueryPlanned(ctx context.Context, sql string, args ...any) (rows, error) {
	return t.reads.QueryPlanned(ctx, sql, args...)
}

func (t tracedTx) Exec(ctx context.Context, sql string, args ...any) (int64, error) {
	ctx, span := tracing.Call(ctx, queryName(sql))
	n, err := t.txHandle.Exec(ctx, sql, args...)
	span.End(err)
	return n, err
}

func (t tracedTx) Queue(ctx context.Context, sql string, args ...any) error {
	tracing.Here(ctx).Note(queryName(sql))
	return t.txHandle.Queue(ctx, sql, args...)
}

func (t tracedTx) Ask(ctx context.Context, read func(rows) error, sql string, args ...any) error {
	tracing.Here(ctx).Note(queryName(sql))
	return t.txHandle.Ask(ctx, read, sql, args...)
}

// traceRows ends a query's span when its rows are read.
func traceRows(rs rows, err error, span tracing.Span) (rows, error) {
	if err != nil {
		span.End(err)
		return nil, err
	}
	return &tracedRows{rows: rs, span: span}, nil
}

type tracedRows struct {
	rows
	span  tracing.Span
	ended bool
}

func (r *tracedRows) Close() {
	r.rows.Close()
	if !r.ended {
		r.ended = true
		r.span.End(r.Err())
	}
}

// tablePattern finds the table that a statement is first about.
var tablePattern = regexp.MustCompile(`(?i)\b(?:FROM|INTO|UPDATE)\s+([a-z_]+)`)

// writePattern finds what a statement that begins with a choice of rows then does to them.
var writePattern = regexp.MustCompile(`\)\s*(UPDATE|DELETE|INSERT)\s`)

// queryName is what a statement does, and to which table: "SELECT items". Nothing of its arguments is in it, nor of its text.
func queryName(sql string) string {
	verb, _, _ := strings.Cut(strings.TrimSpace(sql), " ")
	if at := writePattern.FindStringSubmatchIndex(sql); at != nil && strings.EqualFold(verb, "WITH") {
		verb, sql = sql[at[2]:at[3]], sql[at[2]:]
	}
	if m := tablePattern.FindStringSubmatch(sql); m != nil {
		return strings.ToUpper(verb) + " " + m[1]
	}
	return strings.ToUpper(verb)
}
