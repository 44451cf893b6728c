package storage_test

import (
	"encoding/base64"
	"image/color"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

// withFacts sets what papers show about a find.
func withFacts(category lost.Category, number string, cents int64) func(*lost.ItemPatch) {
	return func(p *lost.ItemPatch) {
		p.Category, p.SerialNumber = lost.Set(string(category)), lost.Set(number)
		if cents > 0 {
			p.Value = lost.Set(lost.ValuePatch{Amount: lost.Set(cents), Currency: lost.Set("EUR")})
		}
		p.Finder = lost.Set(lost.FinderPatch{Name: lost.Set("=cmd|' /C calc'!A0")})
	}
}

func TestTheRegisterOfAPeriodIsPrintedAndDownloaded(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		hotel := h.NewLocation("Hotel")
		h.NewItem(hotel, "Phone", stafftest.FoundAt("Room 7", "2026-01-10"), withFacts("phone", "F2LLD1234567", 64900))
		h.NewItem(hotel, "Passport", stafftest.FoundAt("Bar", "2026-01-05"), withFacts("passport", "AE1234567", 0))
		h.NewItem(hotel, "Umbrella", stafftest.FoundAt("Bar", "2026-02-01"))
		papers := "/at/" + hotel.ID + "/papers"
		v := h.As(h.NewMember("Vera", lost.ViewerRole))
		stafftest.ExpectPage(t, v.Get(papers), http.StatusOK, "Register of finds", "Select up to 100 items")
		period := "?from=2026-01-01&to=2026-01-31"
		if a := v.Get(papers + "/register.pdf" + period); a.Code != http.StatusOK ||
			!strings.HasPrefix(a.Body, "%PDF") {
			t.Errorf("the PDF: status %d", a.Code)
		}
		a := v.Get(papers + "/register.csv" + period)
		lines := strings.Split(strings.TrimSpace(a.Body), "\n")
		if a.Code != http.StatusOK || len(lines) != 3 || !strings.HasPrefix(lines[0], "\ufeffReference,Found on") {
			t.Fatalf("the CSV file: status %d, %q", a.Code, a.Body)
		}
		for _, want := range []string{"2026-01-10,Room 7,Phone,Phone", "F2LLD1234567,649.00,EUR,'=cmd", "••••4567"} {
			if !strings.Contains(a.Body, want) {
				t.Errorf("the CSV file does not contain %q: %q", want, a.Body)
			}
		}
		if strings.Contains(a.Body, "AE1234567") || strings.Contains(a.Body, "Umbrella") {
			t.Errorf("the CSV file: %q", a.Body)
		}
		for _, wrong := range []string{
			"", "?from=2026-01-31&to=2026-01-01", "?from=1900-01-01&to=2026-01-01", "?from=x&to=y",
		} {
			for _, file := range []string{"pdf", "csv"} {
				if a := v.Get(papers + "/register." + file + wrong); a.Code != http.StatusUnprocessableEntity {
					t.Errorf("%s%s: status %d, want 422", file, wrong, a.Code)
				}
			}
		}
		notes := map[string]int{}
		for _, e := range testkit.Must(h.Services.AuditLog.List(t.Context(), h.Actor, lost.AuditFilter{
			Action: lost.PaperPrinted, PageCursor: lost.PageCursor{Limit: 10},
		})).Data {
			notes[e.Note]++
		}
		if notes["register 2026-01-01 to 2026-01-31"] != 2 || len(notes) != 1 {
			t.Errorf("the audit log contains %v", notes)
		}
		for _, path := range []string{"", "/register.pdf" + period, "/register.csv" + period} {
			if a := v.Get("/at/loc_other/papers" + path); a.Code != http.StatusNotFound {
				t.Errorf("another location%s: status %d, want 404", path, a.Code)
			}
		}
		if a := h.As(h.NewMember("Logan", lost.LoggerRole)).Get(papers); a.Code != http.StatusForbidden {
			t.Errorf("a logger: status %d, want 403", a.Code)
		}
	})
}

func TestAFindWithoutADayIsInTheRegisterOnTheDayOfRecording(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		hotel := h.NewLocation("Hotel")
		h.Clock.Advance(time.Date(2027, 1, 1, 23, 30, 0, 0, time.UTC).Sub(h.Clock.Now())) // 00:30 in Berlin
		h.NewItem(hotel, "Hat")
		v := h.LogIn()
		for day, want := range map[string]bool{"2027-01-01": false, "2027-01-02": true, "2027-01-03": false} {
			a := v.Get("/at/" + hotel.ID + "/papers/register.csv?from=" + day + "&to=" + day)
			if got := strings.Contains(a.Body, day+",,Hat"); got != want {
				t.Errorf("a find that was recorded on 2 January is in the register of %s: %t", day, got)
			}
		}
	})
}

