package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
)

// addOwned inserts items with an owner, whose message is saved, as desk.Items.Create does.
func addOwned(tx *Tx, l lost.Location, count int) (added []lost.Item, err error) {
	for range count {
		i, err := lost.NewItem(l.Account, l.ID, lost.ItemPatch{
			Description: lost.Set("Umbrella"), Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("guest@example.com")}),
		}, tx.Now())
		if err != nil {
			return nil, err
		}
		if err := tx.InsertItem(i); err != nil {
			return nil, err
		}
		message := lost.NewMessage(lost.NoticeMessage, i, "once", tx.Now())
		entries, err := tx.AddFirstMessage(lost.NewLink(i, tx.Now()), message)
		if err != nil {
			return nil, err
		}
		created := lost.NewEntry(lost.Actor{Kind: lost.ByUser, ID: "user", Name: "Someone"}, lost.Created, tx.Now())
		if err := tx.AddHistory(i, append(entries, created)...); err != nil {
			return nil, err
		}
		added = append(added, i)
	}
	return added, nil
}

// newRows counts the rows that a new item adds.
func newRows(t *testing.T, db *DB, account string) map[string]int64 {
	t.Helper()
	found := map[string]int64{}
	for table, number := range map[string]string{
		"items": "count(*)", "item_counts": "CAST(COALESCE(SUM(n), 0) AS BIGINT)", "links": "count(*)",
		"directory": "count(*)", "messages": "count(*)", "item_history": "count(*)", "jobs": "count(*)",
		"events": "count(*)",
	} {
		condition := ""
		if table == "directory" {
			condition = " AND kind = '" + string(LinkEntry) + "' AND subject IN (SELECT id FROM links)"
		}
		rs, err := db.h.Query(withScope(t.Context(), OperatorScope),
			"SELECT "+number+" FROM "+table+" WHERE account_id = $1"+condition, account)
		n, _, err := firstValue[int64](rs, err)
		if err != nil {
			t.Fatal(table, err)
		}
		found[table] = n
	}
	return found
}

// saveMessages makes new messages be only saved, and gives the database a secret for links.
func saveMessages(t *testing.T, db *DB) {
	t.Helper()
	if err := db.UseSecret([]byte("a secret for tests only")); err != nil {
		t.Fatal(err)
	}
	db.channels = Channels{Sends: func(lost.Channel) bool { return false }}
	db.UseEvents(Events{OfChange: func(_, i *lost.Item, now time.Time) ([]lost.Event, error) {
		e := lost.NewEvent(lost.ItemCreatedEvent, *i, now)
		e.Body = []byte(i.StoredAt())
		return []lost.Event{e}, nil
	}})
}

func TestANewItemAddsItsRows(t *testing.T) {
	each(t, func(t *testing.T, setting string) {
		db := open(t, setting)
		l := addTexts(t, db, nil)
		saveMessages(t, db)
		const count = 3
		err := db.Write(t.Context(), func(tx *Tx) error { _, err := addOwned(tx, l, count); return err })
		if err != nil {
			t.Fatal(err)
		}
		for table, n := range newRows(t, db, l.Account) {
			want := map[string]int64{"item_history": 2 * count, "jobs": 0}
			if _, ok := want[table]; !ok {
				want[table] = count
			}
			if n != want[table] {
				t.Errorf("%s has %d rows, want %d", table, n, want[table])
			}
		}
	})
}

