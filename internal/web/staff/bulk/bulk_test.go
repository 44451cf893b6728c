package bulk_test

import (
	"html"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

// run runs an import for at most the given number of steps, or until it has finished.
func run(t *testing.T, h *testkit.Server, at string, steps int) {
	t.Helper()
	for range steps {
		if !testkit.Must(h.Services.Imports.RunImport(t.Context(), h.Actor.Account,
			at[strings.LastIndex(at, "/")+1:])) {
			return
		}
	}
}

const bad = `<script>alert(1)</script>`

func TestAFileIsCheckedConfirmedAndImported(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := h.NewLocation("Hotel Adler")
		v, home := h.LogIn(), "/at/"+l.ID
		stafftest.ExpectPage(t, v.Get(home+"/import"), http.StatusOK, "Check the file")
		stafftest.ExpectPage(t, stafftest.UploadFile(v, home+"/import", "", ""), http.StatusUnprocessableEntity,
			"CSV file: Choose a file first.")
		stafftest.ExpectPage(t, stafftest.UploadFile(v, home+"/import", "f.csv", ""), http.StatusUnprocessableEntity,
			"CSV file: Must not be empty")
		stafftest.ExpectPage(t, stafftest.UploadFile(v, home+"/import", "f.csv", strings.Repeat("x", 10<<20+1)),
			http.StatusUnprocessableEntity, "CSV file: Must be at most 10 MB")
		text := "description,date,email," + bad + "\n" + bad + ",2026-11-01,anna@example.com,\nHat,soon,,\n"
		a := stafftest.UploadFile(v, home+"/import", `C:\Finds\my <b>finds</b>.csv`, text)
		at := a.Header.Get("Location")
		stafftest.ExpectPage(t, a, http.StatusSeeOther)
		columns := v.Get(at)
		stafftest.ExpectPage(t, columns, http.StatusOK, "What do the columns contain?")
		stafftest.ExpectPage(t, v.Post(at+"/columns", stafftest.FormValues(t, columns.Body)), http.StatusSeeOther)
		if strings.Contains(columns.Body, bad) {
			t.Error("the page does not escape text from the file")
		}
		preview := v.Get(at)
		stafftest.ExpectPage(t, preview, http.StatusOK,
			"1 item will be added to Hotel Adler. 1 row has errors and will be left out.",
			"3 date “soon” is not a date that we recognise. Write 2026-11-05.",
			"Columns that are not imported", "Import 1 item, leave out 1 row", "1 e-mail or text message",
			"Sunday 1 November 2026")
		if strings.Contains(preview.Body, bad) || strings.Contains(preview.Body, "<b>finds") {
			t.Error("the preview does not escape text from the file")
		}
		stafftest.ExpectPage(t, v.Post(at, nil), http.StatusSeeOther)
		stafftest.ExpectPage(t, v.Get(at), http.StatusOK, "0 of 1 item recorded", "Cancel import")
		if !strings.Contains(v.Get(at).Body, `<noscript><meta http-equiv="refresh" content="2"></noscript>`) {
			t.Error("the page does not refresh without scripts")
		}
		run(t, h, at, 10)
		stafftest.ExpectPage(t, v.Get(at), http.StatusOK, "1 item is imported", "See the items")
		stafftest.ExpectPage(t, v.Post(at+"/cancel", nil), http.StatusSeeOther)
		stafftest.ExpectPage(t, v.Get(at), http.StatusOK, "Too late to cancel", "1 item is imported")
		stafftest.ExpectPage(t, v.Get(home+"/import"), http.StatusOK, "Imported")
		again := stafftest.UploadFile(v, home+"/import", "f.csv", text).Header.Get("Location")
		stafftest.ExpectPage(t, v.Get(again), http.StatusOK, "This file was already imported")
		stafftest.ExpectPage(t, v.Post(again+"/cancel", nil), http.StatusSeeOther)
		stafftest.ExpectPage(t, v.Get(again), http.StatusOK, "Nothing was imported.")
		stafftest.ExpectPage(t, v.Get(home+"/import/imp_none"), http.StatusNotFound)
	})
}

