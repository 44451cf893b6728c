package store

import (
	"context"
	"path/filepath"
	"testing"
)

// A caller that leaves does not suspend the replica for others.
func TestACallerThatLeavesDoesNotSuspendTheReplica(t *testing.T) {
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
			t.Errorf("canceled: %t, suspended until %v, %v", left, r.suspendedUntil, err)
		}
	}
}
