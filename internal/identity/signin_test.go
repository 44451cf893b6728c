package identity_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/services"
	"homeward/internal/testkit"
)

// account is a testkit.Account with additional helpers.
type account struct{ *testkit.Account }

func eachAccount(t *testing.T, fn func(l *account), change ...func(*services.Options)) {
	t.Helper()
	change = append([]func(*services.Options){withoutBase}, change...)
	testkit.EachAccount(t, func(a *testkit.Account) { fn(&account{a}) }, change...)
}

// withoutBase removes the service's base URL, so that links are only paths and passkeys are not available.
func withoutBase(o *services.Options) { o.Wire.Base = "" }

// withPassword returns a change to a new password that keeps no recent passkeys.
func withPassword(password string) identity.PasswordChange {
	return identity.PasswordChange{Password: password}
}

func TestFailedLoginsAreThrottledWithoutLockingTheUserOut(t *testing.T) {
	eachAccount(t, func(l *account) {
		home := testkit.ClientAt("192.0.2.1")
		known := testkit.Must(l.SignIn(l.Owner.Email, testkit.OwnerPassword, home))
		home.Mark = known.BrowserMark
		stranger := testkit.ClientAt("192.0.2.2")
		for range 5 {
			_, err := l.SignIn(l.Owner.Email, "wrong password", stranger)
			l.ExpectCode(err, lost.Unauthorized, "wrong password")
		}
		_, err := l.SignIn(l.Owner.Email, "wrong password", stranger)
		l.ExpectCode(err, lost.Unauthorized, "last attempt before the wait")
		_, err = l.SignIn(l.Owner.Email, testkit.OwnerPassword, stranger)
		l.ExpectCode(err, lost.TooMany, "correct password during the wait")
		if want := lost.RateLimitError(15 * time.Second); err.Error() != want.Error() {
			t.Errorf("got %v, want %v", err, want)
		}
		if _, err := l.SignIn(l.Owner.Email, testkit.OwnerPassword, testkit.ClientAt("192.0.2.3")); err != nil {
			t.Errorf("log-in from another address: %v", err)
		}
		home.Address = stranger.Address // the owner now has the same IP address as the stranger
		if _, err := l.SignIn(l.Owner.Email, testkit.OwnerPassword, home); err != nil {
			t.Errorf("log-in from a known browser: %v", err)
		}
		l.Clock.Advance(15 * time.Second)
		if _, err := l.SignIn(l.Owner.Email, testkit.OwnerPassword, stranger); err != nil {
			t.Errorf("after the wait: %v", err)
		}
		for range 6 { // the correct password has reset the count of attempts
			_, err := l.SignIn(l.Owner.Email, "wrong password", stranger)
			l.ExpectCode(err, lost.Unauthorized, "wrong password after a success")
		}
	})
}

// TestStrangersCannotPreventALogin checks that many wrong passwords from many addresses do not keep the owner out, who
// may use an unknown browser and may also mistype the password.
func TestStrangersCannotPreventALogin(t *testing.T) {
	eachAccount(t, func(l *account) {
		attack := func() {
			for n := range 100 {
				_, err := l.SignIn(l.Owner.Email, "wrong password", testkit.ClientAt(fmt.Sprintf("198.51.100.%d", n)))
				if code := lost.CodeOf(err); code != lost.Unauthorized && code != lost.TooMany {
					t.Fatal(err)
				}
			}
		}
		attack()
		owner := testkit.ClientAt("192.0.2.1")
		if _, err := l.SignIn(l.Owner.Email, testkit.OwnerPassword, owner); err != nil {
			t.Errorf("correct password during the attack: %v", err)
		}
		for range 2 {
			_, err := l.SignIn(l.Owner.Email, "mistyped", owner)
			l.ExpectCode(err, lost.Unauthorized, "wrong password during the attack")
		}
		_, err := l.SignIn(l.Owner.Email, testkit.OwnerPassword, owner)
		l.ExpectCode(err, lost.TooMany, "third attempt during the attack")
		for range 4 { // the attack goes on while the owner waits
			l.Clock.Advance(15 * time.Second)
			attack()
		}
		if _, err := l.SignIn(l.Owner.Email, testkit.OwnerPassword, owner); err != nil {
			t.Errorf("correct password after the wait: %v", err)
		}
	})
}

