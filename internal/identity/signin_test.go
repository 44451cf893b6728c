package identity_test

import (
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/services"
	"homeward/internal/testkit"
)

// account is testkit.Account with what only these tests do.
type account struct{ *testkit.Account }

func eachAccount(t *testing.T, fn func(l *account), change ...func(*services.Options)) {
	t.Helper()
	change = append([]func(*services.Options){withoutBase}, change...)
	testkit.EachAccount(t, func(a *testkit.Account) { fn(&account{a}) }, change...)
}

// withoutBase gives the service no address, so that links are paths and passkeys are not available.
func withoutBase(o *services.Options) { o.Wire.Base = "" }

func TestFailedLoginsAreThrottledWithoutLockingTheUserOut(t *testing.T) {
	eachAccount(t, func(l *account) {
		home := testkit.From("192.0.2.1")
		known := testkit.Must(l.SignIn(l.Owner.Email, testkit.OwnerPassword, home))
		home.Mark = known.BrowserMark
		stranger := testkit.From("192.0.2.2")
		for range 5 {
			_, err := l.SignIn(l.Owner.Email, "wrong password", stranger)
			l.ExpectCode(err, lost.Unauthorized, "a wrong password")
		}
		_, err := l.SignIn(l.Owner.Email, "wrong password", stranger)
		l.ExpectCode(err, lost.Unauthorized, "the first that brings a wait")
		_, err = l.SignIn(l.Owner.Email, testkit.OwnerPassword, stranger)
		l.ExpectCode(err, lost.TooMany, "even the right one, too fast")
		if told := lost.RateLimitError(15 * time.Second); err.Error() != told.Error() {
			t.Errorf("%v, want %v", err, told)
		}
		if _, err := l.SignIn(l.Owner.Email, testkit.OwnerPassword, testkit.From("192.0.2.3")); err != nil {
			t.Errorf("the person elsewhere: %v", err)
		}
		home.Address = stranger.Address // the same network as the stranger
		if _, err := l.SignIn(l.Owner.Email, testkit.OwnerPassword, home); err != nil {
			t.Errorf("the person in the browser that they have used: %v", err)
		}
		l.Clock.Advance(15 * time.Second)
		if _, err := l.SignIn(l.Owner.Email, testkit.OwnerPassword, stranger); err != nil {
			t.Errorf("after waiting: %v", err)
		}
		for range 6 { // the correct password has reset the count
			_, err := l.SignIn(l.Owner.Email, "wrong password", stranger)
			l.ExpectCode(err, lost.Unauthorized, "a wrong password, once more")
		}
	})
}

func TestConcurrentLoginsDoNotBypassTheThrottle(t *testing.T) {
	eachAccount(t, func(l *account) {
		var mu sync.Mutex
		var tries sync.WaitGroup
		answers := map[lost.Code]int{}
		for range 12 {
			tries.Go(func() {
				_, err := l.SignIn("nobody@hotel.example", "wrong password", testkit.From("192.0.2.9"))
				mu.Lock()
				defer mu.Unlock()
				answers[lost.CodeOf(err)]++
			})
		}
		tries.Wait()
		if answers[lost.Unauthorized] != 6 || answers[lost.TooMany] != 6 {
			t.Errorf("%v, want six that were tried and six that were not", answers)
		}
	})
}

func TestABrowserMarkIsValidForItsUserOnly(t *testing.T) {
	eachAccount(t, func(l *account) {
		l.NewMember("anna", lost.DeskRole)
		c := testkit.From("192.0.2.1")
		c.Mark = testkit.Must(l.SignIn("anna@hotel.example", "a password of anna", c)).BrowserMark
		for range 6 {
			_, err := l.SignIn(l.Owner.Email, "wrong password", c)
			l.ExpectCode(err, lost.Unauthorized, "a wrong password")
		}
		_, err := l.SignIn(l.Owner.Email, "wrong password", c)
		l.ExpectCode(err, lost.TooMany, "a colleague's browser")
		both := testkit.Must(l.SignIn("anna@hotel.example", "a password of anna", c)) // her own count is untouched
		if both.BrowserMark != c.Mark {
			t.Error("a mark that is known changed")
		}
		l.Clock.Advance(time.Minute)
		c.Mark = testkit.Must(l.SignIn(l.Owner.Email, testkit.OwnerPassword, c)).BrowserMark
		if strings.Count(c.Mark, ".") != 2 {
			t.Errorf("a shared browser remembers %q", c.Mark)
		}
	})
}

