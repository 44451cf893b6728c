package identity

import (
	"context"
	"slices"
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

// Change changes a person's name and the language in which they see the dashboard. An empty language is that of the
// browser.
func (s *Profile) Change(ctx context.Context, in Session, name, language string) error {
	return s.db.Write(ctx, func(tx *store.Tx) error {
		u, err := tx.LockUser(in.User.Account, in.User.ID)
		if err != nil {
			return err
		}
		problems := append(lost.ProblemsOf(u.Rename(name)), lost.ProblemsOf(u.SetLanguage(language))...)
		if err := problems.Err(); err != nil {
			return err
		}
		return tx.SaveUser(u)
	})
}

// PasswordChange is a new password, with the recent passkeys that the person wants to keep.
type PasswordChange struct {
	Password     string
	KeptPasskeys []string // ids of passkeys; other recent passkeys are removed
}

// ChangePassword changes a person's password, ends all their sessions and starts a new one.
func (s *Profile) ChangePassword(ctx context.Context, in Session, current string, n PasswordChange,
	from lost.Client) (renewed Session, err error) {
	hash, err := s.hashNewPassword(ctx, n.Password, in.User)
	if err != nil {
		return renewed, err
	}
	err = s.sessions.withPassword(ctx, in, current, func(tx *store.Tx, u lost.User) error {
		if u, err = setPassword(tx, u, hash, n.KeptPasskeys, from); err != nil {
			return err
		}
		renewed, err = s.sessions.admit(tx, u, in.Session.Lasting, from, in.Session.Proofs...)
		return err
	})
	return renewed, err
}

// setPassword changes a user's password and notifies them. Somebody else may have known the old password, so it ends
// all sessions, deletes the links that were sent by e-mail, and removes the recent passkeys that are not in kept.
func setPassword(tx *store.Tx, u lost.User, hash string, kept []string, from lost.Client) (lost.User, error) {
	u.PasswordHash = hash
	if err := tx.SaveUser(u); err != nil {
		return u, err
	}
	if err := tx.DeleteSessions(u.Account, u.ID, ""); err != nil {
		return u, err
	}
	for _, kind := range []lost.EmailLinkKind{lost.ResetLink, lost.AddressLink} {
		if err := tx.DeleteTickets(u.Account, u.ID, kind); err != nil {
			return u, err
		}
	}
	if err := removeRecentPasskeys(tx, u, kept, from); err != nil {
		return u, err
	}
	if err := notifyUser(tx, u, PasswordChanged, u.Email); err != nil {
		return u, err
	}
	return u, access.Audit(tx, u.Actor().WithAddress(from.Address), lost.PersonChanged, u.ID, auditNote(u, "password"))
}

// RecentPasskeys lists the passkeys that a person added recently. The person confirms them when they choose a new
// password, because an intruder may have added one.
func (s *Profile) RecentPasskeys(ctx context.Context, account, user string) ([]lost.Passkey, error) {
	return recentPasskeys(ctx, s.db, lost.User{Account: account, ID: user}, s.now())
}

func recentPasskeys(ctx context.Context, from passkeyReader, u lost.User, now time.Time) ([]lost.Passkey, error) {
	all, err := from.Passkeys(ctx, u)
	return slices.DeleteFunc(all, func(p lost.Passkey) bool { return !p.Recent(now) }), err
}

// removeRecentPasskeys removes a user's recent passkeys except those in kept.
func removeRecentPasskeys(tx *store.Tx, u lost.User, kept []string, from lost.Client) error {
	recent, err := recentPasskeys(tx.Context(), tx, u, tx.Now())
	if err != nil {
		return err
	}
	for _, p := range recent {
		if slices.Contains(kept, p.ID) {
			continue
		}
		if err := removePasskey(tx, u, p.ID, from.Address); err != nil {
			return err
		}
	}
	return nil
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
		if err := notifyUser(tx, u, AddressRequested, u.Email); err != nil {
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
		before := u.Email
		u.Email, u.VerifiedAt = t.Email, tx.Now()
		if err := yieldAddress(tx, u); err != nil {
			return err
		}
		if err := tx.SetEmail(u); err != nil {
			return err
		}
		if err := tx.DeleteTickets(u.Account, u.ID, lost.ResetLink); err != nil {
			return err
		}
		if err := notifyUser(tx, u, AddressChanged, before); err != nil {
			return err
		}
		return access.Audit(tx, u.Actor().WithAddress(from.Address), lost.PersonChanged, u.ID,
			auditNote(u, "e-mail address, before "+before))
	})
	s.wakeMessages()
	return u, err
}
