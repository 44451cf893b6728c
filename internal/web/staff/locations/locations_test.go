package locations_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

func TestALocationIsAddedAndSetUp(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		v := h.LogIn()
		if a := v.Post("/locations/new",
			url.Values{"name": {""}, "storageDuration": {"long"}}); a.Code != http.StatusUnprocessableEntity ||
			!strings.Contains(a.Body, "Name: This field is required.") ||
			!strings.Contains(a.Body, "Must be a whole number.") {
			t.Errorf("got status %d for a location without a name, want 422", a.Code)
		}
		at := v.Post("/locations/new",
			url.Values{
				"name": {"Hotel Adler"}, "type": {"hotel"}, "country": {"DE"}, "storageDuration": {"30"},
				"timeZone": {"Europe/Berlin"},
			}).Header.Get("Location")
		if a := v.Get(at); a.Code != http.StatusOK || !strings.Contains(a.Body, "Hotel Adler is ready") ||
			strings.Count(a.Body, "Record an item</a>") != 1 {
			t.Fatalf("%s: got status %d, want 200 and a button to record an item", at, a.Code)
		}
		at, _, _ = strings.Cut(at, "?")
		id := strings.TrimPrefix(at, "/locations/")
		now := func() lost.Location { return testkit.Must(h.Services.Locations.Get(t.Context(), h.Actor, id)) }

		v.Post(at+"/reminders", url.Values{"reminders.afterNotice": {"2", "9"}, "reminders.beforePickup": {""}})
		if l := now().ReminderSchedule(); len(l.AfterNotice) != 2 || l.AfterNotice[1] != 9 || len(l.BeforePickup) != 0 {
			t.Errorf("got reminders %+v", l)
		}
		const example = "These prices are examples"
		before := v.Get(at + "/shipping").Body
		fees := stafftest.FormValues(t, before)
		fees.Set("shipping.handlingFee", "2,50")
		fees["shipping.domestic.prices"] = []string{"4.90", "", "8", "", "", ""}
		fees.Del("shipping.offered")
		if a := v.Post(at+"/shipping", fees); a.Code != http.StatusSeeOther {
			t.Fatalf("got status %d for the fees, want 303: %s", a.Code, a.Body)
		}
		if after := v.Get(at + "/shipping").Body; !strings.Contains(before, example) ||
			strings.Contains(after, example) {
			t.Errorf("notice about example prices: got %v before they are set and %v after, want true and false",
				strings.Contains(before, example), strings.Contains(after, example))
		}
		if r := now().Rules(); r.Handling != 250 || r.Offered || len(r.Domestic.Prices) != 2 ||
			r.Domestic.Prices[1] != (lost.Band{Grams: 5000, Price: 800}) || len(r.World.Prices) != 6 {
			t.Errorf("got fees %+v", r)
		}
		fees.Set("shipping.domestic.prices", "much")
		if a := v.Post(at+"/shipping", fees); a.Code != http.StatusUnprocessableEntity ||
			!strings.Contains(a.Body, `value="much"`) {
			t.Errorf("got status %d for invalid prices, want 422", a.Code)
		}
		if a := v.Post(at+"/delete", url.Values{"confirm": {"hotel"}}); a.Code != http.StatusUnprocessableEntity {
			t.Errorf("got status %d for a deletion without the name, want 422", a.Code)
		}
		v.Post(at+"/delete", url.Values{"confirm": {"Hotel Adler"}})
		if a := v.Get(at); a.Code != http.StatusNotFound {
			t.Errorf("got status %d for a deleted location, want 404", a.Code)
		}
	})
}

// Every settings page can be saved unchanged.
func TestSavingAnUnchangedFormChangesNothing(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	v := h.LogIn()
	before := l.UpdatedAt
	for _, part := range []string{"about", "address", "storage", "keeping", "privacy"} {
		a := v.Post("/locations/"+l.ID+"/"+part, stafftest.FormValues(t, v.Get("/locations/"+l.ID+"/"+part).Body))
		if after := testkit.Must(h.Services.Locations.Get(t.Context(), h.Actor, l.ID)); a.Code != http.StatusSeeOther ||
			!after.UpdatedAt.Equal(before) {
			t.Errorf("saving %s unchanged: got status %d, want 303 and no change", part, a.Code)
		}
	}
}

