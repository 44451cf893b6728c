package desk_test

import (
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
		choice := []string{"description", "owner.email"}
		mapped := testkit.Must(o.desk.Imports.MapColumns(t.Context(), o.by, o.hotel, first.ID, choice, ""))
		if mapped.State != lost.ImportReady || mapped.Total != 2 || mapped.Owners != 1 {
			t.Errorf("got %+v", mapped)
		}
		if _, err := o.desk.Imports.MapColumns(t.Context(), o.by, o.hotel, first.ID, choice,
			""); lost.CodeOf(err) != lost.Conflict {
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
		if left := testkit.Must(o.desk.Imports.List(t.Context(), o.by, o.hotel)); len(left) != 1 {
			t.Errorf("after 100 days: got %d imports, want the last one", len(left))
		}
		if again := o.upload(unmappedFile); again.State != lost.ImportReady {
			t.Errorf("after 100 days: got state %s, want the saved mapping", again.State)
		}
	})
}

func TestErasedRowsAreNotMapped(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		o := newImportFixture(t, db, clock)
		m := o.upload(unmappedFile)
		person := lost.Person{Email: "anna@example.com"}
		if err := db.Write(t.Context(), func(tx *store.Tx) error {
			e, err := tx.EraseImportChunk(m.Account, person, store.ImportRowPosition{Import: m.ID})
			if err == nil && e.ImportRows != 1 {
				t.Errorf("erased %d rows, want 1", e.ImportRows)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		columns := testkit.Must(o.desk.Imports.Columns(t.Context(), o.by, o.hotel, m.ID))
		if len(columns[1].Sample) != 0 {
			t.Errorf("the person is still in the file: %q", columns[1].Sample)
		}
	})
}
