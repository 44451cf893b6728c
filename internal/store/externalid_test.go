package store_test

import (
	"fmt"
	"slices"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

func TestListsAreFilteredByExternalID(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		hotel, zoo := addLocation(t, db, withName("Hotel")), addLocation(t, db, withName("Zoo"))
		var want []string
		write(t, db, func(tx *store.Tx) error {
			want = nil
			for n := range 30 {
				at, id := hotel.ID, fmt.Sprint("PMS-", n%3)
				if n%5 == 0 {
					at = zoo.ID
				}
				i, err := lost.NewItem(account, at, lost.ItemPatch{
					Description: lost.Set("Umbrella"), ExternalID: lost.Set(id),
				}, tx.Now())
				if err != nil {
					return err
				}
				if at == hotel.ID && id == "PMS-1" {
					want = append(want, i.ID)
				}
				if err := tx.InsertItem(i); err != nil {
					return err
				}
			}
			return nil
		})
		slices.Reverse(want)
		list, err := db.Items(t.Context(), account, hotel.ID,
			lost.ItemFilter{ExternalID: "PMS-1", Page: lost.Page{Number: 1, Limit: 100}})
		var got []string
		for _, i := range list.Data {
			got = append(got, i.ID)
		}
		if err != nil || !slices.Equal(got, want) || list.Count != len(want) {
			t.Errorf("got %v of %d, %v, want %v", got, list.Count, err, want)
		}
		list, err = db.Items(t.Context(), account, hotel.ID,
			lost.ItemFilter{ExternalID: "PMS-1", Term: "umbr", Source: lost.Request, Page: lost.FirstPage()})
		if err != nil || list.Count != 0 {
			t.Errorf("with other filters: got %d, %v, want none", list.Count, err)
		}
		list, err = db.Items(t.Context(), account, hotel.ID,
			lost.ItemFilter{Term: "pms-1", Page: lost.Page{Number: 1, Limit: 100}})
		if err != nil || list.Count != len(want) {
			t.Errorf("a search finds %d, %v, want %d", list.Count, err, len(want))
		}
	})
}

func TestLocationsAreFilteredByExternalID(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		hotel := addLocation(t, db, lost.LocationPatch{Name: lost.Set("Hotel"), ExternalID: lost.Set("HAM-1")})
		addLocation(t, db, withName("Zoo"))
		list, err := db.Locations(t.Context(), account, nil,
			lost.LocationFilter{ExternalID: "HAM-1", Page: lost.FirstPage()})
		if err != nil || list.Count != 1 || list.Data[0].ID != hotel.ID {
			t.Errorf("got %+v, %v, want only the hotel", list.Data, err)
		}
		list, err = db.Locations(t.Context(), account, nil,
			lost.LocationFilter{ExternalID: "ham-1", Page: lost.FirstPage()})
		if err != nil || list.Count != 0 {
			t.Errorf("another spelling: got %d, %v, want none", list.Count, err)
		}
	})
}

// People paste numbers with dashes and spaces of all kinds, and in all scripts.
func TestASerialNumberFindsItsItemInAllScripts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, withName("Hotel"))
		for number, typed := range map[string]string{
			"KN\u20112209": "kn2209", "KN\u20132210": "KN-2210", "KN\u00a02211": "kn 2211", "KN\u22122212": "KN2212",
			"KN\u200b2213": "KN2213", "\u00c412-Z": "\u00e4 12z", "\u0416\u0414-9": "\u0436\u04349",
		} {
			added := addItem(t, db, l, lost.ItemPatch{
				Description: lost.Set("phone"), SerialNumber: lost.Set("before"),
			})
			saved := added
			saved.SerialNumber = number
			write(t, db, func(tx *store.Tx) error { return tx.SaveItem(added, saved) })
			other := addItem(t, db, l, lost.ItemPatch{Description: lost.Set("phone"), SerialNumber: lost.Set(number)})
			for _, q := range []string{number, typed} {
				list := items(t, db, l, lost.ItemFilter{SerialNumber: q})
				if list.Count != 2 || list.Data[0].ID != other.ID || list.Data[1].ID != saved.ID {
					t.Errorf("%q as %q: got %d items, want 2", number, q, list.Count)
				}
			}
		}
	})
}

func TestListsAreFilteredBySerialNumber(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		hotel, zoo := addLocation(t, db, withName("Hotel")), addLocation(t, db, withName("Zoo"))
		for n, number := range []string{"KN-2209-7741", "KN22097741", "kn 2209 7741", "KN-2209-77410", "", "2209"} {
			at := hotel
			if n == 2 {
				at = zoo
			}
			addItem(t, db, at, lost.ItemPatch{
				Description: lost.Set(fmt.Sprint("phone ", n)), SerialNumber: lost.Set(number),
				Value: lost.Value{Amount: 5000, Currency: "EUR"}.Patch(),
			})
		}
		bound := lost.ValueBound{Value: lost.Value{Amount: 5000, Currency: "EUR"}}
		for _, f := range []lost.ItemFilter{
			{}, {Bounded: true}, {Bounded: true, Source: lost.Found, Sort: lost.StatusFirst}, {Term: "phone"},
			{Bounded: true, Sort: lost.UntilLast}, {Statuses: []lost.Status{lost.Pending}, Source: lost.Found},
			{Bounded: true, Source: lost.Found, From: "2020-01-01", Sort: lost.FoundFirst}, {Term: "ph", Bounded: true},
			{MinValue: lost.ValueFilter{Amount: 5000, Bounds: []lost.ValueBound{bound}}},
		} {
			for typed, want := range map[string][]string{
				"KN-2209-7741": {"phone 1", "phone 0"}, " kn 22-09 77 41": {"phone 1", "phone 0"}, "2209": {"phone 5"},
				"7741": nil, "KN2209774": nil,
			} {
				f.SerialNumber = typed
				if f.From != "" {
					want = nil // no item has a day
				}
				list := items(t, db, hotel, f)
				got := descriptions(list.Data)
				slices.Sort(got)
				slices.Reverse(got)
				if !slices.Equal(got, want) || list.Count != len(want) {
					t.Errorf("%q, %+v: got %v of %d, want %v", typed, f, got, list.Count, want)
				}
				f.Page = lost.FirstPage()
				for _, only := range [][]string{nil, {hotel.ID, zoo.ID}} {
					list, err := db.AccountItems(t.Context(), account, only, f)
					both := len(want)
					if both == 2 {
						both = 3
					}
					if err != nil || len(list.Data) != both || list.Count != both {
						t.Errorf("%q, %+v, in the account: got %v of %d, %v, want %d", typed, f,
							descriptions(list.Data), list.Count, err, both)
					}
				}
			}
		}
	})
}
