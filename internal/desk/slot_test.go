package desk_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/testkit"
)

const slotDay = "2026-11-20" // a Friday

// openWithSlots gives the fixture's location slots of 30 minutes on Fridays from 10:00 to 12:00.
func openWithSlots(b *testkit.Fixture, capacity int) {
	b.T.Helper()
	b.Location = testkit.Must(b.Services.Locations.Update(b.T.Context(), b.Actor, b.Location.ID, lost.LocationPatch{
		TimeZone: lost.Set("Europe/Berlin"),
		OpeningHours: lost.Set([]lost.OpeningHours{
			{Days: []string{"fri"}, From: "10:00", To: "12:00"},
		}),
		Slots: lost.Set(lost.SlotsPatch{Minutes: lost.Set(30), Capacity: lost.Set(capacity)}),
	}))
}

// free returns the free places of the day by time.
func free(b *testkit.Fixture) map[string]int {
	b.T.Helper()
	out := map[string]int{}
	slots := testkit.Must(b.Services.Locations.Slots(b.T.Context(), b.Actor, b.Location.ID, slotDay, slotDay))
	for _, s := range slots {
		out[s.Time] = s.Free()
	}
	return out
}

// 200 guests choose the same slot at the same time. Exactly as many as it has places for get it.
func TestOnlyAsManyGuestsAsFitGetASlot(t *testing.T) {
	const guests, capacity = 200, 7
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		openWithSlots(b, capacity)
		tokens := make([]string, guests)
		for n := range tokens {
			tokens[n] = b.Token(b.NewItem(testkit.ItemOwnedBy("Umbrella", fmt.Sprintf("guest%d@example.com", n))))
		}
		errs := make([]error, guests)
		var wg sync.WaitGroup
		for n := range tokens {
			wg.Go(func() { _, errs[n] = b.Services.Guests.Choose(b.T.Context(), tokens[n], pickUp(slotDay, "10:30")) })
		}
		wg.Wait()
		won := 0
		for n, err := range errs {
			problems := lost.ProblemsOf(err)
			switch {
			case err == nil:
				won++
			case len(problems) != 1 || problems[0].Code != "slot-full" ||
				!strings.HasSuffix(problems[0].Message, "the next free times are 2026-11-20 11:00, 2026-11-20 11:30, "+
					"2026-11-27 10:00"):
				b.T.Errorf("guest %d: got %v, want the next free times", n, err)
			}
		}
		if won != capacity {
			b.T.Errorf("%d guests got one of %d places", won, capacity)
		}
		if got := free(b); got["10:30"] != 0 || got["11:00"] != capacity {
			b.T.Errorf("free places: %v", got)
		}
		if n := testkit.Count(b.Events(), "pickup"); n != capacity {
			b.T.Errorf("got %d pickup events, want %d", n, capacity)
		}
	})
}

func TestABookingIsMovedAndCanceled(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		openWithSlots(b, 1)
		token := b.Token(b.Item)
		choose := func(at string) error {
			_, err := b.Services.Guests.Choose(b.T.Context(), token, pickUp(slotDay, at))
			return err
		}
		want := func(when string, first, second int) {
			b.T.Helper()
			if got := free(b); got["10:00"] != first || got["11:30"] != second {
				b.T.Errorf("%s: free places %v, want %d at 10:00 and %d at 11:30", when, got, first, second)
			}
		}
		for _, at := range []string{"10:00", "10:00"} { // the guest taps twice
			if err := choose(at); err != nil {
				b.T.Fatal(err)
			}
		}
		want("chosen", 0, 1)
		if err := choose("11:30"); err != nil {
			b.T.Fatal(err)
		}
		want("moved", 1, 0)
		if n := testkit.Count(b.Events(), "pickup"); n != 2 {
			b.T.Errorf("got %d pickup events, want 2", n)
		}
		b.Clock.Advance(time.Minute)
		for range 2 {
			v, err := b.Services.Guests.CancelPickup(b.T.Context(), token)
			if err != nil || v.Item.Status != lost.Pending || v.Item.Pickup != (lost.Pickup{}) {
				b.T.Fatalf("canceled: got %s %+v, %v", v.Item.Status, v.Item.Pickup, err)
			}
		}
		want("canceled", 1, 1)
		if got := b.ChangeEvents(); testkit.Count(got, "status-changed PICKUP") != 1 {
			b.T.Errorf("got the events %q", got)
		}
		history := testkit.Must(b.Services.Items.History(b.T.Context(), b.Actor, b.Location.ID, b.Item.ID,
			lost.FirstPage()))
		if e := history.Data[0]; e.Action != lost.Moved || e.From != lost.PickUp || e.To != lost.Pending ||
			e.Actor.Kind != lost.ByGuest {
			b.T.Errorf("got the history entry %+v", e)
		}
		other := b.NewItem(testkit.ItemOwnedBy("Scarf", "bert@example.com"))
		other = testkit.Must(b.Services.Items.SetStatus(b.T.Context(), b.Actor, b.Location.ID, other.ID, lost.MovePatch{
			Status: lost.Set("PICKUP"), PickupDate: lost.Set(slotDay), PickupTime: lost.Set("10:10"),
		}))
		want("booked by the desk", 0, 1)
		if err := choose("10:00"); lost.CodeOf(err) != lost.Invalid {
			b.T.Errorf("a slot that the desk has booked: got %v, want invalid", err)
		}
		testkit.Must(b.Services.Items.Finish(b.T.Context(), b.Actor, b.Location.ID, other.ID, other.UpdatedAt))
		want("collected", 1, 1)
	})
}