func TestTwoStepLoginNeedsACodeThatIsUsedOnce(t *testing.T) {
	eachAccount(t, func(l *account) {
		in := l.LoggedIn()
		seed, recovery := l.SetUpTOTP(in)
		if len(recovery) != lost.RecoveryCodes {
			t.Fatalf("%d recovery codes", len(recovery))
		}
		half := testkit.Must(l.SignIn(l.Owner.Email, testkit.OwnerPassword, testkit.From("192.0.2.1")))
		if !half.Session.Waits || half.BrowserMark != "" {
			t.Fatalf("the session does not wait: %+v", half)
		}
		_, err := l.Services.Sessions.ByToken(t.Context(), half.Token)
		l.ExpectCode(err, lost.Unauthorized, "the half session, as a whole one")
		half = testkit.Must(l.Services.Sessions.WaitingByToken(t.Context(), half.Token))
		_, err = l.Services.TOTP.Verify(t.Context(), half, l.TOTPCode(seed), testkit.From("192.0.2.1"))
		l.ExpectCode(err, lost.Invalid, "the code that set it up")
		l.Clock.Advance(30 * time.Second)
		whole := testkit.Must(l.Services.TOTP.Verify(t.Context(), half, l.TOTPCode(seed), testkit.From("192.0.2.1")))
		if !slices.Equal(whole.Session.Proven, []lost.AuthProof{lost.PasswordProof, lost.CodeProof}) ||
			whole.BrowserMark == "" {
			t.Errorf("it has proven %v", whole.Session.Proven)
		}
		testkit.Must(l.Services.Sessions.ByToken(t.Context(), whole.Token))
		_, err = l.Services.TOTP.Verify(t.Context(), half, recovery[0], testkit.From("192.0.2.1"))
		l.ExpectCode(err, lost.Unauthorized, "the half session, once more")

		half = testkit.Must(l.SignIn(l.Owner.Email, testkit.OwnerPassword, testkit.From("192.0.2.1")))
		testkit.Must(l.Services.TOTP.Verify(t.Context(), half, strings.ToUpper(recovery[3]), testkit.From("192.0.2.1")))
		if n := testkit.Must(l.Services.TOTP.RecoveryLeft(t.Context(), whole)); n != lost.RecoveryCodes-1 {
			t.Errorf("%d recovery codes are left", n)
		}
		half = testkit.Must(l.SignIn(l.Owner.Email, testkit.OwnerPassword, testkit.From("192.0.2.1")))
		_, err = l.Services.TOTP.Verify(t.Context(), half, recovery[3], testkit.From("192.0.2.1"))
		l.ExpectCode(err, lost.Invalid, "a recovery code, again")
		l.Clock.Advance(6 * time.Minute)
		_, err = l.Services.Sessions.WaitingByToken(t.Context(), half.Token)
		l.ExpectCode(err, lost.Unauthorized, "the half session, too late")
	})
}

func TestTurningTwoStepLoginOnNeedsThePassword(t *testing.T) {
	eachAccount(t, func(l *account) {
		in := l.LoggedIn()
		l.ExpectCode(l.Services.TOTP.Begin(t.Context(), in), "", "setting up")
		n := testkit.Must(l.Services.TOTP.Pending(t.Context(), in))
		_, err := l.Services.TOTP.Confirm(t.Context(), in, "", l.TOTPCode(n.Seed))
		l.ExpectCode(err, lost.Invalid, "no password")
		_, err = l.Services.TOTP.Confirm(t.Context(), in, "wrong password", l.TOTPCode(n.Seed))
		l.ExpectCode(err, lost.Invalid, "a wrong password")
		_, err = l.Services.TOTP.Confirm(t.Context(), in, testkit.OwnerPassword, "000000")
		l.ExpectCode(err, lost.Invalid, "a wrong code")
		if in := testkit.Must(l.SignIn(l.Owner.Email, testkit.OwnerPassword,
			testkit.From("192.0.2.1"))); in.Session.Waits {
			t.Error("a code is asked for already")
		}
		testkit.Must(l.Services.TOTP.Confirm(t.Context(), in, testkit.OwnerPassword, l.TOTPCode(n.Seed)))
		if in := testkit.Must(l.SignIn(l.Owner.Email, testkit.OwnerPassword,
			testkit.From("192.0.2.1"))); !in.Session.Waits {
			t.Error("no code is asked for")
		}
	})
}

