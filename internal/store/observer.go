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

// Observer specifies how database access is measured.
type Observer struct {
	// OnWrite is called after every write; it may be nil.
	OnWrite func(WriteStats)
	// TraceQueries makes every query create a span inside the caller's span.
	TraceQueries bool
	// OnMigration is called after every migration that was applied; it may be nil.
	OnMigration func(name string, took time.Duration)
}

// WriteStats describes a write.
type WriteStats struct {
	Outcome Outcome
	Waited  time.Duration // time spent waiting for SQLite's writer, or for a PostgreSQL connection
	Took    time.Duration // total time
	Retries int           // number of retries after a conflict
}

// Outcome is the result of a write.
type Outcome string

// The outcomes of a write.
const (
	Committed Outcome = "committed"
	Refused   Outcome = "refused" // rejected by a business rule, or canceled by the caller
	Failed    Outcome = "failed"  // the database returned an error
)

// Pool describes a connection pool.
type Pool struct {
	Name             string
	InUse, Idle, Max int
	Waits            int64         // number of times that a caller had to wait for a connection
	Waited           time.Duration // total waiting time
}

// CacheStats are the hits and misses of a cache.
type CacheStats struct {
	Name         string
	Hits, Misses int64
}

// Observe sets the observer. It must be called before the database is used.
func (db *DB) Observe(w Observer) {
	db.observer = w
	if w.TraceQueries {
		db.h = tracedHandle{db.engine}
	}
}

// Pools returns the state of the connection pools.
func (db *DB) Pools() []Pool { return db.engine.pools() }

// WritesWaiting returns the number of writes in the queue.
func (db *DB) WritesWaiting() int64 { return db.waiting.Load() }

// StatementCache returns the statistics of the prepared-statement cache. They are empty for
// PostgreSQL.
func (db *DB) StatementCache() CacheStats { return db.engine.cacheStats() }

// observedWrite measures one write.
type observedWrite struct {
	db     *DB
	began  time.Time
	waited time.Duration
	runs   int
}

// write is like engine.write, but measures the time spent waiting in the queue.
func (w *observedWrite) write(ctx context.Context, fn func(txHandle) error) error {
	w.runs++
	queued, started := time.Now(), false
	w.db.waiting.Add(1)
	err := w.db.engine.write(ctx, func(h txHandle) error {
		if !started { // otherwise it runs again because of another write in its group
			started = true
			w.db.waiting.Add(-1)
			w.waited += time.Since(queued)
		}
		if w.db.observer.TraceQueries {
			h = tracedTx{h, tracedHandle{h}}
		}
		return fn(h)
	})
	if !started {
		w.db.waiting.Add(-1)
		w.waited += time.Since(queued)
	}
	return err
}

// report ends the span and calls the observer.
func (w *observedWrite) report(span tracing.Span, err error) {
	span.Set("homeward.reruns", w.runs-1)
	span.Set("homeward.wait_us", w.waited.Microseconds())
	outcome := outcomeOf(err)
	span.Set("homeward.outcome", string(outcome))
	if outcome != Failed { // a rejected write is not a database error
		err = nil
	}
	span.End(err)
	if w.db.observer.OnWrite != nil {
		w.db.observer.OnWrite(WriteStats{
			Outcome: outcome, Waited: w.waited, Took: time.Since(w.began), Retries: w.runs - 1,
		})
	}
}

func outcomeOf(err error) Outcome {
	switch code := lost.CodeOf(err); {
	case err == nil:
		return Committed
	case errors.Is(err, context.Canceled):
		return Refused
	case code == lost.Unavailable || code == lost.Internal:
		return Failed
	default:
		return Refused
	}
}

// Backlog describes the pending work of one queue.
type Backlog struct {
	Queue  string    // a kind of job, DeliveryQueue or CheckQueue
	Due    int       // number due now, counted up to MaxBacklog
	Oldest time.Time // time when the first one became due; zero if none is due
	Failed int       // number of failed jobs that are still stored, counted up to MaxBacklog
}

// MaxBacklog is the highest number in a Backlog.
const MaxBacklog = 10_000

