package signin_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/oidc"
	"homeward/internal/oidc/oidctest"
	"homeward/internal/services"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
)

// withProvider returns an option that sets up an external login provider, and stores the provider in p.
func withProvider(t *testing.T, p **oidctest.Provider) func(*services.Options) {
	return func(o *services.Options) {
		back := o.Wire.Base + "/login/back"
		*p = oidctest.New(t, back, o.Now)
		o.IdentityProvider = oidc.New(oidc.Options{
			Issuer: (*p).Issuer, Client: oidctest.Client, Secret: oidctest.Secret, DisplayName: "Example ID",
			RedirectURL: back,
			Now:         o.Now,
		})
	}
}

func TestAPersonLogsInWithTheProvider(t *testing.T) {
	for _, o := range []browsertest.Options{{Phone: true}, {Dark: true, NoScript: true}} {
		t.Run(o.String(), func(t *testing.T) {
			var p *oidctest.Provider
			h, at := testkit.NewNamedBrowserServer(t, withProvider(t, &p))
			h.NewLocation("Hotel Adler")
			v := browsertest.New(t, o)
			p.SetClaims(map[string]any{"email": strings.ToUpper(h.Owner.Email), "email_verified": true})
			p.SetDown(true)
			v.Visit(at + "/settings/profile")
			v.Screenshot("vouch-login")
			v.CheckAccessibility()
			v.Follow("Log in with Example ID")
			v.See("Example ID cannot be reached right now.")
			v.Screenshot("vouch-down")
			v.CheckAccessibility()
			v.Visit(at + "/login")
			v.See("Example ID is not reachable right now.")
			p.SetDown(false)
			h.Clock.Advance(time.Minute)
			v.Visit(at + "/settings/profile")
			v.Follow("Log in with Example ID")
			v.Follow("No")
			v.See("Login failed", "canceled the login")
			v.Screenshot("vouch-denied")
			v.CheckAccessibility()
			v.Visit(at + "/settings/profile")
			v.Follow("Log in with Example ID")
			v.Follow("Yes, it is me")
			v.See("Your profile", "You can log in with Example ID")
			v.Screenshot("vouch-profile")
			v.CheckAccessibility()
			v.Follow("Disconnect")
			v.Fill("Your password", testkit.Password)
			v.Follow("Disconnect")
			v.See("Disconnected.")
			v.SeeNot("You can log in with Example ID")
		})
	}
}

// startLogin logs in at the provider and returns the path to which the provider redirects the visitor back.
func startLogin(t *testing.T, p *oidctest.Provider, v *testkit.Visitor, claims map[string]any) string {
	t.Helper()
	return logInAtProvider(t, p, v, "/login/with?next=/settings", claims)
}

// logInAtProvider is startLogin with the path that redirects to the provider.
func logInAtProvider(t *testing.T, p *oidctest.Provider, v *testkit.Visitor, path string,
	claims map[string]any) string {
	t.Helper()
	p.SetClaims(claims)
	a := v.Get(path)
	to := testkit.Must(url.Parse(a.Header.Get("Location")))
	if a.Code != http.StatusSeeOther || !strings.HasPrefix(to.String(), p.Issuer) {
		t.Fatalf("got redirect %s with status %d", to, a.Code)
	}
	return "/login/back?" + url.Values{"state": {to.Query().Get("state")}, "code": {p.Code(t, to.String())}}.Encode()
}