func TestGuessingCodesIsThrottled(t *testing.T) {
	eachAccount(t, func(l *account) {
		l.SetUpTOTP(l.LoggedIn())
		l.Clock.Advance(time.Minute)
		half := testkit.Must(l.SignIn(l.Owner.Email, testkit.OwnerPassword, testkit.From("192.0.2.1")))
		for range 6 {
			_, err := l.Services.TOTP.Verify(t.Context(), half, "000000", testkit.From("192.0.2.1"))
			l.ExpectCode(err, lost.Invalid, "a wrong code")
		}
		_, err := l.Services.TOTP.Verify(t.Context(), half, "000000", testkit.From("192.0.2.7"))
		l.ExpectCode(err, lost.TooMany, "too many codes, from anywhere")
	})
}

func TestTurningTwoStepLoginOffNeedsThePassword(t *testing.T) {
	eachAccount(t, func(l *account) {
		in := l.LoggedIn()
		l.SetUpTOTP(in)
		l.ExpectCode(l.Services.TOTP.Begin(t.Context(), in), lost.Conflict, "setting up a second one")
		l.ExpectCode(l.Services.TOTP.Disable(t.Context(), in, "wrong password"), lost.Invalid, "a wrong password")
		_, err := l.Services.TOTP.RenewRecovery(t.Context(), in, "wrong password")
		l.ExpectCode(err, lost.Invalid, "a wrong password for new codes")
		if again := testkit.Must(l.Services.TOTP.RenewRecovery(t.Context(), in,
			testkit.OwnerPassword)); len(again) != lost.RecoveryCodes {
			t.Errorf("%d new codes", len(again))
		}
		l.ExpectCode(l.Services.TOTP.Disable(t.Context(), in, testkit.OwnerPassword), "", "the password")
		if in := testkit.Must(l.SignIn(l.Owner.Email, testkit.OwnerPassword,
			testkit.From("192.0.2.1"))); in.Session.Waits {
			t.Error("a code is still asked for")
		}
	})
}

func TestAPasswordResetLinkWorksOnce(t *testing.T) {
	eachAccount(t, func(l *account) {
		in := l.LoggedIn()
		l.ExpectCode(l.Services.Profile.ForgotPassword(t.Context(), "nobody@hotel.example", testkit.From("192.0.2.1")),
			"",
			"an address that nobody has")
		l.ExpectCode(l.Services.Profile.ForgotPassword(t.Context(), strings.ToUpper(l.Owner.Email),
			testkit.From("192.0.2.1")),
			"", "an address")
		token := l.Token(lost.ResetTicket)
		_, err := l.Services.Profile.ResetPassword(t.Context(), token, "password123", testkit.From("192.0.2.1"))
		l.ExpectCode(err, lost.Invalid, "a password that is tried first")
		_, err = l.Services.Team.AcceptInvitation(t.Context(), token, "Somebody", "lantern paper violin",
			testkit.From("192.0.2.1"))
		l.ExpectCode(err, lost.NotFound, "the link, for something else")
		again := testkit.Must(l.Services.Profile.ResetPassword(t.Context(), token, "lantern paper violin",
			testkit.From("192.0.2.1")))
		testkit.Must(l.Services.Sessions.ByToken(t.Context(), again.Token))
		_, err = l.Services.Sessions.ByToken(t.Context(), in.Token)
		l.ExpectCode(err, lost.Unauthorized, "the session from before")
		_, err = l.Services.Profile.ResetPassword(t.Context(), token, "lantern paper violin", testkit.From("192.0.2.1"))
		l.ExpectCode(err, lost.NotFound, "the link, again")
		_, err = l.SignIn(l.Owner.Email, testkit.OwnerPassword, testkit.From("192.0.2.4"))
		l.ExpectCode(err, lost.Unauthorized, "the old password")
		if _, err = l.SignIn(l.Owner.Email, "lantern paper violin", testkit.From("192.0.2.4")); err != nil {
			t.Error(err)
		}
		l.ExpectCode(l.Services.Profile.ForgotPassword(t.Context(), l.Owner.Email, testkit.From("192.0.2.1")), "",
			"a second link")
		token = l.Token(lost.ResetTicket)
		l.Clock.Advance(time.Hour)
		_, err = l.Services.Profile.ResetPassword(t.Context(), token, "lantern paper violin 2",
			testkit.From("192.0.2.1"))
		l.ExpectCode(err, lost.Gone, "a link after an hour")
	})
}

