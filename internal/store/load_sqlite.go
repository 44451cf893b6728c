package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// What the name of a file beside the database ends with that says what is being done to it.
const (
	restoring = ".restoring" // what it is being filled with
	moving    = ".moving"    // to where it is being moved
	moved     = ".moved"     // to where it was moved
)

// unfinished looks for the files that say so.
func (e *sqliteEngine) unfinished(context.Context) (string, error) {
	for _, c := range []struct{ end, why string }{
		{restoring, "a restore into this database was not finished: run homeward restore again, or remove %s to go on with what was there before"},
		{moving, "this database is being moved to PostgreSQL: run homeward move again to finish that, or with --give-up, which removes what has arrived there and then %s"},
		{moved, "this database was moved to PostgreSQL: set HOMEWARD_DATABASE to that, or remove %s to use this one again, which does not have what was done since"},
	} {
		_, err := os.Stat(e.file + c.end)
		switch {
		case err == nil:
			return fmt.Sprintf(c.why, e.file+c.end), nil
		case !errors.Is(err, fs.ErrNotExist):
			return "", err
		}
	}
	return "", nil
}

// snapshot reads in one transaction: in WAL mode that holds nobody up, and sees nothing that is written after its first read.
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

// Fill inserts row by row, with one statement.
func (t *sqliteTx) Fill(ctx context.Context, table Table, next func() ([]any, error)) (n int64, err error) {
	marks := make([]string, len(table.Columns))
	for i := range marks {
		marks[i] = fmt.Sprintf("$%d", i+1)
	}
	insert := "INSERT INTO " + quoted(table.Name) + " (" + strings.Join(table.names(), ", ") + ") VALUES (" + strings.Join(marks, ", ") + ")"
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

var errInUse = errors.New("the database is in use: stop the service first, and every other command that has it open")

// unshared is nil where nobody else has a SQLite file open, of this program or another. On its way out it leaves nothing beside the file: what was written
// is all in it.
func unshared(ctx context.Context, file string) error {
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	dsn := (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: file}).EscapedPath()}).String() + "?mode=rw&_pragma=busy_timeout(1000)&_pragma=locking_mode(EXCLUSIVE)"
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	var mode string
	err = db.QueryRowContext(ctx, "PRAGMA journal_mode = DELETE").Scan(&mode)
	if e, ok := errors.AsType[*sqlite.Error](err); ok && (e.Code()&0xff == sqlite3.SQLITE_BUSY || e.Code()&0xff == sqlite3.SQLITE_LOCKED) || err == nil && mode != "delete" {
		return errInUse
	}
	return err
}

// rowOrder is the order in which SQLite gives the rows of a table most readily, and always the same.
func (r reader) rowOrder(ctx context.Context, t Table) (string, error) {
	rs, err := r.h.Query(ctx, "SELECT name FROM pragma_table_info($1) WHERE pk > 0 ORDER BY pk", t.Name)
	key, err := collect(rs, err, func(rs rows) (name string, err error) {
		err = rs.Scan(&name)
		return quoted(name), err
	})
	if err == nil && len(key) == 0 {
		err = fmt.Errorf("table %s has no primary key", t.Name)
	}
	return " ORDER BY " + strings.Join(key, ", "), err
}
