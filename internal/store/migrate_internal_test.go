package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"homeward/internal/lost"
)

// The tests in this file read the schema, so they are internal and cannot use storetest.

func open(t *testing.T, setting string) *DB {
	t.Helper()
	db, err := Open(t.Context(), setting, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

func TestMigratingTwiceChangesNothing(t *testing.T) {
	each(t, func(t *testing.T, setting string) {
		db := open(t, setting)
		applied, err := db.Migrate(t.Context())
		if err != nil || len(applied) < 3 && !db.d.citus { // with Citus, the schema exists from the start
			t.Fatalf("first Migrate: applied %v, %v", applied, err)
		}
		again, err := db.Migrate(t.Context())
		if err != nil || len(again) != 0 {
			t.Errorf("second Migrate: applied %v, %v, want none", again, err)
		}
	})
}

func TestInstancesThatStartTogetherMigrateOnce(t *testing.T) {
	each(t, func(t *testing.T, setting string) {
		var wg sync.WaitGroup
		var mu sync.Mutex
		steps := map[string]int{}
		for range 4 {
			db := open(t, setting)
			wg.Go(func() {
				applied, err := db.Migrate(context.Background())
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				for _, s := range applied {
					steps[s]++
				}
			})
		}
		wg.Wait()
		for s, n := range steps {
			if n != 1 {
				t.Errorf("%s was applied %d times, want 1", s, n)
			}
		}
	})
}

func TestANewerSchemaIsRefused(t *testing.T) {
	each(t, func(t *testing.T, setting string) {
		db := open(t, setting)
		if _, err := db.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		err := db.Write(t.Context(), func(tx *Tx) error {
			return tx.queue("INSERT INTO schema_migrations (version, applied_at) VALUES (9999, 0)")
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Migrate(t.Context()); err == nil || !strings.Contains(err.Error(), "newer") {
			t.Errorf("Migrate: got error %v, want one about a newer version", err)
		}
	})
}

func TestBothDatabasesHaveTheSameTablesAndColumns(t *testing.T) {
	columns := map[string][]string{}
	each(t, func(t *testing.T, setting string) {
		db := open(t, setting)
		if _, err := db.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		query := `SELECT table_name || '.' || column_name || CASE is_nullable WHEN 'YES' THEN ' null' ELSE '' END
			FROM information_schema.columns WHERE table_schema = 'public' AND table_name NOT LIKE 'citus%' ORDER BY 1`
		if db.d.name == "sqlite" { // the text index and its tables exist only on SQLite
			query = `SELECT m.name || '.' || c.name || CASE WHEN c."notnull" = 0 AND c.pk = 0 THEN ' null' ELSE '' END
				FROM sqlite_schema m JOIN pragma_table_info(m.name) c
				WHERE m.type = 'table' AND m.name NOT LIKE 'items_search%' AND m.name NOT LIKE 'sqlite%' ORDER BY 1`
		}
		rs, err := db.h.Query(t.Context(), query)
		columns[db.d.name], err = collect(rs, err, func(rs rows) (s string, err error) {
			err = rs.Scan(&s)
			return s, err
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(columns[db.d.name]) < 50 {
			t.Fatalf("got %d columns, want at least 50", len(columns[db.d.name]))
		}
	})
	if len(columns) < 2 {
		return // PostgreSQL is not available, so storetest has skipped it
	}
	if d := cmp.Diff(columns["postgres"], columns["sqlite"]); d != "" {
		t.Error(d)
	}
}

// A dump can be loaded into the other database only if both have the same newest version.
func TestBothDatabasesHaveTheSameNewestVersion(t *testing.T) {
	newest := map[string]int64{}
	for _, dialect := range []string{"sqlite", "postgres"} {
		steps, err := migrations(dialect)
		if err != nil {
			t.Fatal(err)
		}
		newest[dialect] = steps[len(steps)-1].version
	}
	if newest["sqlite"] != newest["postgres"] {
		t.Errorf("the newest versions are %v", newest)
	}
}

// indexedQueries are frequent queries whose query plans are checked.
var indexedQueries = map[string]string{
	"far page": itemPage("", " FROM items i WHERE i.account_id = $1 AND i.location_id = $2",
		" LIMIT 10 OFFSET $3"),
	"page of items": "SELECT i.seq FROM items i WHERE i.account_id = $1 AND i.location_id = $2 AND i.status IN " +
		"($3) AND i.discovery_date >= $4 ORDER BY i.seq DESC LIMIT 10 OFFSET 20",
	"item": selectItem,
	"search": "SELECT i.seq FROM items_search JOIN items i ON i.seq = items_search.rowid WHERE " +
		"i.account_id = $1 AND i.location_id = $2 AND items_search MATCH $3 ORDER BY items_search.rowid DESC " +
		"LIMIT 10",
	"due jobs": "SELECT account_id, id FROM jobs WHERE state = 'due' AND kind = $1 AND due_at <= $2 ORDER " +
		"BY due_at LIMIT $3",
	"key": "SELECT " + keyColumns +
		" FROM directory d JOIN api_keys k ON k.account_id = d.account_id AND k.id = d.subject WHERE d.kind = $1 " +
		"AND d.hash = $2",
	"locations": "SELECT id FROM locations WHERE account_id = $1 AND deleted_at = 0 ORDER BY name_key, id " +
		"LIMIT 10",
	"history": "SELECT id FROM item_history WHERE account_id = $1 AND item_id = $2 ORDER BY id DESC " +
		"LIMIT 10",
	"due deliveries": "SELECT id FROM deliveries WHERE state = 'pending' AND endpoint_id = $2 AND account_id = " +
		"$1 AND due_at <= $3 ORDER BY due_at LIMIT 16",
	"next queue": "SELECT endpoint_id FROM deliveries WHERE state = 'pending' AND endpoint_id > $1 ORDER BY " +
		"endpoint_id LIMIT 1",
	"failed": "SELECT id FROM deliveries WHERE account_id = $1 AND endpoint_id = $2 AND state = " +
		"'failed' AND id > $3 AND created_at >= $4 ORDER BY id LIMIT 500",
	"deliveries": "SELECT id FROM deliveries WHERE account_id = $1 AND endpoint_id = $2 AND state IN ($3) " +
		"ORDER BY id DESC LIMIT 10",
	"old deliveries": "SELECT account_id, id FROM deliveries WHERE state <> 'pending' AND created_at < $1 ORDER " +
		"BY created_at LIMIT 500",
	"old events": "SELECT account_id, id FROM events WHERE at < $1 ORDER BY at LIMIT 500",
	"events":     "SELECT id FROM events WHERE account_id = $1 AND item_id = $2 ORDER BY id DESC LIMIT 10",
	"due checks": "SELECT " + itemColumns + " FROM items i" + joinLocation +
		" WHERE i.look_at > 0 AND i.look_at <= $1 AND l.deleted_at = 0 ORDER BY i.look_at LIMIT 100",
	"due digests": "SELECT id FROM locations WHERE digest_at > 0 AND digest_at <= $1 AND deleted_at = 0 " +
		"ORDER BY digest_at LIMIT 100",
	"messages": "SELECT id FROM messages WHERE account_id = $1 AND item_id = $2 AND location_id = $3 AND " +
		"once = $4",
	"link": "SELECT id FROM links WHERE account_id = $1 AND item_id = $2 AND address = $3",
	"overdue": "SELECT t.item_id FROM tasks t WHERE t.account_id = $1 AND t.location_id = $2 AND t.kind " +
		"= 'store-until' ORDER BY t.turn, t.item_id LIMIT 10",
	"first tasks": "SELECT t.item_id FROM tasks t WHERE t.account_id = $1 AND t.kind = 'ship' ORDER BY " +
		"t.turn, t.item_id LIMIT 10",
	"on hold": "SELECT i.seq FROM items i WHERE i.account_id = $1 AND i.location_id = $2 AND i.hold <> ''" +
		heldCondition + " ORDER BY i.seq DESC LIMIT 10",
	"count on hold": "SELECT 1 FROM items i WHERE i.account_id = $1 AND i.location_id = $2 AND i.hold <> ''" +
		heldCondition + " ORDER BY i.seq DESC LIMIT 10",
	"clearances": "SELECT id FROM clearances WHERE account_id = $1 AND location_id = $2 ORDER BY id DESC " +
		"LIMIT 10",
	"clearance of an item": "SELECT clearance_id FROM clearance_items WHERE account_id = $1 AND item_id = $2 AND " +
		"outcome = ''",
	"old clearances": "SELECT id FROM clearances WHERE ended_at > 0 AND ended_at < $1 ORDER BY ended_at LIMIT 10",
	"tasks": "SELECT item_id FROM tasks t WHERE t.account_id = $1 AND t.location_id = $2 ORDER BY " +
		"t.since, t.item_id, t.kind LIMIT 10",
	"next place": fmt.Sprintf(nextPlace, "> $3"),
	"items to quote": "SELECT seq, parcel FROM items WHERE account_id = $1 AND location_id = $2 AND source = " +
		"'found' AND status = 'INFO COMPLETED' AND seq > $3 ORDER BY seq LIMIT 500",
	"pickups": "SELECT i.seq FROM items i WHERE i.account_id = $1 AND i.location_id = $2 AND i.status = " +
		"'PICKUP' AND i.closed_at = 0 AND i.source = $3 ORDER BY " + soonestFirst + " LIMIT 10",
	"in storage": "SELECT i.seq FROM items i WHERE i.account_id = $1 AND i.location_id = $2" + heldCondition +
		" ORDER BY i.seq DESC LIMIT 10",
	"count in storage": "SELECT 1 FROM items i WHERE i.account_id = $1 AND i.location_id = $2" + heldCondition +
		" LIMIT 10",
	"all failed": "SELECT " + deliveryColumns +
		" FROM deliveries WHERE account_id = $1 AND endpoint_id = $2 AND state = 'failed'" +
		" ORDER BY id DESC LIMIT 10",
	"deliveries of an event": "SELECT " + deliveryColumns +
		" FROM deliveries WHERE account_id = $1 AND event_id = $2 ORDER BY id DESC LIMIT $3",
	"at a place": "SELECT i.seq FROM items i WHERE i.account_id = $1 AND i.location_id = $2" + heldCondition +
		" AND i.storage_place = $3 ORDER BY i.seq DESC LIMIT 10",
	"by reference": "SELECT " + itemColumns + " FROM items i" + joinLocation +
		" WHERE i.account_id = $1 AND i.reference = $2 AND l.deleted_at = 0",
	"stock-takes": "SELECT c.id FROM counts c WHERE c.account_id = $1 AND c.location_id = $2 ORDER BY c.id " +
		"DESC LIMIT 10",
	"counts": "SELECT SUM(n) FROM item_counts i WHERE i.account_id = $1 AND i.location_id = $2 AND " +
		"i.status IN ($3)",
	"audit":          "SELECT id FROM audit WHERE account_id = $1 AND id < $2 ORDER BY id DESC LIMIT 51",
	"audit by actor": "SELECT id FROM audit WHERE account_id = $1 AND actor_id = $2 ORDER BY id DESC LIMIT 51",
	"audit by action": "SELECT id FROM audit WHERE account_id = $1 AND deed = $2 AND id < $3 ORDER BY id DESC " +
		"LIMIT 51",
	"old audit":        "SELECT account_id, id FROM audit WHERE at < $1 ORDER BY at LIMIT 500",
	"account messages": "SELECT id FROM messages WHERE account_id = $1 AND id < $2 ORDER BY id DESC LIMIT 51",
	"account messages by state": "SELECT id FROM messages WHERE account_id = $1 AND state = $2 ORDER BY id DESC " +
		"LIMIT 51",
	"location messages by state": "SELECT id FROM messages WHERE account_id = $1 AND location_id = $2 AND " +
		"state = $3 ORDER BY id DESC LIMIT 51",
	"subjects": "SELECT 1 FROM match_subjects s WHERE s.account_id = $1 AND s.pool = $2 AND s.source = $3 " +
		"LIMIT 10",
	"subjects of a term": "SELECT 1 FROM match_terms t WHERE t.account_id = $1 AND t.pool = $2 AND t.source = $3 AND " +
		"t.term = $4 LIMIT 10",
	"candidates": "SELECT t.item_id FROM match_terms t WHERE t.account_id = $1 AND t.pool = $2 AND t.source = " +
		"$3 AND t.term = $4 AND t.day >= 1 AND t.day <= 2 ORDER BY t.day DESC, t.item_id DESC LIMIT 10",
	"requests with a suggested item": "SELECT request_id FROM matches WHERE account_id = $1 AND item_id = $2 AND " +
		"refused_at = 0 AND request_id > $3 ORDER BY request_id LIMIT 10",
	"due match jobs": "SELECT 1 FROM jobs WHERE account_id = $1 AND place = $2 AND created_at <= $3 AND kind IN " +
		"('match', 'match-again') AND state = 'due' AND failures = 0 LIMIT 1",
	"outdated match rules": "SELECT account_id, id FROM locations WHERE match_rules < $1 ORDER BY match_rules LIMIT 10",
	"items to erase": "SELECT " + itemColumns + " FROM items i" + joinLocation + " WHERE i.account_id = $1 AND " +
		endedCondition + " AND " + endedAtColumn + " < $2 AND l.deleted_at = 0 ORDER BY " + endedAtColumn +
		" LIMIT 25",
}

// TestListsUseAnIndex checks the query plans of frequent queries: none of them may scan a table or
// sort many rows.
func TestListsUseAnIndex(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "plan.db"))
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	search := &query{args: []any{"a", "b"}}
	search.where("i.account_id = $1")
	search.where("i.location_id = $2")
	found, err := db.search(t.Context(), search, "loc_1", []string{"umbrella"})
	if err != nil {
		t.Fatal(err)
	}
	queries := maps.Clone(indexedQueries)
	queries["search hits"] = newestHits(found, search, " LIMIT 10")
	own := &query{args: []any{"a", "b"}}
	own.where("i.account_id = $1 AND i.location_id = $2")
	db.narrowItems(own, lost.ItemFilter{ExternalID: "c"})
	queries["items of an external id"] = itemPage("", " FROM items i"+own.clause(), " LIMIT 10")
	state := &query{args: []any{"a", "b"}}
	state.where("i.account_id = $1 AND i.location_id = $2")
	db.narrowItems(state, lost.ItemFilter{OwnerState: lost.NoAnswer, Source: lost.Found, Bounded: true})
	queries["items of an owner state"] = itemPage("", " FROM items i"+state.clause(), " LIMIT 10")
	for name, query := range queries {
		rs, err := db.h.Query(t.Context(), "EXPLAIN QUERY PLAN "+query, "a", "b", "c", "d", "e")
		steps, err := collect(rs, err, func(rs rows) (string, error) {
			var id, parent, unused int
			var detail string
			err := rs.Scan(&id, &parent, &unused, &detail)
			return detail, err
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		plan := strings.Join(steps, "; ")
		// The text index returns only matching items.
		rest := strings.NewReplacer("SCAN items_search VIRTUAL TABLE", "", "SCAN page", "", "SCAN l;", "").Replace(plan)
		// Sorting the ten rows of a page is allowed.
		sorted := strings.Contains(plan, "TEMP B-TREE") && !strings.Contains(plan, "SCAN page")
		if plan == "" || sorted || strings.Contains(rest, "SCAN") || strings.Contains(plan, "AUTOMATIC") {
			t.Errorf("%s scans a table or sorts rows: %s", name, plan)
		}
		if name == "items to erase" && !strings.Contains(plan, "items_ended") {
			t.Errorf("%s does not use the index items_ended: %s", name, plan)
		}
		if name == "items of an external id" && !strings.Contains(plan, "items_of_external_id") {
			t.Errorf("%s does not use the partial index: %s", name, plan)
		}
		if strings.HasSuffix(name, "on hold") && !strings.Contains(plan, "items_on_hold") {
			t.Errorf("%s does not use the partial index: %s", name, plan)
		}
		for suffix, index := range map[string]string{
			"in storage": "COVERING INDEX items_here", "all failed": "deliveries_failed",
			"of an event": "deliveries_of_event", "of an owner state": "COVERING INDEX items_by_owner_state ",
		} {
			if strings.HasSuffix(name, suffix) && !strings.Contains(plan, index) {
				t.Errorf("%s does not use %s: %s", name, index, plan)
			}
		}
		if name == "page of items" && !strings.Contains(plan, "COVERING INDEX items_newest") {
			t.Errorf("%s does not use a covering index: %s", name, plan)
		}
		if name == "next place" && !strings.Contains(plan, "COVERING INDEX items_held") {
			t.Errorf("%s does not use a covering index: %s", name, plan)
		}
	}
}

// migrationRecorder records on which engine the migrations run.
type migrationRecorder struct {
	engine
	separate, own int // number of engines for migrations, and of writes on this engine
}

func (r *migrationRecorder) forMigrations(ctx context.Context) (engine, func(), error) {
	r.separate++
	return r.engine.forMigrations(ctx)
}

func (r *migrationRecorder) write(ctx context.Context, fn func(txHandle) error) error {
	r.own++
	return r.engine.write(ctx, fn)
}

func TestAMigrationDeletesRowsThatWereImported(t *testing.T) {
	each(t, func(t *testing.T, setting string) {
		db := open(t, setting)
		if err := db.MigrateTo(t.Context(), 162); err != nil {
			t.Fatal(err)
		}
		const rows = `[{"cells":{"serialNumber":"C01X00T478"}}]`
		states := []lost.ImportState{
			lost.ImportUnmapped, lost.ImportReady, lost.ImportRunning, lost.ImportStopping, lost.ImportNotifying,
			lost.ImportDone, lost.ImportCancelled, lost.ImportFailed,
		}
		err := db.Write(t.Context(), func(tx *Tx) error {
			for _, state := range states {
				m := lost.Import{Account: "acc_1", ID: string(state), State: state}
				err := errors.Join(tx.InsertImport(m), tx.AddImportChunk(m, 0, rows), tx.AddImportChunk(m, 1, rows),
					tx.queue("UPDATE import_pieces SET items = '[\"item_1\"]' WHERE account_id = $1 "+
						"AND import_id = $2 AND n = 0", m.Account, m.ID))
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, state := range states {
			for n, want := range []string{emptyBatch, rows} {
				if state.Ended() {
					want = emptyBatch
				}
				got, err := db.ImportChunk(t.Context(), lost.Import{Account: "acc_1", ID: string(state)}, n)
				if err != nil || got.Content != want {
					t.Errorf("%s, batch %d: got %q, %v; want %q", state, n, got.Content, err, want)
				}
			}
		}
	})
}

// Requests that were answered before reports stored when they were.
func TestAMigrationReadsAnswersFromTheHistory(t *testing.T) {
	type entry struct {
		action lost.Action
		by     lost.ActorKind
		note   string
	}
	undone := entry{lost.Updated, lost.ByUser, lost.Note(lost.NoteRejectionUndone)}
	cases := map[string]struct {
		history []entry // one at each second
		want    int64   // in seconds; 0 if it was not answered
	}{
		"no answer":            {[]entry{{lost.Created, lost.ByPublic, ""}, {lost.Wrote, lost.ByGuest, ""}}, 0},
		"message":              {[]entry{{lost.Wrote, lost.ByGuest, ""}, {lost.Wrote, lost.ByKey, ""}}, 2},
		"accepted":             {[]entry{{lost.Accepted, lost.ByUser, ""}, {lost.Wrote, lost.ByUser, ""}}, 1},
		"question":             {[]entry{{lost.Created, lost.ByUser, ""}, {lost.Asked, lost.ByUser, ""}}, 2},
		"rejected":             {[]entry{{lost.Rejected, lost.ByUser, ""}, {lost.Updated, lost.ByUser, ""}}, 1},
		"undone":               {[]entry{{lost.Rejected, lost.ByUser, ""}, undone}, 0},
		"undone and rejected":  {[]entry{{lost.Rejected, "user", ""}, undone, {lost.Rejected, "user", ""}}, 3},
		"message to the owner": {[]entry{{lost.Wrote, lost.ByUser, ""}}, 0}, // of a found item
	}
	each(t, func(t *testing.T, setting string) {
		db := open(t, setting)
		if err := db.MigrateTo(t.Context(), 181); err != nil {
			t.Fatal(err)
		}
		err := db.Write(t.Context(), func(tx *Tx) error {
			err := tx.InsertLocation(lost.Location{Account: "acc_1", ID: "loc_1"})
			for name, c := range cases {
				source := lost.Request
				if name == "message to the owner" {
					source = lost.Found
				}
				err = errors.Join(err, tx.queue("INSERT INTO items (account_id, id, location_id, reference, source, "+
					"status, description, search, created_at, updated_at) VALUES ('acc_1', $1, 'loc_1', $1, $2, "+
					"'PENDING', '', '', 1, 1)", name, string(source)))
				for n, e := range c.history {
					added := lost.NewEntry(lost.Actor{Kind: e.by}, e.action, time.Unix(int64(n)+1, 0))
					added.Note = e.note
					i := lost.Item{Account: "acc_1", LocationID: "loc_1", ID: name}
					err = errors.Join(err, tx.AddHistory(i, added))
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		for name, c := range cases {
			rs, err := db.h.Query(t.Context(), "SELECT answered_at FROM items WHERE account_id = $1 AND id = $2",
				"acc_1", name)
			got, _, err := firstValue[int64](rs, err)
			if err != nil || got != c.want*1_000_000 {
				t.Errorf("%s: answered at %d, %v; want %d s", name, got, err, c.want)
			}
		}
	})
}

// With a million items, sorting for an index takes hundreds of megabytes.
func TestMigrationsOfAFilledSQLiteDatabaseSortInFiles(t *testing.T) {
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "homeward.db"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.MigrateTo(t.Context(), 50); err != nil {
		t.Fatal(err)
	}
	e, done, err := sqliteOf(db).forMigrations(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	for pragma, want := range map[string]string{
		"temp_store": "1", "synchronous": "2", "journal_mode": "wal", "foreign_keys": "1",
		"temp_store_directory": filepath.Dir(sqliteOf(db).file),
	} {
		if err := e.write(t.Context(), func(h txHandle) error {
			rs, err := h.Query(t.Context(), "PRAGMA "+pragma)
			if got, _, err := firstValue[string](rs, err); err != nil || got != want {
				t.Errorf("%s is %s, want %s; %v", pragma, got, want, err)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	recorder := &migrationRecorder{engine: db.engine}
	db.engine = recorder
	for range 2 { // the second time there is nothing to do
		if _, err := db.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if recorder.separate != 1 || recorder.own != 1 { // the first migration is checked in a transaction
		t.Errorf("%d engines were opened for migrations, and %d migrations ran on another one", recorder.separate,
			recorder.own)
	}
}
