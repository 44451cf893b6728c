package store_test

import (
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

// The limit of the public register counts only finds that it lists.
func TestTheLimitOfTheRegisterCountsOnlyListedFinds(t *testing.T) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	storetest.EachClock(t, func() time.Time { return now }, func(t *testing.T, db *store.DB) {
		l, err := lost.NewLocation("acc_1", lost.LocationPatch{
			Name: lost.Set("Hotel Adler"), TimeZone: lost.Set("Europe/Berlin"), PublicRegister: lost.Set(true),
		}, now)
		if err != nil {
			t.Fatal(err)
		}
		l.Permalink = "adler"
		write(t, db, func(tx *store.Tx) error { return tx.InsertLocation(l) })
		midnight := l.RegisterBefore(now)
		for n, change := range []func(*lost.Item){
			func(*lost.Item) {}, func(*lost.Item) {}, func(*lost.Item) {},
			func(i *lost.Item) { i.CreatedAt = midnight }, // the newest ones
			func(i *lost.Item) { i.DisownedAt = now },
			func(i *lost.Item) { i.OwnerState = lost.OwnerTold },
			func(i *lost.Item) { i.Owner.LastName = "Kessler" },
			func(i *lost.Item) { i.Hold = "Police" },
			func(i *lost.Item) { i.Category = lost.PassportCategory },
			func(i *lost.Item) { i.Status = lost.Donate },
		} {
			i, err := lost.NewItem(l.Account, l.ID, lost.ItemPatch{
				Description: lost.Set("Umbrella"), Category: lost.Set("umbrella"),
			}, midnight.Add(-time.Minute+time.Duration(n)*time.Second))
			if err != nil {
				t.Fatal(err)
			}
			change(&i)
			write(t, db, func(tx *store.Tx) error { return tx.InsertItem(i) })
		}
		const limit = 3
		finds, err := db.RegisterFinds(t.Context(), l.Account, l.ID, lost.PublicCategories(), midnight, limit)
		if err != nil {
			t.Fatal(err)
		}
		if listed := l.Register(finds, now); len(finds) != limit || len(listed) != limit {
			t.Errorf("read %d finds, of which %d are listed, want %d", len(finds), len(listed), limit)
		}
	})
}