func TestResetLinksAreSentToKnownAddressesOnly(t *testing.T) {
	eachAccount(t, func(l *account) {
		err := l.Services.Profile.ForgotPassword(t.Context(), "Anna", testkit.From("192.0.2.1"))
		if found := lost.ProblemsOf(err); len(found) != 1 || found[0].Field != "email" {
			t.Errorf("what is no address is answered %v", err)
		}
	})
}

func TestPasswordResetsAreThrottled(t *testing.T) {
	eachAccount(t, func(l *account) {
		var answers [2][]lost.Code
		for n, email := range []string{l.Owner.Email, "nobody@hotel.example"} {
			for range 6 {
				err := l.Services.Profile.ForgotPassword(t.Context(), email, testkit.From("192.0.2.1"))
				code := lost.Code("")
				if err != nil {
					code = lost.CodeOf(err)
				}
				answers[n] = append(answers[n], code)
			}
		}
		if want := []lost.Code{"", "", "", "", lost.TooMany, lost.TooMany}; !slices.Equal(answers[0], want) ||
			!slices.Equal(answers[0], answers[1]) {
			t.Errorf("%q", answers)
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
			"lantern paper violin", testkit.From("192.0.2.1")))
		if in.Session.Waits {
			t.Error("a second step is asked for after it was turned off")
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
			"a wrong password")
		l.ExpectCode(l.Services.Profile.ChangeEmail(t.Context(), in, testkit.OwnerPassword, "new"), lost.Invalid,
			"no address")
		l.ExpectCode(l.Services.Profile.ChangeEmail(t.Context(), in, testkit.OwnerPassword, "anna@hotel.example"), "",
			"the address of a colleague, which is not revealed")
		_, err := l.Services.Profile.ConfirmEmail(t.Context(), l.Token(lost.AddressTicket), testkit.From("192.0.2.1"))
		l.ExpectCode(err, lost.Conflict, "a colleague's address")
		l.ExpectCode(l.Services.Profile.ChangeEmail(t.Context(), in, testkit.OwnerPassword, "new@hotel.example"), "",
			"a new one")
		testkit.Must(l.SignIn(l.Owner.Email, testkit.OwnerPassword, testkit.From("192.0.2.1")))
		testkit.Must(l.Services.Profile.ConfirmEmail(t.Context(), l.Token(lost.AddressTicket),
			testkit.From("192.0.2.1")))
		testkit.Must(l.SignIn("NEW@hotel.example", testkit.OwnerPassword, testkit.From("192.0.2.1")))
		_, err = l.SignIn(l.Owner.Email, testkit.OwnerPassword, testkit.From("192.0.2.1"))
		l.ExpectCode(err, lost.Unauthorized, "the old address")
	})
}

func TestAUserListsAndEndsSessions(t *testing.T) {
	eachAccount(t, func(l *account) {
		l.NewMember("anna", lost.DeskRole)
		anna := testkit.Must(l.SignIn("anna@hotel.example", "a password of anna", testkit.From("192.0.2.1")))
		here, other, third := l.LoggedIn(), l.LoggedIn(), l.LoggedIn()
		if all := testkit.Must(l.Services.Sessions.List(t.Context(), here)); len(all) != 3 {
			t.Errorf("%d sessions", len(all))
		}
		l.ExpectCode(l.Services.Sessions.End(t.Context(), here, anna.Session.ID), lost.NotFound,
			"a colleague's session")
		l.ExpectCode(l.Services.Sessions.End(t.Context(), here, other.Session.ID), "", "one's own")
		l.ExpectCode(l.Services.Profile.ChangePassword(t.Context(), here, testkit.OwnerPassword,
			"lantern paper violin"), "",
			"another password")
		if all := testkit.Must(l.Services.Sessions.List(t.Context(), here)); len(all) != 1 ||
			all[0].ID != here.Session.ID {
			t.Errorf("%v of %s and %s are left", all, here.Session.ID, third.Session.ID)
		}
		if _, err := l.Services.Sessions.ByToken(t.Context(), anna.Token); err != nil {
			t.Error(err)
		}
	})
}
