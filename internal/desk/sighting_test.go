package desk_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	v1 "homeward/internal/v1"
)

// watched is a desk that writes down who saw what, when it is closed.
func watched(db *store.DB, clock *storetest.Clock) *desk.Desk {
	return desk.New(desk.Options{
		DB: db, Wire: v1.Wire{Base: "https://homeward.example"}, Uploads: noUploads{}, Hooks: allHooks{}, Messenger: scribe{}, Forms: forms{}, Now: clock.Now, Nudge: func() {}, NudgeLetters: func() {},
		NudgeLanes: func(...store.Lane) {}, Hashing: quick, NoteSightings: time.Hour,
	})
}

func TestWhoSawAGuestStandsInTheAuditLogOnceAnHour(t *testing.T) {
	each(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d, ctx := watched(db, clock), t.Context()
		a := begin(t, d)
		hotel := must(d.CreateLocation(ctx, a, named("Hotel"), lost.IdempotencyKey{}))
		owned := described("Hat")
		owned.Owner = lost.Set(lost.OwnerPatch{FirstName: lost.Set("Anna"), Email: lost.Set("anna@example.com")})
		hat, bare := must(d.CreateItem(ctx, a, hotel.ID, owned, lost.IdempotencyKey{})), must(d.CreateItem(ctx, a, hotel.ID, described("Umbrella"), lost.IdempotencyKey{}))
		look := func() {
			for range 3 {
				must(d.Item(ctx, a, hotel.ID, hat.ID))
				must(d.Item(ctx, a, hotel.ID, bare.ID)) // which tells of nobody
				must(d.Items(ctx, a, hotel.ID, lost.ItemFilter{Page: lost.FirstPage()}))
				must(d.Items(ctx, a, hotel.ID, lost.ItemFilter{Page: lost.FirstPage(), Term: "anna"}))
			}
		}
		look()
		clock.Advance(time.Hour)
		look()
		clock.Advance(time.Second)
		must(d.UpdateItem(ctx, a, hotel.ID, hat.ID, lost.ItemPatch{Owner: lost.Set(lost.OwnerPatch{FirstName: lost.Set("Anne")})}))
		must(d.UpdateItem(ctx, a, hotel.ID, hat.ID, lost.ItemPatch{Brand: lost.Set("Stetson")}))
		d.Close()
		var got []string
		for _, e := range must(d.Audit(ctx, a, lost.AuditFilter{Seek: lost.Seek{Limit: 100}})).Data {
			if text := fmt.Sprint(e); strings.Contains(text, "nna") || strings.Contains(text, "nne") {
				t.Errorf("a line names the guest: %s", text)
			}
			if subject := map[string]string{hat.ID: "hat", hotel.ID: "hotel", bare.ID: "umbrella"}[e.Subject]; e.Deed != lost.LocationCreated {
				got = append(got, strings.TrimSpace(string(e.Deed)+" "+subject+" "+e.Note))
			}
		}
		slices.Sort(got)
		want := []string{"guest-data-changed hat owner.firstName", "item-seen hat", "item-seen hat", "items-searched hotel", "items-searched hotel", "items-seen hotel", "items-seen hotel"}
		if !slices.Equal(got, want) {
			t.Errorf("the log says %q", got)
		}
		narrowed := must(d.Audit(ctx, a, lost.AuditFilter{Subject: hat.ID, From: clock.Now().Add(-time.Minute), Until: clock.Now().Add(time.Minute), Seek: lost.Seek{Limit: 100}})).Data
		if len(narrowed) != 2 { // the second look, and the change
			t.Errorf("of the hat in the last minute there are %d lines", len(narrowed))
		}
	})
}

// Whichever way somebody comes to see a guest, it is written down.
func TestEveryWayToSeeAGuestStandsInTheAuditLog(t *testing.T) {
	each(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		ctx := t.Context()
		owned := described("Hat")
		owned.Owner = lost.Set(lost.OwnerPatch{Email: lost.Set("anna@example.com")})
		owned.StoragePlace = lost.Set("Shelf")
		plain := watched(db, clock)
		a := begin(t, plain)
		hotel := must(plain.CreateLocation(ctx, a, named("Hotel"), lost.IdempotencyKey{}))
		hat := must(plain.CreateItem(ctx, a, hotel.ID, owned, lost.IdempotencyKey{}))
		must(plain.SetStatus(ctx, a, hotel.ID, hat.ID, lost.MovePatch{Status: lost.Set("PICKUP")}))
		must(plain.Hold(ctx, a, hotel.ID, []string{hat.ID}, "The police asked"))
		for name, c := range map[string]struct {
			look func(d *desk.Desk) error
			deed lost.AuditAction
		}{
			"held":     {func(d *desk.Desk) error { _, err := d.Held(ctx, a, hotel.ID, lost.FirstPage()); return err }, lost.ItemsSeen},
			"a place":  {func(d *desk.Desk) error { _, err := d.ItemsAt(ctx, a, hotel.ID, "Shelf", lost.FirstPage()); return err }, lost.ItemsSeen},
			"a tag":    {func(d *desk.Desk) error { _, err := d.ItemByReference(ctx, a, hat.Reference); return err }, lost.ItemSeen},
			"anywhere": {func(d *desk.Desk) error { _, err := d.AnyItem(ctx, a, hat.ID); return err }, lost.ItemSeen},
			"chosen":   {func(d *desk.Desk) error { _, err := d.Chosen(ctx, a, hotel.ID, []string{hat.ID}); return err }, lost.ItemsSeen},
			"events": {func(d *desk.Desk) error {
				_, err := d.Events(ctx, a, lost.EventFilter{Page: lost.FirstPage()})
				return err
			}, lost.EventsSeen},
		} {
			clock.Advance(time.Minute)
			d := watched(db, clock)
			must(0, c.look(d))
			d.Close()
			log := must(d.Audit(ctx, a, lost.AuditFilter{Deed: c.deed, From: clock.Now(), Seek: lost.Seek{Limit: 10}})).Data
			if len(log) != 1 {
				t.Errorf("%s: the log has %v", name, log)
			}
		}
	})
}

// A program that goes through everything does not fill the log.
func TestAProgramThatReadsAllItemsLeavesABoundedNumberOfLines(t *testing.T) {
	each(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		const items, lines = 520, 501 // an item each, and then the location
		d, ctx := watched(db, clock), t.Context()
		a := begin(t, d)
		hotel := must(d.CreateLocation(ctx, a, named("Hotel"), lost.IdempotencyKey{}))
		owned := described("Hat")
		owned.Owner = lost.Set(lost.OwnerPatch{FirstName: lost.Set("Anna")})
		var made []lost.Item
		err := db.Write(ctx, func(tx *store.Tx) error {
			made = nil
			for range items {
				i, err := lost.NewItem(a.Account, hotel.ID, owned, tx.Now())
				if err = cmp.Or(err, tx.InsertItem(i)); err != nil {
					return err
				}
				made = append(made, i)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range made {
			must(d.Item(ctx, a, hotel.ID, i.ID))
		}
		d.Close()
		seen := 0
		for _, deed := range []lost.AuditAction{lost.ItemSeen, lost.ItemsSeen} {
			seen += len(must(d.Audit(ctx, a, lost.AuditFilter{Deed: deed, Seek: lost.Seek{Limit: items}})).Data)
		}
		if seen != lines {
			t.Errorf("%d lines, want %d", seen, lines)
		}
	})
}
