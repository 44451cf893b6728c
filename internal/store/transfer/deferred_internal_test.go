package transfer

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

// lines returns the rows of a query with text columns.
func lines(t *testing.T, raw store.Raw, columns int, query string) (all []string) {
	t.Helper()
	rs, err := raw.Query(t.Context(), query)
	all, err = collect(rs, err, func(rs store.Rows) (string, error) {
		values, targets := make([]string, columns), make([]any, columns)
		for i := range values {
			targets[i] = &values[i]
		}
		err := rs.Scan(targets...)
		return strings.Join(values, " | "), err
	})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return all
}

// sqliteDetails returns everything in a SQLite file that is not in its tables: the schema, with the
// order of the indexes of each table, the highest numbers used, and the content of the search index.
func sqliteDetails(t *testing.T, db *store.DB) map[string][]string {
	t.Helper()
	const search = "SELECT CAST(rowid AS TEXT) FROM items_search WHERE items_search MATCH '\"%s\"' ORDER BY rowid"
	details := map[string][]string{
		"schema": lines(t, db.Raw(), 4,
			"SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema ORDER BY type, name"),
		"indexes": lines(t, db.Raw(), 2,
			"SELECT tbl_name, name FROM sqlite_schema WHERE type = 'index' ORDER BY tbl_name, rowid"),
		"sequences": lines(t, db.Raw(), 2, "SELECT name, CAST(seq AS TEXT) FROM sqlite_sequence ORDER BY name"),
		"settings":  lines(t, db.Raw(), 2, "SELECT k, CAST(v AS TEXT) FROM items_search_config ORDER BY k"),
		"broken":    lines(t, db.Raw(), 1, `SELECT "table" FROM pragma_foreign_key_check`),
		"integrity": lines(t, db.Raw(), 1, "PRAGMA integrity_check"),
	}
	for _, word := range []string{"sea", "ear", "rch", "xxx"} {
		details["search "+word] = lines(t, db.Raw(), 1, fmt.Sprintf(search, word))
	}
	runScript(t, db, "INSERT INTO items_search (items_search, rank) VALUES ('integrity-check', 1)")
	return details
}

// TestALoadedSQLiteFileIsLikeOneWrittenRowByRow compares a loaded file with its source, which was
// written with all indexes and triggers in place.
func TestALoadedSQLiteFileIsLikeOneWrittenRowByRow(t *testing.T) {
	source := openMigrated(t, filepath.Join(t.TempDir(), "source.db"))
	fillTables(t, source, 400)
	setting := filepath.Join(t.TempDir(), "with a ' quote & more", "target.db")
	if err := copyDatabase(t, source, LoadOptions{Setting: setting}, nil); err != nil {
		t.Fatal(err)
	}
	target := openMigrated(t, setting)
	if d := cmp.Diff(sums(t, source), sums(t, target)); d != "" {
		t.Error(d)
	}
	want, got := sqliteDetails(t, source), sqliteDetails(t, target)
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if len(want["search rch"]) != 400 || len(want["integrity"]) != 1 || want["integrity"][0] != "ok" {
		t.Errorf("the source has %d searchable items, want 400, and its check says %v", len(want["search rch"]),
			want["integrity"])
	}
	err := target.WriteOnce(t.Context(), func(tx *store.Tx) error { return tx.Raw().Script("DELETE FROM audit") })
	if err == nil || !strings.Contains(err.Error(), "the audit log is not changed") {
		t.Errorf("deleting from the loaded audit log: got %v, want an error", err)
	}
}

