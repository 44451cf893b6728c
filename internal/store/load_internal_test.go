package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The tests in this file fill every table there is, whatever it is for, and so stand inside the package.

// strew puts rows into every table of a database that is empty, with all that a column can hold and no regard for what it means.
func strew(t *testing.T, db *DB, rows int) {
	t.Helper()
	tables, err := db.Tables(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if empty, err := db.empty(t.Context()); err != nil || !empty {
		return
	}
	for _, table := range tables {
		n := 0
		err := db.engine.write(t.Context(), func(h txHandle) error {
			_, err := h.Fill(t.Context(), table, func() ([]any, error) {
				if n++; n > rows {
					return nil, nil
				}
				row := make([]any, len(table.Columns))
				for i, c := range table.Columns {
					row[i] = strewn(table.Name, c, n)
				}
				return row, nil
			})
			return err
		})
		if err != nil {
			t.Fatalf("%s: %v", table.Name, err)
		}
	}
	if db.d.name == "postgres" {
		if err := db.Write(t.Context(), func(tx *Tx) error { return tx.countOn() }); err != nil {
			t.Fatal(err)
		}
	}
}

func strewn(table string, c Column, n int) any {
	switch {
	case c.Name == "account_id" && table == "accounts":
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
		if c.Name != "term" && c.Name != "amount" { // times are added to
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

// sums gives what every table holds, to be compared.
func sums(t *testing.T, db *DB) map[string]string {
	t.Helper()
	tables, err := db.Tables(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, table := range tables {
		s, err := db.sumOf(t.Context(), table, "")
		if err != nil {
			t.Fatal(err)
		}
		all[table.Name] = fmt.Sprint(s.Rows, " ", s.String())
	}
	return all
}

// pour fills a place with what a database holds.
func pour(t *testing.T, from *DB, f Filling, after func(l *Loader) error) error {
	t.Helper()
	f.Clock = time.Now
	return from.Snapshot(t.Context(), func(s *Snapshot) (err error) {
		if f.Tables == nil {
			f.Tables, err = s.Tables(t.Context())
		}
		if f.Schema == 0 && err == nil {
			f.Schema, err = s.SchemaVersion(t.Context())
		}
		if err != nil {
			return err
		}
		return Fill(t.Context(), f, func(l *Loader) error {
			for _, table := range f.Tables {
				var lines []byte
				var sum Sum
				err := s.Rows(t.Context(), table, "", func(r Row) error {
					sum.Add(r.Line)
					lines = append(lines, r.Line...)
					return nil
				})
				if err = errors.Join(err, l.Load(t.Context(), table.Name, lines)); err != nil {
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

func migrated(t *testing.T, setting string) *DB {
	t.Helper()
	db := open(t, setting)
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return db
}

// acrossAll runs a test from every database to every database.
func acrossAll(t *testing.T, fn func(t *testing.T, from, to string)) {
	each(t, func(t *testing.T, from string) {
		each(t, func(t *testing.T, to string) { fn(t, from, to) })
	})
}

func TestEveryTableOfOneDatabaseFillsAnother(t *testing.T) {
	acrossAll(t, func(t *testing.T, from, to string) {
		source := migrated(t, from)
		strew(t, source, 30)
		if err := pour(t, source, Filling{Setting: to}, nil); err != nil {
			t.Fatal(err)
		}
		target := migrated(t, to)
		want := sums(t, source)
		if len(want) < 30 {
			t.Fatalf("only %d tables", len(want))
		}
		if d := cmp.Diff(want, sums(t, target)); d != "" {
			t.Error(d)
		}
		if err := countedOn(t.Context(), target); err != nil {
			t.Error(err)
		}
		if err := pour(t, source, Filling{Setting: to}, nil); err == nil || !strings.Contains(err.Error(), "not empty") && !strings.Contains(err.Error(), "in use") {
			t.Errorf("a place that is not empty: %v", err)
		}
	})
}

// countedOn adds an item as the service does: its number comes after those that were filled in.
func countedOn(ctx context.Context, db *DB) error {
	return db.Write(ctx, func(tx *Tx) error {
		rs, err := tx.h.Query(ctx, `INSERT INTO items (account_id, id, location_id, reference, source, status, description, search, created_at, updated_at)
			VALUES ('acc_1', 'itm_new', 'loc_1', 'new', 'found', 'PENDING', '', '', 1, 1) RETURNING seq`)
		if seq, _, err := value[int64](rs, err); err != nil || seq <= 30 {
			return fmt.Errorf("the next number is %d: %w", seq, err)
		}
		return nil
	})
}

func TestWhatIsThereIsReplacedOnlyByForceAndOnlyWhole(t *testing.T) {
	each(t, func(t *testing.T, setting string) {
		source := migrated(t, filepath.Join(t.TempDir(), "source.db"))
		strew(t, source, 5)
		func() {
			db, err := Open(t.Context(), setting, time.Now)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if _, err := db.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			strew(t, db, 9)
			if err := pour(t, source, Filling{Setting: setting, Force: true}, nil); err == nil || !strings.Contains(err.Error(), "stop") {
				t.Errorf("while somebody uses it: %v", err)
			}
		}()
		if err := pour(t, source, Filling{Setting: setting}, nil); err == nil || !strings.Contains(err.Error(), "--force") {
			t.Errorf("without force: %v", err)
		}
		broken := errors.New("the disk is gone")
		if err := pour(t, source, Filling{Setting: setting, Force: true}, func(*Loader) error { return broken }); !errors.Is(err, broken) {
			t.Errorf("cut off: %v", err)
		}
		if got := rowsOf(t, setting, "items"); got != 9 {
			t.Errorf("after a restore that failed there are %d items, not the 9 from before", got)
		}
		if err := pour(t, source, Filling{Setting: setting, Force: true}, nil); err != nil {
			t.Fatal(err)
		}
		if got := rowsOf(t, setting, "items"); got != 5 {
			t.Errorf("by force there are %d items", got)
		}
	})
}

func rowsOf(t *testing.T, setting, table string) int64 {
	t.Helper()
	db, err := Open(t.Context(), setting, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	rs, err := db.h.Query(across(t.Context(), Operator), "SELECT count(*) FROM "+table)
	n, _, err := value[int64](rs, err)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// cutOff ends a filling as a power cut would, so far as one process can: whoever was to tidy up does not come to it.
func cutOff(t *testing.T, setting string) {
	t.Helper()
	if !IsPostgres(setting) {
		if err := os.WriteFile(setting+restoring, []byte("half a database"), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	db, err := Open(t.Context(), setting, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.engine.write(t.Context(), func(h txHandle) error {
		return h.Script(t.Context(), "CREATE TABLE "+restoreTable+" (since BIGINT NOT NULL)")
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAPlaceWhoseFillingWasCutOffSaysSoAndIsFilledAgain(t *testing.T) {
	each(t, func(t *testing.T, setting string) {
		source := migrated(t, filepath.Join(t.TempDir(), "source.db"))
		strew(t, source, 5)
		cutOff(t, setting)
		db, err := Open(t.Context(), setting, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		_, err = db.Migrate(t.Context())
		db.Close()
		if err == nil || !strings.Contains(err.Error(), "run homeward restore again") {
			t.Errorf("it is used: %v", err)
		}
		if err := pour(t, source, Filling{Setting: setting}, nil); err != nil {
			t.Fatal(err)
		}
		if got := rowsOf(t, setting, "items"); got != 5 {
			t.Errorf("there are %d items", got)
		}
	})
}

func TestAnOlderSchemaIsBroughtToThisOneAndANewerIsRefused(t *testing.T) {
	acrossAll(t, func(t *testing.T, from, to string) {
		source := open(t, from)
		steps, err := migrations(source.d.name)
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range steps {
			if step.version > 9 {
				break
			}
			if _, err := source.migrateStep(t.Context(), step); err != nil {
				t.Fatal(err)
			}
		}
		strew(t, source, 7)
		if err := pour(t, source, Filling{Setting: to, Schema: 9999}, nil); err == nil || !strings.Contains(err.Error(), "use a newer homeward") {
			t.Errorf("a newer one: %v", err)
		}
		if err := pour(t, source, Filling{Setting: to}, nil); err != nil {
			t.Fatal(err)
		}
		target := open(t, to)
		have, err := target.SchemaVersion(t.Context())
		if newest, _ := target.NewestSchema(); err != nil || have != newest {
			t.Errorf("it has schema %d, not %d: %v", have, newest, err)
		}
		rs, err := target.h.Query(across(t.Context(), Operator), "SELECT count(*) FROM tasks WHERE turn = since") // which a step wrote
		if n, _, err := value[int64](rs, err); err != nil || n != 7 {
			t.Errorf("%d tasks were brought to it: %v", n, err)
		}
	})
}

func TestATableThatIsAddedIsListedAndOneThatCannotBeCopiedIsSaid(t *testing.T) {
	each(t, func(t *testing.T, setting string) {
		db := migrated(t, setting)
		run := func(sql string) {
			t.Helper()
			if err := db.engine.write(t.Context(), func(h txHandle) error { return h.Script(t.Context(), sql) }); err != nil {
				t.Fatal(err)
			}
		}
		run("CREATE TABLE aaa (account_id TEXT NOT NULL, location TEXT NOT NULL, share DOUBLE PRECISION, PRIMARY KEY (account_id, location), FOREIGN KEY (account_id, location) REFERENCES locations (account_id, id))")
		tables, err := db.Tables(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		place := map[string]int{}
		for i, table := range tables {
			place[table.Name] = i + 1
		}
		if place["aaa"] == 0 || place["aaa"] < place["locations"] || place["items"] < place["locations"] {
			t.Errorf("the order is %v", place)
		}
		if place[stepsTable] != 0 {
			t.Error("which steps were taken is copied")
		}
		if d := cmp.Diff([]Column{{"account_id", TextKind}, {"location", TextKind}, {"share", RealKind}}, tables[place["aaa"]-1].Columns); d != "" {
			t.Error(d)
		}
		err = pour(t, db, Filling{Setting: filepath.Join(t.TempDir(), "target.db")}, nil)
		if err == nil || !strings.Contains(err.Error(), "table aaa") {
			t.Errorf("a table that the schema does not have: %v", err)
		}
		run("ALTER TABLE aaa ADD COLUMN odd NUMERIC(3)")
		if _, err := db.Tables(t.Context()); err == nil || !strings.Contains(err.Error(), "aaa.odd") {
			t.Errorf("a type that cannot be copied: %v", err)
		}
	})
}

func TestASnapshotSeesNothingThatIsWrittenAfterItBegan(t *testing.T) {
	each(t, func(t *testing.T, setting string) {
		db := migrated(t, setting)
		strew(t, db, 3)
		err := db.Snapshot(t.Context(), func(s *Snapshot) error {
			if _, err := s.SchemaVersion(t.Context()); err != nil {
				return err
			}
			if err := countedOn(t.Context(), db); err == nil || !strings.Contains(err.Error(), "is 4") { // rolled back, for it is under 30
				t.Fatalf("it counts on: %v", err)
			}
			if err := db.Write(across(t.Context(), Operator), func(tx *Tx) error { return tx.later("DELETE FROM items") }); err != nil {
				return err
			}
			n := 0
			tables, err := s.Tables(t.Context())
			for _, table := range tables {
				if table.Name == "items" {
					err = errors.Join(err, s.Rows(t.Context(), table, "", func(Row) error { n++; return nil }))
				}
			}
			if n != 3 {
				t.Errorf("it sees %d items", n)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestADatabaseOfAnotherProgramIsLeftAlone(t *testing.T) {
	each(t, func(t *testing.T, setting string) {
		source := migrated(t, filepath.Join(t.TempDir(), "source.db"))
		db, err := Open(t.Context(), setting, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		err = db.engine.write(t.Context(), func(h txHandle) error { return h.Script(t.Context(), "CREATE TABLE theirs (id TEXT PRIMARY KEY)") })
		db.Close()
		if err != nil {
			t.Fatal(err)
		}
		if err := pour(t, source, Filling{Setting: setting, Force: true}, nil); err == nil || !strings.Contains(err.Error(), "another program") {
			t.Errorf("got %v", err)
		}
	})
}
