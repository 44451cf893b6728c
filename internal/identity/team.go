package identity

import (
	"context"
	"fmt"
	"slices"
	"time"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
	v1 "homeward/internal/v1"
)

// Team manages who may log in to an account.
type Team struct {
	db           *store.DB
	wire         v1.Wire
	now          func() time.Time
	hasher       *Hasher
	sessions     *Sessions
	profile      *Profile
	wakeMessages func()
}

// TeamOptions are the dependencies of Team.
type TeamOptions struct {
	DB           *store.DB
	Wire         v1.Wire
	Now          func() time.Time
	Hasher       *Hasher
	Sessions     *Sessions
	Profile      *Profile
	WakeMessages func()
}

// NewTeam makes Team.
func NewTeam(o TeamOptions) *Team {
	return &Team{
		db: o.DB, wire: o.Wire, now: o.Now, hasher: o.Hasher, sessions: o.Sessions, profile: o.Profile,
		wakeMessages: o.WakeMessages,
	}
}

// TeamOverview is everybody who may log in to an account, and the open invitations.
type TeamOverview struct {
	Members     []lost.User
	Passkeys    map[string]int // number of passkeys by user, for those who have any
	Invitations []Invitation
}

// Invitation is an open invitation to a team.
type Invitation struct {
	lost.Ticket
	Expired bool
	Link    string // for an admin to pass on; empty if it was sent by mail
}

// Bounds of the list of a team, and of open invitations.
const (
	maxTeam    = 1000
	maxInvited = 100
)

// Team lists the actor's team and its open invitations.
func (s *Team) Team(ctx context.Context, a lost.Actor) (t TeamOverview, err error) {
	if err := access.MayOversee(a, lost.Staff); err != nil {
		return t, err
	}
	if t.Members, err = s.db.Users(ctx, a.Account, maxTeam); err != nil {
		return t, err
	}
	if t.Passkeys, err = s.db.PasskeysOfAll(ctx, a.Account, maxTeam); err != nil {
		return t, err
	}
	open, err := s.db.Tickets(ctx, a.Account, lost.InvitationTicket, maxInvited)
	for _, ticket := range open {
		i, err := s.invitation(ticket)
		if err != nil {
			return t, err
		}
		if ticket.Role == lost.OwnerRole && a.May(lost.Govern) != nil { // whoever has the link becomes an owner
			i.Link = ""
		}
		t.Invitations = append(t.Invitations, i)
	}
	return t, err
}

func (s *Team) invitation(t lost.Ticket) (Invitation, error) {
	i := Invitation{Ticket: t, Expired: t.Opens(s.now()) != nil}
	if s.profile.SendsMail() || i.Expired {
		return i, nil
	}
	token, err := s.db.TicketToken(t)
	i.Link = s.wire.Base + t.Kind.Path() + token
	return i, err
}

// Member gives a member of the actor's team.
func (s *Team) Member(ctx context.Context, a lost.Actor, id string) (lost.User, error) {
	if err := access.MayOversee(a, lost.Staff); err != nil {
		return lost.User{}, err
	}
	return s.db.User(ctx, a.Account, id)
}

// MemberPasskeys lists the passkeys of a member.
func (s *Team) MemberPasskeys(ctx context.Context, a lost.Actor, u lost.User) ([]lost.Passkey, error) {
	if err := access.MayOversee(a, lost.Staff); err != nil {
		return nil, err
	}
	return s.db.Passkeys(ctx, lost.User{Account: a.Account, ID: u.ID})
}

// Invite invites somebody, by mail if mail is sent.
func (s *Team) Invite(ctx context.Context, a lost.Actor, m lost.Membership) (i Invitation, err error) {
	if err := access.MayManage(a, lost.Staff); err != nil {
		return i, err
	}
	var t lost.Ticket
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		m := m // may run twice
		if err := checkMembership(tx, a.Account, &m); err != nil {
			return err
		}
		if t, err = lost.NewInvitation(a, m, tx.Now()); err != nil {
			return err
		}
		if err := mayBeInvited(tx, t); err != nil {
			return err
		}
		if err := access.Throttle(tx, invitations.Of(a.Account)); err != nil {
			return err
		}
		if err := tx.SendTicket(t); err != nil {
			return err
		}
		return access.Audit(tx, a, lost.PersonInvited, t.ID, invitedAs(t))
	})
	if err != nil {
		return i, err
	}
	s.wakeMessages()
	return s.invitation(t)
}

func invitedAs(t lost.Ticket) string { return t.Email + " as " + string(t.Role) }

