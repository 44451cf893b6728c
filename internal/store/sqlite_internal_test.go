package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"homeward/internal/lost"
)

func TestACanceledWriteIsSkipped(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "queue.db"))
	inside, release := make(chan struct{}), make(chan struct{})
	first := make(chan error, 1)
	go func() {
		first <- db.Write(context.Background(), func(*Tx) error {
			close(inside)
			<-release
			return nil
		})
	}()
	<-inside
	ctx, cancel := context.WithCancel(t.Context())
	second := make(chan error, 1)
	ran := false
	go func() { second <- db.Write(ctx, func(*Tx) error { ran = true; return nil }) }()
	cancel()
	if err := <-second; !errors.Is(err, context.Canceled) {
		t.Errorf("canceled write: got error %v", err)
	}
	close(release)
	if err := <-first; err != nil {
		t.Error(err)
	}
	if err := db.Write(t.Context(), func(*Tx) error { return nil }); err != nil || ran {
		t.Errorf("next write: got error %v; the canceled write ran: %t", err, ran)
	}
}

func TestUnusedStatementsAreClosedWhenThereAreTooMany(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "statements.db"))
	for n := range 3 * maxStatements {
		rs, err := db.h.Query(t.Context(), fmt.Sprintf("SELECT %d", n))
		if v, _, err := firstValue[int](rs, err); err != nil || v != n {
			t.Fatalf("statement %d: got %d, %v", n, v, err)
		}
	}
	reads := &db.engine.(inspectedEngine).engine.(*sqliteEngine).reads
	if n := len(reads.cached); n == 0 || n > maxStatements {
		t.Errorf("got %d cached statements, want 1 to %d", n, maxStatements)
	}
	for query, s := range reads.cached {
		if s.users != 0 {
			t.Errorf("%q has %d users, want 0", query, s.users)
		}
	}
}

func TestADatabaseThatCannotBeWrittenIsUnavailable(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "readonly.db"))
	err := db.Write(t.Context(), func(tx *Tx) error {
		if err := tx.h.Script(tx.ctx, "PRAGMA query_only = 1"); err != nil {
			return err
		}
		return tx.h.Script(tx.ctx, "CREATE TABLE x (y)")
	})
	if lost.CodeOf(err) != lost.Unavailable {
		t.Errorf("got error %v, want Unavailable", err)
	}
}

