package desk_test

import (
	"fmt"
	"testing"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	"homeward/internal/testkit"
)

// A change is checked against all history entries since the actor read the item, however many there are.
func TestAStaleChangeIsRefused(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		o := newImportFixture(t, db, clock)
		i := testkit.Must(o.desk.Items.Create(t.Context(), o.by, o.hotel, testkit.ItemDescribed("Hat"),
			lost.IdempotencyKey{}))
		seen := i.UpdatedAt
		change := func(p lost.ItemPatch) error {
			clock.Advance(time.Second)
			_, err := o.desk.Items.Update(t.Context(), o.by, o.hotel, i.ID, p)
			return err
		}
		testkit.Must(0, change(lost.ItemPatch{Brand: lost.Set("Mayser")}))
		for n := range lost.MaxLimit + 10 {
			testkit.Must(0, change(lost.ItemPatch{Notes: lost.Set(fmt.Sprint(n))}))
		}
		if err := change(lost.ItemPatch{Seen: seen, Brand: lost.Set("Stetson")}); lost.CodeOf(err) != lost.Conflict {
			t.Errorf("same field: got %v, want a conflict", err)
		}
		if err := change(lost.ItemPatch{Seen: seen, Color: lost.Set("grey")}); err != nil {
			t.Errorf("another field: %v", err)
		}
	})
}

// A status change does not overwrite a change by the owner, a payment or a colleague since the actor read the item.
func TestAStaleStatusChangeIsRefused(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		o := newImportFixture(t, db, clock)
		moved := func(i lost.Item, to string) lost.Item {
			clock.Advance(time.Second)
			return testkit.Must(o.desk.Items.SetStatus(t.Context(), o.by, o.hotel, i.ID,
				lost.MovePatch{Status: lost.Set(to)}))
		}
		changed := func(i lost.Item, p lost.ItemPatch) {
			clock.Advance(time.Second)
			testkit.Must(o.desk.Items.Update(t.Context(), o.by, o.hotel, i.ID, p))
		}
		for name, c := range map[string]struct {
			meanwhile       func(i lost.Item)
			move, hand, end lost.Code // wanted error codes of SetStatus, HandOver and Finish
		}{
			"nothing": {func(lost.Item) {}, "", "", ""},
			"notes":   {func(i lost.Item) { changed(i, lost.ItemPatch{Notes: lost.Set("wet")}) }, "", "", ""},
			"sent":    {func(i lost.Item) { moved(i, "SHIPPED") }, lost.Conflict, lost.Conflict, lost.Conflict},
			"there and back": {func(i lost.Item) {
				moved(i, "PENDING")
				moved(i, "DONATE")
			}, lost.Conflict, lost.Conflict, lost.Conflict},
			"to be collected": {func(i lost.Item) { moved(i, "PICKUP") }, lost.Conflict, "", lost.Conflict},
			"on hold": {func(i lost.Item) {
				changed(i, lost.ItemPatch{Hold: lost.Set("The police asked")})
			}, lost.Conflict, lost.Conflict, lost.Conflict},
			"an owner": {func(i lost.Item) {
				changed(i, lost.ItemPatch{Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("anna@example.com")})})
			}, lost.Conflict, lost.Conflict, lost.Conflict},
			"done by another": {func(i lost.Item) {
				testkit.Must(o.desk.Items.Finish(t.Context(), o.by, o.hotel, i.ID, i.UpdatedAt))
			}, lost.Conflict, lost.Conflict, ""},
		} {
			clock.Advance(time.Second)
			create := func() lost.Item {
				return moved(testkit.Must(o.desk.Items.Create(t.Context(), o.by, o.hotel, testkit.ItemDescribed("Hat"),
					lost.IdempotencyKey{})), "DONATE")
			}
			i := create()
			clock.Advance(time.Second)
			c.meanwhile(i)
			clock.Advance(time.Second)
			_, err := o.desk.Items.SetStatus(t.Context(), o.by, o.hotel, i.ID,
				lost.MovePatch{Status: lost.Set("DISCARD"), Closed: lost.Set(true), Seen: i.UpdatedAt})
			if testkit.Code(err) != c.move {
				t.Errorf("status change after %q: got %v", name, err)
			}
			i = create()
			c.meanwhile(i)
			clock.Advance(time.Second)
			if _, err := o.desk.Handovers.HandOver(t.Context(), o.by, o.hotel, i.ID,
				lost.HandoverPatch{Recipient: "Anna", Seen: i.UpdatedAt},
				lost.IdempotencyKey{}); testkit.Code(err) != c.hand {
				t.Errorf("hand-over after %q: got %v", name, err)
			}
			i = create()
			c.meanwhile(i)
			clock.Advance(time.Second)
			before := testkit.Must(o.desk.Items.Get(t.Context(), o.by, o.hotel, i.ID))
			now, err := o.desk.Items.Finish(t.Context(), o.by, o.hotel, i.ID, i.UpdatedAt)
			if testkit.Code(err) != c.end {
				t.Errorf("finish after %q: got %v", name, err)
			}
			if after := testkit.Must(o.desk.Items.Get(t.Context(), o.by, o.hotel, i.ID)); err != nil &&
				!after.UpdatedAt.Equal(before.UpdatedAt) || err == nil && now.ClosedAt.IsZero() {
				t.Errorf("finish after %q: got item %+v", name, after)
			}
		}
	})
}

