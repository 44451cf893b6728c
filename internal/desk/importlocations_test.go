package desk_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	"homeward/internal/testkit"
)

// newLocation adds a location and returns its id.
func (o *importFixture) newLocation(name string) string {
	o.t.Helper()
	return testkit.Must(o.desk.Locations.Create(o.t.Context(), o.by, testkit.LocationNamed(name),
		lost.IdempotencyKey{})).ID
}

// itemsAt returns the descriptions of a location's items.
func (o *importFixture) itemsAt(location string) (descriptions []string) {
	o.t.Helper()
	for _, i := range testkit.Must(o.desk.Items.List(o.t.Context(), o.by, location,
		lost.ItemFilter{Page: lost.FirstPage()})).Data {
		descriptions = append(descriptions, i.Description)
	}
	slices.Sort(descriptions)
	return descriptions
}

// stageAs uploads a file whose rows have their own locations.
func (o *importFixture) stageAs(by lost.Actor, text string) lost.Import {
	o.t.Helper()
	return testkit.Must(o.desk.Imports.Stage(o.t.Context(), by, "", "finds.csv", strings.NewReader(text)))
}

// finish confirms and runs an import whose rows have their own locations.
func (o *importFixture) finish(by lost.Actor, id string) lost.Import {
	o.t.Helper()
	testkit.Must(o.desk.Imports.Start(o.t.Context(), by, "", id, false))
	for testkit.Must(o.desk.Imports.RunImport(o.t.Context(), by.Account, id)) {
	}
	return testkit.Must(o.desk.Imports.Get(o.t.Context(), by, "", id))
}

func TestRowsAreImportedIntoTheLocationsThatTheyName(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		o := newImportFixture(t, db, clock)
		spa, bar := o.newLocation("Spa am See"), o.newLocation("Bar")
		first, second := o.newLocation("Depot"), o.newLocation("Depot")
		depots := slices.Sorted(slices.Values([]string{first, second}))
		clerk := o.by
		clerk.ID, clerk.Locations = "usr_clerk", []string{o.hotel, spa, first, second}
		m := o.stageAs(clerk, "description,Location\n"+
			"Hat,Hotel\nScarf,"+spa+"\nGlove,spa  AM see\nCoin,Bar\nRing,Nowhere\nKey,\nBag,Depot\nCane,"+first+"\n")
		if m.Total != 4 || m.Bad != 4 || m.LocationID != "" || len(m.Locations) != 3 {
			t.Errorf("got %d valid and %d invalid rows for the locations %v", m.Total, m.Bad, m.Locations)
		}
		want := []struct {
			line          int
			code, message string
		}{
			{5, "unknown-location", "“Bar”: is not a location where you can record items"},
			{6, "unknown-location", "“Nowhere”"}, {7, "no-location", "write a location into the row"},
			{8, "ambiguous-location", `write the ID of one of them: "` + depots[0] + `", "` + depots[1] + `"`},
		}
		for n, p := range m.Problems {
			if w := want[n]; p.Line != w.line || p.Code != w.code || p.Column != "Location" ||
				!strings.Contains(p.Message, w.message) {
				t.Errorf("problem %d: got %+v, want %+v", n, p, w)
			}
		}
		p := testkit.Must(o.desk.Imports.Preview(t.Context(), clerk, "", m.ID))
		if len(p.First) != 4 || p.First[0].LocationID != o.hotel || p.First[3].LocationID != first {
			t.Errorf("the preview has the items %+v", p.First)
		}
		if m = o.finish(clerk, m.ID); m.State != lost.ImportDone {
			t.Fatalf("got state %s", m.State)
		}
		for location, want := range map[string][]string{
			o.hotel: {"Hat"}, spa: {"Glove", "Scarf"}, first: {"Cane"}, second: nil, bar: nil,
		} {
			if got := o.itemsAt(location); !slices.Equal(got, want) {
				t.Errorf("got the items %v, want %v", got, want)
			}
		}
	})
}