func TestOnlyOpenUnsyncedDoesNotSync(t *testing.T) {
	file := filepath.Join(t.TempDir(), "filled.db")
	const full, off = 2, 0
	for want, open := range map[int64]func(context.Context, string, func() time.Time) (*DB, error){
		full: Open, off: OpenUnsynced,
	} {
		db, err := open(t.Context(), file, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		err = db.Write(t.Context(), func(tx *Tx) error {
			rs, err := tx.h.Query(t.Context(), "PRAGMA synchronous")
			if got, _, err := firstValue[int64](rs, err); err != nil || got != want {
				t.Errorf("synchronous: got %d, %v, want %d", got, err, want)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestReadingAnItemDoesNotWaitForLongQueries(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "busy.db"))
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	readers := db.engine.(inspectedEngine).engine.(*sqliteEngine).readers
	for range readers.Stats().MaxOpenConnections { // each of them is in use
		conn, err := readers.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
	}
	_, err := db.Item(t.Context(), "acc_1", "loc_1", "itm_1")
	if lost.CodeOf(err) != lost.NotFound {
		t.Errorf("got %v, want that there is no such item", err)
	}
}

func TestADeletedDatabaseIsNotCreatedAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "deleted.db")
	db := open(t, file)
	if err := os.Rename(file, file+".elsewhere"); err != nil {
		t.Fatal(err)
	}
	readers := db.engine.(inspectedEngine).engine.(*sqliteEngine).readers
	readers.SetMaxIdleConns(0) // from here on, every connection is new
	rs, err := db.h.Query(t.Context(), "SELECT 1 + 1")
	if _, _, err := firstValue[int](rs, err); err == nil {
		t.Error("a new connection could be opened")
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("a new connection created a file: %v", err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := db.Ping(t.Context()); err == nil {
		t.Error("Ping accepted another file as the database")
	}
	if err := errors.Join(os.Remove(file), os.Rename(file+".elsewhere", file)); err != nil {
		t.Fatal(err)
	}
	if err := db.Ping(t.Context()); err != nil {
		t.Errorf("Ping of the restored file: %v", err)
	}
}

// writeTogether runs writes that share one commit, if the database has group commits, and returns their errors. The
// writes are started in their order.
func writeTogether(t *testing.T, db *DB, writes ...func(tx *Tx) error) []error {
	t.Helper()
	calls := make([]func() error, len(writes))
	for n, fn := range writes {
		calls[n] = func() error { return db.Write(context.Background(), fn) }
	}
	return callTogether(t, db, calls...)
}

// callTogether is writeTogether for any calls that write.
func callTogether(t *testing.T, db *DB, calls ...func() error) []error {
	t.Helper()
	inside, release := make(chan struct{}), make(chan struct{})
	results := make([]chan error, len(calls)+1)
	start := func(n int, call func() error) {
		results[n] = make(chan error, 1)
		go func() { results[n] <- call() }()
	}
	entered := sync.OnceFunc(func() { close(inside) }) // the write may run again
	start(0, func() error {
		return db.Write(context.Background(), func(*Tx) error {
			entered()
			<-release
			return nil
		})
	})
	<-inside
	queue := db.engine.(inspectedEngine).engine.(*sqliteEngine).queue
	for n, call := range calls {
		start(n+1, call)
		for len(queue) <= n {
			runtime.Gosched()
		}
	}
	close(release)
	errs := make([]error, len(calls))
	for n, result := range results {
		err := <-result
		if n > 0 {
			errs[n-1] = err
		}
	}
	return errs
}

func TestAFailedWriteOfAGroupChangesNothingAndFailsNoOther(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "group.db"))
	if err := db.Write(t.Context(), func(tx *Tx) error {
		return tx.h.Script(tx.ctx, "CREATE TABLE noted (name TEXT NOT NULL)")
	}); err != nil {
		t.Fatal(err)
	}
	ran := map[string]int{}
	note := func(name string, err error) func(tx *Tx) error {
		return func(tx *Tx) error {
			ran[name]++
			if _, failed := tx.deleteOld("INSERT INTO noted (name) VALUES ($1)", name); failed != nil {
				return failed
			}
			return err
		}
	}
	refused, canceled := lost.Missing("item"), errors.New("not now")
	errs := writeTogether(t, db, note("first", nil), func(*Tx) error { ran["refused"]++; return refused },
		note("second", nil), note("failed", canceled), note("third", nil))
	for n, want := range []error{nil, refused, nil, canceled, nil} {
		if !errors.Is(errs[n], want) {
			t.Errorf("write %d: got error %v, want %v", n+1, errs[n], want)
		}
	}
	rs, err := db.h.Query(withScope(t.Context(), CleanupScope), "SELECT name FROM noted ORDER BY rowid")
	names, err := collect(rs, err, scanText)
	if err != nil || !slices.Equal(names, []string{"first", "second", "third"}) {
		t.Errorf("stored %q, %v", names, err)
	}
	if ran["failed"] != 1 || ran["third"] != 1 {
		t.Errorf("the writes ran %v times", ran)
	}
}

// A function that consumes its input must not run again because another write fails.
func TestAWriteOnceIsNotRepeated(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "once.db"))
	ctx := withScope(context.Background(), CleanupScope)
	note := func(write func(context.Context, func(*Tx) error) error, ran *int, err error) func() error {
		return func() error {
			return write(ctx, func(tx *Tx) error {
				*ran++
				return errors.Join(tx.h.Script(tx.ctx, "CREATE TABLE IF NOT EXISTS noted (name TEXT)"), err)
			})
		}
	}
	failed := errors.New("not now")
	var before, once, after int
	errs := callTogether(t, db, note(db.Write, &before, nil), note(db.WriteOnce, &once, nil),
		note(db.Write, &after, failed))
	if errs[0] != nil || errs[1] != nil || !errors.Is(errs[2], failed) {
		t.Errorf("got errors %v", errs)
	}
	if once != 1 || before != 1 {
		t.Errorf("the write before ran %d times and the write that must run once %d times", before, once)
	}
}

func TestARefusedWriteThatChangedNothingRepeatsNoOther(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "refused.db"))
	ran := 0
	errs := writeTogether(t, db, func(tx *Tx) error {
		ran++
		return tx.h.Script(tx.ctx, "CREATE TABLE noted (name TEXT NOT NULL)")
	}, func(tx *Tx) error {
		rs, err := tx.h.Query(withScope(tx.ctx, CleanupScope), "SELECT count(*) FROM noted")
		if _, _, err := firstValue[int](rs, err); err != nil {
			return err
		}
		return lost.Missing("item")
	})
	if errs[0] != nil || lost.CodeOf(errs[1]) != lost.NotFound || ran != 1 {
		t.Errorf("got errors %v; the first write ran %d times, want once", errs, ran)
	}
}
