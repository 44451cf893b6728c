package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

func TestSmoke(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var l lost.Location
		var it lost.Item
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			var err error
			l, err = lost.NewLocation("acc_1", lost.LocationPatch{Name: lost.Set("Hotel Ädler")}, tx.Now())
			if err != nil {
				return err
			}
			l.Permalink = "hotel"
			if err := tx.InsertLocation(l); err != nil {
				return err
			}
			it, err = lost.NewItem(l, lost.ItemPatch{Description: lost.Set("Blüe umbrella 100%_x")}, tx.Now())
			if err != nil {
				return err
			}
			if err := tx.InsertItem(it); err != nil {
				return err
			}
			return tx.AddHistory(it, lost.NewEntry(lost.Actor{}, lost.Created, tx.Now()))
		})
		if err != nil {
			t.Fatal(err)
		}
		got, err := db.Item(t.Context(), "acc_1", l.ID, it.ID)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(it, got); d != "" {
			t.Error(d)
		}
		for _, term := range []string{"", "blue", "BLÜE umb", "0%_", "%", "_", "ue", "x"} {
			list, err := db.Items(t.Context(), "acc_1", l.ID, lost.ItemFilter{Term: term, Page: lost.FirstPage()})
			if err != nil || len(list.Data) != 1 || list.Count != 1 {
				t.Errorf("%q: %v %+v", term, err, list)
			}
		}
		boom := errors.New("boom")
		if err := db.Write(t.Context(), func(tx *store.Tx) error { _ = tx.DeleteItem(got); return boom }); err != boom {
			t.Error(err)
		}
		err = db.Write(t.Context(), func(tx *store.Tx) error {
			i, err := tx.LockItem("acc_1", l.ID, it.ID)
			if err != nil {
				return err
			}
			b := i
			i.Status = lost.Shipped
			return tx.SaveItem(b, i)
		})
		if err != nil {
			t.Fatal(err)
		}
		_ = time.Now
	})
}
