package requests_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

const trackerLink = "https://find.apple.com/item/0a1b2c"

// fileTracked files a request with the link of a tracker.
func fileTracked(h *testkit.Server, l lost.Location) lost.Item {
	return testkit.Must(h.Services.Requests.File(h.T.Context(), h.Actor, l.ID, lost.RequestPatch{
		Description: lost.Set("My felt hat, green, with a long feather"), TrackerLink: lost.Set(trackerLink),
		Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("anna@example.com")}),
	}, lost.IdempotencyKey{}))
}

// opened returns the entries in the audit log about tracker links that were opened.
func opened(h *testkit.Server) []lost.AuditEntry {
	f := lost.AuditFilter{Action: lost.TrackerOpened, PageCursor: lost.PageCursor{Limit: 10}}
	return testkit.Must(h.Services.AuditLog.List(h.T.Context(), h.Actor, f)).Data
}

func TestTheDeskOpensATracker(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := h.NewLocation("Hotel Adler")
		r, found := fileTracked(h, l), h.NewItem(l, "Green felt hat with a feather")
		h.Match(found, r)
		v := h.LogIn()
		at := "/at/" + l.ID + "/requests/" + r.ID
		page := v.Get(at)
		if !stafftest.Shows(page, "Tracker link", "Apple Find My", "Available until", at+"/tracker") ||
			strings.Contains(page.Body, "find.apple.com") {
			t.Error("the request does not show that there is a tracker link, or shows the link")
		}
		if a := v.Get(stafftest.ItemPath(l, found)); !stafftest.Shows(a, "Has a tracker link") {
			t.Error("the found item does not say that a possible owner has shared a tracker link")
		}
		ask := v.Get(at + "/tracker")
		if !stafftest.Shows(ask, "Open the tracker?", "Apple Find My", "The audit log records") ||
			strings.Contains(ask.Body, "find.apple.com") || len(opened(h)) != 0 {
			t.Error("the page does not ask for confirmation, or shows the link before it is confirmed")
		}
		a := v.Post(at+"/tracker?to=https://evil.example", nil)
		if a.Code != http.StatusOK || a.Header.Get("Referrer-Policy") != "no-referrer" ||
			!strings.Contains(a.Body, `content="0; url=`+trackerLink+`"`) ||
			!strings.Contains(a.Body, `href="`+trackerLink+`" rel="noreferrer noopener"`) ||
			strings.Contains(a.Body, "evil.example") {
			t.Errorf("got status %d, want a page that leads to the link: %s", a.Code, a.Body)
		}
		log := opened(h)
		if len(log) != 1 || log[0].Subject != r.ID || log[0].Note != r.Reference || log[0].Actor.Kind != lost.ByUser {
			t.Errorf("got %+v in the audit log, want one entry about the request", log)
		}

		h.Clock.Advance(lost.TrackerLife + time.Second)
		v = h.LogIn() // the session has expired, too
		if a := v.Get(at); strings.Contains(a.Body, "/tracker") {
			t.Error("the request shows an expired link")
		}
		if a := v.Post(at+"/tracker", nil); a.Code != http.StatusNotFound || len(opened(h)) != 1 {
			t.Errorf("got status %d for an expired link, want 404 and no entry", a.Code)
		}
	})
}

func TestATrackerIsNotOpenedByOthers(t *testing.T) {
	h := testkit.NewServer(t)
	l, other := h.NewLocation("Hotel Adler"), h.NewLocation("Zoo")
	r := fileTracked(h, l)
	at := "/at/" + l.ID + "/requests/" + r.ID + "/tracker"
	viewer := h.As(h.NewMember("Vera", lost.ViewerRole))
	if a := viewer.Post(at, nil); a.Code != http.StatusForbidden {
		t.Errorf("a viewer: got status %d, want 403", a.Code)
	}
	if a := viewer.Get(strings.TrimSuffix(at, "/tracker")); strings.Contains(a.Body, at) {
		t.Error("a viewer is offered to open the tracker")
	}
	elsewhere := h.As(h.NewMember("Zoe", lost.DeskRole, other.ID))
	if a := elsewhere.Post(at, nil); a.Code != http.StatusNotFound {
		t.Errorf("a user of another location: got status %d, want 404", a.Code)
	}
	v := h.LogIn()
	if a := v.Post("/at/"+other.ID+"/requests/"+r.ID+"/tracker", nil); a.Code != http.StatusNotFound {
		t.Errorf("at another location: got status %d, want 404", a.Code)
	}
	if log := opened(h); len(log) != 0 {
		t.Errorf("got %+v in the audit log, want nothing", log)
	}
}

func TestTheDeskFilesATrackerLinkInABrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l := h.NewLocation("Hotel Adler")
	for _, o := range []browsertest.Options{{Phone: true}, {NoScript: true}} {
		t.Run(o.String(), func(t *testing.T) {
			v := browsertest.New(t, o)
			stafftest.OpenAsOwner(v, h, at+"/at/"+l.ID+"/requests/new")
			v.Fill("What was lost", "Blue suitcase")
			v.Fill("Their e-mail address", "anna@example.com")
			v.Fill("Tracker link", "https://evil.example/find.apple.com")
			if o.NoScript {
				v.Follow("Create request")
			} else {
				v.IgnoreError("422") // the script shows the errors on the same page
				v.Click("Create request")
			}
			v.See("to one of the hosts find.apple.com")
			v.CheckAccessibility()
			v.Fill("Tracker link", trackerLink)
			v.Follow("Create request")
			v.See("Apple Find My")
			v.CheckAccessibility()
			stafftest.ExpectNoOverflow(t, v)
			v.Follow("Open the tracker")
			v.See("The audit log records that you opened it.")
			v.CheckAccessibility()
			stafftest.ExpectNoOverflow(t, v)
			v.Screenshot("tracker")
		})
	}
}
