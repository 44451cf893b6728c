package desk_test

import (
	"slices"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/services"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	"homeward/internal/testkit"
)

// countFixture is a hotel with a usual storage place, and with items at several places.
type countFixture struct {
	d     *services.Services
	a     lost.Actor
	hotel string
}

func newCountFixture(t *testing.T, db *store.DB, clock *storetest.Clock) countFixture {
	t.Helper()
	d := testkit.NewServices(db, clock)
	a := testkit.CreateFirstAccount(t, d)
	a.Name = "Ann"
	p := testkit.LocationNamed("Hotel")
	p.StoragePlace = lost.Set("Back room")
	return countFixture{d, a, testkit.Must(d.Locations.Create(t.Context(), a, p, lost.IdempotencyKey{})).ID}
}

func (s countFixture) put(t *testing.T, description, place string) lost.Item {
	t.Helper()
	p := testkit.ItemDescribed(description)
	if place != "" {
		p.StoragePlace = lost.Set(place)
	}
	return testkit.Must(s.d.Items.Create(t.Context(), s.a, s.hotel, p, lost.IdempotencyKey{}))
}

func (s countFixture) names(t *testing.T) (out []string) {
	t.Helper()
	places, _, err := s.d.Storage.Places(t.Context(), s.a, s.hotel, "", 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range places {
		out = append(out, p.Name)
	}
	return out
}

func TestTheDefaultPlaceIsListedFirst(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		s := newCountFixture(t, db, clock)
		if got := s.names(t); !slices.Equal(got, []string{"Back room"}) {
			t.Errorf("places of an empty location: got %q", got)
		}
		s.put(t, "Umbrella", "")
		s.put(t, "Hat", "Back room")
		s.put(t, "Scarf", "A")
		s.put(t, "Ring", "Safe")
		places, next, err := s.d.Storage.Places(t.Context(), s.a, s.hotel, "", 3)
		if err != nil || len(places) != 2 || places[0].Name != "Back room" || places[0].Items.Count != 2 ||
			next != "Safe" {
			t.Errorf("first page: got %+v, next %q, %v", places, next, err)
		}
		if rest, _, err := s.d.Storage.Places(t.Context(), s.a, s.hotel, next, 3); err != nil || len(rest) != 1 ||
			rest[0].Name != "Safe" {
			t.Errorf("second page: got %+v, %v", rest, err)
		}
		if list, err := s.d.Storage.ItemsAt(t.Context(), s.a, s.hotel, "Back room", lost.FirstPage()); err != nil ||
			list.Count != 2 {
			t.Errorf("usual place: got %d items, %v; want 2", list.Count, err)
		}
	})
}

func TestAScanMovesAnItemAndCanBeUndone(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		s := newCountFixture(t, db, clock)
		ctx, i := t.Context(), s.put(t, "Umbrella", "")
		moved, err := s.d.Storage.StoreAt(ctx, s.a, s.hotel, "Shelf 4",
			lost.Tag{Reference: i.Reference}.Address("https://homeward.example"))
		if err != nil || moved.Item.StoragePlace != "Shelf 4" || moved.Before != "" {
			t.Fatalf("%+v, %v", moved, err)
		}
		history := testkit.Must(s.d.Items.History(ctx, s.a, s.hotel, i.ID, lost.FirstPage()))
		if e := history.Data[0]; e.Action != lost.Updated || !slices.Equal(e.Fields, []string{"storagePlace"}) {
			t.Errorf("history: %+v", e)
		}
		if _, err := s.d.Storage.UndoStoreAt(ctx, s.a, s.hotel, i.ID, "Shelf 9",
			""); testkit.Code(err) != lost.Conflict {
			t.Errorf("undo after another move: got %v, want a conflict", err)
		}
		if back, err := s.d.Storage.UndoStoreAt(ctx, s.a, s.hotel, i.ID, "Shelf 4", moved.Before); err != nil ||
			back.StoredAt() != "Back room" {
			t.Errorf("after undo: got place %q, %v", back.StoredAt(), err)
		}
		zoo := testkit.Must(s.d.Locations.Create(ctx, s.a, testkit.LocationNamed("Zoo"), lost.IdempotencyKey{})).ID
		claim := testkit.Must(s.d.Requests.File(ctx, s.a, s.hotel, testkit.RequestFor("Hat"), lost.IdempotencyKey{}))
		for name, c := range map[string]struct {
			location, code string
			want           lost.Code
		}{
			"of another location": {zoo, i.Reference, lost.Conflict},
			"a request":           {s.hotel, claim.Reference, lost.Conflict},
			"not a tag":           {s.hotel, "umbrella", lost.Invalid},
			"unknown":             {s.hotel, "AAA-AAA", lost.NotFound},
			"a place": {s.hotel,
				lost.Tag{LocationID: s.hotel, Place: "B"}.Address("https://homeward.example"), lost.Conflict},
		} {
			if _, err := s.d.Storage.StoreAt(ctx, s.a, c.location, "Shelf 4", c.code); testkit.Code(err) != c.want {
				t.Errorf("%s: got %v, want %s", name, err, c.want)
			}
		}
	})
}

