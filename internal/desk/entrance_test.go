package desk_test

import (
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

// silent is a post that sends nothing.
type silent struct{ scribe }

func (silent) Sends(lost.Channel) bool { return false }

const ownersPassword = "umbrella station teapot"

// lodge is an account with an owner, and a clock to turn.
type lodge struct {
	t     *testing.T
	db    *store.DB
	clock *storetest.Clock
	desk  *desk.Desk
	owner lost.User
}

func eachLodge(t *testing.T, fn func(l *lodge)) {
	t.Helper()
	each(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := newDeskWith(db, clock, scribe{})
		first, _, err := d.Begin(t.Context(), desk.FirstSettings{Email: "owner@hotel.example", Password: ownersPassword})
		if err != nil {
			t.Fatal(err)
		}
		fn(&lodge{t: t, db: db, clock: clock, desk: d, owner: first.User})
	})
}

func newDeskWith(db *store.DB, clock *storetest.Clock, post desk.Messenger) *desk.Desk {
	return desk.New(desk.Options{DB: db, Messenger: post, Now: clock.Now, Nudge: func() {}, NudgeLetters: func() {}, NudgeLanes: func(...store.Lane) {}, Hashing: quick})
}

// from is a browser somewhere.
func from(address string) lost.Client { return lost.Client{Address: address, Agent: "Firefox"} }

func (l *lodge) signIn(email, password string, c lost.Client) (desk.Insider, error) {
	return l.desk.SignIn(l.t.Context(), email, password, false, c)
}

// in is the owner, logged in.
func (l *lodge) in() desk.Insider {
	l.t.Helper()
	in, err := l.signIn(l.owner.Email, ownersPassword, from("192.0.2.200"))
	if err != nil {
		l.t.Fatal(err)
	}
	return must(l.desk.Insider(l.t.Context(), in.Token))
}

func (l *lodge) code(err error, want lost.Code, what string) {
	l.t.Helper()
	if got := lost.CodeOf(err); err == nil && want != "" || err != nil && got != want {
		l.t.Errorf("%s: %v, want %q", what, err, want)
	}
}

// token is the one of the newest ticket of a kind.
func (l *lodge) token(kind lost.TicketKind) string {
	l.t.Helper()
	open := must(l.db.Tickets(l.t.Context(), l.owner.Account, kind, 10))
	if len(open) == 0 {
		l.t.Fatalf("there is no ticket of kind %s", kind)
	}
	return must(l.db.TicketToken(open[0]))
}

// member adds somebody to the team.
func (l *lodge) member(name string, role lost.Role) lost.User {
	l.t.Helper()
	return must(l.desk.CreateMember(l.t.Context(), l.owner.Account, lost.Membership{Email: name + "@hotel.example", Name: name, Role: role}, "a password of "+name))
}

func TestAStrangerIsSlowedDownAndNobodyIsLockedOut(t *testing.T) {
	eachLodge(t, func(l *lodge) {
		home := from("192.0.2.1")
		known := must(l.signIn(l.owner.Email, ownersPassword, home))
		home.Mark = known.Mark
		stranger := from("192.0.2.2")
		for range 5 {
			_, err := l.signIn(l.owner.Email, "wrong password", stranger)
			l.code(err, lost.Unauthorized, "a wrong password")
		}
		_, err := l.signIn(l.owner.Email, "wrong password", stranger)
		l.code(err, lost.Unauthorized, "the first that brings a wait")
		_, err = l.signIn(l.owner.Email, ownersPassword, stranger)
		l.code(err, lost.TooMany, "even the right one, too fast")
		if told := lost.TryLater(15 * time.Second); err.Error() != told.Error() {
			t.Errorf("%v, want %v", err, told)
		}
		if _, err := l.signIn(l.owner.Email, ownersPassword, from("192.0.2.3")); err != nil {
			t.Errorf("the person elsewhere: %v", err)
		}
		home.Address = stranger.Address // the same network as the stranger
		if _, err := l.signIn(l.owner.Email, ownersPassword, home); err != nil {
			t.Errorf("the person in the browser that they have used: %v", err)
		}
		l.clock.Advance(15 * time.Second)
		if _, err := l.signIn(l.owner.Email, ownersPassword, stranger); err != nil {
			t.Errorf("after waiting: %v", err)
		}
		for range 6 { // the right one has ended the count
			_, err := l.signIn(l.owner.Email, "wrong password", stranger)
			l.code(err, lost.Unauthorized, "a wrong password, once more")
		}
	})
}

