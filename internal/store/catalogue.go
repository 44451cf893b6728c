package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Kind is what a column holds, in words that fit both databases.
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

// Table is one table as the schema has it, its columns in the order of their names: both databases then write the same row the same way.
type Table struct {
	Name    string   `json:"name"`
	Columns []Column `json:"columns"`
}

// column tells whether a table has a column of this name.
func (t Table) column(name string) bool {
	return slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Name == name })
}

// names are the columns' names, quoted.
func (t Table) names() []string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = quoted(c.Name)
	}
	return names
}

// quoted is a name as SQL takes it, whatever it is.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// The tables that tell of the place and not of what is kept in it. They are never copied: a place that is filled gets its own.
const (
	stepsTable   = "schema_migrations"
	restoreTable = "restore_unfinished" // is there while a restore goes on, and after one that was cut off
	moveTable    = "move_unfinished"    // likewise of a move; it says how far that has come
	gateTable    = "audit_gate"         // SQLite's, and empty but while upkeep removes what is old from the audit log
)

// catalogue is how a database tells of its own tables: their columns, and which refer to which.
type catalogue struct{ columns, parents string }

func sqliteCatalogue() catalogue {
	const tables = " FROM pragma_table_list l JOIN %s(l.name) c WHERE l.schema = 'main' AND l.type = 'table' AND l.name NOT LIKE 'sqlite^_%%' ESCAPE '^'"
	return catalogue{
		columns: fmt.Sprintf("SELECT l.name, c.name, c.type"+tables, "pragma_table_info"),
		parents: fmt.Sprintf(`SELECT l.name, c."table"`+tables, "pragma_foreign_key_list"),
	}
}

func postgresCatalogue() catalogue {
	// Parts of a table are read with it; what an extension has made is made by it again.
	const ours = ` t.relnamespace = current_schema()::text::regnamespace AND t.relkind IN ('r', 'p') AND NOT t.relispartition
		AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = t.oid AND d.deptype = 'e')`
	return catalogue{
		columns: `SELECT t.relname::text, c.attname::text, format_type(c.atttypid, c.atttypmod)
			FROM pg_class t JOIN pg_attribute c ON c.attrelid = t.oid AND c.attnum > 0 AND NOT c.attisdropped AND c.attgenerated = '' WHERE` + ours,
		parents: `SELECT t.relname::text, p.relname::text FROM pg_class t JOIN pg_constraint f ON f.conrelid = t.oid AND f.contype = 'f' JOIN pg_class p ON p.oid = f.confrelid WHERE` + ours,
	}
}

// kindOf reads the type that a schema gives a column.
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

// Tables lists the tables that hold what is kept, each after those that it refers to. It asks the database itself: a table that
// somebody adds is in the list. A column of a type that cannot be copied is an error, so that whoever adds one hears of it.
func (r reader) Tables(ctx context.Context) ([]Table, error) {
	found, err := r.everyTable(ctx)
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(t Table) bool {
		return slices.Contains([]string{stepsTable, restoreTable, moveTable, gateTable}, t.Name)
	})
	parents, err := r.pairs(ctx, r.d.catalogue.parents)
	if err != nil {
		return nil, fmt.Errorf("list what refers to what: %w", err)
	}
	return parentsFirst(found, parents)
}

// everyTable lists all tables by their names.
func (r reader) everyTable(ctx context.Context) (found []Table, err error) {
	type line struct{ table, column, declared string }
	rs, err := r.h.Query(ctx, r.d.catalogue.columns)
	lines, err := collect(rs, err, func(rs rows) (l line, err error) {
		err = rs.Scan(&l.table, &l.column, &l.declared)
		return l, err
	})
	if err != nil {
		return nil, fmt.Errorf("list the tables: %w", err)
	}
	slices.SortFunc(lines, func(a, b line) int { return strings.Compare(a.table+"\x00"+a.column, b.table+"\x00"+b.column) })
	for _, l := range lines {
		kind, known := kindOf(l.declared)
		if !known {
			return nil, fmt.Errorf("column %s.%s has the type %s, which cannot be copied: use TEXT, BIGINT, DOUBLE PRECISION, BOOLEAN or BYTEA/BLOB", l.table, l.column, l.declared)
		}
		if len(found) == 0 || found[len(found)-1].Name != l.table {
			found = append(found, Table{Name: l.table})
		}
		last := &found[len(found)-1]
		last.Columns = append(last.Columns, Column{Name: l.column, Kind: kind})
	}
	return found, nil
}

func (r reader) pairs(ctx context.Context, query string) ([][2]string, error) {
	rs, err := r.h.Query(ctx, query)
	return collect(rs, err, func(rs rows) (p [2]string, err error) {
		err = rs.Scan(&p[0], &p[1])
		return p, err
	})
}

// parentsFirst puts tables in an order in which their rows can be inserted. A table may refer to itself.
func parentsFirst(tables []Table, parents [][2]string) (sorted []Table, err error) {
	placed := map[string]bool{}
	waits := func(t Table) bool {
		return slices.ContainsFunc(parents, func(p [2]string) bool { return p[0] == t.Name && p[1] != t.Name && !placed[p[1]] })
	}
	for len(sorted) < len(tables) {
		before := len(sorted)
		for _, t := range tables {
			if !placed[t.Name] && !waits(t) {
				placed[t.Name] = true
				sorted = append(sorted, t)
			}
		}
		if len(sorted) == before {
			return nil, fmt.Errorf("tables refer to each other in a circle, so that none can be filled first")
		}
	}
	return sorted, nil
}

// empty tells whether no table holds a row.
func (r reader) empty(ctx context.Context) (bool, error) {
	ctx = across(ctx, Operator)
	tables, err := r.Tables(ctx)
	if err != nil {
		return false, err
	}
	for _, t := range tables {
		rs, err := r.h.Query(ctx, "SELECT 1 FROM "+quoted(t.Name)+" LIMIT 1")
		if _, found, err := value[int64](rs, err); found || err != nil {
			return false, err
		}
	}
	return true, nil
}
