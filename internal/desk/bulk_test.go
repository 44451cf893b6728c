package desk_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	"homeward/internal/testkit"
)

func TestABadElementStopsNoOther(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		o := newImportFixture(t, db, clock)
		patch := lost.BulkPatch{Items: lost.Set([]lost.ItemPatch{
			testkit.ItemOwnedBy("Hat", "anna@example.com"), testkit.ItemDescribed(" "), testkit.ItemDescribed("Bag"),
		})}
		once := lost.IdempotencyKey{Key: "once", Request: "r"}
		results := testkit.Must(o.desk.Items.CreateItems(t.Context(), o.by, o.hotel, patch, once))
		if len(results) != 3 || results[0].Refused != nil || results[1].Refused == nil || results[2].Refused != nil {
			t.Fatalf("got %+v", results)
		}
		hat, bag := results[0].Item, results[2].Item
		for _, i := range []lost.Item{hat, bag} {
			if now := testkit.Must(o.desk.Items.Get(t.Context(), o.by, o.hotel, i.ID)); now.Description == "" {
				t.Errorf("%s was not saved", i.Description)
			}
			history := testkit.Must(o.desk.Items.History(t.Context(), o.by, o.hotel, i.ID, lost.FirstPage()))
			if last := history.Data[len(history.Data)-1]; last.Action != lost.Created {
				t.Errorf("%s: the history begins with %s", i.Description, last.Action)
			}
		}
		messages := testkit.Must(o.desk.Messages.ListOfItem(t.Context(), o.by, o.hotel, hat.ID, lost.FirstPage()))
		if len(messages.Data) != 1 {
			t.Errorf("the owner got %d messages, want 1", len(messages.Data))
		}
		again := testkit.Must(o.desk.Items.CreateItems(t.Context(), o.by, o.hotel, patch, once))
		if again[0].Item.ID != hat.ID || again[1].Refused == nil || again[1].Refused.Fields[0].Field != "description" {
			t.Errorf("the repeated request: got %+v", again)
		}
		if list := testkit.Must(o.desk.Items.List(t.Context(), o.by, o.hotel,
			lost.ItemFilter{Page: lost.FirstPage()})); list.Count != 2 {
			t.Errorf("there are %d items, want 2", list.Count)
		}
	})
}

func TestSeveralItemsMoveWithTheirEvents(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		o := newImportFixture(t, db, clock)
		var ids []string
		for n := range lost.MaxBulk - 2 {
			ids = append(ids, testkit.Must(o.desk.Items.Create(t.Context(), o.by, o.hotel,
				testkit.ItemDescribed(fmt.Sprint("Hat ", n)), lost.IdempotencyKey{})).ID)
		}
		claim := testkit.Must(o.desk.Requests.File(t.Context(), o.by, o.hotel, testkit.RequestFor("Keys"),
			lost.IdempotencyKey{}))
		before := len(eventsOf(t, db, o.by.Account))
		ids = append(ids, claim.ID, "item_none")
		clock.Advance(time.Second)
		results := testkit.Must(o.desk.Items.SetStatuses(t.Context(), o.by, o.hotel,
			lost.BulkMovePatch{IDs: lost.Set(ids), Status: lost.Set("DONATE")}))
		var refused []lost.Code
		for n, r := range results {
			if r.Item.ID != ids[n] {
				t.Fatalf("result %d is about %s, want %s", n, r.Item.ID, ids[n])
			}
			if r.Refused != nil {
				refused = append(refused, r.Refused.Code)
			} else if r.Item.Status != lost.Donate {
				t.Errorf("result %d: got status %s", n, r.Item.Status)
			}
		}
		if fmt.Sprint(refused) != "[conflict not-found]" {
			t.Errorf("refused %v, want the request and the unknown item", refused)
		}
		if now := testkit.Must(o.desk.Requests.Get(t.Context(), o.by, o.hotel, claim.ID)); now.Status != lost.Pending {
			t.Errorf("the request has status %s", now.Status)
		}
		if n := len(eventsOf(t, db, o.by.Account)) - before; n != lost.MaxBulk-2 {
			t.Errorf("got %d events, want one for each changed item", n)
		}
	})
}

func eventsOf(t *testing.T, db *store.DB, account string) (all []lost.Event) {
	t.Helper()
	for page := (lost.Page{Number: 1, Limit: lost.MaxLimit}); ; page.Number++ {
		list := testkit.Must(db.Events(t.Context(), account, lost.EventFilter{Page: page}))
		all = append(all, list.Data...)
		if len(list.Data) < page.Limit {
			return all
		}
	}
}

func TestAListOfMoreThanTheMaximumIsRejected(t *testing.T) {
	items := make([]lost.ItemPatch, lost.MaxBulk+1)
	if _, err := (lost.BulkPatch{Items: lost.Set(items)}).Read(); !lost.ProblemsOf(err).Has("items") {
		t.Errorf("items: got %v", err)
	}
	ids := strings.Split(strings.Repeat("item_1,", lost.MaxBulk), ",")
	_, _, err := (lost.BulkMovePatch{IDs: lost.Set(ids), Status: lost.Set("DONATE")}).Read()
	if !lost.ProblemsOf(err).Has("ids") {
		t.Errorf("ids: got %v", err)
	}
}