func TestConcurrentLoginsDoNotBypassTheThrottle(t *testing.T) {
	eachAccount(t, func(l *account) {
		var mu sync.Mutex
		var attempts sync.WaitGroup
		codes := map[lost.Code]int{}
		for range 12 {
			attempts.Go(func() {
				_, err := l.SignIn("nobody@hotel.example", "wrong password", testkit.ClientAt("192.0.2.9"))
				mu.Lock()
				defer mu.Unlock()
				codes[lost.CodeOf(err)]++
			})
		}
		attempts.Wait()
		if codes[lost.Unauthorized] != 6 || codes[lost.TooMany] != 6 {
			t.Errorf("got %v, want 6 unauthorized and 6 throttled", codes)
		}
	})
}

func TestABrowserMarkIsValidForItsUserOnly(t *testing.T) {
	eachAccount(t, func(l *account) {
		l.NewMember("anna", lost.DeskRole)
		c := testkit.ClientAt("192.0.2.1")
		c.Mark = testkit.Must(l.SignIn("anna@hotel.example", "a password of anna", c)).BrowserMark
		for range 6 {
			_, err := l.SignIn(l.Owner.Email, "wrong password", c)
			l.ExpectCode(err, lost.Unauthorized, "wrong password")
		}
		_, err := l.SignIn(l.Owner.Email, "wrong password", c)
		l.ExpectCode(err, lost.TooMany, "browser known for another user")
		both := testkit.Must(l.SignIn("anna@hotel.example", "a password of anna", c)) // Anna is not throttled
		if both.BrowserMark != c.Mark {
			t.Error("the browser's mark changed although it already contains the user")
		}
		l.Clock.Advance(time.Minute)
		c.Mark = testkit.Must(l.SignIn(l.Owner.Email, testkit.OwnerPassword, c)).BrowserMark
		if strings.Count(c.Mark, ".") != 2 {
			t.Errorf("mark of a shared browser: got %q, want two users", c.Mark)
		}
	})
}

func TestTwoStepLoginNeedsACodeThatIsUsedOnce(t *testing.T) {
	eachAccount(t, func(l *account) {
		in := l.LoggedIn()
		seed, recovery := l.SetUpTOTP(in)
		if len(recovery) != lost.RecoveryCodes {
			t.Fatalf("got %d recovery codes", len(recovery))
		}
		half := testkit.Must(l.SignIn(l.Owner.Email, testkit.OwnerPassword, testkit.ClientAt("192.0.2.1")))
		if !half.Session.NeedsSecondStep || half.BrowserMark != "" {
			t.Fatalf("the session does not wait for a second step: %+v", half)
		}
		_, err := l.Services.Sessions.ByToken(t.Context(), half.Token, lost.Client{})
		l.ExpectCode(err, lost.Unauthorized, "waiting session used as a full session")
		half = testkit.Must(l.Services.Sessions.WaitingByToken(t.Context(), half.Token, lost.Client{}))
		_, err = l.Services.TOTP.Verify(t.Context(), half, l.TOTPCode(seed), testkit.ClientAt("192.0.2.1"))
		l.ExpectCode(err, lost.Invalid, "code that was used during setup")
		l.Clock.Advance(30 * time.Second)
		whole := testkit.Must(l.Services.TOTP.Verify(t.Context(), half, l.TOTPCode(seed),
			testkit.ClientAt("192.0.2.1")))
		if !slices.Equal(whole.Session.Proofs, []lost.AuthProof{lost.PasswordProof, lost.CodeProof}) ||
			whole.BrowserMark == "" {
			t.Errorf("got proofs %v", whole.Session.Proofs)
		}
		testkit.Must(l.Services.Sessions.ByToken(t.Context(), whole.Token, lost.Client{}))
		_, err = l.Services.TOTP.Verify(t.Context(), half, recovery[0], testkit.ClientAt("192.0.2.1"))
		l.ExpectCode(err, lost.Unauthorized, "waiting session after it was completed")

		half = testkit.Must(l.SignIn(l.Owner.Email, testkit.OwnerPassword, testkit.ClientAt("192.0.2.1")))
		testkit.Must(l.Services.TOTP.Verify(t.Context(), half, strings.ToUpper(recovery[3]),
			testkit.ClientAt("192.0.2.1")))
		if n := testkit.Must(l.Services.TOTP.RecoveryLeft(t.Context(), whole)); n != lost.RecoveryCodes-1 {
			t.Errorf("got %d recovery codes left", n)
		}
		half = testkit.Must(l.SignIn(l.Owner.Email, testkit.OwnerPassword, testkit.ClientAt("192.0.2.1")))
		_, err = l.Services.TOTP.Verify(t.Context(), half, recovery[3], testkit.ClientAt("192.0.2.1"))
		l.ExpectCode(err, lost.Invalid, "second use of a recovery code")
		l.Clock.Advance(6 * time.Minute)
		_, err = l.Services.Sessions.WaitingByToken(t.Context(), half.Token, lost.Client{})
		l.ExpectCode(err, lost.Unauthorized, "expired waiting session")
	})
}

