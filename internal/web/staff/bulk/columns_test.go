package bulk_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/staff/stafftest"
)

func TestColumnsAreMappedAndTheMappingIsSaved(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l, v := h.NewLocation("Hotel Adler"), h.LogIn()
		home := "/at/" + l.ID + "/import"
		const file = "Dings;Zimmer;Wann;Gast\nSchirm;312;3/4/2026;Meier\nHut;;4/3/2026;\n"
		at := stafftest.UploadFile(v, home, "finds.csv", file).Header.Get("Location")
		page := v.Get(at)
		stafftest.ExpectPage(t, page, http.StatusOK, "What do the columns contain? The file has 2 rows.", "Dings",
			"Schirm · Hut")
		form := stafftest.FormValues(t, page.Body)
		want := url.Values{
			"column.0": {""}, "column.1": {"discoveryPlace"}, "column.2": {""}, "column.3": {"owner.lastName"},
			"dates": {""},
		}
		if form.Encode() != want.Encode() {
			t.Errorf("got guess %v, want %v", form, want)
		}
		stafftest.ExpectPage(t, v.Post(at+"/columns", form), http.StatusUnprocessableEntity,
			"Must have the description in one column")
		form.Set("column.0", "description")
		form.Set("column.2", "discoveryPlace")
		refused := v.Post(at+"/columns", form)
		stafftest.ExpectPage(t, refused, http.StatusUnprocessableEntity, "Wann: Is already another column.")
		for _, attribute := range []string{`aria-describedby="column.2-error"`, `id="column.2-error"`} {
			if !strings.Contains(refused.Body, attribute) {
				t.Errorf("the error has no %s", attribute)
			}
		}
		form.Set("column.2", "discoveryDate")
		stafftest.ExpectPage(t, v.Post(at+"/columns", form), http.StatusUnprocessableEntity,
			"Dates with slashes: This field is required.")
		stafftest.ExpectPage(t, v.Post(at, url.Values{}), http.StatusSeeOther) // not before the columns are chosen
		form.Set("dates", "dmy")
		stafftest.ExpectPage(t, v.Post(at+"/columns", form), http.StatusSeeOther)
		stafftest.ExpectPage(t, v.Get(at), http.StatusOK, "2 items will be added", "Friday 3 April 2026",
			"Wednesday 4 March 2026", "Meier")
		stafftest.ExpectPage(t, v.Post(at, url.Values{}), http.StatusSeeOther)
		run(t, h, at[strings.LastIndex(at, "/")+1:], 5)

		again := stafftest.UploadFile(v, home, "more.csv", file).Header.Get("Location")
		stafftest.ExpectPage(t, v.Get(again), http.StatusOK, "2 items will be added", "Friday 3 April 2026")

		other := h.NewLocation("Hotel Krone")
		elsewhere := stafftest.UploadFile(v, "/at/"+other.ID+"/import", "finds.csv", file).Header.Get("Location")
		stafftest.ExpectPage(t, v.Get(elsewhere), http.StatusOK, "What do the columns contain?")
		stafftest.ExpectPage(t, v.Post(strings.Replace(elsewhere, other.ID, l.ID, 1)+"/columns", form),
			http.StatusNotFound)
	})
}

// TestAFileWithManyColumnsIsAskedForInASmallPage checks that the page shows the known columns of a file with as many
// columns as allowed, says that it leaves others out, and does not import these.
func TestAFileWithManyColumnsIsAskedForInASmallPage(t *testing.T) {
	h := testkit.NewServer(t)
	l, v := h.NewLocation("Hotel Adler"), h.LogIn()
	var headings, cells []string
	for n := range 199 {
		headings = append(headings, fmt.Sprintf("Extra %03d", n))
		cells = append(cells, fmt.Sprintf("Text %03d", n))
	}
	cells[0] = "" // empty columns are the first to be left out
	file := strings.Join(append(headings, "Description"), ";") + "\n" + strings.Join(append(cells, "Hat"), ";") + "\n"
	at := stafftest.UploadFile(v, "/at/"+l.ID+"/import", "finds.csv", file).Header.Get("Location")
	page := v.Get(at)
	stafftest.ExpectPage(t, page, http.StatusOK, "The file has 200 columns. 160 of them are not shown here",
		"Extra 039")
	form := stafftest.FormValues(t, page.Body)
	if len(form) != 41 || form.Has("column.0") || form.Has("column.40") || form.Get("column.199") != "description" {
		t.Errorf("got fields %v", form)
	}
	const most = 150_000
	if len(page.Body) > most {
		t.Errorf("the page has %d bytes, want at most %d", len(page.Body), most)
	}
	stafftest.ExpectPage(t, v.Post(at+"/columns", form), http.StatusSeeOther)
	stafftest.ExpectPage(t, v.Get(at), http.StatusOK, "1 item will be added", "Hat")
}

func TestAnExportInEveryLanguageCanBeImported(t *testing.T) {
	h := testkit.NewServer(t)
	l, v := h.NewLocation("Hotel Adler"), h.LogIn()
	h.NewItem(l, "Red hat", func(p *lost.ItemPatch) {
		p.DiscoveryPlace, p.DiscoveryDate = lost.Set("Room 312"), lost.Set("2026-03-04")
		p.Brand, p.Color, p.Notes = lost.Set("Mayser"), lost.Set("red"), lost.Set("on the chair;=1+1,=2")
		p.Owner = lost.Set(lost.OwnerPatch{LastName: lost.Set("Meier"), Email: lost.Set("anna@example.com")})
	})
	download := func(query string) string {
		a := v.Get("/at/" + l.ID + "/items.csv?mark=no" + query)
		if a.Code != http.StatusOK {
			t.Fatalf("got status %d", a.Code)
		}
		return a.Body
	}
	names, row, _ := strings.Cut(download("&headings=api"), "\n")
	if !strings.HasPrefix(names, "reference,status,description,") || !strings.Contains(row, ",PENDING,") {
		t.Errorf("got headings %s", names)
	}
	for _, tag := range i18n.Tags() {
		speak(t, v, tag)
		file := download("")
		headings, row, _ := strings.Cut(file, "\n")
		separator := ";"
		if tag == "en" || tag == "ja" || tag == "zh" {
			separator = ","
		}
		all := strings.Split(headings, separator)
		if len(all) != strings.Count(names, ",")+1 ||
			len(slices.Compact(slices.Sorted(slices.Values(all)))) != len(all) ||
			strings.Contains(row, "PENDING") || headings == names {
			t.Errorf("%s: got headings %s and row %s", tag, headings, row)
		}
		speak(t, v, "en")
		other := h.NewLocation("Hotel " + tag)
		at := stafftest.UploadFile(v, "/at/"+other.ID+"/import", tag+".csv", file).Header.Get("Location")
		stafftest.ExpectPage(t, v.Get(at), http.StatusOK, "1 item will be added", "Red hat · Mayser · red",
			"Room 312, Wednesday 4 March 2026", "Meier")
		m := testkit.Must(h.Services.Imports.Preview(t.Context(), h.Actor, other.ID, at[strings.LastIndex(at, "/")+1:]))
		if got := m.First[0].Notes; got != "on the chair;=1+1,=2" {
			t.Errorf("%s: got notes %q", tag, got)
		}
		if m.State != lost.ImportReady || len(m.Unknown) > 0 || strings.Join(m.Mapping.Fields, ",") != names {
			t.Errorf("%s: got state %s, fields %v", tag, m.State, m.Mapping.Fields)
		}
	}
}
