package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"homeward/internal/store"
)

// LoadOptions specify the database that Load fills and the content of the dump.
type LoadOptions struct {
	Setting string // database setting: postgres://… or a SQLite file
	Schema  int64  // schema version of the dump
	Tables  []Table
	Force   bool // replace existing data
	Offline bool // skip the check for other connections; the operator guarantees that no service is running
	Clock   func() time.Time
	// Progress is called while the indexes of a SQLite file are built, after fill has returned.
	Progress Progress
}

// Load fills a database, completely or not at all: the data becomes visible only after fill has
// returned and every check has passed. Load returns an error if the database already holds data,
// unless Force is set. A dump with an older schema is migrated to the schema of this program; a
// dump with a newer schema is rejected. After an interrupted load, opening the database reports the
// interruption, and the load can be repeated.
func Load(ctx context.Context, o LoadOptions, fill func(l *Loader) error) error {
	ctx = store.MaintenanceContext(ctx)
	if store.IsPostgres(o.Setting) {
		return o.loadPostgres(ctx, fill)
	}
	return o.loadSQLite(ctx, fill)
}

// Loader inserts rows into the database being loaded.
type Loader struct {
	raw      store.Raw
	tables   map[string]Table
	write    func(ctx context.Context, fn func(tx *store.Tx) error) error // calls fn once
	replaced map[string]*replacedRows                                     // by table
}

// replacedRows are the rows of a table in which characters were replaced, because PostgreSQL cannot store them.
type replacedRows struct{ dumped, loaded Sum }

// Insert inserts rows into a table. Each row in lines is the Line of a Row. It ignores the rows of internal tables,
// which are in dumps by programs that do not know the table.
func (l *Loader) Insert(ctx context.Context, table string, lines []byte) error {
	if (Table{Name: table}).isInternal() {
		return nil
	}
	t, ok := l.tables[table]
	if !ok {
		return fmt.Errorf("the database has no table %s", table)
	}
	return l.write(ctx, func(tx *store.Tx) error {
		rest := lines
		err := tx.Raw().InsertRows(t.Name, t.columnNames(), func() ([]any, error) {
			if len(rest) == 0 {
				return nil, nil
			}
			var line []byte
			line, rest, _ = bytes.Cut(rest, []byte{'\n'})
			values, replaced, err := t.parse(line)
			if replaced {
				err = l.noteReplaced(t, line, values)
			}
			return values, err
		})
		if err != nil {
			return fmt.Errorf("load table %s: %w", table, err)
		}
		return nil
	})
}

// noteReplaced notes that a row has other values than in the dump.
func (l *Loader) noteReplaced(t Table, line []byte, values []any) error {
	if l.replaced == nil {
		l.replaced = map[string]*replacedRows{}
	}
	rows := l.replaced[t.Name]
	if rows == nil {
		rows = &replacedRows{}
		l.replaced[t.Name] = rows
	}
	loaded, err := newLineEncoder(t).encode(values)
	if err != nil {
		return fmt.Errorf("load table %s: %w", t.Name, err)
	}
	rows.dumped.Add(append(slices.Clone(line), '\n'))
	rows.loaded.Add(loaded.Line)
	return nil
}

// Check returns an error unless a table has the expected number of rows and checksum. It ignores internal tables.
func (l *Loader) Check(ctx context.Context, table string, rows int64, sum string) error {
	if (Table{Name: table}).isInternal() {
		return nil
	}
	got, err := sumOf(ctx, l.raw, l.tables[table], "")
	if err != nil {
		return err
	}
	if r := l.replaced[table]; r != nil {
		got.subtract(r.loaded)
		got.add(r.dumped)
	}
	if got.Rows != rows || got.String() != sum {
		return fmt.Errorf("table %s does not match the dump: got %d rows instead of %d, or their content differs",
			table, got.Rows, rows)
	}
	return nil
}

// compareTables returns the tables of a database by name. It returns an error unless they have
// exactly the columns in the dump. Internal tables in the dump are ignored.
func compareTables(ctx context.Context, raw store.Raw, dump []Table, schema int64) (map[string]Table, error) {
	have, err := dataTables(ctx, raw)
	if err != nil {
		return nil, err
	}
	dump = slices.DeleteFunc(slices.Clone(dump), Table.isInternal)
	tables := map[string]Table{}
	for _, t := range have {
		tables[t.Name] = t
	}
	for _, t := range dump {
		if _, ok := tables[t.Name]; !ok {
			return nil, fmt.Errorf("the dump has table %s, which schema version %d does not have", t.Name, schema)
		}
		if !slices.Equal(t.Columns, tables[t.Name].Columns) {
			return nil, fmt.Errorf("the columns of table %s differ from those in schema version %d", t.Name, schema)
		}
	}
	if len(dump) != len(have) {
		return nil, fmt.Errorf("the dump has %d tables, schema version %d has %d", len(dump), schema, len(have))
	}
	return tables, nil
}

// checkSchema returns the newest schema version that this program knows. It returns an error if the
// dump's schema is newer.
func (o LoadOptions) checkSchema() (newest int64, err error) {
	newest, err = store.NewestSchemaFor(o.Setting)
	if err != nil {
		return 0, err
	}
	if o.Schema > newest {
		return 0, fmt.Errorf("the dump has schema version %d, but this program supports up to %d: "+
			"use a newer version of homeward",
			o.Schema, newest)
	}
	return newest, nil
}

// checkEmpty returns an error if the database holds data, unless Force is set.
func (o LoadOptions) checkEmpty(ctx context.Context, db *store.DB) error {
	if o.Force {
		return nil
	}
	empty, err := isEmpty(ctx, db.Raw())
	if err == nil && !empty {
		err = errors.New("the database is not empty: choose another database, or replace its data with --force")
	}
	return err
}
