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
		away := v.Get("/?location=1")
		if at := away.Header.Get("Location"); away.Code != http.StatusSeeOther ||
			at != "/login?next=%2F%3Flocation%3D1" {
			t.Fatalf("a stranger got %d to %q", away.Code, at)
		}
		wrong := v.Post("/login", url.Values{"email": {h.Owner.Email}, "password": {"not that one"}})
		if wrong.Code != http.StatusUnauthorized || !strings.Contains(wrong.Body, "Wrong e-mail or password") {
			t.Errorf("a wrong password answered %d", wrong.Code)
		}
		in := v.Post("/login",
			url.Values{
				"email": {strings.ToUpper(h.Owner.Email)}, "password": {testkit.Password},
				"next": {"//elsewhere.example"},
			})
		if at := in.Header.Get("Location"); in.Code != http.StatusSeeOther || at != "/" {
			t.Errorf("logging in answered %d to %q", in.Code, at)
		}
		if a := v.Get("/"); a.Code != http.StatusOK || !strings.Contains(a.Body, "Today") {
			t.Errorf("the start page answered %d", a.Code)
		}
		v.Post("/logout", nil)
		if a := v.Get("/"); a.Code != http.StatusSeeOther {
			t.Errorf("after logging out the start page answered %d", a.Code)
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