// TestASQLiteFileIsLoadedWithoutJournalIndexesAndTriggers checks what makes a load fast. With a
// journal, the time would grow with the square of the size of a transaction.
func TestASQLiteFileIsLoadedWithoutJournalIndexesAndTriggers(t *testing.T) {
	source := openMigrated(t, filepath.Join(t.TempDir(), "source.db"))
	fillTables(t, source, 3)
	setting := filepath.Join(t.TempDir(), "target.db")
	var steps []Step
	o := LoadOptions{Setting: setting, Progress: func(s Step) { steps = append(steps, s) }}
	err := copyDatabase(t, source, o, func(l *Loader) error {
		const count = "SELECT name FROM sqlite_schema WHERE type IN ('index', 'trigger') AND sql IS NOT NULL"
		if got := lines(t, l.raw, 1, count); len(got) > 0 {
			t.Errorf("while rows are inserted there are %v, want no index and no trigger", got)
		}
		return l.write(t.Context(), func(tx *store.Tx) error {
			if got := lines(t, tx.Raw().Raw, 1, "PRAGMA journal_mode"); got[0] != "off" {
				t.Errorf("the journal mode is %v, want off", got)
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(steps) < 10 || steps[len(steps)-1].Share != 1 {
		t.Errorf("the progress is %v, want a step for each index and 1 at the end", steps)
	}
	db := openMigrated(t, setting)
	if got := lines(t, db.Raw(), 1, "PRAGMA journal_mode"); got[0] != "wal" {
		t.Errorf("the journal mode of the loaded database is %v, want wal", got)
	}
}

func TestALoadRefusesRowsThatReferToMissingRows(t *testing.T) {
	storetest.EachUnmigrated(t, func(t *testing.T, setting string) {
		source := openMigrated(t, filepath.Join(t.TempDir(), "source.db"))
		fillTables(t, source, 3)
		err := source.Snapshot(t.Context(), func(s *store.Snapshot) error {
			tables, err := Tables(t.Context(), s)
			if err != nil {
				return err
			}
			schema, err := s.SchemaVersion(t.Context())
			if err != nil {
				return err
			}
			o := LoadOptions{Setting: setting, Schema: schema, Tables: tables, Clock: time.Now}
			return Load(t.Context(), o, func(l *Loader) error {
				for _, table := range tables {
					if table.Name != "items" { // without its location
						continue
					}
					return Rows(t.Context(), s, table, "", func(r Row) error {
						return l.Insert(t.Context(), table.Name, r.Line)
					})
				}
				return errors.New("there is no table items")
			})
		})
		missing := err != nil && (strings.Contains(err.Error(), "items refer to rows of table locations") || // SQLite
			strings.Contains(err.Error(), "violates foreign key constraint \"items_account_id_location_id_fkey\""))
		if !missing {
			t.Errorf("got %v, want an error about a missing row", err)
		}
		for _, suffix := range []string{"", store.RestoringSuffix} {
			if _, err := os.Stat(setting + suffix); err == nil {
				t.Errorf("the file with the suffix %q exists", suffix)
			}
		}
	})
}

// TestALoadIntoSQLiteTakesAtMostTwiceAsLongAsIntoPostgreSQL measures loads of 5,000 rows in each
// table, all of a table in one transaction. The time must not grow with the square of the rows.
func TestALoadIntoSQLiteTakesAtMostTwiceAsLongAsIntoPostgreSQL(t *testing.T) {
	if os.Getenv("HOMEWARD_TEST_LONG") == "" {
		t.Skip("HOMEWARD_TEST_LONG is not set")
	}
	source := openMigrated(t, filepath.Join(t.TempDir(), "source.db"))
	fillTables(t, source, 5000)
	taken := map[bool]time.Duration{}
	storetest.EachUnmigrated(t, func(t *testing.T, setting string) {
		began := time.Now()
		if err := copyDatabase(t, source, LoadOptions{Setting: setting}, nil); err != nil {
			t.Fatal(err)
		}
		taken[store.IsPostgres(setting)] = time.Since(began)
	})
	sqlite, postgres := taken[false], taken[true]
	t.Logf("SQLite %v, PostgreSQL %v", sqlite, postgres)
	if postgres > 0 && sqlite > 2*postgres {
		t.Errorf("the load into SQLite took %v, more than twice as long as into PostgreSQL (%v)", sqlite, postgres)
	}
}
