package privacy_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/services"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	"homeward/internal/testkit"
)

// watched returns services with an access log, which is written when they are closed.
func watched(db *store.DB, clock *storetest.Clock) *services.Services {
	return testkit.NewServices(db, clock, func(o *services.Options) { o.AccessLogEvery = time.Hour })
}

func TestViewingGuestDataIsAuditedOnceAnHour(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d, ctx := watched(db, clock), t.Context()
		a := testkit.CreateFirstAccount(t, d)
		hotel := testkit.Must(d.Locations.Create(ctx, a, testkit.LocationNamed("Hotel"), lost.IdempotencyKey{}))
		owned := testkit.ItemDescribed("Hat")
		owned.Owner = lost.Set(lost.OwnerPatch{FirstName: lost.Set("Anna"), Email: lost.Set("anna@example.com")})
		hat, bare := testkit.Must(d.Items.Create(ctx, a, hotel.ID, owned, lost.IdempotencyKey{})),
			testkit.Must(d.Items.Create(ctx, a, hotel.ID, testkit.ItemDescribed("Umbrella"), lost.IdempotencyKey{}))
		look := func() {
			for range 3 {
				testkit.Must(d.Items.Get(ctx, a, hotel.ID, hat.ID))
				testkit.Must(d.Items.Get(ctx, a, hotel.ID, bare.ID)) // has no guest data
				testkit.Must(d.Items.List(ctx, a, hotel.ID, lost.ItemFilter{Page: lost.FirstPage()}))
				testkit.Must(d.Items.List(ctx, a, hotel.ID, lost.ItemFilter{Page: lost.FirstPage(), Term: "anna"}))
			}
		}
		look()
		clock.Advance(time.Hour)
		look()
		clock.Advance(time.Second)
		testkit.Must(d.Items.Update(ctx, a, hotel.ID, hat.ID,
			lost.ItemPatch{Owner: lost.Set(lost.OwnerPatch{FirstName: lost.Set("Anne")})}))
		testkit.Must(d.Items.Update(ctx, a, hotel.ID, hat.ID, lost.ItemPatch{Brand: lost.Set("Stetson")}))
		d.Close()
		var got []string
		for _, e := range testkit.Must(d.AuditLog.List(ctx, a,
			lost.AuditFilter{PageCursor: lost.PageCursor{Limit: 100}})).Data {
			if text := e.Actor.Name + " " + e.Note; strings.Contains(text, "nna") || strings.Contains(text, "nne") {
				t.Errorf("an entry names the guest: %s", text)
			}
			if e.Action != lost.LocationCreated {
				subject := map[string]string{hat.ID: "hat", hotel.ID: "hotel", bare.ID: "umbrella"}[e.Subject]
				got = append(got, strings.TrimSpace(string(e.Action)+" "+subject+" "+e.Note))
			}
		}
		slices.Sort(got)
		want := []string{
			"guest-data-changed hat owner.firstName", "item-seen hat", "item-seen hat", "items-searched hotel",
			"items-searched hotel", "items-seen hotel", "items-seen hotel",
		}
		if !slices.Equal(got, want) {
			t.Errorf("audit log: got %q", got)
		}
		narrowed := testkit.Must(d.AuditLog.List(ctx, a,
			lost.AuditFilter{
				Subject: hat.ID, From: clock.Now().Add(-time.Minute), Until: clock.Now().Add(time.Minute),
				PageCursor: lost.PageCursor{Limit: 100},
			})).Data
		if len(narrowed) != 2 { // one entry for the read in the second hour, and one for the change
			t.Errorf("entries about the hat in the last minute: got %d, want 2", len(narrowed))
		}
	})
}

// A search in one field is recorded as a search, too.
func TestSearchingInAFieldIsAudited(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		ctx := t.Context()
		d := watched(db, clock)
		a := testkit.CreateFirstAccount(t, d)
		for name, f := range map[string]lost.ItemFilter{
			"Term": {Term: "nowak"}, "Query": {Query: "nowak"}, "Finder": {Finder: "nowak"}, "Owner": {Owner: "nowak"},
			"Color": {Color: "nowak"}, "Place": {Place: "nowak"},
		} {
			hotel := testkit.Must(d.Locations.Create(ctx, a, testkit.LocationNamed(name), lost.IdempotencyKey{}))
			p := testkit.ItemDescribed("Hat of Nowak")
			p.Color, p.DiscoveryPlace = lost.Set("nowak"), lost.Set("nowak")
			p.Owner = lost.Set(lost.OwnerPatch{LastName: lost.Set("Nowak"), Email: lost.Set("n@example.com")})
			p.Finder = lost.Set(lost.FinderPatch{Name: lost.Set("Nowak")})
			testkit.Must(d.Items.Create(ctx, a, hotel.ID, p, lost.IdempotencyKey{}))
			f.Page = lost.FirstPage()
			if list := testkit.Must(d.Items.List(ctx, a, hotel.ID, f)); len(list.Data) != 1 {
				t.Errorf("%s: %d items", name, len(list.Data))
			}
		}
		d.Close()
		counts := map[lost.AuditAction]int{}
		for _, e := range testkit.Must(d.AuditLog.List(ctx, a,
			lost.AuditFilter{PageCursor: lost.PageCursor{Limit: 100}})).Data {
			counts[e.Action]++
		}
		if counts[lost.ItemsSearched] != 6 || counts[lost.ItemsSeen] != 0 {
			t.Errorf("%d searches and %d lists are recorded, want 6 searches", counts[lost.ItemsSearched],
				counts[lost.ItemsSeen])
		}
	})
}