// A scanned code is untrusted input. It is resolved only if its item or place is in one of the actor's locations.
func TestATagOfAnotherLocationIsNotFound(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		s := newCountFixture(t, db, clock)
		i := s.put(t, "Umbrella", "A")
		with := func(change func(*lost.Actor)) lost.Actor { a := s.a; change(&a); return a }
		for name, a := range map[string]lost.Actor{
			"another account": with(func(a *lost.Actor) {
				a.Account = testkit.Must(s.d.Accounts.Create(t.Context(), "Theirs")).ID
			}),
			"another location": with(func(a *lost.Actor) { a.Locations = []string{"loc_other"} }),
		} {
			for _, tag := range []lost.Tag{{Reference: i.Reference}, {LocationID: s.hotel, Place: "A"}} {
				if found, err := s.d.Storage.Scan(t.Context(), a,
					tag.Address("https://homeward.example")); testkit.Code(err) != lost.NotFound {
					t.Errorf("%s: got %+v, %v; want not found", name, found, err)
				}
			}
		}
		if _, err := s.d.Storage.Scan(t.Context(), with(func(a *lost.Actor) {
			a.Role = lost.LoggerRole
		}), i.Reference); testkit.Code(err) != lost.Forbidden {
			t.Errorf("scan by a logger: got %v, want forbidden", err)
		}
	})
}

