package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"homeward/internal/lost"
)

// snapshot runs fn in one transaction. In WAL mode it blocks no other connection and does not see
// later writes.
func (e *sqliteEngine) snapshot(ctx context.Context, fn func(handle) error) error {
	conn, err := e.readers.Conn(ctx)
	if err != nil {
		return sqliteError(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.ExecContext(ctx, "BEGIN"); err != nil {
		return sqliteError(err)
	}
	defer func() { _, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK") }()
	if _, err := conn.ExecContext(ctx, "SELECT count(*) FROM sqlite_schema"); err != nil {
		return sqliteError(err)
	}
	return fn(sqliteConn{conn})
}

// sqliteConn is a handle that reads from one connection.
type sqliteConn struct{ conn *sql.Conn }

func (c sqliteConn) Query(ctx context.Context, query string, args ...any) (rows, error) {
	rs, err := c.conn.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, sqliteError(err)
	}
	return &sqliteRows{Rows: rs}, rs.Err()
}

func (c sqliteConn) QueryPlanned(ctx context.Context, query string, args ...any) (rows, error) {
	return c.Query(ctx, query, args...)
}

// InsertRows inserts the rows one by one with a prepared statement.
func (t *sqliteTx) InsertRows(
	ctx context.Context, table string, columns []string, next func() ([]any, error),
) (n int64, err error) {
	names, placeholders := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		names[i] = QuoteName(c)
		placeholders[i] = fmt.Sprintf("$%d", i+1)
	}
	insert := "INSERT INTO " + QuoteName(table) +
		" (" + strings.Join(names, ", ") + ") VALUES (" + strings.Join(placeholders, ", ") + ")"
	for {
		row, err := next()
		if row == nil || err != nil {
			return n, err
		}
		if _, err := t.Exec(ctx, insert, row...); err != nil {
			return n, err
		}
		n++
	}
}

const (
	maxGroup     = 64               // maximum number of writes that share one commit
	maxWriteWait = 10 * time.Second // maximum time in the queue without a BatchContext
)

// queuedWrite is a caller's transaction in the writer's queue.
type queuedWrite struct {
	ctx    context.Context
	fn     func(txHandle) error
	taken  atomic.Bool // set by the writer, which will then send a result, or by a caller that stops waiting
	result chan error  // buffered, so that the writer does not have to wait for the caller
	err    error       // the error that fn returned
	panic  any
}

// write runs fn in a transaction. With a BatchContext, it waits for its turn for as long as it takes.
func (e *sqliteEngine) write(ctx context.Context, fn func(txHandle) error) error {
	p := batchWaitOf(ctx)
	if p == nil {
		wait := time.NewTimer(e.maxWait)
		defer wait.Stop()
		return e.enqueue(ctx, wait.C, fn)
	}
	stop := p.watch(e.maxWait)
	defer stop()
	for {
		err := e.enqueue(ctx, nil, func(h txHandle) error {
			stop()
			return fn(h)
		})
		if !errors.Is(err, errNotStarted) || ctx.Err() != nil {
			return err
		}
	}
}

// enqueue passes fn to the writer and waits for the commit. It returns an error if fn has not been
// started when wait receives a value.
func (e *sqliteEngine) enqueue(ctx context.Context, wait <-chan time.Time, fn func(txHandle) error) error {
	w := &queuedWrite{ctx: ctx, fn: fn, result: make(chan error, 1)}
	select {
	case e.queue <- w:
	case <-ctx.Done():
		return ctx.Err()
	case <-e.stop:
		return stoppingError()
	case <-wait:
		return busyError()
	}
	var waitErr error
	select {
	case err := <-w.result:
		return w.finish(err)
	case <-ctx.Done():
		waitErr = ctx.Err()
	case <-wait:
		waitErr = busyError()
	case <-e.stopped:
		waitErr = stoppingError()
	}
	if w.taken.CompareAndSwap(false, true) {
		return waitErr // the write was not started, and the writer will skip it
	}
	return w.finish(<-w.result)
}

// finish returns the result to the caller. If fn panicked, finish panics with the same value in the
// caller's goroutine.
func (w *queuedWrite) finish(err error) error {
	if w.panic != nil {
		panic(w.panic)
	}
	return err
}

func busyError() *lost.Error { return lost.E(lost.Unavailable, "The database is busy. Try again.") }

func stoppingError() error { return lost.E(lost.Unavailable, "The service is stopping.") }

// writeLoop runs all writes. It takes a group of writes from the queue and commits them together.
func (e *sqliteEngine) writeLoop() {
	defer close(e.stopped)
	for {
		select {
		case <-e.stop:
			return
		case w := <-e.queue:
			e.commitGroup(w)
		}
	}
}

// commitGroup runs writes in one transaction, without a savepoint for each, because a savepoint makes SQLite write out
// the text index. If a write fails after it has changed something, the transaction is rolled back, and the writes
// before it run again. A write that must not run again has a transaction of its own.
func (e *sqliteEngine) commitGroup(first *queuedWrite) {
	if err := e.begin(); err != nil {
		for w := first; w != nil; w = e.nextWaiting(0) { // the other writes would fail too
			if w.taken.CompareAndSwap(false, true) {
				w.result <- err
			}
		}
		return
	}
	group := make([]*queuedWrite, 0, 1)
	for w := first; w != nil; w = e.nextWaiting(len(group)) {
		if runsOnce(w.ctx) && len(group) > 0 {
			e.endGroup(group, nil)
			e.commitGroup(w)
			return
		}
		if !w.taken.CompareAndSwap(false, true) {
			continue
		}
		e.tx.run(w)
		if w.err != nil && e.tx.changed {
			_ = e.tx.control("ROLLBACK") // fails if the error has already ended the transaction
			w.result <- w.err
			e.repeatGroup(group)
			return
		}
		group = append(group, w)
		if runsOnce(w.ctx) {
			break
		}
	}
	e.endGroup(group, nil)
}

// begin begins the transaction of a group. It waits for other processes that write.
func (e *sqliteEngine) begin() error {
	err := e.tx.control("BEGIN IMMEDIATE")
	if lost.CodeOf(err) == lost.Unavailable && isLocked(err) {
		return busyError().WithCause(errors.Join(errNotStarted, err))
	}
	return err
}

// repeatGroup runs writes again whose transaction was rolled back because of another write. Each has its own savepoint,
// so a failing write does not affect the others.
func (e *sqliteEngine) repeatGroup(group []*queuedWrite) {
	if len(group) == 0 {
		return
	}
	txErr := e.begin()
	for n := 0; n < len(group) && txErr == nil; n++ {
		txErr = e.tx.runInSavepoint(group[n])
	}
	e.endGroup(group, txErr)
}

// endGroup commits the transaction of a group, or rolls it back if it has failed, and passes the results to the
// callers.
func (e *sqliteEngine) endGroup(group []*queuedWrite, txErr error) {
	if txErr == nil {
		txErr = e.tx.control("COMMIT")
	}
	if txErr != nil {
		_ = e.tx.control("ROLLBACK")
	}
	for _, w := range group {
		if w.err == nil {
			w.err = txErr
		}
		w.result <- w.err
	}
}

// nextWaiting returns the next write that is already in the queue. It returns nil if there is none
// or the group is full.
func (e *sqliteEngine) nextWaiting(group int) *queuedWrite {
	if group >= maxGroup {
		return nil
	}
	select {
	case w := <-e.queue:
		return w
	default:
		return nil
	}
}

// sqliteTx is the writer's transaction. The writes of a group use it one after another.
type sqliteTx struct {
	conn    *sql.Conn
	stmts   statements
	changed bool // the current write may have changed something
}

// control runs a statement that begins or ends a transaction or savepoint. It ignores the callers'
// contexts, because a caller that cancels must not undo the writes of others.
func (t *sqliteTx) control(query string) error {
	_, err := t.Exec(context.Background(), query)
	return err
}

// run performs one write and stores the error that fn returns in w.
func (t *sqliteTx) run(w *queuedWrite) {
	t.changed = false
	if w.err = w.ctx.Err(); w.err == nil { // otherwise the caller canceled before the write started
		w.err = t.recoverPanic(w)
	}
}

// runInSavepoint is like run, but undoes the changes of a write that fails. It returns an error only if the whole
// transaction has failed.
func (t *sqliteTx) runInSavepoint(w *queuedWrite) error {
	if err := t.control("SAVEPOINT one"); err != nil {
		return err
	}
	if t.run(w); w.err != nil {
		if err := t.control("ROLLBACK TO one"); err != nil {
			return transactionError(w.err, err)
		}
	}
	return t.control("RELEASE one")
}

// transactionError returns the reason why a transaction has failed. A full or failing disk ends the
// whole transaction, and the savepoint's error would hide this reason from the other writes.
func transactionError(write, savepoint error) error {
	if lost.CodeOf(write) == lost.Unavailable {
		return write
	}
	return savepoint
}

// recoverPanic runs fn and recovers from a panic, so that finish can repeat it in the caller's
// goroutine.
func (t *sqliteTx) recoverPanic(w *queuedWrite) (err error) {
	defer func() {
		if p := recover(); p != nil {
			w.panic = p
			err = errors.New("panic in a write")
		}
	}()
	return sqliteError(w.fn(t))
}

func (t *sqliteTx) Query(ctx context.Context, query string, args ...any) (rows, error) {
	// The caller's context must not cancel a statement, because an interruption would roll back the
	// whole transaction, including the writes of others.
	t.changed = t.changed || !strings.HasPrefix(query, "SELECT")
	return t.stmts.query(context.WithoutCancel(ctx), t.conn, query, args)
}

func (t *sqliteTx) QueryPlanned(ctx context.Context, query string, args ...any) (rows, error) {
	return t.Query(ctx, query, args...)
}

func (t *sqliteTx) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	t.changed = true
	stmt, err := t.stmts.get(context.WithoutCancel(ctx), t.conn, query)
	if err != nil {
		return 0, sqliteError(err)
	}
	defer t.stmts.release(stmt)
	res, err := stmt.ExecContext(context.WithoutCancel(ctx), args...)
	if err != nil {
		return 0, sqliteError(err)
	}
	return res.RowsAffected()
}

