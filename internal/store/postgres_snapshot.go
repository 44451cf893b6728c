package store

import (
	"context"

	"github.com/jackc/pgx/v5"
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
	if _, err := tx.Exec(ctx, "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0", pgx.QueryExecModeSimpleProtocol); err != nil {
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
func (t *pgTx) InsertRows(ctx context.Context, table string, columns []string, next func() ([]any, error)) (int64, error) {
	if err := t.flush(ctx); err != nil {
		return 0, err
	}
	n, err := t.conn.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromFunc(next))
	return n, pgError(err)
}
