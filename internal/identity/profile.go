package identity

import (
	"context"
	"strings"
	"time"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
	v1 "homeward/internal/v1"
)

// Profile changes a person's own name, password and e-mail address.
type Profile struct {
	db           *store.DB
	wire         v1.Encoder
	now          func() time.Time
	hasher       *Hasher
	sessions     *Sessions
	messenger    Messenger
	wakeMessages func()
}

// ProfileOptions are the dependencies of Profile.
type ProfileOptions struct {
	DB           *store.DB
	Wire         v1.Encoder
	Now          func() time.Time
	Hasher       *Hasher
	Sessions     *Sessions
	Messenger    Messenger
	WakeMessages func()
}

// NewProfile creates Profile.
func NewProfile(o ProfileOptions) *Profile {
	return &Profile{
		db: o.DB, wire: o.Wire, now: o.Now, hasher: o.Hasher, sessions: o.Sessions, messenger: o.Messenger,
		wakeMessages: o.WakeMessages,
	}
}

// Rename changes a person's name.
func (s *Profile) Rename(ctx context.Context, in Session, name string) error {
	return s.db.Write(ctx, func(tx *store.Tx) error {
		u, err := tx.LockUser(in.User.Account, in.User.ID)
		if err != nil {
			return err
		}
		if err := u.Rename(name); err != nil {
			return err
		}
		return tx.SaveUser(u)
	})
}

// ChangePassword changes a person's password and ends all their other sessions.
func (s *Profile) ChangePassword(ctx context.Context, in Session, current, next string) error {
	var p lost.Problems
	if lost.CheckPassword(&p, "password", next, in.User); len(p) > 0 {
		return p.Err()
	}
	hash, err := s.hasher.hash(ctx, next)
	if err != nil {
		return err
	}
	return s.sessions.withPassword(ctx, in, current, func(tx *store.Tx, u lost.User) error {
		return setPassword(tx, u, hash, in.Session.ID)
	})
}

// setPassword changes a user's password, ends their sessions except one, and notifies them. Links to reset the password
// and to confirm a new e-mail address stop working.
func setPassword(tx *store.Tx, u lost.User, hash, except string) error {
	u.PasswordHash = hash
	if err := tx.SaveUser(u); err != nil {
		return err
	}
	if err := tx.DeleteSessions(u.Account, u.ID, except); err != nil {
		return err
	}
	// Somebody who knew the old password may have requested the link to confirm a new address.
	for _, kind := range []lost.EmailLinkKind{lost.ResetLink, lost.AddressLink} {
		if err := tx.DeleteTickets(u.Account, u.ID, kind); err != nil {
			return err
		}
	}
	if err := notifyUser(tx, u, PasswordChanged, u.Email); err != nil {
		return err
	}
	return access.Audit(tx, u.Actor(), lost.PersonChanged, u.ID, auditNote(u, "password"))
}

// ChangeEmail sends a confirmation link to a person's new e-mail address. The old address stays in use until the new
// one is confirmed.
func (s *Profile) ChangeEmail(ctx context.Context, in Session, current, email string) error {
	var p lost.Problems
	switch parsed, ok := lost.ParseEmail(strings.TrimSpace(email)); {
	case !ok:
		p.Add("email", "invalid-email", "must be an e-mail address such as anna@example.com")
		return p.Err()
	case lost.EmailKey(parsed) == lost.EmailKey(in.User.Email):
		p.Add("email", "not-allowed", "is already your address")
		return p.Err()
	default:
		email = parsed
	}
	if !s.SendsMail() {
		return lost.E(lost.Conflict,
			"E-mail is not set up, so the address cannot be confirmed. Ask your administrator.")
	}
	return s.sessions.withPassword(ctx, in, current, func(tx *store.Tx, u lost.User) error {
		if err := access.Throttle(tx, addresses.NewAttempt(u.ID)); err != nil {
			return err
		}
		if err := tx.DeleteTickets(u.Account, u.ID, lost.AddressLink); err != nil {
			return err
		}
		return tx.SendTicket(lost.NewEmailLink(lost.AddressLink, u, email, tx.Now()))
	})
}

// ConfirmEmail changes a person's e-mail address to the one that the confirmation link was sent to, and notifies the
// previous address.
func (s *Profile) ConfirmEmail(ctx context.Context, token string, from lost.Client) (u lost.User, err error) {
	t, err := s.EmailLink(ctx, lost.AddressLink, token, from)
	if err != nil {
		return u, err
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		if u, err = tx.LockUser(t.Account, t.UserID); err != nil {
			return err
		}
		if err := useEmailLink(tx, t); err != nil {
			return err
		}
		if err := freeAddress(tx, t.Email); err != nil {
			return err
		}
		before := u.Email
		u.Email = t.Email
		if err := tx.SetEmail(u); err != nil {
			return err
		}
		if err := tx.DeleteTickets(u.Account, u.ID, lost.ResetLink); err != nil {
			return err
		}
		if err := notifyUser(tx, u, AddressChanged, before); err != nil {
			return err
		}
		return access.Audit(tx, u.Actor(), lost.PersonChanged, u.ID, auditNote(u, "e-mail address, before "+before))
	})
	s.wakeMessages()
	return u, err
}

// freeAddress returns an error if a user already has the e-mail address.
func freeAddress(tx *store.Tx, email string) error {
	_, taken, err := tx.UserByEmail(tx.Context(), email)
	if err == nil && taken {
		err = lost.E(lost.Conflict, "A user with this e-mail address already exists.")
	}
	return err
}
