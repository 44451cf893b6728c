package transfer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

// onPostgres runs fn with an empty PostgreSQL database.
func onPostgres(t *testing.T, fn func(t *testing.T, setting string)) {
	storetest.EachUnmigrated(t, func(t *testing.T, setting string) {
		if store.IsPostgres(setting) {
			fn(t, setting)
		}
	})
}

// filledFile creates a SQLite file with rows in every table, and returns its path and the checksum
// of each table.
func filledFile(t *testing.T, rows int) (file string, sum map[string]string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "homeward.db")
	withDB(t, file, func(db *store.DB) {
		if _, err := db.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		fillTables(t, db, rows)
		sum = sums(t, db)
	})
	return file, sum
}

// withDB opens a database, runs fn with it, and closes it.
func withDB(t *testing.T, setting string, fn func(db *store.DB)) {
	t.Helper()
	db, err := store.Open(t.Context(), setting, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	fn(db)
}

func wantRefused(t *testing.T, setting, want string) {
	t.Helper()
	withDB(t, setting, func(db *store.DB) {
		if _, err := db.Migrate(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Migrate: got %v, want an error with %q", err, want)
		}
	})
}

func TestAnInterruptedMoveContinues(t *testing.T) {
	onPostgres(t, func(t *testing.T, to string) {
		from, want := filledFile(t, 30)
		m := Move{From: from, To: to, Clock: time.Now, batch: 20}
		wantRefusedInUse(t, m)
		// The move is interrupted in the middle of a table, after some of its rows have been
		// copied.
		ctx, cancel := context.WithCancel(t.Context())
		m.Progress = func(s Step) {
			if s.Name == "table items" {
				cancel()
			}
		}
		m.Offline = true // earlier connections may still be open
		if _, err := m.Run(ctx); err == nil {
			t.Fatal("the move was not interrupted")
		}
		wantRefused(t, from, "run homeward move again")
		wantRefused(t, to, "run homeward move again")
		other := m
		other.Account = "acc_1"
		if _, err := other.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "another move") {
			t.Errorf("another move: got %v, want an error", err)
		}
		batches := 0
		m.Progress = func(s Step) {
			if s.Name == "table items" {
				batches++
			}
			if s.Name == "table directory" {
				t.Errorf("%s was moved again: %d rows", s.Name, s.Done)
			}
		}
		moved, err := m.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if batches != 1 {
			t.Errorf("the remaining items were copied in %d batches, want 1", batches)
		}
		if len(moved) != len(want) {
			t.Errorf("%d tables were moved, want %d", len(moved), len(want))
		}
		withDB(t, to, func(db *store.DB) {
			if _, err := db.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, sums(t, db)); d != "" {
				t.Error(d)
			}
			if err := checkNextNumber(t.Context(), db); err != nil {
				t.Error(err)
			}
		})
		wantRefused(t, from, "was moved to PostgreSQL")
	})
}

// wantRefusedInUse checks that a move does not start while its source or its target is open.
func wantRefusedInUse(t *testing.T, m Move) {
	t.Helper()
	withDB(t, m.From, func(*store.DB) {
		if _, err := m.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "in use") {
			t.Errorf("move while the source is open: got %v, want an error", err)
		}
	})
	wantUsable(t, m.From)
	withDB(t, m.To, func(db *store.DB) {
		if err := db.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := m.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "--offline") {
			t.Errorf("move while the target is open: got %v, want an error", err)
		}
	})
	wantUsable(t, m.From)
}

func wantUsable(t *testing.T, setting string) {
	t.Helper()
	withDB(t, setting, func(db *store.DB) {
		if _, err := db.Migrate(t.Context()); err != nil {
			t.Errorf("the source is not usable: %v", err)
		}
	})
}

// rowsOf counts an account's rows in every table.
func rowsOf(t *testing.T, db *store.DB, account string) map[string]int64 {
	t.Helper()
	tables, err := dataTables(t.Context(), db.Raw())
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]int64{}
	for _, table := range tables {
		s, err := sumOf(t.Context(), db.Raw(), table, account)
		if err != nil {
			t.Fatal(err)
		}
		all[table.Name] = s.Rows
	}
	return all
}

func TestMoveOfOneAccountLeavesTheOthers(t *testing.T) {
	onPostgres(t, func(t *testing.T, to string) {
		from, _ := filledFile(t, 20)
		var one, two map[string]int64
		withDB(t, from, func(db *store.DB) {
			one, two = rowsOf(t, db, "acc_1"), rowsOf(t, db, "acc_0")
			// A migration may have created a trigger that forbids deleting from a table.
			runScript(t, db, "CREATE TRIGGER audit_kept BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'kept'); END")
		})
		if one["items"] != 10 || two["items"] != 10 {
			t.Fatalf("the accounts have %d and %d items, want 10 each", one["items"], two["items"])
		}
		none := Move{From: from, To: to, Account: "acc_none", Clock: time.Now}
		if _, err := none.Run(t.Context()); err == nil {
			t.Error("an account that does not exist was moved")
		}
		m := Move{From: from, To: to, Account: "acc_1", Clock: time.Now, Offline: true}
		if _, err := m.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		withDB(t, to, func(db *store.DB) {
			if d := cmp.Diff(one, rowsOf(t, db, "acc_1")); d != "" {
				t.Error("target:", d)
			}
		})
		withDB(t, from, func(db *store.DB) {
			if n := rowsOf(t, db, "acc_1")["items"] + rowsOf(t, db, "acc_1")["audit"]; n != 0 {
				t.Errorf("%d rows of the account are still in the source", n)
			}
			if d := cmp.Diff(two, rowsOf(t, db, "acc_0")); d != "" {
				t.Error("source:", d)
			}
			if _, err := db.Migrate(t.Context()); err != nil {
				t.Error(err)
			}
			err := db.WriteOnce(t.Context(), func(tx *store.Tx) error { return tx.Raw().Script("DELETE FROM audit") })
			if err == nil || !strings.Contains(err.Error(), "kept") {
				t.Errorf("delete from audit: got %v, want the error of the restored trigger", err)
			}
		})
		if _, err := m.Run(t.Context()); err == nil {
			t.Error("the account was moved twice")
		}
		if _, err := os.Stat(from + store.MovingSuffix); !errors.Is(err, os.ErrNotExist) {
			t.Error("the source is still locked")
		}
	})
}

