package signin_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff"
	"homeward/internal/web/staff/stafftest"

	"github.com/pquerna/otp/totp"
)

// app returns the code that an authenticator app would show for this seed.
func app(h *testkit.Server, seed string) string {
	return testkit.Must(totp.GenerateCode(strings.ToUpper(strings.Join(strings.Fields(seed), "")), h.Clock.Now()))
}

func TestTwoStepLoginIsSetUpAndUsed(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	h.NewLocation("Hotel Adler")
	v := browsertest.New(t, browsertest.Options{Phone: true})
	v.Visit(at + "/settings/profile")
	stafftest.LogIn(v, h.Owner.Email, testkit.Password)
	v.Screenshot("profile")
	v.Follow("Set up two-step login")
	v.Screenshot("two-step")
	v.CheckAccessibility()
	var seed string
	v.Run(`document.getElementById("seed").textContent`, &seed)
	v.Fill("Your password", "not that one")
	v.Fill("Code", app(h, seed))
	v.Follow("Turn on two-step login")
	v.See("Is not your password")
	v.Fill("Your password", testkit.Password)
	v.Fill("Code", "000000")
	v.Follow("Turn on two-step login")
	v.See("This code is wrong or was already used")
	v.Fill("Your password", testkit.Password)
	v.Fill("Code", app(h, seed))
	v.Follow("Turn on two-step login")
	v.See("Save these recovery codes")
	v.See("You were logged out everywhere else.")
	v.Screenshot("recovery")
	v.CheckAccessibility()
	var recovery string
	v.Run(`document.querySelector(".recovery li").textContent`, &recovery)
	v.Click("Copy")
	v.See("Copied")
	var printed bool
	v.Run(`print = () => { document.title = "on paper" },
				document.querySelector("[data-print]").click(), document.title == "on paper"`, &printed)
	if !printed {
		t.Error("the button does not print")
	}
	v.Follow("I saved them")
	v.See("10 recovery codes are left")
	v.Visit(at + "/settings/audit")
	v.Screenshot("tabs")
	var row string // whether the tabs are in one row and the current tab is visible
	v.Run(`(() => {
		const row = document.querySelector(".tabs"), at = row.querySelector("[aria-current]").getBoundingClientRect()
		return [row.offsetHeight < 60, at.left >= 0, at.right <= innerWidth,
				document.documentElement.scrollWidth <= innerWidth].join(" ")
	})()`, &row)
	if row != "true true true true" {
		t.Errorf("layout of the settings tabs: got %s", row)
	}
	v.CheckAccessibility()
	v.Visit(at + "/settings/account")
	v.Screenshot("account")
	v.CheckAccessibility()
	h.Clock.Advance(time.Minute)
	v.Click("Menu of Administrator")
	v.Follow("Log out")
	stafftest.LogIn(v, h.Owner.Email, testkit.Password)
	v.See("Two-step login")
	v.Screenshot("code")
	v.CheckAccessibility()
	v.Fill("Code", app(h, seed))
	v.Follow("Log in")
	v.See("Today")

	other := browsertest.New(t, browsertest.Options{Dark: true})
	other.Visit(at + "/settings/profile")
	stafftest.LogIn(other, h.Owner.Email, testkit.Password)
	other.Fill("Code", strings.ToUpper(recovery))
	other.Follow("Log in")
	other.See("9 recovery codes are left", "You used a recovery code")
	other.Screenshot("profile-dark")
	other.Follow("Log out everywhere else")
	v.Visit(at + "/")
	v.See("Log in")
}

