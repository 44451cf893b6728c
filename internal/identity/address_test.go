package identity_test

import (
	"strings"
	"testing"

	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/services"
	"homeward/internal/testkit"
)

// otherAccount is a second account. Its invitations are not sent by e-mail, so its owner gets the links.
type otherAccount struct {
	*account
	silent *services.Services
	owner  lost.User
}

func (l *account) newOther() *otherAccount {
	l.T.Helper()
	return l.newOtherOf("eve@other.example")
}

func (l *account) newOtherOf(owner string) *otherAccount {
	l.T.Helper()
	o := &otherAccount{account: l, silent: testkit.NewServices(l.DB, l.Clock, withoutBase,
		func(o *services.Options) { o.Messenger = testkit.SilentMessenger{} })}
	a := testkit.Must(l.Services.Accounts.Create(l.T.Context(), "Other"))
	o.owner = testkit.Must(l.Services.Accounts.CreateUser(l.T.Context(), a.ID, owner, "Eve",
		"a password of eve"))
	return o
}

// join invites an address and accepts the invitation with the link that the inviting owner gets.
func (o *otherAccount) join(email string) (identity.Session, error) {
	o.T.Helper()
	return o.joinWith(email, "lantern paper violin")
}

func (o *otherAccount) joinWith(email, password string) (identity.Session, error) {
	o.T.Helper()
	i := testkit.Must(o.silent.Team.Invite(o.T.Context(), o.owner.Actor(), testkit.Invitation(email, lost.DeskRole)))
	return o.silent.Team.AcceptInvitation(o.T.Context(), strings.TrimPrefix(i.Link, "/invitation/"), "Squatter",
		password, testkit.ClientAt("192.0.2.9"))
}

// expectLogin checks that an address and a password log in to an account.
func (l *account) expectLogin(email, password, account string) {
	l.T.Helper()
	in, err := l.SignIn(email, password, testkit.ClientAt("192.0.2.1"))
	if err != nil || in.User.Account != account {
		l.T.Errorf("login of %s: got account %q, %v; want %q", email, in.User.Account, err, account)
	}
}

// TestAnInvitationDoesNotRevealLoginsOfOtherAccounts checks that an owner who opens an invitation link themselves sees
// no difference between an address that is a login in another account and one that is not.
func TestAnInvitationDoesNotRevealLoginsOfOtherAccounts(t *testing.T) {
	eachAccount(t, func(l *account) {
		o := l.newOther()
		for name, email := range map[string]string{"known": l.Owner.Email, "unknown": "nobody@hotel.example"} {
			in, err := o.join(email)
			if err != nil || in.User.Account != o.owner.Account {
				t.Errorf("%s address: got account %q, %v", name, in.User.Account, err)
			}
			l.expectLogin(email, "lantern paper violin", o.owner.Account)
			_, err = o.silent.Team.Invite(t.Context(), o.owner.Actor(), testkit.Invitation(email, lost.DeskRole))
			l.ExpectCode(err, lost.Invalid, "second invitation of the "+name+" address")
			_, err = l.SignIn(email, "wrong password", testkit.ClientAt("192.0.2.2"))
			l.ExpectCode(err, lost.Unauthorized, "wrong password for the "+name+" address")
		}
		l.expectLogin(l.Owner.Email, testkit.OwnerPassword, l.Owner.Account)
		if u, _, err := l.DB.UserByEmail(t.Context(), l.Owner.Email); err != nil || u.ID != l.Owner.ID {
			t.Errorf("the address is the login of %s, %v", u.ID, err)
		}
	})
}

// TestAConfirmedAddressComesBeforeAnUnconfirmedOne checks that an account cannot reserve the address of somebody else.
// The person who receives the e-mail gets the login.
func TestAConfirmedAddressComesBeforeAnUnconfirmedOne(t *testing.T) {
	eachAccount(t, func(l *account) {
		o := l.newOther()
		const email = "zoe@hotel.example"
		squatter := testkit.Must(o.join(email)).User
		testkit.Must(l.Services.Team.Invite(t.Context(), l.Owner.Actor(), testkit.Invitation(email, lost.DeskRole)))
		zoe, err := l.Services.Team.AcceptInvitation(t.Context(), l.Token(lost.InvitationLink), "Zoe",
			"umbrella station teapot", testkit.ClientAt("192.0.2.1"))
		if err != nil {
			t.Fatal(err)
		}
		l.expectLogin(email, "umbrella station teapot", l.Owner.Account)
		l.expectLogin(email, "lantern paper violin", o.owner.Account)
		if u, _, err := l.DB.UserByEmail(t.Context(), email); err != nil || u.ID != zoe.User.ID {
			t.Errorf("the address is the login of %s, want %s and not %s (%v)", u.ID, zoe.User.ID, squatter.ID, err)
		}
		f := lost.AuditFilter{Subject: squatter.ID, Action: lost.PersonChanged, PageCursor: lost.PageCursor{Limit: 5}}
		log := testkit.Must(l.Services.AuditLog.List(t.Context(), o.owner.Actor(), f)).Data
		if len(log) != 1 || !strings.Contains(log[0].Note, "confirmed by a user of another account") {
			t.Errorf("got audit entries %+v", log)
		}
	})
}

// TestAPersonWithALoginIsToldWhenTheyAcceptAnotherInvitation checks the invitation of a confirmed address. It was sent
// by e-mail, so only the person sees the answer.
func TestAPersonWithALoginIsToldWhenTheyAcceptAnotherInvitation(t *testing.T) {
	eachAccount(t, func(l *account) {
		o := l.newOther()
		testkit.Must(l.Services.Team.Invite(t.Context(), l.Owner.Actor(),
			testkit.Invitation(o.owner.Email, lost.DeskRole)))
		_, err := l.Services.Team.AcceptInvitation(t.Context(), l.Token(lost.InvitationLink), "Eve",
			"umbrella station teapot", testkit.ClientAt("192.0.2.1"))
		if lost.CodeOf(err) != lost.Conflict || !strings.Contains(lost.Detail(err), "invitation to another address") {
			t.Errorf("got %v, want a conflict with advice", err)
		}
		l.expectLogin(o.owner.Email, "a password of eve", o.owner.Account)
	})
}
