package outbox_test

import (
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/store"
)

func TestLinksAndSecurityNoticesAreMailed(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		ctx := n.t.Context()
		a := identity.Operator(n.actor.Account)
		owner := must(n.desk.Accounts.CreateUser(ctx, a.Account, "olga@hotel.example", "Olga",
			"umbrella station teapot"))
		must(n.desk.Team.Invite(ctx, owner.Actor(),
			lost.Membership{Email: "ben@hotel.example", Name: "Ben", Role: lost.ViewerRole}))
		if err := n.desk.Profile.ForgotPassword(ctx, owner.Email, lost.Client{Address: "192.0.2.1"}); err != nil {
			n.t.Fatal(err)
		}
		must(n.out.RunOnce(ctx))
		for _, unknown := range []string{"nobody@hotel.example", "olga@other.example"} {
			err := n.desk.Profile.ForgotPassword(ctx, unknown, lost.Client{Address: "192.0.2.1"})
			if err != nil {
				n.t.Fatal(err)
			}
			must(n.out.RunOnce(ctx))
			if mail := n.mailsTo(unknown); mail != "" {
				n.t.Errorf("an unknown address received %s", mail)
			}
		}
		invitation, reset := n.mailsTo("ben@hotel.example"), n.mailsTo("olga@hotel.example")
		if !strings.Contains(invitation, "Olga has invited you") || !strings.Contains(invitation, "/invitation/") {
			n.t.Errorf("%s", invitation)
		}
		_, rest, found := strings.Cut(reset, "/reset/")
		if !found {
			n.t.Fatalf("%s", reset)
		}
		must(n.desk.Profile.ResetPassword(ctx, strings.Fields(rest)[0],
			identity.PasswordChange{Password: "lantern paper violin"}, lost.Client{Address: "192.0.2.1"}))
		must(n.out.RunOnce(ctx))
		if mail := n.mailsTo("olga@hotel.example"); !strings.Contains(mail, "Your password was changed") {
			n.t.Errorf("%s", mail)
		}
	})
}

func TestUsersAreNotifiedOfChangesToTheirLogIn(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		ctx := n.t.Context()
		must(n.desk.Accounts.CreateUser(ctx, n.actor.Account, "olga@hotel.example", "Olga", "umbrella station teapot"))
		in := must(n.desk.Sessions.SignIn(ctx, "olga@hotel.example", "umbrella station teapot", false, lost.Client{}))
		expectMail := func(err error, want string) {
			n.t.Helper()
			if err != nil {
				n.t.Fatal(err)
			}
			must(n.out.RunOnce(ctx))
			if mail := n.mailsTo("olga@hotel.example"); !strings.Contains(mail, want) {
				n.t.Errorf("the e-mail is %q, want %q", mail, want)
			}
		}
		expectMail(n.desk.TOTP.Begin(ctx, in), "")
		seed := strings.ToUpper(strings.ReplaceAll(must(n.desk.TOTP.Pending(ctx, in)).Seed, " ", ""))
		_, err := n.desk.TOTP.Confirm(ctx, in, "umbrella station teapot",
			must(totp.GenerateCode(seed, n.clock.Now())))
		expectMail(err, "Two-step login was switched on")
		_, err = n.desk.Team.DisableMemberTOTP(ctx, identity.Operator(n.actor.Account), in.User.ID)
		expectMail(err, "Two-step login was switched off")
		_, err = n.desk.Team.RemoveMemberPasskeys(ctx, identity.Operator(n.actor.Account), in.User.ID)
		expectMail(err, "An owner or admin of your account removed your Homeward passkeys")
	})
}

// After the service's secret was lost, nobody in the account has changed anything, and the e-mails do not say so.
func TestUsersAreNotifiedThatTheSecretWasLost(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		ctx, now := n.t.Context(), n.clock.Now()
		olga := must(n.desk.Accounts.CreateUser(ctx, n.actor.Account, "olga@hotel.example", "Olga",
			"umbrella station teapot"))
		err := n.db.Write(ctx, func(tx *store.Tx) error {
			if err := tx.SaveTOTP(olga, lost.TOTPSettings{Seed: "a seed", Since: now}); err != nil {
				return err
			}
			return tx.InsertPasskey(lost.Passkey{
				Account: olga.Account, UserID: olga.ID, ID: lost.NewID(lost.PasskeyID, now), CreatedAt: now,
			}, "hash")
		})
		if err == nil {
			err = n.db.UseSecret([]byte("a new secret, the former is lost"))
		}
		if err == nil {
			err = identity.ResetSecret(ctx, n.db, func() string { return "whsec_new" })
		}
		if err != nil {
			n.t.Fatal(err)
		}
		must(n.out.RunOnce(ctx))
		mails := strings.Join(strings.Fields(n.mailsTo("olga@hotel.example")), " ")
		for _, want := range []string{"Two-step login was switched off", "Your passkeys were removed"} {
			if !strings.Contains(mails, want) {
				n.t.Errorf("no e-mail says %q: %s", want, mails)
			}
		}
		if strings.Count(mails, "had to replace the service's secret") != 2 ||
			strings.Contains(mails, "removed your Homeward passkeys") || strings.Contains(mails, "was not you") {
			n.t.Errorf("the e-mails give a wrong reason: %s", mails)
		}
	})
}

