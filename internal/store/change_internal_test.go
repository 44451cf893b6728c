package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
)

// The first page of changes is found by index, also if it begins before all changes.
func TestTheFirstChangeIsFoundByIndex(t *testing.T) {
	each(t, func(t *testing.T, setting string) {
		db := open(t, setting)
		if db.d.citus {
			t.Skip("the plans of Citus name its shards")
		}
		if _, err := db.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		const size = 5000 // one event a minute, of which every hundredth has a rare type
		start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		fillEvents(t, db, start, size)
		all := lost.EventFilter{Types: []lost.EventType{lost.AllEvents}, Page: lost.FirstPage()}
		for _, c := range []struct {
			name       string
			f          lost.EventFilter
			since      time.Time
			statements int // that find the first position
			most       int // rows that each of them reads
			first      int // number of the first event
		}{
			{"before all", all, start.AddDate(-1, 0, 0), 1, 1, 0},
			{"the end", all, start.Add((size - 10) * time.Minute), 2, 100, size - 10},
			{"rare types before all", lost.EventFilter{Page: lost.FirstPage()}, start.AddDate(-1, 0, 0), 1, 1, 0},
			{"rare types in the middle", lost.EventFilter{Page: lost.FirstPage()},
				start.Add(size / 2 * time.Minute), 2, size / 100, size / 2},
		} {
			h := &recordingHandle{handle: db.h}
			r := db.reader
			r.h = h
			events, err := r.EventChanges(t.Context(), "acc", c.f, c.since)
			want := fmt.Sprintf("evt_%05d", c.first)
			if err != nil || len(events.Data) == 0 || events.Data[0].ID != want {
				t.Fatalf("%s: got %+v, %v, want %s first", c.name, events.Data, err, want)
			}
			const others = 2 // statements that read the list and the events
			if n := len(h.statements) - others; n != c.statements {
				t.Errorf("%s: %d statements find the first position, want %d", c.name, n, c.statements)
			}
			index := "events_by_change"
			if len(c.f.Types) == 0 {
				index = "events_rare_by_change"
			}
			for n, statement := range h.statements[:c.statements] {
				args := []any{"acc", micros(c.since.Add(-changeMargin))}[:n+1]
				checkChangePlan(t, db, c.name, index, c.most, statement, args)
			}
		}
	})
}

func fillEvents(t *testing.T, db *DB, start time.Time, size int) {
	t.Helper()
	err := db.Write(MaintenanceContext(t.Context()), func(tx *Tx) error {
		n := 0
		columns := strings.Split(eventColumns+", change", ", ")
		if _, err := tx.h.InsertRows(tx.ctx, "events", columns, func() ([]any, error) {
			if n == size {
				return nil, nil
			}
			kind := lost.ItemUpdatedEvent
			if n%100 == 0 {
				kind = lost.PickupEvent
			}
			at := micros(start.Add(time.Duration(n) * time.Minute))
			row := []any{"acc", fmt.Sprintf("evt_%05d", n), string(kind), at, "loc", "item", "{}", 0}
			n++
			return row, nil
		}); err != nil || db.d.name == "sqlite" {
			return err
		}
		return tx.queue("ANALYZE events")
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkChangePlan checks that a query reads at most some rows of an index.
func checkChangePlan(t *testing.T, db *DB, name, index string, most int, query string, args []any) {
	t.Helper()
	if db.d.name != "sqlite" {
		checkPostgresPlan(t, db, name, most, query, args)
		return
	}
	rs, err := db.h.Query(t.Context(), "EXPLAIN QUERY PLAN "+query, args...)
	steps, err := collect(rs, err, func(rs rows) (string, error) {
		var id, parent, unused int
		var detail string
		err := rs.Scan(&id, &parent, &unused, &detail)
		return detail, err
	})
	if plan := strings.Join(steps, "; "); err != nil || !strings.Contains(plan, "INDEX "+index+" (account_id=?") ||
		strings.Contains(plan, "B-TREE") {
		t.Errorf("%s does not use the index %s alone: %s, %v", name, index, plan, err)
	}
}
