package desk_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/lost/report"
	"homeward/internal/services"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	"homeward/internal/testkit"
)

// An instance that has seen all changes one by one reports the same as one that has just been started, and as one
// without memory for the items.
func TestReportsFollowChanges(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		running := testkit.NewServices(db, clock)
		t.Cleanup(running.Close)
		h := newHistory(t, db, running)
		r := rand.New(rand.NewPCG(5, 1)) // a fixed seed, so that failures are reproducible
		q := desk.ReportQuery{From: clock.Now().AddDate(0, 0, -900).Format(lost.DateLayout)}
		before := testkit.Must(running.Reports.Report(t.Context(), h.all, q))
		for step := range 8 {
			for range 5 {
				h.changeItem(r)
			}
			clock.Advance(2 * time.Minute)
			after := testkit.Must(running.Reports.Report(t.Context(), h.all, q))
			if reflect.DeepEqual(after, before) {
				t.Errorf("step %d: the changes made no difference", step)
			}
			before = after
			for name, bytes := range map[string]int{"started": 1 << 20, "nothing fits": 0, "too little fits": 30_000} {
				other := testkit.NewServices(db, clock)
				t.Cleanup(other.Close)
				other.Reports.LimitFinds(bytes, 20_000)
				if got := testkit.Must(other.Reports.Report(t.Context(), h.all, q)); !reflect.DeepEqual(got, after) {
					t.Errorf("step %d, %s:\ngot  %+v\nwant %+v", step, name, got, after)
				}
			}
		}
	})
}

// changeItem creates, changes, hands over or deletes a found item.
func (h *history) changeItem(r *rand.Rand) {
	h.t.Helper()
	l := h.locations[r.IntN(len(h.locations))]
	all, err := h.d.Items.List(h.t.Context(), h.all, l.ID, lost.ItemFilter{
		Source: lost.Found, Statuses: []lost.Status{lost.Pending}, Page: lost.Page{Limit: 50},
	})
	if err == nil && len(all.Data) > 0 {
		i := all.Data[r.IntN(len(all.Data))]
		switch r.IntN(4) {
		case 0:
			_, err = h.d.Items.Update(h.t.Context(), h.all, l.ID, i.ID, lost.ItemPatch{
				Color: lost.Set("Plaid"), DiscoveryPlace: lost.Set("Roof"), StoragePlace: lost.Set("Attic"),
				Category: lost.Set("toy"), Value: lost.Value{Amount: 12_345, Currency: "CHF"}.Patch(),
				Finder: lost.Set(lost.FinderPatch{Name: lost.Set("Roofer")}),
			})
		case 1:
			move := lost.MovePatch{Status: lost.Set(string(lost.Donate))}
			_, err = h.d.Items.SetStatus(h.t.Context(), h.all, l.ID, i.ID, move)
		case 2:
			err = h.d.Items.Delete(h.t.Context(), h.all, l.ID, i.ID)
		default:
			_, err = h.d.Items.Create(h.t.Context(), h.all, l.ID, testkit.ItemDescribed("Hat"), lost.IdempotencyKey{})
		}
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

// A report reads only what has changed since the last one.
func TestReportsReadOnlyWhatHasChanged(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := testkit.NewServices(db, clock)
		t.Cleanup(d.Close)
		h := newHistory(t, db, d)
		readAll := func(report func(context.Context) error) (n int) {
			clock.Advance(2 * time.Minute)
			ctx, statements := storetest.RecordStatements(t.Context())
			if err := report(ctx); err != nil {
				t.Fatal(err)
			}
			for _, sql := range statements() {
				if strings.Contains(sql, "i.discovery_place") && !strings.Contains(sql, "i.change") {
					n++
				}
			}
			return n
		}
		report := func(ctx context.Context) error {
			_, err := d.Reports.Report(ctx, h.all, desk.ReportQuery{})
			return err
		}
		for n, want := range []int{1, 0, 0} {
			if got := readAll(report); got != want {
				t.Errorf("report %d: all items were read %d times, want %d", n, got, want)
			}
		}
		if err := d.Reports.RefreshFinds(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := readAll(report); got != 1 {
			t.Errorf("after the items of small accounts were forgotten: read %d times", got)
		}
	})
}

// What changes in the database cannot explain is corrected after a day, and at once if another server has taken over.
func TestReportsCorrectWhatChangesCannotExplain(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := testkit.NewServices(db, clock)
		t.Cleanup(d.Close)
		h := newHistory(t, db, d)
		q := desk.ReportQuery{From: clock.Now().AddDate(0, 0, -900).Format(lost.DateLayout)}
		found := func() int {
			clock.Advance(2 * time.Minute)
			return testkit.Must(d.Reports.Report(t.Context(), h.all, q)).Items.Found
		}
		want := found()
		expect := func(what string, want int) {
			t.Helper()
			if got := found(); got != want {
				t.Errorf("%s: got %d items, want %d", what, got, want)
			}
		}
		d.Reports.SpoilFinds(h.all.Account, "")
		expect("without an explanation", 2*want)
		clock.Advance(25 * time.Hour)
		expect("a day later", want)
		d.Reports.SpoilFinds(h.all.Account, "another server")
		expect("after another server has taken over", want)
		d.Reports.SpoilFinds(h.all.Account, "")
		clock.Advance(23 * time.Hour)
		d.Reports.LimitFinds(1<<20, 1)
		if err := d.Reports.RefreshFinds(t.Context()); err != nil {
			t.Fatal(err)
		}
		expect("read again in the background", want)
	})
}

