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
	wire         v1.Encoder
	now          func() time.Time
	hasher       *Hasher
	sessions     *Sessions
	profile      *Profile
	wakeMessages func()
}

// TeamOptions are the dependencies of Team.
type TeamOptions struct {
	DB           *store.DB
	Wire         v1.Encoder
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

// Bounds of the list of a team, and of open invitations.
const (
	maxTeam    = 1000
	maxInvited = 100
)

// List lists the actor's team and its open invitations.
func (s *Team) List(ctx context.Context, a lost.Actor) (t TeamOverview, err error) {
	if err := access.MayOversee(a, lost.ManageStaff); err != nil {
		return t, err
	}
	if t.Members, err = s.db.Users(ctx, a.Account, maxTeam); err != nil {
		return t, err
	}
	if t.Passkeys, err = s.db.CountPasskeys(ctx, a.Account, maxTeam); err != nil {
		return t, err
	}
	open, err := s.db.Tickets(ctx, a.Account, lost.InvitationTicket, maxInvited)
	for _, ticket := range open {
		i, err := s.invitation(ticket)
		if err != nil {
			return t, err
		}
		if ticket.Role == lost.OwnerRole && a.May(lost.ManageAccount) != nil { // the link makes its holder an owner
			i.Link = ""
		}
		t.Invitations = append(t.Invitations, i)
	}
	return t, err
}

// Member gives a member of the actor's team.
func (s *Team) Member(ctx context.Context, a lost.Actor, id string) (lost.User, error) {
	if err := access.MayOversee(a, lost.ManageStaff); err != nil {
		return lost.User{}, err
	}
	return s.db.User(ctx, a.Account, id)
}

// MemberPasskeys lists the passkeys of a member.
func (s *Team) MemberPasskeys(ctx context.Context, a lost.Actor, u lost.User) ([]lost.Passkey, error) {
	if err := access.MayOversee(a, lost.ManageStaff); err != nil {
		return nil, err
	}
	return s.db.Passkeys(ctx, lost.User{Account: a.Account, ID: u.ID})
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

// ChangeMember changes a member's role and locations, from their next request on.
func (s *Team) ChangeMember(ctx context.Context, a lost.Actor, id string, m lost.Membership) (lost.User, error) {
	return s.withMember(ctx, a, id, "role and locations", func(tx *store.Tx, u *lost.User) error {
		m := m // may run twice
		if err := checkMembership(tx, a.Account, &m); err != nil {
			return err
		}
		before := *u
		if err := u.Assign(a, m); err != nil {
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
	return s.withMember(ctx, a, id, blockedNote(disabled), func(tx *store.Tx, u *lost.User) error {
		u.Disable(disabled, tx.Now())
		if !disabled {
			return nil
		}
		if err := tx.DeleteSessions(u.Account, u.ID, ""); err != nil {
			return err
		}
		return tx.DeleteTickets(u.Account, u.ID, lost.ResetTicket)
	})
}

func blockedNote(disabled bool) string {
	if disabled {
		return "blocked"
	}
	return "unblocked"
}

// EndMemberSessions ends all sessions of a member.
func (s *Team) EndMemberSessions(ctx context.Context, a lost.Actor, id string) (lost.User, error) {
	return s.withMember(ctx, a, id, "sessions ended", func(tx *store.Tx, u *lost.User) error {
		return tx.DeleteSessions(u.Account, u.ID, "")
	})
}

// DropMemberTwoStep switches off the second step of a member who can no longer use it. They are notified.
func (s *Team) DropMemberTwoStep(ctx context.Context, a lost.Actor, id string) (lost.User, error) {
	u, err := s.withMember(ctx, a, id, "second step switched off", func(tx *store.Tx, u *lost.User) error {
		if err := tx.DeleteTOTP(*u); err != nil {
			return err
		}
		return notifyUser(tx, *u, TwoStepOff, u.Email)
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
		return notifyUser(tx, *u, PasskeysRemoved, u.Email)
	})
	s.wakeMessages()
	return u, err
}

// withMember changes a member whom the actor may change and writes an audit entry, unless the account would have no
// owner. Changes of one team wait for each other, so that two owners cannot remove each other at the same time.
func (s *Team) withMember(ctx context.Context, a lost.Actor, id, what string, change func(tx *store.Tx,
	u *lost.User) error) (u lost.User, err error) {
	if err := access.MayManage(a, lost.ManageStaff); err != nil {
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
		if err := checkOwnerLeft(tx, before, u); err != nil {
			return err
		}
		if err := tx.SaveUser(u); err != nil {
			return err
		}
		return access.Audit(tx, a, lost.PersonChanged, u.ID, auditNote(u, what))
	})
	return u, err
}

// auditNote says what was changed of a user, with their address and role.
func auditNote(u lost.User, what string) string { return u.Email + ", " + string(u.Role) + ": " + what }

// checkOwnerLeft is nil, or the error if the account would have no owner.
func checkOwnerLeft(tx *store.Tx, before, after lost.User) error {
	owns := func(u lost.User) bool { return u.Role == lost.OwnerRole && u.Active() }
	if !owns(before) || owns(after) {
		return nil
	}
	others, err := tx.CountOtherOwners(tx.Context(), after)
	if err == nil && others == 0 {
		err = lost.LastOwnerError()
	}
	return err
}
