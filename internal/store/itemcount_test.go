package store_test

import (
	"context"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

// Only PostgreSQL runs several transactions at the same time.
func TestNewItemsOfALocationDoNotWaitForEachOther(t *testing.T) {
	db := storetest.Open(t, storetest.Postgres(t), storetest.Now)
	l := addLocation(t, db, withName("Hotel"))
	const others = 30
	write(t, db, func(tx *store.Tx) error {
		i, err := lost.NewItem(account, l.ID, withDescription("Umbrella"), tx.Now())
		if err != nil {
			return err
		}
		if err := tx.InsertItem(i); err != nil {
			return err
		}
		if _, err := tx.Terms(tx.Context(), account, l.ID); err != nil { // sends the statements before it
			return err
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		for range others {
			err := db.Write(ctx, func(tx *store.Tx) error {
				i, err := lost.NewItem(account, l.ID, withDescription("Glove"), tx.Now())
				if err != nil {
					return err
				}
				return tx.InsertItem(i)
			})
			if err != nil {
				t.Errorf("an item could not be added while another transaction adds one: %v", err)
				return nil
			}
		}
		return nil
	})
	if list := items(t, db, l, lost.ItemFilter{Page: lost.FirstPage()}); list.Count != others+1 {
		t.Errorf("the total is %d, want %d", list.Count, others+1)
	}
}