func TestACancelledImportListsTheKeptItems(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	v, home := h.LogIn(), "/at/"+l.ID
	at := stafftest.UploadFile(v, home+"/import", "f.csv",
		"description\n"+strings.Repeat("Umbrella\n", 120)).Header.Get("Location")
	stafftest.ExpectPage(t, v.Post(at, nil), http.StatusSeeOther)
	run(t, h, at, 1)
	i := testkit.Must(h.Services.Items.List(t.Context(), h.Actor, l.ID,
		lost.ItemFilter{Page: lost.FirstPage()})).Data[0]
	testkit.Must(h.Services.Storage.StoreAt(t.Context(), h.Actor, l.ID, "Safe", i.Reference))
	stafftest.ExpectPage(t, v.Get(at), http.StatusOK, "Items that somebody has changed are kept.")
	stafftest.ExpectPage(t, v.Post(at+"/cancel", nil), http.StatusSeeOther)
	run(t, h, at, 10)
	left := v.Get(at)
	stafftest.ExpectPage(t, left, http.StatusOK,
		"99 items were removed. 1 item was kept because somebody had changed it.", "Kept items", i.Reference)
	if !strings.Contains(left.Body, `href="`+home+"/items/"+i.ID+`"`) {
		t.Error("the page does not link to the item that was kept")
	}
}

func TestTheListIsExportedByItsFilters(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	h.NewItem(l, "Black umbrella")
	h.NewItem(l, "Red hat")
	v, home := h.LogIn(), "/at/"+l.ID
	all := v.Get(home + "/items.csv")
	if all.Code != http.StatusOK || !strings.HasPrefix(all.Body, "\ufeffReference,Status,") ||
		strings.Count(all.Body, "\n") != 3 {
		t.Errorf("got status %d: %s", all.Code, all.Body)
	}
	if got := all.Header.Get("Content-Disposition"); got != `attachment; filename="items-hotel-adler-2026-11-15.csv"` ||
		!strings.HasPrefix(all.Header.Get("Content-Type"), "text/csv") {
		t.Errorf("got Content-Disposition %q and Content-Type %q", got, all.Header.Get("Content-Type"))
	}
	if got := all.Header.Get("Cache-Control"); got != "private, no-store" {
		t.Errorf("a file with personal data has Cache-Control %q", got)
	}
	if one := v.Get(home + "/items.csv?q=hat&status=PENDING&mark=no"); strings.Count(one.Body, "\n") != 2 ||
		!strings.HasPrefix(one.Body, "Reference,") {
		t.Errorf("got file %s", one.Body)
	}
	stafftest.ExpectPage(t, v.Get(home+"/items.csv?status=LOST"), http.StatusUnprocessableEntity)
	stafftest.ExpectPage(t, v.Get(home+"/items?status=LOST"), http.StatusUnprocessableEntity, "Status: Is unknown",
		"2 items")
	stafftest.ExpectPage(t, v.Get(home+"/items.csv?source=stolen"), http.StatusUnprocessableEntity)
	stafftest.ExpectPage(t, v.Get(home+"/items.csv?from=soon"), http.StatusUnprocessableEntity)
	stafftest.ExpectPage(t, v.Get("/at/loc_none/items.csv"), http.StatusNotFound)
}

func TestTheListLinksToItsExportAndViews(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	delivered := h.NewItem(l, "Black umbrella & case")
	h.NewItem(l, "Red hat")
	testkit.Must(h.Services.Items.SetStatus(t.Context(), h.Actor, l.ID, delivered.ID,
		lost.MovePatch{Status: lost.Set("DELIVERED")}))
	v, list := h.LogIn(), stafftest.ItemsPath(l)
	href := func(page, after string) string {
		found := regexp.MustCompile(`href="([^"]*)"[^>]*>` + after).FindStringSubmatch(v.Get(page).Body)
		if found == nil {
			t.Fatalf("%s: no link to %q", page, after)
		}
		return html.UnescapeString(found[1])
	}
	for query, lines := range map[string]int{
		"": 3, "?q=umbrella+%26+case": 2, "?where=gone": 2, "?where=here": 2, "?status=PENDING&status=DELIVERED": 3,
		"?q=hat&where=gone": 1,
	} {
		file := v.Get(href(list+query, "Export th(?:is list|e results, including similar items)<"))
		if got := strings.Count(file.Body, "\n"); file.Code != http.StatusOK || got != lines {
			t.Errorf("%q: got %d exported lines, want %d (status %d)", query, got, lines, file.Code)
		}
		views := href(list+query, "Save view")
		if back := href(views, "‹ Items"); back != list+query {
			t.Errorf("views of %q: got back link %s", query, back)
		}
	}
}