func TestPapersAboutSelectedItemsArePrinted(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		hotel, spa := h.NewLocation("Hotel"), h.NewLocation("Spa")
		phone, scarf := h.NewItem(hotel, "Phone", withFacts("phone", "F2LLD1234567", 64900)), h.NewItem(hotel, "Scarf")
		towel := h.NewItem(spa, "Towel")
		v, papers := h.LogIn(), "/at/"+hotel.ID+"/papers"
		bulk := v.Post("/at/"+hotel.ID+"/items/bulk", url.Values{"do": {"papers"}, "item": {phone.ID}})
		if bulk.Code != http.StatusTemporaryRedirect || bulk.Header.Get("Location") != papers {
			t.Errorf("got status %d and redirect %q", bulk.Code, bulk.Header.Get("Location"))
		}
		const missing = "1 selected item is not at this location any more"
		stafftest.ExpectPage(t, v.Post(papers, url.Values{"item": {phone.ID, towel.ID}}), http.StatusOK, "Phone",
			"Certificate of destruction", "Hand over these items", missing)
		for _, path := range []string{"/print.pdf", "/hand-over"} {
			status := map[string]int{"/print.pdf": http.StatusConflict, "/hand-over": http.StatusOK}[path]
			stafftest.ExpectPage(t, v.Post(papers+path, url.Values{
				"kind": {"list"}, "item": {phone.ID, towel.ID},
			}), status, "Phone", missing)
		}
		for _, kind := range []string{"list", "auction", "safe", "protocol", "destruction"} {
			a := v.Post(papers+"/print.pdf", url.Values{
				"kind": {kind}, "item": {phone.ID}, "finders": {"yes"}, "method": {"shredded"},
				"date": {"2026-11-12"}, "witness": {"Ann"},
			})
			if a.Code != http.StatusOK || !strings.HasPrefix(a.Body, "%PDF") {
				t.Errorf("%s: status %d", kind, a.Code)
			}
		}
		for name, form := range map[string]url.Values{
			"no items":                  {"kind": {"list"}},
			"another location's item":   {"kind": {"list"}, "item": {towel.ID}},
			"an unknown kind":           {"kind": {"novel"}, "item": {phone.ID}},
			"a register":                {"kind": {"register"}, "item": {phone.ID}},
			"destruction of a scarf":    {"kind": {"destruction"}, "item": {phone.ID, scarf.ID}},
			"an unknown method":         {"kind": {"destruction"}, "item": {phone.ID}, "method": {"eaten"}},
			"a day that does not exist": {"kind": {"destruction"}, "item": {phone.ID}, "date": {"2026-02-30"}},
		} {
			if a := v.Post(papers+"/print.pdf", form); a.Code != http.StatusUnprocessableEntity {
				t.Errorf("%s: status %d, want 422", name, a.Code)
			}
		}
	})
}

