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
