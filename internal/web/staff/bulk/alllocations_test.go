package bulk_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

// TestTheExportOfAllLocationsIsImportedAsItIs exports the list of all locations in every language, and imports it in
// another account that has locations of the same names.
func TestTheExportOfAllLocationsIsImportedAsItIs(t *testing.T) {
	h, other := testkit.NewServer(t), testkit.NewServer(t)
	hotel, spa := h.NewLocation("Hotel"), h.NewLocation("Spa")
	h.NewItem(hotel, "Red hat")
	h.NewItem(spa, "White towel")
	other.NewLocation("Hotel")
	target := other.NewLocation("Spa")
	v, importer := h.LogIn(), other.LogIn()
	for n, tag := range i18n.Tags() {
		stafftest.ExpectPage(t, v.Post("/language", url.Values{"language": {tag}}), http.StatusSeeOther)
		page := v.Get("/at/all/items")
		if !strings.Contains(page.Body, `href="/at/all/items.csv"`) ||
			!strings.Contains(page.Body, `href="/at/all/import"`) {
			t.Errorf("%s: the list of all locations has no export or import", tag)
		}
		file := v.Get("/at/all/items.csv")
		if file.Code != http.StatusOK || strings.Count(file.Body, "\n") != 3 ||
			!strings.Contains(file.Header.Get("Content-Disposition"), "items-all-locations-") {
			t.Fatalf("%s: got %d %s", tag, file.Code, file.Body)
		}
		at := stafftest.UploadFile(importer, "/at/all/import", "all.csv", file.Body).Header.Get("Location")
		stafftest.ExpectPage(t, importer.Get(at), http.StatusOK, "2 items will be added.",
			"All locations",
			"They belong to 2 locations: Hotel, Spa", "White towel")
		stafftest.ExpectPage(t, importer.Post(at, url.Values{}), http.StatusSeeOther)
		run(t, other, at, 5)
		stafftest.ExpectPage(t, importer.Get(at), http.StatusOK, "2 items are imported.")
		if got := testkit.Must(other.Services.Items.List(t.Context(), other.Actor, target.ID,
			lost.ItemFilter{Page: lost.FirstPage()})); got.Count != n+1 {
			t.Errorf("%s: got %d items at the spa, want %d", tag, got.Count, n+1)
		}
	}
}

func TestRowsWithoutAKnownLocationAreRefused(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		hotel, spa, bar := h.NewLocation("Hotel"), h.NewLocation("Spa"), h.NewLocation("Bar")
		clerk := h.As(h.NewMember("Clara", lost.DeskRole, hotel.ID, spa.ID))
		stafftest.ExpectPage(t, clerk.Get("/at/all/import"), http.StatusOK, "Every row names its location")
		upload := func(fields url.Values, text string) string {
			t.Helper()
			clerk := h.As(h.NewMember("Clara"+lost.NewReference(), lost.DeskRole, hotel.ID, spa.ID))
			at := stafftest.UploadForm(clerk, "/at/all/import", fields, "finds.csv", text).Header.Get("Location")
			return at + "\n" + clerk.Get(at).Body
		}
		body := upload(nil, "description,location\nHat,Hotel\nScarf,Bar\nKey,\n")
		for _, want := range []string{
			">3<", "“Bar” is not one of your locations. Write the name or ID of a location.",
			">4<", "write a location into the row",
		} {
			if !strings.Contains(body, want) {
				t.Errorf("the preview does not contain %q: %s", want, body)
			}
		}
		if body := upload(url.Values{"location": {spa.ID}}, "description\nHat\n"); !strings.Contains(body,
			"1 item will be added.") {
			t.Errorf("a file without a location column, with a chosen location: %s", body)
		}
		if a := stafftest.UploadForm(clerk, "/at/all/import", url.Values{"location": {bar.ID}}, "finds.csv",
			"description\nHat\n"); a.Code != http.StatusUnprocessableEntity ||
			!strings.Contains(a.Body, "choose another") {
			t.Errorf("choosing a location without access: %d %s", a.Code, a.Body)
		}
		at := stafftest.UploadFile(clerk, "/at/all/import", "finds.csv", "description\nHat\n").Header.Get("Location")
		form := stafftest.FormValues(t, clerk.Get(at).Body)
		stafftest.ExpectPage(t, clerk.Post(at+"/columns", form), http.StatusUnprocessableEntity,
			"Choose a location, or the column of the file that has it")
		form.Set("location", hotel.ID)
		stafftest.ExpectPage(t, clerk.Post(at+"/columns", form), http.StatusSeeOther)
		stafftest.ExpectPage(t, clerk.Get(at), http.StatusOK, "1 item will be added.",
			"It belongs to 1 location: Hotel")
		stafftest.ExpectPage(t, h.As(h.NewMember("Otto", lost.DeskRole, hotel.ID, spa.ID)).Get(at), http.StatusNotFound)
		viewer := h.As(h.NewMember("Vera", lost.ViewerRole, hotel.ID, spa.ID))
		stafftest.ExpectPage(t, viewer.Get("/at/all/import"), http.StatusForbidden)
		stafftest.ExpectPage(t, viewer.Get("/at/all/items.csv"), http.StatusOK)
	})
}

func TestImportingIntoAllLocationsInABrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	h.NewLocation("Hotel Adler")
	h.NewLocation("Spa am See")
	file := filepath.Join(t.TempDir(), "finds.csv")
	const text = "Thing,Whereabouts\nHat,Spa am See\nScarf,Hotel Adler\nKey,Nowhere\n"
	testkit.Must(0, os.WriteFile(file, []byte(text), 0o600))
	for _, o := range []browsertest.Options{{Phone: true}, {NoScript: true}} {
		t.Run(o.String(), func(t *testing.T) {
			v := browsertest.New(t, o)
			stafftest.OpenAsOwner(v, h, at+"/at/all/import")
			v.CheckAccessibility()
			v.Screenshot("form")
			v.Upload("CSV file", file)
			v.Click("Check the file")
			v.See("What do the columns contain?")
			v.CheckAccessibility()
			stafftest.ExpectNoOverflow(t, v)
			v.Screenshot("columns")
			v.Choose("Thing", "Description")
			v.Choose("Whereabouts", "Location")
			v.Click("Continue")
			v.See("2 items will be added.", "“Nowhere” is not one of your locations")
			v.CheckAccessibility()
			stafftest.ExpectNoOverflow(t, v)
			v.Screenshot("preview")
		})
	}
}