func TestAnInvitedUserJoins(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	h.SendsMail = true
	h.NewLocation("Hotel Adler")
	h.NewLocation("Zoo")
	v := browsertest.New(t, browsertest.Options{})
	v.Visit(at + "/settings/team")
	stafftest.LogIn(v, h.Owner.Email, testkit.Password)
	v.Follow("Invite a user")
	v.Screenshot("invite")
	v.Fill("Name", "Ben Bell")
	v.Fill("E-mail address", "ben@homeward.example")
	v.Click("Zoo")
	v.Follow("Invite")
	v.See("The invitation was sent to ben@homeward.example.", "Invited")
	v.Screenshot("team")

	ben := browsertest.New(t, browsertest.Options{Phone: true, Dark: true})
	ben.Visit(at + h.Link(lost.InvitationLink))
	ben.Screenshot("invitation")
	ben.Fill("Password", "password2026")
	ben.Follow("Join")
	ben.See("Is easy to guess; use three unrelated words")
	ben.Fill("Password", "lantern paper violin")
	ben.Follow("Join")
	ben.See("Welcome, Ben Bell.")
	ben.Visit(at + "/settings/team")
	ben.See("Permission denied")

	v.Reload()
	v.Follow("Ben Bell")
	v.Screenshot("member")
	v.Follow("Block user")
	v.See("Ben Bell was logged out everywhere and can no longer log in.")
	ben.Visit(at + "/")
	ben.See("Log in")
}

func TestAForgottenPasswordIsReplaced(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	h.SendsMail = true
	v := browsertest.New(t, browsertest.Options{Phone: true})
	v.Visit(at + "/login")
	v.Follow("Forgot your password?")
	v.Screenshot("forgot")
	v.Fill("E-mail address", h.Owner.Email)
	v.Follow("Send me a link")
	v.See("Check your e-mail")
	v.Screenshot("forgot-sent")
	link := h.Link(lost.ResetLink)
	v.SetOptions(browsertest.Options{Dark: true}) // the user opens the e-mail on a desktop
	v.Visit(at + link)
	v.Screenshot("reset")
	v.Fill("New password", "lantern paper violin")
	v.Follow("Save and log in")
	v.See("Your password was changed.", "Today")
	v.Visit(at + link)
	v.See("This link no longer works")
	v.CheckAccessibility()
}

func TestTooManyAttemptsSayWhenToTryAgain(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	v := browsertest.New(t, browsertest.Options{Phone: true, Dark: true})
	v.Visit(at + "/login")
	for range 6 {
		stafftest.LogIn(v, h.Owner.Email, "not that one")
		v.See("Wrong e-mail or password")
	}
	stafftest.LogIn(v, h.Owner.Email, "not that one")
	v.See("Too many attempts. Try again in 15 seconds.")
	if v.Status() != http.StatusTooManyRequests {
		t.Errorf("got status %d, want 429", v.Status())
	}
	v.Screenshot("throttled")
	v.CheckAccessibility()
	h.Clock.Advance(15 * time.Second)
	stafftest.LogIn(v, h.Owner.Email, testkit.Password)
	v.See("Today")
}

// expectResponse sends a form and fails the test unless the response has this status and contains the text.
func expectResponse(t *testing.T, v *testkit.Visitor, path string, form url.Values, code int,
	text string) testkit.Response {
	t.Helper()
	a := v.Post(path, form)
	if a.Code != code || !strings.Contains(a.Body, text) {
		t.Errorf("%s: got status %d, want %d and %q in %.2000s", path, a.Code, code, text, a.Body)
	}
	return a
}

func TestTheResponseDoesNotRevealKnownAddresses(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		h.SendsMail = true
		name := regexp.MustCompile(`(owner|nobody)@homeward\.example`)
		var pages [2]string
		for n, email := range []string{"owner@homeward.example", "nobody@homeward.example"} {
			a := expectResponse(t, h.NewVisitor(), "/forgot", url.Values{"email": {email}}, http.StatusOK,
				"Check your e-mail")
			pages[n] = name.ReplaceAllString(a.Body, "somebody")
		}
		if pages[0] != pages[1] {
			t.Error("the responses for known and unknown addresses differ")
		}
		a := h.NewVisitor().Get(h.Link(lost.ResetLink) + "x")
		if a.Code != http.StatusGone {
			t.Errorf("got status %d for a wrong link, want 410", a.Code)
		}
	})
}