func TestABulkChangeListsTheResultOfEachItem(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	withOwner := func(p *lost.ItemPatch) { p.Owner = lost.Set(lost.OwnerPatch{Email: lost.Set("anna@example.com")}) }
	hat, bag := h.NewItem(l, "Red hat", withOwner), h.NewItem(l, "Bag "+bad)
	v, home := h.LogIn(), "/at/"+l.ID+"/items"
	form := func(more ...string) url.Values {
		values := url.Values{"item": {hat.ID, bag.ID, "item_gone"}}
		for n := 0; n < len(more); n += 2 {
			values.Set(more[n], more[n+1])
		}
		return values
	}
	stafftest.ExpectPage(t, v.Post(home+"/bulk", url.Values{"do": {"status"}}), http.StatusSeeOther)
	stafftest.ExpectPage(t, v.Post(home+"/bulk", form("do", "sing")), http.StatusBadRequest)
	stafftest.ExpectPage(t, v.Post(home+"/bulk", form("do", "status")), http.StatusOK, "Change the status of 2 items",
		"On its way", "Red hat", "Bag &lt;script&gt;")
	stafftest.ExpectPage(t, v.Post(home+"/bulk/status", form("status", "SHIPPED")), http.StatusOK,
		"Change 2 items to “On its way”?", "1 owner is notified.", "1 item cannot be changed")
	stafftest.ExpectPage(t, v.Post(home+"/bulk/status", form("status", "DONATE")), http.StatusOK,
		"No owner is notified.", "receive the event donate")
	stafftest.ExpectPage(t, v.Post(home+"/bulk/status", form("status", "LOST")), http.StatusUnprocessableEntity)
	stafftest.ExpectPage(t, v.Post(home+"/bulk/status", form("status", "DONATE", "sure", "yes")), http.StatusOK,
		"2 items were changed. 1 was not changed.", "There is no such item.", hat.Reference)
	stafftest.ExpectPage(t, v.Post(home+"/bulk/status", form("status", "DONATE", "sure", "yes")), http.StatusOK,
		"0 items were changed. 2 were already up to date.")

	if a := v.Post(home+"/bulk", form("do", "status")); stafftest.Shows(a, `value="FEE PAID"`) ||
		stafftest.Shows(a, `value="INFO COMPLETED"`) || !stafftest.Shows(a, `value="SHIPPED"`) {
		t.Error("items without an address can be marked as paid")
	}
	stafftest.ExpectPage(t, v.Post(home+"/bulk/status", form("status", "FEE PAID")), http.StatusOK, "Nothing to change",
		"2 items are not changed: the owner or the address is missing.")
	stafftest.ExpectPage(t, v.Post(home+"/bulk/status", form("status", "FEE PAID", "sure", "yes")), http.StatusOK,
		"0 items were changed. 3 were not changed.", "Add the address first.", "Add the owner and the address first.")
	v.Get(home + "?q=hat") // the list in which they were selected
	if a := v.Post(home+"/bulk/status", form("status", "PENDING", "sure", "yes")); !stafftest.Shows(a,
		`<a href="`+home+"/"+hat.ID+`">`, `href="`+home+`?q=hat">‹ Items`) {
		t.Error("the page does not link to the changed items and back to their list")
	}
	v.Post(home+"/bulk/status", form("status", "DONATE", "sure", "yes"))

	stafftest.ExpectPage(t, v.Post(home+"/bulk", form("do", "place")), http.StatusOK, "Change where 2 items are stored",
		"Leave it empty to use the default, Shelf A.")
	stafftest.ExpectPage(t, v.Post(home+"/bulk/place", form("storagePlace", strings.Repeat("x", 501))),
		http.StatusUnprocessableEntity, "Storage place: Must have at most 500 characters")
	stafftest.ExpectPage(t, v.Post(home+"/bulk/place", form("storagePlace", "Cellar 4")), http.StatusOK,
		"2 items were changed.")
	if got := testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, l.ID, hat.ID)); got.StoragePlace != "Cellar 4" ||
		got.Status != lost.Donate {
		t.Errorf("got item %+v", got)
	}
	stafftest.ExpectPage(t, v.Post(home+"/bulk", form("do", "category")), http.StatusOK, "Change category",
		"Bag or backpack Book Suitcase Toy Umbrella")
	stafftest.ExpectPage(t, v.Post(home+"/bulk/category", form("category", "parasol")),
		http.StatusUnprocessableEntity, "Category:")
	stafftest.ExpectPage(t, v.Post(home+"/bulk/category", form("category", "hat")), http.StatusOK,
		"2 items were changed.")
	if got := testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, l.ID, hat.ID)); got.Category != "hat" {
		t.Errorf("got the category %q, want hat", got.Category)
	}
	if file := v.Post(home+"/bulk", form("do", "export")); strings.Count(file.Body, "\n") != 3 ||
		!strings.HasPrefix(file.Header.Get("Content-Type"), "text/csv") {
		t.Errorf("got status %d: %s", file.Code, file.Body)
	}
	if tags := v.Post(home+"/bulk", form("do", "tags")); tags.Code != http.StatusTemporaryRedirect ||
		tags.Header.Get("Location") != "/at/"+l.ID+"/tags" {
		t.Errorf("got status %d and redirect %q", tags.Code, tags.Header.Get("Location"))
	}
}

