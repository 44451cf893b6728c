package transfer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"homeward/internal/store"
)

// Kind is the type of a column, in a form that is independent of the database.
type Kind string

// The kinds of columns that can be copied from one database to another.
const (
	TextKind    Kind = "text"
	IntegerKind Kind = "integer"
	RealKind    Kind = "real"
	BooleanKind Kind = "boolean"
	BytesKind   Kind = "bytes"
)

// Column is one column of a table.
type Column struct {
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
}

// Table is one table of the schema. Its columns are sorted by name, so that a row has the same Line
// in SQLite and PostgreSQL.
type Table struct {
	Name    string   `json:"name"`
	Columns []Column `json:"columns"`
}

// isInternal reports whether the table describes the database itself, or does not exist in both databases. Such a
// table is never copied.
func (t Table) isInternal() bool {
	return slices.Contains([]string{
		store.MigrationsTable, store.RestoreTable, store.MoveTable, store.BackupTable, store.ChangeBaseTable,
		store.ChangeCounterTable, store.LeaseTable, auditGateTable,
	}, t.Name)
}

func (t Table) hasColumn(name string) bool {
	return slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Name == name })
}

// columnNames returns the names of the columns.
func (t Table) columnNames() []string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return names
}

// quotedColumns returns the quoted column names, separated by commas, for SQL.
func (t Table) quotedColumns() string {
	names := t.columnNames()
	for i, name := range names {
		names[i] = store.QuoteName(name)
	}
	return strings.Join(names, ", ")
}

// auditGateTable is a table that exists only in SQLite. It is empty except while old entries are
// deleted from the audit log.
const auditGateTable = "audit_gate"

const (
	// sqliteTables selects the tables as l, each joined with the rows of a pragma as c.
	sqliteTables = ` FROM pragma_table_list l JOIN %s(l.name) c
		WHERE l.schema = 'main' AND l.type = 'table' AND l.name NOT LIKE 'sqlite^_%%' ESCAPE '^'`

	// postgresTables is the condition that selects the tables in pg_class t. It excludes
	// partitions, which are read with their table, and the tables of extensions, which the
	// extensions create.
	postgresTables = ` t.relnamespace = current_schema()::text::regnamespace AND t.relkind IN ('r', 'p')
			AND NOT t.relispartition
		AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = t.oid AND d.deptype = 'e')`
)

// columnsQuery returns a query for the table, name and type of every column in the database.
func columnsQuery(raw store.Raw) string {
	if !raw.Postgres() {
		return fmt.Sprintf("SELECT l.name, c.name, c.type"+sqliteTables, "pragma_table_info")
	}
	return `SELECT t.relname::text, c.attname::text, format_type(c.atttypid, c.atttypmod)
		FROM pg_class t JOIN pg_attribute c
			ON c.attrelid = t.oid AND c.attnum > 0 AND NOT c.attisdropped AND c.attgenerated = ''
		WHERE` + postgresTables
}

// parentsQuery returns a query for each pair of tables in which the first has a foreign key to the
// second.
func parentsQuery(raw store.Raw) string {
	if !raw.Postgres() {
		return fmt.Sprintf(`SELECT l.name, c."table"`+sqliteTables, "pragma_foreign_key_list")
	}
	return `SELECT t.relname::text, p.relname::text
		FROM pg_class t JOIN pg_constraint f ON f.conrelid = t.oid AND f.contype = 'f'
		JOIN pg_class p ON p.oid = f.confrelid
		WHERE` + postgresTables
}

// kindOf returns the kind of a column with the given declared type. It returns false if the type is
// not supported.
func kindOf(declared string) (Kind, bool) {
	switch strings.ToUpper(declared) {
	case "TEXT":
		return TextKind, true
	case "BIGINT", "INTEGER", "SMALLINT":
		return IntegerKind, true
	case "DOUBLE PRECISION", "REAL":
		return RealKind, true
	case "BOOLEAN":
		return BooleanKind, true
	case "BYTEA", "BLOB":
		return BytesKind, true
	}
	return "", false
}

