package privacy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/testkit"
)

// auditedAddresses returns the action, the end of the note and the address of each entry.
func auditedAddresses(l *testkit.Account) (all []string) {
	l.T.Helper()
	f := lost.AuditFilter{PageCursor: lost.PageCursor{Limit: 100}}
	for _, e := range testkit.Must(l.Services.AuditLog.List(l.T.Context(), l.Owner.Actor(), f)).Data {
		_, note, _ := strings.Cut(e.Note, ": ")
		all = append(all, strings.Join([]string{string(e.Action), note, e.Actor.Address}, "|"))
	}
	return all
}

// Each change to a person's login has the address of the request, not the address at which the session began.
func TestChangesOfALoginHaveTheAddressOfTheClient(t *testing.T) {
	testkit.EachAccount(t, func(l *testkit.Account) {
		ctx := t.Context()
		step := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			l.Clock.Advance(time.Minute)
		}
		in, err := l.SignIn(l.Owner.Email, testkit.OwnerPassword, testkit.ClientAt("192.0.2.1"))
		step(err)
		in, err = l.Services.Sessions.ByToken(ctx, in.Token, testkit.ClientAt("192.0.2.2"))
		step(err)
		seed, _ := l.SetUpTOTP(in)
		step(nil)
		_, err = l.Services.TOTP.RenewRecovery(ctx, in, testkit.OwnerPassword)
		step(err)
		half, err := l.SignIn(l.Owner.Email, testkit.OwnerPassword, testkit.ClientAt("192.0.2.3"))
		step(err)
		half, err = l.Services.Sessions.WaitingByToken(ctx, half.Token, testkit.ClientAt("192.0.2.4"))
		step(err)
		_, err = l.Services.TOTP.Verify(ctx, half, "000000", testkit.ClientAt("192.0.2.4"))
		l.ExpectCode(err, lost.Invalid, "a wrong code")
		l.Clock.Advance(time.Minute)
		_, err = l.Services.TOTP.Verify(ctx, half, l.TOTPCode(seed), testkit.ClientAt("192.0.2.5"))
		step(err)
		step(l.Services.TOTP.Disable(ctx, in, testkit.OwnerPassword))
		renewed, err := l.Services.Profile.ChangePassword(ctx, in, testkit.OwnerPassword,
			identity.PasswordChange{Password: "lantern paper violin"}, testkit.ClientAt("192.0.2.6"))
		step(err)
		step(l.Services.Sessions.SignOut(ctx, renewed))
		step(l.Services.Profile.ForgotPassword(ctx, l.Owner.Email, testkit.ClientAt("192.0.2.7")))
		_, err = l.Services.Profile.ResetPassword(ctx, l.Token(lost.ResetLink),
			identity.PasswordChange{Password: "umbrella station teapot"}, testkit.ClientAt("192.0.2.8"))
		step(err)
		_, err = l.Services.Accounts.SetDisabled(ctx, l.Owner.Account, false)
		step(err)
		want := []string{
			"logged-in||192.0.2.1", "person-changed|two-step login switched on, other sessions ended|192.0.2.2",
			"person-changed|new recovery codes|192.0.2.2", "log-in-failed||192.0.2.4", "logged-in||192.0.2.5",
			"person-changed|two-step login switched off|192.0.2.2",
			"person-changed|password|192.0.2.6", "logged-in||192.0.2.6", "logged-out||192.0.2.6",
			"person-changed|password|192.0.2.8", "logged-in||192.0.2.8", "account-changed||",
		}
		got := auditedAddresses(l)
		slices.Sort(got) // some entries have the same time
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("got\n%q, want\n%q", got, want)
		}
	})
}

// An erasure is finished in the background. Its entry has the address from which it was requested, and the address is
// stored nowhere else afterwards.
func TestAnErasureHasTheAddressOfItsRequest(t *testing.T) {
	testkit.EachAccount(t, func(l *testkit.Account) {
		ctx, by := t.Context(), l.Owner.Actor().WithAddress("192.0.2.1")
		who := lost.PersonPatch{Email: lost.Set("anna@example.com")}
		e := testkit.Must(l.Services.People.ErasePerson(ctx, by, who, lost.IdempotencyKey{}))
		if got := testkit.Must(l.DB.Erasure(ctx, l.Owner.Account, e.ID)).By.Address; got != "192.0.2.1" {
			t.Errorf("the running erasure has the address %q", got)
		}
		testkit.Must(l.Services.People.RunErasure(ctx, l.Owner.Account, e.ID, lost.Person{Email: "anna@example.com"},
			nil))
		if got := auditedAddresses(l); !slices.Equal(got, []string{"person-erased||192.0.2.1"}) {
			t.Errorf("got entries %q", got)
		}
		if got := testkit.Must(l.DB.Erasure(ctx, l.Owner.Account, e.ID)).By.Address; got != "" {
			t.Errorf("the finished erasure still has the address %q", got)
		}
	})
}

// A view is recorded at most once an hour for each address, so that the use of a stolen key is visible. A client that
// changes its address all the time does not fill the log.
func TestAViewFromAnotherAddressIsRecorded(t *testing.T) {
	testkit.EachAccount(t, func(l *testkit.Account) {
		s := watched(l.DB, l.Clock)
		for _, address := range []string{"192.0.2.1", "192.0.2.2", "192.0.2.1", "192.0.2.2"} {
			s.AccessLog.Note(l.Owner.Actor().WithAddress(address), lost.ItemSeen, "loc_1", "item_1", l.Clock.Now())
		}
		s.Close()
		got := auditedAddresses(l)
		slices.Sort(got)
		if !slices.Equal(got, []string{"item-seen||192.0.2.1", "item-seen||192.0.2.2"}) {
			t.Errorf("got entries %q", got)
		}
		s = watched(l.DB, l.Clock)
		for n := range 2000 {
			a := l.Owner.Actor().WithAddress(fmt.Sprintf("10.0.%d.%d", n/256, n%256))
			s.AccessLog.Note(a, lost.ItemsSeen, "loc_1", "loc_1", l.Clock.Now())
		}
		s.Close()
		f := lost.AuditFilter{Action: lost.ItemsSeen, PageCursor: lost.PageCursor{Limit: 2000}}
		entries := testkit.Must(l.Services.AuditLog.List(t.Context(), l.Owner.Actor(), f)).Data
		if n := len(entries); n < 100 || n > 501 {
			t.Errorf("2000 addresses caused %d entries, want at most 501", n)
		}
	})
}