func TestExternalLoginErrorsAreShown(t *testing.T) {
	var p *oidctest.Provider
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		good := func(more ...any) map[string]any {
			claims := map[string]any{"sub": "anna", "email": h.Owner.Email, "email_verified": true}
			for n := 0; n+1 < len(more); n += 2 {
				claims[more[n].(string)] = more[n+1]
			}
			return claims
		}
		past := h.Clock.Now().Add(-2 * time.Minute).Unix()
		for _, tt := range []struct {
			name, text string
			claims     map[string]any
			modify     func(path string) string
			code       int
		}{
			{"unverified", "has not verified that", good("email_verified", false), nil, http.StatusForbidden},
			{
				"unknown", "Ask an owner or admin of your team to invite you", good("email", "nobody@homeward.example"),
				nil, http.StatusForbidden,
			},
			{"no address", "did not share your e-mail address", good("email", ""), nil, http.StatusForbidden},
			{
				"expired", "The clocks of this service and Example ID differ too much", good("exp", past), nil,
				http.StatusForbidden,
			},
			{
				"too early", "The clocks of this service and Example ID differ too much",
				good("nbf", h.Clock.Now().Add(time.Hour).Unix()), nil, http.StatusForbidden,
			},
			{"for somebody else", "did not confirm who you are", good("aud", "another"), nil, http.StatusForbidden},
			{"another nonce", "did not confirm who you are", good("nonce", "another"), nil, http.StatusForbidden},
			{
				"another issuer", "did not confirm who you are", good("iss", "https://elsewhere.example"), nil,
				http.StatusForbidden,
			},
			{"wrong state", "not started in this browser", good(), func(path string) string {
				return strings.Replace(path, "state=", "state=x", 1)
			}, http.StatusConflict},
			{"wrong code", "did not confirm who you are", good(), func(path string) string {
				return strings.Replace(path, "code=", "code=x", 1)
			}, http.StatusForbidden},
			{"not set up", "is not set up correctly", good(), func(path string) string {
				return path + "&error=%3Cb%3E"
			}, http.StatusForbidden},
		} {
			v := h.NewVisitor()
			path := startLogin(t, p, v, tt.claims)
			if tt.modify != nil {
				path = tt.modify(path)
			}
			a := v.Get(path)
			if a.Code != tt.code || !strings.Contains(a.Body, tt.text) || strings.Contains(a.Body, "<b>") {
				t.Errorf("%s: got status %d: %.1500s", tt.name, a.Code, a.Body)
			}
			if a := v.Get("/settings/profile"); a.Code != http.StatusSeeOther {
				t.Errorf("%s: got status %d for the profile, want 303", tt.name, a.Code)
			}
		}
		late, other := h.NewVisitor(), h.NewVisitor()
		path := startLogin(t, p, late, good())
		if a := other.Get(path); a.Code != http.StatusConflict {
			t.Errorf("got status %d in another browser, want 409", a.Code)
		}
		h.Clock.Advance(15 * time.Minute)
		if a := late.Get(path); a.Code != http.StatusGone || !strings.Contains(a.Body, "This attempt has expired") {
			t.Errorf("got status %d after the timeout, want 410", a.Code)
		}
		if a := h.LogIn().Get("/settings/profile"); strings.Contains(a.Body, "You can log in with") {
			t.Error("an external login was connected")
		}
	}, withProvider(t, &p))
}

// TestAnExternalLoginWithASimilarAddressIsRefused checks addresses that equal a user's address only if accents and
// special characters are ignored. They belong to other people.
func TestAnExternalLoginWithASimilarAddressIsRefused(t *testing.T) {
	var p *oidctest.Provider
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		other := testkit.Must(h.Services.Accounts.Create(t.Context(), "Other"))
		for _, email := range []string{"jurgen.muller@other.example", "strasse@other.example", "anna@oslo.example"} {
			testkit.Must(h.Services.Accounts.CreateUser(t.Context(), other.ID, email, "Robin", testkit.Password))
		}
		for n, email := range []string{
			"jürgen.müller@other.example", "ju\u0308rgen.muller@other.example", "jurgen.muller\u200b@other.example",
			"straße@other.example", "ﬆrasse@other.example", "anna@øslo.example", "anna@ÓSLO.example",
			"\u212aurgen@other.example",
		} {
			v := h.NewVisitor()
			claims := map[string]any{"sub": strconv.Itoa(n), "email": email, "email_verified": true}
			if a := v.Get(startLogin(t, p, v, claims)); a.Code != http.StatusForbidden {
				t.Errorf("%+q: got status %d, want 403", email, a.Code)
			}
		}
		v := h.NewVisitor()
		claims := map[string]any{"sub": "same", "email": "Jurgen.MULLER@OTHER.example", "email_verified": true}
		if a := v.Get(startLogin(t, p, v, claims)); a.Code != http.StatusSeeOther {
			t.Errorf("the same address in other letter case: got status %d, want 303", a.Code)
		}
	}, withProvider(t, &p))
}

