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

func at(place string) lost.ItemPatch {
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
		l, other := addLocation(t, db, named("Hotel")), addLocation(t, db, named("Zoo"))
		if got := places(t, db, l, "", 10); got != "" {
			t.Errorf("without items: %q", got)
		}
		for _, place := range []string{"B", "A", "", "B", "C"} {
			addItem(t, db, l, at(place))
		}
		addItem(t, db, other, at("D"))
		if got := places(t, db, l, "", 10); got != "=1 A=1 B=2 C=1" {
			t.Errorf("all: %q", got)
		}
		if got := places(t, db, l, "B", 1); got != "B=2" {
			t.Errorf("one, beginning with B: %q", got)
		}
		list, err := db.ItemsAtPlace(t.Context(), account, l.ID, []string{"B", ""}, lost.Page{Number: 1, Limit: 2})
		if err != nil || len(list.Data) != 2 || list.Count != 3 || list.Data[0].StoragePlace != "B" ||
			list.Data[0].ID < list.Data[1].ID {
			t.Errorf("at B or without a place: %d of %d, %v", len(list.Data), list.Count, err)
		}
		for _, who := range []string{account, "acc_2"} {
			if i, err := db.ItemByReference(t.Context(), who,
				list.Data[0].Reference); (err == nil) != (who == account) || err == nil && i.ID != list.Data[0].ID {
				t.Errorf("%s: %s, %v", who, i.ID, err)
			}
		}
		some, err := db.ItemsByID(t.Context(), account, l.ID,
			[]string{list.Data[1].ID, "item_none", list.Data[0].ID, list.Data[1].ID})
		if err != nil || len(some) != 2 || some[0].ID != list.Data[1].ID {
			t.Errorf("by ids: %d, %v", len(some), err)
		}
	})
}

// The condition of the index and the rule in lost agree about which items are held.
func TestTheIndexOfHeldItemsFollowsTheRule(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, named("Hotel"))
		for _, status := range lost.Statuses() {
			for _, closed := range []bool{false, true} {
				before := addItem(t, db, l, at(fmt.Sprint(status, closed)))
				i := before
				i.Status = status
				if closed {
					i.ClosedAt = i.CreatedAt
				}
				write(t, db, func(tx *store.Tx) error { return tx.SaveItem(before, i) })
				list, err := db.ItemsAtPlace(t.Context(), account, l.ID, []string{i.StoragePlace}, lost.FirstPage())
				if err != nil || (len(list.Data) == 1) != i.Held() {
					t.Errorf("%s, closed %v: %d, %v", status, closed, len(list.Data), err)
				}
			}
		}
	})
}

func begin(t *testing.T, db *store.DB, l lost.Location, place string, limit int) (c lost.StockTake, n int) {
	t.Helper()
	write(t, db, func(tx *store.Tx) (err error) {
		c = lost.NewStockTake(lost.Actor{Account: account, Name: "Ann"}, l, place, place == "", tx.Now())
		if err := tx.InsertCount(c); err != nil {
			return err
		}
		n, err = tx.AddExpectedItems(c, []string{place}, limit)
		return err
	})
	return c, n
}

func TestACountIsStoredCompletely(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, l := t.Context(), addLocation(t, db, named("Hotel"))
		lost1, lost2, stray := addItem(t, db, l, at("A")), addItem(t, db, l, at("A")), addItem(t, db, l, at("B"))
		c, n := begin(t, db, l, "A", 10)
		if n != 2 {
			t.Errorf("%d items are expected", n)
		}
		if open, is, err := db.OpenCount(ctx, account, l.ID, "A", false); err != nil || !is || open != c {
			t.Errorf("the open count: %+v, %v, %v", open, is, err)
		}
		now := c.CreatedAt
		write(t, db, func(tx *store.Tx) error {
			return errorsOf(
				tx.SaveCountLine(account, c.ID,
					lost.StockTakeLine{
						ItemID: lost1.ID, Reference: lost1.Reference, Expected: true, Finding: lost.Seen, SeenAt: now,
						SeenBy: "Ann",
					}),
				tx.SaveCountLine(account, c.ID,
					lost.StockTakeLine{
						ItemID: stray.ID, Reference: stray.Reference, Finding: lost.Elsewhere, SeenAt: now,
						SeenBy: "Bob",
					}))
		})
		if tally, err := db.Tally(ctx, account, c.ID); err != nil ||
			tally != (lost.StockTakeTotals{Expected: 2, Found: 1, Missing: 1, Elsewhere: 1}) {
			t.Errorf("open: %+v, %v", tally, err)
		}
		write(t, db, func(tx *store.Tx) error { return tx.DeleteItem(stray) })
		line, is, err := db.CountLine(ctx, account, c.ID, stray.ID)
		if err != nil || !is || line.Reference != stray.Reference || line.Description != "" || line.Held ||
			line.SeenBy != "Bob" || !line.SeenAt.Equal(now) {
			t.Errorf("line of a deleted item: %+v, %v, %v", line, is, err)
		}
		write(t, db, func(tx *store.Tx) error { return tx.CloseCountLines(account, c.ID, nil) })
		lines, err := db.CountLines(ctx, account, c.ID, []lost.Finding{lost.Absent, lost.Seen},
			lost.Page{Number: 1, Limit: 10})
		if err != nil || len(lines.Data) != 2 || lines.Data[1].ItemID != lost2.ID ||
			lines.Data[1].Finding != lost.Absent || lines.Data[1].KeptAt != "A" || !lines.Data[1].Held {
			t.Errorf("lines: %+v, %v", lines.Data, err)
		}
		c.ClosedBy, c.ClosedAt, c.Tally = "Bob", now,
			lost.StockTakeTotals{Expected: 2, Found: 1, Missing: 1, Elsewhere: 1}
		write(t, db, func(tx *store.Tx) error { return tx.CloseCount(c) })
		if got, err := db.Count(ctx, account, l.ID, c.ID); err != nil || got != c {
			t.Errorf("closed: %+v, %v", got, err)
		}
		if _, err := db.Count(ctx, "acc_2", l.ID, c.ID); lost.CodeOf(err) != lost.NotFound {
			t.Errorf("another account: %v", err)
		}
	})
}

func TestCountsAreBounded(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, named("Hotel"))
		for range 4 {
			addItem(t, db, l, at("A"))
		}
		first, n := begin(t, db, l, "A", 2)
		if n != 3 {
			t.Errorf("%d lines for a limit of 2, want 3", n)
		}
		second, n := begin(t, db, l, "", 10)
		if n != 4 {
			t.Errorf("%d items of the whole location are expected", n)
		}
		write(t, db, func(tx *store.Tx) error {
			n, err := tx.DeleteOldCounts(account, l.ID, 1, 10)
			if n != 1 {
				t.Errorf("%d counts were deleted", n)
			}
			return err
		})
		list, err := db.Counts(t.Context(), account, l.ID, lost.FirstPage())
		if err != nil || len(list.Data) != 1 || list.Data[0].ID != second.ID || list.Count != 1 {
			t.Errorf("%+v, %v", list, err)
		}
		if lines, err := db.CountLines(t.Context(), account, first.ID, lost.Findings(), lost.FirstPage()); err != nil ||
			len(lines.Data) != 0 {
			t.Errorf("lines of a deleted count: %+v, %v", lines.Data, err)
		}
	})
}

func errorsOf(errs ...error) error {
	if n := slices.IndexFunc(errs, func(err error) bool { return err != nil }); n >= 0 {
		return errs[n]
	}
	return nil
}
