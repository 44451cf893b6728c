package store

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"homeward/internal/lost"
)

// openSearched opens a SQLite database with 1000 items, all with the word weather. Every fifth has the word cable,
// every fourth the word lamp, and every hundredth the word theodolite. Every 20th is paid and every 20th is a request.
func openSearched(t *testing.T) (db *DB, account, location string) {
	t.Helper()
	db = open(t, filepath.Join(t.TempDir(), "search.db"))
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	a, err := lost.NewAccount("Hotel", db.clock())
	if err != nil {
		t.Fatal(err)
	}
	l, err := lost.NewLocation(a.ID, lost.LocationPatch{Name: lost.Set("Hotel")}, db.clock())
	if err != nil {
		t.Fatal(err)
	}
	err = db.Write(t.Context(), func(tx *Tx) error {
		if err := tx.InsertAccount(a); err != nil {
			return err
		}
		if err := tx.InsertLocation(l); err != nil {
			return err
		}
		for n := range 1000 {
			if err := tx.InsertItem(searchedItem(t, l, n, tx)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return db, a.ID, l.ID
}

func searchedItem(t *testing.T, at lost.Location, n int, tx *Tx) (i lost.Item) {
	t.Helper()
	text := "Weather"
	for word, every := range map[string]int{"cable": 5, "lamp": 4, "theodolite": 100} {
		if n%every == 0 {
			text += ", " + word
		}
	}
	var err error
	if n%20 == 1 {
		i, err = lost.NewRequest(at.Account, at.ID, lost.RequestPatch{
			Description: lost.Set(text), Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("guest@example.com")}),
		}, tx.Now())
	} else {
		i, err = lost.NewItem(at.Account, at.ID, lost.ItemPatch{Description: lost.Set(text)}, tx.Now())
	}
	if err != nil {
		t.Fatal(err)
	}
	if n%20 == 0 {
		i.Status = lost.FeePaid
	}
	i.Reference = fmt.Sprint(n)
	return i
}

// Several words together are often rare although each of them is common. Then the index excludes most rows.
func TestASearchForSeveralWordsUsesATrigramOfEach(t *testing.T) {
	db, _, location := openSearched(t)
	for _, c := range []struct{ words, want []string }{
		{[]string{"cable", "lamp"}, []string{"abl", "lam"}},
		{[]string{"lamp", "cable"}, []string{"abl", "lam"}},
		{[]string{"weather", "lamp", "cable"}, []string{"abl", "wea", "lam"}},
		{[]string{"theodolite", "lamp"}, []string{"dol"}}, // so few rows are tested at once
		{[]string{"of", "cable"}, []string{"abl", "ble", "cab"}},
		{[]string{"cable"}, []string{"abl", "ble", "cab"}},
	} {
		got, err := db.chooseTrigrams(t.Context(), location, c.words)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q: got %q, %v, want %q", c.words, got, err, c.want)
		}
	}
}

// A common word is searched among the items of a rare status, and a rare word among all items.
func TestASearchWithAFilterReadsFewRows(t *testing.T) {
	db, account, location := openSearched(t)
	db.d.fewItems = 10
	paid := []lost.Status{lost.FeePaid}
	for _, c := range []struct {
		word     string
		filter   lost.ItemFilter
		byFilter bool
		found    int
	}{
		{"weather", lost.ItemFilter{Source: lost.Found, Statuses: paid}, true, 50},
		{"weather", lost.ItemFilter{Source: lost.Request}, true, 50},
		{"weather", lost.ItemFilter{Source: lost.Found, Statuses: []lost.Status{lost.Pending}}, true, 900},
		{"weather", lost.ItemFilter{Source: lost.Found}, false, 950},
		{"theodolite", lost.ItemFilter{Source: lost.Found, Statuses: paid}, false, 10},
		{"theodolite", lost.ItemFilter{Source: lost.Request}, false, 0},
		{"zeppelin", lost.ItemFilter{Source: lost.Request}, false, 0},
		{"weather", lost.ItemFilter{Source: lost.Found, Storage: lost.OutOfStorage, Statuses: paid}, false, 0},
	} {
		c.filter.Term, c.filter.Page = c.word, lost.FirstPage()
		byFilter, err := db.searchesByFilter(t.Context(), account, location, c.filter, []string{c.word})
		if err != nil || byFilter != c.byFilter {
			t.Errorf("%s with %+v: by filter: %t, %v, want %t", c.word, c.filter, byFilter, err, c.byFilter)
		}
		for _, c.filter.Bounded = range []bool{false, true} {
			list, err := db.Items(t.Context(), account, location, c.filter)
			if err != nil || list.Count != c.found {
				t.Errorf("%s with %+v: found %d, %v, want %d", c.word, c.filter, list.Count, err, c.found)
			}
		}
	}
}
