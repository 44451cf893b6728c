package storage_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

func storedAt(place string) func(*lost.ItemPatch) {
	return func(p *lost.ItemPatch) { p.StoragePlace = lost.Set(place) }
}

// expectRedirect fails the test unless a response redirects to an address. what names the request in the failure
// message.
func expectRedirect(t *testing.T, what string, a testkit.Response, to string) {
	t.Helper()
	if got := a.Header.Get("Location"); a.Code != http.StatusSeeOther || got != to {
		t.Errorf("%s: got status %d and redirect %q, want redirect %q", what, a.Code, got, to)
	}
}

func TestATagOpensItsItemOrPlace(t *testing.T) {
	h := testkit.NewServer(t)
	hotel := h.NewLocation("Hotel")
	i := h.NewItem(hotel, "Umbrella")
	place := lost.Tag{LocationID: hotel.ID, Place: "Shelf 4 / Box B. 50%"}
	at := strings.TrimPrefix(place.Address(testkit.Base), testkit.Base)
	expectRedirect(t, "a stranger", h.NewVisitor().Get("/t/"+i.Reference),
		"/login?next="+url.QueryEscape("/t/"+i.Reference))
	v := h.LogIn()
	item, shelf := "/at/"+hotel.ID+"/items/"+i.ID, "/at/"+hotel.ID+"/place?name="+url.QueryEscape(place.Place)
	expectRedirect(t, "an item", v.Get("/t/"+strings.ToLower(strings.ReplaceAll(i.Reference, "-", ""))), item)
	expectRedirect(t, "a place", v.Get(at), shelf)
	expectRedirect(t, "a typed reference",
		v.Post("/at/"+hotel.ID+"/scan", url.Values{"code": {strings.ToLower(i.Reference)}}),
		item)
	expectRedirect(t, "a scanned place",
		v.Post("/at/"+hotel.ID+"/scan", url.Values{"code": {place.Address(testkit.Base)}}),
		shelf)
	if a := v.Get(shelf); a.Code != http.StatusOK || !strings.Contains(a.Body, "Shelf 4 / Box B. 50%") ||
		!strings.Contains(a.Body, "No items are recorded here") {
		t.Errorf("got status %d for an empty place, want 200", a.Code)
	}
	for _, path := range []string{"/t/AAAAAA", "/t/umbrella", "/t/place/loc_other/Shelf"} {
		if a := v.Get(path); a.Code != http.StatusNotFound {
			t.Errorf("%s: got status %d, want 404", path, a.Code)
		}
	}
	if a := v.Post("/at/"+hotel.ID+"/scan",
		url.Values{"code": {"https://evil.example/t/" + i.Reference}}); a.Code != http.StatusUnprocessableEntity ||
		!strings.Contains(a.Body, "such as K7F-3QD") {
		t.Errorf("got status %d for a code of another site, want 422", a.Code)
	}
}

func TestScanningMovesItemsAndUndoesTheLastMove(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		hotel := h.NewLocation("Hotel")
		i, scan := h.NewItem(hotel, "Umbrella", storedAt("Cellar")), "/at/"+hotel.ID+"/scan"
		v := h.LogIn()
		a := v.Post(scan, url.Values{"mode": {"move"}, "place": {"Shelf 4"}, "code": {i.Reference}})
		expectRedirect(t, "a move", a, scan+"?mode=move&place=Shelf+4&moved="+i.ID+"&before=Cellar")
		if shown := v.Get(a.Header.Get("Location")); !strings.Contains(shown.Body, "Moved to Shelf 4") ||
			!strings.Contains(shown.Body, `value="Cellar"`) {
			t.Errorf("the page (status %d) does not show the move", shown.Code)
		}
		expectRedirect(t, "undo",
			v.Post(scan+"/undo", url.Values{"item": {i.ID}, "place": {"Shelf 4"}, "before": {"Cellar"}}),
			scan+"?mode=move&place=Shelf+4")
		if got := testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, hotel.ID,
			i.ID)); got.StoragePlace != "Cellar" {
			t.Errorf("got place %q, want Cellar", got.StoragePlace)
		}
		if a := v.Post(scan,
			url.Values{"mode": {"move"}, "place": {"Shelf 4"}, "code": {"AAA-AAA"}}); a.Code != http.StatusNotFound ||
			!strings.Contains(a.Body, "no such item or place") || !strings.Contains(a.Body, "Shelf 4") {
			t.Errorf("got status %d for an unknown item, want 404", a.Code)
		}
	})
}

