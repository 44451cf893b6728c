package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

func withPlace(place string) lost.ItemPatch {
	return lost.ItemPatch{Description: lost.Set("Umbrella"), StoragePlace: lost.Set(place)}
}

func places(t *testing.T, db *store.DB, l lost.Location, from string, limit int) string {
	t.Helper()
	list, err := db.Places(t.Context(), account, l.ID, from, limit)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, p := range list {
		out = append(out, fmt.Sprintf("%s=%d", p.Name, p.Items.Count))
	}
	return strings.Join(out, " ")
}

func TestPlacesAreThoseOfHeldItems(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l, other := addLocation(t, db, withName("Hotel")), addLocation(t, db, withName("Zoo"))
		if got := places(t, db, l, "", 10); got != "" {
			t.Errorf("without items: got %q, want none", got)
		}
		for _, place := range []string{"B", "A", "", "B", "C"} {
			addItem(t, db, l, withPlace(place))
		}
		addItem(t, db, other, withPlace("D"))
		if got := places(t, db, l, "", 10); got != "=1 A=1 B=2 C=1" {
			t.Errorf("all: got %q", got)
		}
		if got := places(t, db, l, "B", 1); got != "B=2" {
			t.Errorf("one, from B: got %q, want B=2", got)
		}
		list, err := db.ItemsAtPlace(t.Context(), account, l.ID, []string{"B", ""}, lost.Page{Number: 1, Limit: 2})
		if err != nil || len(list.Data) != 2 || list.Count != 3 || list.Data[0].StoragePlace != "B" ||
			list.Data[0].ID < list.Data[1].ID {
			t.Errorf("at B or without a place: got %d of %d, %v, want 2 of 3", len(list.Data), list.Count, err)
		}
		for _, acc := range []string{account, "acc_2"} {
			if i, err := db.ItemByReference(t.Context(), acc,
				list.Data[0].Reference); (err == nil) != (acc == account) || err == nil && i.ID != list.Data[0].ID {
				t.Errorf("ItemByReference in %s: got %s, %v", acc, i.ID, err)
			}
		}
		byID, err := db.ItemsByID(t.Context(), account, l.ID,
			[]string{list.Data[1].ID, "item_none", list.Data[0].ID, list.Data[1].ID})
		if err != nil || len(byID) != 2 || byID[0].ID != list.Data[1].ID {
			t.Errorf("ItemsByID: got %d items, %v, want 2", len(byID), err)
		}
	})
}

// TestTheIndexOfHeldItemsFollowsTheRule checks that the condition of the index matches
// lost.Item.Held.
func TestTheIndexOfHeldItemsFollowsTheRule(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, withName("Hotel"))
		for _, status := range lost.Statuses() {
			for _, closed := range []bool{false, true} {
				before := addItem(t, db, l, withPlace(fmt.Sprint(status, closed)))
				i := before
				i.Status = status
				if closed {
					i.ClosedAt = i.CreatedAt
				}
				write(t, db, func(tx *store.Tx) error { return tx.SaveItem(before, i) })
				list, err := db.ItemsAtPlace(t.Context(), account, l.ID, []string{i.StoragePlace}, lost.FirstPage())
				if err != nil || (len(list.Data) == 1) != i.Held() {
					t.Errorf("%s, closed %t: got %d items, %v", status, closed, len(list.Data), err)
				}
			}
		}
	})
}

func startCount(t *testing.T, db *store.DB, l lost.Location, place string, limit int) (c lost.StockTake, n int) {
	t.Helper()
	write(t, db, func(tx *store.Tx) (err error) {
		c = lost.NewStockTake(lost.Actor{Account: account, Name: "Ann"}, l, place, place == "", tx.Now())
		if err := tx.InsertStockTake(c); err != nil {
			return err
		}
		n, err = tx.AddExpectedItems(c, []string{place}, limit)
		return err
	})
	return c, n
}