// mayBeInvited refuses an address that is in the team or was invited already. Somebody who logs in to another account
// is told so when they open the link: that is nobody else's business.
func mayBeInvited(tx *store.Tx, t lost.Ticket) error {
	var p lost.Problems
	e, taken, err := tx.Lookup(tx.Context(), store.UserEntry, store.DirectoryHash(store.Fold(t.Email)))
	if err != nil {
		return err
	}
	if taken && e.Account == t.Account {
		p.Add("email", "taken", "belongs to somebody who is in the team already")
		return p.Err()
	}
	open, err := tx.Tickets(tx.Context(), t.Account, lost.InvitationTicket, maxInvited)
	if err != nil {
		return err
	}
	if len(open) == maxInvited {
		return lost.E(lost.Conflict, "There are %d open invitations. Revoke some that nobody accepts.", maxInvited)
	}
	if slices.ContainsFunc(open, func(o lost.Ticket) bool { return store.Fold(o.Email) == store.Fold(t.Email) }) {
		p.Add("email", "taken", "was invited already. Send that invitation again, or revoke it first")
	}
	return p.Err()
}

// checkMembership adds a problem for each unknown location.
func checkMembership(tx *store.Tx, account string, m *lost.Membership) (err error) {
	if len(m.Locations) > lost.MaxMemberLocations { // refused for its length
		return nil
	}
	m.Problems, err = missingLocations(tx, account, m.Locations, m.Problems)
	return err
}

// missingLocations adds a problem for each unknown location.
func missingLocations(tx *store.Tx, account string, sent []string, known lost.Problems) (lost.Problems, error) {
	known = slices.Clone(known)
	for n, id := range sent {
		_, err := tx.Location(tx.Context(), account, id)
		if lost.CodeOf(err) == lost.NotFound {
			known.Add(fmt.Sprintf("locations[%d]", n), "not-found", "is not a location of this account")
		} else if err != nil {
			return known, err
		}
	}
	return known, nil
}

// ResendInvitation sends an invitation again, valid from now on. The previous link stops working.
func (s *Team) ResendInvitation(ctx context.Context, a lost.Actor, id string) (i Invitation, err error) {
	var t lost.Ticket
	err = s.withInvitation(ctx, a, id, func(tx *store.Tx, old lost.Ticket) error {
		t = old.Renew(tx.Now())
		if err := access.Throttle(tx, invitations.Of(a.Account)); err != nil {
			return err
		}
		if err := tx.SendTicket(t); err != nil {
			return err
		}
		return access.Audit(tx, a, lost.PersonInvited, t.ID, invitedAs(t)+", again")
	})
	if err != nil {
		return i, err
	}
	s.wakeMessages()
	return s.invitation(t)
}

// RevokeInvitation revokes an invitation.
func (s *Team) RevokeInvitation(ctx context.Context, a lost.Actor, id string) error {
	return s.withInvitation(ctx, a, id, func(tx *store.Tx, old lost.Ticket) error {
		return access.Audit(tx, a, lost.PersonChanged, old.ID, "invitation of "+old.Email+" revoked")
	})
}

// withInvitation deletes an invitation and does what follows.
func (s *Team) withInvitation(ctx context.Context, a lost.Actor, id string, do func(tx *store.Tx,
	old lost.Ticket) error) error {
	if err := access.MayManage(a, lost.Staff); err != nil {
		return err
	}
	return s.db.Write(ctx, func(tx *store.Tx) error {
		old, err := tx.Ticket(tx.Context(), a.Account, id)
		if err == nil && old.Kind != lost.InvitationTicket {
			err = lost.Missing("invitation")
		}
		if err != nil {
			return err
		}
		if old.Role == lost.OwnerRole && !a.Role.Has(lost.Govern) {
			return lost.E(lost.Forbidden, "Only an owner invites owners.")
		}
		if there, err := tx.TakeTicket(a.Account, id); err != nil || !there {
			if err != nil {
				return err
			}
			return lost.Missing("invitation")
		}
		return do(tx, old)
	})
}

// AcceptInvitation lets an invited person choose a name and a password, and begins their first session.
func (s *Team) AcceptInvitation(ctx context.Context, token, name, password string,
	from lost.Client) (in Session, err error) {
	t, err := s.profile.Ticket(ctx, lost.InvitationTicket, token, from)
	if err != nil {
		return in, err
	}
	u := t.Member(s.now())
	problems := lost.ProblemsOf(u.Rename(name))
	if lost.CheckPassword(&problems, "password", password, u); len(problems) > 0 {
		return in, problems.Err()
	}
	if u.PasswordHash, err = s.hasher.hash(ctx, password); err != nil {
		return in, err
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		if err := useTicket(tx, t); err != nil {
			return err
		}
		if err := freeAddress(tx, u.Email); err != nil {
			return err
		}
		if err := tx.InsertUser(u); err != nil {
			return err
		}
		if err := access.Audit(tx, u.Actor(), lost.PersonJoined, u.ID, u.Email+" as "+string(u.Role)); err != nil {
			return err
		}
		in, err = s.sessions.admit(tx, u, false, from, lost.PasswordProof)
		return err
	})
	return in, err
}

