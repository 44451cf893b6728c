package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"homeward/internal/lost"
)

// onPostgres runs a test with an empty PostgreSQL database.
func onPostgres(t *testing.T, fn func(t *testing.T, setting string)) {
	each(t, func(t *testing.T, setting string) {
		if IsPostgres(setting) {
			fn(t, setting)
		}
	})
}

// fullFile makes a SQLite file with rows in every table, and tells what it holds.
func fullFile(t *testing.T, rows int) (file string, holds map[string]string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "homeward.db")
	with(t, file, func(db *DB) {
		if _, err := db.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		strew(t, db, rows)
		holds = sums(t, db)
	})
	return file, holds
}

// with opens a database for a moment.
func with(t *testing.T, setting string, fn func(db *DB)) {
	t.Helper()
	db, err := Open(t.Context(), setting, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	fn(db)
}

func refused(t *testing.T, setting, want string) {
	t.Helper()
	with(t, setting, func(db *DB) {
		if _, err := db.Migrate(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("it can be used: %v, want %q", err, want)
		}
	})
}

func TestEverythingMovesToPostgresAndAMoveThatWasCutOffGoesOn(t *testing.T) {
	onPostgres(t, func(t *testing.T, to string) {
		from, want := fullFile(t, 30)
		m := Move{From: from, To: to, Clock: time.Now, atOnce: 20}
		with(t, from, func(*DB) {
			if _, err := m.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "in use") {
				t.Errorf("while somebody uses the source: %v", err)
			}
		})
		refusedNot(t, from)
		with(t, to, func(db *DB) {
			if err := db.Ping(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, err := m.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "--offline") {
				t.Errorf("while somebody uses the target: %v", err)
			}
		})
		refusedNot(t, from)
		// It is cut off in the middle of a table, with some of its rows there.
		ctx, cancel := context.WithCancel(t.Context())
		m.Progress = func(table string, _ int64) {
			if table == "items" {
				cancel()
			}
		}
		m.Offline = true // the connections of those before may not be gone yet
		if _, err := m.Run(ctx); err == nil {
			t.Fatal("it went on to the end")
		}
		refused(t, from, "run homeward move again")
		refused(t, to, "run homeward move again")
		other := m
		other.Account = "acc_1"
		if _, err := other.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "another move") {
			t.Errorf("another move meanwhile: %v", err)
		}
		again := int64(0)
		m.Progress = func(table string, rows int64) {
			if table == "items" {
				again++
			}
			if table == "directory" {
				t.Errorf("table %s was moved once more, %d rows", table, rows)
			}
		}
		moved, err := m.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if again != 1 {
			t.Errorf("the other half of the items came in %d pieces", again)
		}
		if len(moved) != len(want) {
			t.Errorf("%d tables were moved of %d", len(moved), len(want))
		}
		with(t, to, func(db *DB) {
			if _, err := db.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, sums(t, db)); d != "" {
				t.Error(d)
			}
			if err := countedOn(t.Context(), db); err != nil {
				t.Error(err)
			}
		})
		refused(t, from, "was moved to PostgreSQL")
	})
}

func refusedNot(t *testing.T, setting string) {
	t.Helper()
	with(t, setting, func(db *DB) {
		if _, err := db.Migrate(t.Context()); err != nil {
			t.Errorf("a move that did not begin leaves it: %v", err)
		}
	})
}

