package identity_test

import (
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/testkit"
)

const sharedPassword = "umbrella station teapot"

// sharedAddress is an e-mail address that three users of three accounts have. It is the login of the first of them.
// They all have the same password.
type sharedAddress struct {
	*account
	email string
	users []lost.User
}

func (l *account) newSharedAddress() *sharedAddress {
	l.T.Helper()
	s := &sharedAddress{account: l, email: "zoe@hotel.example"}
	m := lost.Membership{Email: s.email, Name: "Zoe", Role: lost.DeskRole}
	s.users = append(s.users, testkit.Must(l.Services.Accounts.CreateMember(l.T.Context(), l.Owner.Account, m,
		sharedPassword)))
	for _, owner := range []string{"eve@other.example", "tom@third.example"} {
		o := l.newOtherOf(owner)
		s.users = append(s.users, testkit.Must(o.joinWith(s.email, sharedPassword)).User)
	}
	return s
}

func (s *sharedAddress) setBlocked(n int, blocked bool) {
	s.T.Helper()
	u := s.users[n]
	testkit.Must(s.Services.Accounts.SetUserDisabled(s.T.Context(), u.Account, u.ID, blocked))
}

func (s *sharedAddress) setAccountDisabled(n int, disabled bool) {
	s.T.Helper()
	testkit.Must(s.Services.Accounts.SetDisabled(s.T.Context(), s.users[n].Account, disabled))
}

// TestABlockInOneAccountDoesNotPreventALoginToAnother checks that users who are blocked, or whose account is disabled,
// do not hide the one who may log in with the same address and password.
func TestABlockInOneAccountDoesNotPreventALoginToAnother(t *testing.T) {
	eachAccount(t, func(l *account) {
		s := l.newSharedAddress()
		l.expectLogin(s.email, sharedPassword, s.users[0].Account)
		for name, prevent := range map[string]func(n int, yes bool){
			"blocked user": s.setBlocked, "disabled account": s.setAccountDisabled,
		} {
			for open := range s.users {
				for n := range s.users {
					prevent(n, n != open)
				}
				in, err := l.SignIn(s.email, sharedPassword, testkit.ClientAt("192.0.2.1"))
				if err != nil || in.User.ID != s.users[open].ID {
					t.Errorf("%s: only user %d may log in: got %q, %v", name, open, in.User.ID, err)
				}
			}
			if got := l.loginFailures(); len(got) > 0 {
				t.Errorf("%s: a login was recorded as a failure: %q", name, got)
			}
			for n := range s.users {
				prevent(n, true)
			}
			_, err := l.SignIn(s.email, sharedPassword, testkit.ClientAt("192.0.2.1"))
			l.ExpectCode(err, lost.Unauthorized, name+": nobody may log in")
			l.loginFailures()
			l.Clock.Advance(time.Hour)
			for n := range s.users {
				prevent(n, false)
			}
		}
	})
}

// TestAFailedLoginIsRecordedForTheBlockedUserWithThePassword checks whose audit log gets the entry if all users with
// the address and the password are blocked.
func TestAFailedLoginIsRecordedForTheBlockedUserWithThePassword(t *testing.T) {
	eachAccount(t, func(l *account) {
		s := l.newSharedAddress()
		for n := range s.users {
			s.setBlocked(n, true)
		}
		_, err := l.SignIn(s.email, sharedPassword, testkit.ClientAt("192.0.2.1"))
		l.ExpectCode(err, lost.Unauthorized, "all users are blocked")
		got := l.loginFailures()
		if len(got) != 1 || !strings.HasPrefix(got[0], s.users[0].Account+" ") ||
			!strings.Contains(got[0], "the user is blocked") {
			t.Errorf("got %q, want one entry for %s", got, s.users[0].Account)
		}
	})
}

// TestAnotherPasswordChoosesTheAccount checks that a person with the same password in several accounts reaches the
// next account after changing the password in the first.
func TestAnotherPasswordChoosesTheAccount(t *testing.T) {
	eachAccount(t, func(l *account) {
		s := l.newSharedAddress()
		home := testkit.ClientAt("192.0.2.1")
		in := testkit.Must(l.SignIn(s.email, sharedPassword, home))
		testkit.Must(l.Services.Profile.ChangePassword(t.Context(), in, sharedPassword,
			withPassword("violin paper lantern"), home))
		l.expectLogin(s.email, "violin paper lantern", s.users[0].Account)
		in = testkit.Must(l.SignIn(s.email, sharedPassword, home))
		if in.User.Account == s.users[0].Account {
			t.Error("the former password still logs in to the first account")
		}
	})
}

// TestTwoStepLoginAppliesToTheUserWhoIsChosen checks that the second step of one user is neither skipped by choosing
// another user, nor required from another user.
func TestTwoStepLoginAppliesToTheUserWhoIsChosen(t *testing.T) {
	eachAccount(t, func(l *account) {
		s := l.newSharedAddress()
		s.setBlocked(2, true)
		expect := func(user int, second bool) {
			t.Helper()
			in, err := l.SignIn(s.email, sharedPassword, testkit.ClientAt("192.0.2.1"))
			if err != nil || in.User.ID != s.users[user].ID || in.Session.NeedsSecondStep != second {
				t.Errorf("got user %q, second step %v, %v; want user %d, %v", in.User.ID, in.Session.NeedsSecondStep,
					err, user, second)
			}
		}
		l.setUpSharedTOTP(s)
		expect(0, true)
		s.setBlocked(0, true)
		expect(1, false)
		l.setUpSharedTOTP(s)
		expect(1, true)
	})
}

// setUpSharedTOTP enables two-step login for the user who can log in with the shared address.
func (l *account) setUpSharedTOTP(s *sharedAddress) {
	l.T.Helper()
	in := testkit.Must(l.SignIn(s.email, sharedPassword, testkit.ClientAt("192.0.2.1")))
	l.ExpectCode(l.Services.TOTP.Begin(l.T.Context(), in), "", "setup")
	n := testkit.Must(l.Services.TOTP.Pending(l.T.Context(), in))
	testkit.Must(l.Services.TOTP.Confirm(l.T.Context(), in, sharedPassword, l.TOTPCode(n.Seed)))
}

// TestAKnownBrowserHasNoMoreAttemptsForOtherUsers checks that a person cannot guess the password of another user with
// the same address from many browsers in which they have logged in themselves.
func TestAKnownBrowserHasNoMoreAttemptsForOtherUsers(t *testing.T) {
	eachAccount(t, func(l *account) {
		const email = "zoe@hotel.example"
		testkit.Must(l.newOther().join(email)) // the first to use the address
		testkit.Must(l.newOtherOf("tom@third.example").joinWith(email, sharedPassword))
		var known []lost.Client
		for range 2 {
			c := testkit.ClientAt("192.0.2.1")
			c.Mark = testkit.Must(l.SignIn(email, "lantern paper violin", c)).BrowserMark
			known = append(known, c)
		}
		for range 6 {
			_, err := l.SignIn(email, "wrong password", known[0])
			l.ExpectCode(err, lost.Unauthorized, "wrong password")
		}
		_, err := l.SignIn(email, sharedPassword, known[1])
		l.ExpectCode(err, lost.TooMany, "password of another user in a second known browser")
		testkit.Must(l.SignIn(email, "lantern paper violin", known[1])) // their own password works
		l.Clock.Advance(15 * time.Second)
		testkit.Must(l.SignIn(email, sharedPassword, testkit.ClientAt("192.0.2.1")))
	})
}
