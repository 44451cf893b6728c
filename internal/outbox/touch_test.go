package outbox_test

import (
	"slices"
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
		// Transactions of other tests on the same server, which began earlier, may delay the lists.
		for until := time.Now().Add(time.Minute); ; {
			changes, err := n.db.ItemChanges(n.t.Context(), n.actor.Account, nil,
				lost.ItemFilter{Page: lost.FirstPage()}, since)
			if err != nil {
				n.t.Fatal(err)
			}
			events, err := n.db.EventChanges(n.t.Context(), n.actor.Account, lost.EventFilter{
				Types: []lost.EventType{lost.ItemUpdatedEvent}, Page: lost.FirstPage(),
			}, since)
			if err != nil {
				n.t.Fatal(err)
			}
			if len(changes.Data) == 1 && changes.Data[0].ID == i.ID && changes.Data[0].StoredAt() == "Attic" &&
				len(events.Data) == 1 && strings.Contains(string(events.Data[0].Body), `"storagePlace":"Attic"`) {
				return
			}
			if time.Now().After(until) {
				n.t.Fatalf("since the item was created: changes %+v, events %+v", changes.Data, events.Data)
			}
		}
	})
}

// An item that looks the same as before has not changed: it has its own values, or does not show the setting.
func TestItemsThatLookTheSameDoNotChange(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		create := func(p lost.ItemPatch) lost.Item {
			p.Description = lost.Set("Umbrella")
			return n.createItem(p)
		}
		day := lost.Set("2026-01-02")
		items := map[string]lost.Item{
			"plain":   create(lost.ItemPatch{DiscoveryDate: day}),
			"undated": create(lost.ItemPatch{}),
			"placed":  create(lost.ItemPatch{DiscoveryDate: day, StoragePlace: lost.Set("Safe")}),
			"kept":    create(lost.ItemPatch{DiscoveryDate: day, KeepUntil: lost.Set("2099-01-01")}),
			"on hold": create(lost.ItemPatch{DiscoveryDate: day, Hold: lost.Set("Police")}),
		}
		for _, c := range []struct {
			name    string
			p       lost.LocationPatch
			changed []string
		}{
			{"place", lost.LocationPatch{StoragePlace: lost.Set("Attic")},
				[]string{"kept", "on hold", "plain", "undated"}},
			{"zone", lost.LocationPatch{TimeZone: lost.Set("Asia/Tokyo")}, nil},
			{"duration", lost.LocationPatch{StorageDuration: lost.Set(7)}, []string{"placed", "plain", "undated"}},
			{"zone with duration", lost.LocationPatch{TimeZone: lost.Set("Pacific/Apia")}, []string{"undated"}},
			{"no duration", lost.LocationPatch{StorageDuration: lost.Field[int]{Sent: true, Null: true}},
				[]string{"placed", "plain", "undated"}},
		} {
			n.runAll()
			events := n.updateEvents()
			if _, err := n.desk.Locations.Update(n.t.Context(), n.actor, n.where.ID, c.p); err != nil {
				n.t.Fatal(err)
			}
			n.runAll()
			var changed []string
			for name, before := range items {
				items[name] = n.item(before)
				if !items[name].UpdatedAt.Equal(before.UpdatedAt) {
					changed = append(changed, name)
				}
			}
			slices.Sort(changed)
			if !slices.Equal(changed, c.changed) {
				n.t.Errorf("%s: %q changed, want %q", c.name, changed, c.changed)
			}
			if added := n.updateEvents() - events; added != len(c.changed) {
				n.t.Errorf("%s: %d events, want %d", c.name, added, len(c.changed))
			}
		}
	})
}

// updateEvents returns the number of events about changed items.
func (n *fixture) updateEvents() int {
	n.t.Helper()
	events, err := n.db.Events(n.t.Context(), n.actor.Account, lost.EventFilter{
		Types: []lost.EventType{lost.ItemUpdatedEvent}, Page: lost.Page{Number: 1, Limit: lost.MaxLimit},
	})
	if err != nil {
		n.t.Fatal(err)
	}
	return len(events.Data)
}
