package store

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// snapshot reads in one transaction, which sees nothing that is written after its first read.
func (e *pgEngine) snapshot(ctx context.Context, fn func(handle) error) error {
	ctx = withoutTimeout(ctx) // a snapshot may read every row
	conn, err := e.acquire(ctx)
	if err != nil {
		return err
	}
	defer release(ctx, conn)
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return pgError(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	if _, err := tx.Exec(ctx, "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0",
		pgx.QueryExecModeSimpleProtocol); err != nil {
		return pgError(err)
	}
	return fn(pgSnapshot{tx})
}

// pgSnapshot reads in one transaction.
type pgSnapshot struct{ tx pgx.Tx }

func (s pgSnapshot) Query(ctx context.Context, sql string, args ...any) (rows, error) {
	rs, err := s.tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, pgError(err)
	}
	return pgRows{Rows: rs}, nil
}

func (s pgSnapshot) QueryPlanned(ctx context.Context, sql string, args ...any) (rows, error) {
	return s.Query(ctx, sql, args...)
}

// InsertRows uses COPY, which is many times as fast as INSERT.
func (t *pgTx) InsertRows(ctx context.Context, table string, columns []string,
	next func() ([]any, error)) (int64, error) {
	if err := t.flush(ctx); err != nil {
		return 0, err
	}
	n, err := t.conn.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromFunc(next))
	return n, pgError(err)
}

func (e *pgEngine) write(ctx context.Context, fn func(txHandle) error) error {
	conn, err := e.acquire(ctx)
	if err != nil {
		return err
	}
	defer release(ctx, conn)
	tx := &pgTx{conn: conn}
	_ = tx.Queue(ctx, "begin")
	committed := false
	defer func() { // also when fn panics
		if !committed {
			tx.rollback()
		}
	}()
	if err := fn(tx); err != nil {
		return err
	}
	if err := tx.commit(ctx); err != nil {
		return err
	}
	committed = true
	return nil
}

// pgTx is one transaction. Statements without a result wait in the batch for one with a result, or for the commit, and
// share its round trip.
type pgTx struct {
	conn  *pgxpool.Conn
	batch pgx.Batch
	sent  bool // something was sent to the server, so there is something to roll back
}

func (t *pgTx) Queue(_ context.Context, sql string, args ...any) error {
	t.batch.Queue(sql, args...)
	return nil
}

func (t *pgTx) QueueQuery(_ context.Context, read func(rows) error, sql string, args ...any) error {
	if hasUnstorableText(args) {
		return read(noRows{})
	}
	t.batch.Queue(sql, args...).Query(func(rs pgx.Rows) error { return read(pgRows{rs}) })
	return nil
}

// commit sends the batch and ends the transaction.
func (t *pgTx) commit(ctx context.Context) error {
	if !t.sent { // a single batch is a transaction by itself, without begin and commit
		t.batch.QueuedQueries = t.batch.QueuedQueries[1:]
		return t.flush(ctx)
	}
	// PostgreSQL responds to the commit of a failed transaction with ROLLBACK and without an error.
	last, err := t.run(ctx, "commit")
	if err == nil && last.String() != "COMMIT" {
		return errors.New("the transaction was rolled back instead of committed")
	}
	return err
}

// flush sends the batch and reads every result.
func (t *pgTx) flush(ctx context.Context) error {
	if t.batch.Len() == 0 {
		return nil
	}
	return pgError(t.send(ctx).Close())
}

// send sends the batch.
func (t *pgTx) send(ctx context.Context) pgx.BatchResults {
	batch := t.batch
	t.batch, t.sent = pgx.Batch{}, true
	return t.conn.SendBatch(ctx, &batch)
}

func (t *pgTx) Exec(ctx context.Context, sql string, args ...any) (int64, error) {
	last, err := t.run(ctx, sql, args...)
	return last.RowsAffected(), err
}

// run sends the batch with a statement added.
func (t *pgTx) run(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	var last pgconn.CommandTag
	t.batch.Queue(sql, args...).Exec(func(tag pgconn.CommandTag) error {
		last = tag
		return nil
	})
	return last, pgError(t.send(ctx).Close())
}

func (t *pgTx) Query(ctx context.Context, sql string, args ...any) (rows, error) {
	if hasUnstorableText(args) {
		return noRows{}, nil
	}
	before := t.batch.QueuedQueries
	t.batch.Queue(sql, args...)
	res := t.send(ctx)
	for _, waited := range before {
		if err := readResult(res, waited); err != nil {
			_ = res.Close()
			return nil, pgError(err)
		}
	}
	rs, err := res.Query()
	if err != nil {
		_ = res.Close()
		return nil, pgError(err)
	}
	return &pgBatchRows{pgRows: pgRows{rs}, res: res}, nil
}

// readResult reads the result of a statement in the batch.
func readResult(res pgx.BatchResults, waited *pgx.QueuedQuery) error {
	if waited.Fn != nil {
		return waited.Fn(res)
	}
	_, err := res.Exec()
	return err
}

// QueryPlanned is Query: no transaction searches, and a batch has one query mode.
func (t *pgTx) QueryPlanned(ctx context.Context, sql string, args ...any) (rows, error) {
	return t.Query(ctx, sql, args...)
}

func (t *pgTx) Script(ctx context.Context, sql string) error {
	if err := t.flush(ctx); err != nil {
		return err
	}
	for _, one := range splitStatements(sql) {
		if _, err := t.conn.Exec(ctx, one, pgx.QueryExecModeSimpleProtocol); err != nil {
			return pgError(err)
		}
	}
	return nil
}

var commentPattern = regexp.MustCompile(`(?m)--.*$`)

// splitStatements splits a script, because Citus sends its nodes the whole text that a statement came in. Scripts have
// neither semicolons nor dashes inside quotes, except in functions between $$.
func splitStatements(script string) (statements []string) {
	one := ""
	for part := range strings.SplitSeq(commentPattern.ReplaceAllString(script, ""), ";") {
		if one += part; strings.Count(one, "$$")%2 == 1 {
			one += ";"
			continue
		}
		if one = strings.TrimSpace(one); one != "" {
			statements = append(statements, one)
		}
		one = ""
	}
	return statements
}

// rollback rolls back, or closes the connection if that fails.
func (t *pgTx) rollback() {
	if !t.sent {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if _, err := t.conn.Exec(ctx, "rollback"); err != nil {
		_ = t.conn.Conn().Close(ctx)
	}
}

// pgBatchRows is the last result of a batch: closing it ends the batch.
type pgBatchRows struct {
	pgRows
	res    pgx.BatchResults
	err    error
	closed bool
}

func (r *pgBatchRows) Close() {
	if r.closed {
		return
	}
	r.closed = true
	r.Rows.Close()
	r.err = pgError(r.res.Close())
}

func (r *pgBatchRows) Err() error {
	if err := r.pgRows.Err(); err != nil {
		return err
	}
	return r.err
}