func TestALogoIsUploaded(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	v := h.LogIn()
	var picture bytes.Buffer
	testkit.Must(0, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 40, 20))))
	send := func(content []byte) testkit.Response {
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		testkit.Must(testkit.Must(form.CreateFormFile("logo", "logo.png")).Write(content))
		testkit.Must(0, form.Close())
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, testkit.Base+"/locations/"+l.ID+"/logo",
			&body)
		r.Header.Set("Content-Type", form.FormDataContentType())
		return v.Do(r)
	}
	if a := send([]byte("not a picture")); a.Code != http.StatusUnsupportedMediaType ||
		!strings.Contains(a.Body, "choose a JPEG") {
		t.Errorf("got status %d for an invalid picture, want 415", a.Code)
	}
	if a := send(picture.Bytes()); a.Code != http.StatusSeeOther ||
		testkit.Must(h.Services.Locations.Get(t.Context(), h.Actor, l.ID)).LogoFile == "" {
		t.Errorf("got status %d for a logo, want 303", a.Code)
	}
}

func TestLocationsInABrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	for _, o := range []browsertest.Options{{Phone: true, Dark: true}, {}} {
		t.Run(o.String(), func(t *testing.T) {
			v := browsertest.New(t, o)
			stafftest.OpenAsOwner(v, h, at+"/locations/new")
			v.Screenshot("new")
			v.See("Fields marked * are required.")
			var marks string
			v.Run(`['name', 'contact.email'].map(id => document.querySelector('label[for="' + id + '"]')).map(
				label => getComputedStyle(label, '::after').content + label.control.required).join()`, &marks)
			if !strings.Contains(marks, "*") || !strings.HasSuffix(marks, "nonefalse") {
				t.Errorf("got marks of required fields %q", marks)
			}
			var zone bool
			if v.Run(`(z => z && z === document.querySelector('[name=timeZone]').value)(
			Intl.DateTimeFormat().resolvedOptions().timeZone)`, &zone); !zone {
				t.Error("the form does not suggest the browser's time zone")
			}
			v.Fill("Name", "Zoo "+o.String())
			v.Choose("Country", "Germany")
			v.Follow("Add location")
			v.See("is ready")
			for _, part := range []string{
				"Address and desk", "Storage and hours", "Reminders", "Shipping fees", "Privacy",
				"Public page", "Delete",
			} {
				v.Follow(part)
				v.Screenshot(part)
				if part == "Address and desk" {
					v.SeeNot("Fields marked * are required.") // because there are none
				}
			}
			v.Visit(at + "/locations")
			v.Screenshot("all")
		})
	}
}

func TestTheFieldForAFileShowsItsNameAndSizeInABrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l := h.NewLocation("Hotel Adler")
	logo := filepath.Join(t.TempDir(), "our logo.png")
	testkit.Must(0, os.WriteFile(logo, stafftest.Picture(t, color.RGBA{15, 107, 92, 255}), 0o600))
	browsertest.Each(t, func(t *testing.T, o browsertest.Options) {
		v := browsertest.New(t, o)
		stafftest.OpenAsOwner(v, h, at+"/locations/"+l.ID+"/page")
		v.CheckLayoutShift()
		if !o.NoScript {
			v.See("Choose a file")
		} else {
			v.SeeNot("Choose a file") // the browser's own field is shown
		}
		var shown bool
		v.Run(`(() => {
			const field = document.querySelector("#logo");
			field.focus();
			return document.activeElement === field && getComputedStyle(field).opacity === "1";
		})()`, &shown)
		if shown != o.NoScript {
			t.Errorf("the browser's own field is shown: %t, want %t", shown, o.NoScript)
		}
		v.Upload("css:#logo", logo)
		if !o.NoScript {
			v.See("our logo.png (2 kB)")
			v.SeeNot("Choose a file")
		}
		v.CheckAccessibility()
		stafftest.ExpectNoOverflow(t, v)
		v.Screenshot("file")
		v.Follow("Upload the logo")
		v.See("The logo was saved.")
	})
}

func TestTabsAndCopyButtonsInABrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l := h.NewLocation("Hotel Adler")
	browsertest.Each(t, func(t *testing.T, o browsertest.Options) {
		v := browsertest.New(t, o)
		stafftest.OpenAsOwner(v, h, at+"/locations/"+l.ID+"/page")
		settings := "/locations/" + l.ID
		for _, page := range []string{settings + "/delete", "/settings/persons", settings + "/page"} {
			v.Visit(at + page)
			var problem string
			v.Run(`(nav => {
				const tab = nav.querySelector('[aria-current=page]').getBoundingClientRect()
				if (nav.getBoundingClientRect().height > 64) return 'the tabs need more than one row'
				return tab.left < 0 || tab.right > innerWidth + 1 ? 'the current tab is not visible' : ''
			})(document.querySelector('nav.aspects'))`, &problem)
			if problem != "" {
				t.Errorf("%s: %s", page, problem)
			}
		}
		if o.NoScript {
			var shown bool
			if v.Run(`[...document.querySelectorAll('[data-copy]')].some(b => b.offsetParent)`, &shown); shown {
				t.Error("copy buttons are shown without scripts")
			}
			return
		}
		v.Click("css:[data-copy=public-url]")
		var said string
		if v.Run(`(async () => {
			for (let frames = 0; frames < 300; frames++) {
				const said = document.querySelector('body > p.unseen[role=status]').textContent
				if (said) return said
				await new Promise(requestAnimationFrame)
			}
			return ''
		})()`, &said); said != "Copied" && said != "Selected" {
			t.Errorf("screen readers hear %q after copying", said)
		}
	})
}

func TestOpeningHoursAreSavedForEachDay(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		v := h.LogIn()
		l := h.NewLocation("Hotel Adler")
		at := "/locations/" + l.ID + "/hours"
		form := stafftest.FormWith(t, v.Get(at).Body, "openingHours.mon")
		form.Set("openingHours.mon", "9-12, 13:00–18.30")
		form.Set("openingHours.tue", "09:00 – 12:00")
		form.Set("openingHours.sat", "20:00–00:00")
		form.Set("closures", "2026-12-24 – 2026-12-26 Christmas\r\n\r\n2027-01-01, New Year\r\n")
		form.Set("closures.yearly", "1 May 2027 Labour Day\r\n31 Oct 2026\r\n")
		form.Set("slots.minutes", "30")
		form.Set("slots.capacity", "2")
		stafftest.ExpectPage(t, v.Post(at, form), http.StatusSeeOther)
		got := testkit.Must(h.Services.Locations.Get(t.Context(), h.Actor, l.ID))
		if d := cmp.Diff([]lost.OpeningHours{
			{Days: []string{"mon", "tue"}, From: "09:00", To: "12:00"},
			{Days: []string{"mon"}, From: "13:00", To: "18:30"}, {Days: []string{"sat"}, From: "20:00", To: "24:00"},
		}, got.OpeningHours); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff([]lost.Closure{
			{From: "2026-10-31", To: "2026-10-31", Yearly: true},
			{From: "2026-12-24", To: "2026-12-26", Reason: "Christmas"},
			{From: "2027-01-01", To: "2027-01-01", Reason: "New Year"},
			{From: "2027-05-01", To: "2027-05-01", Reason: "Labour Day", Yearly: true},
		}, got.Closures); d != "" {
			t.Error(d)
		}
		if got.Slots != (lost.Slots{Minutes: 30, Capacity: 2}) {
			t.Errorf("got slots %+v", got.Slots)
		}
		again := stafftest.FormWith(t, v.Get(at).Body, "openingHours.mon")
		if again.Get("openingHours.mon") != "09:00–12:00, 13:00–18:30" ||
			again.Get("closures.yearly") != "31 Oct 2026\n1 May 2027 Labour Day" ||
			again.Get("closures") != "24 Dec 2026 – 26 Dec 2026 Christmas\n1 Jan 2027 New Year" {
			t.Errorf("got the form %q", again)
		}
		stafftest.ExpectPage(t, v.Post(at, again), http.StatusSeeOther)
		same := testkit.Must(h.Services.Locations.Get(t.Context(), h.Actor, l.ID))
		if !same.UpdatedAt.Equal(got.UpdatedAt) {
			t.Error("saving the form unchanged changed the location")
		}
		for field, text := range map[string]string{
			"openingHours.wed": "all day", "openingHours.thu": "18:00–09:00",
			"openingHours.fri": "09:00–12:00, 11:00–13:00", "closures": "at Christmas", "slots.minutes": "1",
			"closures.yearly": "2026-12-24 – 2027-12-24 Always",
		} {
			bad := stafftest.FormWith(t, v.Get(at).Body, "openingHours.mon")
			bad.Set(field, text)
			a := v.Post(at, bad)
			stafftest.ExpectPage(t, a, http.StatusUnprocessableEntity)
			if !strings.Contains(a.Body, `id="`+field+`-error"`) || !strings.Contains(a.Body, text) {
				t.Errorf("%s: the page has no error, or not the text %q", field, text)
			}
		}
	})
}

