package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strconv"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Suffixes of the files next to a SQLite database that mark an operation on the database. Package
// transfer writes these files.
const (
	RestoringSuffix = ".restoring" // the new database, while a restore fills it
	MovingSuffix    = ".moving"    // names the target of a move in progress
	MovedSuffix     = ".moved"     // names the target of a finished move
)

// Tables that describe the database itself. They are never copied, because every database has its
// own.
const (
	MigrationsTable    = "schema_migrations"
	RestoreTable       = "restore_unfinished" // exists during a restore, and after an interrupted restore
	MoveTable          = "move_unfinished"    // like RestoreTable, but for a move, and records its progress
	BackupTable        = "last_backup"        // when this database was last backed up
	ChangeBaseTable    = "change_base"        // how this database numbers changes
	ChangeCounterTable = "change_counters"    // the number of each account's last change in this database
	LeaseTable         = "leases"             // which instance does work that only one of them may do
)

// Unfinished returns the reason why a database cannot be used now: a restore or a move was not
// finished, or the database was moved. It returns an empty string for a usable database.
func (db *DB) Unfinished(ctx context.Context) (reason string, err error) {
	return db.engine.unfinished(ctx)
}

// Usable returns an error with the reason from Unfinished, if there is one.
func (db *DB) Usable(ctx context.Context) error {
	reason, err := db.Unfinished(ctx)
	if err == nil && reason != "" {
		err = errors.New(reason)
	}
	return err
}

// unfinished checks for the tables of an unfinished restore or move.
func (e *pgEngine) unfinished(ctx context.Context) (string, error) {
	for _, c := range []struct{ table, reason string }{
		{RestoreTable, "a restore into this database was not finished: run homeward restore again, " +
			"or drop the table %s to continue with the previous data"},
		{MoveTable, "a move into this database was not finished (%s records the progress): run homeward move again, " +
			"or run it with --give-up to delete only the rows that were copied"},
	} {
		rs, err := e.Query(ctx, "SELECT to_regclass($1) IS NOT NULL", c.table)
		if exists, _, err := firstValue[bool](rs, err); err != nil || exists {
			return fmt.Sprintf(c.reason, c.table), err
		}
	}
	return "", nil
}

// unfinished checks for the files of an unfinished restore or move.
func (e *sqliteEngine) unfinished(context.Context) (string, error) {
	for _, c := range []struct{ suffix, reason string }{
		{RestoringSuffix, "a restore into this database was not finished: run homeward restore again, " +
			"or remove %s to continue with the previous data"},
		{MovingSuffix, "this database is being moved to PostgreSQL: run homeward move again to finish, " +
			"or run it with --give-up to delete the copied rows and %s"},
		{MovedSuffix, "this database was moved to PostgreSQL: set HOMEWARD_DATABASE to its new address, " +
			"or remove %s to use this database again, without the changes since the move"},
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

// ErrInUse is the error of CheckUnshared for a database that is in use.
var ErrInUse = errors.New("the database is in use: stop the service first, and all other commands that use it")

// CheckUnshared returns ErrInUse if any process has the SQLite file open. Otherwise it merges the
// write-ahead log into the file, so that no other files are left next to it.
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

// isLocked reports whether a statement failed because another connection holds a lock.
func isLocked(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return false
	}
	code := e.Code() & 0xff
	return code == sqlite3.SQLITE_BUSY || code == sqlite3.SQLITE_LOCKED
}

// sqliteURL returns the URL of a SQLite file for the driver.
func sqliteURL(file string) string {
	path := &url.URL{Path: file}
	return (&url.URL{Scheme: "file", Opaque: path.EscapedPath()}).String()
}

// LastBackup describes the last complete backup of a database.
type LastBackup struct {
	Made     time.Time // when the rows were read; later changes are not in the backup
	Finished time.Time // when the backup was complete
	Files    bool      // whether it contains photos and documents
}

// lastBackupID is the id of the only row in the table.
const lastBackupID = "last"

// backupSchema is the first version of the schema that has the table.
const backupSchema = 51

// KnowsBackups reports whether the database can store when it was last backed up. An older schema cannot.
func (db *DB) KnowsBackups(ctx context.Context) (bool, error) {
	version, err := db.SchemaVersion(ctx)
	return version >= backupSchema, err
}

// SetLastBackup records that a backup of this database is complete.
func (tx *Tx) SetLastBackup(b LastBackup) error {
	return tx.queue("INSERT INTO last_backup (id, made_at, finished_at, files) VALUES ($1, $2, $3, $4) "+
		"ON CONFLICT (id) DO UPDATE SET made_at = excluded.made_at, finished_at = excluded.finished_at, "+
		"files = excluded.files",
		lastBackupID, micros(b.Made), micros(b.Finished), b.Files)
}

// LastBackup returns the last complete backup of this database, and whether there is one. There is none before the
// first backup and after a restore or a move.
func (r reader) LastBackup(ctx context.Context) (LastBackup, bool, error) {
	rs, err := r.h.Query(ctx, "SELECT made_at, finished_at, files FROM last_backup WHERE id = $1", lastBackupID)
	return firstRow(rs, err, func(rs rows) (b LastBackup, err error) {
		var made, finished int64
		err = rs.Scan(&made, &finished, &b.Files)
		b.Made, b.Finished = fromMicros(made), fromMicros(finished)
		return b, err
	})
}

// RaiseChangeNumbers makes the numbers of later changes higher than those of all rows. It must be called after rows
// have been copied from another database.
func (db *DB) RaiseChangeNumbers(ctx context.Context) error {
	if db.d.changes.counted { // numberChange does it
		return nil
	}
	ctx = withScope(withoutTimeout(ctx), OperatorScope)
	return db.Write(ctx, func(tx *Tx) error {
		// A transaction that other instances began with the former base must end first. Otherwise, its changes would
		// get numbers that readers have already passed.
		const lock = "LOCK TABLE items, events, item_tombstones IN SHARE ROW EXCLUSIVE MODE"
		if err := tx.h.Script(ctx, lock); err != nil {
			return err
		}
		highest := "GREATEST((SELECT MAX(change) FROM items), (SELECT MAX(change) FROM events), " +
			"(SELECT MAX(change) FROM item_tombstones), 0) + " + strconv.Itoa(numberGap)
		_, err := tx.h.Exec(ctx, "INSERT INTO change_base (id, cluster, base) SELECT $1, "+thisCluster+
			", GREATEST(GREATEST(CAST($2 AS BIGINT), "+highest+") - txid_current(), "+changeBase+") "+
			"ON CONFLICT (id) DO UPDATE SET cluster = excluded.cluster, base = excluded.base", "", micros(tx.now))
		return err
	})
}

// MarkRestored notes that the rows have been restored from a backup. Positions that programs got after the backup, and
// before this transaction, are no longer valid, because the changes up to them may be gone.
func (tx *Tx) MarkRestored() error {
	gap := strconv.Itoa(numberGap)
	_, err := tx.h.Exec(withScope(tx.ctx, OperatorScope), `INSERT INTO change_counters
		(account_id, n, lost_after, lost_before) SELECT account_id, first, last, first FROM (
			SELECT account_id, last, CASE WHEN last + `+gap+` > $1 THEN last + `+gap+` ELSE $1 END AS first FROM (
				SELECT account_id, MAX(change) AS last FROM (
					SELECT account_id, 0 AS change FROM accounts UNION ALL SELECT account_id, change FROM items
					UNION ALL SELECT account_id, change FROM events
					UNION ALL SELECT account_id, change FROM item_tombstones) AS changes
				GROUP BY account_id) AS highest) AS numbers`, micros(tx.now))
	return err
}
