package store_test

import (
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

// changesAfter reads a page of changes and returns the descriptions of the items, "-" for a deleted one, and the
// position of the next page.
func changesAfter(t *testing.T, db *store.DB, after string) (found []string, next string) {
	t.Helper()
	list, err := db.ItemChanges(t.Context(), account, nil,
		lost.ItemFilter{Page: lost.Page{Number: 1, Limit: 100, After: after}}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list.Data {
		if c.Deleted {
			found = append(found, "-")
		} else {
			found = append(found, c.Description)
		}
	}
	return found, list.Next
}

// follow reads changes until there are as many as expected. Transactions of other tests on the same server, which began
// earlier, may delay them.
func follow(t *testing.T, db *store.DB, after, want string) (next string) {
	t.Helper()
	var all []string
	for until := time.Now().Add(time.Minute); len(all) < len(strings.Fields(want)) && time.Now().Before(until); {
		var found []string
		found, after = changesAfter(t, db, after)
		all = append(all, found...)
	}
	if got := strings.Join(all, " "); got != want {
		t.Errorf("got the changes %q, want %q", got, want)
	}
	return after
}

// A change whose transaction began first, but commits last, is not missed by a reader who polls in between.
func TestAChangeThatCommitsLateIsNotMissed(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, withName("Hotel"))
		_, start := changesAfter(t, db, "")
		written, finish, done := make(chan struct{}), make(chan struct{}), make(chan error)
		go func() {
			done <- db.Write(t.Context(), func(tx *store.Tx) error {
				i, err := lost.NewItem(account, l.ID, lost.ItemPatch{Description: lost.Set("First")}, tx.Now())
				if err != nil {
					return err
				}
				if err := tx.InsertItem(i); err != nil {
					return err
				}
				if _, err := tx.Item(tx.Context(), account, l.ID, i.ID); err != nil { // sends the statements
					return err
				}
				close(written)
				<-finish
				return nil
			})
		}()
		<-written
		after := start
		if !db.HasOneWriter() {
			addItem(t, db, l, lost.ItemPatch{Description: lost.Set("Second")})
			var early []string
			if early, after = changesAfter(t, db, start); len(early) > 0 {
				t.Errorf("before the first transaction ends: got %q, want nothing", early)
			}
		}
		close(finish)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if db.HasOneWriter() {
			addItem(t, db, l, lost.ItemPatch{Description: lost.Set("Second")})
		}
		end := follow(t, db, after, "First Second")
		if again, _ := changesAfter(t, db, end); len(again) > 0 {
			t.Errorf("after the end: got %q, want nothing", again)
		}
	})
}

func TestDeletedItemsAreListedAsChanges(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, withName("Hotel"))
		hat := addItem(t, db, l, lost.ItemPatch{Description: lost.Set("Hat")})
		addItem(t, db, l, lost.ItemPatch{Description: lost.Set("Scarf")})
		next := follow(t, db, "", "Hat Scarf")
		if err := db.Write(t.Context(), func(tx *store.Tx) error { return tx.DeleteItem(hat) }); err != nil {
			t.Fatal(err)
		}
		follow(t, db, next, "-")
		follow(t, db, "", "Scarf -")
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			_, err := tx.PruneTombstones(tx.Now().Add(time.Hour), 10)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		follow(t, db, "", "Scarf")
		_, err = db.ItemChanges(t.Context(), account, nil,
			lost.ItemFilter{Page: lost.Page{Number: 1, Limit: 10, After: "x"}}, time.Time{})
		if lost.ReasonOf(err) != lost.InvalidCursor {
			t.Errorf("with an invalid position: got %v", err)
		}
		other, err := db.ItemChanges(t.Context(), "acc_other", nil, lost.ItemFilter{Page: lost.FirstPage()},
			time.Time{})
		if err != nil || len(other.Data) != 0 {
			t.Errorf("another account: got %v, %v", other.Data, err)
		}
	})
}

// A restored database has older rows and no counters, but programs keep the positions that they have got before.
func TestAPositionStaysValidAfterARestore(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, withName("Hotel"))
		i := addItem(t, db, l, lost.ItemPatch{Description: lost.Set("Lost")})
		next := follow(t, db, "", "Lost")
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			for _, statement := range []string{
				"DELETE FROM items WHERE account_id = $1", "DELETE FROM change_counters WHERE account_id = $1",
			} {
				if _, err := tx.Raw().Exec(statement, i.Account); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		addItem(t, db, l, lost.ItemPatch{Description: lost.Set("New")})
		follow(t, db, next, "New")
	})
}
