package outbox_test

import (
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"homeward/internal/desk"
	"homeward/internal/lost"
)

func TestLinksAndNewsGoOutByMail(t *testing.T) {
	eachInn(t, func(n *inn) {
		ctx := n.t.Context()
		a := desk.Operator(n.actor.Account)
		owner := must(n.desk.CreateUser(ctx, a.Account, "olga@hotel.example", "Olga", "umbrella station teapot"))
		must(n.desk.Invite(ctx, owner.Actor(), lost.Membership{Email: "ben@hotel.example", Name: "Ben", Role: lost.ViewerRole}))
		if err := n.desk.ForgotPassword(ctx, owner.Email, lost.Client{Address: "192.0.2.1"}); err != nil {
			n.t.Fatal(err)
		}
		must(n.out.RunOnce(ctx))
		invitation, reset := n.heard("ben@hotel.example"), n.heard("olga@hotel.example")
		if !strings.Contains(invitation, "Olga invites you") || !strings.Contains(invitation, "/invitation/") {
			n.t.Errorf("%s", invitation)
		}
		_, rest, found := strings.Cut(reset, "/reset/")
		if !found {
			n.t.Fatalf("%s", reset)
		}
		must(n.desk.ResetPassword(ctx, strings.Fields(rest)[0], "lantern paper violin", lost.Client{Address: "192.0.2.1"}))
		must(n.out.RunOnce(ctx))
		if news := n.heard("olga@hotel.example"); !strings.Contains(news, "Your password was changed") {
			n.t.Errorf("%s", news)
		}
	})
}

func TestPeopleHearWhatHappensToTheirLogIn(t *testing.T) {
	eachInn(t, func(n *inn) {
		ctx := n.t.Context()
		must(n.desk.CreateUser(ctx, n.actor.Account, "olga@hotel.example", "Olga", "umbrella station teapot"))
		in := must(n.desk.SignIn(ctx, "olga@hotel.example", "umbrella station teapot", false, lost.Client{}))
		hears := func(err error, want string) {
			n.t.Helper()
			if err != nil {
				n.t.Fatal(err)
			}
			must(n.out.RunOnce(ctx))
			if news := n.heard("olga@hotel.example"); !strings.Contains(news, want) {
				n.t.Errorf("she hears %q, want %q", news, want)
			}
		}
		hears(n.desk.BeginTwoStep(ctx, in), "")
		seed := strings.ToUpper(strings.ReplaceAll(must(n.desk.PendingTwoStep(ctx, in)).Seed, " ", ""))
		_, err := n.desk.ConfirmTwoStep(ctx, in, "umbrella station teapot", must(totp.GenerateCode(seed, n.clock.Now())))
		hears(err, "The second step was switched on")
		_, err = n.desk.DropMemberTwoStep(ctx, desk.Operator(n.actor.Account), in.User.ID)
		hears(err, "The second step was switched off")
		_, err = n.desk.RemoveMemberPasskeys(ctx, desk.Operator(n.actor.Account), in.User.ID)
		hears(err, "an owner or admin of your account removed your passkeys")
	})
}

func TestALinkThatIsWorthNothingIsNotSent(t *testing.T) {
	eachInn(t, func(n *inn) {
		ctx := n.t.Context()
		owner := must(n.desk.CreateUser(ctx, n.actor.Account, "olga@hotel.example", "Olga", "umbrella station teapot"))
		i := must(n.desk.Invite(ctx, owner.Actor(), lost.Membership{Email: "ben@hotel.example", Name: "Ben", Role: lost.ViewerRole}))
		if err := n.desk.RevokeInvitation(ctx, owner.Actor(), i.ID); err != nil {
			n.t.Fatal(err)
		}
		if err := n.desk.ForgotPassword(ctx, owner.Email, lost.Client{Address: "192.0.2.1"}); err != nil {
			n.t.Fatal(err)
		}
		n.clock.Advance(time.Hour)
		must(n.out.RunOnce(ctx))
		if heard := n.heard(""); heard != "" {
			n.t.Errorf("%s", heard)
		}
		n.clock.Advance(31 * 24 * time.Hour)
		n.out.KeepUpOnce(ctx)
		if open := must(n.db.Tickets(ctx, n.actor.Account, lost.ResetTicket, 10)); len(open) != 0 {
			n.t.Errorf("%d links are left", len(open))
		}
	})
}

// must is for a step that has to go well; a panic fails the test as well as anything.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// heard gives what was told to an address since it was last asked.
func (n *inn) heard(to string) string {
	n.t.Helper()
	var heard, rest []string
	for _, told := range n.post.told {
		if strings.HasPrefix(told, to) {
			heard = append(heard, told)
		} else {
			rest = append(rest, told)
		}
	}
	n.post.told = rest
	return strings.Join(heard, "\n")
}
