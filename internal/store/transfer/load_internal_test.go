package transfer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

// fillTables inserts rows into every table of an empty database. The rows cover all kinds of values
// that the column types allow.
func fillTables(t *testing.T, db *store.DB, rows int) {
	t.Helper()
	tables, err := dataTables(t.Context(), db.Raw())
	if err != nil {
		t.Fatal(err)
	}
	if empty, err := isEmpty(t.Context(), db.Raw()); err != nil || !empty {
		return
	}
	for _, table := range tables {
		n := 0
		err := db.WriteOnce(t.Context(), func(tx *store.Tx) error {
			return tx.Raw().InsertRows(table.Name, table.columnNames(), func() ([]any, error) {
				if n++; n > rows {
					return nil, nil
				}
				row := make([]any, len(table.Columns))
				for i, c := range table.Columns {
					row[i] = sampleValue(table.Name, c, n)
				}
				return row, nil
			})
		})
		if err != nil {
			t.Fatalf("%s: %v", table.Name, err)
		}
	}
	if db.Raw().Postgres() {
		err := db.Write(t.Context(), func(tx *store.Tx) error { return resetSequences(t.Context(), tx.Raw()) })
		if err != nil {
			t.Fatal(err)
		}
	}
}

// runScript executes statements directly, as a database administrator could.
func runScript(t *testing.T, db *store.DB, sql string) {
	t.Helper()
	err := db.WriteOnce(t.Context(), func(tx *store.Tx) error { return tx.Raw().Script(sql) })
	if err != nil {
		t.Fatal(err)
	}
}

func sampleValue(table string, c Column, n int) any {
	switch {
	case c.Name == "account_id" && slices.Contains([]string{"accounts", "embedding_runs", "notice_cursors"}, table):
		// There is one row for each account.
		return fmt.Sprintf("acc_%d", n)
	case c.Name == "account_id":
		return fmt.Sprintf("acc_%d", n%2)
	case c.Name == "location_id", table == "locations" && c.Name == "id":
		return fmt.Sprintf("loc_%d", n)
	case n%3 == 0 && (c.Name == "weight" || c.Name == "is_document" || c.Name == "storage_duration"):
		return nil
	}
	switch c.Kind {
	case IntegerKind:
		if c.Name != "term" && c.Name != "amount" { // other columns may be times; adding to extreme ones overflows
			return int64(n)
		}
		return []int64{math.MaxInt64, math.MinInt64, 0}[n%3] + int64(n)*[]int64{-1, 1, 1}[n%3]
	case RealKind:
		return 0.1 * float64(n)
	case BooleanKind:
		return n%2 == 0
	default:
		return fmt.Sprintf("%s \"%d\" <&>\\ \n\t Grüße \u2028 日本 🧳 ", c.Name, n) + strings.Repeat("x", n%50)
	}
}

// sums returns the number of rows and the checksum of every table, by table name.
func sums(t *testing.T, db *store.DB) map[string]string {
	t.Helper()
	tables, err := dataTables(t.Context(), db.Raw())
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, table := range tables {
		s, err := sumOf(t.Context(), db.Raw(), table, "")
		if err != nil {
			t.Fatal(err)
		}
		all[table.Name] = fmt.Sprint(s.Rows, " ", s.String())
	}
	return all
}

// copyDatabase loads all data from one database into another.
func copyDatabase(t *testing.T, from *store.DB, o LoadOptions, after func(l *Loader) error) error {
	t.Helper()
	o.Clock = time.Now
	return from.Snapshot(t.Context(), func(s *store.Snapshot) (err error) {
		if o.Tables == nil {
			o.Tables, err = Tables(t.Context(), s)
		}
		if o.Schema == 0 && err == nil {
			o.Schema, err = s.SchemaVersion(t.Context())
		}
		if err != nil {
			return err
		}
		return Load(t.Context(), o, func(l *Loader) error {
			for _, table := range o.Tables {
				var lines []byte
				var sum Sum
				err := Rows(t.Context(), s, table, "", func(r Row) error {
					sum.Add(r.Line)
					lines = append(lines, r.Line...)
					return nil
				})
				if err != nil {
					return err
				}
				if err := l.Insert(t.Context(), table.Name, lines); err != nil {
					return err
				}
				if err := l.Check(t.Context(), table.Name, sum.Rows, sum.String()); err != nil {
					return err
				}
			}
			if after != nil {
				return after(l)
			}
			return nil
		})
	})
}