// TestASharedInvitationLinkGivesNoExternalLogin checks that nobody is logged in to an account in which somebody else
// has used their address. Without e-mail, an admin can open an invitation for any address and choose the password.
func TestASharedInvitationLinkGivesNoExternalLogin(t *testing.T) {
	var p *oidctest.Provider
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		join := func(email string) {
			t.Helper()
			testkit.Must(h.Services.Team.Invite(t.Context(), h.Actor,
				lost.Membership{Email: email, Name: "Ben", Role: lost.ViewerRole}))
			testkit.Must(h.Services.Team.AcceptInvitation(t.Context(),
				strings.TrimPrefix(h.Link(lost.InvitationLink), "/invitation/"), "Ben", "lantern paper violin",
				lost.Client{Address: "192.0.2.1"}))
		}
		claims := func(email string) map[string]any {
			return map[string]any{"sub": email, "email": email, "email_verified": true}
		}
		join("ben@homeward.example")
		v := h.NewVisitor()
		a := v.Get(startLogin(t, p, v, claims("ben@homeward.example")))
		if a.Code != http.StatusForbidden || !strings.Contains(a.Body, "then connect Example ID in your profile") {
			t.Errorf("external login of the invited address: got status %d", a.Code)
		}
		ben := h.NewVisitor()
		ben.Post("/login", url.Values{"email": {"ben@homeward.example"}, "password": {"lantern paper violin"}})
		const link = "/settings/profile/link"
		a = ben.Get(logInAtProvider(t, p, ben, link, claims("eve@homeward.example")))
		if a.Code != http.StatusForbidden {
			t.Errorf("connecting another address: got status %d, want 403", a.Code)
		}
		a = ben.Get(logInAtProvider(t, p, ben, link, claims("ben@homeward.example")))
		if a.Code != http.StatusSeeOther || a.Header.Get("Location") != "/settings/profile" {
			t.Errorf("connecting the same address: got status %d: %.900s", a.Code, a.Body)
		}
		if a := v.Get(startLogin(t, p, v, claims("ben@homeward.example"))); a.Code != http.StatusSeeOther {
			t.Errorf("external login after connecting: got status %d", a.Code)
		}

		h.SendsMail = true
		join("zoe@homeward.example")
		zoe := h.NewVisitor()
		if a := zoe.Get(startLogin(t, p, zoe, claims("zoe@homeward.example"))); a.Code != http.StatusSeeOther {
			t.Errorf("external login after an invitation by e-mail: got status %d", a.Code)
		}
	}, withProvider(t, &p))
}

func TestAnExternalLoginIsBoundToOneUser(t *testing.T) {
	var p *oidctest.Provider
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		ben := h.NewMember("Ben", lost.DeskRole)
		other := testkit.Must(h.Services.Accounts.Create(t.Context(), "Other"))
		eve := testkit.Must(h.Services.Accounts.CreateUser(t.Context(), other.ID, "eve@other.example", "Eve",
			testkit.Password))
		logIn := func(subject, email string, code int) *testkit.Visitor {
			t.Helper()
			v := h.NewVisitor()
			a := v.Get(startLogin(t, p, v, map[string]any{"sub": subject, "email": email, "email_verified": "true"}))
			if a.Code != code {
				t.Errorf("%s as %s: got status %d: %.800s", subject, email, a.Code, a.Body)
			}
			return v
		}
		expectUser := func(v *testkit.Visitor, u lost.User) {
			t.Helper()
			if a := v.Get("/settings/profile"); a.Code != http.StatusOK || !strings.Contains(a.Body, u.Email) {
				t.Errorf("profile of %s: got status %d, or another user", u.Name, a.Code)
			}
		}
		expectUser(logIn("b", ben.Email, http.StatusSeeOther), ben)
		expectUser(logIn("e", eve.Email, http.StatusSeeOther), eve)
		expectUser(logIn("b", eve.Email, http.StatusSeeOther), ben) // the e-mail address at the provider has changed
		logIn("x", ben.Email, http.StatusForbidden)                 // somebody else now has Ben's address
		testkit.Must(h.Services.Team.SetMemberDisabled(t.Context(), h.Actor, ben.ID, true))
		logIn("b", ben.Email, http.StatusForbidden)
		testkit.Must(h.Services.Accounts.SetDisabled(t.Context(), other.ID, true))
		logIn("e", eve.Email, http.StatusForbidden)
	}, withProvider(t, &p))
}

func TestAnExternalLoginAlsoNeedsTheSecondStep(t *testing.T) {
	var p *oidctest.Provider
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		in := testkit.Must(h.Services.Sessions.SignIn(t.Context(), h.Owner.Email, testkit.Password, false,
			lost.Client{}))
		testkit.Must(0, h.Services.TOTP.Begin(t.Context(), in))
		n := testkit.Must(h.Services.TOTP.Pending(t.Context(), in))
		testkit.Must(h.Services.TOTP.Confirm(t.Context(), in, testkit.Password, app(h, n.Seed)))
		h.Clock.Advance(time.Minute)
		v := h.NewVisitor()
		a := v.Get(startLogin(t, p, v, map[string]any{"email": h.Owner.Email, "email_verified": true}))
		if at := a.Header.Get("Location"); at != "/login/code?next=%2Fsettings" {
			t.Fatalf("got redirect %q with status %d", at, a.Code)
		}
		expectResponse(t, v, "/login/code", url.Values{"code": {app(h, n.Seed)}}, http.StatusSeeOther, "")
		if a := v.Get("/settings/profile"); a.Code != http.StatusOK {
			t.Errorf("got status %d for the profile, want 200", a.Code)
		}
	}, withProvider(t, &p))
}
