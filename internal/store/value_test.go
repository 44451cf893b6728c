package store_test

import (
	"slices"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

func TestListsAreLimitedToValues(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		hotel, spa := addLocation(t, db, withName("Hotel")), addLocation(t, db, withName("Spa"))
		for n, v := range []lost.Value{
			{Amount: 4500, Currency: "EUR"}, {}, {Amount: 4499, Currency: "EUR"}, {Amount: 9000, Currency: "USD"},
			{Amount: 5000, Currency: "EUR"}, {Amount: 5000, Currency: "JPY"},
		} {
			l, p := hotel, lost.ItemPatch{Description: lost.Set("thing " + string(rune('a'+n)))}
			if n == 5 {
				l = spa
			}
			if v.Known() {
				p.Value = lost.Set(lost.ValuePatch{Amount: lost.Set(v.Amount), Currency: lost.Set(v.Currency)})
			}
			addItem(t, db, l, p)
		}
		euros := lost.ValueBound{Value: lost.Value{Amount: 4500, Currency: "EUR"}}
		at := func(amount int64, currency string, l lost.Location) lost.ValueBound {
			return lost.ValueBound{
				Value: lost.Value{Amount: amount, Currency: currency}, Locations: []string{l.ID},
			}
		}
		for name, c := range map[string]struct {
			bounds  []lost.ValueBound
			at, all []string // newest first
		}{
			"one currency": {
				[]lost.ValueBound{euros}, []string{"thing e", "thing a"}, []string{"thing e", "thing a"},
			},
			"two currencies": {
				[]lost.ValueBound{at(5000, "EUR", hotel), at(5000, "JPY", spa)}, []string{"thing e"},
				[]string{"thing f", "thing e"},
			},
			"swapped":     {[]lost.ValueBound{at(1, "EUR", spa), at(1, "JPY", hotel)}, nil, nil},
			"no location": {nil, nil, nil},
		} {
			for _, f := range []lost.ItemFilter{
				{}, {Bounded: true}, {Source: lost.Found, Bounded: true, Storage: lost.InStorage},
				{Bounded: true, Sort: lost.StatusFirst, Source: lost.Found}, {Term: "thing"},
				{Statuses: []lost.Status{lost.Pending}},
			} {
				f.MinValue = lost.ValueFilter{Amount: 1, Bounds: c.bounds}
				list := items(t, db, hotel, f)
				got := descriptions(list.Data)
				slices.Sort(got)
				slices.Reverse(got)
				if !slices.Equal(got, c.at) || list.Count != len(c.at) {
					t.Errorf("%s, %+v: got %v of %d, want %v", name, f, got, list.Count, c.at)
				}
				f.Page = lost.FirstPage()
				for _, only := range [][]string{nil, {hotel.ID, spa.ID}} {
					list, err := db.AccountItems(t.Context(), account, only, f)
					got := descriptions(list.Data)
					slices.Sort(got)
					slices.Reverse(got)
					if err != nil || !slices.Equal(got, c.all) {
						t.Errorf("%s, %+v, in the account: got %v, %v, want %v", name, f, got, err, c.all)
					}
				}
			}
		}
	})
}

func TestListsByValueHaveSeveralPages(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		const number, size = 25, 10
		l := addLocation(t, db, withName("Hotel"))
		for range number {
			addItem(t, db, l, lost.ItemPatch{
				Description: lost.Set("Ring"), Value: lost.Value{Amount: 100, Currency: "EUR"}.Patch(),
			})
		}
		bound := lost.ValueBound{Value: lost.Value{Amount: 100, Currency: "EUR"}}
		elsewhere := lost.ValueBound{Value: lost.Value{Amount: 100, Currency: "JPY"}}
		for name, f := range map[string]lost.ItemFilter{
			"all": {}, "found": {Source: lost.Found}, "pending": {Statuses: []lost.Status{lost.Pending}},
			"open": {Open: true}, "stored": {Storage: lost.InStorage},
			"two statuses": {Source: lost.Found, Statuses: []lost.Status{lost.Pending, lost.Shipped}},
		} {
			f.MinValue = lost.ValueFilter{Amount: 100, Bounds: []lost.ValueBound{bound, elsewhere}}
			for page := range 3 {
				for _, f.Bounded = range []bool{false, true} {
					f.Page = lost.Page{Number: page + 1, Limit: size}
					want := min(size, number-page*size)
					for at, only := range map[string][]string{
						"all locations": nil, "one": {l.ID}, "two": {l.ID, "loc_2"},
					} {
						list, err := db.AccountItems(t.Context(), account, only, f)
						if err != nil || len(list.Data) != want || list.Count != number {
							t.Errorf("%s, %s, bounded %t, page %d: got %d of %d, %v, want %d of %d", name, at,
								f.Bounded, page+1, len(list.Data), list.Count, err, want, number)
						}
					}
					for _, bounds := range [][]lost.ValueBound{{bound}, {bound, elsewhere}} {
						f := f
						f.MinValue.Bounds = bounds
						list, err := db.Items(t.Context(), account, l.ID, f)
						if err != nil || len(list.Data) != want || list.Count != number {
							t.Errorf("%s, at the location, bounded %t, page %d: got %d of %d, %v, want %d of %d", name,
								f.Bounded, page+1, len(list.Data), list.Count, err, want, number)
						}
					}
				}
			}
		}
	})
}
