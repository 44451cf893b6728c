package transfer

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

const replacedText = "a\ufffdFF\ufffd00z"

// nameOfView returns the only name of a saved view.
func nameOfView(t *testing.T, db *store.DB) string {
	t.Helper()
	rs, err := db.Raw().Query(t.Context(), "SELECT name FROM views")
	name, found, err := value[string](rs, err)
	if err != nil || !found {
		t.Fatalf("no view: %v", err)
	}
	return name
}

// Earlier versions accepted texts with SQLite that PostgreSQL cannot store.
func TestAMoveReplacesCharactersThatPostgreSQLCannotStore(t *testing.T) {
	onPostgres(t, func(t *testing.T, to string) {
		from, _ := filledFile(t, 1)
		withDB(t, from, func(db *store.DB) {
			runScript(t, db, "UPDATE views SET name = CAST(x'61FF007A' AS TEXT)")
		})
		m := Move{From: from, To: to, Clock: time.Now, Offline: true}
		if _, err := m.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		withDB(t, to, func(db *store.DB) {
			if got := nameOfView(t, db); got != replacedText {
				t.Errorf("got %q, want %q", got, replacedText)
			}
		})
	})
}

// A dump of an earlier version contains such texts as they were stored, and its checksums count them.
func TestALoadReplacesCharactersThatPostgreSQLCannotStore(t *testing.T) {
	for _, cell := range []string{`{"base64":"Yf8Aeg=="}`, `"a` + "\ufffd" + `FF\u0000z"`} {
		storetest.EachUnmigrated(t, func(t *testing.T, setting string) {
			from, _ := filledFile(t, 1)
			o := LoadOptions{Setting: setting, Clock: time.Now}
			withDB(t, from, func(db *store.DB) {
				err := db.Snapshot(t.Context(), func(s *store.Snapshot) (err error) {
					if o.Schema, err = s.SchemaVersion(t.Context()); err == nil {
						o.Tables, err = Tables(t.Context(), s)
					}
					if err != nil {
						return err
					}
					return loadWithCell(t, s, o, cell)
				})
				if err != nil {
					t.Fatal(err)
				}
			})
			withDB(t, setting, func(db *store.DB) {
				if got := nameOfView(t, db); got != replacedText {
					t.Errorf("%s: got %q, want %q", cell, got, replacedText)
				}
			})
		})
	}
}

// loadWithCell loads a database, with another value as the name of the view.
func loadWithCell(t *testing.T, s *store.Snapshot, o LoadOptions, cell string) error {
	t.Helper()
	return Load(t.Context(), o, func(l *Loader) error {
		for _, table := range o.Tables {
			var lines []byte
			var sum Sum
			err := Rows(t.Context(), s, table, "", func(r Row) error {
				line := r.Line
				if table.Name == "views" {
					line = withCell(t, table, line, "name", cell)
				}
				sum.Add(line)
				lines = append(lines, line...)
				return nil
			})
			if err != nil {
				return err
			}
			if err := l.Insert(t.Context(), table.Name, lines); err != nil {
				return err
			}
			if table.Name == "views" {
				other := sum
				other.Add([]byte("another row"))
				if l.Check(t.Context(), table.Name, sum.Rows, other.String()) == nil {
					t.Error("a wrong checksum was accepted")
				}
			}
			if err := l.Check(t.Context(), table.Name, sum.Rows, sum.String()); err != nil {
				return err
			}
		}
		return nil
	})
}

// withCell returns a line with another value in a column.
func withCell(t *testing.T, table Table, line []byte, column, cell string) []byte {
	t.Helper()
	var cells []json.RawMessage
	if err := json.Unmarshal(line, &cells); err != nil {
		t.Fatal(err)
	}
	texts := make([]string, len(cells))
	for n, c := range table.Columns {
		texts[n] = string(cells[n])
		if c.Name == column {
			texts[n] = cell
		}
	}
	return []byte("[" + strings.Join(texts, ",") + "]\n")
}
