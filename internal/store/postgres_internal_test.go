package store

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestConnectionsHaveTheServicesNameByDefault(t *testing.T) {
	for dsn, want := range map[string]string{
		"postgres://homeward@127.0.0.1/homeward":                             "homeward",
		"postgres://homeward@127.0.0.1/homeward?application_name=front-desk": "front-desk",
	} {
		cfg, err := poolConfig(dsn)
		if err != nil {
			t.Fatal(err)
		}
		if got := cfg.ConnConfig.RuntimeParams["application_name"]; got != want {
			t.Errorf("%s: got %q, want %q", dsn, got, want)
		}
	}
}

func TestOnlyWritableHostsAreUsed(t *testing.T) {
	for dsn, want := range map[string]bool{
		"postgres://homeward@db/homeward":                                      false,
		"postgres://homeward@db/homeward?sslmode=prefer":                       false,
		"postgres://homeward@db-a,db-b/homeward":                               true,
		"postgres://homeward@db-a:5432,db-b:5433/homeward":                     true,
		"postgres:///homeward?host=db-a,db-b&user=homeward":                    true,
		"postgres://homeward@db-a,db-b/homeward?target_session_attrs=primary":  true,
		"postgres://homeward@db-a,db-b/homeward?target_session_attrs=any":      false,
		"postgres://homeward@db/homeward?target_session_attrs=read-write":      true,
		"postgres://homeward@db,db:5433/homeward?sslmode=disable":              true,
		"postgres://homeward@db,db/homeward?sslmode=disable&connect_timeout=2": false,
	} {
		cfg, err := poolConfig(dsn)
		if err != nil {
			t.Fatal(err)
		}
		requireWritable(cfg, dsn)
		if got := cfg.ConnConfig.ValidateConnect != nil; got != want {
			t.Errorf("%s: hosts are checked: %t, want %t", dsn, got, want)
		}
	}
}

// TestANewLocationIsReadByIndex checks that reading a page does not get slower with the number of items if the
// location is newer than the planner's statistics, as after an import.
func TestANewLocationIsReadByIndex(t *testing.T) {
	each(t, func(t *testing.T, setting string) {
		db := open(t, setting)
		if db.d.name != "postgres" || db.d.citus {
			t.Skip("only PostgreSQL uses statistics to plan queries")
		}
		if _, err := db.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		fillLocation(t, db, "old", 300)
		if err := db.Write(t.Context(), func(tx *Tx) error { return tx.queue("ANALYZE items") }); err != nil {
			t.Fatal(err)
		}
		fillLocation(t, db, "new", 1000)
		page := "SELECT i.seq FROM items i WHERE i.account_id = $1 AND i.location_id = $2 ORDER BY i.seq LIMIT 100"
		rs, err := db.h.QueryPlanned(t.Context(), "EXPLAIN ANALYZE "+itemsOfPage("", page, "i.seq"), "acc", "new")
		plan, err := collect(rs, err, func(rs rows) (line string, err error) { err = rs.Scan(&line); return line, err })
		if text := strings.Join(plan, "\n"); err != nil || strings.Contains(text, "Rows Removed by Join Filter") {
			t.Errorf("the query reads all of the location's items for each item of the page: %v\n%s", err, text)
		}
	})
}

// fillLocation adds a location with items that have only the required fields.
func fillLocation(t *testing.T, db *DB, id string, items int) {
	t.Helper()
	err := db.Write(t.Context(), func(tx *Tx) error {
		return tx.h.Script(t.Context(), fmt.Sprintf(`
			INSERT INTO locations (account_id, id, permalink, name, name_key, search, type, created_at, updated_at)
			VALUES ('acc', '%[1]s', '%[1]s', '%[1]s', '%[1]s', '%[1]s', 'HOTEL', 1, 1);
			INSERT INTO items (account_id, id, location_id, reference, source, status, description, search, created_at,
				updated_at)
			SELECT 'acc', '%[1]s' || n, '%[1]s', '%[1]s' || n, 'found', 'PENDING', 'Umbrella', 'umbrella', 1, 1
			FROM generate_series(1, %[2]d) AS n`, id, items))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// On another database server, transactions have other ids. The numbers of changes must not become lower.
func TestChangeNumbersGrowOnAnotherServer(t *testing.T) {
	each(t, func(t *testing.T, setting string) {
		db := open(t, setting)
		if db.d.changes.counted {
			t.Skip("changes are counted")
		}
		var last int64
		for range 3 { // each time, the rows are restored from the same backup
			if _, err := db.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			rs, err := db.h.Query(t.Context(), "SELECT base + txid_current() FROM change_base WHERE id = $1", "")
			next, _, err := firstValue[int64](rs, err)
			if err != nil || next <= last || next < time.Now().Add(-time.Hour).UnixMicro() {
				t.Errorf("the next change has the number %d, %v; the last one had %d", next, err, last)
			}
			last = next + 1000 // changes in the meantime
			if err := db.Write(t.Context(), func(tx *Tx) error {
				return tx.queue("UPDATE change_base SET cluster = '', base = 0 WHERE id = $1", "")
			}); err != nil {
				t.Fatal(err)
			}
		}
	})
}
