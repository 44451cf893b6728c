package desk_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"homeward/internal/lost"
)

func invited(email string, role lost.Role, locations ...string) lost.Membership {
	return lost.Membership{Email: email, Name: "Ben", Role: role, Locations: locations}
}

func TestWhoIsInvitedJoinsOnceWithTheirRole(t *testing.T) {
	eachLodge(t, func(l *lodge) {
		a := l.owner.Actor()
		place := must(l.desk.CreateLocation(t.Context(), a, named("Hotel"), lost.IdempotencyKey{}))
		_, err := l.desk.Invite(t.Context(), a, invited("not an address", "king", "loc_no"))
		if p := lost.ProblemsOf(err); len(p) != 3 {
			t.Errorf("%v", err)
		}
		i := must(l.desk.Invite(t.Context(), a, invited("ben@hotel.example", lost.DeskRole, place.ID)))
		if i.Link != "" {
			t.Error("the link is shown although it goes by mail")
		}
		_, err = l.desk.Invite(t.Context(), a, invited("BEN@hotel.example", lost.DeskRole))
		l.code(err, lost.Invalid, "a second invitation")
		_, err = l.desk.Invite(t.Context(), a, invited(l.owner.Email, lost.DeskRole))
		l.code(err, lost.Invalid, "somebody who is there")
		token := l.token(lost.InvitationTicket)
		_, err = l.desk.AcceptInvitation(t.Context(), token, "", "short", from("192.0.2.1"))
		if p := lost.ProblemsOf(err); len(p) != 2 {
			t.Errorf("%v", err)
		}
		in := must(l.desk.AcceptInvitation(t.Context(), token, "Ben Bell", "lantern paper violin", from("192.0.2.1")))
		in = must(l.desk.Insider(t.Context(), in.Token))
		if u := in.User; u.Role != lost.DeskRole || len(u.Locations) != 1 || u.Locations[0] != place.ID || u.Name != "Ben Bell" {
			t.Errorf("%+v", u)
		}
		_, err = l.desk.AcceptInvitation(t.Context(), token, "Ben Bell", "lantern paper violin", from("192.0.2.1"))
		l.code(err, lost.NotFound, "the link, again")
	})
}

func TestAnInvitationIsSentAgainAndTakenBack(t *testing.T) {
	eachLodge(t, func(l *lodge) {
		a := l.owner.Actor()
		i := must(l.desk.Invite(t.Context(), a, invited("ben@hotel.example", lost.ViewerRole)))
		first := l.token(lost.InvitationTicket)
		l.clock.Advance(7 * 24 * time.Hour)
		_, err := l.desk.AcceptInvitation(t.Context(), first, "Ben", "lantern paper violin", from("192.0.2.1"))
		l.code(err, lost.Gone, "after a week")
		if team := must(l.desk.Team(t.Context(), a)); len(team.Invitations) != 1 || !team.Invitations[0].Expired {
			t.Errorf("%+v", team.Invitations)
		}
		again := must(l.desk.ResendInvitation(t.Context(), a, i.ID))
		_, err = l.desk.Ticket(t.Context(), lost.InvitationTicket, first, from("192.0.2.1"))
		l.code(err, lost.NotFound, "the first link")
		must(l.desk.Ticket(t.Context(), lost.InvitationTicket, l.token(lost.InvitationTicket), from("192.0.2.1")))
		l.code(l.desk.RevokeInvitation(t.Context(), a, again.ID), "", "revoking")
		l.code(l.desk.RevokeInvitation(t.Context(), a, again.ID), lost.NotFound, "revoking again")
	})
}

func TestWithoutMailTheLinkIsShownToWhoInvites(t *testing.T) {
	eachLodge(t, func(l *lodge) {
		d := newDeskWith(l.db, l.clock, silent{})
		i := must(d.Invite(t.Context(), l.owner.Actor(), invited("ben@hotel.example", lost.ViewerRole)))
		if team := must(d.Team(t.Context(), l.owner.Actor())); i.Link == "" || team.Invitations[0].Link != i.Link {
			t.Errorf("%q and %+v", i.Link, team.Invitations)
		}
		must(d.AcceptInvitation(t.Context(), strings.TrimPrefix(i.Link, "/invitation/"), "Ben", "lantern paper violin", from("192.0.2.1")))
		l.code(d.ForgotPassword(t.Context(), l.owner.Email, from("192.0.2.1")), "", "a reset")
		if open := must(l.db.Tickets(t.Context(), l.owner.Account, lost.ResetTicket, 1)); len(open) != 0 {
			t.Error("a link was made that reaches nobody")
		}
	})
}

