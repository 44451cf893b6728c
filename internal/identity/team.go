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

// NewTeam creates Team.
func NewTeam(o TeamOptions) *Team {
	return &Team{
		db: o.DB, wire: o.Wire, now: o.Now, hasher: o.Hasher, sessions: o.Sessions, profile: o.Profile,
		wakeMessages: o.WakeMessages,
	}
}

// TeamOverview lists the members of an account and the open invitations.
type TeamOverview struct {
	Members     []lost.User
	Passkeys    map[string]int // number of passkeys by user id; users without passkeys are omitted
	Invitations []Invitation
}

// The maximum number of listed members, and of open invitations to a team.
const (
	maxTeam    = 1000
	maxInvited = 100
)

// List lists the actor's team and its open invitations.
func (s *Team) List(ctx context.Context, a lost.Actor) (t TeamOverview, err error) {
	if err := access.MayViewAccount(a, lost.ManageStaff); err != nil {
		return t, err
	}
	if t.Members, err = s.db.Users(ctx, a.Account, maxTeam); err != nil {
		return t, err
	}
	if t.Passkeys, err = s.db.CountPasskeys(ctx, a.Account, maxTeam); err != nil {
		return t, err
	}
	open, err := s.db.Tickets(ctx, a.Account, lost.InvitationLink, maxInvited)
	for _, link := range open {
		i, err := s.invitation(link)
		if err != nil {
			return t, err
		}
		if link.Role == lost.OwnerRole && a.May(lost.ManageAccount) != nil { // anyone with the link can become an owner
			i.Link = ""
		}
		t.Invitations = append(t.Invitations, i)
	}
	return t, err
}

// Member returns a member of the actor's team.
func (s *Team) Member(ctx context.Context, a lost.Actor, id string) (lost.User, error) {
	if err := access.MayViewAccount(a, lost.ManageStaff); err != nil {
		return lost.User{}, err
	}
	return s.db.User(ctx, a.Account, id)
}

// MemberPasskeys lists the passkeys of a member.
func (s *Team) MemberPasskeys(ctx context.Context, a lost.Actor, u lost.User) ([]lost.Passkey, error) {
	if err := access.MayViewAccount(a, lost.ManageStaff); err != nil {
		return nil, err
	}
	return s.db.Passkeys(ctx, lost.User{Account: a.Account, ID: u.ID})
}

// checkMembership adds a problem to m for each of its locations that does not exist.
func checkMembership(tx *store.Tx, account string, m *lost.Membership) (err error) {
	if len(m.Locations) > lost.MaxMemberLocations { // the list is too long and is rejected later
		return nil
	}
	m.Problems, err = missingLocations(tx, account, m.Locations, m.Problems)
	return err
}

// missingLocations returns problems with a problem added for each location in sent that does not exist.
func missingLocations(tx *store.Tx, account string, sent []string, problems lost.Problems) (lost.Problems, error) {
	problems = slices.Clone(problems)
	for n, id := range sent {
		_, err := tx.Location(tx.Context(), account, id)
		if lost.CodeOf(err) == lost.NotFound {
			problems.Add(fmt.Sprintf("locations[%d]", n), "not-found", "is not a location of this account")
		} else if err != nil {
			return problems, err
		}
	}
	return problems, nil
}

// ChangeMember changes a member's role and locations. The change takes effect with the member's next request.
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
			return access.ErrConflict
		}
		return nil
	})
}

// SetMemberDisabled blocks a member and ends their sessions, or unblocks a member.
func (s *Team) SetMemberDisabled(ctx context.Context, a lost.Actor, id string, disabled bool) (lost.User, error) {
	return s.withMember(ctx, a, id, blockedNote(disabled), func(tx *store.Tx, u *lost.User) error {
		u.Disable(disabled, tx.Now())
		if !disabled {
			return nil
		}
		if err := tx.DeleteSessions(u.Account, u.ID, ""); err != nil {
			return err
		}
		return tx.DeleteTickets(u.Account, u.ID, lost.ResetLink)
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

// DisableMemberTOTP disables two-step login for a member who can no longer use it, and notifies them.
func (s *Team) DisableMemberTOTP(ctx context.Context, a lost.Actor, id string) (lost.User, error) {
	u, err := s.withMember(ctx, a, id, "two-step login switched off", func(tx *store.Tx, u *lost.User) error {
		if err := tx.DeleteTOTP(*u); err != nil {
			return err
		}
		return notifyUser(tx, *u, TOTPDisabled, u.Email)
	})
	s.wakeMessages()
	return u, err
}

// RemoveMemberPasskeys removes all passkeys of a member who has lost their device, and notifies them.
func (s *Team) RemoveMemberPasskeys(ctx context.Context, a lost.Actor, id string) (lost.User, error) {
	u, err := s.withMember(ctx, a, id, "passkeys removed", func(tx *store.Tx, u *lost.User) error {
		if err := deletePasskeys(tx, *u); err != nil {
			return err
		}
		return notifyUser(tx, *u, PasskeysRemoved, u.Email)
	})
	s.wakeMessages()
	return u, err
}

// withMember changes a member and writes an audit entry. It returns an error if the actor may not change the member,
// or if the account would have no owner left. It locks the account, so that two owners cannot remove each other's
// role at the same time.
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

// auditNote returns an audit note about a change to a user, with the user's e-mail address and role.
func auditNote(u lost.User, what string) string { return u.Email + ", " + string(u.Role) + ": " + what }

// checkOwnerLeft returns an error if the change from before to after would leave the account without an owner.
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