func TestScanningMarksPaidParcelsAsShipped(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		hotel, other := h.NewLocation("Hotel"), h.NewLocation("Other")
		owner := stafftest.WithOwner("anna@example.com", "Anna", "Berg")
		i, scan := h.NewItem(hotel, "Umbrella", owner), "/at/"+hotel.ID+"/scan"
		stafftest.PayFee(h, i)
		elsewhere, unpaid := h.NewItem(other, "Hat", owner), h.NewItem(hotel, "Scarf")
		stafftest.PayFee(h, elsewhere)
		v := h.LogIn()
		ship := func(code string) testkit.Response {
			return v.Post(scan, url.Values{"mode": {"ship"}, "code": {code}})
		}
		status := func(i lost.Item) lost.Status {
			return testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, i.LocationID, i.ID)).Status
		}
		a := ship("HOMEWARD:" + i.Reference + ":00340434161094042557")
		expectRedirect(t, "a paid parcel", a, scan+"?mode=ship&shipped="+i.ID)
		if shown := v.Get(a.Header.Get("Location")); !stafftest.Shows(shown, i.Reference, "On its way", "Undo") ||
			status(i) != lost.Shipped {
			t.Errorf("the page (status %d) does not show that the item is shipped", shown.Code)
		}
		shelf := lost.Tag{LocationID: hotel.ID, Place: "Shelf"}
		for code, want := range map[string]string{
			i.Reference:                 "is already marked as shipped",
			unpaid.Reference:            "cannot be shipped yet: shipping is not paid",
			elsewhere.Reference:         "belongs to Other. Nothing was changed.",
			shelf.Address(testkit.Base): "the tag of a place",
		} {
			if a := ship(code); a.Code != http.StatusConflict || !stafftest.Shows(a, want) {
				t.Errorf("%s: got status %d, want 409 and %q", code, a.Code, want)
			}
		}
		for _, mode := range []string{"ship", "move"} {
			a := v.Post(scan, url.Values{"mode": {mode}, "place": {"Shelf"}, "code": {elsewhere.Reference}})
			if !stafftest.Shows(a, `href="/at/`+other.ID+`/scan?mode=`+mode+`"`, "Scan at Other") {
				t.Errorf("%s: no link to the location of the item", mode)
			}
		}
		if !stafftest.Shows(v.Get(scan+"?mode=ship"), "Mark shipped</button>") {
			t.Error("the button does not say that it marks the parcel as shipped")
		}
		if a := ship("AAA-AAA"); a.Code != http.StatusNotFound {
			t.Errorf("got status %d for an unknown item, want 404", a.Code)
		}
		if status(unpaid) != lost.Pending || status(elsewhere) != lost.FeePaid {
			t.Error("a refused code has changed an item")
		}
		undo := url.Values{"mode": {"ship"}, "item": {i.ID}}
		expectRedirect(t, "undo", v.Post(scan+"/undo", undo), scan+"?mode=ship")
		if status(i) != lost.FeePaid {
			t.Errorf("after undoing, the status is %q", status(i))
		}
		if a := v.Post(scan+"/undo", undo); a.Code != http.StatusConflict {
			t.Errorf("got status %d for undoing twice, want 409", a.Code)
		}
	})
}

