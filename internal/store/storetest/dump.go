package storetest

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"homeward/internal/store"
)

// opened maps each open test database to its setting.
var opened sync.Map

// Dump returns all rows of a database as text, one row per line. Tests use it to check that a value
// is not stored anywhere.
func Dump(t testing.TB, db *store.DB) string {
	t.Helper()
	setting, _ := opened.Load(db)
	dump := dumpSQLite
	if store.IsPostgres(setting.(string)) {
		dump = dumpPostgres
	}
	text, err := dump(t.Context(), setting.(string))
	if err != nil {
		t.Fatalf("dump: %v", err)
	}
	return text
}

func dumpPostgres(ctx context.Context, setting string) (string, error) {
	conn, err := pgx.Connect(ctx, setting)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(ctx) }()
	names, err := texts(conn.Query(ctx, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"))
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, name := range names {
		rows, err := texts(conn.Query(ctx, "SELECT t::text FROM "+name+" AS t"))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&out, "%s: %s\n", name, strings.Join(rows, "\n"+name+": "))
	}
	return out.String(), nil
}

func texts(rs pgx.Rows, err error) ([]string, error) {
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rs, pgx.RowTo[string])
}

func dumpSQLite(ctx context.Context, setting string) (string, error) {
	db, err := sql.Open("sqlite", setting)
	if err != nil {
		return "", err
	}
	defer func() { _ = db.Close() }()
	var all string
	const names = "SELECT group_concat(name) FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'items_search%'"
	if err := db.QueryRowContext(ctx, names).Scan(&all); err != nil {
		return "", err
	}
	var out strings.Builder
	for name := range strings.SplitSeq(all, ",") {
		if err := dumpTable(ctx, db, name, &out); err != nil {
			return "", err
		}
	}
	return out.String(), nil
}

func dumpTable(ctx context.Context, db *sql.DB, name string, out *strings.Builder) error {
	rs, err := db.QueryContext(ctx, "SELECT * FROM "+name)
	if err != nil {
		return err
	}
	defer func() { _ = rs.Close() }()
	columns, err := rs.Columns()
	if err != nil {
		return err
	}
	row, targets := make([]any, len(columns)), make([]any, len(columns))
	for n := range row {
		targets[n] = &row[n]
	}
	for rs.Next() {
		if err := rs.Scan(targets...); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %v\n", name, row)
	}
	return rs.Err()
}
