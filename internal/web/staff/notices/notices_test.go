package notices_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/lost/notice"
	"homeward/internal/push"
	"homeward/internal/push/pushtest"
	"homeward/internal/services"
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

// A damaged link must not stop more than it says.
func TestALinkWithAnUnknownKindStopsNothing(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		want := chooseAll(t, h)
		token := testkit.Must(h.DB.NoticeToken(h.Owner.Account, h.Owner.ID))
		for _, query := range []string{
			"?kind=reports", "?kind=report&kind=nothing", "?kind=", "?kind=REPORT", "?kind=report%20",
		} {
			path := "/notices/stop/" + token + query
			if a := h.NewVisitor().Get(path); a.Code != http.StatusNotFound {
				t.Errorf("%s: got status %d for the page, want 404", query, a.Code)
			}
			if a := h.NewVisitor().Post(path, url.Values{}); a.Code != http.StatusNotFound {
				t.Errorf("%s: got status %d, want 404", query, a.Code)
			}
			expectEmails(t, h, want)
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

func TestPushMessagesAreOffByDefault(t *testing.T) {
	h := testkit.NewServerWith(t, withPush(t))
	h.NewLocation("Hotel Adler")
	page := h.LogIn().Get("/settings/notices").Body
	boxes := regexp.MustCompile(`<input type="checkbox" name="push"[^>]*>`).FindAllString(page, -1)
	if len(boxes) == 0 {
		t.Fatal("the page offers no push messages")
	}
	for _, box := range boxes {
		if strings.Contains(box, "checked") {
			t.Errorf("%s is chosen by default", box)
		}
	}
	settings := testkit.Must(h.Services.Notices.Settings(t.Context(), h.Owner))
	browsers := testkit.Must(h.Services.Notices.Subscriptions(t.Context(), h.Owner.Actor()))
	if settings.Active() || len(browsers) > 0 {
		t.Errorf("a new user has the settings %+v and %d browsers with push messages", settings, len(browsers))
	}
}

// The browser's push service is not reachable in a test, and headless browsers show no notifications. So the test makes
// the answer of the push service, and runs the script of the service worker on the page.
func TestABrowserShowsPushMessages(t *testing.T) {
	server := pushtest.Start(t)
	subscription := server.NewBrowser().Subscription()
	h, at := testkit.NewBrowserServer(t, withPush(t))
	hotel := h.NewLocation("Hotel Adler")
	v := browsertest.New(t, browsertest.Options{})
	v.ReplacePushService(fmt.Sprintf(`{endpoint: %q, keys: {p256dh: %q, auth: %q}}`,
		subscription.Endpoint, subscription.PublicKey, subscription.AuthSecret))
	stafftest.OpenAsOwner(v, h, at+"/settings/notices")
	v.Run(`document.querySelector('[name=push][value=report]').click()`, nil)
	v.Follow("Save")
	v.Follow("Turn on in this browser")
	v.See("This browser now shows push messages", "Turn off")
	v.CheckAccessibility()
	v.Screenshot("push")
	got := testkit.Must(h.Services.Notices.Subscriptions(t.Context(), h.Owner.Actor()))
	if len(got) != 1 || got[0].Endpoint != subscription.Endpoint || got[0].SessionID == "" {
		t.Fatalf("got %+v", got)
	}
	path := "/at/" + hotel.ID + "/requests"
	var done []string
	v.Run(`(async message => {
		const request = new XMLHttpRequest()
		request.open('GET', '/sw.js', false)
		request.send()
		const handlers = {}, done = [], waits = []
		const waitUntil = promise => waits.push(promise)
		const registration = {
			showNotification: (title, {body, tag, data}) => done.push(['show', title, body, tag, data.url].join(' | ')),
		}
		const clients = {matchAll: async () => [], openWindow: url => done.push('open ' + url)}
		new Function('addEventListener', 'registration', 'clients', request.responseText)(
			(name, handler) => { handlers[name] = handler }, registration, clients)
		handlers.push({data: {json: () => message}, waitUntil})
		handlers.push({data: null, waitUntil})
		for (const url of [message.url, 'https://eve.example/', '//eve.example/']) {
			handlers.notificationclick({notification: {close: () => {}, data: {url}}, waitUntil})
		}
		await Promise.all(waits)
		return done
	})({title: 'New lost report', body: 'K7F-3QD', tag: 'ntc_1', url: '`+path+`'})`, &done)
	want := []string{"show | New lost report | K7F-3QD | ntc_1 | " + path, "open " + at + path}
	if !slices.Equal(done, want) {
		t.Errorf("the service worker did %q, want %q", done, want)
	}
	v.Follow("Turn off in")
	v.See("The browser no longer shows push messages")
}

// withPush sets up push messages.
func withPush(t *testing.T) func(*services.Options) {
	return func(o *services.Options) {
		s, err := push.New(push.Options{
			Transport: http.DefaultTransport, Key: o.DB.PushKey, Contact: "lost@example.com",
			CheckURL: func(string) lost.Problems { return nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		o.Pusher = s
	}
}
