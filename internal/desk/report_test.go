package desk_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	"homeward/internal/testkit"
)

// someFinds adds random items to a location: with every status, with and without dates, found in the last four years.
func someFinds(t *testing.T, db *store.DB, l lost.Location, r *rand.Rand, many int) (all []lost.Item) {
	t.Helper()
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		all = nil
		for n := range many {
			at := tx.Now().Add(-time.Duration(r.IntN(4*365*24)) * time.Hour)
			i, err := lost.NewItem(l.Account, l.ID, testkit.ItemDescribed("Umbrella"), at)
			if err != nil {
				return err
			}
			if r.IntN(3) > 0 {
				i.DiscoveryDate = at.AddDate(0, 0, -r.IntN(9)).Format(lost.DateLayout)
			}
			if i.Status = lost.Statuses()[r.IntN(len(lost.Statuses()))]; i.Status != lost.Pending {
				i.MovedAt = at.Add(time.Duration(r.IntN(60*24)) * time.Hour)
			}
			if i.Status == lost.PickUp && r.IntN(2) == 0 {
				i.ClosedAt = i.MovedAt.Add(time.Duration(r.IntN(72)) * time.Hour)
			}
			i.Color = []string{"Black", "black", "Red", ""}[r.IntN(4)]
			i.DiscoveryPlace = fmt.Sprint("Room ", r.IntN(6))
			if r.IntN(20) == 0 { // a place that fits into an index of PostgreSQL, and the longest one
				i.Color, i.DiscoveryPlace = wideText(lost.MaxShort), wideText([]int{400, lost.MaxPlace}[r.IntN(2)])
			}
			i.StoragePlace = []string{"", "Shelf A", "Shelf B"}[r.IntN(3)]
			i.Category = append(lost.Categories()[:30:30], "")[r.IntN(31)]
			i.Finder.Name = []string{"", "", "Marta Nowak", "MARTA  Nowak", fmt.Sprint("Guest ", r.IntN(500))}[n%5]
			if n%4 > 0 {
				currency := []string{"EUR", "EUR", "JPY", "USD"}[n/4%4]
				i.Value = lost.Value{Amount: int64(1 + n*997%50_000), Currency: currency}
			}
			if i.Status == lost.Discard {
				i.Destination = []lost.Destination{
					lost.Discarded, lost.Police, lost.ToAuthority, lost.ToIssuer, lost.Auctioned, lost.ToFinder, "",
				}[r.IntN(7)]
			}
			if r.IntN(10) == 0 {
				i.Source, i.Claim.State = lost.Request, lost.RequestPending
			}
			all = append(all, i)
			if err := tx.InsertItem(i); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// wideText returns a text that takes as many bytes as possible and cannot be compressed. It is always the same.
func wideText(length int) string {
	r := rand.New(rand.NewPCG(1, 2))
	text := make([]rune, length)
	for n := range text {
		text[n] = 0x20000 + rune(r.IntN(0xa000)) // CJK ideographs, each of which takes four bytes
	}
	return string(text)
}

func TestTasksNeedPermission(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := testkit.NewServices(db, clock)
		t.Cleanup(d.Close)
		all := testkit.CreateFirstAccount(t, d)
		hotel, zoo := testkit.Must(d.Locations.Create(t.Context(), all, testkit.LocationNamed("Hotel"),
			lost.IdempotencyKey{})),
			testkit.Must(d.Locations.Create(t.Context(), all, testkit.LocationNamed("Zoo"), lost.IdempotencyKey{}))
		theirs := all
		theirs.Account = testkit.Must(d.Accounts.Create(t.Context(), "Theirs")).ID
		limited, logger, viewer := all, all, all
		limited.Locations = []string{zoo.ID}
		logger.Role, viewer.Role = lost.LoggerRole, lost.ViewerRole
		for _, c := range []struct {
			name     string
			actor    lost.Actor
			location string
			want     lost.Code
		}{
			{"all", all, "", ""},
			{"one", all, hotel.ID, ""},
			{"a viewer", viewer, "", ""},
			{"a logger", logger, "", lost.Forbidden},
			{"a logger at one location", logger, hotel.ID, lost.Forbidden},
			{"some locations", limited, "", ""},
			{"inaccessible location", limited, hotel.ID, lost.NotFound},
			{"another account", theirs, "", ""},
			{"location of another account", theirs, hotel.ID, lost.NotFound},
			{"unknown location", all, "loc_none", lost.NotFound},
		} {
			_, err := d.Reports.Today(t.Context(), c.actor, c.location)
			if may := c.want == "" && err == nil || lost.CodeOf(err) == c.want; !may {
				t.Errorf("%s: got %v", c.name, err)
			}
		}
	})
}

