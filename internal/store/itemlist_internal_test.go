package store

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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

// With a rare status and dates, SQLite reads the items of the status instead of those of the dates.
func TestAListOfARareStatusAndDatesReadsFewRows(t *testing.T) {
	db, account, location := openSearched(t)
	h := &recordingHandle{handle: db.h}
	r := db.reader
	r.h = h
	for few, want := range map[int]string{10: "items_by_status", 9: "items_by_date"} { // of 50 items
		db.d.fewItems, h.statements = few, nil
		r.d = db.d
		f := lost.ItemFilter{
			Source: lost.Found, Statuses: []lost.Status{lost.FeePaid}, From: "2026-01-01", Bounded: true,
			Page: lost.FirstPage(),
		}
		if _, err := r.Items(t.Context(), account, location, f); err != nil {
			t.Fatal(err)
		}
		rs, err := db.h.Query(t.Context(), "EXPLAIN QUERY PLAN "+h.statements[len(h.statements)-1], h.args...)
		plan, err := collect(rs, err, func(rs rows) (detail string, err error) {
			var id, parent, unused int
			err = rs.Scan(&id, &parent, &unused, &detail)
			return detail, err
		})
		if err != nil || !strings.Contains(strings.Join(plan, "\n"), want) {
			t.Errorf("few are %d: got %q, %v, want the index %s", few, plan, err, want)
		}
	}
}

// fillLocations adds 30 locations with 200 items each. Every item has another status and date than the one before it.
func fillLocations(t *testing.T, db *DB) {
	t.Helper()
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	statuses := []lost.Status{lost.Pending, lost.Shipped, lost.Donate, lost.Delivered}
	items := 120
	if db.d.name == "sqlite" {
		items = 10 // its plans do not depend on the data
	}
	err := db.Write(MaintenanceContext(t.Context()), func(tx *Tx) error {
		for n := range 30 {
			l, err := lost.NewLocation("acc", lost.LocationPatch{Name: lost.Set(fmt.Sprint("Hotel ", n))}, tx.Now())
			if err != nil {
				return err
			}
			l.Permalink = fmt.Sprint("hotel-", n)
			if err := tx.InsertLocation(l); err != nil {
				return err
			}
			for m := range items {
				i, err := lost.NewItem("acc", l.ID, lost.ItemPatch{
					Description: lost.Set("Hat"), Currency: "EUR",
					Value:         lost.Set(lost.ValuePatch{Amount: lost.Set(int64(100 * (m + 1)))}),
					DiscoveryDate: lost.Set(fmt.Sprintf("2026-%02d-%02d", 1+m%12, 1+m%28)),
				}, tx.Now())
				if err != nil {
					return err
				}
				i.Reference, i.Status = fmt.Sprintf("%d-%d", n, m), statuses[m%len(statuses)]
				if err := tx.InsertItem(i); err != nil {
					return err
				}
			}
		}
		if db.d.name == "sqlite" {
			return nil
		}
		return tx.h.Script(tx.ctx, "ANALYZE items; ANALYZE locations; ANALYZE tasks")
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A list of many locations reads only a page of each location, from an index in the order of the list.
func TestListsOfManyLocationsAreReadByIndex(t *testing.T) {
	each(t, func(t *testing.T, setting string) {
		db := open(t, setting)
		if db.d.citus {
			t.Skip("the plans of Citus name its shards")
		}
		fillLocations(t, db)
		page := lost.Page{Number: 1, Limit: 25}
		for index, f := range map[string]lost.ItemFilter{
			"items_by_date":                           {Source: lost.Found, Sort: lost.FoundFirst},
			"items_by_status":                         {Source: lost.Found, Sort: lost.StatusLast},
			"items_by_store_until":                    {Source: lost.Found, Sort: lost.UntilFirst},
			"items_by_status (account_id=? AND locat": {Source: lost.Found, Statuses: []lost.Status{lost.Shipped}},
			"items_here":                              {Source: lost.Found, Storage: lost.InStorage},
			"items_here_until": {
				Source: lost.Found, Storage: lost.InStorage, Sort: lost.UntilFirst,
			},
			"items_comers": {
				Source: lost.Found, Open: true, Statuses: []lost.Status{lost.PickUp},
			},
		} {
			f.Bounded, f.Page = true, page
			g, from, err := db.newBoundedList(t.Context(), "acc", "", nil, f, nil)
			if err != nil {
				t.Fatal(err)
			}
			list := "SELECT i.seq FROM (" + g.firstItems(from, page.Limit) + ") AS i ORDER BY " + g.order + " LIMIT 25"
			checkPlanOfEach(t, db, index, list, g.q.args)
		}
		if db.d.name == "sqlite" { // PostgreSQL does not use an index on an empty table
			q := &query{}
			q.where("i.account_id = " + q.arg("acc"))
			paid := lost.ReportFilter{Figure: lost.FigurePaid, Currency: "EUR", Bounds: []lost.ReportBounds{{
				Locations: []string{"loc"}, Begin: time.Unix(1, 0), End: time.Unix(2, 0),
			}}}
			db.narrowItems(q, lost.ItemFilter{Report: paid})
			checkPlanOfEach(t, db, "payments_of_item", "SELECT i.seq FROM items i"+q.clause(), q.args)
		}
		h := &recordingHandle{handle: db.h}
		r := db.reader
		r.h = h
		if held, err := r.ItemsOnHold(t.Context(), "acc", nil, page); err != nil || len(held.Data) > 0 {
			t.Fatalf("on hold: %+v, %v", held, err)
		}
		checkPlanOfEach(t, db, "items_on_hold", h.statements[0], h.args)
		if db.d.name == "sqlite" { // PostgreSQL does not use an index on an empty table
			q, overdue := db.overdueTasks("acc", nil, page.Limit)
			checkPlanOfEach(t, db, "tasks_of_kind", overdue+" ORDER BY t.turn", q.args)
			if err := r.EachFind(t.Context(), "acc", FirstPosition, func(string, lost.FindFacts) {}); err != nil {
				t.Fatal(err)
			}
			// A report would take much longer if it read the found items from the table.
			checkPlanOfEach(t, db, "COVERING INDEX items_found", h.statements[len(h.statements)-1], h.args)
		}
	})
}

// checkPlanOfEach checks that a query reads the first rows of each location from an index and sorts nothing else.
func checkPlanOfEach(t *testing.T, db *DB, index, query string, args []any) {
	t.Helper()
	explain := "EXPLAIN ANALYZE "
	if db.d.name == "sqlite" {
		explain = "EXPLAIN QUERY PLAN "
	}
	rs, err := db.h.QueryPlanned(t.Context(), explain+query, args...)
	steps, err := collect(rs, err, func(rs rows) (detail string, err error) {
		if db.d.name != "sqlite" {
			err = rs.Scan(&detail)
			return detail, err
		}
		var id, parent, unused int
		err = rs.Scan(&id, &parent, &unused, &detail)
		return detail, err
	})
	plan := strings.Join(steps, "\n")
	sorts := strings.Count(plan, "B-TREE")
	if db.d.name != "sqlite" {
		index, _, _ = strings.Cut(index, " ")
		sorts = strings.Count(plan, "Sort Key")
	}
	if err != nil || !strings.Contains(plan, index) || sorts > 1 || strings.Contains(plan, "Seq Scan on items") {
		t.Errorf("a list does not use the index %s alone: %v\n%s", index, err, plan)
	}
}
