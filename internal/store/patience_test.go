package store_test

import (
	"errors"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

// TestBatchWorkWaitsForAConnection uses a pool with one connection, which is in use for longer than
// a request waits.
func TestBatchWorkWaitsForAConnection(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.Postgres(t)+"&pool_max_conns=1", storetest.Now)
	started, release, first := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		first <- db.Write(t.Context(), func(*store.Tx) error {
			close(started)
			<-release
			return nil
		})
	}()
	<-started
	nothing := func(*store.Tx) error { return nil }
	waited, batch := make(chan time.Duration, 1), make(chan error, 1)
	go func() {
		batch <- db.Write(store.BatchContext(t.Context(), func(d time.Duration) { waited <- d }), nothing)
	}()
	request := make(chan error, 1)
	go func() { request <- db.Write(t.Context(), nothing) }()
	if err := <-request; lost.CodeOf(err) != lost.Unavailable {
		t.Errorf("a request: got %v, want Unavailable", err)
	}
	select {
	case <-waited:
	case err := <-batch:
		t.Errorf("the batch did not wait for a connection: %v", err)
		batch <- nil
	}
	close(release)
	if err := errors.Join(<-first, <-batch); err != nil {
		t.Error(err)
	}
}