func TestARepeatedChangeIsNotAConflict(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		o := newImportFixture(t, db, clock)
		i := testkit.Must(o.desk.Items.Create(t.Context(), o.by, o.hotel, testkit.ItemDescribed("Hat"),
			lost.IdempotencyKey{}))
		for range 2 { // the form is submitted twice
			clock.Advance(time.Second)
			if _, err := o.desk.Items.SetStatus(t.Context(), o.by, o.hotel, i.ID,
				lost.MovePatch{Status: lost.Set("DONATE"), Seen: i.UpdatedAt}); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestABulkChangeSkipsItemsChangedInTheMeantime(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		o := newImportFixture(t, db, clock)
		hat := testkit.Must(o.desk.Items.Create(t.Context(), o.by, o.hotel, testkit.ItemDescribed("Hat"),
			lost.IdempotencyKey{}))
		bag := testkit.Must(o.desk.Items.Create(t.Context(), o.by, o.hotel, testkit.ItemDescribed("Bag"),
			lost.IdempotencyKey{}))
		seen := map[string]time.Time{hat.ID: hat.UpdatedAt, bag.ID: bag.UpdatedAt}
		clock.Advance(time.Second)
		testkit.Must(o.desk.Items.SetStatus(t.Context(), o.by, o.hotel, bag.ID,
			lost.MovePatch{Status: lost.Set("FEE PAID")}))
		clock.Advance(time.Second)
		done := testkit.Must(o.desk.Items.BulkStatus(t.Context(), o.by, o.hotel, []string{hat.ID, bag.ID}, lost.Discard,
			seen))
		if done[0].Result != desk.ItemDone || done[1].Result != desk.ItemRefused || done[1].Why == "" {
			t.Errorf("%+v", done)
		}
		if now := testkit.Must(o.desk.Items.Get(t.Context(), o.by, o.hotel, bag.ID)); now.Status != lost.FeePaid {
			t.Errorf("got status %s, want FEE PAID", now.Status)
		}
	})
}

// If a phone does not receive the response, it keeps the form and may send it again weeks later.
func TestAFormSentAgainAfterWeeksCreatesNothing(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		o := newImportFixture(t, db, clock)
		find := func(form bool) lost.Item {
			return testkit.Must(o.desk.Items.Create(t.Context(), o.by, o.hotel,
				testkit.ItemOwnedBy("Hat", "anna@example.com"),
				lost.IdempotencyKey{Key: fmt.Sprint("key ", form), Request: "r", Form: form}))
		}
		first, program := find(true), find(false)
		clock.Advance(25 * time.Hour)
		if again := find(false); again.ID == program.ID {
			t.Error("the key of an API client did not expire after a day")
		}
		clock.Advance(60 * 24 * time.Hour)
		again := find(true)
		if again.ID != first.ID || again.Reference != first.Reference {
			t.Errorf("the same form created %s and %s", first.Reference, again.Reference)
		}
		if again.Owner.Known() || again.Description != "" {
			t.Errorf("the saved response contains more than ids: %+v", again)
		}
		if found := testkit.Must(o.desk.Items.GetByIdempotencyKey(t.Context(), o.by, o.hotel,
			lost.IdempotencyKey{Key: "key true"})); found.Description != "Hat" {
			t.Errorf("item by key: got %+v", found)
		}
		clock.Advance(30 * 24 * time.Hour)
		if other := find(true); other.ID == first.ID {
			t.Error("the key of a form did not expire")
		}
	})
}