func TestAnImportIntoAllLocationsIsSeenOnlyByThoseWhoMaySeeItsRows(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		o := newImportFixture(t, db, clock)
		spa := o.newLocation("Spa")
		as := func(id string, locations ...string) lost.Actor {
			a := o.by
			a.ID, a.Locations = id, locations
			return a
		}
		uploader := as("usr_uploader", o.hotel, spa)
		m := o.stageAs(uploader, "description,location\nHat,Hotel\nScarf,Spa\n")
		for _, c := range []struct {
			name string
			by   lost.Actor
			sees bool
		}{
			{"the uploader", uploader, true},
			{"the uploader, who lost access to a location", as(uploader.ID, o.hotel), false},
			{"a colleague with the same locations", as("usr_other", o.hotel, spa), false},
			{"who may see all locations", o.by, true},
		} {
			_, err := o.desk.Imports.Preview(t.Context(), c.by, "", m.ID)
			listed := testkit.Must(o.desk.Imports.List(t.Context(), c.by, ""))
			if sees := err == nil; sees != c.sees || len(listed) > 0 != c.sees {
				t.Errorf("%s: got %v and %d imports, want to see it: %t", c.name, err, len(listed), c.sees)
			}
			if c.sees {
				continue
			}
			if _, err := o.desk.Imports.Start(t.Context(), c.by, "", m.ID, false); lost.CodeOf(err) != lost.NotFound {
				t.Errorf("%s starts it: got %v, want not found", c.name, err)
			}
		}
		if _, err := o.desk.Imports.Get(t.Context(), o.by, o.hotel, m.ID); lost.CodeOf(err) != lost.NotFound {
			t.Errorf("it was found in a location: %v", err)
		}
		for range 7 { // others' uploads do not remove it
			o.stage("description\nHat\n")
			o.stageAs(o.by, "description,location\nHat,Hotel\n")
			clock.Advance(time.Second)
		}
		testkit.Must(o.desk.Imports.Get(t.Context(), uploader, "", m.ID))
	})
}

func TestAnExportOfAllLocationsCanBeImported(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		o := newImportFixture(t, db, clock)
		spa, hidden := o.newLocation("=Spa, \"am\" See"), o.newLocation("Bar")
		first, second := o.newLocation("Depot"), o.newLocation("Depot")
		for location, items := range map[string]string{
			o.hotel: finds(600), spa: finds(3), hidden: finds(1), first: finds(2), second: "description\nAccordion\n",
		} {
			m := testkit.Must(o.desk.Imports.Stage(t.Context(), o.by, location, "f.csv", strings.NewReader(items)))
			testkit.Must(o.desk.Imports.Start(t.Context(), o.by, location, m.ID, false))
			for testkit.Must(o.desk.Imports.RunImport(t.Context(), o.by.Account, m.ID)) {
			}
		}
		clerk := o.by
		clerk.Locations = []string{o.hotel, spa, first, second}
		export := func(f lost.ItemFilter) string {
			t.Helper()
			var file bytes.Buffer
			if err := o.desk.Imports.Export(t.Context(), clerk, "", f, desk.Layout{}, &file); err != nil {
				t.Fatal(err)
			}
			return file.String()
		}
		file := export(lost.ItemFilter{})
		if n := strings.Count(file, "\n"); n != 607 || strings.Contains(file, ",Bar\n") {
			t.Errorf("got %d lines, want 607 without the location that the clerk cannot see", n)
		}
		if found := export(lost.ItemFilter{Term: "Umbrella 599"}); strings.Count(found, "\n") != 2 {
			t.Errorf("got the filtered export %s", found)
		}
		if found := export(lost.ItemFilter{Query: "accordion"}); strings.Count(found, "\n") != 2 ||
			!strings.Contains(found, second) {
			t.Errorf("got the search %s", found)
		}
		m := o.stageAs(clerk, file)
		if m.Total != 606 || m.Bad != 0 || len(m.Locations) != 4 {
			t.Fatalf("got %d rows, %d problems and the locations %v: %+v", m.Total, m.Bad, m.Locations, m.Problems)
		}
		o.finish(clerk, m.ID)
		for location, want := range map[string]int{o.hotel: 1200, spa: 6, hidden: 1, first: 4, second: 2} {
			if got := testkit.Must(o.desk.Items.List(t.Context(), o.by, location,
				lost.ItemFilter{Page: lost.FirstPage()})).Count; got != want {
				t.Errorf("got %d items at %s, want %d", got, location, want)
			}
		}
	})
}