func TestOneAccountMovesAndTheOthersStay(t *testing.T) {
	onPostgres(t, func(t *testing.T, to string) {
		from, _ := fullFile(t, 20)
		of := func(db *DB, account string) map[string]int64 {
			tables, err := db.Tables(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			all := map[string]int64{}
			for _, table := range tables {
				s, err := db.sumOf(t.Context(), table, account)
				if err != nil {
					t.Fatal(err)
				}
				all[table.Name] = s.Rows
			}
			return all
		}
		var one, two map[string]int64
		with(t, from, func(db *DB) {
			one, two = of(db, "acc_1"), of(db, "acc_0")
			err := db.Write(t.Context(), func(tx *Tx) error { // as what must not be lost may be guarded
				return tx.h.Script(tx.ctx, "CREATE TRIGGER audit_kept BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'kept'); END")
			})
			if err != nil {
				t.Fatal(err)
			}
		})
		if one["items"] != 10 || two["items"] != 10 {
			t.Fatalf("they have %d and %d items", one["items"], two["items"])
		}
		none := Move{From: from, To: to, Account: "acc_none", Clock: time.Now}
		if _, err := none.Run(t.Context()); err == nil {
			t.Error("an account that is not there moves")
		}
		m := Move{From: from, To: to, Account: "acc_1", Clock: time.Now, Offline: true}
		if _, err := m.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		with(t, to, func(db *DB) {
			if d := cmp.Diff(one, of(db, "acc_1")); d != "" {
				t.Error("there:", d)
			}
		})
		with(t, from, func(db *DB) {
			if n := of(db, "acc_1")["items"] + of(db, "acc_1")["audit"]; n != 0 {
				t.Errorf("%d rows are still here", n)
			}
			if d := cmp.Diff(two, of(db, "acc_0")); d != "" {
				t.Error("here:", d)
			}
			if _, err := db.Migrate(t.Context()); err != nil {
				t.Error(err)
			}
			err := db.Write(across(t.Context(), Operator), func(tx *Tx) error { return tx.later("DELETE FROM audit") })
			if err == nil || !strings.Contains(err.Error(), "kept") {
				t.Errorf("what was guarded is not any more: %v", err)
			}
		})
		if _, err := m.Run(t.Context()); err == nil {
			t.Error("it moves twice")
		}
		if _, err := os.Stat(from + moving); !errors.Is(err, os.ErrNotExist) {
			t.Error("the source stays locked")
		}
	})
}

// What was sealed, links that were sent and devices that log in go by all secrets that a database was used with.
func TestAnAccountMovesOnlyWhereTheSecretsWereTheSame(t *testing.T) {
	use := func(t *testing.T, setting string, secrets ...string) {
		with(t, setting, func(db *DB) {
			for n, s := range secrets {
				former := [][]byte{}
				if n > 0 {
					former = append(former, []byte(secrets[n-1]))
				}
				if err := db.UseSecret([]byte(s), former...); err != nil {
					t.Fatal(err)
				}
				if _, err := db.Migrate(t.Context()); err != nil {
					t.Fatal(err)
				}
				if err := db.CheckSecret(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	const first, second = "the first of all secrets", "the second of all secrets"
	for name, c := range map[string]struct {
		there []string
		fits  bool
	}{"unused": {nil, true}, "the same": {[]string{first, second}, true}, "never changed": {[]string{second}, false}, "others": {[]string{first}, false}} {
		t.Run(name, func(t *testing.T) {
			onPostgres(t, func(t *testing.T, to string) {
				from, _ := fullFile(t, 2)
				with(t, from, func(db *DB) { // what stands there is no secret
					if err := db.Write(across(t.Context(), Operator), func(tx *Tx) error { return tx.later("DELETE FROM directory WHERE kind IN ('secret', 'link-key')") }); err != nil {
						t.Fatal(err)
					}
				})
				use(t, from, first, second)
				if c.there != nil {
					use(t, to, c.there...)
				}
				_, err := Move{From: from, To: to, Account: "acc_1", Clock: time.Now, Offline: true}.Run(t.Context())
				if (err == nil) != c.fits || err != nil && !strings.Contains(err.Error(), "other secrets") {
					t.Error(err)
				}
				if err == nil {
					with(t, to, func(db *DB) {
						keys, err := db.entries(t.Context(), linkKeyEntry)
						if err != nil || len(keys) != 2 {
							t.Errorf("keys of links: %+v %v", keys, err)
						}
					})
				}
			})
		})
	}
}

// A move that was cut off can be given up: what has arrived goes, and nothing else that is there.
func TestAMoveIsGivenUp(t *testing.T) {
	onPostgres(t, func(t *testing.T, to string) {
		from, want := fullFile(t, 20)
		var before map[string]string
		with(t, to, func(db *DB) {
			if _, err := db.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			theirs := lost.NewAuditEntry(lost.Actor{Account: "acc_9"}, lost.LoggedIn, "", "", time.Now())
			if err := db.Write(t.Context(), func(tx *Tx) error { return tx.AddAudit(theirs) }); err != nil {
				t.Fatal(err)
			}
			before = sums(t, db)
		})
		ctx, stop := context.WithCancel(t.Context())
		m := Move{From: from, To: to, Account: "acc_1", Clock: time.Now, Offline: true, atOnce: 5, Progress: func(table string, _ int64) {
			if table == "items" {
				stop()
			}
		}}
		if _, err := m.Run(ctx); err == nil {
			t.Fatal("it was not cut off")
		}
		with(t, to, func(db *DB) {
			if _, err := db.Migrate(t.Context()); err == nil {
				t.Error("the target is used half full")
			}
		})
		if err := m.GiveUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		with(t, to, func(db *DB) {
			if d := cmp.Diff(before, sums(t, db)); d != "" {
				t.Error("there:", d)
			}
		})
		with(t, from, func(db *DB) {
			if d := cmp.Diff(want, sums(t, db)); d != "" {
				t.Error("here:", d)
			}
		})
		refusedNot(t, from)
		if err := m.GiveUp(t.Context()); err == nil {
			t.Error("it is given up twice")
		}
	})
}
