package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// unfinished looks for the tables that say so.
func (e *pgEngine) unfinished(ctx context.Context) (string, error) {
	for _, c := range []struct{ table, why string }{
		{restoreTable, "a restore into this database was not finished: run homeward restore again, or drop the table %s to go on with what was there before"},
		{moveTable, "a move into this database was not finished (%s says how far it came): run homeward move again, or with --give-up, which removes what has arrived of it and nothing else"},
	} {
		rs, err := e.Query(ctx, "SELECT to_regclass($1) IS NOT NULL", c.table)
		if there, _, err := value[bool](rs, err); err != nil || there {
			return fmt.Sprintf(c.why, c.table), err
		}
	}
	return "", nil
}

// snapshot reads in one transaction that sees nothing that is written after its first read.
func (e *pgEngine) snapshot(ctx context.Context, fn func(handle) error) error {
	ctx = patiently(ctx) // it reads all there is
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

// Fill has PostgreSQL take the rows as they come, which is many times as fast as inserting them.
func (t *pgTx) Fill(ctx context.Context, table Table, next func() ([]any, error)) (int64, error) {
	if err := t.flush(ctx); err != nil {
		return 0, err
	}
	columns := make([]string, len(table.Columns))
	for i, c := range table.Columns {
		columns[i] = c.Name
	}
	n, err := t.conn.CopyFrom(ctx, pgx.Identifier{table.Name}, columns, pgx.CopyFromFunc(next))
	return n, pgError(err)
}

// clear drops everything that earlier schemas have made, so that a new one can be made.
func (tx *Tx) clear() error {
	if err := tx.h.Script(tx.ctx, "SET LOCAL lock_timeout = '10s'; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0"); err != nil {
		return err
	}
	tables, err := tx.everyTable(tx.ctx)
	if err != nil {
		return err
	}
	var drop []string
	for _, t := range tables {
		drop = append(drop, "DROP TABLE IF EXISTS "+quoted(t.Name)+" CASCADE")
	}
	rs, err := tx.h.Query(tx.ctx, `SELECT format('DROP ROUTINE IF EXISTS %s CASCADE', p.oid::regprocedure) FROM pg_proc p
		WHERE p.pronamespace = current_schema()::text::regnamespace AND p.prokind IN ('f', 'p') AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')`)
	routines, err := collect(rs, err, scanText)
	if drop = append(drop, routines...); err != nil || len(drop) == 0 {
		return err
	}
	return tx.h.Script(tx.ctx, strings.Join(drop, ";\n"))
}

// countOn has every column that counts by itself go on after what it holds.
func (tx *Tx) countOn() error {
	counters, err := tx.pairs(tx.ctx, `SELECT t.relname::text, c.attname::text FROM pg_class t JOIN pg_attribute c ON c.attrelid = t.oid AND c.attnum > 0 AND NOT c.attisdropped
		WHERE t.relnamespace = current_schema()::text::regnamespace AND t.relkind IN ('r', 'p') AND pg_get_serial_sequence(quote_ident(t.relname), c.attname) IS NOT NULL`)
	if err != nil {
		return err
	}
	for _, c := range counters {
		table, column := quoted(c[0]), c[1]
		rs, err := tx.h.Query(tx.ctx, "SELECT pg_get_serial_sequence($1, $2)", table, column)
		sequence, _, err := value[string](rs, err)
		if err != nil {
			return err
		}
		next := fmt.Sprintf("SELECT setval('%s', GREATEST((SELECT COALESCE(MAX(%s), 0) + 1 FROM %s), (SELECT last_value + 1 FROM %s)), false)", sequence, quoted(column), table, sequence)
		if err := tx.h.Script(tx.ctx, next); err != nil {
			return err
		}
	}
	return nil
}

// alone is nil where nobody else is connected to the database.
func (db *DB) alone(ctx context.Context) error {
	rs, err := db.h.Query(ctx, `SELECT COALESCE(NULLIF(application_name, ''), 'unnamed') FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend' LIMIT 100`)
	others, err := collect(rs, err, scanText)
	if err == nil && len(others) > 0 {
		err = fmt.Errorf("%d others are connected to the PostgreSQL database (%s): stop every copy of the service first; if none of them is one, say so with --offline", len(others), others[0])
	}
	return err
}
