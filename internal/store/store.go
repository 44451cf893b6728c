// Package store stores all data in SQLite or PostgreSQL: queries, migrations, encryption of secrets and the read
// replica. Only this package and store/transfer, which copies whole databases, contain the service's SQL. The SQL is
// the same for both databases; dialect.go contains the differences.
//
// DB reads, and only Tx writes. A Tx exists only inside DB.Write: one function is one transaction.
// Every method takes the account, and its queries have it in their WHERE clause, so that data of
// another account cannot be accessed. The few methods that work across all accounts say so: lookups
// before the account is known, the operator's lists, and background jobs.
package store

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"homeward/internal/lost"
	"homeward/internal/tracing"
)

// errConflict means that a write conflicts with another one: a unique value is already used, a
// referenced row was deleted, or two transactions conflicted. DB.Write retries the transaction.
var errConflict = errors.New("conflict with another write")

// DB reads from the database and starts transactions.
type DB struct {
	reader
	engine   engine
	clock    func() time.Time
	replica  *replica // used for lists; may be nil
	observer Observer
	channels Channels
	events   Events
	// schedules has the settings that new items depend on, of locations where items were created.
	schedules *scheduleCache
	// waiting is the number of writes that have not started.
	waiting *atomic.Int64
}

// reader has the methods that read. DB, Tx and Snapshot embed it.
type reader struct {
	h         handle
	d         dialect
	encrypter *encrypter
	limits    scanLimits
	estimates *rowEstimates
	rules     *ruleCache
}

// Open opens a database: postgres://… or the path of a SQLite file. It does not change the schema; see Migrate.
func Open(ctx context.Context, setting string, clock func() time.Time) (*DB, error) {
	return openDatabase(ctx, setting, durableMode, clock)
}

// OpenUnsynced is like Open, but for loading data into a database. A SQLite file is not synced to
// disk, so after a power failure it may be damaged and must be loaded again.
func OpenUnsynced(ctx context.Context, setting string, clock func() time.Time) (*DB, error) {
	return openDatabase(ctx, setting, unsyncedMode, clock)
}

// OpenForLoad is like Open, but for filling a new SQLite file that nobody else uses, as fast as
// possible. After any failed write the file is damaged and must be deleted.
func OpenForLoad(ctx context.Context, file string, clock func() time.Time) (*DB, error) {
	return openDatabase(ctx, file, loadMode, clock)
}

func openDatabase(ctx context.Context, setting string, mode sqliteMode, clock func() time.Time) (*DB, error) {
	e, err := openEngine(ctx, setting, mode)
	if err != nil {
		return nil, err
	}
	if inspect != nil {
		e = inspectedEngine{e}
	}
	return &DB{
		reader: reader{
			h: e, d: e.dialect(), encrypter: &encrypter{},
			limits: scanLimits{
				beforeIndex: 2000, withoutIndex: lost.MaxScanned, fewValues: 6000, fewOfStatus: 2000,
			},
			estimates: &rowEstimates{},
			rules:     &ruleCache{},
		}, engine: e, clock: clock, waiting: &atomic.Int64{}, schedules: &scheduleCache{},
	}, nil
}

func openEngine(ctx context.Context, setting string, mode sqliteMode) (engine, error) {
	if IsPostgres(setting) {
		return openPostgres(ctx, setting)
	}
	return openSQLite(ctx, setting, mode)
}

// IsPostgres reports whether a setting is the URL of a PostgreSQL database.
func IsPostgres(setting string) bool {
	return strings.HasPrefix(setting, "postgres://") || strings.HasPrefix(setting, "postgresql://")
}

// Close waits for the current write and closes the database.
func (db *DB) Close() {
	if db.replica != nil {
		db.replica.close()
	}
	db.engine.close()
}

// Ping returns an error unless the database responds.
func (db *DB) Ping(ctx context.Context) error { return db.engine.ping(ctx) }

// Now returns the current time of the database's clock.
func (db *DB) Now() time.Time { return truncatedNow(db.clock) }

// Tx is one transaction. It reads its own writes.
type Tx struct {
	reader
	ctx   context.Context
	h     txHandle
	clock func() time.Time
	now   time.Time

	events    Events
	announced []announcement         // events whose deliveries are added at the end
	changed   map[string]*itemEvents // the events about changes, by item
	queues    []EndpointQueue        // queues that have new deliveries; known after the commit

	channels    Channels
	schedules   *scheduleCache
	saved       []savedMessage // messages that will be saved, not sent, after the commit
	pageChanges []PageChange   // what open pages show and the transaction has changed
	numbered    string         // the account that numberChange was last called for
	soonChecked time.Time      // when the last inserted item is due for a check; zero if that is not soon
}

// Now returns the transaction's time, to the microsecond. All its writes use the same time. Locking
// a record may advance this time, so lock records before calling Now.
func (tx *Tx) Now() time.Time { return tx.now }

