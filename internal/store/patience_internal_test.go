package store

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"homeward/internal/lost"
)

// sqliteOf returns the SQLite engine of a test database.
func sqliteOf(db *DB) *sqliteEngine { return db.engine.(inspectedEngine).engine.(*sqliteEngine) }

// lockFile locks a SQLite file for writing, as another process would, until unlock is called.
func lockFile(t *testing.T, file string) (unlock func()) {
	t.Helper()
	other, err := sql.Open("sqlite", sqliteURL(file))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() })
	conn, err := other.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	return func() {
		if _, err := conn.ExecContext(context.WithoutCancel(t.Context()), "ROLLBACK"); err != nil {
			t.Error(err)
		}
	}
}

// awaitWait waits until a batch reports that it is waiting.
func awaitWait(t *testing.T, waited <-chan time.Duration, ended chan error) {
	t.Helper()
	select {
	case <-waited:
	case err := <-ended:
		t.Errorf("the batch did not wait: %v", err)
		ended <- nil
	}
}

// TestBatchWorkWaitsForAnotherProcessAndOtherWorkDoesNot locks the database for longer than a
// statement waits for the lock.
func TestBatchWorkWaitsForAnotherProcessAndOtherWorkDoesNot(t *testing.T) {
	file := filepath.Join(t.TempDir(), "shared.db")
	db := open(t, file)
	e := sqliteOf(db)
	if err := db.Write(t.Context(), func(tx *Tx) error {
		return tx.h.Script(tx.ctx, "PRAGMA busy_timeout = 20; CREATE TABLE x (y)")
	}); err != nil {
		t.Fatal(err)
	}
	unlock := lockFile(t, file)
	add := func(tx *Tx) error { return tx.h.Script(tx.ctx, "INSERT INTO x VALUES (1)") }
	if err := db.Write(t.Context(), add); lost.CodeOf(err) != lost.Unavailable || !errors.Is(err, errNotStarted) {
		t.Errorf("a request: got %v, want Unavailable because of the lock", err)
	}
	e.maxWait = 200 * time.Millisecond // the batch has met the lock several times by then
	waited, done := make(chan time.Duration, 10), make(chan error, 1)
	go func() {
		done <- db.Write(BatchContext(t.Context(), func(d time.Duration) { waited <- d }), add)
	}()
	awaitWait(t, waited, done)
	if err := db.Write(t.Context(), add); lost.CodeOf(err) != lost.Unavailable {
		t.Errorf("a request beside the batch: got %v, want Unavailable", err)
	}
	if len(done) > 0 {
		t.Error("the batch ended before the lock was released")
	}
	unlock()
	if err := <-done; err != nil {
		t.Errorf("the batch: %v", err)
	}
	if len(waited) > 0 {
		t.Errorf("the wait was reported %d times, want once", 1+len(waited))
	}
}

func TestBatchWorkWaitsInTheQueueUntilItsContextEnds(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "queue.db"))
	sqliteOf(db).maxWait = 20 * time.Millisecond
	started, release, first := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		first <- db.Write(t.Context(), func(*Tx) error {
			close(started)
			<-release
			return nil
		})
	}()
	<-started
	nothing := func(*Tx) error { return nil }
	waited, patient := make(chan time.Duration, 1), make(chan error, 1)
	go func() {
		patient <- db.Write(BatchContext(t.Context(), func(d time.Duration) { waited <- d }), nothing)
	}()
	awaitWait(t, waited, patient)
	if err := db.Write(t.Context(), nothing); lost.CodeOf(err) != lost.Unavailable {
		t.Errorf("a request: got %v, want Unavailable", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancelled := make(chan error, 1)
	go func() { cancelled <- db.Write(BatchContext(ctx, func(time.Duration) { cancel() }), nothing) }()
	if err := <-cancelled; !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled batch: got %v, want context.Canceled", err)
	}
	close(release)
	if err := errors.Join(<-first, <-patient); err != nil {
		t.Error(err)
	}
}

func TestBatchWorkHasALongerResponseTimeout(t *testing.T) {
	for want, ctx := range map[time.Duration]context.Context{
		responseTimeout:      t.Context(),
		batchResponseTimeout: BatchContext(t.Context(), nil),
		0:                    MaintenanceContext(t.Context()),
	} {
		if got := timeoutOf(ctx); got != want {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}
