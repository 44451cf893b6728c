package signin_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

func TestLoginRedirectsToTheRequestedPage(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		v := h.NewVisitor()
		redirect := v.Get("/?location=1")
		if at := redirect.Header.Get("Location"); redirect.Code != http.StatusSeeOther ||
			at != "/login?next=%2F%3Flocation%3D1" {
			t.Fatalf("got status %d and redirect %q without a login", redirect.Code, at)
		}
		wrong := v.Post("/login", url.Values{"email": {h.Owner.Email}, "password": {"not that one"}})
		if wrong.Code != http.StatusUnauthorized || !strings.Contains(wrong.Body, "Wrong e-mail or password") {
			t.Errorf("got status %d for a wrong password, want 401", wrong.Code)
		}
		in := v.Post("/login",
			url.Values{
				"email": {strings.ToUpper(h.Owner.Email)}, "password": {testkit.Password},
				"next": {"//elsewhere.example"},
			})
		if at := in.Header.Get("Location"); in.Code != http.StatusSeeOther || at != "/" {
			t.Errorf("got status %d and redirect %q after the login", in.Code, at)
		}
		if a := v.Get("/"); a.Code != http.StatusOK || !strings.Contains(a.Body, "Today") {
			t.Errorf("got status %d for the start page, want 200", a.Code)
		}
		v.Post("/logout", nil)
		if a := v.Get("/"); a.Code != http.StatusSeeOther {
			t.Errorf("got status %d for the start page after logout, want 303", a.Code)
		}
	})
}

func TestTheFirstPagesAreAccessible(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	h.NewLocation("Hotel Adler")
	h.NewLocation("Zoo")
	for _, o := range []browsertest.Options{{Phone: true}, {Dark: true}} {
		t.Run(o.String(), func(t *testing.T) {
			v := browsertest.New(t, o)
			v.Visit(at + "/")
			v.Screenshot("login")
			stafftest.LogIn(v, h.Owner.Email, testkit.Password)
			v.See("Today")
			v.Screenshot("today")
		})
	}
}