// checkPage checks a page for accessibility violations and saves a screenshot.
func checkPage(v *browsertest.Visitor, name string) {
	v.Screenshot(name)
	v.CheckAccessibility()
}

func TestImportInABrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l := h.NewLocation("Hotel Adler")
	var text strings.Builder
	text.WriteString("Item;Room;Found on;Colour;E-mail;Shoe " +
		"size\nUmbrella;312;2026-11-14;black;anna@example.com;\nHat;;yesterday;;anna;\n")
	text.WriteString(strings.Repeat("Scarf, woollen;Lobby;15.11.2026;red;;38\n", 150))
	name := filepath.Join(t.TempDir(), "finds.csv")
	if err := os.WriteFile(name, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	v := browsertest.New(t, browsertest.Options{Phone: true})
	upload := func() string {
		stafftest.OpenAsOwner(v, h, at+"/at/"+l.ID+"/import")
		v.Upload("CSV file", name)
		v.Follow("Check the file")
		v.See("What do the columns contain?", "Shoe size") // nobody knows this heading
		checkPage(v, "import-columns")
		v.Follow("Continue")
		v.See("151 items will be added to Hotel Adler. 1 row has errors", "Found on",
			"“yesterday” is not a date that we recognise. Write 2026-11-05.", "Shoe size", "Preview of the first 20")
		return v.Location()[strings.LastIndex(v.Location(), "/")+1:]
	}
	file := upload()
	checkPage(v, "import-preview")
	v.Follow("Import 151 items, leave out 1 row")
	v.See("0 of 151 items recorded.")
	run(t, h, file, 1)
	v.See("100 of 151 items recorded.") // the script updates the page
	checkPage(v, "import-progress")
	v.Follow("Cancel import")
	v.See("Cancelled. 100 items are still being removed.")
	run(t, h, file, 10)
	v.See("Nothing was imported.")

	v.SetOptions(browsertest.Options{Dark: true}) // the same again on a desktop in dark mode
	file = upload()
	v.Follow("Import 151 items, leave out 1 row")
	run(t, h, file, 10)
	v.See("151 items are imported.", "1 row was left out.")
	checkPage(v, "import-done")
	v.Visit(at + "/at/" + l.ID + "/import")
	v.See("Earlier files", "Imported", "Cancelled")
	checkPage(v, "import")
}

func TestBulkChangeInABrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l := h.NewLocation("Hotel Adler")
	var fields strings.Builder
	for _, text := range []string{"Red hat", "Black umbrella"} {
		i := h.NewItem(l, text, func(p *lost.ItemPatch) {
			p.Owner = lost.Set(lost.OwnerPatch{Email: lost.Set("anna@example.com")})
		})
		fields.WriteString(`<input type=hidden name=item value=` + i.ID + `>`)
	}
	claim := testkit.Must(h.Services.Requests.File(t.Context(), h.Actor, l.ID, lost.RequestPatch{
		Description: lost.Set("Keyboard shortcuts"),
		Owner:       lost.Set(lost.OwnerPatch{Email: lost.Set("ben@example.com")}),
	}, lost.IdempotencyKey{}))
	fields.WriteString(`<input type=hidden name=item value=` + claim.ID + `>`)
	v := browsertest.New(t, browsertest.Options{Dark: true})
	stafftest.OpenAsOwner(v, h, at+"/settings/profile") // a page that is not updated while it is open
	v.Run(`document.querySelector('main').innerHTML = '<form method=post action="/at/`+l.ID+`/items/bulk">`+
		fields.String()+`<button name=do value=status>Change status</button></form>'`, nil)
	v.Follow("Change status")
	v.See("Change the status of 3 items")
	checkPage(v, "bulk-status")
	v.SetOptions(browsertest.Options{Phone: true})
	stafftest.ExpectNoOverflow(t, v)
	v.Click("On its way")
	v.Follow("Continue")
	v.See("Change 2 items to “On its way”?", "2 owners are notified.", "1 item cannot be changed")
	checkPage(v, "bulk-confirm")
	v.Follow("Change 2 items")
	v.See("2 items were changed. 1 was not changed.", "This is a request")
	checkPage(v, "bulk-done")
}
