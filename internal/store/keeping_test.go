package store_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

// A change of rules applies to all items at once. The order of lists follows in batches.
func TestItemsAreDatedInBatches(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, lost.LocationPatch{Name: lost.Set("Hotel"), StorageDuration: lost.Set(30)})
		const number = 12
		for n := range number {
			p := withDescription(fmt.Sprint("Bag ", n))
			p.DiscoveryDate = lost.Set(fmt.Sprintf("2026-11-%02d", 1+n*5%number))
			if n%3 == 0 {
				p.Category = lost.Set("umbrella")
			}
			if n == 4 {
				p.Hold = lost.Set("Police")
			}
			addItem(t, db, l, p)
		}
		order := func() (got, want []string) {
			list := items(t, db, l, lost.ItemFilter{Source: lost.Found, Bounded: true, Sort: lost.UntilFirst}).Data
			for _, i := range list {
				got = append(got, i.ID)
			}
			slices.SortStableFunc(list, func(x, y lost.Item) int {
				return cmp.Or(cmp.Compare(cmp.Or(x.StoreUntil(), "none"), cmp.Or(y.StoreUntil(), "none")),
					cmp.Compare(x.ID, y.ID))
			})
			for _, i := range list {
				want = append(want, i.ID)
			}
			return got, want
		}
		if got, want := order(); len(got) != number || !slices.Equal(got, want) {
			t.Fatalf("before: got %q, want %q", got, want)
		}
		before := l
		rules := []lost.KeepingRule{{Category: lost.UmbrellaCategory, Days: 1, Then: lost.ThenDonate}}
		write(t, db, func(tx *store.Tx) error {
			var err error
			if l, err = tx.LockLocation(l.Account, l.ID); err != nil {
				return err
			}
			patch := lost.LocationPatch{KeepingRules: lost.Set(rules), StorageDuration: lost.Set(60)}
			_, err = l.Update(patch, tx.Now())
			if err != nil {
				return err
			}
			return tx.SaveLocation(l)
		})
		last, batches := int64(0), 0
		for more := true; more; batches++ {
			for _, i := range items(t, db, l, lost.ItemFilter{}).Data {
				days, then := 60, lost.Disposal("")
				if i.Category == lost.UmbrellaCategory {
					days, then = 1, lost.ThenDonate
				}
				until := lost.AddDays(i.DiscoveryDate, days)
				if i.Hold != "" {
					until = ""
				}
				if i.StoreUntil() != until || i.ThenDue() != then {
					t.Errorf("batch %d: %s until %s then %q, want %s then %q", batches, i.Description, i.StoreUntil(),
						i.ThenDue(), until, then)
				}
			}
			write(t, db, func(tx *store.Tx) (err error) {
				last, err = tx.TouchItems(l.Account, l.ID, before.Terms(), last, 5)
				more = last > 0
				return err
			})
		}
		if batches != 4 {
			t.Errorf("%d batches, want 4", batches)
		}
		if got, want := order(); !slices.Equal(got, want) {
			t.Errorf("after: got %q, want %q", got, want)
		}
	})
}

// The preview of other rules reads on what the end of storage of an item depends, and whether it can be cleared.
func TestStoredItemsKnowTheirKeeping(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, lost.LocationPatch{Name: lost.Set("Hotel"), StorageDuration: lost.Set(30)})
		p := withDescription("Watch")
		p.DiscoveryDate, p.Category = lost.Set("2026-01-05"), lost.Set("watch")
		p.Value = lost.Set(lost.ValuePatch{Amount: lost.Set[int64](500), Currency: lost.Set("EUR")})
		p.Finder = lost.Set(lost.FinderPatch{Name: lost.Set("Marta"), ClaimsItem: lost.Set(true)})
		i := addItem(t, db, l, p)
		paying := addItem(t, db, l, p)
		write(t, db, func(tx *store.Tx) error {
			before, err := tx.LockItem(paying.Account, l.ID, paying.ID)
			paying = before
			paying.Parcel.Awaited, paying.KeepUntil = true, "2026-06-05"
			if err == nil {
				err = tx.SaveItem(before, paying)
			}
			return err
		})
		rules := []lost.KeepingRule{{
			Category: lost.WatchCategory, MinValue: lost.Value{Amount: 500, Currency: "EUR"}, Days: 3,
			Then: lost.ThenFinder,
		}}
		stored, _, err := db.StoredItems(t.Context(), l.Account, l.ID, lost.Terms{Keeping: rules}, 0, 10)
		if err != nil || len(stored) != 2 {
			t.Fatalf("got %d items, %v; want 2", len(stored), err)
		}
		if got := stored[0]; got.ID != i.ID || got.StoreUntil() != "2026-01-08" || got.ThenDue() != lost.ThenFinder ||
			got.MayClear(db.Now()) != nil {
			t.Errorf("got %s until %s then %q, %v", got.ID, got.StoreUntil(), got.ThenDue(), got.MayClear(db.Now()))
		}
		if got := stored[1]; got.StoreUntil() != "2026-06-05" || got.MayClear(db.Now()) == nil {
			t.Errorf("the owner is paying: got until %s, %v", got.StoreUntil(), got.MayClear(db.Now()))
		}
	})
}