func TestACountReportsMissingAndMisplacedItems(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		s := newCountFixture(t, db, clock)
		ctx := t.Context()
		here, missing, leaving := s.put(t, "Here", "A"), s.put(t, "Missing", "A"),
			s.put(t, "Handed over meanwhile", "A")
		misplaced, collected := s.put(t, "Misplaced", "B"), s.put(t, "Collected", "A")
		closed := lost.MovePatch{Status: lost.Set("PICKUP"), Closed: lost.Set(true)}
		testkit.Must(s.d.Items.SetStatus(ctx, s.a, s.hotel, collected.ID, closed))
		count := testkit.Must(s.d.Counts.Begin(ctx, s.a, s.hotel, "A", false))
		if count.Totals != (lost.StockTakeTotals{Expected: 3, Missing: 3}) {
			t.Fatalf("totals of a new count: got %+v", count.Totals)
		}
		bob := s.a
		bob.Name = "Bob"
		if same := testkit.Must(s.d.Counts.Begin(ctx, bob, s.hotel, "A", false)); same.ID != count.ID ||
			same.StartedBy != "Ann" {
			t.Errorf("second start: got count %+v, want the open one", same)
		}
		testkit.Must(s.d.Items.SetStatus(ctx, s.a, s.hotel, leaving.ID, closed))
		for _, c := range []struct {
			a     lost.Actor
			item  lost.Item
			want  lost.Finding
			again bool
		}{
			{s.a, here, lost.Seen, false}, {bob, here, lost.Seen, true}, {bob, misplaced, lost.Elsewhere, false},
			{s.a, collected, lost.NotInStock, false},
		} {
			line, again, err := s.d.Counts.RecordScan(ctx, c.a, s.hotel, count.ID, c.item.Reference)
			if err != nil || line.Finding != c.want || again != c.again || line.Description != c.item.Description {
				t.Errorf("%s: %+v, again %v, %v", c.item.Description, line, again, err)
			}
		}
		if i, err := s.d.Counts.CorrectPlace(ctx, s.a, s.hotel, count.ID, misplaced.ID); err != nil ||
			i.StoragePlace != "A" {
			t.Errorf("corrected place: got %+v, %v", i.StoragePlace, err)
		}
		if _, err := s.d.Counts.CorrectPlace(ctx, s.a, s.hotel, count.ID,
			missing.ID); testkit.Code(err) != lost.Conflict {
			t.Errorf("correcting a missing item: got %v, want a conflict", err)
		}
		got, err := s.d.Counts.Close(ctx, bob, s.hotel, count.ID)
		if want := (lost.StockTakeTotals{
			Expected: 3, Found: 1, Missing: 1, Elsewhere: 1, Gone: 1, Left: 1,
		}); err != nil ||
			got.Totals != want || got.ClosedBy != "Bob" {
			t.Errorf("closed count: got %+v, %v", got, err)
		}
		lines := testkit.Must(s.d.Counts.Lines(ctx, s.a, s.hotel, count.ID, []lost.Finding{lost.Absent},
			lost.FirstPage()))
		if len(lines.Data) != 1 || lines.Data[0].ItemID != missing.ID {
			t.Errorf("missing items: got %+v", lines.Data)
		}
		for name, call := range map[string]func() error{
			"tick": func() error {
				_, _, err := s.d.Counts.RecordScan(ctx, s.a, s.hotel, count.ID, missing.Reference)
				return err
			},
			"close":  func() error { _, err := s.d.Counts.Close(ctx, s.a, s.hotel, count.ID); return err },
			"delete": func() error { return s.d.Counts.Delete(ctx, s.a, s.hotel, count.ID) },
		} {
			if err := call(); testkit.Code(err) != lost.Conflict {
				t.Errorf("%s of a closed count: got %v, want a conflict", name, err)
			}
		}
		if list := testkit.Must(s.d.Counts.List(ctx, s.a, s.hotel, lost.FirstPage())); len(list.Data) != 1 ||
			list.Data[0].Totals.Missing != 1 {
			t.Errorf("listed counts: got %+v", list.Data)
		}
	})
}

func TestACountOfALocationCoversEveryPlace(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		s := newCountFixture(t, db, clock)
		s.put(t, "Umbrella", "A")
		s.put(t, "Hat", "")
		whole := testkit.Must(s.d.Counts.Begin(t.Context(), s.a, s.hotel, "", true))
		usual := testkit.Must(s.d.Counts.Begin(t.Context(), s.a, s.hotel, "", false))
		if whole.Totals.Expected != 2 || usual.Totals.Expected != 1 || usual.Place != "Back room" {
			t.Errorf("count of the location: %+v, of the usual place: %+v", whole, usual)
		}
		if err := s.d.Counts.Delete(t.Context(), s.a, s.hotel, whole.ID); err != nil {
			t.Error(err)
		}
		if _, err := s.d.Counts.Get(t.Context(), s.a, s.hotel, whole.ID); testkit.Code(err) != lost.NotFound {
			t.Errorf("deleted count: got %v, want not found", err)
		}
	})
}

func TestAnOpenCountIsListedAfterManyClosedOnes(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		s := newCountFixture(t, db, clock)
		first := testkit.Must(s.d.Counts.Begin(t.Context(), s.a, s.hotel, "A", false))
		for range lost.MaxLimit {
			clock.Advance(time.Second)
			c := testkit.Must(s.d.Counts.Begin(t.Context(), s.a, s.hotel, "B", false))
			testkit.Must(s.d.Counts.Close(t.Context(), s.a, s.hotel, c.ID))
		}
		if open := testkit.Must(s.d.Counts.ListOpen(t.Context(), s.a, s.hotel)); len(open) != 1 ||
			open[0].ID != first.ID {
			t.Errorf("got %d open counts: %+v", len(open), open)
		}
	})
}