func TestTodayListsTheFirstTasksOfEachKindAcrossLocations(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := testkit.NewServices(db, clock)
		all := testkit.CreateFirstAccount(t, d)
		hotel, zoo, deleted := testkit.Must(d.Locations.Create(t.Context(), all, testkit.LocationNamed("Hotel"),
			lost.IdempotencyKey{})),
			testkit.Must(d.Locations.Create(t.Context(), all, testkit.LocationNamed("Zoo"), lost.IdempotencyKey{})),
			testkit.Must(d.Locations.Create(t.Context(), all, testkit.LocationNamed("Gone"), lost.IdempotencyKey{}))
		wait := func(l lost.Location, kinds ...lost.TaskKind) {
			i := testkit.Must(d.Items.Create(t.Context(), all, l.ID, testkit.ItemDescribed("Hat"),
				lost.IdempotencyKey{}))
			clock.Advance(time.Second)
			if err := db.Write(t.Context(), func(tx *store.Tx) error { return tx.SetTasks(i, kinds) }); err != nil {
				t.Fatal(err)
			}
		}
		for range 4 {
			wait(hotel, lost.OverdueTask)
			wait(zoo, lost.OverdueTask, lost.ShipTask)
			wait(deleted, lost.OverdueTask, lost.AnswerTask)
		}
		wait(zoo, lost.PickupTask)
		if err := d.Locations.Delete(t.Context(), all, deleted.ID); err != nil {
			t.Fatal(err)
		}
		limited, nowhere, both := all, all, all
		limited.Locations, nowhere.Locations, both.Locations = []string{hotel.ID}, []string{},
			[]string{hotel.ID, zoo.ID, deleted.ID}
		for _, c := range []struct {
			name     string
			actor    lost.Actor
			location string
			want     string
		}{
			{"all", all, "", "pickup-today 1/1 ship 4/4 store-until 5/8"},
			{"some", both, "", "pickup-today 1/1 ship 4/4 store-until 5/8"},
			{"the zoo", all, zoo.ID, "pickup-today 1/1 ship 4/4 store-until 4/4"},
			{"the hotel", all, hotel.ID, "store-until 4/4"},
			{"limited", limited, "", "store-until 4/4"},
			{"nowhere", nowhere, "", ""},
		} {
			got := ""
			for _, g := range testkit.Must(d.Reports.Today(t.Context(), c.actor, c.location)) {
				if got != "" {
					got += " "
				}
				got += fmt.Sprintf("%s %d/%d", g.Kind, len(g.Tasks), g.Count)
				var before time.Time
				for _, task := range g.Tasks {
					if task.Since.Before(before) || task.Kind != g.Kind || task.Item.Description != "Hat" ||
						(task.LocationName != "Hotel" && task.LocationName != "Zoo") {
						t.Errorf("%s: %+v", c.name, task)
					}
					before = task.Since
				}
			}
			if got != c.want {
				t.Errorf("%s: %q, want %q", c.name, got, c.want)
			}
		}
	})
}

func TestPickupsAreSortedByTime(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		o := newImportFixture(t, db, clock)
		zoo := testkit.Must(o.desk.Locations.Create(t.Context(), o.by, testkit.LocationNamed("Zoo"),
			lost.IdempotencyKey{})).ID
		day := clock.Now().Format(lost.DateLayout)
		comes := func(where, at string) lost.Item {
			clock.Advance(time.Second)
			i := testkit.Must(o.desk.Items.Create(t.Context(), o.by, where, testkit.ItemDescribed("Hat"),
				lost.IdempotencyKey{}))
			return testkit.Must(o.desk.Items.SetStatus(t.Context(), o.by, where, i.ID,
				lost.MovePatch{Status: lost.Set("PICKUP"), PickupDate: lost.Set(day), PickupTime: lost.Set(at)}))
		}
		wait := func(i lost.Item) {
			if err := db.Write(t.Context(), func(tx *store.Tx) error {
				return tx.SetTasks(i, []lost.TaskKind{lost.PickupTask})
			}); err != nil {
				t.Fatal(err)
			}
		}
		for _, at := range []string{"23:10", "22:50", "22:40", "22:30", "22:20", "22:10"} {
			wait(comes(o.hotel, at))
		}
		wait(comes(zoo, "22:15"))
		late := comes(o.hotel, "23:59")
		wait(late)
		// The owner's pickup is rescheduled to an earlier time.
		wait(testkit.Must(o.desk.Items.SetStatus(t.Context(), o.by, o.hotel, late.ID,
			lost.MovePatch{Status: lost.Set("PICKUP"), PickupTime: lost.Set("22:05")})))
		times := func(a lost.Actor, where string) (got string) {
			for _, task := range testkit.Must(o.desk.Reports.Today(t.Context(), a, where))[0].Tasks {
				got += task.Item.Pickup.Time + " "
			}
			return got
		}
		both := o.by
		both.Locations = []string{o.hotel, zoo}
		for what, got := range map[string]string{"all": times(o.by, ""), "some": times(both, "")} {
			if got != "22:05 22:10 22:15 22:20 22:30 " {
				t.Errorf("%s: got %s", what, got)
			}
		}
		if got := times(o.by, o.hotel); got != "22:05 22:10 22:20 22:30 22:40 " {
			t.Errorf("one location: got %s", got)
		}
	})
}