func TestAnImportIntoAllLocationsIsUndoneIfALocationIsDeletedOrItIsCancelled(t *testing.T) {
	for _, want := range []lost.ImportState{lost.ImportFailed, lost.ImportCancelled} {
		testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
			o := newImportFixture(t, db, clock)
			spa := o.newLocation("Spa")
			m := o.stageAs(o.by, "description,location\n"+strings.Repeat("Hat,Hotel\n", 150)+
				strings.Repeat("Scarf,Spa\n", 150))
			testkit.Must(o.desk.Imports.Start(t.Context(), o.by, "", m.ID, false))
			testkit.Must(o.desk.Imports.RunImport(t.Context(), o.by.Account, m.ID))
			if want == lost.ImportFailed {
				if err := o.desk.Locations.Delete(t.Context(), o.by, spa); err != nil {
					t.Fatal(err)
				}
			} else {
				testkit.Must(o.desk.Imports.RunImport(t.Context(), o.by.Account, m.ID))
				testkit.Must(o.desk.Imports.Cancel(t.Context(), o.by, "", m.ID))
			}
			for testkit.Must(o.desk.Imports.RunImport(t.Context(), o.by.Account, m.ID)) {
			}
			if m = testkit.Must(o.desk.Imports.Get(t.Context(), o.by, "", m.ID)); m.State != want || o.items() != 0 {
				t.Errorf("got state %s with %d items, want %s with none", m.State, o.items(), want)
			}
		})
	}
}

// TestTheColumnOfTheLocationIsMapped checks what is asked for about a file that is imported into all locations, and
// that the answer is remembered.
func TestTheColumnOfTheLocationIsMapped(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		o := newImportFixture(t, db, clock)
		spa := o.newLocation("Spa")
		upload := func(text, usual string) (lost.Import, error) {
			known := func([]string) map[string]string {
				return map[string]string{"Ding": "description", "Standort": desk.LocationColumn}
			}
			clock.Advance(time.Second)
			return o.desk.Imports.Upload(t.Context(), o.by, "",
				desk.ItemFile{Name: "f.csv", Content: strings.NewReader(text), Known: known, Location: usual})
		}
		for _, c := range []struct {
			name, text, usual string
			want              lost.ImportState
		}{
			{"known column", "Ding;Standort\nHut;Spa\n", "", lost.ImportReady},
			{"known column without a known location", "Ding;Standort\nHut;Zimmer 3\n", "", lost.ImportUnmapped},
			{"no column", "Ding\nHut\n", "", lost.ImportUnmapped},
			{"no column, but a location", "Ding\nHut\n", spa, lost.ImportReady},
			{"empty column and a location", "Ding;Standort\nHut;\n", spa, lost.ImportReady},
			{"unknown column", "Ding;Wo\nHut;Spa\n", "", lost.ImportUnmapped},
		} {
			m := testkit.Must(upload(c.text, c.usual))
			if m.State != c.want || m.State == lost.ImportReady && (m.Total != 1 || !slices.Equal(m.Locations,
				[]string{spa})) {
				t.Errorf("%s: got %s, want %s: %+v", c.name, m.State, c.want, m)
			}
		}
		if _, err := upload("Ding\nHut\n", "loc_none"); lost.CodeOf(err) != lost.Invalid {
			t.Errorf("an unknown location for all rows: got %v", err)
		}
		m := testkit.Must(upload("Ding;Wo\nHut;Spa\nSchal;\n", ""))
		choose := func(location string, fields ...string) (lost.Import, error) {
			return o.desk.Imports.MapColumns(t.Context(), o.by, "", m.ID,
				desk.ColumnChoice{Fields: fields, Location: location})
		}
		if _, err := choose("", "description", ""); !lost.ProblemsOf(err).Has("location") {
			t.Errorf("neither a column nor a location: got %v", err)
		}
		m = testkit.Must(choose(o.hotel, "description", desk.LocationColumn))
		if m.Total != 2 || m.Bad != 0 || len(m.Locations) != 2 {
			t.Errorf("got %+v", m)
		}
		o.finish(o.by, m.ID)
		if got := append(o.itemsAt(spa), o.itemsAt(o.hotel)...); !slices.Equal(got, []string{"Hut", "Schal"}) {
			t.Errorf("got the items %v", got)
		}
		if again := testkit.Must(upload("Ding;Wo\nHut;Spa\nSchal;\n", "")); again.State != lost.ImportReady ||
			again.Total != 1 || again.Bad != 1 || again.Problems[0].Column != "Wo" {
			t.Errorf("the choice was not remembered: %+v", again)
		}
	})
}