func openMigrated(t *testing.T, setting string) *store.DB {
	t.Helper()
	db := storetest.Open(t, setting, time.Now)
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return db
}

// eachPair runs fn as a subtest for every combination of source and target database.
func eachPair(t *testing.T, fn func(t *testing.T, from, to string)) {
	storetest.EachUnmigrated(t, func(t *testing.T, from string) {
		storetest.EachUnmigrated(t, func(t *testing.T, to string) { fn(t, from, to) })
	})
}

func TestLoadCopiesEveryTable(t *testing.T) {
	eachPair(t, func(t *testing.T, from, to string) {
		source := openMigrated(t, from)
		fillTables(t, source, 30)
		if err := copyDatabase(t, source, LoadOptions{Setting: to}, nil); err != nil {
			t.Fatal(err)
		}
		target := openMigrated(t, to)
		want := sums(t, source)
		if len(want) < 30 {
			t.Fatalf("got %d tables, want at least 30", len(want))
		}
		if d := cmp.Diff(want, sums(t, target)); d != "" {
			t.Error(d)
		}
		if err := checkNextNumber(t.Context(), target); err != nil {
			t.Error(err)
		}
		if err := copyDatabase(t, source, LoadOptions{Setting: to}, nil); err == nil ||
			!strings.Contains(err.Error(), "not empty") && !strings.Contains(err.Error(), "in use") {
			t.Errorf("load into a database that is not empty: got %v, want an error", err)
		}
	})
}

// checkNextNumber adds an item as the service does, and returns an error unless its number follows
// the numbers of the loaded items.
func checkNextNumber(ctx context.Context, db *store.DB) error {
	return db.Write(ctx, func(tx *store.Tx) error {
		rs, err := tx.Raw().Query(ctx,
			`INSERT INTO items (account_id, id, location_id, reference, source, status, description,
				search, created_at, updated_at)
			VALUES ('acc_1', 'itm_new', 'loc_1', 'new', 'found', 'PENDING', '', '', 1, 1) RETURNING seq`)
		if seq, _, err := value[int64](rs, err); err != nil || seq <= 30 {
			return fmt.Errorf("the next number is %d: %w", seq, err)
		}
		return nil
	})
}

func TestLoadReplacesDataOnlyWithForceAndOnlyCompletely(t *testing.T) {
	storetest.EachUnmigrated(t, func(t *testing.T, setting string) {
		source := openMigrated(t, filepath.Join(t.TempDir(), "source.db"))
		fillTables(t, source, 5)
		func() {
			db, err := store.Open(t.Context(), setting, time.Now)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if _, err := db.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			fillTables(t, db, 9)
			if err := copyDatabase(t, source, LoadOptions{Setting: setting, Force: true}, nil); err == nil ||
				!strings.Contains(err.Error(), "stop") {
				t.Errorf("load while the database is open: got %v, want an error that says to stop the service", err)
			}
		}()
		if err := copyDatabase(t, source, LoadOptions{Setting: setting}, nil); err == nil ||
			!strings.Contains(err.Error(), "--force") {
			t.Errorf("load without force: got %v, want an error", err)
		}
		errDisk := errors.New("disk failure")
		if err := copyDatabase(t, source, LoadOptions{Setting: setting, Force: true}, func(*Loader) error {
			return errDisk
		}); !errors.Is(err, errDisk) {
			t.Errorf("interrupted load: got %v, want the disk failure", err)
		}
		if got := countRows(t, setting, "items"); got != 9 {
			t.Errorf("after a failed load there are %d items, want the 9 from before", got)
		}
		if err := copyDatabase(t, source, LoadOptions{Setting: setting, Force: true}, nil); err != nil {
			t.Fatal(err)
		}
		if got := countRows(t, setting, "items"); got != 5 {
			t.Errorf("after a forced load there are %d items, want 5", got)
		}
	})
}

