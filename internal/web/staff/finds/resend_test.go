package finds_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

func TestResendingAChangedFormNeedsConfirmation(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := h.NewLocation("Hotel Adler")
		v, at := h.LogIn(), "/at/"+l.ID+"/find"
		first := v.Post(at, url.Values{"description": {"Hat"}, "once": {"form-1"}, "then": {"next"}})
		if same := v.Post(at,
			url.Values{
				"description": {"Hat"}, "once": {"form-1"}, "then": {"show"},
			}); same.Code != http.StatusSeeOther ||
			!strings.HasSuffix(first.Header.Get("Location"), stafftest.NewestItem(h, l).ID) {
			t.Errorf("got status %d for the same values with the other button, want 303", same.Code)
		}
		hat := stafftest.NewestItem(h, l)
		a := stafftest.SendFind(v, at,
			url.Values{"description": {"Red hat"}, "notes": {"With a feather"}, "once": {"form-1"}, "then": {"show"}},
			stafftest.JPEG(20, 20))
		for _, want := range []string{
			"already saved as", hat.Reference, "Your changes are not saved.", `href="/at/` + l.ID + "/items/" + hat.ID,
			"With a feather", "Choose the photos again.",
		} {
			if !strings.Contains(a.Body, want) {
				t.Errorf("the form (%d) does not show %q", a.Code, want)
			}
		}
		if a.Code != http.StatusConflict || strings.Contains(a.Body, "Idempotency") {
			t.Errorf("got status %d, want 409 and a page without API terms", a.Code)
		}
		if saved := v.Post(at, stafftest.FormWith(t, a.Body, "once")); saved.Code != http.StatusSeeOther ||
			stafftest.NewestItem(h, l).Description != "Red hat" {
			t.Errorf("got status %d when the form was sent again, want 303", saved.Code)
		}
	})
}

func TestAFormWhoseItemWasDeletedCanBeSavedAgain(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	v, at := h.LogIn(), "/at/"+l.ID+"/find"
	v.Post(at, url.Values{"description": {"Hat"}, "once": {"form-1"}})
	testkit.Must(0, h.Services.Items.Delete(t.Context(), h.Actor, l.ID, stafftest.NewestItem(h, l).ID))
	a := v.Post(at, url.Values{"description": {"Red hat"}, "once": {"form-1"}})
	if a.Code != http.StatusConflict || !strings.Contains(a.Body, "has since been deleted") {
		t.Errorf("got status %d, want 409: %s", a.Code, a.Body)
	}
}

func TestAnotherUsersFormNeedsConfirmation(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	anna, at := h.NewMember("Anna", lost.DeskRole), "/at/"+l.ID+"/find"
	begun := stafftest.FormWith(t, h.As(anna).Get(at).Body, "once")
	begun.Set("description", "Hat")
	v := h.LogIn()
	a := v.Post(at, begun)
	if a.Code != http.StatusConflict || !strings.Contains(a.Body, "Somebody else started this form") ||
		!strings.Contains(a.Body, "Hat</textarea>") {
		t.Errorf("got status %d, want 409", a.Code)
	}
	if n := testkit.Must(h.Services.Items.List(t.Context(), h.Actor, l.ID,
		lost.ItemFilter{Page: lost.FirstPage()})).Count; n != 0 {
		t.Errorf("got %d recorded items, want 0", n)
	}
	if saved := v.Post(at, stafftest.FormWith(t, a.Body, "once")); saved.Code != http.StatusSeeOther {
		t.Errorf("got status %d after confirmation, want 303", saved.Code)
	}
}

func TestTheNextFormKeepsTheDiscoveryPlace(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	v, at := h.LogIn(), "/at/"+l.ID+"/find"
	send := func(then string) string {
		a := v.Post(at, url.Values{"description": {"Hat"}, "discoveryPlace": {"Room 12"}, "then": {then}})
		return a.Header.Get("Location")
	}
	const kept = `name="discoveryPlace" type="text" value="Room 12"`
	if next := v.Get(send("next")); !strings.Contains(next.Body, kept) {
		t.Error("the form for the next item does not have the place of the previous one")
	}
	send("")
	if strings.Contains(v.Get(at).Body, kept) {
		t.Error("a new form has the place of an earlier item")
	}
}

func TestPhotosForAnotherUsersFormAreRejected(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	i := h.NewItem(l, "Hat")
	v := h.As(h.NewMember("Anna", lost.LoggerRole))
	if a := stafftest.SendFind(v, "/at/"+l.ID+"/find/"+i.ID+"/photos", nil,
		stafftest.JPEG(20, 20)); a.Code != http.StatusNotFound {
		t.Errorf("got status %d and redirect %q, want 404", a.Code, a.Header.Get("Location"))
	}
	if a := v.Get("/"); strings.Contains(a.Body, "Photo 1") {
		t.Error("a later page mentions the photo")
	}
}

func TestTheOfflinePageHasNoPersonalData(t *testing.T) {
	h := testkit.NewServer(t)
	h.NewLocation("Hotel Adler")
	want := h.NewVisitor().Get("/offline").Body
	v := h.LogIn()
	v.Post("/theme", url.Values{"theme": {"dark"}})
	v.Post("/at", url.Values{"location": {h.NewLocation("Zoo").ID}}) // the next page shows a flash message
	if got := v.Get("/offline").Body; got != want {
		t.Errorf("the page depends on the user:\n%s", got)
	}
	if a := v.Get("/settings/profile"); !strings.Contains(a.Body, "You switched to Zoo.") {
		t.Error("the offline page consumed the flash message")
	}
}

