package transfer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"homeward/internal/store"
)

// loadSQLite fills a new file next to the database. When the new file is complete, it replaces the database.
func (o LoadOptions) loadSQLite(ctx context.Context, fill func(l *Loader) error) (err error) {
	if err := o.prepareFile(ctx); err != nil {
		return err
	}
	part := o.Setting + store.RestoringSuffix
	if err := removeInterrupted(ctx, part); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, removeDatabase(part))
		}
	}()
	if err := o.fillFile(ctx, part, fill); err != nil {
		return err
	}
	// CheckUnshared also merges the write-ahead log into the file. Otherwise renaming the file
	// would lose the log.
	if err := store.CheckUnshared(ctx, part); err != nil {
		return err
	}
	if err := syncFile(part); err != nil {
		return err
	}
	if err := store.CheckUnshared(ctx, o.Setting); err != nil { // it may have been opened in the meantime
		return err
	}
	// SQLite must not apply the old file's log to the new file. The markers of an earlier move are removed too.
	for _, suffix := range []string{"-wal", "-shm", store.MovingSuffix, store.MovedSuffix} {
		if err := os.Remove(o.Setting + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := os.Rename(part, o.Setting); err != nil {
		return err
	}
	return syncFile(filepath.Dir(o.Setting))
}

// prepareFile creates the database folder, and checks that an existing file may be replaced.
func (o LoadOptions) prepareFile(ctx context.Context) error {
	if _, err := o.checkSchema(); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(o.Setting), 0o700); err != nil {
		return fmt.Errorf("create the database folder: %w", err)
	}
	if _, err := os.Stat(o.Setting); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := store.CheckUnshared(ctx, o.Setting); err != nil {
		return err
	}
	db, err := store.Open(ctx, o.Setting, o.Clock)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := checkOwnTables(ctx, db.Raw()); err != nil {
		return err
	}
	return o.checkEmpty(ctx, db)
}

func (o LoadOptions) fillFile(ctx context.Context, file string, fill func(l *Loader) error) error {
	db, err := store.OpenForLoad(ctx, file, o.Clock)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := db.MigrateTo(ctx, o.Schema); err != nil {
		return err
	}
	tables, err := compareTables(ctx, db.Raw(), o.Tables, o.Schema)
	if err != nil {
		return err
	}
	later, err := deferIndexes(ctx, db)
	if err != nil {
		return err
	}
	if err := fill(&Loader{raw: db.Raw(), tables: tables, write: db.WriteOnce}); err != nil {
		return err
	}
	if err := later.run(ctx, db, o.Progress); err != nil {
		return err
	}
	if _, err := db.Migrate(ctx); err != nil {
		return err
	}
	return db.WriteOnce(ctx, (*store.Tx).MarkRestored)
}

// removeInterrupted removes the file left by an interrupted load. It returns an error if that load
// is still running.
func removeInterrupted(ctx context.Context, part string) error {
	if _, err := os.Stat(part); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if errors.Is(store.CheckUnshared(ctx, part), store.ErrInUse) { // after any other error the file is removed
		return errors.New("another restore into this database is running")
	}
	return removeDatabase(part)
}

// removeDatabase removes a SQLite file and its logs.
func removeDatabase(file string) (err error) {
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if e := os.Remove(file + suffix); !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// syncFile flushes a file or a folder to disk, so that it survives a power failure.
func syncFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// primaryKeyOrder returns an ORDER BY clause for the primary key. The order is stable, and SQLite
// can read rows in this order without sorting them.
func primaryKeyOrder(ctx context.Context, raw store.Raw, t Table) (string, error) {
	key, err := texts(raw.Query(ctx, "SELECT name FROM pragma_table_info($1) WHERE pk > 0 ORDER BY pk", t.Name))
	if err != nil {
		return "", err
	}
	if len(key) == 0 {
		return "", fmt.Errorf("table %s has no primary key", t.Name)
	}
	for i, name := range key {
		key[i] = store.QuoteName(name)
	}
	return " ORDER BY " + strings.Join(key, ", "), nil
}