func TestACountIsStoredCompletely(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, l := t.Context(), addLocation(t, db, withName("Hotel"))
		first, second := addItem(t, db, l, withPlace("A")), addItem(t, db, l, withPlace("A"))
		misplaced := addItem(t, db, l, withPlace("B"))
		c, n := startCount(t, db, l, "A", 10)
		if n != 2 {
			t.Errorf("got %d expected items, want 2", n)
		}
		if open, found, err := db.OpenStockTake(ctx, account, l.ID, "A", false); err != nil || !found || open != c {
			t.Errorf("OpenStockTake: got %+v, %t, %v", open, found, err)
		}
		now := c.CreatedAt
		write(t, db, func(tx *store.Tx) error {
			return firstError(
				tx.SaveStockTakeLine(account, c.ID,
					lost.StockTakeLine{
						ItemID: first.ID, Reference: first.Reference, Expected: true, Finding: lost.Seen, SeenAt: now,
						SeenBy: "Ann",
					}),
				tx.SaveStockTakeLine(account, c.ID,
					lost.StockTakeLine{
						ItemID: misplaced.ID, Reference: misplaced.Reference, Finding: lost.Elsewhere, SeenAt: now,
						SeenBy: "Bob",
					}))
		})
		if tally, err := db.StockTakeTotals(ctx, account, c.ID); err != nil ||
			tally != (lost.StockTakeTotals{Expected: 2, Found: 1, Missing: 1, Elsewhere: 1}) {
			t.Errorf("totals of the open stock take: got %+v, %v", tally, err)
		}
		write(t, db, func(tx *store.Tx) error { return tx.DeleteItem(misplaced) })
		line, found, err := db.StockTakeLine(ctx, account, c.ID, misplaced.ID)
		if err != nil || !found || line.Reference != misplaced.Reference || line.Description != "" || line.Held ||
			line.SeenBy != "Bob" || !line.SeenAt.Equal(now) {
			t.Errorf("line of a deleted item: got %+v, %t, %v", line, found, err)
		}
		write(t, db, func(tx *store.Tx) error { return tx.CloseStockTakeLines(account, c.ID, nil) })
		lines, err := db.StockTakeLines(ctx, account, c.ID, []lost.Finding{lost.Absent, lost.Seen},
			lost.Page{Number: 1, Limit: 10})
		if err != nil || len(lines.Data) != 2 || lines.Data[1].ItemID != second.ID ||
			lines.Data[1].Finding != lost.Absent || lines.Data[1].KeptAt != "A" || !lines.Data[1].Held {
			t.Errorf("lines: got %+v, %v", lines.Data, err)
		}
		c.ClosedBy, c.ClosedAt, c.Totals = "Bob", now,
			lost.StockTakeTotals{Expected: 2, Found: 1, Missing: 1, Elsewhere: 1}
		write(t, db, func(tx *store.Tx) error { return tx.CloseStockTake(c) })
		if got, err := db.StockTake(ctx, account, l.ID, c.ID); err != nil || got != c {
			t.Errorf("closed stock take: got %+v, %v", got, err)
		}
		if _, err := db.StockTake(ctx, "acc_2", l.ID, c.ID); lost.CodeOf(err) != lost.NotFound {
			t.Errorf("StockTake of another account: got error %v, want NotFound", err)
		}
	})
}

func TestCountsAreBounded(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, withName("Hotel"))
		for range 4 {
			addItem(t, db, l, withPlace("A"))
		}
		first, n := startCount(t, db, l, "A", 2)
		if n != 3 {
			t.Errorf("got %d lines for a limit of 2, want 3", n)
		}
		second, n := startCount(t, db, l, "", 10)
		if n != 4 {
			t.Errorf("got %d expected items of the whole location, want 4", n)
		}
		write(t, db, func(tx *store.Tx) error {
			n, err := tx.DeleteOldStockTakes(account, l.ID, 1, 10)
			if n != 1 {
				t.Errorf("DeleteOldStockTakes: got %d, want 1", n)
			}
			return err
		})
		list, err := db.StockTakes(t.Context(), account, l.ID, lost.FirstPage())
		if err != nil || len(list.Data) != 1 || list.Data[0].ID != second.ID || list.Count != 1 {
			t.Errorf("StockTakes: got %+v, %v, want only the second", list, err)
		}
		if lines, err := db.StockTakeLines(t.Context(), account, first.ID, lost.Findings(),
			lost.FirstPage()); err != nil ||
			len(lines.Data) != 0 {
			t.Errorf("lines of a deleted stock take: got %+v, %v, want none", lines.Data, err)
		}
	})
}

func firstError(errs ...error) error {
	if n := slices.IndexFunc(errs, func(err error) bool { return err != nil }); n >= 0 {
		return errs[n]
	}
	return nil
}
