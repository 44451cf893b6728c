package identity_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/services"
	"homeward/internal/testkit"
)

func TestAnInvitationIsAcceptedOnceWithItsRole(t *testing.T) {
	eachAccount(t, func(l *account) {
		a := l.Owner.Actor()
		place := testkit.Must(l.Services.Locations.Create(t.Context(), a, testkit.LocationNamed("Hotel"),
			lost.IdempotencyKey{}))
		_, err := l.Services.Team.Invite(t.Context(), a, testkit.Invitation("not an address", "king", "loc_no"))
		if p := lost.ProblemsOf(err); len(p) != 3 {
			t.Errorf("%v", err)
		}
		i := testkit.Must(l.Services.Team.Invite(t.Context(), a,
			testkit.Invitation("ben@hotel.example", lost.DeskRole, place.ID)))
		if i.Link != "" {
			t.Error("the link is shown although it is sent by e-mail")
		}
		_, err = l.Services.Team.Invite(t.Context(), a, testkit.Invitation("BEN@hotel.example", lost.DeskRole))
		l.ExpectCode(err, lost.Invalid, "second invitation")
		_, err = l.Services.Team.Invite(t.Context(), a, testkit.Invitation(l.Owner.Email, lost.DeskRole))
		l.ExpectCode(err, lost.Invalid, "invitation of a member")
		token := l.Token(lost.InvitationLink)
		_, err = l.Services.Team.AcceptInvitation(t.Context(), token, "", "short", testkit.ClientAt("192.0.2.1"))
		if p := lost.ProblemsOf(err); len(p) != 2 {
			t.Errorf("%v", err)
		}
		in := testkit.Must(l.Services.Team.AcceptInvitation(t.Context(), token, "Ben Bell", "lantern paper violin",
			testkit.ClientAt("192.0.2.1")))
		in = testkit.Must(l.Services.Sessions.ByToken(t.Context(), in.Token, lost.Client{}))
		if u := in.User; u.Role != lost.DeskRole || len(u.Locations) != 1 || u.Locations[0] != place.ID ||
			u.Name != "Ben Bell" {
			t.Errorf("%+v", u)
		}
		_, err = l.Services.Team.AcceptInvitation(t.Context(), token, "Ben Bell", "lantern paper violin",
			testkit.ClientAt("192.0.2.1"))
		l.ExpectCode(err, lost.NotFound, "second use of the link")
	})
}

func TestAnInvitationIsResentAndRevoked(t *testing.T) {
	eachAccount(t, func(l *account) {
		a := l.Owner.Actor()
		i := testkit.Must(l.Services.Team.Invite(t.Context(), a,
			testkit.Invitation("ben@hotel.example", lost.ViewerRole)))
		first := l.Token(lost.InvitationLink)
		l.Clock.Advance(7 * 24 * time.Hour)
		_, err := l.Services.Team.AcceptInvitation(t.Context(), first, "Ben", "lantern paper violin",
			testkit.ClientAt("192.0.2.1"))
		l.ExpectCode(err, lost.Gone, "expired invitation")
		if team := testkit.Must(l.Services.Team.List(t.Context(), a)); len(team.Invitations) != 1 ||
			!team.Invitations[0].Expired {
			t.Errorf("%+v", team.Invitations)
		}
		again := testkit.Must(l.Services.Team.ResendInvitation(t.Context(), a, i.ID))
		_, err = l.Services.Profile.EmailLink(t.Context(), lost.InvitationLink, first, testkit.ClientAt("192.0.2.1"))
		l.ExpectCode(err, lost.NotFound, "link before the resend")
		testkit.Must(l.Services.Profile.EmailLink(t.Context(), lost.InvitationLink, l.Token(lost.InvitationLink),
			testkit.ClientAt("192.0.2.1")))
		l.ExpectCode(l.Services.Team.RevokeInvitation(t.Context(), a, again.ID), "", "revoking")
		l.ExpectCode(l.Services.Team.RevokeInvitation(t.Context(), a, again.ID), lost.NotFound, "revoking again")
	})
}

func TestWithoutMailTheInvitationLinkIsShown(t *testing.T) {
	eachAccount(t, func(l *account) {
		d := testkit.NewServices(l.DB, l.Clock, withoutBase, func(o *services.Options) {
			o.Messenger = testkit.SilentMessenger{}
		})
		i := testkit.Must(d.Team.Invite(t.Context(), l.Owner.Actor(),
			testkit.Invitation("ben@hotel.example", lost.ViewerRole)))
		if team := testkit.Must(d.Team.List(t.Context(), l.Owner.Actor())); i.Link == "" ||
			team.Invitations[0].Link != i.Link {
			t.Errorf("got link %q and invitations %+v", i.Link, team.Invitations)
		}
		testkit.Must(d.Team.AcceptInvitation(t.Context(), strings.TrimPrefix(i.Link, "/invitation/"), "Ben",
			"lantern paper violin", testkit.ClientAt("192.0.2.1")))
		l.ExpectCode(d.Profile.ForgotPassword(t.Context(), l.Owner.Email, testkit.ClientAt("192.0.2.1")), "", "reset")
		if open := testkit.Must(l.DB.Tickets(t.Context(), l.Owner.Account, lost.ResetLink, 1)); len(open) != 0 {
			t.Error("a reset link was created although no e-mail is sent")
		}
	})
}