func TestTheTagsOfAListArePrinted(t *testing.T) {
	h := testkit.NewServer(t)
	hotel := h.NewLocation("Hotel")
	umbrella, hat := h.NewItem(hotel, "Umbrella"), h.NewItem(hotel, "Hat")
	v, tags := h.LogIn(), "/at/"+hotel.ID+"/tags"
	if a := v.Get(tags + "?list=" + url.QueryEscape("ownerState=no-owner&q=hat")); a.Code != http.StatusOK ||
		!stafftest.Shows(a, hat.Reference) || strings.Contains(a.Body, umbrella.Reference) {
		t.Errorf("got status %d, want the tag of the hat only", a.Code)
	}
	if a := v.Get(tags + "?list="); !stafftest.Shows(a, hat.Reference, umbrella.Reference) {
		t.Errorf("got status %d, want all tags", a.Code)
	}
	if a := v.Get(tags + "?list=" + url.QueryEscape("q=nothing-has-this")); a.Code != http.StatusNotFound {
		t.Errorf("got status %d for an empty list, want 404", a.Code)
	}
	a := v.Get(tags + ".pdf?paper=a4-3x8&list=" + url.QueryEscape("q=hat"))
	if a.Code != http.StatusOK || !strings.HasPrefix(a.Body, "%PDF-") {
		t.Errorf("got status %d for printing, want a PDF", a.Code)
	}
}

func TestAStockCountIsContinuedClosedAndPrinted(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		hotel := h.NewLocation("Hotel")
		here, misplaced := h.NewItem(hotel, "Umbrella", storedAt("Shelf 4")),
			h.NewItem(hotel, "<script>alert(1)</script>", storedAt("<b>Cellar</b>"))
		h.NewItem(hotel, "Red scarf", storedAt("Shelf 4"))
		counts := "/at/" + hotel.ID + "/counts"
		ann, bob := h.LogIn(), h.LogIn()
		at := ann.Post(counts, url.Values{"place": {"Shelf 4"}}).Header.Get("Location")
		expectRedirect(t, "a second phone", bob.Post(counts, url.Values{"place": {"Shelf 4"}}), at)
		if a := ann.Post(at, url.Values{"code": {here.Reference}}); a.Code != http.StatusOK ||
			!strings.Contains(a.Body, "1 of 2 found") {
			t.Errorf("got status %d for the first scan, want 200", a.Code)
		}
		if a := bob.Post(at, url.Values{"code": {here.Reference}}); !strings.Contains(a.Body, "Already counted") {
			t.Errorf("the page (status %d) does not say that the item was already counted", a.Code)
		}
		a := bob.Post(at, url.Values{"code": {misplaced.Reference}})
		if !strings.Contains(a.Body, "expected elsewhere: &lt;b&gt;Cellar&lt;/b&gt;") ||
			strings.Contains(a.Body, "<script>alert") {
			t.Errorf("got status %d for an item from another place: %s", a.Code, a.Body)
		}
		expectRedirect(t, "correcting the place", bob.Post(at+"/correct", url.Values{"item": {misplaced.ID}}), at)
		if a := ann.Get(at); !strings.Contains(a.Body, `href="`+at+`/close"`) {
			t.Error("the page does not link to the confirmation")
		}
		stafftest.ExpectPage(t, ann.Get(at+"/close"), http.StatusOK, "1 of 2 items were found. 1 was not.",
			"Nothing else changes", "Close with 1 item missing", "Red scarf")
		expectRedirect(t, "closing", ann.Post(at+"/close", nil), at)
		expectRedirect(t, "closing a closed count", ann.Get(at+"/close"), at)
		if a := bob.Post(at, url.Values{"code": {here.Reference}}); a.Code != http.StatusConflict ||
			!strings.Contains(a.Body, "has closed this count") {
			t.Errorf("got status %d for a scan after closing, want 409", a.Code)
		}
		if a := bob.Get(at); !strings.Contains(a.Body, "Red scarf") || !strings.Contains(a.Body, "Place corrected") ||
			strings.Contains(a.Body, "Close the count") {
			t.Errorf("got result page: %s", a.Body)
		}
		if a := bob.Get(counts); !strings.Contains(a.Body, at) || !strings.Contains(a.Body, "Closed") {
			t.Errorf("the list (status %d) does not show the closed count", a.Code)
		}
		if a := bob.Get(at + "/report.pdf"); a.Code != http.StatusOK || !strings.HasPrefix(a.Body, "%PDF-") ||
			a.Header.Get("Cache-Control") != "private, no-store" {
			t.Errorf("got status %d for the report, want a PDF", a.Code)
		}
	})
}

