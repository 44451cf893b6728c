package desk_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/services"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	"homeward/internal/testkit"
)

// someFinds adds random items to a location: with every status, with and without dates, found in the last four years.
func someFinds(t *testing.T, db *store.DB, l lost.Location, r *rand.Rand, many int) (all []lost.Item) {
	t.Helper()
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		all = nil
		for range many {
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
			if r.IntN(20) == 0 {
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

// naive computes the expected statistics directly from the items.
func naive(items []lost.Item, zone *time.Location,
	from, to string) (found, returned int, days []int, months map[string]int) {
	months = map[string]int{}
	for _, i := range items {
		start := i.DiscoveryDate
		if start == "" {
			start = i.CreatedAt.In(zone).Format(lost.DateLayout)
		}
		if i.Source != lost.Found || start < from || start > to {
			continue
		}
		found++
		months[start[:7]]++
		var home time.Time
		switch {
		case i.Status == lost.Delivered:
			home = i.MovedAt
		case i.Status == lost.PickUp:
			home = i.ClosedAt
		}
		if home.IsZero() {
			continue
		}
		returned++
		began, _ := time.Parse(lost.DateLayout, start)
		ended, _ := time.Parse(lost.DateLayout, home.In(zone).Format(lost.DateLayout))
		days = append(days, int(ended.Sub(began).Hours()/24))
	}
	slices.Sort(days)
	return found, returned, days, months
}

func TestStatsMatchANaiveCount(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := testkit.NewServices(db, clock)
		t.Cleanup(d.Close)
		all := testkit.CreateFirstAccount(t, d)
		r := rand.New(rand.NewPCG(3, 7)) // a fixed seed, so that failures are reproducible
		for _, zone := range []string{"UTC", "America/New_York", "Pacific/Auckland"} {
			l := testkit.Must(d.Locations.Create(t.Context(), all,
				lost.LocationPatch{Name: lost.Set("At " + zone), TimeZone: lost.Set(zone)}, lost.IdempotencyKey{}))
			items := someFinds(t, db, l, r, 150)
			for _, span := range lost.Spans() {
				n := counted(t, d, all, l.ID, span)
				first, last := n.Months[0].Month.FirstDay(),
					n.Months[len(n.Months)-1].Month.FirstDay().AddDate(0, 1, -1)
				found, returned, days, months := naive(items, l.Zone(), first.Format(lost.DateLayout),
					last.Format(lost.DateLayout))
				if n.Found != found || n.Returned != returned {
					t.Errorf("%s, %d months: got %d found and %d returned, want %d and %d", zone, span, n.Found,
						n.Returned, found, returned)
				}
				median, known := n.MedianDays()
				if known != (len(days) > 0) || known && median != float64(days[(len(days)-1)/2]+days[len(days)/2])/2 {
					t.Errorf("%s, %d months: got median %v of %v", zone, span, median, days)
				}
				for _, m := range n.Months {
					if m.Found != months[m.Month.FirstDay().Format("2006-01")] {
						t.Errorf("%s: %s has %d, want %d", zone, m.Month.FirstDay().Format("2006-01"), m.Found,
							months[m.Month.FirstDay().Format("2006-01")])
					}
				}
			}
		}
		sum, found := counted(t, d, all, "", lost.DefaultSpan), 0
		for _, l := range sum.Locations {
			found += l.Found
		}
		if len(sum.Locations) != 3 || found != sum.Found || found == 0 {
			t.Errorf("the total is %d, but its %d locations add up to %d", sum.Found, len(sum.Locations), found)
		}
	})
}

// counted polls the statistics until they are complete. It does not sleep, because Stats waits a short time.
func counted(t *testing.T, d *services.Services, a lost.Actor, location string, span lost.Span) desk.Numbers {
	t.Helper()
	for t.Context().Err() == nil {
		if n := testkit.Must(d.Reports.Stats(t.Context(), a, location, span)); n.Counting == 0 {
			return n
		}
	}
	t.Fatal("the statistics were not counted")
	return desk.Numbers{}
}

func TestTasksAndStatsNeedPermission(t *testing.T) {
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
			places   int
		}{
			{"all", all, "", "", 2},
			{"one", all, hotel.ID, "", 1},
			{"a viewer", viewer, "", "", 2},
			{"a logger", logger, "", lost.Forbidden, 0},
			{"a logger at one location", logger, hotel.ID, lost.Forbidden, 0},
			{"some locations", limited, "", "", 1},
			{"inaccessible location", limited, hotel.ID, lost.NotFound, 0},
			{"another account", theirs, "", "", 0},
			{"location of another account", theirs, hotel.ID, lost.NotFound, 0},
			{"unknown location", all, "loc_none", lost.NotFound, 0},
		} {
			_, err := d.Reports.Today(t.Context(), c.actor, c.location)
			n, err2 := d.Reports.Stats(t.Context(), c.actor, c.location, lost.DefaultSpan)
			may := c.want == "" && err == nil && err2 == nil ||
				lost.CodeOf(err) == c.want && lost.CodeOf(err2) == c.want
			if !may || len(n.Locations) != c.places {
				t.Errorf("%s: got %v, %v, %d locations", c.name, err, err2, len(n.Locations))
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
