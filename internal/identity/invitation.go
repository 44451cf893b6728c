package identity

import (
	"context"
	"slices"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// Invitation is an open invitation to a team.
type Invitation struct {
	lost.EmailLink
	Expired bool
	Link    string // for an admin to share; empty if it was sent by e-mail
}

func (s *Team) invitation(t lost.EmailLink) (Invitation, error) {
	i := Invitation{EmailLink: t, Expired: t.CheckValid(s.now()) != nil}
	if !t.Shared || i.Expired {
		return i, nil
	}
	token, err := s.db.TicketToken(t)
	i.Link = s.wire.Base + t.Kind.Path() + token
	return i, err
}

// Invite invites a person to the team. If e-mail is set up, it sends the invitation; otherwise it returns a link to
// share.
func (s *Team) Invite(ctx context.Context, a lost.Actor, m lost.Membership) (i Invitation, err error) {
	if err := access.MayManage(a, lost.ManageStaff); err != nil {
		return i, err
	}
	var t lost.EmailLink
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		m := m // may run twice
		if err := checkMembership(tx, a.Account, &m); err != nil {
			return err
		}
		if t, err = lost.NewInvitation(a, m, tx.Now()); err != nil {
			return err
		}
		t.Shared = !s.profile.SendsMail()
		if err := mayBeInvited(tx, t); err != nil {
			return err
		}
		if err := access.Throttle(tx, invitations.NewAttempt(a.Account)); err != nil {
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

func invitedAs(t lost.EmailLink) string { return t.Email + " as " + string(t.Role) }

// mayBeInvited returns an error if the address belongs to a team member or was already invited. If the address
// belongs to a user of another account, it returns no error, so that the inviter does not learn this. The person is
// told in the e-mail, and when they open the link.
func mayBeInvited(tx *store.Tx, t lost.EmailLink) error {
	var p lost.Problems
	member, err := inTeam(tx, t.Account, t.Email)
	if err != nil {
		return err
	}
	if member {
		p.Add("email", "taken", "is already in the team")
		return p.Err()
	}
	open, err := tx.Tickets(tx.Context(), t.Account, lost.InvitationLink, maxInvited)
	if err != nil {
		return err
	}
	if len(open) == maxInvited {
		return lost.E(lost.Conflict, "There are %d open invitations. Revoke some of them first.", maxInvited)
	}
	key := lost.EmailKey(t.Email)
	if slices.ContainsFunc(open, func(o lost.EmailLink) bool { return lost.EmailKey(o.Email) == key }) {
		p.Add("email", "taken", "is already invited. Resend or revoke that invitation")
	}
	return p.Err()
}

// ResendInvitation replaces an invitation with a new one that expires later, and sends it. The previous link stops
// working.
func (s *Team) ResendInvitation(ctx context.Context, a lost.Actor, id string) (i Invitation, err error) {
	var t lost.EmailLink
	err = s.withInvitation(ctx, a, id, func(tx *store.Tx, old lost.EmailLink) error {
		t = old.Renew(tx.Now())
		t.Shared = !s.profile.SendsMail()
		if err := access.Throttle(tx, invitations.NewAttempt(a.Account)); err != nil {
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
	return s.withInvitation(ctx, a, id, func(tx *store.Tx, old lost.EmailLink) error {
		return access.Audit(tx, a, lost.PersonChanged, old.ID, "invitation of "+old.Email+" revoked")
	})
}

// withInvitation deletes an invitation and calls do in the same transaction.
func (s *Team) withInvitation(ctx context.Context, a lost.Actor, id string, do func(tx *store.Tx,
	old lost.EmailLink) error) error {
	if err := access.MayManage(a, lost.ManageStaff); err != nil {
		return err
	}
	return s.db.Write(ctx, func(tx *store.Tx) error {
		old, err := tx.Ticket(tx.Context(), a.Account, id)
		if err == nil && old.Kind != lost.InvitationLink {
			err = lost.Missing("invitation")
		}
		if err != nil {
			return err
		}
		if old.Role == lost.OwnerRole && !a.Role.Has(lost.ManageAccount) {
			return lost.E(lost.Forbidden, "Only an owner can invite owners.")
		}
		if found, err := tx.ConsumeEmailLink(a.Account, id); err != nil || !found {
			if err != nil {
				return err
			}
			return lost.Missing("invitation")
		}
		return do(tx, old)
	})
}

// AcceptInvitation creates a user for an invited person, with the name and password that they chose, and starts their
// first session.
func (s *Team) AcceptInvitation(ctx context.Context, token, name, password string,
	from lost.Client) (in Session, err error) {
	t, err := s.profile.EmailLink(ctx, lost.InvitationLink, token, from)
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
		if err := useEmailLink(tx, t); err != nil {
			return err
		}
		if err := addInvited(tx, t, u); err != nil {
			return err
		}
		if err := access.Audit(tx, u.Actor().WithAddress(from.Address), lost.PersonJoined, u.ID,
			u.Email+" as "+string(u.Role)); err != nil {
			return err
		}
		in, err = s.sessions.admit(tx, u, false, from, lost.PasswordProof)
		return err
	})
	return in, err
}
