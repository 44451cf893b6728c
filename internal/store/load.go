package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Filling is a place that is filled with what another held.
type Filling struct {
	Setting string // of the place: postgres://… or a SQLite file
	Schema  int64  // that the other had
	Tables  []Table
	Force   bool // replaces what is there
	Offline bool // whoever asks for it knows that no service runs there, whatever connections there are
	Clock   func() time.Time
}

// Fill fills a place, whole or not at all: until fill is done and everything has proven right, nobody sees any of it. A place that holds something is refused
// unless Force is set. What came from an older schema is brought to this program's; from a newer one it is refused. A place whose filling was cut off says so
// to whoever wants to use it, and can be filled again.
func Fill(ctx context.Context, f Filling, fill func(l *Loader) error) error {
	ctx = patiently(across(ctx, Operator))
	if IsPostgres(f.Setting) {
		return f.postgres(ctx, fill)
	}
	return f.sqlite(ctx, fill)
}

// Loader takes rows into a place.
type Loader struct {
	reader
	tables map[string]Table
	write  func(ctx context.Context, fn func(h txHandle) error) error
}

// Load inserts rows of a table, a line of JSON each, as a Row has it.
func (l *Loader) Load(ctx context.Context, table string, lines []byte) error {
	ctx = across(ctx, Operator)
	t, known := l.tables[table]
	if !known {
		return fmt.Errorf("there is no table %s to fill", table)
	}
	return l.write(ctx, func(h txHandle) error {
		rest := lines
		_, err := h.Fill(ctx, t, func() ([]any, error) {
			if len(rest) == 0 {
				return nil, nil
			}
			var line []byte
			line, rest, _ = bytes.Cut(rest, []byte{'\n'})
			return t.parse(line)
		})
		if err != nil {
			return fmt.Errorf("fill table %s: %w", table, err)
		}
		return nil
	})
}

// Check compares what a table holds now with what it ought to.
func (l *Loader) Check(ctx context.Context, table string, rows int64, sum string) error {
	ctx = across(ctx, Operator)
	got, err := l.sumOf(ctx, l.tables[table], "")
	if err == nil && (got.Rows != rows || got.String() != sum) {
		err = fmt.Errorf("table %s has %d rows where %d were expected, or others than those", table, got.Rows, rows)
	}
	return err
}

// expect sees that a schema has the tables that are coming, and no others: what is missing on either side would be missed later.
func (f Filling) expect(ctx context.Context, r reader) (map[string]Table, error) {
	have, err := r.Tables(ctx)
	if err != nil {
		return nil, err
	}
	tables := map[string]Table{}
	for _, t := range have {
		tables[t.Name] = t
	}
	for _, t := range f.Tables {
		if _, known := tables[t.Name]; !known {
			return nil, fmt.Errorf("there is a table %s in it, which schema version %d does not have", t.Name, f.Schema)
		}
		if !slices.Equal(t.Columns, tables[t.Name].Columns) {
			return nil, fmt.Errorf("its table %s has other columns than in schema version %d", t.Name, f.Schema)
		}
	}
	if len(f.Tables) != len(have) {
		return nil, fmt.Errorf("it has %d tables, and schema version %d has %d", len(f.Tables), f.Schema, len(have))
	}
	return tables, nil
}

// steps are those of this program up to the other's schema, and those after it.
func (f Filling) steps(d dialect) (before, after []migration, err error) {
	all, err := migrations(d.name)
	if err != nil {
		return nil, nil, err
	}
	if newest := all[len(all)-1].version; f.Schema > newest {
		return nil, nil, fmt.Errorf("it has schema version %d, this program knows only %d: use a newer homeward", f.Schema, newest)
	}
	n := slices.IndexFunc(all, func(m migration) bool { return m.version > f.Schema })
	if n < 0 {
		n = len(all)
	}
	return all[:n], all[n:], nil
}

// vacant refuses a place that holds something, unless that is to be replaced.
func (f Filling) vacant(ctx context.Context, db *DB) error {
	if f.Force {
		return nil
	}
	empty, err := db.empty(ctx)
	if err == nil && !empty {
		err = errors.New("the database is not empty: choose another, or replace what it holds with --force")
	}
	return err
}

// postgres fills a database in one transaction.
func (f Filling) postgres(ctx context.Context, fill func(l *Loader) error) (err error) {
	db, err := Open(ctx, f.Setting, f.Clock)
	if err != nil {
		return err
	}
	defer db.Close()
	before, after, err := f.steps(db.d)
	if err != nil {
		return err
	}
	if err := db.onlyOurs(ctx); err != nil {
		return err
	}
	if err := f.vacant(ctx, db); err != nil {
		return err
	}
	if !f.Offline {
		if err := db.alone(ctx); err != nil {
			return err
		}
	}
	mark := func(ctx context.Context, sql string) error {
		return db.engine.write(ctx, func(h txHandle) error { return h.Script(ctx, sql) })
	}
	if err := mark(ctx, "CREATE TABLE IF NOT EXISTS "+restoreTable+" (since BIGINT NOT NULL)"); err != nil {
		return err
	}
	err = db.engine.write(ctx, func(h txHandle) error {
		tx := db.transaction(ctx, h)
		if err := tx.clear(); err != nil {
			return err
		}
		if err := tx.migrateSteps(before); err != nil {
			return err
		}
		tables, err := f.expect(ctx, tx.reader)
		if err != nil {
			return err
		}
		here := func(_ context.Context, fn func(h txHandle) error) error { return fn(h) }
		if err := fill(&Loader{reader: tx.reader, tables: tables, write: here}); err != nil {
			return err
		}
		if err := tx.countOn(); err != nil {
			return err
		}
		return tx.migrateSteps(after)
	})
	if err != nil { // and so everything is as it was
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		return errors.Join(err, mark(ctx, "DROP TABLE IF EXISTS "+restoreTable))
	}
	return nil
}