// Every way of reading a guest's data is recorded.
func TestEveryReadOfGuestDataIsAudited(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		ctx := t.Context()
		owned := testkit.ItemDescribed("Hat")
		owned.Owner = lost.Set(lost.OwnerPatch{Email: lost.Set("anna@example.com")})
		owned.StoragePlace = lost.Set("Shelf")
		plain := watched(db, clock)
		a := testkit.CreateFirstAccount(t, plain)
		hotel := testkit.Must(plain.Locations.Create(ctx, a, testkit.LocationNamed("Hotel"), lost.IdempotencyKey{}))
		hat := testkit.Must(plain.Items.Create(ctx, a, hotel.ID, owned, lost.IdempotencyKey{}))
		testkit.Must(plain.Items.SetStatus(ctx, a, hotel.ID, hat.ID, lost.MovePatch{Status: lost.Set("PICKUP")}))
		testkit.Must(plain.Storage.Hold(ctx, a, hotel.ID, []string{hat.ID}, "The police asked"))
		for name, c := range map[string]struct {
			look   func(d *services.Services) error
			action lost.AuditAction
		}{
			"held": {func(d *services.Services) error {
				_, err := d.Storage.Held(ctx, a, hotel.ID, lost.FirstPage())
				return err
			}, lost.ItemsSeen},
			"a place": {func(d *services.Services) error {
				_, err := d.Storage.ItemsAt(ctx, a, hotel.ID, "Shelf", lost.FirstPage())
				return err
			}, lost.ItemsSeen},
			"a tag": {func(d *services.Services) error {
				_, err := d.Storage.ItemByReference(ctx, a, hat.Reference)
				return err
			}, lost.ItemSeen},
			"anywhere": {func(d *services.Services) error {
				_, err := d.Items.GetAnywhere(ctx, a, hat.ID)
				return err
			}, lost.ItemSeen},
			"by id": {func(d *services.Services) error {
				_, err := d.Items.ListByID(ctx, a, hotel.ID, []string{hat.ID})
				return err
			}, lost.ItemsSeen},
			"a conversation": {func(d *services.Services) error {
				_, err := d.Threads.List(ctx, a, hotel.ID, hat.ID, lost.FirstPage())
				return err
			}, lost.ItemSeen},
			"events": {func(d *services.Services) error {
				_, err := d.Webhooks.Events(ctx, a, lost.EventFilter{Page: lost.FirstPage()})
				return err
			}, lost.EventsSeen},
		} {
			clock.Advance(time.Minute)
			d := watched(db, clock)
			testkit.Must(0, c.look(d))
			d.Close()
			log := testkit.Must(d.AuditLog.List(ctx, a,
				lost.AuditFilter{Action: c.action, From: clock.Now(), PageCursor: lost.PageCursor{Limit: 10}})).Data
			if len(log) != 1 {
				t.Errorf("%s: got entries %v, want one", name, log)
			}
		}
	})
}

// An API client that reads all items does not fill the log.
func TestReadingAllItemsAddsABoundedNumberOfAuditEntries(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		const items, entries = 520, 501 // 500 for single items, and one for the location
		d, ctx := watched(db, clock), t.Context()
		a := testkit.CreateFirstAccount(t, d)
		hotel := testkit.Must(d.Locations.Create(ctx, a, testkit.LocationNamed("Hotel"), lost.IdempotencyKey{}))
		owned := testkit.ItemDescribed("Hat")
		owned.Owner = lost.Set(lost.OwnerPatch{FirstName: lost.Set("Anna")})
		var created []lost.Item
		err := db.Write(ctx, func(tx *store.Tx) error {
			created = nil
			for range items {
				i, err := lost.NewItem(a.Account, hotel.ID, owned, tx.Now())
				if err != nil {
					return err
				}
				if err := tx.InsertItem(i); err != nil {
					return err
				}
				created = append(created, i)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range created {
			testkit.Must(d.Items.Get(ctx, a, hotel.ID, i.ID))
		}
		d.Close()
		seen := 0
		for _, action := range []lost.AuditAction{lost.ItemSeen, lost.ItemsSeen} {
			seen += len(testkit.Must(d.AuditLog.List(ctx, a,
				lost.AuditFilter{Action: action, PageCursor: lost.PageCursor{Limit: items}})).Data)
		}
		if seen != entries {
			t.Errorf("got %d entries, want %d", seen, entries)
		}
	})
}
