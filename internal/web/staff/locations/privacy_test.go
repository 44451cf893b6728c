package locations_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
)

func TestALocationHasAPrivacyNotice(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := h.NewLocation("Hotel Adler")
		v, at := h.LogIn(), "/locations/"+l.ID+"/privacy"
		now := func() lost.Location { return testkit.Must(h.Services.Locations.Get(t.Context(), h.Actor, l.ID)) }
		const link = "https://a.example/p?a=1&b=2"
		notice := url.Values{"privacyText": {"Used to <return>\r\nyour item."}, "privacyUrl": {link}}
		if a := v.Post(at, notice); a.Code != http.StatusSeeOther || now().PrivacyURL != link ||
			now().PrivacyText != "Used to <return>\nyour item." {
			t.Fatalf("got status %d, %+v", a.Code, now())
		}
		if a := v.Get(at); !strings.Contains(a.Body, "Used to &lt;return&gt;\nyour item.</textarea>") ||
			!strings.Contains(a.Body, `value="https://a.example/p?a=1&amp;b=2"`) {
			t.Errorf("the form does not show the notice: %s", a.Body)
		}
		for _, wrong := range []string{
			"http://a.example", "javascript:alert(1)", "https://user:pw@a.example", "a.example",
		} {
			a := v.Post(at, url.Values{"privacyText": {"New"}, "privacyUrl": {wrong}})
			if a.Code != http.StatusUnprocessableEntity ||
				!strings.Contains(a.Body, "Privacy link: Must be an HTTPS URL") || now().PrivacyText == "New" {
				t.Errorf("%s: got status %d, want 422 and no change", wrong, a.Code)
			}
		}
		v.Post(at, url.Values{"privacyText": {""}, "privacyUrl": {""}})
		if got := now(); got.HasPrivacyNotice() {
			t.Errorf("got %q %q after clearing both", got.PrivacyText, got.PrivacyURL)
		}
	})
}

func TestAnAdminSeesTheAccountsPrivacyNotice(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	v, at := h.As(h.NewMember("Mia", lost.AdminRole)), "/locations/"+l.ID+"/privacy"
	const heading = "Guests see the account’s privacy notice"
	if a := v.Get(at); a.Code != http.StatusOK || strings.Contains(a.Body, heading) {
		t.Errorf("an account without a notice: got status %d: %s", a.Code, a.Body)
	}
	h.LogIn().Post("/settings/account/privacy",
		url.Values{"privacyText": {"We <care>"}, "privacyUrl": {"https://all.example/privacy"}})
	if a := v.Get(at); !strings.Contains(a.Body, heading) || !strings.Contains(a.Body, "We &lt;care&gt;") ||
		!strings.Contains(a.Body, `href="https://all.example/privacy"`) {
		t.Errorf("the page does not show the account's notice: %s", a.Body)
	}
	v.Post(at, url.Values{"privacyText": {""}, "privacyUrl": {"https://adler.example/privacy"}})
	if a := v.Get(at); strings.Contains(a.Body, heading) {
		t.Errorf("the page shows the account's notice, which guests do not see: %s", a.Body)
	}
}