func TestManyAtOnceAreNoWayAroundThePace(t *testing.T) {
	eachLodge(t, func(l *lodge) {
		var mu sync.Mutex
		var tries sync.WaitGroup
		answers := map[lost.Code]int{}
		for range 12 {
			tries.Go(func() {
				_, err := l.signIn("nobody@hotel.example", "wrong password", from("192.0.2.9"))
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

func TestAMarkIsWorthNothingForAnybodyElse(t *testing.T) {
	eachLodge(t, func(l *lodge) {
		l.member("anna", lost.DeskRole)
		c := from("192.0.2.1")
		c.Mark = must(l.signIn("anna@hotel.example", "a password of anna", c)).Mark
		for range 6 {
			_, err := l.signIn(l.owner.Email, "wrong password", c)
			l.code(err, lost.Unauthorized, "a wrong password")
		}
		_, err := l.signIn(l.owner.Email, "wrong password", c)
		l.code(err, lost.TooMany, "a colleague's browser")
		both := must(l.signIn("anna@hotel.example", "a password of anna", c)) // her own count is untouched
		if both.Mark != c.Mark {
			t.Error("a mark that is known changed")
		}
		l.clock.Advance(time.Minute)
		c.Mark = must(l.signIn(l.owner.Email, ownersPassword, c)).Mark
		if strings.Count(c.Mark, ".") != 2 {
			t.Errorf("a shared browser remembers %q", c.Mark)
		}
	})
}

// app gives the code that an app shows.
func (l *lodge) app(seed string) string {
	return must(totp.GenerateCode(strings.ToUpper(strings.ReplaceAll(seed, " ", "")), l.clock.Now()))
}

// twoStep sets the owner's second step up.
func (l *lodge) twoStep(in desk.Insider) (seed string, recovery []string) {
	l.t.Helper()
	if err := l.desk.BeginTwoStep(l.t.Context(), in); err != nil {
		l.t.Fatal(err)
	}
	n := must(l.desk.PendingTwoStep(l.t.Context(), in))
	return n.Seed, must(l.desk.ConfirmTwoStep(l.t.Context(), in, ownersPassword, l.app(n.Seed)))
}

func TestTheSecondStepIsAskedForAndEachCodeIsUsedOnce(t *testing.T) {
	eachLodge(t, func(l *lodge) {
		in := l.in()
		seed, recovery := l.twoStep(in)
		if len(recovery) != lost.RecoveryCodes {
			t.Fatalf("%d recovery codes", len(recovery))
		}
		half := must(l.signIn(l.owner.Email, ownersPassword, from("192.0.2.1")))
		if !half.Session.Waits || half.Mark != "" {
			t.Fatalf("the session does not wait: %+v", half)
		}
		_, err := l.desk.Insider(t.Context(), half.Token)
		l.code(err, lost.Unauthorized, "the half session, as a whole one")
		half = must(l.desk.Halfway(t.Context(), half.Token))
		_, err = l.desk.SecondStep(t.Context(), half, l.app(seed), from("192.0.2.1"))
		l.code(err, lost.Invalid, "the code that set it up")
		l.clock.Advance(30 * time.Second)
		whole := must(l.desk.SecondStep(t.Context(), half, l.app(seed), from("192.0.2.1")))
		if !slices.Equal(whole.Session.Proven, []lost.Proof{lost.PasswordProof, lost.CodeProof}) || whole.Mark == "" {
			t.Errorf("it has proven %v", whole.Session.Proven)
		}
		must(l.desk.Insider(t.Context(), whole.Token))
		_, err = l.desk.SecondStep(t.Context(), half, recovery[0], from("192.0.2.1"))
		l.code(err, lost.Unauthorized, "the half session, once more")

		half = must(l.signIn(l.owner.Email, ownersPassword, from("192.0.2.1")))
		must(l.desk.SecondStep(t.Context(), half, strings.ToUpper(recovery[3]), from("192.0.2.1")))
		if n := must(l.desk.RecoveryLeft(t.Context(), whole)); n != lost.RecoveryCodes-1 {
			t.Errorf("%d recovery codes are left", n)
		}
		half = must(l.signIn(l.owner.Email, ownersPassword, from("192.0.2.1")))
		_, err = l.desk.SecondStep(t.Context(), half, recovery[3], from("192.0.2.1"))
		l.code(err, lost.Invalid, "a recovery code, again")
		l.clock.Advance(6 * time.Minute)
		_, err = l.desk.Halfway(t.Context(), half.Token)
		l.code(err, lost.Unauthorized, "the half session, too late")
	})
}

func TestTheSecondStepGoesOnWithThePasswordAlone(t *testing.T) {
	eachLodge(t, func(l *lodge) {
		in := l.in()
		l.code(l.desk.BeginTwoStep(t.Context(), in), "", "setting up")
		n := must(l.desk.PendingTwoStep(t.Context(), in))
		_, err := l.desk.ConfirmTwoStep(t.Context(), in, "", l.app(n.Seed))
		l.code(err, lost.Invalid, "no password")
		_, err = l.desk.ConfirmTwoStep(t.Context(), in, "wrong password", l.app(n.Seed))
		l.code(err, lost.Invalid, "a wrong password")
		_, err = l.desk.ConfirmTwoStep(t.Context(), in, ownersPassword, "000000")
		l.code(err, lost.Invalid, "a wrong code")
		if in := must(l.signIn(l.owner.Email, ownersPassword, from("192.0.2.1"))); in.Session.Waits {
			t.Error("a code is asked for already")
		}
		must(l.desk.ConfirmTwoStep(t.Context(), in, ownersPassword, l.app(n.Seed)))
		if in := must(l.signIn(l.owner.Email, ownersPassword, from("192.0.2.1"))); !in.Session.Waits {
			t.Error("no code is asked for")
		}
	})
}

func TestCodesAreNotGuessed(t *testing.T) {
	eachLodge(t, func(l *lodge) {
		l.twoStep(l.in())
		l.clock.Advance(time.Minute)
		half := must(l.signIn(l.owner.Email, ownersPassword, from("192.0.2.1")))
		for range 6 {
			_, err := l.desk.SecondStep(t.Context(), half, "000000", from("192.0.2.1"))
			l.code(err, lost.Invalid, "a wrong code")
		}
		_, err := l.desk.SecondStep(t.Context(), half, "000000", from("192.0.2.7"))
		l.code(err, lost.TooMany, "too many codes, from anywhere")
	})
}

func TestTheSecondStepGoesOffWithThePasswordAlone(t *testing.T) {
	eachLodge(t, func(l *lodge) {
		in := l.in()
		l.twoStep(in)
		l.code(l.desk.BeginTwoStep(t.Context(), in), lost.Conflict, "setting up a second one")
		l.code(l.desk.DropTwoStep(t.Context(), in, "wrong password"), lost.Invalid, "a wrong password")
		_, err := l.desk.RenewRecovery(t.Context(), in, "wrong password")
		l.code(err, lost.Invalid, "a wrong password for new codes")
		if again := must(l.desk.RenewRecovery(t.Context(), in, ownersPassword)); len(again) != lost.RecoveryCodes {
			t.Errorf("%d new codes", len(again))
		}
		l.code(l.desk.DropTwoStep(t.Context(), in, ownersPassword), "", "the password")
		if in := must(l.signIn(l.owner.Email, ownersPassword, from("192.0.2.1"))); in.Session.Waits {
			t.Error("a code is still asked for")
		}
	})
}

func TestAForgottenPasswordIsReplacedOnceByMail(t *testing.T) {
	eachLodge(t, func(l *lodge) {
		in := l.in()
		l.code(l.desk.ForgotPassword(t.Context(), "nobody@hotel.example", from("192.0.2.1")), "", "an address that nobody has")
		l.code(l.desk.ForgotPassword(t.Context(), strings.ToUpper(l.owner.Email), from("192.0.2.1")), "", "an address")
		token := l.token(lost.ResetTicket)
		_, err := l.desk.ResetPassword(t.Context(), token, "password123", from("192.0.2.1"))
		l.code(err, lost.Invalid, "a password that is tried first")
		_, err = l.desk.AcceptInvitation(t.Context(), token, "Somebody", "lantern paper violin", from("192.0.2.1"))
		l.code(err, lost.NotFound, "the link, for something else")
		again := must(l.desk.ResetPassword(t.Context(), token, "lantern paper violin", from("192.0.2.1")))
		must(l.desk.Insider(t.Context(), again.Token))
		_, err = l.desk.Insider(t.Context(), in.Token)
		l.code(err, lost.Unauthorized, "the session from before")
		_, err = l.desk.ResetPassword(t.Context(), token, "lantern paper violin", from("192.0.2.1"))
		l.code(err, lost.NotFound, "the link, again")
		_, err = l.signIn(l.owner.Email, ownersPassword, from("192.0.2.4"))
		l.code(err, lost.Unauthorized, "the old password")
		if _, err = l.signIn(l.owner.Email, "lantern paper violin", from("192.0.2.4")); err != nil {
			t.Error(err)
		}
		l.code(l.desk.ForgotPassword(t.Context(), l.owner.Email, from("192.0.2.1")), "", "a second link")
		token = l.token(lost.ResetTicket)
		l.clock.Advance(time.Hour)
		_, err = l.desk.ResetPassword(t.Context(), token, "lantern paper violin 2", from("192.0.2.1"))
		l.code(err, lost.Gone, "a link after an hour")
	})
}

func TestOnlyAnAddressIsSentALink(t *testing.T) {
	eachLodge(t, func(l *lodge) {
		err := l.desk.ForgotPassword(t.Context(), "Anna", from("192.0.2.1"))
		if found := lost.ProblemsOf(err); len(found) != 1 || found[0].Field != "email" {
			t.Errorf("what is no address is answered %v", err)
		}
	})
}

func TestResetsAreNotAskedForWithoutEnd(t *testing.T) {
	eachLodge(t, func(l *lodge) {
		var answers [2][]lost.Code
		for n, email := range []string{l.owner.Email, "nobody@hotel.example"} {
			for range 6 {
				err := l.desk.ForgotPassword(t.Context(), email, from("192.0.2.1"))
				code := lost.Code("")
				if err != nil {
					code = lost.CodeOf(err)
				}
				answers[n] = append(answers[n], code)
			}
		}
		if want := []lost.Code{"", "", "", "", lost.TooMany, lost.TooMany}; !slices.Equal(answers[0], want) || !slices.Equal(answers[0], answers[1]) {
			t.Errorf("%q", answers)
		}
	})
}

func TestAnOperatorHandsOverALinkWithoutTheSecret(t *testing.T) {
	eachLodge(t, func(l *lodge) {
		l.twoStep(l.in())
		link, _, err := l.desk.ResetLink(t.Context(), l.owner.Email, true)
		if err != nil {
			t.Fatal(err)
		}
		at := must(url.Parse(link))
		in := must(l.desk.ResetPassword(t.Context(), strings.TrimPrefix(at.Path, "/reset/"), "lantern paper violin", from("192.0.2.1")))
		if in.Session.Waits {
			t.Error("a second step is asked for that was to be switched off")
		}
		_, _, err = l.desk.ResetLink(t.Context(), "nobody@hotel.example", false)
		l.code(err, lost.NotFound, "nobody")
	})
}

func TestAnAddressChangesWhenTheNewOneConfirmsIt(t *testing.T) {
	eachLodge(t, func(l *lodge) {
		in := l.in()
		l.member("anna", lost.AdminRole)
		l.code(l.desk.ChangeEmail(t.Context(), in, "wrong password", "new@hotel.example"), lost.Invalid, "a wrong password")
		l.code(l.desk.ChangeEmail(t.Context(), in, ownersPassword, "new"), lost.Invalid, "no address")
		l.code(l.desk.ChangeEmail(t.Context(), in, ownersPassword, "anna@hotel.example"), "", "a colleague's, which nobody is told")
		_, err := l.desk.ConfirmEmail(t.Context(), l.token(lost.AddressTicket), from("192.0.2.1"))
		l.code(err, lost.Conflict, "a colleague's address")
		l.code(l.desk.ChangeEmail(t.Context(), in, ownersPassword, "new@hotel.example"), "", "a new one")
		must(l.signIn(l.owner.Email, ownersPassword, from("192.0.2.1")))
		must(l.desk.ConfirmEmail(t.Context(), l.token(lost.AddressTicket), from("192.0.2.1")))
		must(l.signIn("NEW@hotel.example", ownersPassword, from("192.0.2.1")))
		_, err = l.signIn(l.owner.Email, ownersPassword, from("192.0.2.1"))
		l.code(err, lost.Unauthorized, "the old address")
	})
}

func TestAPersonSeesAndEndsTheirSessions(t *testing.T) {
	eachLodge(t, func(l *lodge) {
		l.member("anna", lost.DeskRole)
		anna := must(l.signIn("anna@hotel.example", "a password of anna", from("192.0.2.1")))
		here, other, third := l.in(), l.in(), l.in()
		if all := must(l.desk.Sessions(t.Context(), here)); len(all) != 3 {
			t.Errorf("%d sessions", len(all))
		}
		l.code(l.desk.EndSession(t.Context(), here, anna.Session.ID), lost.NotFound, "a colleague's session")
		l.code(l.desk.EndSession(t.Context(), here, other.Session.ID), "", "one's own")
		l.code(l.desk.ChangePassword(t.Context(), here, ownersPassword, "lantern paper violin"), "", "another password")
		if all := must(l.desk.Sessions(t.Context(), here)); len(all) != 1 || all[0].ID != here.Session.ID {
			t.Errorf("%v of %s and %s are left", all, here.Session.ID, third.Session.ID)
		}
		if _, err := l.desk.Insider(t.Context(), anna.Token); err != nil {
			t.Error(err)
		}
	})
}