func TestASessionWaitingForTheSecondStepOpensNothingElse(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		in := testkit.Must(h.Services.Sessions.SignIn(t.Context(), h.Owner.Email, testkit.Password, false,
			lost.Client{}))
		testkit.Must(0, h.Services.TOTP.Begin(t.Context(), in))
		n := testkit.Must(h.Services.TOTP.Pending(t.Context(), in))
		testkit.Must(h.Services.TOTP.Confirm(t.Context(), in, testkit.Password, app(h, n.Seed)))
		h.Clock.Advance(time.Minute)
		v := h.NewVisitor()
		a := expectResponse(t, v, "/login",
			url.Values{"email": {h.Owner.Email}, "password": {testkit.Password}, "next": {"/settings/team"}},
			http.StatusSeeOther, "")
		if at := a.Header.Get("Location"); at != "/login/code?next=%2Fsettings%2Fteam" {
			t.Errorf("got redirect %q", at)
		}
		for _, path := range []string{"/", "/settings/profile", "/settings/team"} {
			if a := v.Get(path); a.Code != http.StatusSeeOther {
				t.Errorf("%s: got status %d, want 303", path, a.Code)
			}
		}
		a = expectResponse(t, v, "/login/code", url.Values{"code": {app(h, n.Seed)}, "next": {"/settings/team"}},
			http.StatusSeeOther, "")
		if at := a.Header.Get("Location"); at != "/settings/team" {
			t.Errorf("got redirect %q", at)
		}
		if a := v.Get("/settings/team"); a.Code != http.StatusOK {
			t.Errorf("got status %d for the team page, want 200", a.Code)
		}
	})
}

func TestCookiesAreHTTPOnlyAndSameSite(t *testing.T) {
	h := testkit.NewServer(t)
	v := h.NewVisitor()
	a := v.Post("/login", url.Values{"email": {h.Owner.Email}, "password": {testkit.Password}, "stay": {"yes"}})
	for _, line := range a.Header.Values("Set-Cookie") {
		if !strings.Contains(line, "; HttpOnly; SameSite=Lax") || !strings.Contains(line, "Path=/;") {
			t.Errorf("the cookie lacks an attribute: %s", line)
		}
	}
	if n := len(a.Header.Values("Set-Cookie")); n != 2 {
		t.Errorf("got %d cookies, want 2", n)
	}
}

func TestWithTLSCookiesHaveTheHostPrefix(t *testing.T) {
	h := testkit.NewServer(t)
	handler := testkit.Must(staff.New(staff.Options{
		Services: h.Services, Base: "https://homeward.example", Assets: testkit.Must(respond.NewAssets()),
		Now: h.Clock.Now,
	}))
	form := url.Values{"email": {h.Owner.Email}, "password": {testkit.Password}}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "https://homeward.example/login",
		strings.NewReader(form.Encode()))
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	cookies := w.Result().Cookies()
	for _, c := range cookies {
		if !strings.HasPrefix(c.Name, "__Host-") || !c.Secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode ||
			c.Domain != "" || c.Path != "/" {
			t.Errorf("the cookie lacks an attribute: %v", c)
		}
	}
	if len(cookies) != 2 {
		t.Errorf("got %d cookies, want 2", len(cookies))
	}
}

func TestWithoutEmailAnAdminPassesOnTheInvitationLink(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		v := h.LogIn()
		expectResponse(t, v, "/settings/team/invite", url.Values{"email": {"ben"}, "name": {""}, "role": {"king"}},
			http.StatusUnprocessableEntity, "Please check the form")
		expectResponse(t, v, "/settings/team/invite",
			url.Values{"email": {"ben@homeward.example"}, "name": {"<b>Ben</b>"}, "role": {"viewer"}},
			http.StatusSeeOther, "")
		link := h.Link(lost.InvitationLink)
		a := v.Get("/settings/team")
		if !strings.Contains(a.Body, testkit.Base+link) || !strings.Contains(a.Body, "&lt;b&gt;Ben") ||
			strings.Contains(a.Body, "<b>Ben") {
			t.Errorf("the page does not show the link, or does not escape the name: %s", a.Body)
		}
		expectResponse(t, h.NewVisitor(), link, url.Values{"name": {"Ben"}, "password": {"lantern paper violin"}},
			http.StatusSeeOther, "")
		if a := h.NewVisitor().Get("/forgot"); !strings.Contains(a.Body, "homeward user reset") {
			t.Errorf("the page does not say how to get a new password: %s", a.Body)
		}
		for _, email := range []string{"owner@homeward.example", "nobody@homeward.example"} {
			expectResponse(t, h.NewVisitor(), "/forgot", url.Values{"email": {email}}, http.StatusOK,
				"homeward user reset")
		}
	})
}