func TestTagsArePrintedOnTheChosenPaper(t *testing.T) {
	h := testkit.NewServer(t)
	hotel := h.NewLocation("Hotel")
	i, tags := h.NewItem(hotel, "Umbrella"), "/at/"+hotel.ID+"/tags"
	v := h.LogIn()
	if a := v.Get(tags + "?item=" + i.ID); a.Code != http.StatusOK || !strings.Contains(a.Body, i.Reference) ||
		!strings.Contains(a.Body, `value="a4-3x8" checked`) {
		t.Errorf("got status %d for the form: %s", a.Code, a.Body)
	}
	if a := v.Post(tags+".pdf",
		url.Values{"item": {i.ID}, "paper": {"a4-3x8"}, "start": {"25"}}); a.Code != http.StatusUnprocessableEntity ||
		!strings.Contains(a.Body, "from 1 to 24") {
		t.Errorf("got status %d for a label that is not on the sheet, want 422", a.Code)
	}
	a := v.Post(tags+".pdf", url.Values{"item": {i.ID}, "paper": {"roll-62x29"}, "start": {"1"}})
	if a.Code != http.StatusOK || a.Header.Get("Content-Type") != "application/pdf" ||
		!strings.HasPrefix(a.Body, "%PDF-") {
		t.Errorf("got status %d for printing, want a PDF", a.Code)
	}
	if a := v.Get(tags); !strings.Contains(a.Body, `value="roll-62x29" checked`) ||
		!strings.Contains(a.Body, "Shelf A</textarea>") {
		t.Errorf("the form does not list the places with the last paper size: %s", a.Body)
	}
	if a := v.Post(tags+".pdf",
		url.Values{
			"place": {"Shelf A\r\nShelf B\r\n"}, "paper": {"letter-3x10"}, "start": {"30"},
		}); a.Code != http.StatusOK {
		t.Errorf("got status %d for tags of places, want 200", a.Code)
	}
}