// The queues other than those for jobs.
const (
	DeliveryQueue = "deliver" // deliveries of events to endpoints
	CheckQueue    = "look"    // items that background jobs have to check for reminders and tasks
)

// Backlogs describes every queue. It reads a bounded part of the indexes on pending work, so that
// neither a long queue nor finished work makes it slow. It works across all accounts; only
// monitoring uses it.
func (r reader) Backlogs(ctx context.Context, now time.Time) ([]Backlog, error) {
	ctx = withScope(ctx, BackgroundScope)
	const maxQueues = 1000 // maximum number of endpoints whose first delivery is read
	waiting, err := r.PendingQueues(ctx, "", maxQueues)
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

// backlogQuery returns a query with one subquery for each kind of job, each of which reads its own
// part of the index. It does not include the age of the first delivery, because finding it requires
// jumping from one endpoint to the next in the index.
func backlogQuery() string {
	const jobsOfKind = `SELECT '%[1]s', (SELECT COUNT(*) FROM (SELECT 1 FROM jobs WHERE state = 'due' AND kind = '%[1]s'
			AND due_at <= $1 LIMIT %[2]d) AS bounded),
			(SELECT COALESCE(MIN(due_at), 0) FROM jobs WHERE state = 'due' AND kind = '%[1]s' AND due_at <= $1),
			(SELECT COUNT(*) FROM given_up WHERE kind = '%[1]s')`
	var parts []string
	for _, kind := range JobKinds() {
		parts = append(parts, fmt.Sprintf(jobsOfKind, kind, MaxBacklog))
	}
	parts = append(parts,
		fmt.Sprintf(`SELECT '%s', (SELECT COUNT(*) FROM (SELECT 1 FROM deliveries WHERE state = 'pending'
				AND due_at <= $1 LIMIT %d) AS bounded), 0, 0`, DeliveryQueue, MaxBacklog),
		// A migration set look_at to 1 to make all items due for a check. That value is not a time.
		fmt.Sprintf(`SELECT '%s', (SELECT COUNT(*) FROM (SELECT 1 FROM items WHERE look_at > 0 AND look_at <= $1
				LIMIT %d) AS bounded),
			(SELECT COALESCE(MIN(look_at), 0) FROM items WHERE look_at > 0 AND look_at > 1 AND look_at <= $1), 0`,
			CheckQueue, MaxBacklog))
	return fmt.Sprintf("WITH given_up (kind) AS (SELECT kind FROM jobs WHERE state = 'failed' LIMIT %d) ", MaxBacklog) +
		strings.Join(parts, "\n\t\tUNION ALL ")
}

// tracedHandle is a handle that creates a span for every query. It is used only if spans are
// collected.
type tracedHandle struct{ handle }

func (t tracedHandle) Query(ctx context.Context, sql string, args ...any) (rows, error) {
	ctx, span := tracing.StartClientSpan(ctx, queryName(sql))
	rs, err := t.handle.Query(ctx, sql, args...)
	return traceRows(rs, err, span)
}

func (t tracedHandle) QueryPlanned(ctx context.Context, sql string, args ...any) (rows, error) {
	ctx, span := tracing.StartClientSpan(ctx, queryName(sql))
	rs, err := t.handle.QueryPlanned(ctx, sql, args...)
	return traceRows(rs, err, span)
}

// tracedTx is like tracedHandle, but for a transaction. A queued statement is sent together with
// another statement, so it becomes an event in the transaction's span.
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
	ctx, span := tracing.StartClientSpan(ctx, queryName(sql))
	n, err := t.txHandle.Exec(ctx, sql, args...)
	span.End(err)
	return n, err
}

func (t tracedTx) Queue(ctx context.Context, sql string, args ...any) error {
	tracing.SpanFromContext(ctx).AddEvent(queryName(sql))
	return t.txHandle.Queue(ctx, sql, args...)
}

func (t tracedTx) QueueForItem(ctx context.Context, item, sql string, args ...any) error {
	tracing.SpanFromContext(ctx).AddEvent(queryName(sql))
	return t.txHandle.QueueForItem(ctx, item, sql, args...)
}