// displayPrecision is the precision of displayed times. The times of two changes to a record differ
// by at least this much.
const displayPrecision = time.Millisecond

// advanceNow makes the transaction's time later than the last change to a record that it has just
// locked. While it waited for the lock, transactions that started later may have committed, and
// another instance's clock may be ahead. This way, sorting by time always gives the order of the
// changes. It never makes the time earlier, because the transaction may have locked other records
// before.
func (tx *Tx) advanceNow(last time.Time) {
	next := last.Truncate(displayPrecision).Add(displayPrecision)
	for _, t := range []time.Time{truncatedNow(tx.clock), next} {
		if tx.now.Before(t) {
			tx.now = t
		}
	}
}

func truncatedNow(clock func() time.Time) time.Time { return clock().UTC().Truncate(time.Microsecond) }

// insideWrite marks the context of a transaction, to detect a nested Write.
type insideWrite struct{}

// Context returns the transaction's context. Calling Write with this context returns an error.
func (tx *Tx) Context() context.Context { return tx.ctx }

const maxAttempts = 5

// Write runs fn in one transaction, which is committed if fn returns no error. After a conflict it
// runs fn again, so fn must not have effects outside the database. It returns an error from fn
// unchanged.
func (db *DB) Write(ctx context.Context, fn func(tx *Tx) error) error {
	if ctx.Value(insideWrite{}) != nil {
		return errors.New("store: Write inside a Write")
	}
	ctx, span := tracing.StartSpan(ctx, "database write")
	w := &observedWrite{db: db, began: time.Now()}
	var tx *Tx
	var err error
	for range maxAttempts {
		err = w.write(ctx, func(h txHandle) error {
			tx = db.transaction(ctx, h)
			return tx.run(fn)
		})
		if !errors.Is(err, errConflict) {
			w.report(span, err)
			if err == nil {
				db.reportCommit(tx)
			}
			return err
		}
		db.schedules.forget() // an outdated one may be the reason
	}
	err = lost.E(lost.Busy, "Someone else is changing the same record. Try again.").WithCause(err)
	w.report(span, err)
	return err
}

// run calls a function with the transaction, and then adds what follows from its writes.
func (tx *Tx) run(fn func(tx *Tx) error) error {
	if err := fn(tx); err != nil {
		return err
	}
	return tx.addDeliveries()
}

// reportCommit reports what a committed transaction has added.
func (db *DB) reportCommit(tx *Tx) {
	db.reportSaved(tx)
	if db.events.Wake != nil && len(tx.queues) > 0 {
		db.events.Wake(tx.queues...)
	}
	if db.events.OnPageChange != nil && len(tx.pageChanges) > 0 {
		db.events.OnPageChange(tx.pageChanges)
	}
}

// transaction returns a Tx that uses the given handle.
func (db *DB) transaction(ctx context.Context, h txHandle) *Tx {
	h = textGuard{h}
	return &Tx{
		reader: reader{
			h: h, d: db.d, encrypter: db.encrypter, limits: db.limits, estimates: db.estimates, rules: db.rules,
		},
		ctx:   context.WithValue(ctx, insideWrite{}, true),
		h:     h,
		clock: db.clock,
		now:   truncatedNow(db.clock),

		channels:  db.channels,
		events:    db.events,
		schedules: db.schedules,
	}
}

// InBatches calls step in consecutive transactions until it processes fewer rows than the batch
// size. Other writes can run in between.
func (db *DB) InBatches(ctx context.Context, step func(tx *Tx, batchSize int) (done int64, err error)) error {
	const batchSize = 500
	for done := int64(batchSize); done == batchSize; {
		err := db.Write(ctx, func(tx *Tx) (err error) {
			done, err = step(tx, batchSize)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// traceParent returns the trace that the transaction belongs to, in encoded form.
func (tx *Tx) traceParent() string { return tracing.FromContext(tx.ctx).Encode() }

// exec runs a statement and returns the number of affected rows.
func (tx *Tx) exec(sql string, args ...any) (int64, error) { return tx.h.Exec(tx.ctx, sql, args...) }

// deleteOld is like exec, but for cleanup, which works across all accounts.
func (tx *Tx) deleteOld(sql string, args ...any) (int64, error) {
	return tx.h.Exec(withScope(tx.ctx, CleanupScope), sql, args...)
}

// queue schedules a statement without a result, which runs before the commit at the latest.
func (tx *Tx) queue(sql string, args ...any) error { return tx.h.Queue(tx.ctx, sql, args...) }

// queueForItem is like queue, but for a statement that inserts an item, or that inserts rows because of an item. The
// latter selects from the item in this form: FROM items WHERE account_id = …
func (tx *Tx) queueForItem(item, sql string, args ...any) error {
	return tx.h.QueueForItem(tx.ctx, item, sql, args...)
}

// micros and fromMicros convert times to and from their stored form.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func fromMicros(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}
