package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Suffixes of files next to a SQLite database that say what is being done to it. Package transfer writes them.
const (
	RestoringSuffix = ".restoring" // the new database, while a restore fills it
	MovingSuffix    = ".moving"    // where the database is being moved to
	MovedSuffix     = ".moved"     // where the database was moved to
)

// Tables that describe the database itself. They are never copied: every database has its own.
const (
	MigrationsTable = "schema_migrations"
	RestoreTable    = "restore_unfinished" // exists while a restore runs, and after one that was interrupted
	MoveTable       = "move_unfinished"    // likewise for a move; it records the progress
)

// Unfinished returns the reason why a database cannot be used now: a restore or a move was not finished, or the
// database was moved away. It is empty for a database that can be used.
func (db *DB) Unfinished(ctx context.Context) (reason string, err error) {
	return db.engine.unfinished(ctx)
}

// Usable returns an error for a database that Unfinished gives a reason for.
func (db *DB) Usable(ctx context.Context) error {
	reason, err := db.Unfinished(ctx)
	if err == nil && reason != "" {
		err = errors.New(reason)
	}
	return err
}

// unfinished looks for the tables that a restore or a move leaves behind.
func (e *pgEngine) unfinished(ctx context.Context) (string, error) {
	for _, c := range []struct{ table, reason string }{
		{RestoreTable, "a restore into this database was not finished: run homeward restore again, " +
			"or drop the table %s to go on with what was there before"},
		{MoveTable, "a move into this database was not finished (%s records the progress): run homeward move again, " +
			"or with --give-up, which removes what has arrived and nothing else"},
	} {
		rs, err := e.Query(ctx, "SELECT to_regclass($1) IS NOT NULL", c.table)
		if exists, _, err := firstValue[bool](rs, err); err != nil || exists {
			return fmt.Sprintf(c.reason, c.table), err
		}
	}
	return "", nil
}

// unfinished looks for the files that a restore or a move leaves behind.
func (e *sqliteEngine) unfinished(context.Context) (string, error) {
	for _, c := range []struct{ suffix, reason string }{
		{RestoringSuffix, "a restore into this database was not finished: run homeward restore again, " +
			"or remove %s to go on with what was there before"},
		{MovingSuffix, "this database is being moved to PostgreSQL: run homeward move again to finish that, " +
			"or with --give-up, which removes what has arrived there and then %s"},
		{MovedSuffix, "this database was moved to PostgreSQL: set HOMEWARD_DATABASE to that, " +
			"or remove %s to use this one again, which does not have what was done since"},
	} {
		_, err := os.Stat(e.file + c.suffix)
		switch {
		case err == nil:
			return fmt.Sprintf(c.reason, e.file+c.suffix), nil
		case !errors.Is(err, fs.ErrNotExist):
			return "", err
		}
	}
	return "", nil
}

// ErrInUse is the error of CheckUnshared.
var ErrInUse = errors.New("the database is in use: stop the service first, and every other command that has it open")

// CheckUnshared returns ErrInUse when any process has the SQLite file open. Otherwise it leaves nothing next to the
// file: the write-ahead log has been merged into it.
func CheckUnshared(ctx context.Context, file string) error {
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	dsn := sqliteURL(file) + "?mode=rw&_pragma=busy_timeout(1000)&_pragma=locking_mode(EXCLUSIVE)"
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	var mode string
	err = db.QueryRowContext(ctx, "PRAGMA journal_mode = DELETE").Scan(&mode)
	if isLocked(err) || err == nil && mode != "delete" {
		return ErrInUse
	}
	return err
}

// isLocked reports whether another connection prevented a statement.
func isLocked(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return false
	}
	code := e.Code() & 0xff
	return code == sqlite3.SQLITE_BUSY || code == sqlite3.SQLITE_LOCKED
}

// sqliteURL is the address of a SQLite file as the driver takes it.
func sqliteURL(file string) string {
	path := &url.URL{Path: file}
	return (&url.URL{Scheme: "file", Opaque: path.EscapedPath()}).String()
}