func TestTheOfflinePageHasTheLanguageOfTheUser(t *testing.T) {
	h := testkit.NewServer(t)
	v := h.LogIn()
	english := v.Get("/sw.js").Body
	v.Post("/settings/profile", url.Values{"name": {"Anna"}, "language": {"de"}})
	page := v.Get("/offline").Body
	if !strings.Contains(page, `<html lang="de"`) || strings.Contains(page, "/language") {
		t.Errorf("the page is not German, or offers other languages without a connection:\n%s", page)
	}
	if v.Get("/sw.js").Body == english { // otherwise the browser would keep the English page
		t.Error("the service worker is the same in German")
	}
	if a := v.Get("/manifest.webmanifest"); !strings.Contains(a.Body, `"lang":"de"`) {
		t.Errorf("the manifest is not German: %s", a.Body)
	}
}

func TestFindsSavedOnADeviceBelongToTheUserWhoRecordedThem(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l := h.NewLocation("Hotel Adler")
	anna := h.NewMember("Anna", lost.DeskRole)
	form := at + "/at/" + l.ID + "/find"
	v := browsertest.New(t, browsertest.Options{Phone: true})
	v.IgnoreError("ERR_EMPTY_RESPONSE")
	v.IgnoreError("401")
	v.Visit(at + "/login")
	stafftest.LogIn(v, anna.Email, testkit.Password)
	v.See("Today")
	v.Visit(form)
	var works bool
	v.Run(`navigator.serviceWorker.ready.then(() => true)`, &works)
	stale := v.Tab() // this tab still belongs to Anna
	stale.IgnoreError("401")
	stale.IgnoreError("ERR_EMPTY_RESPONSE")
	stale.Visit(form)
	h.SetDown(true)
	v.Fill("What is it?", "One glove")
	v.Click("Save")
	v.See("One item is saved on this device")

	v.Click("Menu of Anna")
	v.Click("Log out")
	v.See("One item is not sent yet", "One glove")
	v.Click("Send and log out")
	v.See("One item could not be sent: no connection.")
	h.SetDown(false)
	v.CheckAccessibility()
	v.Screenshot("leaving")
	v.Follow("Save it and log out")
	v.Visit(at + "/login")
	stafftest.LogIn(v, h.Owner.Email, testkit.Password)
	v.See("Today")
	v.Visit(form)
	v.See("An item recorded by somebody else is saved on this device.")
	v.SeeNot("One glove", "Send now")
	v.Screenshot("anothers")
	stale.Fill("What is it?", "The other glove")
	stale.Click("Save")
	stale.See("somebody else is logged in", "2 items are saved on this device")
	if n := testkit.Must(h.Services.Items.List(t.Context(), h.Actor, l.ID,
		lost.ItemFilter{Page: lost.FirstPage()})).Count; n != 0 {
		t.Errorf("got %d of Anna's items recorded by another user, want 0", n)
	}
	checkCachedPages(t, v, h.Owner, anna)

	v.Click("Menu of " + h.Owner.Name)
	v.Follow("Log out") // asks nothing, because this user has no unsent items on the device
	v.Visit(at + "/login?next=" + url.QueryEscape("/at/"+l.ID+"/find"))
	stafftest.LogIn(v, anna.Email, testkit.Password)
	v.See("2 items saved on this device were sent.")
	list := testkit.Must(h.Services.Items.List(t.Context(), h.Actor, l.ID, lost.ItemFilter{Page: lost.FirstPage()}))
	if list.Count != 2 {
		t.Fatalf("got %d items, want the 2 that were saved on the device", list.Count)
	}
	h.SetDown(true)
	v.Fill("What is it?", "A scarf")
	v.Click("Save")
	v.See("One item is saved on this device")
	h.SetDown(false)
	v.Click("Menu of Anna")
	v.Click("Log out")
	v.See("A scarf")
	v.Follow("Send and log out")
	if scarf := stafftest.NewestItem(h, l); scarf.Description != "A scarf" {
		t.Errorf("got newest item %q, want the scarf to be sent before the logout", scarf.Description)
	}
	if past := testkit.Must(h.Services.Items.History(t.Context(), h.Actor, l.ID, list.Data[0].ID,
		lost.FirstPage())); past.Data[0].Actor.ID != anna.ID {
		t.Errorf("got actor %+v, want Anna", past.Data[0].Actor)
	}
}

// checkCachedPages fails the test if the browser's cache contains personal data.
func checkCachedPages(t *testing.T, v *browsertest.Visitor, people ...lost.User) {
	t.Helper()
	var cached map[string]string
	v.Run(`(async () => {
		const found = {}
		for (const name of await caches.keys()) {
			const cache = await caches.open(name)
			for (const request of await cache.keys())
				found[new URL(request.url).pathname] = await (await cache.match(request)).text()
		}
		return found
	})()`, &cached)
	if len(cached) == 0 || cached["/offline"] == "" {
		t.Errorf("the offline page is not cached; got %d cached files", len(cached))
	}
	for path, text := range cached {
		if path != "/offline" && !strings.HasPrefix(path, "/assets/") {
			t.Errorf("%s is cached", path)
		}
		for _, u := range people {
			if strings.Contains(text, u.ID) || strings.Contains(text, u.Email) ||
				strings.Contains(text, u.Name) && u.Name != "" {
				t.Errorf("the cached page %s contains data of %s", path, u.Name)
			}
		}
	}
}