func TestSeveralItemsAreHandedOverOnOnePage(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		s := stafftest.NewFullStorage(h, "Phone", "Scarf", "Glove")
		v, papers := h.LogIn(), "/at/"+s.Hotel.ID+"/papers"
		glove := s.Item("Glove")
		testkit.Must(h.Services.Handovers.HandOver(t.Context(), h.Actor, s.Hotel.ID, glove.ID,
			lost.HandoverPatch{Recipient: "Ann"}, lost.IdempotencyKey{}))
		form := url.Values{"item": {s.Item("Phone").ID, s.Item("Scarf").ID, glove.ID}}
		page := v.Post(papers+"/hand-over", form)
		stafftest.ExpectPage(t, page, http.StatusOK, "1 item cannot be handed over", "Phone", "Scarf", "To the police")
		seen := stafftest.FormWith(t, page.Body, "seen").Get("seen")
		send := func(name, picture string) testkit.Response {
			return v.Do(stafftest.SignedForm(s, papers+"/hand-over/record", name, picture, "seen", seen, "destination",
				"police", "organisation", "Station 11"))
		}
		stafftest.ExpectPage(t, send("", ""), http.StatusUnprocessableEntity, "Phone", "Received by")
		stafftest.ExpectPage(t, send("Max", "not a picture"), http.StatusUnprocessableEntity, "Phone")
		testkit.Must(h.Services.Items.Update(t.Context(), h.Actor, s.Hotel.ID, s.Item("Scarf").ID,
			lost.ItemPatch{Brand: lost.Set("Zara")}))
		signature := base64.StdEncoding.EncodeToString(stafftest.Picture(t, color.Black))
		changed := send("Max Weiß", "data:image/png;base64,"+signature)
		stafftest.ExpectPage(t, changed, http.StatusConflict, "Zara", "signs again")
		kept := stafftest.FormWith(t, changed.Body, "seen")
		if kept.Get("recipient") != "Max Weiß" || kept.Get("organisation") != "Station 11" ||
			kept.Get("signature") != "" {
			t.Errorf("after another change, the form contains %v", kept)
		}
		seen = kept.Get("seen")
		done := send("Max Weiß", "")
		at := done.Header.Get("Location")
		if done.Code != http.StatusSeeOther || !strings.HasPrefix(at, s.Path+"/decisions/") {
			t.Fatalf("got status %d and redirect %q", done.Code, at)
		}
		shown := v.Get(at)
		stafftest.ExpectPage(t, shown, http.StatusOK, "2 items were handed to the police", "Signed protocol", "Phone",
			"Undo")
		if again := send("Max Weiß", ""); again.Code != http.StatusConflict {
			t.Errorf("sent again: status %d, want 409", again.Code)
		}
		if a := v.Post(at+"/undo", nil); a.Code != http.StatusSeeOther || s.Item("Phone").Destination != "" {
			t.Errorf("undo: status %d, %+v", a.Code, s.Item("Phone"))
		}
		stranger := h.As(h.NewMember("Vera", lost.ViewerRole))
		if a := stranger.Post(papers+"/hand-over", form); a.Code != http.StatusForbidden {
			t.Errorf("a viewer: status %d, want 403", a.Code)
		}
	})
}

func TestPapersInABrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	hotel := h.NewLocation("Hotel Adler")
	h.NewItem(hotel, "Phone", withFacts("phone", "F2LLD1234567", 64900))
	for _, o := range []browsertest.Options{{Phone: true}, {NoScript: true}, {Dark: true}} {
		t.Run(o.String(), func(t *testing.T) {
			v := browsertest.New(t, o)
			stafftest.OpenAsOwner(v, h, at+"/at/"+hotel.ID+"/papers")
			v.CheckAccessibility()
			stafftest.ExpectNoOverflow(t, v)
			v.Visit(at + "/at/" + hotel.ID + "/items?tick=1")
			v.Click("Papers")
			v.See("Certificate of destruction")
			v.CheckAccessibility()
			stafftest.ExpectNoOverflow(t, v)
			v.Click("Hand over these items")
			v.See("Record hand-over")
			v.CheckAccessibility()
			stafftest.ExpectNoOverflow(t, v)
		})
	}
}

// Several items are handed over with one signature, drawn on the page.
func TestSigningForSeveralItemsInABrowser(t *testing.T) {
	testkit.EachBrowserServer(t, func(t *testing.T, h *testkit.Server, base string) {
		s := stafftest.NewFullStorage(h, "Phone", "Scarf")
		v := browsertest.New(t, browsertest.Options{Phone: true})
		stafftest.OpenAsOwner(v, h, base+"/at/"+s.Hotel.ID+"/items?tick=1")
		for range 2 { // one box for each item
			v.Run(`document.querySelector('input[name="item"]:not(:checked)')?.click()`, nil)
		}
		v.Click("Papers")
		v.See("Certificate of destruction")
		v.Follow("Hand over these items") // waits for the script that draws
		v.See("Phone", "Scarf", "The recipient signs once for all items.")
		v.Choose("What happens to the items", "To the police")
		v.Fill("Received by", "Max Wei\u00df")
		v.Fill("Organisation", "Station 11")
		v.Run(signing, nil)
		v.CheckAccessibility()
		v.Follow("Record hand-over")
		v.See("2 items were handed to the police", "Signed protocol")
		for _, what := range []string{"Phone", "Scarf"} {
			i := s.Item(what)
			if i.Handover.Name != "Max Wei\u00df, Station 11" || i.Handover.ReceiptFile == "" || i.ClosedAt.IsZero() {
				t.Errorf("%s: got the hand-over %+v", what, i.Handover)
			}
		}
		var pictures int // the protocol contains the signature
		v.Run(`fetch([...document.querySelectorAll('a')].find(a => a.innerText.includes('Signed protocol')).href)
			.then(r => r.text()).then(text => text.split(/\/Subtype\s*\/Image/).length - 1)`, &pictures)
		if pictures == 0 {
			t.Error("the protocol has no picture of the signature")
		}
	})
}
