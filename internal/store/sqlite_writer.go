package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"homeward/internal/lost"
)

// snapshot reads in one transaction. In WAL mode it blocks nobody and sees nothing that is written after its first read.
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

// sqliteConn reads on one connection.
type sqliteConn struct{ conn *sql.Conn }

func (c sqliteConn) Query(ctx context.Context, query string, args ...any) (rows, error) {
	rs, err := c.conn.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, sqliteError(err)
	}
	return &sqliteRows{Rows: rs, done: func() {}}, rs.Err()
}

func (c sqliteConn) QueryPlanned(ctx context.Context, query string, args ...any) (rows, error) {
	return c.Query(ctx, query, args...)
}

// InsertRows inserts row by row with one prepared statement.
func (t *sqliteTx) InsertRows(
	ctx context.Context, table string, columns []string, next func() ([]any, error),
) (n int64, err error) {
	names, marks := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		names[i] = QuoteName(c)
		marks[i] = fmt.Sprintf("$%d", i+1)
	}
	insert := "INSERT INTO " + QuoteName(table) +
		" (" + strings.Join(names, ", ") + ") VALUES (" + strings.Join(marks, ", ") + ")"
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
	maxGroup     = 64               // writes that share one commit
	maxWriteWait = 10 * time.Second // for the writer's turn; a nested Write ends here too
)

// queuedWrite is one caller's transaction, waiting for the writer.
type queuedWrite struct {
	ctx    context.Context
	fn     func(txHandle) error
	taken  atomic.Bool // by the writer, which will answer, or by a caller who gave up waiting
	result chan error  // buffered: the writer never waits for a caller
	err    error       // what fn said
	panic  any
}

// write hands fn to the writer and waits for the commit it took part in.
func (e *sqliteEngine) write(ctx context.Context, fn func(txHandle) error) error {
	w := &queuedWrite{ctx: ctx, fn: fn, result: make(chan error, 1)}
	wait := time.NewTimer(maxWriteWait)
	defer wait.Stop()
	select {
	case e.queue <- w:
	case <-ctx.Done():
		return ctx.Err()
	case <-e.stop:
		return stoppingError()
	case <-wait.C:
		return busyError()
	}
	var gaveUp error
	select {
	case err := <-w.result:
		return w.finish(err)
	case <-ctx.Done():
		gaveUp = ctx.Err()
	case <-wait.C:
		gaveUp = busyError()
	case <-e.stopped:
		gaveUp = stoppingError()
	}
	if w.taken.CompareAndSwap(false, true) {
		return gaveUp // its turn had not come; the writer will pass it over
	}
	return w.finish(<-w.result)
}

// finish gives the outcome of a write to its caller, who gets their own panic back.
func (w *queuedWrite) finish(err error) error {
	if w.panic != nil {
		panic(w.panic)
	}
	return err
}

func busyError() error { return lost.E(lost.Unavailable, "The database is busy. Try again.") }

func stoppingError() error { return lost.E(lost.Unavailable, "The service is stopping.") }

// writeLoop is the only place that writes. It runs every write that is waiting, each
// in a savepoint of its own, and commits them together.
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

func (e *sqliteEngine) commitGroup(first *queuedWrite) {
	if err := e.tx.control("BEGIN IMMEDIATE"); err != nil {
		for w := first; w != nil; w = e.nextWaiting(0) { // nobody else would fare better now
			if w.taken.CompareAndSwap(false, true) {
				w.result <- err
			}
		}
		return
	}
	var broken error
	group := []*queuedWrite{}
	for w := first; w != nil; w = e.nextWaiting(len(group)) {
		if !w.taken.CompareAndSwap(false, true) {
			continue
		}
		group = append(group, w)
		if broken = e.tx.run(w); broken != nil {
			break // the transaction itself failed, not just this write
		}
	}
	if broken == nil {
		broken = e.tx.control("COMMIT")
	}
	if broken != nil {
		_ = e.tx.control("ROLLBACK")
	}
	for _, w := range group {
		w.result <- cmp.Or(w.err, broken)
	}
}

// nextWaiting gives the next write that can join the group without waiting for it.
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

// sqliteTx is the writer's transaction, as the writes of a group see it in turn.
type sqliteTx struct {
	conn  *sql.Conn
	stmts statements
}

// control runs a statement that steers the transaction. It has no caller to be
// cancelled by: one who leaves must not take the others' work along.
func (t *sqliteTx) control(query string) error {
	_, err := t.Exec(context.Background(), query)
	return err
}

// run performs one write inside a savepoint. The error it returns is that of the
// transaction as a whole; what fn said is kept in w.
func (t *sqliteTx) run(w *queuedWrite) error {
	if w.ctx.Err() != nil { // gone before its turn came
		w.err = w.ctx.Err()
		return nil //nolint:nilerr // it is the write's error, not the transaction's
	}
	if err := t.control("SAVEPOINT one"); err != nil {
		return err
	}
	if w.err = t.recoverPanic(w); w.err != nil {
		if err := t.control("ROLLBACK TO one"); err != nil {
			return transactionError(w.err, err)
		}
	}
	return t.control("RELEASE one")
}

// transactionError tells why a transaction has ended. A disk that is full or fails ends all of it, and what is said of the savepoint that went with it
// would hide that from the others who share it.
func transactionError(write, savepoint error) error {
	if lost.CodeOf(write) == lost.Unavailable {
		return write
	}
	return savepoint
}

// recoverPanic keeps a panic of the caller's from ending the writer; write raises it again.
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
	// Interrupting a statement rolls back the whole transaction, and with it the
	// work of others: inside it, nobody's departure counts.
	return t.stmts.query(context.WithoutCancel(ctx), t.conn, query, args)
}

func (t *sqliteTx) QueryPlanned(ctx context.Context, query string, args ...any) (rows, error) {
	return t.Query(ctx, query, args...)
}

func (t *sqliteTx) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	stmt, done, err := t.stmts.get(context.WithoutCancel(ctx), t.conn, query)
	if err != nil {
		return 0, sqliteError(err)
	}
	defer done()
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

func (t *sqliteTx) Ask(ctx context.Context, read func(rows) error, query string, args ...any) error {
	rs, err := t.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	return read(rs)
}

func (t *sqliteTx) Script(ctx context.Context, script string) error {
	_, err := t.conn.ExecContext(context.WithoutCancel(ctx), script)
	return sqliteError(err)
}
