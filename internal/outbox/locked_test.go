package outbox_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

// An item that is due for a check while it is being changed is checked soon after the change, although nobody wakes the
// outbox.
func TestALockedItemIsCheckedSoon(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		i := n.createItem(lost.ItemPatch{Description: lost.Set("Umbrella"), DiscoveryDate: lost.Set("2026-01-02")})
		locked, free, done := make(chan struct{}), make(chan struct{}), make(chan error)
		go func() {
			done <- n.db.Write(n.t.Context(), func(tx *store.Tx) error {
				_, err := tx.LockItem(i.Account, i.LocationID, i.ID)
				close(locked)
				<-free
				return err
			})
		}()
		<-locked
		recorded, statements := storetest.RecordStatements(n.t.Context())
		ctx, stop := context.WithCancel(recorded)
		stopped := make(chan struct{})
		until := time.Now().Add(4 * time.Second) // less than the poll interval
		go func() { n.out.Run(ctx); close(stopped) }()
		if n.db.Raw().Postgres() {
			for attempts := 0; attempts < 2; { // the first has found the item locked
				attempts = strings.Count(strings.Join(statements(), "\n"), "ORDER BY i.look_at")
			}
		}
		close(free)
		if err := <-done; err != nil {
			n.t.Fatal(err)
		}
		for len(n.tasks()) == 0 {
			if time.Now().After(until) {
				n.t.Fatal("the item was not checked")
			}
		}
		stop()
		<-stopped
	})
}