func TestTurningTwoStepLoginOnNeedsThePassword(t *testing.T) {
	eachAccount(t, func(l *account) {
		in := l.LoggedIn()
		l.ExpectCode(l.Services.TOTP.Begin(t.Context(), in), "", "setup")
		n := testkit.Must(l.Services.TOTP.Pending(t.Context(), in))
		_, err := l.Services.TOTP.Confirm(t.Context(), in, "", l.TOTPCode(n.Seed))
		l.ExpectCode(err, lost.Invalid, "no password")
		_, err = l.Services.TOTP.Confirm(t.Context(), in, "wrong password", l.TOTPCode(n.Seed))
		l.ExpectCode(err, lost.Invalid, "wrong password")
		_, err = l.Services.TOTP.Confirm(t.Context(), in, testkit.OwnerPassword, "000000")
		l.ExpectCode(err, lost.Invalid, "wrong code")
		if in := testkit.Must(l.SignIn(l.Owner.Email, testkit.OwnerPassword,
			testkit.ClientAt("192.0.2.1"))); in.Session.NeedsSecondStep {
			t.Error("a code is required before two-step login is on")
		}
		testkit.Must(l.Services.TOTP.Confirm(t.Context(), in, testkit.OwnerPassword, l.TOTPCode(n.Seed)))
		if in := testkit.Must(l.SignIn(l.Owner.Email, testkit.OwnerPassword,
			testkit.ClientAt("192.0.2.1"))); !in.Session.NeedsSecondStep {
			t.Error("no code is required")
		}
	})
}

func TestGuessingCodesIsThrottled(t *testing.T) {
	eachAccount(t, func(l *account) {
		l.SetUpTOTP(l.LoggedIn())
		l.Clock.Advance(time.Minute)
		half := testkit.Must(l.SignIn(l.Owner.Email, testkit.OwnerPassword, testkit.ClientAt("192.0.2.1")))
		for range 6 {
			_, err := l.Services.TOTP.Verify(t.Context(), half, "000000", testkit.ClientAt("192.0.2.1"))
			l.ExpectCode(err, lost.Invalid, "wrong code")
		}
		_, err := l.Services.TOTP.Verify(t.Context(), half, "000000", testkit.ClientAt("192.0.2.7"))
		l.ExpectCode(err, lost.TooMany, "too many codes from another address")
	})
}

func TestTurningTwoStepLoginOffNeedsThePassword(t *testing.T) {
	eachAccount(t, func(l *account) {
		in := l.LoggedIn()
		l.SetUpTOTP(in)
		l.ExpectCode(l.Services.TOTP.Begin(t.Context(), in), lost.Conflict, "second setup")
		l.ExpectCode(l.Services.TOTP.Disable(t.Context(), in, "wrong password"), lost.Invalid, "wrong password")
		_, err := l.Services.TOTP.RenewRecovery(t.Context(), in, "wrong password")
		l.ExpectCode(err, lost.Invalid, "new recovery codes with a wrong password")
		if again := testkit.Must(l.Services.TOTP.RenewRecovery(t.Context(), in,
			testkit.OwnerPassword)); len(again) != lost.RecoveryCodes {
			t.Errorf("got %d new codes", len(again))
		}
		l.ExpectCode(l.Services.TOTP.Disable(t.Context(), in, testkit.OwnerPassword), "", "correct password")
		if in := testkit.Must(l.SignIn(l.Owner.Email, testkit.OwnerPassword,
			testkit.ClientAt("192.0.2.1"))); in.Session.NeedsSecondStep {
			t.Error("a code is still required")
		}
	})
}

