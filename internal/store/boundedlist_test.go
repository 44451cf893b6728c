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

// addManyItems adds a location with 120 items. Two thirds of them contain "leather", every tenth
// contains "strap", and one contains "astrolabe". They have various statuses, and dates that are
// not in the order of creation.
func addManyItems(t *testing.T, db *store.DB) lost.Location {
	t.Helper()
	l := addLocation(t, db, withName("Hotel"))
	addItemsAt(t, db, l)
	return l
}

// addItemsAt adds 120 items, like addManyItems, to some locations in turn.
func addItemsAt(t *testing.T, db *store.DB, locations ...lost.Location) {
	t.Helper()
	write(t, db, func(tx *store.Tx) error {
		for n := range 120 {
			l := locations[n*n%len(locations)]
			text := fmt.Sprintf("Bag %d", n)
			if n%3 > 0 {
				text += " of leather"
			}
			if n%10 == 0 {
				text += " with a strap"
			}
			if n == 5 {
				text += " and an astrolabe xq"
			}
			i, err := lost.NewItem(account, l.ID,
				lost.ItemPatch{
					Description: lost.Set(text), DiscoveryDate: lost.Set(fmt.Sprintf("2026-%02d-%02d", 1+n%4, 1+n%7)),
				}, tx.Now())
			if err != nil {
				return err
			}
			i.Reference = fmt.Sprintf("REF-%03d", n)
			if n%4 == 0 {
				i.Status = lost.Delivered
			}
			if n%14 == 1 {
				i.Status = lost.PickUp
			}
			if n%28 == 1 {
				i.ClosedAt = tx.Now()
			}
			if i.Status == lost.PickUp && n%5 > 0 {
				i.Pickup = lost.Pickup{Date: fmt.Sprintf("2026-12-%02d", 1+n%3), Time: fmt.Sprintf("%02d:00", 8+n%7)}
			}
			if err := tx.InsertItem(i); err != nil {
				return err
			}
		}
		return nil
	})
}

// boundedFilters returns filters that combine each search term with various statuses, sources and
// dates.
func boundedFilters() []lost.ItemFilter {
	var all []lost.ItemFilter
	for _, term := range []string{
		"", "leather", "strap", "leather strap", "astrolabe", "astrolabe leather", "nowhere", "strap nowhere",
	} {
		for _, f := range []lost.ItemFilter{
			{Source: lost.Found}, {Statuses: []lost.Status{lost.Delivered}, Source: lost.Found},
			{Statuses: []lost.Status{lost.Pending, lost.Shipped}}, {Open: true, Source: lost.Found},
			{Source: lost.Request},
			{Statuses: []lost.Status{lost.PickUp}, Open: true, Source: lost.Found},
			{Statuses: []lost.Status{lost.PickUp}, Open: true, Source: lost.Found, From: "2026-02-02"},
			{Source: lost.Found, Storage: lost.InStorage}, {Source: lost.Found, Storage: lost.OutOfStorage},
			{From: "2026-02-02", Source: lost.Found, Storage: lost.OutOfStorage},
			{From: "2026-02-02"}, {To: "2026-03-05", Source: lost.Found},
			{From: "2026-02-01", To: "2026-02-28", Statuses: []lost.Status{lost.Pending}, Source: lost.Found},
			{From: "2026-02-01", To: "2026-03-28", Statuses: []lost.Status{lost.Pending, lost.Delivered}},
		} {
			f.Term = term
			all = append(all, f)
		}
	}
	return all
}

func TestBoundedListShowsTheSameAsTheFullList(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addManyItems(t, db)
		for _, before := range []int{1, 30, 1000} {
			store.SetScanLimits(db, before, 1000)
			for _, f := range boundedFilters() {
				want := items(t, db, l, f).Data
				if len(want) == lost.MaxLimit {
					f.Page = lost.Page{Number: 2, Limit: lost.MaxLimit}
					want = append(want, items(t, db, l, f).Data...)
				}
				if n := slices.IndexFunc(want, func(i lost.Item) bool {
					return f.Storage != "" && i.Held() != (f.Storage == lost.InStorage)
				}); n >= 0 {
					t.Errorf("%+v: the full list contains %s with status %s", f, want[n].Reference, want[n].Status)
				}
				if f.From != "" || f.To != "" {
					slices.SortStableFunc(want, func(x, y lost.Item) int {
						return cmp.Compare(y.DiscoveryDate, x.DiscoveryDate)
					})
				}
				if f.Open && len(f.Statuses) == 1 && f.Term == "" && f.From == "" { // sorted by pickup time
					slices.SortFunc(want, func(x, y lost.Item) int {
						return cmp.Or(cmp.Compare(x.Pickup.Date, y.Pickup.Date),
							cmp.Compare(x.Pickup.Time, y.Pickup.Time), cmp.Compare(x.Reference, y.Reference))
					})
				}
				checkBoundedList(t, db, l, f, want)
			}
		}
	})
}

// checkBoundedList reads all pages of a list and checks that they contain the wanted items and a
// correct total.
func checkBoundedList(t *testing.T, db *store.DB, l lost.Location, f lost.ItemFilter, want []lost.Item) {
	t.Helper()
	f.Bounded, f.Page = true, lost.Page{Number: 1, Limit: 10}
	var got []string
	for more := true; more; f.Number++ {
		list := items(t, db, l, f)
		for _, i := range list.Data {
			got = append(got, i.Reference)
		}
		if list.Count > len(want) || !list.AtLeast && list.Count != len(want) || list.Among != 0 {
			t.Errorf("%+v: total %+v, want %d", f, list.Total, len(want))
		}
		more = list.More() && f.Number < 20
	}
	var expected []string
	for _, i := range want {
		expected = append(expected, i.Reference)
	}
	if !slices.Equal(got, expected) {
		t.Errorf("%+v:\ngot %v\nwant %v", f, got, expected)
	}
}

