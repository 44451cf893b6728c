package identity

import (
	"cmp"
	"context"
	"crypto/rand"
	"slices"
	"time"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// Sessions logs people in and out.
type Sessions struct {
	db           *store.DB
	now          func() time.Time
	hasher       *Hasher
	wakeMessages func()
}

// SessionsOptions are the dependencies of Sessions.
type SessionsOptions struct {
	DB           *store.DB
	Now          func() time.Time
	Hasher       *Hasher
	WakeMessages func()
}

// NewSessions creates Sessions.
func NewSessions(o SessionsOptions) *Sessions {
	return &Sessions{
		db: o.DB, now: o.Now, hasher: o.Hasher, wakeMessages: o.WakeMessages,
	}
}

// withPassword calls do if the person's password is correct. It protects changes that could give permanent access to
// somebody who is using the person's unlocked computer.
func (l *Sessions) withPassword(ctx context.Context, in Session, password string, do func(tx *store.Tx,
	u lost.User) error) error {
	attempt := confirms.NewAttempt(in.User.ID)
	if err := access.ThrottleNow(ctx, l.db, attempt); err != nil {
		return err
	}
	matches, err := l.passwordMatches(ctx, in.User, password)
	if err != nil {
		return err
	}
	if !matches {
		return notYourPassword()
	}
	err = l.db.Write(ctx, func(tx *store.Tx) error {
		u, err := tx.LockUser(in.User.Account, in.User.ID)
		if err != nil {
			return err
		}
		if u.PasswordHash != in.User.PasswordHash { // the password was changed in the meantime
			return notYourPassword()
		}
		if err := access.Forgive(tx, attempt); err != nil {
			return err
		}
		return do(tx, u)
	})
	l.wakeMessages()
	return err
}

func notYourPassword() error {
	var p lost.Problems
	p.Add("current", "not-right", "is not your password")
	return p.Err()
}

// SignIn starts a session for a user with an e-mail address and a password. If one of them is wrong, the error does
// not reveal which. If the user has two-step login, the session waits for the second step. If several users have the
// address and the password, the user whose login the address is comes first, unless they are blocked.
func (l *Sessions) SignIn(ctx context.Context, email, password string, lasting bool,
	from lost.Client) (in Session, err error) {
	u, err := l.userByEmail(ctx, email)
	if err != nil {
		return in, err
	}
	try := passwordTry{
		email: email, password: password, from: from, user: u, counted: l.signInAttempts(u, email, from),
	}
	if err := access.ThrottleNow(ctx, l.db, try.counted...); err != nil {
		return in, err
	}
	if try.matches, err = l.passwordMatches(ctx, u, password); err != nil {
		return in, err
	}
	if !try.succeeds() {
		if err := l.tryUnconfirmedUsers(ctx, &try); err != nil {
			return in, err
		}
	}
	if !try.succeeds() {
		if err := l.recordFailure(ctx, try.user, email, from); err != nil {
			return in, err
		}
		return in, wrongPassword()
	}
	err = l.db.Write(ctx, func(tx *store.Tx) error {
		if err := access.Forgive(tx, try.counted...); err != nil {
			return err
		}
		in, err = l.admit(tx, try.user, lasting, from, lost.PasswordProof)
		return err
	})
	return in, err
}

// passwordMatches reports whether a password is correct. It takes equally long if the user does not exist.
func (l *Sessions) passwordMatches(ctx context.Context, u lost.User, password string) (bool, error) {
	return l.hasher.matches(ctx, cmp.Or(u.PasswordHash, l.hasher.nobody), password)
}

func wrongPassword() error {
	return lost.E(lost.Unauthorized, "Wrong e-mail or password.")
}

// userByEmail returns the user with an e-mail address, or an empty user if there is none or their account is
// disabled.
func (l *Sessions) userByEmail(ctx context.Context, email string) (lost.User, error) {
	u, found, err := l.db.UserByEmail(ctx, email)
	if err != nil || !found {
		return lost.User{}, err
	}
	if err := access.CheckAccountEnabled(ctx, l.db, u.Account, "user"); err != nil {
		return lost.User{}, lost.IgnoreNotFound(err)
	}
	return u, nil
}

// maxSessions is the maximum number of sessions of a user. If there are more, the oldest ones are ended.
const maxSessions = 100

// admit starts a session for an authenticated user. It returns an error if the user was disabled or changed their
// password in the meantime.
func (l *Sessions) admit(tx *store.Tx, u lost.User, lasting bool, from lost.Client,
	proven ...lost.AuthProof) (in Session, err error) {
	now, err := tx.LockUser(u.Account, u.ID)
	if err != nil || !now.Active() || now.PasswordHash != u.PasswordHash {
		if err := lost.IgnoreNotFound(err); err != nil {
			return in, err
		}
		return in, wrongPassword()
	}
	in = Session{
		User: now, Token: rand.Text() + rand.Text(), Session: lost.NewSession(now, from, lasting, proven, tx.Now()),
		Address: from.Address,
	}
	if !in.Session.NeedsSecondStep {
		if in.BrowserMark, err = l.addToMark(now, from.Mark); err != nil {
			return in, err
		}
		if err := tx.TouchUser(now.Account, now.ID); err != nil {
			return in, err
		}
		if err := access.Audit(tx, in.Actor(), lost.LoggedIn, in.Session.ID, ""); err != nil {
			return in, err
		}
	}
	if err := tx.InsertSession(in.Session, store.DirectoryHash(in.Token)); err != nil {
		return in, err
	}
	return in, tx.TrimSessions(now, maxSessions)
}

// completeSignIn replaces a session that was waiting for its second step with a full session.
func (l *Sessions) completeSignIn(tx *store.Tx, half Session, from lost.Client,
	proof lost.AuthProof) (in Session, err error) {
	// Another request may have completed the login first.
	if _, err := tx.Session(tx.Context(), half.Session.Account, half.Session.ID); err != nil {
		return in, lost.E(lost.Unauthorized, "You are not logged in, or your session has ended.").WithCause(err)
	}
	if err := tx.DeleteSession(half.Session.Account, half.Session.ID); err != nil {
		return in, err
	}
	return l.admit(tx, half.User, half.Session.Lasting, from, append(slices.Clone(half.Session.Proofs), proof)...)
}