func TestAnInvalidLinkIsNotSent(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		ctx := n.t.Context()
		owner := must(n.desk.Accounts.CreateUser(ctx, n.actor.Account, "olga@hotel.example", "Olga",
			"umbrella station teapot"))
		i := must(n.desk.Team.Invite(ctx, owner.Actor(),
			lost.Membership{Email: "ben@hotel.example", Name: "Ben", Role: lost.ViewerRole}))
		if err := n.desk.Team.RevokeInvitation(ctx, owner.Actor(), i.ID); err != nil {
			n.t.Fatal(err)
		}
		if err := n.desk.Profile.ForgotPassword(ctx, owner.Email, lost.Client{Address: "192.0.2.1"}); err != nil {
			n.t.Fatal(err)
		}
		n.clock.Advance(time.Hour)
		must(n.out.RunOnce(ctx))
		if mails := n.mailsTo(""); mails != "" {
			n.t.Errorf("sent: %s", mails)
		}
		n.clock.Advance(31 * 24 * time.Hour)
		n.out.RunUpkeepOnce(ctx)
		if open := must(n.db.Tickets(ctx, n.actor.Account, lost.ResetLink, 10)); len(open) != 0 {
			n.t.Errorf("%d reset links remain after pruning", len(open))
		}
	})
}

// must panics if err is not nil, which fails the test.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// mailsTo returns the e-mails sent to an address since the last call.
func (n *fixture) mailsTo(to string) string {
	n.t.Helper()
	var matching, rest []string
	for _, mail := range n.messenger.mails {
		if strings.HasPrefix(mail, to) {
			matching = append(matching, mail)
		} else {
			rest = append(rest, mail)
		}
	}
	n.messenger.mails = rest
	return strings.Join(matching, "\n")
}

func TestFailedLoginsAreInTheAuditLog(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		ctx := n.t.Context()
		olga := must(n.desk.Accounts.CreateUser(ctx, n.actor.Account, "olga@hotel.example", "Olga",
			"umbrella station teapot"))
		for _, email := range []string{olga.Email, "nobody@hotel.example"} {
			_, err := n.desk.Sessions.SignIn(ctx, email, "secret typed text", false, lost.Client{Address: "192.0.2.7"})
			if lost.CodeOf(err) != lost.Unauthorized {
				n.t.Fatal(err)
			}
		}
		must(n.out.RunOnce(ctx))
		failed := must(n.desk.AuditLog.List(ctx, n.actor,
			lost.AuditFilter{Action: lost.LogInFailed, PageCursor: lost.PageCursor{Limit: 50}})).Data
		if len(failed) != 1 {
			n.t.Fatalf("got %+v, want one entry", failed)
		}
		if e := failed[0]; e.Actor.ID != olga.ID || e.Actor.Address != "192.0.2.7" || e.Subject != olga.ID ||
			e.Note != "wrong password" {
			n.t.Errorf("got %+v", e)
		}
	})
}

// TestAnInvitationTellsAPersonWhoHasALogin checks that only the e-mail to the person says that the address is a login
// in another account.
func TestAnInvitationTellsAPersonWhoHasALogin(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		ctx := n.t.Context()
		olga := must(n.desk.Accounts.CreateUser(ctx, n.actor.Account, "olga@hotel.example", "Olga",
			"umbrella station teapot"))
		other := must(n.desk.Accounts.Create(ctx, "Other"))
		must(n.desk.Accounts.CreateUser(ctx, other.ID, "ben@other.example", "Ben", "umbrella station teapot"))
		for _, email := range []string{"ben@other.example", "zoe@other.example"} {
			must(n.desk.Team.Invite(ctx, olga.Actor(), lost.Membership{Email: email, Name: "X", Role: lost.ViewerRole}))
		}
		must(n.out.RunOnce(ctx))
		const advice = "ask for an invitation to another address"
		known, unknown := n.mailsTo("ben@other.example"), n.mailsTo("zoe@other.example")
		if !strings.Contains(known, advice) || !strings.Contains(unknown, "/invitation/") ||
			strings.Contains(unknown, advice) {
			n.t.Errorf("got %s\nand %s", known, unknown)
		}
	})
}
