package store

import (
	"context"
	"path/filepath"
	"testing"
)

func TestACanceledReadDoesNotSuspendTheReplica(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "homeward.db"))
	check := &freshnessCheck{done: make(chan struct{}), fresh: true}
	close(check.done)
	r := &replica{engine: &pgEngine{}, next: check, pause: minPause}
	replicated := *db
	replicated.replica = r
	for _, canceled := range []bool{true, false} {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := readFresh(ctx, &replicated, func(reader) (none struct{}, err error) {
			if canceled {
				cancel()
			}
			return none, context.Canceled
		})
		cancel()
		if err == nil || r.suspendedUntil.IsZero() != canceled {
			t.Errorf("canceled %t: suspended until %v, %v", canceled, r.suspendedUntil, err)
		}
	}
}