func TestAShortWordIsSearchedInTheNewestItems(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addManyItems(t, db)
		store.SetScanLimits(db, 10, 50)
		for term, want := range map[string]lost.Total{
			"xq":           {Among: 50},            // the only match is older
			"11":           {Count: 10, Among: 50}, // items 110 to 119
			"astrolabe xq": {Count: 1},             // found by the long word
			"leather xq":   {Among: 50},
		} {
			got := items(t, db, l, lost.ItemFilter{Term: term, Source: lost.Found, Bounded: true})
			if got.Total != want || len(got.Data) != want.Count {
				t.Errorf("%q: total %+v, want %+v", term, got.Total, want)
			}
		}
		if all := items(t, db, l,
			lost.ItemFilter{Term: "xq", Source: lost.Found}); all.Total != (lost.Total{Count: 1}) {
			t.Errorf("unbounded list: total %+v, want 1", all.Total)
		}
	})
}

// accountItems reads the pages of a list of several locations.
func accountItems(t *testing.T, db *store.DB, only []string, f lost.ItemFilter) (all []lost.Item, total lost.Total) {
	t.Helper()
	f.Page = lost.Page{Number: 1, Limit: 10}
	for more := true; more; f.Number++ {
		list, err := db.AccountItems(t.Context(), account, only, f)
		if err != nil {
			t.Fatalf("%+v: %v", f, err)
		}
		all, total = append(all, list.Data...), list.Total
		more = list.More() && f.Number < 20
	}
	return all, total
}

func TestBoundedListOfSeveralLocationsMergesTheirLists(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		hotel, spa, bar := addLocation(t, db, withName("Hotel")), addLocation(t, db, withName("Spa")),
			addLocation(t, db, withName("Bar"))
		addItemsAt(t, db, hotel, spa, bar)
		for n := range 25 { // more locations than people usually have
			addLocation(t, db, withName(fmt.Sprint("Room ", n)))
		}
		filters := append(boundedFilters(), lost.ItemFilter{Term: "xq"},
			lost.ItemFilter{Term: "11", From: "2026-02-02"})
		for _, sort := range lost.ItemSorts() {
			filters = append(filters, lost.ItemFilter{Source: lost.Found, Sort: sort},
				lost.ItemFilter{Term: "11", Source: lost.Found, Sort: sort})
		}
		for _, only := range [][]string{nil, {hotel.ID, spa.ID}, {spa.ID}, {hotel.ID, "loc_unknown"}, {}} {
			for _, f := range filters {
				want, _ := accountItems(t, db, only, f)
				sortLikeBounded(want, f, len(only) == 1)
				f.Bounded = true
				got, total := accountItems(t, db, only, f)
				if !slices.EqualFunc(got, want, func(x, y lost.Item) bool { return x.ID == y.ID }) {
					t.Errorf("%v %+v:\ngot %v\nwant %v", only, f, references(got), references(want))
				}
				if total.Count != len(want) || total.AtLeast || total.Among != 0 {
					t.Errorf("%v %+v: total %+v, want %d", only, f, total, len(want))
				}
			}
		}
		store.SetScanLimits(db, 10, 50)
		if found, total := accountItems(t, db, nil, lost.ItemFilter{Term: "xq", Bounded: true}); total.Among != 50 ||
			len(found) > 0 {
			t.Errorf("a short word finds %v, total %+v, want the newest 50 items searched", references(found), total)
		}
	})
}

// sortLikeBounded sorts a list like a bounded one. A search at several locations is sorted by creation.
func sortLikeBounded(list []lost.Item, f lost.ItemFilter, oneLocation bool) {
	byStatus := func(x, y lost.Item) int { return cmp.Compare(x.Status, y.Status) }
	byDate := func(x, y lost.Item) int { return cmp.Compare(x.DiscoveryDate, y.DiscoveryDate) }
	byEnd := func(x, y lost.Item) int {
		return cmp.Compare(cmp.Or(x.StoreUntil(), "none"), cmp.Or(y.StoreUntil(), "none"))
	}
	if f.Sort == lost.FoundFirst || f.Sort == lost.StatusFirst || f.Sort == lost.UntilFirst {
		slices.Reverse(list)
	}
	switch {
	case len(f.Term) > 2 && !oneLocation:
	case f.Sort == lost.FoundFirst:
		slices.SortStableFunc(list, byDate)
	case f.Sort == lost.StatusFirst:
		slices.SortStableFunc(list, byStatus)
	case f.Sort == lost.StatusLast:
		slices.SortStableFunc(list, func(x, y lost.Item) int { return byStatus(y, x) })
	case f.Sort == lost.UntilFirst:
		slices.SortStableFunc(list, byEnd)
	case f.Sort == lost.UntilLast:
		slices.SortStableFunc(list, func(x, y lost.Item) int { return byEnd(y, x) })
	case f.Sort == lost.FoundLast || f.From != "" || f.To != "":
		slices.SortStableFunc(list, func(x, y lost.Item) int { return byDate(y, x) })
	case f.Open && len(f.Statuses) == 1 && f.Term == "":
		slices.SortFunc(list, func(x, y lost.Item) int {
			return cmp.Or(cmp.Compare(x.Pickup.Date, y.Pickup.Date), cmp.Compare(x.Pickup.Time, y.Pickup.Time),
				cmp.Compare(x.Reference, y.Reference))
		})
	}
}

func references(items []lost.Item) (all []string) {
	for _, i := range items {
		all = append(all, i.Reference)
	}
	return all
}