func TestRolesAreChangedByThoseWhoMay(t *testing.T) {
	eachLodge(t, func(l *lodge) {
		admin, other, clerk, second := l.member("admin", lost.AdminRole), l.member("other", lost.AdminRole), l.member("clerk", lost.DeskRole), l.member("second", lost.OwnerRole)
		to := func(r lost.Role) lost.Membership { return lost.Membership{Role: r} }
		change := func(by lost.User, who lost.User, m lost.Membership) error {
			_, err := l.desk.ChangeMember(t.Context(), by.Actor(), who.ID, m)
			return err
		}
		l.code(change(admin, clerk, to(lost.AdminRole)), "", "an admin makes an admin")
		l.code(change(admin, clerk, to(lost.DeskRole)), "", "and a clerk again")
		l.code(change(admin, other, to(lost.ViewerRole)), "", "an admin changes an admin")
		l.code(change(clerk, admin, to(lost.ViewerRole)), lost.Forbidden, "a clerk changes anybody")
		l.code(change(admin, admin, to(lost.ViewerRole)), lost.Forbidden, "an admin changes themselves")
		l.code(change(admin, clerk, to(lost.OwnerRole)), lost.Invalid, "an admin makes an owner")
		l.code(change(admin, second, to(lost.AdminRole)), lost.Forbidden, "an admin changes an owner")
		_, err := l.desk.SetMemberDisabled(t.Context(), admin.Actor(), second.ID, true)
		l.code(err, lost.Forbidden, "an admin keeps an owner out")
		_, err = l.desk.Invite(t.Context(), admin.Actor(), invited("ben@hotel.example", lost.OwnerRole))
		l.code(err, lost.Invalid, "an admin invites an owner")
		l.code(change(l.owner, l.owner, to(lost.AdminRole)), lost.Forbidden, "an owner changes themselves")
		l.code(change(l.owner, second, to(lost.AdminRole)), "", "an owner changes an owner")
		l.code(change(l.owner, lost.User{ID: "usr_nobody"}, to(lost.AdminRole)), lost.NotFound, "nobody")
	})
}

func TestAChangeIsFeltAtTheNextRequest(t *testing.T) {
	eachLodge(t, func(l *lodge) {
		anna := l.member("anna", lost.DeskRole)
		in := must(l.signIn(anna.Email, "a password of anna", from("192.0.2.1")))
		must(l.desk.ChangeMember(t.Context(), l.owner.Actor(), anna.ID, lost.Membership{Role: lost.ViewerRole}))
		if now := must(l.desk.Insider(t.Context(), in.Token)); now.User.Role != lost.ViewerRole {
			t.Errorf("she is still %s", now.User.Role)
		}
		must(l.desk.EndMemberSessions(t.Context(), l.owner.Actor(), anna.ID))
		_, err := l.desk.Insider(t.Context(), in.Token)
		l.code(err, lost.Unauthorized, "a session that was ended")
		in = must(l.signIn(anna.Email, "a password of anna", from("192.0.2.1")))
		must(l.desk.SetMemberDisabled(t.Context(), l.owner.Actor(), anna.ID, true))
		_, err = l.desk.Insider(t.Context(), in.Token)
		l.code(err, lost.Unauthorized, "a session of somebody who is kept out")
		_, err = l.signIn(anna.Email, "a password of anna", from("192.0.2.1"))
		l.code(err, lost.Unauthorized, "logging in")
		must(l.desk.SetMemberDisabled(t.Context(), l.owner.Actor(), anna.ID, false))
		must(l.signIn(anna.Email, "a password of anna", from("192.0.2.1")))
	})
}

func TestTwoOwnersCannotSendEachOtherAway(t *testing.T) {
	eachLodge(t, func(l *lodge) {
		second := l.member("second", lost.OwnerRole)
		var both sync.WaitGroup
		var errs [2]error
		for n, pair := range [][2]lost.User{{l.owner, second}, {second, l.owner}} {
			both.Go(func() {
				_, errs[n] = l.desk.ChangeMember(t.Context(), pair[0].Actor(), pair[1].ID, lost.Membership{Role: lost.AdminRole})
			})
		}
		both.Wait()
		failed := 0
		for _, err := range errs {
			if err != nil {
				l.code(err, lost.Conflict, "the second to come")
				failed++
			}
		}
		if failed != 1 {
			t.Errorf("%v", errs)
		}
	})
}