func TestAPasswordResetLinkWorksOnce(t *testing.T) {
	eachAccount(t, func(l *account) {
		in := l.LoggedIn()
		l.ExpectCode(l.Services.Profile.ForgotPassword(t.Context(), "nobody@hotel.example",
			testkit.ClientAt("192.0.2.1")),
			"",
			"unknown address")
		l.ExpectCode(l.Services.Profile.ForgotPassword(t.Context(), strings.ToUpper(l.Owner.Email),
			testkit.ClientAt("192.0.2.1")),
			"", "known address")
		token := l.Token(lost.ResetLink)
		_, err := l.Services.Profile.ResetPassword(t.Context(), token, withPassword("password123"),
			testkit.ClientAt("192.0.2.1"))
		l.ExpectCode(err, lost.Invalid, "common password")
		_, err = l.Services.Team.AcceptInvitation(t.Context(), token, "Somebody", "lantern paper violin",
			testkit.ClientAt("192.0.2.1"))
		l.ExpectCode(err, lost.NotFound, "link used for another purpose")
		again := testkit.Must(l.Services.Profile.ResetPassword(t.Context(), token, withPassword("lantern paper violin"),
			testkit.ClientAt("192.0.2.1")))
		testkit.Must(l.Services.Sessions.ByToken(t.Context(), again.Token, lost.Client{}))
		_, err = l.Services.Sessions.ByToken(t.Context(), in.Token, lost.Client{})
		l.ExpectCode(err, lost.Unauthorized, "session from before the reset")
		_, err = l.Services.Profile.ResetPassword(t.Context(), token, withPassword("lantern paper violin"),
			testkit.ClientAt("192.0.2.1"))
		l.ExpectCode(err, lost.NotFound, "second use of the link")
		_, err = l.SignIn(l.Owner.Email, testkit.OwnerPassword, testkit.ClientAt("192.0.2.4"))
		l.ExpectCode(err, lost.Unauthorized, "old password")
		if _, err = l.SignIn(l.Owner.Email, "lantern paper violin", testkit.ClientAt("192.0.2.4")); err != nil {
			t.Error(err)
		}
		l.ExpectCode(l.Services.Profile.ForgotPassword(t.Context(), l.Owner.Email, testkit.ClientAt("192.0.2.1")), "",
			"second link")
		token = l.Token(lost.ResetLink)
		l.Clock.Advance(time.Hour)
		_, err = l.Services.Profile.ResetPassword(t.Context(), token, withPassword("lantern paper violin 2"),
			testkit.ClientAt("192.0.2.1"))
		l.ExpectCode(err, lost.Gone, "expired link")
	})
}

// TestUnknownAddressesCostAsMuchAsKnownOnes checks that a request for a reset link stores the same records for every
// address, so that the response time does not reveal who has a user.
func TestUnknownAddressesCostAsMuchAsKnownOnes(t *testing.T) {
	eachAccount(t, func(l *account) {
		blocked := l.NewMember("anna", lost.DeskRole)
		testkit.Must(l.Services.Team.SetMemberDisabled(t.Context(), l.Owner.Actor(), blocked.ID, true))
		for n, email := range []string{"nobody@hotel.example", blocked.Email} {
			err := l.Services.Profile.ForgotPassword(t.Context(), email, testkit.ClientAt("192.0.2.1"))
			l.ExpectCode(err, "", email)
			stored := testkit.Must(l.DB.Tickets(t.Context(), "", lost.ResetLink, 10))
			sent := func(l lost.EmailLink) bool { return l.Email == email }
			if len(stored) != n+1 || !slices.ContainsFunc(stored, sent) {
				t.Errorf("%s: stored %+v", email, stored)
			}
		}
		if own := testkit.Must(l.DB.Tickets(t.Context(), l.Owner.Account, lost.ResetLink, 10)); len(own) > 0 {
			t.Errorf("the account has the links %+v", own)
		}
	})
}

func TestResetLinksAreSentToKnownAddressesOnly(t *testing.T) {
	eachAccount(t, func(l *account) {
		err := l.Services.Profile.ForgotPassword(t.Context(), "Anna", testkit.ClientAt("192.0.2.1"))
		if found := lost.ProblemsOf(err); len(found) != 1 || found[0].Field != "email" {
			t.Errorf("invalid address: got %v, want a problem with email", err)
		}
	})
}

