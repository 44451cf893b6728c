package signin_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

func TestAPersonLogsInWithAPasskey(t *testing.T) {
	for _, o := range []browsertest.Options{{Phone: true}, {Dark: true}} {
		t.Run(o.String(), func(t *testing.T) {
			h, at := testkit.NewNamedBrowserServer(t)
			h.NewLocation("Hotel Adler")
			v := browsertest.New(t, o)
			touching, offering := v.AddAuthenticator()
			v.Visit(at + "/settings/profile")
			v.Screenshot("passkey-login")
			stafftest.LogIn(v, h.Owner.Email, testkit.Password)
			v.Follow("Add a passkey")
			v.Screenshot("passkey-new")
			v.Fill("Name of the passkey", "Phone of Anna")
			v.Fill("Your password", "not that one")
			v.Follow("Continue")
			v.See("Is not your password.")
			v.Fill("Your password", testkit.Password)
			v.Follow("Continue")
			v.Screenshot("passkey-make")
			v.CheckAccessibility()
			touching(func() { v.Follow("Create passkey") })
			v.See("The passkey Phone of Anna was added.", "Not yet")
			v.Screenshot("passkey-profile")

			leave(v)
			touching(func() { v.Follow("Use a passkey") })
			v.See("Today")
			leave(v)
			offering(func() { // the browser suggests the passkey, and the user accepts it without pressing the button
				v.Visit(at + "/login?next=%2Fsettings")
				v.See("Your profile")
			})

			in := testkit.Must(h.Services.Sessions.SignIn(t.Context(), h.Owner.Email, testkit.Password, false,
				lost.Client{}))
			testkit.Must(0, h.Services.TOTP.Begin(t.Context(), in))
			n := testkit.Must(h.Services.TOTP.Pending(t.Context(), in))
			testkit.Must(h.Services.TOTP.Confirm(t.Context(), in, testkit.Password, app(h, n.Seed)))
			leave(v)
			touching(func() { v.Follow("Use a passkey") }) // a passkey replaces both login steps
			v.See("Today")
			leave(v)
			stafftest.LogIn(v, h.Owner.Email, testkit.Password)
			v.See("Two-step login")
			v.Screenshot("passkey-step")
			v.CheckAccessibility()
			touching(func() { v.Follow("Use a passkey") })
			v.See("Today")

			v.Visit(at + "/settings/profile")
			v.SeeNot("Not yet")
			v.Follow("Remove Phone of Anna")
			v.Screenshot("passkey-remove")
			touching(func() { v.Follow("Use a passkey instead") })
			v.See("The passkey was removed.")
			leave(v)
			touching(func() { v.Follow("Use a passkey") })
			v.See("Login failed", "This passkey is not registered here.")
			v.CheckAccessibility()
		})
	}
}

// leave logs the visitor out.
func leave(v *browsertest.Visitor) {
	v.Run(`new Promise(done => {
		const open = () => { document.querySelector('form[action="/logout"]').closest("details").open = true; done() }
		document.readyState === "complete" ? open() : addEventListener("load", open)
	})`, nil)
	v.Follow("Log out")
}

func TestPasskeysAreHiddenWithoutScriptsOrAHostName(t *testing.T) {
	h, at := testkit.NewNamedBrowserServer(t)
	v := browsertest.New(t, browsertest.Options{NoScript: true})
	v.Visit(at + "/login")
	v.SeeNot("Use a passkey")
	stafftest.LogIn(v, h.Owner.Email, testkit.Password)
	v.See("Today")

	unnamed := testkit.NewServer(t) // it does not use TLS, so passkeys are not available
	if a := unnamed.LogIn().Get("/settings/profile/passkeys/new"); a.Code != http.StatusSeeOther {
		t.Errorf("got status %d for a new passkey, want 303", a.Code)
	}
	expectResponse(t, unnamed.NewVisitor(), "/login/passkey/options", nil, http.StatusConflict, "")
}

func TestInvalidPasskeyAnswersAreRejected(t *testing.T) {
	h, _ := testkit.NewNamedBrowserServer(t)
	for _, answer := range []string{"", "{}", `{"id":"x"}`, "no JSON"} {
		expectResponse(t, h.NewVisitor(), "/login/passkey", url.Values{"answer": {answer}}, http.StatusBadRequest,
			"unexpected response")
	}
}

func TestAPasswordResetAsksAboutRecentPasskeys(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		h.SendsMail = true
		var keys []lost.Passkey
		testkit.Must(0, h.DB.Write(t.Context(), func(tx *store.Tx) error {
			keys = nil
			for _, name := range []string{"My phone", "Intruder"} {
				k := lost.NewPasskey(h.Owner, name, "{}", tx.Now())
				if err := tx.InsertPasskey(k, store.DirectoryHash(name)); err != nil {
					return err
				}
				keys = append(keys, k)
			}
			return nil
		}))
		testkit.Must(0, h.Services.Profile.ForgotPassword(t.Context(), h.Owner.Email,
			lost.Client{Address: "192.0.2.1"}))
		v, reset := h.NewVisitor(), h.Link(lost.ResetLink)
		if a := v.Get(reset); !strings.Contains(a.Body, "Keep the passkey My phone") ||
			!strings.Contains(a.Body, "Keep the passkey Intruder") {
			t.Errorf("the page does not list the passkeys: %s", a.Body)
		}
		v.Post(reset, url.Values{"password": {"lantern paper violin"}, "keep-" + keys[0].ID: {"yes"}})
		if a := v.Get("/settings/profile"); !strings.Contains(a.Body, "My phone") ||
			strings.Contains(a.Body, "Intruder") {
			t.Errorf("the profile lists other passkeys than the confirmed one: %s", a.Body)
		}
	})
}