func (tx *Tx) migrateSteps(steps []migration) error {
	for _, step := range steps {
		if _, err := tx.migrateStep(step); err != nil {
			return fmt.Errorf("migration %s: %w", step.name, err)
		}
	}
	return nil
}

// sqlite fills a new file beside the place, and puts it there when it is whole.
func (f Filling) sqlite(ctx context.Context, fill func(l *Loader) error) (err error) {
	if err := f.prepareFile(ctx); err != nil {
		return err
	}
	part := f.Setting + restoring
	if err := clearFile(ctx, part); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, removeFile(part))
		}
	}()
	if err := f.fillFile(ctx, part, fill); err != nil {
		return err
	}
	if err := unshared(ctx, part); err != nil { // which brings into the file what lies beside it: that would be lost
		return err
	}
	if err := syncFile(part); err != nil {
		return err
	}
	if err := unshared(ctx, f.Setting); err != nil { // nobody has come meanwhile
		return err
	}
	for _, rest := range []string{"-wal", "-shm", moving, moved} { // of the former one: a new file must not be read with them
		if err := os.Remove(f.Setting + rest); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := os.Rename(part, f.Setting); err != nil {
		return err
	}
	return syncFile(filepath.Dir(f.Setting))
}

// prepareFile looks at what is at the place.
func (f Filling) prepareFile(ctx context.Context) error {
	if _, _, err := f.steps(sqliteDialect()); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(f.Setting), 0o700); err != nil {
		return fmt.Errorf("make the database folder: %w", err)
	}
	if _, err := os.Stat(f.Setting); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := unshared(ctx, f.Setting); err != nil {
		return err
	}
	db, err := Open(ctx, f.Setting, f.Clock)
	if err != nil {
		return err
	}
	defer db.Close()
	return errors.Join(db.onlyOurs(ctx), f.vacant(ctx, db))
}

func (f Filling) fillFile(ctx context.Context, file string, fill func(l *Loader) error) error {
	db, err := OpenHasty(ctx, file, f.Clock)
	if err != nil {
		return err
	}
	defer db.Close()
	before, _, err := f.steps(db.d)
	if err != nil {
		return err
	}
	for _, step := range before {
		if _, err := db.migrateStep(ctx, step); err != nil {
			return fmt.Errorf("migration %s: %w", step.name, err)
		}
	}
	tables, err := f.expect(ctx, db.reader)
	if err != nil {
		return err
	}
	if err := fill(&Loader{reader: db.reader, tables: tables, write: db.engine.write}); err != nil {
		return err
	}
	_, err = db.Migrate(ctx)
	return err
}

// clearFile removes what a filling that was cut off has left, unless it is still going on.
func clearFile(ctx context.Context, part string) error {
	if _, err := os.Stat(part); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if errors.Is(unshared(ctx, part), errInUse) { // whatever else it is, it goes
		return errors.New("another restore into this place is going on")
	}
	return removeFile(part)
}

// removeFile removes a database with what lies beside it.
func removeFile(file string) (err error) {
	for _, end := range []string{"", "-wal", "-shm", "-journal"} {
		if e := os.Remove(file + end); !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// syncFile has a file or a folder outlast a loss of power.
func syncFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// onlyOurs refuses a database that is somebody else's: it has tables, and none that says which steps its schema has taken.
func (db *DB) onlyOurs(ctx context.Context) error {
	rs, err := db.h.Query(ctx, strings.Replace(db.d.catalogue.columns, "SELECT", "SELECT DISTINCT", 1))
	names, err := collect(rs, err, func(rs rows) (name string, err error) {
		var column, kind string
		err = rs.Scan(&name, &column, &kind)
		return name, err
	})
	names = slices.DeleteFunc(names, func(name string) bool { return name == restoreTable })
	if err == nil && len(names) > 0 && !slices.Contains(names, stepsTable) {
		err = errors.New("the database holds tables of another program: choose one that is empty")
	}
	return err
}

// usable says why a database cannot be used now.
func (db *DB) usable(ctx context.Context) error {
	why, err := db.engine.unfinished(ctx)
	if err == nil && why != "" {
		err = errors.New(why)
	}
	return err
}

// Usable is nil for a database that was not left half filled, nor moved away.
func (db *DB) Usable(ctx context.Context) error { return db.usable(ctx) }
