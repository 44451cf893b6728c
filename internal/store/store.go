// Package store keeps everything in a database: SQLite in a file, or PostgreSQL.
// It is the only room that speaks SQL, one text for both; dialect.go holds what differs.
//
// Reading is done on DB, writing on Tx alone, and a Tx is had only from DB.Write: one
// function, one transaction. Every method names the account, and its queries have it in their WHERE, so that
// nothing of another account can be reached. The few that cross accounts say so: look-ups that begin
// without one, the operator's lists, and background work.
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

// errConflict says that somebody else was quicker: a name was taken, a row went away,
// two transactions collided. Whoever meets it looks again.
var errConflict = errors.New("overtaken by another write")

// DB reads, and begins transactions.
type DB struct {
	reader
	engine  engine
	clock   func() time.Time
	replica *replica // for lists; nil where there is none
	observer   Watch
	// waiting counts the writes whose turn has not come.
	waiting *atomic.Int64
}

// reader holds the read methods; DB and Tx share them.
type reader struct {
	h    handle
	d    dialect
	encrypter *encrypter
	walk scanLimits
}

// Open opens a database: postgres://… or the path of a SQLite file. It changes
// no schema; see Migrate.
func Open(ctx context.Context, setting string, clock func() time.Time) (*DB, error) {
	return openDatabase(ctx, setting, true, clock)
}

// OpenHasty opens a database to be filled. A SQLite file does not wait for the disk there: should the machine lose power meanwhile, it may be broken, and is
// to be filled again.
func OpenHasty(ctx context.Context, setting string, clock func() time.Time) (*DB, error) {
	return openDatabase(ctx, setting, false, clock)
}

func openDatabase(ctx context.Context, setting string, safe bool, clock func() time.Time) (*DB, error) {
	e, err := openEngine(ctx, setting, safe)
	if err != nil {
		return nil, err
	}
	if inspect != nil {
		e = inspectedEngine{e}
	}
	return &DB{reader: reader{h: e, d: e.dialect(), encrypter: &encrypter{}, walk: scanLimits{beforeIndex: 2000, withoutIndex: lost.MaxWalked}}, engine: e, clock: clock, waiting: &atomic.Int64{}}, nil
}

func openEngine(ctx context.Context, setting string, safe bool) (engine, error) {
	if IsPostgres(setting) {
		return openPostgres(ctx, setting)
	}
	return openSQLite(ctx, setting, safe)
}

// IsPostgres tells whether a database setting names a PostgreSQL server.
func IsPostgres(setting string) bool {
	return strings.HasPrefix(setting, "postgres://") || strings.HasPrefix(setting, "postgresql://")
}

// Close waits for the write under way and closes the database.
func (db *DB) Close() {
	if db.replica != nil {
		db.replica.close()
	}
	db.engine.close()
}

// Ping tells whether the database answers.
func (db *DB) Ping(ctx context.Context) error { return db.engine.ping(ctx) }

// Now is the time by the database's clock.
func (db *DB) Now() time.Time { return truncatedNow(db.clock) }

// Tx is one transaction. It reads what it wrote.
type Tx struct {
	reader
	ctx   context.Context
	h     txHandle
	clock func() time.Time
	now   time.Time
	queues []Lane // that have work when it is committed
}

// Now is the time of the transaction, to the microsecond: everything written in it bears the same. A record
// that is locked may move it on, so lock first and ask then.
func (tx *Tx) Now() time.Time { return tx.now }

// displayPrecision is how exactly people see times. Two changes of a record differ in what they see.
const displayPrecision = time.Millisecond

// follow makes the transaction later than the last change of a record that it has just locked. While it
// waited for the lock, others that began after it may have gone first; and another copy's clock may be
// ahead. What is sorted by time is then in the order in which it was done.
func (tx *Tx) follow(last time.Time) {
	tx.now = truncatedNow(tx.clock)
	if next := last.Truncate(displayPrecision).Add(displayPrecision); tx.now.Before(next) {
		tx.now = next
	}
}

func truncatedNow(clock func() time.Time) time.Time { return clock().UTC().Truncate(time.Microsecond) }

// insideWrite marks the context of a transaction, so that another cannot begin in it.
type insideWrite struct{}

// Context is the transaction's context: a Write that begins from it is refused.
func (tx *Tx) Context() context.Context { return tx.ctx }

const maxAttempts = 5

// Write runs fn in one transaction: all that it writes is kept, or nothing. It may run fn
// more than once, when another write was quicker, so fn acts on the database alone. The
// error of fn comes back as it is.
func (db *DB) Write(ctx context.Context, fn func(tx *Tx) error) error {
	if ctx.Value(insideWrite{}) != nil {
		return errors.New("store: Write inside a Write")
	}
	ctx, span := tracing.Begin(ctx, "database write")
	w := &observedWrite{db: db, began: time.Now()}
	var err error
	for range maxAttempts {
		err = w.write(ctx, func(h txHandle) error {
			return fn(db.transaction(ctx, h))
		})
		if !errors.Is(err, errConflict) {
			w.report(span, err)
			return err
		}
	}
	err = lost.E(lost.Conflict, "Others are changing the same record. Try again.").Because(err)
	w.report(span, err)
	return err
}

// transaction is what a handle inside one is to everybody else.
func (db *DB) transaction(ctx context.Context, h txHandle) *Tx {
	return &Tx{
		reader: reader{h: h, d: db.d, encrypter: db.encrypter, walk: db.walk},
		ctx:    context.WithValue(ctx, insideWrite{}, true),
		h:      h,
		clock:  db.clock,
		now:    truncatedNow(db.clock),
	}
}

// InPieces does something to many rows, some at a time and each time in a transaction of its own, until there are none
// left: others get their turn between.
func (db *DB) InPieces(ctx context.Context, piece func(tx *Tx, some int) (done int64, err error)) error {
	const some = 500
	for done := int64(some); done == some; {
		err := db.Write(ctx, func(tx *Tx) (err error) {
			done, err = piece(tx, some)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// trail leads back to the request that the transaction is part of.
func (tx *Tx) trail() string { return tracing.Of(tx.ctx).Kept() }

// exec runs a statement and tells how many rows it touched.
func (tx *Tx) exec(sql string, args ...any) (int64, error) { return tx.h.Exec(tx.ctx, sql, args...) }

// prune is exec of a statement that removes what is old, whosever it is.
func (tx *Tx) prune(sql string, args ...any) (int64, error) {
	return tx.h.Exec(across(tx.ctx, Upkeep), sql, args...)
}

// later runs a statement that answers nothing, at the latest before the commit.
func (tx *Tx) later(sql string, args ...any) error { return tx.h.Queue(tx.ctx, sql, args...) }

// micros and fromMicros are how times are kept.
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