// tagShot renders the tag of a place as a picture, which stands in for a photo, and returns its file name.
func tagShot(t *testing.T, h *testkit.Server, location, place string) string {
	t.Helper()
	content := testkit.Must(h.Services.Tags.PlaceTags(t.Context(), h.Actor, location, []string{place}, lost.SmallRoll,
		0))
	cmd := exec.CommandContext(t.Context(), "pdftoppm", "-r", "300", "-png", "-singlefile", "-")
	cmd.Stdin = bytes.NewReader(content)
	shot, err := cmd.Output()
	if err != nil {
		if os.Getenv("CI") == "" {
			t.Skipf("pdftoppm is missing: install poppler-utils (%v)", err)
		}
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "tag.png")
	if err := os.WriteFile(file, shot, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestAPhotoOfATagIsRead(t *testing.T) {
	h := testkit.NewServer(t)
	hotel := h.NewLocation("Hotel")
	shot := testkit.Must(os.ReadFile(tagShot(t, h, hotel.ID, "Shelf 4")))
	v := h.LogIn()
	send := func(photo []byte, fields map[string]string) testkit.Response {
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		for name, value := range fields {
			_ = form.WriteField(name, value)
		}
		part, _ := form.CreateFormFile("photo", "photo.png")
		_, _ = part.Write(photo)
		_ = form.Close()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, testkit.Base+"/at/"+hotel.ID+"/scan", &body)
		r.Header.Set("Content-Type", form.FormDataContentType())
		return v.Do(r)
	}
	expectRedirect(t, "a photo", send(shot, nil), "/at/"+hotel.ID+"/place?name=Shelf+4")
	expectRedirect(t, "a photo in move mode", send(shot, map[string]string{"mode": "move"}),
		"/at/"+hotel.ID+"/scan?mode=move&place=Shelf+4")
	if a := send([]byte("no photo"), map[string]string{"mode": "move"}); a.Code != http.StatusUnsupportedMediaType ||
		!strings.Contains(a.Body, "not a JPEG") || !strings.Contains(a.Body, "Code of the place") {
		t.Errorf("got status %d for an invalid photo, want 415", a.Code)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, testkit.Base+"/at/"+hotel.ID+"/scan/read",
		bytes.NewReader(shot))
	if a := v.Do(r); a.Code != http.StatusOK ||
		a.Body != (lost.Tag{LocationID: hotel.ID, Place: "Shelf 4"}).Address(testkit.Base) {
		t.Errorf("got status %d for a camera frame: %s", a.Code, a.Body)
	}
}

// The test uploads a photo of the shelf's tag, then enters references as a scanner does, and then makes a stock
// count.
func TestScanningInABrowser(t *testing.T) {
	h, base := testkit.NewBrowserServer(t)
	hotel := h.NewLocation("Hotel Adler")
	umbrella, scarf := h.NewItem(hotel, "Black umbrella with a wooden handle", storedAt("Cellar")),
		h.NewItem(hotel, "Red woollen scarf", storedAt("Shelf 4"))
	h.NewItem(hotel, "Silver ring", storedAt("Shelf 4"))
	for _, o := range []browsertest.Options{{Phone: true}, {Dark: true}} {
		t.Run(o.String(), func(t *testing.T) {
			v := browsertest.New(t, o)
			stafftest.OpenAsOwner(v, h, base+"/scan")
			v.See("Scan a tag or enter its reference")
			v.Screenshot("scan")
			v.Click("Or take a photo of the tag")
			v.Upload("Photo of a tag", tagShot(t, h, hotel.ID, "Shelf 4"))
			v.Follow("Read the photo")
			v.See("Shelf 4", "Red woollen scarf")
			v.Screenshot("place")
			v.Follow("Move items here")
			v.Fill("Reference or code of the item", umbrella.Reference)
			v.Follow("Look up")
			v.See("Moved to Shelf 4", "Move items to")
			v.CheckAccessibility()
			v.Screenshot("moved")
			v.Follow("Undo")
			v.See("was moved back to Cellar")
			v.Follow("Ship")
			v.Fill("Code of the parcel", umbrella.Reference)
			v.Follow("Mark shipped")
			v.See("cannot be shipped yet: shipping is not paid")
			v.CheckAccessibility()
			v.Screenshot("ship")
			v.Follow("Count")
			v.Screenshot("count-begin")
			v.Follow("Shelf 4")
			for _, i := range []lost.Item{scarf, umbrella} {
				v.Fill("Reference or code of the item", strings.ToLower(i.Reference))
				v.Follow("Look up")
			}
			v.See("1 of 2 found", "expected elsewhere: Cellar", "Still to find", "Silver ring")
			v.CheckAccessibility()
			v.Screenshot("count")
			v.Follow("Close the count")
			v.See("Close the count?", "Silver ring")
			v.CheckAccessibility()
			v.Screenshot("count-close")
			v.Follow("Close with 1 item missing")
			v.See("1 found, 1 missing")
			v.CheckAccessibility()
			v.Screenshot("count-closed")
			v.Visit(base + "/at/" + hotel.ID + "/counts")
			v.Screenshot("counts")
			v.Visit(base + "/at/" + hotel.ID + "/tags?item=" + umbrella.ID)
			v.Screenshot("tags")
			v.Visit(base + "/at/" + hotel.ID + "/places")
			v.Screenshot("places")
		})
	}
}
