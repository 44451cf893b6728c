package desk_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	"homeward/internal/testkit"
)

// upload uploads a file with headings that only this test knows.
func (o *importFixture) upload(text string) lost.Import {
	o.t.Helper()
	known := func([]string) map[string]string { return map[string]string{"Ding": "description"} }
	return testkit.Must(o.desk.Imports.Upload(o.t.Context(), o.by, o.hotel,
		desk.ItemFile{Name: "finds.csv", Content: strings.NewReader(text), Known: known}))
}

const unmappedFile = "Ding;Kunde\nHut;anna@example.com\nSchal;\n"

func TestTheLastMappingOfALocationIsKept(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		o := newImportFixture(t, db, clock)
		finish := func(m lost.Import) {
			t.Helper()
			testkit.Must(o.desk.Imports.Start(t.Context(), o.by, o.hotel, m.ID, false))
			if m = o.run(m, allBatches); m.State != lost.ImportDone {
				t.Fatalf("got state %s", m.State)
			}
			clock.Advance(time.Second)
		}
		first := o.upload(unmappedFile)
		if first.State != lost.ImportUnmapped || first.Total != 2 {
			t.Fatalf("got state %s with %d rows", first.State, first.Total)
		}
		if _, err := o.desk.Imports.Start(t.Context(), o.by, o.hotel, first.ID,
			false); lost.CodeOf(err) != lost.Conflict {
			t.Errorf("starting without a mapping: got %v, want a conflict", err)
		}
		choice := desk.ColumnChoice{Fields: []string{"description", "owner.email"}}
		mapped := testkit.Must(o.desk.Imports.MapColumns(t.Context(), o.by, o.hotel, first.ID, choice))
		if mapped.State != lost.ImportReady || mapped.Total != 2 || mapped.Owners != 1 {
			t.Errorf("got %+v", mapped)
		}
		if _, err := o.desk.Imports.MapColumns(t.Context(), o.by, o.hotel, first.ID,
			choice); lost.CodeOf(err) != lost.Conflict {
			t.Errorf("mapping twice: got %v, want a conflict", err)
		}
		finish(mapped)
		finish(o.upload(unmappedFile)) // the mapping is known now
		clock.Advance(100 * 24 * time.Hour)
		for range 2 {
			if err := db.Write(t.Context(), func(tx *store.Tx) error {
				now := tx.Now()
				if _, err := tx.PruneImportChunks(now.AddDate(0, 0, -3), 100); err != nil {
					return err
				}
				_, err := tx.PruneImports(now.AddDate(0, 0, -90), now.AddDate(0, 0, -3), 100)
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		if left := testkit.Must(o.desk.Imports.List(t.Context(), o.by, o.hotel)); len(left) != 0 {
			t.Errorf("after 100 days: got %d imports, want none", len(left))
		}
		if _, err := o.desk.Imports.Get(t.Context(), o.by, o.hotel, first.ID); lost.CodeOf(err) != lost.NotFound {
			t.Errorf("after 100 days: got %v for the first import, want not found", err)
		}
		if again := o.upload(unmappedFile); again.State != lost.ImportReady {
			t.Errorf("after 100 days: got state %s, want the saved mapping", again.State)
		}
	})
}

// TestErasedRowsAreNotMapped checks that a person who is erased before the columns of a file are chosen is in none of
// its rows and headings afterwards, even if somebody was choosing meanwhile.
func TestErasedRowsAreNotMapped(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		o := newImportFixture(t, db, clock)
		fields := []string{"description", "notes", ""}
		read := o.upload("Ding;Kunde;Frage anna@example.com\nHut;Für anna@example.com;\nSchal;;\n")
		chunk := testkit.Must(db.ImportChunk(t.Context(), read, 0))
		testkit.Must(o.desk.People.EraseNow(t.Context(), o.by,
			lost.PersonPatch{Email: lost.Set("anna@example.com")}))
		for _, raw := range [][]string{{chunk.Content}, {}} { // the rows or only the headings were read before
			if err := db.Write(t.Context(), func(tx *store.Tx) error {
				return desk.SaveMapped(tx, read, raw, raw)
			}); lost.CodeOf(err) != lost.Conflict {
				t.Errorf("saving what was read before the erasure: got %v, want a conflict", err)
			}
		}
		m := testkit.Must(o.desk.Imports.MapColumns(t.Context(), o.by, o.hotel, read.ID,
			desk.ColumnChoice{Fields: fields}))
		saved := testkit.Must(o.desk.Imports.Preview(t.Context(), o.by, o.hotel, m.ID))
		rows := testkit.Must(db.ImportChunk(t.Context(), m, 0)).Content
		if m.Total != 1 || !strings.Contains(rows, "Schal") {
			t.Errorf("got %d rows, want the other one: %s", m.Total, rows)
		}
		if all := fmt.Sprint(saved, rows); strings.Contains(all, "anna@") || len(saved.Unknown) != 1 {
			t.Errorf("the person is still in the import: %s", all)
		}
	})
}