func TestClosuresAreAddedForTheNextYear(t *testing.T) {
	h := testkit.NewServer(t)
	v, l := h.LogIn(), h.NewLocation("Hotel Adler")
	at := "/locations/" + l.ID + "/hours"
	form := stafftest.FormWith(t, v.Get(at).Body, "openingHours.mon")
	form.Set("closures", "29 Mar 2026 – 6 Apr 2026 Easter\n24 Dec 2026 – 26 Dec 2026 Christmas\n2 Apr 2027 Easter\n"+
		"23 Dec 2025 Party\n1 Feb 2025 Too old")
	form.Set("repeat", "yes")
	a := v.Post(at, form)
	stafftest.ExpectPage(t, a, http.StatusOK)
	form = stafftest.FormWith(t, a.Body, "openingHours.mon")
	want := "1 Feb 2025 Too old\n23 Dec 2025 Party\n29 Mar 2026 – 6 Apr 2026 Easter\n23 Dec 2026 Party\n" +
		"24 Dec 2026 – 26 Dec 2026 Christmas\n2 Apr 2027 Easter\n24 Dec 2027 – 26 Dec 2027 Christmas"
	if got := form.Get("closures"); got != want {
		t.Errorf("got the closures\n%s\nwant\n%s", got, want)
	}
	if now := testkit.Must(h.Services.Locations.Get(t.Context(), h.Actor, l.ID)); len(now.Closures) > 0 {
		t.Errorf("the closures were saved: %v", now.Closures)
	}
}

func TestTheErrorOfAClosureNamesItsLineInEveryLanguage(t *testing.T) {
	h := testkit.NewServer(t)
	v, l := h.LogIn(), h.NewLocation("Hotel Adler")
	at := "/locations/" + l.ID + "/hours"
	form := stafftest.FormWith(t, v.Get(at).Body, "openingHours.mon")
	form.Set("closures", "2026-12-24\n2026-12-31\nat Easter")
	for _, tag := range i18n.Tags() {
		v.Post("/language", url.Values{"language": {tag}})
		a := v.Post(at, form)
		text := i18n.Choose(tag).Say("frame.invalid.invalid-closure", "n", 3)
		if tag == "en" {
			text = "Line 3 must have the first day"
		}
		stafftest.ExpectPage(t, a, http.StatusUnprocessableEntity, strings.ReplaceAll(text, "\u202f", " "))
	}
}

func TestTheCalendarAddressIsShownOnceAndRevoked(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		v := h.LogIn()
		l := h.NewLocation("Hotel Adler")
		at := "/locations/" + l.ID
		a := v.Post(at+"/feed", nil)
		stafftest.ExpectPage(t, a, http.StatusOK, "Copy the address now.", "/l/hotel-adler/calendar/")
		_, rest, _ := strings.Cut(a.Body, "/calendar/")
		token, _, _ := strings.Cut(rest, ".ics")
		if _, err := h.Services.Locations.Feed(t.Context(), token); err != nil {
			t.Errorf("the address does not work: %v", err)
		}
		page := v.Get(at + "/hours")
		stafftest.ExpectPage(t, page, http.StatusOK, "An address is in use.")
		if strings.Contains(page.Body, token) {
			t.Error("the address is shown again")
		}
		stafftest.ExpectPage(t, v.Post(at+"/feed/revoke", nil), http.StatusSeeOther)
		if _, err := h.Services.Locations.Feed(t.Context(), token); lost.CodeOf(err) != lost.NotFound {
			t.Errorf("the revoked address: got %v, want not found", err)
		}
		if got := v.Get(at + "/hours").Body; strings.Contains(got, "An address is in use.") {
			t.Error("the page says that the revoked address is in use")
		}
	})
}