func TestANewItemAddsNoRowsAtAMissingLocation(t *testing.T) {
	each(t, func(t *testing.T, setting string) {
		db := open(t, setting)
		l := addTexts(t, db, nil)
		saveMessages(t, db)
		err := db.Write(t.Context(), func(tx *Tx) error { // deleted by another instance
			if _, err := tx.InheritedTerms(l.Account, l.ID); err != nil {
				return err
			}
			return tx.queue("UPDATE locations SET deleted_at = 1 WHERE account_id = $1 AND id = $2", l.Account, l.ID)
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, l.ID = range []string{l.ID, lost.NewID(lost.LocationID, time.Now())} {
			err := db.Write(t.Context(), func(tx *Tx) error { _, err := addOwned(tx, l, 1); return err })
			if e, ok := errors.AsType[*lost.Error](err); !ok || e.Code != lost.NotFound {
				t.Errorf("got %v, want a NotFound error", err)
			}
			for table, n := range newRows(t, db, l.Account) {
				if n > 0 {
					t.Errorf("%s has %d rows, want none", table, n)
				}
			}
		}
	})
}

// The event about a new item shows the settings of its location, which are remembered from earlier items. It must not
// show those that have just been changed by another instance of the service.
func TestTheEventOfANewItemShowsTheLocationsSettings(t *testing.T) {
	each(t, func(t *testing.T, setting string) {
		db := open(t, setting)
		l := addTexts(t, db, nil)
		saveMessages(t, db)
		for n, place := range []string{"", "Attic", "Cellar"} {
			err := db.Write(t.Context(), func(tx *Tx) error { // as another instance would
				return tx.queue("UPDATE locations SET storage_place = $3, updated_at = $4 WHERE account_id = $1 "+
					"AND id = $2", l.Account, l.ID, place, micros(l.UpdatedAt)+int64(n))
			})
			if err != nil {
				t.Fatal(err)
			}
			var added []lost.Item
			err = db.Write(t.Context(), func(tx *Tx) (err error) {
				added, err = addOwned(tx, l, 1)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			events, err := db.Events(t.Context(), l.Account, lost.EventFilter{
				Types: lost.EventTypes(), Item: added[0].ID, Page: lost.FirstPage(),
			})
			if err != nil || events.Count != 1 || string(events.Data[0].Body) != place {
				t.Errorf("got %+v, %v, want one event with %q", events.Data, err, place)
			}
		}
	})
}

// PostgreSQL adds an item, the rows that belong to it, and the deliveries of its event as one statement.
func TestPostgreSQLAddsANewItemWithOneStatement(t *testing.T) {
	each(t, func(t *testing.T, setting string) {
		if !IsPostgres(setting) {
			t.Skip("SQLite does not have such statements")
		}
		db := open(t, setting)
		l := addTexts(t, db, nil)
		saveMessages(t, db)
		err := db.Write(t.Context(), func(tx *Tx) error { _, err := tx.InheritedTerms(l.Account, l.ID); return err })
		if err != nil { // the location's settings are known now, as those of most locations are
			t.Fatal(err)
		}
		const count = 2
		err = db.engine.write(t.Context(), func(h txHandle) error {
			tx := db.transaction(t.Context(), h)
			for range count {
				if _, err := addOwned(tx, l, 1); err != nil {
					return err
				}
				if err := tx.addDeliveries(); err != nil {
					return err
				}
				tx.announced = nil
			}
			if wrapped, ok := h.(inspectedTx); ok {
				h = wrapped.txHandle
			}
			queued := h.(*pgTx).batch.QueuedQueries
			if len(queued) != 1+count { // with begin
				t.Errorf("%d statements are queued, want %d", len(queued), 1+count)
			}
			for _, q := range queued {
				if strings.Contains(q.SQL, " FROM links") { // planned while the table is still small
					t.Errorf("a statement reads all links: %s", q.SQL)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestCombineStatements(t *testing.T) {
	const insert = "INSERT INTO items (account_id, id) SELECT $1, $2 FROM locations WHERE id = $12"
	for want, texts := range map[string][]string{
		insert: {insert, "", ""},
		"WITH item AS (" + insert + " RETURNING account_id, id, location_id), " +
			"part1 AS (INSERT INTO links SELECT $13, $14 FROM item WHERE account_id = $13 AND id = $14) " +
			"SELECT $16, $15": {
			insert, "INSERT INTO links SELECT $1, $2 FROM items WHERE account_id = $1 AND id = $2", "SELECT $2, $1",
		},
	} {
		if got := combineStatements(texts); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// Statements for another item are not part of a group, and neither are those that do not fit.
func TestAnItemGroupRefusesOtherStatements(t *testing.T) {
	const more = "INSERT INTO links SELECT $1 FROM items WHERE account_id = $1"
	g := &itemGroup{item: "one"}
	if !g.add("one", itemInsert+"SELECT $1", []any{1}) || g.add("two", more, []any{2}) ||
		g.add("one", "UPDATE items SET status = $1", []any{3}) || !g.add("one", more, []any{4}) {
		t.Error("the group has the wrong statements")
	}
	for g.n < maxGrouped {
		g.add("one", more, []any{5})
	}
	if g.add("one", more, []any{6}) || len(g.args) != maxGrouped || fmt.Sprint(g.args[:3]) != "[1 4 5]" {
		t.Errorf("%d statements with the arguments %v", g.n, g.args)
	}
	tx := &pgTx{separate: true} // with Citus
	if err := tx.QueueForItem(context.Background(), "one", itemInsert, 1); err != nil || tx.group != nil {
		t.Error("a group was made for Citus", err)
	}
}

// An item can have any number of messages, of which only the newest are read.
func TestMessagesOfItemsAreLimited(t *testing.T) {
	each(t, func(t *testing.T, setting string) {
		db := open(t, setting)
		l := addTexts(t, db, nil)
		saveMessages(t, db)
		err := db.Write(t.Context(), func(tx *Tx) error {
			items, err := addOwned(tx, l, 2)
			if err != nil {
				return err
			}
			many, few := items[0], items[1]
			newest := ""
			for n := range maxRecentMessages + 5 {
				m := lost.NewMessage(lost.NoticeMessage, many, fmt.Sprint(n), tx.Now())
				newest = max(newest, m.ID)
				if err := tx.queueMessage(m, "items", many.ID); err != nil {
					return err
				}
			}
			found, err := tx.MessagesOfItems(tx.Context(), l.Account, []string{many.ID, few.ID})
			if len(found[many.ID]) != maxRecentMessages || len(found[few.ID]) != 1 {
				t.Errorf("got %d and %d messages", len(found[many.ID]), len(found[few.ID]))
			}
			if err == nil && found[many.ID][0].ID != newest {
				t.Error("the newest message is not the first one")
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