func (t tracedTx) QueueQuery(ctx context.Context, read func(rows) error, sql string, args ...any) error {
	tracing.SpanFromContext(ctx).AddEvent(queryName(sql))
	return t.txHandle.QueueQuery(ctx, read, sql, args...)
}

// traceRows ends a query's span when its rows are closed.
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

// tablePattern matches the first table name in a statement.
var tablePattern = regexp.MustCompile(`(?i)\b(?:FROM|INTO|UPDATE)\s+([a-z_]+)`)

// writePattern matches the verb of a statement that begins with WITH.
var writePattern = regexp.MustCompile(`\)\s*(UPDATE|DELETE|INSERT)\s`)

// queryName returns the verb and the first table of a statement, such as "SELECT items". The name
// contains no arguments.
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

// PageChange tells which pages of the dashboard show something that a transaction has changed: those about the item,
// and the lists of the location. Without an item, it is about all pages of the location, or of the account if that is
// empty too. A change of an item always has a location, so that nobody without access to it hears of the change.
type PageChange struct {
	Account, Location, Item string
	Kind                    PageChangeKind
}

// PageChangeKind is a kind of PageChange that has a special meaning. It is empty for most changes.
type PageChangeKind string

// The kinds of changes.
const (
	LostReportFiled PageChangeKind = "report"
	RequestChanged  PageChangeKind = "request"
	OwnerChose      PageChangeKind = "choice"
	// MatchesChanged means that no list has changed, only the pages about the item.
	MatchesChanged PageChangeKind = "matches"
	// AccessChanged means that a user or session, whose id is in Item, may have lost access. Without an id, all users
	// of the account may.
	AccessChanged PageChangeKind = "access"
)

// notePageChange remembers a change until the commit.
func (tx *Tx) notePageChange(account, location, item string, kind PageChangeKind) {
	tx.pageChanges = append(tx.pageChanges, PageChange{account, location, item, kind})
}

// AnnounceAccess tells the open pages of a user that their access may have changed. If user is empty, it tells those of
// all users of the account.
func (tx *Tx) AnnounceAccess(account, user string) {
	tx.notePageChange(account, "", user, AccessChanged)
}

// noteItemChange remembers that an item was added (before is nil), changed or deleted (after is nil).
func (tx *Tx) noteItemChange(before, after *lost.Item) {
	i := after
	if i == nil {
		i = before
	}
	kind := PageChangeKind("")
	switch {
	case before == nil && i.Source == lost.Request:
		kind = LostReportFiled
	case before != nil && after != nil && before.Status != after.Status && after.MovedBy == lost.ByGuest:
		kind = OwnerChose
	case i.Source == lost.Request:
		kind = RequestChanged
	}
	tx.notePageChange(i.Account, i.LocationID, i.ID, kind)
}

// Broadcast sends changes to the other processes that use the database. The sender is any text that identifies this
// process. It does nothing for SQLite.
func (db *DB) Broadcast(ctx context.Context, sender string, changes []PageChange) error {
	const maxText = 7000 // PostgreSQL accepts less than 8000 bytes
	var texts []string
	text := sender
	for _, c := range changes {
		line := "\n" + strings.Join([]string{c.Account, c.Location, c.Item, string(c.Kind)}, " ")
		if len(text)+len(line) > maxText {
			texts = append(texts, text)
			text = sender
		}
		text += line
	}
	return db.engine.broadcast(ctx, append(texts, text))
}

// ListenForChanges calls ready, and then heard with the changes that other processes broadcast. It returns if the
// connection fails or the context ends. Changes from before the call of ready may be missing.
func (db *DB) ListenForChanges(ctx context.Context, sender string, ready func(), heard func([]PageChange)) error {
	return db.engine.listen(ctx, ready, func(text string) {
		from, rest, _ := strings.Cut(text, "\n")
		if from == sender {
			return
		}
		var changes []PageChange
		for line := range strings.Lines(rest) {
			const fields = 4
			if f := strings.Split(strings.TrimSuffix(line, "\n"), " "); len(f) == fields {
				changes = append(changes, PageChange{f[0], f[1], f[2], PageChangeKind(f[3])})
			}
		}
		heard(changes)
	})
}