func TestReportsDoNotWaitWhileItemsAreReadInTheBackground(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := testkit.NewServices(db, clock)
		t.Cleanup(d.Close)
		h := newHistory(t, db, d)
		q := desk.ReportQuery{From: clock.Now().AddDate(0, 0, -900).Format(lost.DateLayout)}
		want := testkit.Must(d.Reports.Report(t.Context(), h.all, q)).Items.Found
		clock.Advance(23 * time.Hour)
		d.Reports.LimitFinds(1<<20, 1)
		reading := d.Reports.PauseReading()
		refreshed, reported := make(chan error, 1), make(chan int, 1)
		go func() { refreshed <- d.Reports.RefreshFinds(t.Context()) }()
		<-reading
		go func() {
			made, err := d.Reports.Report(t.Context(), h.all, q)
			if err != nil {
				t.Error(err)
			}
			reported <- made.Items.Found
		}()
		select {
		case got := <-reported:
			if got != want {
				t.Errorf("got %d items, want %d", got, want)
			}
		case <-time.After(time.Minute):
			t.Error("the report waits")
		}
		reading <- struct{}{}
		if err := <-refreshed; err != nil {
			t.Error(err)
		}
	})
}

// Texts that no item has any more do not take memory for long, and do not keep items out of memory.
func TestReportsForgetTextsThatNoItemHas(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		const size = 4000
		b.Services.Reports.LimitFinds(size, 20_000)
		for n := range 50 {
			color := fmt.Sprintf("%s %d", strings.Repeat("x", 50), n)
			testkit.Must(b.Services.Items.Update(b.T.Context(), b.Actor, b.Location.ID, b.Item.ID,
				lost.ItemPatch{Color: lost.Set(color)}))
			b.Clock.Advance(2 * time.Minute)
			made := testkit.Must(b.Services.Reports.Report(b.T.Context(), b.Actor, desk.ReportQuery{}))
			if len(made.Colors) != 1 || made.Colors[0].Name != color {
				b.T.Fatalf("got the colors %+v, want %s", made.Colors, color)
			}
			if items, texts := b.Services.Reports.CountFinds(b.Actor.Account); items != 1 || texts > size/60 {
				b.T.Fatalf("change %d: %d items with %d texts are in memory", n, items, texts)
			}
		}
	})
}