func TestChangingRolesNeedsPermission(t *testing.T) {
	eachAccount(t, func(l *account) {
		admin := l.NewMember("admin", lost.AdminRole)
		other := l.NewMember("other", lost.AdminRole)
		clerk := l.NewMember("clerk", lost.DeskRole)
		second := l.NewMember("second", lost.OwnerRole)
		to := func(r lost.Role) lost.Membership { return lost.Membership{Role: r} }
		change := func(by lost.User, who lost.User, m lost.Membership) error {
			_, err := l.Services.Team.ChangeMember(t.Context(), by.Actor(), who.ID, m)
			return err
		}
		l.ExpectCode(change(admin, clerk, to(lost.AdminRole)), "", "an admin promotes a clerk to admin")
		l.ExpectCode(change(admin, clerk, to(lost.DeskRole)), "", "an admin demotes an admin to clerk")
		l.ExpectCode(change(admin, other, to(lost.ViewerRole)), "", "an admin changes an admin")
		l.ExpectCode(change(clerk, admin, to(lost.ViewerRole)), lost.Forbidden, "a clerk changes an admin")
		l.ExpectCode(change(admin, admin, to(lost.ViewerRole)), lost.Forbidden, "an admin changes themselves")
		l.ExpectCode(change(admin, clerk, to(lost.OwnerRole)), lost.Invalid, "an admin promotes a clerk to owner")
		l.ExpectCode(change(admin, second, to(lost.AdminRole)), lost.Forbidden, "an admin changes an owner")
		_, err := l.Services.Team.SetMemberDisabled(t.Context(), admin.Actor(), second.ID, true)
		l.ExpectCode(err, lost.Forbidden, "an admin blocks an owner")
		_, err = l.Services.Team.Invite(t.Context(), admin.Actor(),
			testkit.Invitation("ben@hotel.example", lost.OwnerRole))
		l.ExpectCode(err, lost.Invalid, "an admin invites an owner")
		l.ExpectCode(change(l.Owner, l.Owner, to(lost.AdminRole)), lost.Forbidden, "an owner changes themselves")
		l.ExpectCode(change(l.Owner, second, to(lost.AdminRole)), "", "an owner changes an owner")
		l.ExpectCode(change(l.Owner, lost.User{ID: "usr_nobody"}, to(lost.AdminRole)), lost.NotFound, "unknown user")
	})
}

func TestAChangedRoleAppliesToTheNextRequest(t *testing.T) {
	eachAccount(t, func(l *account) {
		anna := l.NewMember("anna", lost.DeskRole)
		in := testkit.Must(l.SignIn(anna.Email, "a password of anna", testkit.ClientAt("192.0.2.1")))
		testkit.Must(l.Services.Team.ChangeMember(t.Context(), l.Owner.Actor(), anna.ID,
			lost.Membership{Role: lost.ViewerRole}))
		if now := testkit.Must(l.Services.Sessions.ByToken(t.Context(), in.Token,
			lost.Client{})); now.User.Role != lost.ViewerRole {
			t.Errorf("got role %s, want viewer", now.User.Role)
		}
		testkit.Must(l.Services.Team.EndMemberSessions(t.Context(), l.Owner.Actor(), anna.ID))
		_, err := l.Services.Sessions.ByToken(t.Context(), in.Token, lost.Client{})
		l.ExpectCode(err, lost.Unauthorized, "ended session")
		in = testkit.Must(l.SignIn(anna.Email, "a password of anna", testkit.ClientAt("192.0.2.1")))
		testkit.Must(l.Services.Team.SetMemberDisabled(t.Context(), l.Owner.Actor(), anna.ID, true))
		_, err = l.Services.Sessions.ByToken(t.Context(), in.Token, lost.Client{})
		l.ExpectCode(err, lost.Unauthorized, "session of a blocked user")
		_, err = l.SignIn(anna.Email, "a password of anna", testkit.ClientAt("192.0.2.1"))
		l.ExpectCode(err, lost.Unauthorized, "log-in of a blocked user")
		testkit.Must(l.Services.Team.SetMemberDisabled(t.Context(), l.Owner.Actor(), anna.ID, false))
		testkit.Must(l.SignIn(anna.Email, "a password of anna", testkit.ClientAt("192.0.2.1")))
	})
}

func TestConcurrentChangesKeepOneOwner(t *testing.T) {
	eachAccount(t, func(l *account) {
		second := l.NewMember("second", lost.OwnerRole)
		var both sync.WaitGroup
		var errs [2]error
		for n, pair := range [][2]lost.User{{l.Owner, second}, {second, l.Owner}} {
			both.Go(func() {
				_, errs[n] = l.Services.Team.ChangeMember(t.Context(), pair[0].Actor(), pair[1].ID,
					lost.Membership{Role: lost.AdminRole})
			})
		}
		both.Wait()
		failed := 0
		for _, err := range errs {
			if err != nil {
				l.ExpectCode(err, lost.Conflict, "second change")
				failed++
			}
		}
		if failed != 1 {
			t.Errorf("%v", errs)
		}
	})
}
