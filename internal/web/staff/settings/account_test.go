package settings_test

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

func TestTheAccountHasAPrivacyNotice(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		h.NewLocation("Hotel Adler")
		v := h.LogIn()
		now := func() lost.Account { return testkit.Must(h.Services.Accounts.Account(t.Context(), h.Actor)) }
		name := now().Name
		notice := url.Values{"privacyText": {"Used to <return>\r\nyour item."}, "privacyUrl": {"https://a.example/p"}}
		want := lost.PrivacyNotice{Text: "Used to <return>\nyour item.", URL: "https://a.example/p"}
		a := v.Post("/settings/account/privacy", notice)
		if a.Code != http.StatusSeeOther || now().Privacy != want || now().Name != name {
			t.Fatalf("got status %d, %+v", a.Code, now())
		}
		page := v.Get("/settings/account").Body
		if !strings.Contains(page, "Used to &lt;return&gt;\nyour item.</textarea>") ||
			!strings.Contains(page, `value="https://a.example/p"`) ||
			!strings.Contains(page, "privacy notice was saved") {
			t.Errorf("the form does not show the notice: %s", page)
		}
		a = v.Post("/settings/account/privacy",
			url.Values{"privacyText": {"My draft"}, "privacyUrl": {"http://a.example"}})
		if a.Code != http.StatusUnprocessableEntity || !strings.Contains(a.Body, "My draft") ||
			!strings.Contains(a.Body, "Privacy link: Must be an HTTPS URL") || now().Privacy != want {
			t.Errorf("an invalid link: got status %d, %+v", a.Code, now().Privacy)
		}
		v.Post("/settings/account", url.Values{"name": {"Adler & Sons"}})
		if got := now(); got.Privacy != want || got.Name != "Adler & Sons" {
			t.Errorf("after renaming the account: got %+v", got)
		}
		if log := v.Get("/settings/audit").Body; !strings.Contains(log, "privacy notice") ||
			strings.Contains(log, "Used to") {
			t.Errorf("the audit log: %s", log)
		}
		v.Post("/settings/account/privacy", nil)
		if !now().Privacy.Empty() {
			t.Errorf("got %+v after clearing it", now().Privacy)
		}
	})
}

func TestThePrivacyNoticeIsEnteredInABrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l := h.NewLocation("Hotel Adler")
	for _, o := range []browsertest.Options{
		{Phone: true}, {Phone: true, Dark: true}, {}, {Dark: true, NoScript: true},
	} {
		t.Run(o.String(), func(t *testing.T) {
			v := browsertest.New(t, o)
			v.IgnoreError("422")
			stafftest.OpenAsOwner(v, h, at+"/settings/account")
			v.Fill("Privacy text", "We use your details only to return your item.\nWe delete them 180 days later.")
			v.Fill("Privacy link", "example.com")
			v.Follow("Save privacy notice")
			v.See("Must be an HTTPS URL")
			v.CheckAccessibility()
			v.Screenshot("refused")
			v.Fill("Privacy link", "https://adler.example/privacy")
			v.Follow("Save privacy notice")
			v.See("The privacy notice was saved")
			v.CheckAccessibility()
			v.CheckLayoutShift()
			v.Screenshot("account")
			v.Visit(at + "/locations/" + l.ID + "/privacy")
			v.See("Guests see the account’s privacy notice", "We delete them 180 days later.")
			v.CheckAccessibility()
			v.CheckLayoutShift()
			v.Screenshot("location")
		})
	}
}