// ChangeMember changes a member's role and locations, from their next request on.
func (s *Team) ChangeMember(ctx context.Context, a lost.Actor, id string, m lost.Membership) (lost.User, error) {
	return s.withMember(ctx, a, id, "role and locations", func(tx *store.Tx, u *lost.User) error {
		m := m // may run twice
		if err := checkMembership(tx, a.Account, &m); err != nil {
			return err
		}
		before := *u
		if err := u.Place(a, m); err != nil {
			return err
		}
		if changed := u.Role != before.Role || !slices.Equal(u.Locations, before.Locations); changed && m.Same != nil &&
			!m.Same(before) {
			return access.ErrOvertaken
		}
		return nil
	})
}

// SetMemberDisabled blocks a member and ends their sessions, or unblocks them.
func (s *Team) SetMemberDisabled(ctx context.Context, a lost.Actor, id string, disabled bool) (lost.User, error) {
	return s.withMember(ctx, a, id, keptOut(disabled), func(tx *store.Tx, u *lost.User) error {
		u.Disable(disabled, tx.Now())
		if !disabled {
			return nil
		}
		if err := tx.EndSessions(u.Account, u.ID, ""); err != nil {
			return err
		}
		return tx.DropTickets(u.Account, u.ID, lost.ResetTicket)
	})
}

func keptOut(disabled bool) string {
	if disabled {
		return "kept out"
	}
	return "let in again"
}

// EndMemberSessions ends all sessions of a member.
func (s *Team) EndMemberSessions(ctx context.Context, a lost.Actor, id string) (lost.User, error) {
	return s.withMember(ctx, a, id, "sessions ended", func(tx *store.Tx, u *lost.User) error {
		return tx.EndSessions(u.Account, u.ID, "")
	})
}

// DropMemberTwoStep switches off the second step of a member who can no longer use it. They are notified.
func (s *Team) DropMemberTwoStep(ctx context.Context, a lost.Actor, id string) (lost.User, error) {
	u, err := s.withMember(ctx, a, id, "second step switched off", func(tx *store.Tx, u *lost.User) error {
		if err := tx.DropTwoStep(*u); err != nil {
			return err
		}
		return tell(tx, *u, TwoStepOff, u.Email)
	})
	s.wakeMessages()
	return u, err
}

// RemoveMemberPasskeys removes all passkeys of a member who has lost their device. They are notified.
func (s *Team) RemoveMemberPasskeys(ctx context.Context, a lost.Actor, id string) (lost.User, error) {
	u, err := s.withMember(ctx, a, id, "passkeys removed", func(tx *store.Tx, u *lost.User) error {
		all, err := tx.Passkeys(tx.Context(), *u)
		if err != nil {
			return err
		}
		for _, p := range all {
			if err := tx.DeletePasskey(p); err != nil {
				return err
			}
		}
		return tell(tx, *u, PasskeysRemoved, u.Email)
	})
	s.wakeMessages()
	return u, err
}

// withMember changes a member whom the actor may change and writes an audit entry, unless the account would have no
// owner. Changes of one team wait for each other, so that two owners cannot remove each other at the same time.
func (s *Team) withMember(ctx context.Context, a lost.Actor, id, what string, change func(tx *store.Tx,
	u *lost.User) error) (u lost.User, err error) {
	if err := access.MayManage(a, lost.Staff); err != nil {
		return u, err
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		if _, err := tx.LockAccount(a.Account); err != nil {
			return err
		}
		if u, err = tx.LockUser(a.Account, id); err != nil {
			return err
		}
		if err := a.MayChange(u); err != nil {
			return err
		}
		before := u
		if err := change(tx, &u); err != nil {
			return err
		}
		if err := keepsOwner(tx, before, u); err != nil {
			return err
		}
		if err := tx.SaveUser(u); err != nil {
			return err
		}
		return access.Audit(tx, a, lost.PersonChanged, u.ID, changedTo(u, what))
	})
	return u, err
}

// changedTo says what was changed of a user, with their address and role.
func changedTo(u lost.User, what string) string { return u.Email + ", " + string(u.Role) + ": " + what }

// keepsOwner is nil, or the error if the account would have no owner.
func keepsOwner(tx *store.Tx, before, after lost.User) error {
	owns := func(u lost.User) bool { return u.Role == lost.OwnerRole && u.Active() }
	if !owns(before) || owns(after) {
		return nil
	}
	others, err := tx.OtherOwners(tx.Context(), after)
	if err == nil && others == 0 {
		err = lost.LastOwner()
	}
	return err
}
