package notices_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/lost/notice"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

func TestNoticesAreChosenInABrowser(t *testing.T) {
	for _, o := range []browsertest.Options{
		{Phone: true}, {Phone: true, Dark: true, NoScript: true}, {}, {Dark: true},
	} {
		t.Run(o.String(), func(t *testing.T) {
			h, at := testkit.NewBrowserServer(t)
			hotel := h.NewLocation("Hotel Adler")
			v := browsertest.New(t, o)
			v.IgnoreError("422")
			stafftest.OpenAsOwner(v, h, at+"/settings/profile")
			v.Follow("Choose your notices")
			v.See("Everything is off until you choose it")
			v.CheckAccessibility()
			v.CheckWeight()
			v.Choose("New lost report", "At once")
			v.Choose("Likely match", "Once a day, together")
			v.Choose("Monthly report", "On the first day of the month")
			v.Fill("Quiet from", "22:00")
			v.Follow("Save")
			v.See("Quiet until: Must be a time")
			v.CheckAccessibility()
			v.Screenshot("refused")
			v.Fill("Quiet until", "07:00")
			v.Click("Only these:")
			v.Click("Hotel Adler")
			v.Follow("Save")
			v.See("Your notices were saved")
			v.CheckAccessibility()
			v.CheckLayoutShift()
			v.Screenshot("notices")
			got := testkit.Must(h.Services.Notices.Settings(t.Context(), h.Owner))
			if got.Kinds[notice.Report].Email != notice.AtOnce || got.Kinds[notice.Match].Email != notice.Daily ||
				got.Kinds[notice.Monthly].Email == notice.Off || len(got.Kinds) != 3 || got.QuietTo != "07:00" ||
				len(got.Locations) != 1 || got.Locations[0] != hotel.ID || got.TimeZone == "" {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestEmailsAreStoppedWithoutALogin(t *testing.T) {
	for _, o := range []browsertest.Options{{Phone: true, NoScript: true}, {Dark: true}} {
		t.Run(o.String(), func(t *testing.T) {
			h, at := testkit.NewBrowserServer(t)
			want := chooseAll(t, h)
			token := testkit.Must(h.DB.NoticeToken(h.Owner.Account, h.Owner.ID))
			v := browsertest.New(t, o)
			v.Visit(at + "/notices/stop/" + token + "?kind=report&kind=answer")
			v.See(h.Owner.Email, "New lost report and New message from a guest")
			v.CheckAccessibility()
			v.Screenshot("stop")
			expectEmails(t, h, want)
			v.Follow("Stop these e-mails")
			v.See("The e-mails have stopped")
			v.CheckAccessibility()
			expectEmails(t, h, want-2)
			v.Visit(at + "/notices/stop/" + token)
			v.Follow("Stop all notices by e-mail")
			expectEmails(t, h, 0)
		})
	}
}

// chooseAll turns on all e-mails of the owner, and returns how many kinds there are.
func chooseAll(t *testing.T, h *testkit.Server) int {
	t.Helper()
	s := notice.NewSettings(h.Owner)
	for _, k := range notice.Kinds() {
		s.Kinds[k] = notice.Choice{Email: notice.AtOnce}
	}
	testkit.Must(0, h.Services.Notices.Change(t.Context(), h.Owner.Actor(), s))
	return len(s.Kinds)
}

func expectEmails(t *testing.T, h *testkit.Server, want int) {
	t.Helper()
	if got := testkit.Must(h.Services.Notices.Settings(t.Context(), h.Owner)); len(got.Kinds) != want {
		t.Errorf("e-mails about %d kinds are on, want %d: %+v", len(got.Kinds), want, got.Kinds)
	}
}

// A mail program sends the form of RFC 8058, without cookies and without the headers of a browser.
func TestMailProgramsStopEmailsWithOneClick(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		want := chooseAll(t, h)
		token := testkit.Must(h.DB.NoticeToken(h.Owner.Account, h.Owner.ID))
		path, form := "/notices/stop/"+token+"?kind=report", url.Values{"List-Unsubscribe": {"One-Click"}}
		if a := h.NewVisitor().Get(path); a.Code != http.StatusOK {
			t.Errorf("got status %d for the page", a.Code)
		}
		expectEmails(t, h, want)
		if a := h.NewVisitor().Post(path, form); a.Code != http.StatusOK {
			t.Errorf("got status %d for one click", a.Code)
		}
		expectEmails(t, h, want-1)
		forged := strings.Replace(path, h.Owner.ID, h.NewMember("Eve", lost.DeskRole).ID, 1)
		if a := h.NewVisitor().Post(forged, form); a.Code != http.StatusNotFound {
			t.Errorf("got status %d for a forged link", a.Code)
		}
	})
}

func TestNoticesCannotBeAboutHiddenLocations(t *testing.T) {
	h := testkit.NewServer(t)
	hotel, zoo := h.NewLocation("Hotel Adler"), h.NewLocation("Zoo")
	u := h.NewMember("Vera", lost.ViewerRole, hotel.ID)
	v := h.As(u)
	page := v.Get("/settings/notices").Body
	if !strings.Contains(page, "Hotel Adler") || strings.Contains(page, "Zoo") {
		t.Error("the form lists other locations than those of the user")
	}
	form := url.Values{
		"report": {"at-once"}, "digestHour": {"8"}, "timeZone": {"UTC"}, "reach": {"some"},
		"locations": {hotel.ID, zoo.ID},
	}
	if a := v.Post("/settings/notices", form); a.Code != http.StatusSeeOther {
		t.Fatalf("got status %d: %s", a.Code, a.Body)
	}
	got := testkit.Must(h.Services.Notices.Settings(t.Context(), u))
	if len(got.Locations) != 1 || got.Locations[0] != hotel.ID {
		t.Errorf("got the locations %v, want %s", got.Locations, hotel.ID)
	}
	form["locations"] = []string{zoo.ID}
	if a := v.Post("/settings/notices", form); a.Code != http.StatusUnprocessableEntity {
		t.Errorf("got status %d for a hidden location, want 422", a.Code)
	}
}