// Two instances report the same while items change, others report, and items are read in the background.
func TestReportsAreRightWhileItemsChange(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		both := []*services.Services{testkit.NewServices(db, clock), testkit.NewServices(db, clock)}
		h := newHistory(t, db, both[0])
		var running sync.WaitGroup
		for _, d := range both {
			t.Cleanup(d.Close)
			d.Reports.LimitFinds(1<<20, 1)
			for n := range 3 {
				running.Go(func() {
					for days := range 10 {
						q := desk.ReportQuery{
							From: clock.Now().AddDate(0, 0, -100*n-days-1).Format(lost.DateLayout),
						}
						if _, err := d.Reports.Report(t.Context(), h.all, q); err != nil {
							t.Error(err)
						}
						if err := d.Reports.RefreshFinds(t.Context()); err != nil {
							t.Error(err)
						}
					}
				})
			}
		}
		r := rand.New(rand.NewPCG(5, 2)) // a fixed seed, so that failures are reproducible
		for range 30 {
			h.changeItem(r)
		}
		running.Wait()
		clock.Advance(2 * time.Minute)
		q := desk.ReportQuery{From: clock.Now().AddDate(0, 0, -900).Format(lost.DateLayout)}
		started := testkit.NewServices(db, clock)
		t.Cleanup(started.Close)
		want := testkit.Must(started.Reports.Report(t.Context(), h.all, q))
		for n, d := range both {
			if got := testkit.Must(d.Reports.Report(t.Context(), h.all, q)); !reflect.DeepEqual(got, want) {
				t.Errorf("instance %d:\ngot  %+v\nwant %+v", n, got, want)
			}
		}
	})
}

// Only finders of several items are named, and not after their data was erased.
func TestReportsNameFindersOfSeveralItemsUntilTheyAreErased(t *testing.T) {
	testkit.EachLocation(t, func(b *testkit.Fixture) {
		handIn := func(items int, name, email string) {
			for range items {
				b.NewItem(lost.ItemPatch{
					Description: lost.Set("Hat"), Category: lost.Set("hat"),
					Finder: lost.Set(lost.FinderPatch{Name: lost.Set(name), Email: lost.Set(email)}),
				})
			}
		}
		handIn(report.MinFinds, "Marta Nowak", "marta@example.com")
		handIn(report.MinFinds-1, "Jan Kos", "jan@example.com")
		expect := func(what string, want ...report.Group) {
			b.T.Helper()
			b.Clock.Advance(2 * time.Minute)
			r := testkit.Must(b.Services.Reports.Report(b.T.Context(), b.Actor, desk.ReportQuery{}))
			if !slices.Equal(r.Finders, want) {
				b.T.Errorf("%s: got %+v, want %+v", what, r.Finders, want)
			}
		}
		unknown := report.Group{Found: 1} // the fixture's own item
		expect("named", report.Group{Key: "marta nowak", Name: "Marta Nowak", Found: 3}, unknown,
			report.Group{Found: 2, Rest: 1})
		marta := lost.ParsePerson("marta@example.com")
		if _, err := b.Services.People.EraseNow(b.T.Context(), b.Actor, marta); err != nil {
			b.T.Fatal(err)
		}
		unknown.Found += report.MinFinds
		expect("erased", unknown, report.Group{Found: 2, Rest: 1})
	})
}

// A report that fails while it reads all items again does not make another one count only a part of them.
func TestAReportCountsAllItemsAlthoughAnotherOneFails(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := testkit.NewServices(db, clock)
		t.Cleanup(d.Close)
		h := newHistory(t, db, d)
		var at []lost.LocationName
		want := 0
		for _, l := range h.locations {
			at = append(at, lost.LocationName{ID: l.ID, TimeZone: l.TimeZone})
			found := testkit.Must(d.Items.List(t.Context(), h.all, l.ID, lost.ItemFilter{
				Source: lost.Found, Page: lost.FirstPage(),
			}))
			want += found.Count
		}
		if got, err := d.Reports.CountFindsAfterFailure(t.Context(), h.all.Account, at); err != nil || got != want {
			t.Errorf("got %d items, %v; want %d", got, err, want)
		}
	})
}