func TestPasswordResetsAreThrottled(t *testing.T) {
	eachAccount(t, func(l *account) {
		var codes [2][]lost.Code
		for n, email := range []string{l.Owner.Email, "nobody@hotel.example"} {
			for range 6 {
				err := l.Services.Profile.ForgotPassword(t.Context(), email, testkit.ClientAt("192.0.2.1"))
				code := lost.Code("")
				if err != nil {
					code = lost.CodeOf(err)
				}
				codes[n] = append(codes[n], code)
			}
		}
		if want := []lost.Code{"", "", "", "", lost.TooMany, lost.TooMany}; !slices.Equal(codes[0], want) ||
			!slices.Equal(codes[0], codes[1]) {
			t.Errorf("got %q", codes)
		}
	})
}

func TestAnOperatorCreatesAResetLinkWithoutTheSecret(t *testing.T) {
	eachAccount(t, func(l *account) {
		l.SetUpTOTP(l.LoggedIn())
		link, _, err := l.Services.Profile.ResetLink(t.Context(), l.Owner.Email, true)
		if err != nil {
			t.Fatal(err)
		}
		at := testkit.Must(url.Parse(link))
		in := testkit.Must(l.Services.Profile.ResetPassword(t.Context(), strings.TrimPrefix(at.Path, "/reset/"),
			withPassword("lantern paper violin"), testkit.ClientAt("192.0.2.1")))
		if in.Session.NeedsSecondStep {
			t.Error("a second step is required after two-step login was disabled")
		}
		_, _, err = l.Services.Profile.ResetLink(t.Context(), "nobody@hotel.example", false)
		l.ExpectCode(err, lost.NotFound, "nobody")
	})
}

func TestANewEmailAddressMustBeConfirmed(t *testing.T) {
	eachAccount(t, func(l *account) {
		in := l.LoggedIn()
		l.NewMember("anna", lost.AdminRole)
		l.ExpectCode(l.Services.Profile.ChangeEmail(t.Context(), in, "wrong password", "new@hotel.example"),
			lost.Invalid,
			"wrong password")
		l.ExpectCode(l.Services.Profile.ChangeEmail(t.Context(), in, testkit.OwnerPassword, "new"), lost.Invalid,
			"invalid address")
		l.ExpectCode(l.Services.Profile.ChangeEmail(t.Context(), in, testkit.OwnerPassword, "anna@hotel.example"), "",
			"address of a colleague, which is not revealed")
		_, err := l.Services.Profile.ConfirmEmail(t.Context(), l.Token(lost.AddressLink), testkit.ClientAt("192.0.2.1"))
		l.ExpectCode(err, lost.Conflict, "confirmation of a colleague's address")
		l.ExpectCode(l.Services.Profile.ChangeEmail(t.Context(), in, testkit.OwnerPassword, "new@hotel.example"), "",
			"new address")
		testkit.Must(l.SignIn(l.Owner.Email, testkit.OwnerPassword, testkit.ClientAt("192.0.2.1")))
		testkit.Must(l.Services.Profile.ConfirmEmail(t.Context(), l.Token(lost.AddressLink),
			testkit.ClientAt("192.0.2.1")))
		testkit.Must(l.SignIn("NEW@hotel.example", testkit.OwnerPassword, testkit.ClientAt("192.0.2.1")))
		_, err = l.SignIn(l.Owner.Email, testkit.OwnerPassword, testkit.ClientAt("192.0.2.1"))
		l.ExpectCode(err, lost.Unauthorized, "old address")
	})
}

func TestAPendingChangeOfAddressEndsWithThePassword(t *testing.T) {
	eachAccount(t, func(l *account) {
		intruder := l.LoggedIn()
		askForChange := func(password string) (token string) {
			t.Helper()
			l.ExpectCode(l.Services.Profile.ChangeEmail(t.Context(), intruder, password, "intruder@hotel.example"), "",
				"change of address")
			return l.Token(lost.AddressLink)
		}
		confirm := func(token, name string) {
			t.Helper()
			_, err := l.Services.Profile.ConfirmEmail(t.Context(), token, testkit.ClientAt("192.0.2.1"))
			l.ExpectCode(err, lost.NotFound, name)
		}
		token := askForChange(testkit.OwnerPassword)
		l.ExpectCode(l.Services.Profile.ForgotPassword(t.Context(), l.Owner.Email, testkit.ClientAt("192.0.2.9")), "",
			"reset link")
		intruder = testkit.Must(l.Services.Profile.ResetPassword(t.Context(), l.Token(lost.ResetLink),
			withPassword("lantern paper violin"), testkit.ClientAt("192.0.2.9")))
		confirm(token, "confirmation after a password reset")
		token = askForChange("lantern paper violin")
		testkit.Must(l.Services.Profile.ChangePassword(t.Context(), intruder, "lantern paper violin",
			withPassword("violin paper lantern"), testkit.ClientAt("192.0.2.9")))
		confirm(token, "confirmation after a change of password")
	})
}

