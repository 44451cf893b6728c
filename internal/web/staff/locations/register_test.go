package locations_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

func TestThePublicRegisterIsSwitchedOn(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := h.NewLocation("Hotel Adler")
		v, at := h.LogIn(), "/locations/"+l.ID+"/register"
		if l.PublicRegister || !stafftest.Shows(v.Get(at), "Show the public register", "Public areas") {
			t.Error("the register is on for a new location, or there is no page for it")
		}
		v.Post(at, url.Values{"publicRegister": {"yes"}, "publicAreas": {"Lobby\r\n\r\n Pool bar \r\nLobby"}})
		now := testkit.Must(h.Services.Locations.Get(t.Context(), h.Actor, l.ID))
		if !now.PublicRegister || !slices.Equal(now.PublicAreas, []string{"Lobby", "Pool bar"}) {
			t.Errorf("got %t and %q", now.PublicRegister, now.PublicAreas)
		}
		long := v.Post(at, url.Values{"publicRegister": {"yes"}, "publicAreas": {strings.Repeat("x", 61)}})
		if long.Code != http.StatusUnprocessableEntity {
			t.Errorf("got status %d for a name that is too long, want 422", long.Code)
		}
		v.Post(at, url.Values{"publicAreas": {""}})
		now = testkit.Must(h.Services.Locations.Get(t.Context(), h.Actor, l.ID))
		if now.PublicRegister || len(now.PublicAreas) != 0 {
			t.Errorf("got %t and %q after it was switched off", now.PublicRegister, now.PublicAreas)
		}
		log := testkit.Must(h.Services.AuditLog.List(t.Context(), h.Actor,
			lost.AuditFilter{Action: lost.LocationChanged, PageCursor: lost.PageCursor{Limit: 10}})).Data
		if len(log) != 2 {
			t.Errorf("got %d entries in the audit log, want 2", len(log))
		}
	})
}

func TestThePublicRegisterIsSwitchedOnInABrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	for _, o := range []browsertest.Options{{Phone: true}, {NoScript: true}} {
		t.Run(o.String(), func(t *testing.T) {
			l := h.NewLocation("Hotel " + o.String())
			v := browsertest.New(t, o)
			stafftest.OpenAsOwner(v, h, at+"/locations/"+l.ID+"/register")
			v.Click("Show the public register")
			v.Fill("Public areas", "Lobby\nPool")
			v.CheckAccessibility()
			stafftest.ExpectNoOverflow(t, v)
			v.Screenshot("register")
			v.Follow("Save")
			if now := testkit.Must(h.Services.Locations.Get(t.Context(), h.Actor, l.ID)); !now.PublicRegister ||
				!slices.Equal(now.PublicAreas, []string{"Lobby", "Pool"}) {
				t.Errorf("got %t and %q", now.PublicRegister, now.PublicAreas)
			}
		})
	}
}