func countRows(t *testing.T, setting, table string) int64 {
	t.Helper()
	db, err := store.Open(t.Context(), setting, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	rs, err := db.Raw().Query(t.Context(), "SELECT count(*) FROM "+table)
	n, _, err := value[int64](rs, err)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// leaveInterrupted leaves a database as if a power failure had interrupted a load.
func leaveInterrupted(t *testing.T, setting string) {
	t.Helper()
	if !store.IsPostgres(setting) {
		if err := os.WriteFile(setting+store.RestoringSuffix, []byte("half a database"), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	db, err := store.Open(t.Context(), setting, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	runScript(t, db, "CREATE TABLE "+store.RestoreTable+" (since BIGINT NOT NULL)")
}

func TestAnInterruptedLoadIsReportedAndCanBeRepeated(t *testing.T) {
	storetest.EachUnmigrated(t, func(t *testing.T, setting string) {
		source := openMigrated(t, filepath.Join(t.TempDir(), "source.db"))
		fillTables(t, source, 5)
		leaveInterrupted(t, setting)
		db, err := store.Open(t.Context(), setting, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		_, err = db.Migrate(t.Context())
		db.Close()
		if err == nil || !strings.Contains(err.Error(), "run homeward restore again") {
			t.Errorf("Migrate after an interrupted load: got %v, want an error", err)
		}
		if err := copyDatabase(t, source, LoadOptions{Setting: setting}, nil); err != nil {
			t.Fatal(err)
		}
		if got := countRows(t, setting, "items"); got != 5 {
			t.Errorf("got %d items, want 5", got)
		}
	})
}

func TestLoadMigratesAnOlderSchemaAndRefusesANewerOne(t *testing.T) {
	eachPair(t, func(t *testing.T, from, to string) {
		source := storetest.Open(t, from, time.Now)
		if err := source.MigrateTo(t.Context(), 9); err != nil {
			t.Fatal(err)
		}
		fillTables(t, source, 7)
		if err := copyDatabase(t, source, LoadOptions{Setting: to, Schema: 9999}, nil); err == nil ||
			!strings.Contains(err.Error(), "use a newer version of homeward") {
			t.Errorf("load of a newer schema: got %v, want an error", err)
		}
		if err := copyDatabase(t, source, LoadOptions{Setting: to}, nil); err != nil {
			t.Fatal(err)
		}
		target := storetest.Open(t, to, time.Now)
		have, err := target.SchemaVersion(t.Context())
		if newest, _ := target.NewestSchema(); err != nil || have != newest {
			t.Errorf("the database has schema %d, want %d: %v", have, newest, err)
		}
		// A migration that is newer than the dump sets the column turn.
		rs, err := target.Raw().Query(t.Context(), "SELECT count(*) FROM tasks WHERE turn = since")
		if n, _, err := value[int64](rs, err); err != nil || n != 7 {
			t.Errorf("%d tasks were migrated, want 7: %v", n, err)
		}
	})
}

func TestTablesListsAddedTablesAndRefusesUnknownTypes(t *testing.T) {
	storetest.EachUnmigrated(t, func(t *testing.T, setting string) {
		db := openMigrated(t, setting)
		runScript(t, db, `CREATE TABLE aaa (account_id TEXT NOT NULL, location TEXT NOT NULL, share DOUBLE PRECISION,
			PRIMARY KEY (account_id, location), FOREIGN KEY (account_id, location) REFERENCES locations (account_id,
			id))`)
		tables, err := dataTables(t.Context(), db.Raw())
		if err != nil {
			t.Fatal(err)
		}
		position := map[string]int{}
		for i, table := range tables {
			position[table.Name] = i + 1
		}
		if position["aaa"] == 0 || position["aaa"] < position["locations"] ||
			position["items"] < position["locations"] {
			t.Errorf("the order is %v, want locations before aaa and items", position)
		}
		if position[store.MigrationsTable] != 0 {
			t.Error("the table of applied migrations is listed")
		}
		want := []Column{{"account_id", TextKind}, {"location", TextKind}, {"share", RealKind}}
		if d := cmp.Diff(want, tables[position["aaa"]-1].Columns); d != "" {
			t.Error(d)
		}
		err = copyDatabase(t, db, LoadOptions{Setting: filepath.Join(t.TempDir(), "target.db")}, nil)
		if err == nil || !strings.Contains(err.Error(), "table aaa") {
			t.Errorf("load of a table that the schema does not have: got %v, want an error", err)
		}
		runScript(t, db, "ALTER TABLE aaa ADD COLUMN odd NUMERIC(3)")
		if _, err := dataTables(t.Context(), db.Raw()); err == nil || !strings.Contains(err.Error(), "aaa.odd") {
			t.Errorf("table with an unsupported column type: got %v, want an error", err)
		}
	})
}

func TestASnapshotDoesNotSeeLaterWrites(t *testing.T) {
	storetest.EachUnmigrated(t, func(t *testing.T, setting string) {
		db := openMigrated(t, setting)
		fillTables(t, db, 3)
		err := db.Snapshot(t.Context(), func(s *store.Snapshot) error {
			if _, err := s.SchemaVersion(t.Context()); err != nil {
				return err
			}
			// checkNextNumber returns an error because 4 is not above 30, so the insert is rolled back.
			if err := checkNextNumber(t.Context(), db); err == nil || !strings.Contains(err.Error(), "is 4") {
				t.Fatalf("the item was not rejected: %v", err)
			}
			runScript(t, db, "DELETE FROM items")
			n := 0
			tables, err := Tables(t.Context(), s)
			for _, table := range tables {
				if table.Name == "items" {
					err = errors.Join(err, Rows(t.Context(), s, table, "", func(Row) error { n++; return nil }))
				}
			}
			if n != 3 {
				t.Errorf("the snapshot sees %d items, want 3", n)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestLoadRefusesTheDatabaseOfAnotherProgram(t *testing.T) {
	storetest.EachUnmigrated(t, func(t *testing.T, setting string) {
		source := openMigrated(t, filepath.Join(t.TempDir(), "source.db"))
		db, err := store.Open(t.Context(), setting, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		runScript(t, db, "CREATE TABLE invoices_of_another_program (id TEXT PRIMARY KEY)")
		db.Close()
		if err := copyDatabase(t, source, LoadOptions{Setting: setting, Force: true}, nil); err == nil ||
			!strings.Contains(err.Error(), "another program") {
			t.Errorf("got %v, want an error about another program", err)
		}
	})
}

// A program that does not know the table of the last backup treats it as data, for example the previous version during
// a rolling update.
func TestLoadIgnoresTheTableOfTheLastBackup(t *testing.T) {
	storetest.EachUnmigrated(t, func(t *testing.T, setting string) {
		source := openMigrated(t, filepath.Join(t.TempDir(), "source.db"))
		fillTables(t, source, 3)
		made := store.LastBackup{Made: time.Now(), Finished: time.Now()}
		if err := source.Write(t.Context(), func(tx *store.Tx) error { return tx.SetLastBackup(made) }); err != nil {
			t.Fatal(err)
		}
		tables, err := allTables(t.Context(), source.Raw())
		if err != nil {
			t.Fatal(err)
		}
		known, err := dataTables(t.Context(), source.Raw())
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range tables {
			if table.Name == store.BackupTable {
				known = append(known, table)
			}
		}
		if err := copyDatabase(t, source, LoadOptions{Setting: setting, Tables: known}, nil); err != nil {
			t.Fatal(err)
		}
		target := storetest.Open(t, setting, time.Now)
		if last, found, err := target.LastBackup(t.Context()); found || err != nil {
			t.Errorf("the copy has the last backup %v, %v, want none", last, err)
		}
		if d := cmp.Diff(sums(t, source), sums(t, target)); d != "" {
			t.Error(d)
		}
	})
}

// A program that has read changes which the backup does not have must copy everything again.
func TestPositionsAfterTheBackupAreRefused(t *testing.T) {
	eachPair(t, func(t *testing.T, from, to string) {
		source := openMigrated(t, from)
		fillTables(t, source, 20)
		if err := copyDatabase(t, source, LoadOptions{Setting: to}, nil); err != nil {
			t.Fatal(err)
		}
		db := storetest.Open(t, to, time.Now)
		for after, want := range map[string]lost.Code{
			"21.item": lost.InvalidCursor,
			fmt.Sprint(time.Now().Add(-time.Hour).UnixMicro(), ".item"): lost.InvalidCursor,
			fmt.Sprint(time.Now().Add(time.Hour).UnixMicro(), ".item"):  "",
		} {
			page := lost.Page{Number: 1, Limit: 10, After: after}
			_, items := db.ItemChanges(t.Context(), "acc_1", nil, lost.ItemFilter{Page: page}, time.Time{})
			_, events := db.EventChanges(t.Context(), "acc_1", lost.EventFilter{Page: page}, time.Time{})
			if (want == "") != (items == nil) || (want == "") != (events == nil) ||
				want != "" && (lost.ReasonOf(items) != want || lost.ReasonOf(events) != want) {
				t.Errorf("after %s: got %v and %v, want %q", after, items, events, want)
			}
		}
	})
}