// Tables lists the tables that hold data. Each table comes after the tables that it refers to. The
// list is read from the database, so a new table is included automatically. Tables returns an error
// if a column has a type that cannot be copied.
func Tables(ctx context.Context, s *store.Snapshot) ([]Table, error) { return dataTables(ctx, s.Raw()) }

func dataTables(ctx context.Context, raw store.Raw) ([]Table, error) {
	found, err := allTables(ctx, raw)
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, Table.isInternal)
	parents, err := pairs(ctx, raw, parentsQuery(raw))
	if err != nil {
		return nil, fmt.Errorf("list the foreign keys: %w", err)
	}
	return sortByParents(found, parents)
}

// allTables lists all tables, sorted by name.
func allTables(ctx context.Context, raw store.Raw) (found []Table, err error) {
	type line struct{ table, column, declared string }
	rs, err := raw.Query(ctx, columnsQuery(raw))
	lines, err := collect(rs, err, func(rs store.Rows) (l line, err error) {
		err = rs.Scan(&l.table, &l.column, &l.declared)
		return l, err
	})
	if err != nil {
		return nil, fmt.Errorf("list the tables: %w", err)
	}
	slices.SortFunc(lines, func(a, b line) int {
		return strings.Compare(a.table+"\x00"+a.column, b.table+"\x00"+b.column)
	})
	for _, l := range lines {
		kind, ok := kindOf(l.declared)
		if !ok {
			return nil, fmt.Errorf("column %s.%s has the type %s, which cannot be copied: "+
				"use TEXT, BIGINT, DOUBLE PRECISION, BOOLEAN or BYTEA/BLOB", l.table, l.column, l.declared)
		}
		if len(found) == 0 || found[len(found)-1].Name != l.table {
			found = append(found, Table{Name: l.table})
		}
		last := &found[len(found)-1]
		last.Columns = append(last.Columns, Column{Name: l.column, Kind: kind})
	}
	return found, nil
}

// sortByParents sorts tables so that each table comes after the tables that it refers to. It
// returns an error if there is a cycle. A table may refer to itself.
func sortByParents(tables []Table, parents [][2]string) (sorted []Table, err error) {
	placed := map[string]bool{}
	hasPending := func(t Table) bool {
		return slices.ContainsFunc(parents, func(p [2]string) bool {
			return p[0] == t.Name && p[1] != t.Name && !placed[p[1]]
		})
	}
	for len(sorted) < len(tables) {
		before := len(sorted)
		for _, t := range tables {
			if !placed[t.Name] && !hasPending(t) {
				placed[t.Name] = true
				sorted = append(sorted, t)
			}
		}
		if len(sorted) == before {
			return nil, errors.New("tables refer to each other in a cycle")
		}
	}
	return sorted, nil
}

// isEmpty reports whether no table holds a row.
func isEmpty(ctx context.Context, raw store.Raw) (bool, error) {
	tables, err := dataTables(ctx, raw)
	if err != nil {
		return false, err
	}
	for _, t := range tables {
		rs, err := raw.Query(ctx, "SELECT 1 FROM "+store.QuoteName(t.Name)+" LIMIT 1")
		if _, found, err := value[int64](rs, err); found || err != nil {
			return false, err
		}
	}
	return true, nil
}

// checkOwnTables returns an error if the database belongs to another program: if it has tables, but
// no table of applied migrations.
func checkOwnTables(ctx context.Context, raw store.Raw) error {
	rs, err := raw.Query(ctx, strings.Replace(columnsQuery(raw), "SELECT", "SELECT DISTINCT", 1))
	names, err := collect(rs, err, func(rs store.Rows) (name string, err error) {
		var column, kind string
		err = rs.Scan(&name, &column, &kind)
		return name, err
	})
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == store.RestoreTable })
	if len(names) > 0 && !slices.Contains(names, store.MigrationsTable) {
		return errors.New("the database holds tables of another program: choose an empty database")
	}
	return nil
}
