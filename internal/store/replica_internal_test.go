package store

import (
	"context"
	"path/filepath"
	"testing"
)

// Whoever leaves takes the replica from nobody else.
func TestAReaderWhoLeavesDoesNotLeaveTheReplicaOut(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "homeward.db"))
	looked := &freshnessCheck{done: make(chan struct{}), fresh: true}
	close(looked.done)
	r := &replica{engine: &pgEngine{}, next: looked, pause: minPause}
	replicated := *db
	replicated.replica = r
	for _, left := range []bool{true, false} {
		ctx, leave := context.WithCancel(t.Context())
		_, err := readFresh(ctx, &replicated, func(reader) (none struct{}, err error) {
			if left {
				leave()
			}
			return none, context.Canceled
		})
		leave()
		if err == nil || r.suspendedUntil.IsZero() != left {
			t.Errorf("left: %t, left out until %v, %v", left, r.suspendedUntil, err)
		}
	}
}