// TestMoveOfAnAccountRequiresTheSameSecrets checks that the current and all former secrets must be
// the same, because encrypted columns, links and passkeys depend on them.
func TestMoveOfAnAccountRequiresTheSameSecrets(t *testing.T) {
	use := func(t *testing.T, setting string, secrets ...string) {
		withDB(t, setting, func(db *store.DB) {
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
		target  []string
		allowed bool
	}{
		"unused": {nil, true}, "the same": {[]string{first, second}, true}, "never changed": {[]string{second}, false},
		"others": {[]string{first}, false},
	} {
		t.Run(name, func(t *testing.T) {
			onPostgres(t, func(t *testing.T, to string) {
				from, _ := filledFile(t, 2)
				withDB(t, from, func(db *store.DB) { // the sample rows do not contain valid secrets
					runScript(t, db, "DELETE FROM directory WHERE kind IN ('secret', 'link-key')")
				})
				use(t, from, first, second)
				if c.target != nil {
					use(t, to, c.target...)
				}
				_, err := Move{From: from, To: to, Account: "acc_1", Clock: time.Now, Offline: true}.Run(t.Context())
				if (err == nil) != c.allowed || err != nil && !strings.Contains(err.Error(), "other secrets") {
					t.Errorf("got error %v, want success %t", err, c.allowed)
				}
				if err == nil {
					withDB(t, to, func(db *store.DB) {
						keys, err := texts(db.Raw().Query(t.Context(),
							"SELECT hash FROM directory WHERE kind = 'link-key'"))
						if err != nil || len(keys) != 2 {
							t.Errorf("link keys: got %q, %v, want 2", keys, err)
						}
					})
				}
			})
		})
	}
}

func TestAbortDeletesOnlyMovedRows(t *testing.T) {
	onPostgres(t, func(t *testing.T, to string) {
		from, want := filledFile(t, 20)
		var before map[string]string
		withDB(t, to, func(db *store.DB) {
			if _, err := db.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			entry := lost.NewAuditEntry(lost.Actor{Account: "acc_9"}, lost.LoggedIn, "", "", time.Now())
			if err := db.Write(t.Context(), func(tx *store.Tx) error { return tx.AddAudit(entry) }); err != nil {
				t.Fatal(err)
			}
			before = sums(t, db)
		})
		ctx, stop := context.WithCancel(t.Context())
		m := Move{From: from, To: to, Account: "acc_1", Clock: time.Now, Offline: true, batch: 5}
		m.Progress = func(s Step) {
			if s.Name == "table items" {
				stop()
			}
		}
		if _, err := m.Run(ctx); err == nil {
			t.Fatal("the move was not interrupted")
		}
		withDB(t, to, func(db *store.DB) {
			if _, err := db.Migrate(t.Context()); err == nil {
				t.Error("the target can be used after an interrupted move")
			}
		})
		if err := m.Abort(t.Context()); err != nil {
			t.Fatal(err)
		}
		withDB(t, to, func(db *store.DB) {
			if d := cmp.Diff(before, sums(t, db)); d != "" {
				t.Error("target:", d)
			}
		})
		withDB(t, from, func(db *store.DB) {
			if d := cmp.Diff(want, sums(t, db)); d != "" {
				t.Error("source:", d)
			}
		})
		wantUsable(t, from)
		if err := m.Abort(t.Context()); err == nil {
			t.Error("the move was aborted twice")
		}
	})
}

func TestAbortOfAMoveOfEverythingEmptiesTheTarget(t *testing.T) {
	onPostgres(t, func(t *testing.T, to string) {
		from, _ := filledFile(t, 20)
		ctx, stop := context.WithCancel(t.Context())
		m := Move{From: from, To: to, Clock: time.Now, Offline: true, batch: 5}
		m.Progress = func(s Step) {
			if s.Name == "table items" {
				stop()
			}
		}
		if _, err := m.Run(ctx); err == nil {
			t.Fatal("the move was not interrupted")
		}
		if err := m.Abort(t.Context()); err != nil {
			t.Fatal(err)
		}
		withDB(t, to, func(db *store.DB) {
			if empty, err := isEmpty(t.Context(), db.Raw()); err != nil || !empty {
				t.Errorf("the target is not empty after Abort: %v", err)
			}
		})
		wantUsable(t, from)
	})
}

// highChange is higher than all numbers of changes that a new database could have.
const highChange = 8_000_000_000_000_000

func TestChangesAfterAMoveFollowTheMovedOnes(t *testing.T) {
	onPostgres(t, func(t *testing.T, to string) {
		from, _ := filledFile(t, 5)
		withDB(t, from, func(db *store.DB) {
			runScript(t, db, fmt.Sprintf("UPDATE items SET change = %d", highChange))
		})
		if _, err := (Move{From: from, To: to, Clock: time.Now, Offline: true}).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		withDB(t, to, func(db *store.DB) {
			rs, err := db.Raw().Query(t.Context(), "SELECT base + txid_current() FROM change_base")
			if next, _, err := value[int64](rs, err); err != nil || next <= highChange {
				t.Errorf("the next change has the number %d, %v; want one above %d", next, err, int64(highChange))
			}
		})
	})
}
