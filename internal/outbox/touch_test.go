package outbox_test

import (
	"strings"
	"testing"
	"time"

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
		since := i.UpdatedAt.Add(time.Microsecond)
		changes, err := n.db.ItemChanges(n.t.Context(), n.actor.Account, nil,
			lost.ItemFilter{Page: lost.FirstPage()}, since)
		if err != nil || len(changes.Data) != 1 || changes.Data[0].ID != i.ID || changes.Data[0].StoredAt() != "Attic" {
			n.t.Errorf("changes since the item was created: %+v, %v, want the item", changes.Data, err)
		}
		events, err := n.db.EventChanges(n.t.Context(), n.actor.Account, lost.EventFilter{
			Types: []lost.EventType{lost.ItemUpdatedEvent}, Page: lost.FirstPage(),
		}, since)
		if err != nil || len(events.Data) != 1 ||
			!strings.Contains(string(events.Data[0].Body), `"storagePlace":"Attic"`) {
			n.t.Errorf("events since the item was created: %+v, %v", events.Data, err)
		}
	})
}
