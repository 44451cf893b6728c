package outbox_test

import (
	"testing"

	"homeward/internal/lost"
)

// An item shows settings of its location, so it has changed if they have, also for programs that follow changes.
func TestItemsChangeWithTheSettingsThatTheyInherit(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		i := n.createItem(lost.ItemPatch{Description: lost.Set("Umbrella")})
		n.runAll()
		update := func(p lost.LocationPatch) {
			n.t.Helper()
			if _, err := n.desk.Locations.Update(n.t.Context(), n.actor, n.where.ID, p); err != nil {
				n.t.Fatal(err)
			}
			n.runAll()
		}
		update(lost.LocationPatch{Description: lost.Set("By the lake")})
		if got := n.item(i); !got.UpdatedAt.Equal(i.UpdatedAt) {
			n.t.Errorf("after another setting changed: updated at %s, want %s", got.UpdatedAt, i.UpdatedAt)
		}
		update(lost.LocationPatch{StoragePlace: lost.Set("Attic")})
		if got := n.item(i); !got.UpdatedAt.After(i.UpdatedAt) || got.StoredAt() != "Attic" {
			n.t.Errorf("after the storage place changed: got %s at %s, want a time after %s", got.StoredAt(),
				got.UpdatedAt, i.UpdatedAt)
		}
	})
}
