package identity

import (
	"context"
	"crypto/rand"
	"strings"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// Changes to a user's login. Users are notified of them, so that they notice an intruder.
const (
	PasswordChanged  = store.PasswordChanged
	AddressRequested = store.AddressRequested
	AddressChanged   = store.AddressChanged
	TOTPEnabled      = store.TOTPEnabled
	TOTPDisabled     = store.TOTPDisabled
	RecoveryRenewed  = store.RecoveryRenewed
	PasskeyAdded     = store.PasskeyAdded
	PasskeyRemoved   = store.PasskeyRemoved
	PasskeysRemoved  = store.PasskeysRemoved
	TOTPReset        = store.TOTPReset
	PasskeysReset    = store.PasskeysReset
	IdentityLinked   = store.IdentityLinked
	IdentityUnlinked = store.IdentityUnlinked
)

func notifyUser(tx *store.Tx, u lost.User, what, address string) error {
	return tx.AddLoginNoticeJob(u.Account, what, address)
}

// SendsMail reports whether e-mail is set up.
func (s *Profile) SendsMail() bool { return s.messenger.Sends(lost.ByEmail) }

// ForgotPassword sends a password reset link to an address if it belongs to a user. Neither the result nor the time
// it takes reveals whether the address belongs to a user.
func (s *Profile) ForgotPassword(ctx context.Context, email string, from lost.Client) error {
	if _, ok := lost.ParseEmail(email); !ok {
		var p lost.Problems
		p.Add("email", "invalid-email", "must be an e-mail address such as anna@example.com")
		return p.Err()
	}
	u, err := s.sessions.userByEmail(ctx, email)
	if err != nil {
		return err
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		err := access.Throttle(tx, resetsByEmail.NewAttempt(lost.EmailKey(email)),
			resetsByClient.NewAttempt(from.Address))
		if err != nil || !s.SendsMail() {
			return err
		}
		if !u.Active() {
			u = lost.User{Email: email} // its link is stored in the same way, but never sent
		}
		return tx.SendTicket(lost.NewEmailLink(lost.ResetLink, u, u.Email, tx.Now()))
	})
	s.wakeMessages()
	return err
}

// EmailLink returns the e-mail link with the given token. The error is the same for an unknown link and for a used
// one.
func (s *Profile) EmailLink(ctx context.Context, kind lost.EmailLinkKind, token string,
	from lost.Client) (lost.EmailLink, error) {
	t, err := s.db.TicketByHash(ctx, store.DirectoryHash(token))
	if err == nil && t.Kind != kind {
		err = lost.Missing("link")
	}
	if lost.CodeOf(err) == lost.NotFound {
		if err := access.ThrottleNow(ctx, s.db, links.NewAttempt(from.Address)); err != nil {
			return lost.EmailLink{}, err
		}
		return lost.EmailLink{}, err
	}
	if err != nil {
		return t, err
	}
	return t, t.CheckValid(s.now())
}

// useEmailLink deletes an e-mail link. It returns an error if another request has already used the link.
func useEmailLink(tx *store.Tx, t lost.EmailLink) error {
	found, err := tx.ConsumeEmailLink(t.Account, t.ID)
	if err == nil && !found {
		err = lost.Missing("link")
	}
	if err != nil {
		return err
	}
	return t.CheckValid(tx.Now())
}

// ResetPassword sets a new password for the user whose reset link has the given token. It ends all sessions of the
// user and starts a new one.
func (s *Profile) ResetPassword(ctx context.Context, token string, n PasswordChange,
	from lost.Client) (in Session, err error) {
	t, err := s.EmailLink(ctx, lost.ResetLink, token, from)
	if err != nil {
		return in, err
	}
	u, err := s.db.User(ctx, t.Account, t.UserID)
	if err != nil || !u.Active() {
		if err != nil {
			return in, err
		}
		return in, lost.Missing("link")
	}
	hash, err := s.hashNewPassword(ctx, n.Password, u)
	if err != nil {
		return in, err
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		u, err := tx.LockUser(t.Account, t.UserID)
		if err != nil {
			return err
		}
		if err := useEmailLink(tx, t); err != nil {
			return err
		}
		t.Prove(&u, tx.Now())
		if u, err = setPassword(tx, u, hash, n.KeptPasskeys, from); err != nil {
			return err
		}
		in, err = s.sessions.admit(tx, u, false, from, lost.PasswordProof)
		return err
	})
	s.wakeMessages()
	return in, err
}

// hashNewPassword checks a new password and returns the hash to store.
func (s *Profile) hashNewPassword(ctx context.Context, password string, u lost.User) (string, error) {
	var p lost.Problems
	if lost.CheckPassword(&p, "password", password, u); len(p) > 0 {
		return "", p.Err()
	}
	return s.hasher.hash(ctx, password)
}

// ResetLink creates a password reset link that the operator can give to the user. If dropTwoStep is true, it also
// disables the user's two-step login.
func (s *Profile) ResetLink(ctx context.Context, email string,
	dropTwoStep bool) (link string, t lost.EmailLink, err error) {
	u, err := s.sessions.userByEmail(ctx, email)
	if err != nil || u.ID == "" {
		if err != nil {
			return "", t, err
		}
		return "", t, lost.Missing("user")
	}
	// The token is random, because commands do not have the secret from which other tokens are derived.
	token := strings.ToLower(rand.Text() + rand.Text())
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		t = lost.NewEmailLink(lost.ResetLink, u, u.Email, tx.Now())
		t.Shared = true
		what := "password reset link created"
		if dropTwoStep && !u.TwoStepAt.IsZero() {
			what += ", two-step login switched off"
			if err := tx.DeleteTOTP(u); err != nil {
				return err
			}
			if err := notifyUser(tx, u, TOTPDisabled, u.Email); err != nil {
				return err
			}
		}
		if err := tx.InsertTicket(t, store.DirectoryHash(token)); err != nil {
			return err
		}
		return access.Audit(tx, Operator(u.Account), lost.PersonChanged, u.ID, auditNote(u, what))
	})
	return s.wire.Base + t.Kind.Path() + token, t, err
}
