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