func TestANewPasswordEndsEverySession(t *testing.T) {
	eachAccount(t, func(l *account) {
		in, other := l.LoggedIn(), l.LoggedIn()
		renewed := testkit.Must(l.Services.Profile.ChangePassword(t.Context(), in, testkit.OwnerPassword,
			withPassword("lantern paper violin"), testkit.ClientAt("192.0.2.1")))
		for name, s := range map[string]identity.Session{"the same browser": in, "another browser": other} {
			_, err := l.Services.Sessions.ByToken(t.Context(), s.Token, lost.Client{})
			l.ExpectCode(err, lost.Unauthorized, "old session of "+name)
		}
		testkit.Must(l.Services.Sessions.ByToken(t.Context(), renewed.Token, lost.Client{}))
	})
}

// TestTurningTwoStepLoginOnEndsTheOtherSessions checks that a session which was started without the second step does
// not outlive the moment at which the second step is turned on.
func TestTurningTwoStepLoginOnEndsTheOtherSessions(t *testing.T) {
	eachAccount(t, func(l *account) {
		l.NewMember("anna", lost.DeskRole)
		anna := testkit.Must(l.SignIn("anna@hotel.example", "a password of anna", testkit.ClientAt("192.0.2.1")))
		other, here := l.LoggedIn(), l.LoggedIn()
		l.SetUpTOTP(here)
		l.expectOnlySession(here, other, anna)
		l.expectNote("user " + l.Owner.Email + ", owner: two-step login switched on, other sessions ended")
	})
}

// expectOnlySession checks that here is the only session of its user that is left, and that anna is still logged in.
func (l *account) expectOnlySession(here, other, anna identity.Session) {
	l.T.Helper()
	if _, err := l.Services.Sessions.ByToken(l.T.Context(), anna.Token, lost.Client{}); err != nil {
		l.T.Errorf("session of a colleague: %v", err)
	}
	all := testkit.Must(l.Services.Sessions.List(l.T.Context(), here))
	if len(all) != 1 || all[0].ID != here.Session.ID {
		l.T.Errorf("got %d sessions, want only %s and not %s", len(all), here.Session.ID, other.Session.ID)
	}
}

// expectNote checks that the newest change to a person in the audit log has the given note.
func (l *account) expectNote(want string) {
	l.T.Helper()
	if notes := l.AuditNotes(lost.PersonChanged); len(notes) == 0 || notes[len(notes)-1] != want {
		l.T.Errorf("got audit notes %q, want %q last", notes, want)
	}
}

func TestAUserListsAndEndsSessions(t *testing.T) {
	eachAccount(t, func(l *account) {
		l.NewMember("anna", lost.DeskRole)
		anna := testkit.Must(l.SignIn("anna@hotel.example", "a password of anna", testkit.ClientAt("192.0.2.1")))
		here, other, third := l.LoggedIn(), l.LoggedIn(), l.LoggedIn()
		if all := testkit.Must(l.Services.Sessions.List(t.Context(), here)); len(all) != 3 {
			t.Errorf("got %d sessions, want 3", len(all))
		}
		l.ExpectCode(l.Services.Sessions.End(t.Context(), here, anna.Session.ID), lost.NotFound,
			"session of a colleague")
		l.ExpectCode(l.Services.Sessions.End(t.Context(), here, other.Session.ID), "", "own session")
		l.ExpectCode(l.Services.Sessions.EndOthers(t.Context(), here), "", "all other sessions")
		if all := testkit.Must(l.Services.Sessions.List(t.Context(), here)); len(all) != 1 ||
			all[0].ID != here.Session.ID {
			t.Errorf("got sessions %v, want %s and not %s", all, here.Session.ID, third.Session.ID)
		}
		if _, err := l.Services.Sessions.ByToken(t.Context(), anna.Token, lost.Client{}); err != nil {
			t.Error(err)
		}
	})
}