func TestACancellationNeedsAnOpenPickup(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		token := b.Token(b.Item)
		testkit.Must(b.Services.Items.SetStatus(b.T.Context(), b.Actor, b.Location.ID, b.Item.ID, lost.MovePatch{
			Status: lost.Set("PICKUP"), PickupDate: lost.Set(slotDay), PickupTime: lost.Set("10:00"),
		}))
		if _, err := b.Services.Guests.CancelPickup(b.T.Context(), token); lost.CodeOf(err) != lost.Conflict {
			b.T.Errorf("a pick-up that the desk made: got %v, want a conflict", err)
		}
	})
}

func TestSlotsOfAnotherLocationAreNotFound(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		openWithSlots(b, 1)
		limited := b.Person("usr_1", lost.DeskRole)
		limited.Locations = []string{"loc_other"}
		if _, err := b.Services.Locations.Slots(b.T.Context(), limited, b.Location.ID, "", ""); lost.CodeOf(err) !=
			lost.NotFound {
			b.T.Errorf("got %v, want not found", err)
		}
		for _, period := range [][2]string{{"2026-11-20", "2026-11-19"}, {"2026-11-20", "2026-12-21"}} {
			_, err := b.Services.Locations.Slots(b.T.Context(), b.Actor, b.Location.ID, period[0], period[1])
			if lost.CodeOf(err) != lost.Invalid {
				b.T.Errorf("%v: got %v, want invalid", period, err)
			}
		}
		all := testkit.Must(b.Services.Locations.Slots(b.T.Context(), b.Actor, b.Location.ID, "", ""))
		last := func(s lost.Slot) bool { return s.Date == slotDay && s.End == "12:00" }
		if len(all) != 4 || !slices.ContainsFunc(all, last) {
			b.T.Errorf("got the slots of the next week: %v", all)
		}
	})
}

// planMany plans a number of pick-ups at the same time.
func planMany(b *testkit.Fixture, n int, day, at string) {
	b.T.Helper()
	err := b.DB.Write(b.T.Context(), func(tx *store.Tx) error {
		for range n {
			i, err := lost.NewItem(b.Location.Account, b.Location.ID, testkit.ItemOwnedBy("Umbrella", "x@example.com"),
				tx.Now())
			if err != nil {
				return err
			}
			i.Status, i.Pickup = lost.PickUp, lost.Pickup{Date: day, Time: at, Planned: true}
			if err := tx.InsertItem(i); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.T.Fatal(err)
	}
}

func TestAllPickupsAreCountedAlsoThoseThatAreNotListed(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		openWithSlots(b, 1)
		planMany(b, desk.MaxPickups+20, slotDay, "10:00")
		planMany(b, 120, slotDay, "14:00") // outside the opening hours
		planMany(b, 1, "2026-12-01", "")   // a Tuesday
		ctx, items := b.T.Context(), b.Services.Items
		booked := testkit.Must(items.Bookings(ctx, b.Actor, b.Location.ID, slotDay, slotDay))
		if got, want := booked.On(slotDay), desk.MaxPickups+140; got != want || booked.On("2026-12-01") != 0 {
			b.T.Errorf("got %d pick-ups of the day, want %d", got, want)
		}
		closed := testkit.Must(items.PickupsWhileClosed(ctx, b.Actor, b.Location))
		if closed.Total != 121 || len(closed.Items) != 100 || closed.Items[0].Pickup.Time != "14:00" {
			b.T.Errorf("got %d pick-ups while closed, and listed %d", closed.Total, len(closed.Items))
		}
		other := b.Person("usr_1", lost.DeskRole)
		other.Locations = []string{"loc_other"}
		_, err := items.PickupsWhileClosed(ctx, other, b.Location)
		if lost.CodeOf(err) != lost.NotFound {
			b.T.Errorf("a user of another location: got %v, want not found", err)
		}
		if _, err := items.SlotsFor(ctx, other, b.Item, slotDay); lost.CodeOf(err) != lost.NotFound {
			b.T.Errorf("the slots for a user of another location: got %v, want not found", err)
		}
	})
}
