package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
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