func (t *sqliteTx) Queue(ctx context.Context, query string, args ...any) error {
	_, err := t.Exec(ctx, query, args...)
	return err
}

func (t *sqliteTx) QueueForItem(ctx context.Context, _, query string, args ...any) error {
	return t.Queue(ctx, query, args...)
}

func (t *sqliteTx) QueueQuery(ctx context.Context, read func(rows) error, query string, args ...any) error {
	rs, err := t.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	return read(rs)
}

// Number returns 0, because there is only one connection.
func (t *sqliteTx) Number() uint32 { return 0 }

func (t *sqliteTx) Script(ctx context.Context, script string) error {
	t.changed = true
	_, err := t.conn.ExecContext(context.WithoutCancel(ctx), script)
	return sqliteError(err)
}

// sqliteError maps the driver's errors to this package's errors.
func sqliteError(err error) error {
	sqliteErr, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		if errors.Is(err, context.DeadlineExceeded) {
			return unavailableError(err)
		}
		return err
	}
	switch sqliteErr.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return fmt.Errorf("%w: %w", errConflict, err)
	case sqlite3.SQLITE_CONSTRAINT_NOTNULL:
		if strings.Contains(err.Error(), "items.look_at") { // see newItemTable
			return fmt.Errorf("%w: %w", errConflict, err)
		}
	}
	switch sqliteErr.Code() & 0xff { // the low byte of an extended code is the primary code
	case sqlite3.SQLITE_FULL:
		return diskFullError(err)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN,
		sqlite3.SQLITE_IOERR:
		return unavailableError(err)
	}
	return err
}
