package identity

import (
	"context"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// List lists a person's sessions, newest first.
func (l *Sessions) List(ctx context.Context, in Session) ([]lost.Session, error) {
	return l.db.Sessions(ctx, in.User.Account, in.User.ID, l.now(), maxSessions)
}

// End ends one of the person's other sessions.
func (l *Sessions) End(ctx context.Context, in Session, id string) error {
	return l.db.Write(ctx, func(tx *store.Tx) error {
		s, err := tx.Session(tx.Context(), in.User.Account, id)
		if err == nil && s.UserID != in.User.ID {
			err = lost.Missing("session")
		}
		if err != nil {
			return err
		}
		return tx.DeleteSession(in.User.Account, id)
	})
}

// EndOthers ends all of the person's sessions except the current one.
func (l *Sessions) EndOthers(ctx context.Context, in Session) error {
	return l.db.Write(ctx, func(tx *store.Tx) error {
		return tx.DeleteSessions(in.User.Account, in.User.ID, in.Session.ID)
	})
}

// Session is the session of a person who has logged in, with their user.
type Session struct {
	User        lost.User
	Session     lost.Session
	Token       string // only set for a new session
	BrowserMark string // a cookie value for the browser; only set for a new session
	Address     string // the address of the client that sent the current request
}

// Actor returns the actor for the logged-in person.
func (i Session) Actor() lost.Actor { return i.actorFor(i.User) }

// actorFor returns the actor for the logged-in person, whose record was read again.
func (i Session) actorFor(u lost.User) lost.Actor { return u.Actor().WithAddress(i.Address) }

// endOthers ends the person's other sessions, because they were started without the proof that was just added. It
// writes an audit entry about the change and the ended sessions.
func (i Session) endOthers(tx *store.Tx, u lost.User, change string) error {
	if err := tx.DeleteSessions(u.Account, u.ID, i.Session.ID); err != nil {
		return err
	}
	return access.Audit(tx, i.actorFor(u), lost.PersonChanged, u.ID, auditNote(u, change+", other sessions ended"))
}

// ByToken returns the session with the given token for a request of a client. It returns an error if the session is
// still waiting for its second step.
func (l *Sessions) ByToken(ctx context.Context, token string, from lost.Client) (in Session, err error) {
	in, err = l.sessionByToken(ctx, token, from)
	if err == nil && in.Session.NeedsSecondStep {
		return Session{}, notLoggedIn()
	}
	if err == nil && in.Session.Touch(l.now()) {
		err = l.db.Write(ctx, func(tx *store.Tx) error { return tx.TouchSession(in.Session) })
	}
	return in, err
}

// Peek is like ByToken, but does not count as use of the session: a page that updates itself must not keep the session
// of somebody who has left.
func (l *Sessions) Peek(ctx context.Context, token string, from lost.Client) (in Session, err error) {
	in, err = l.sessionByToken(ctx, token, from)
	if err == nil && in.Session.NeedsSecondStep {
		return Session{}, notLoggedIn()
	}
	return in, err
}

// WaitingByToken returns the session with the given token if it is waiting for its second step.
func (l *Sessions) WaitingByToken(ctx context.Context, token string, from lost.Client) (in Session, err error) {
	in, err = l.sessionByToken(ctx, token, from)
	if err == nil && !in.Session.NeedsSecondStep {
		return Session{}, notLoggedIn()
	}
	return in, err
}

// sessionByToken returns the session with the given token, and its user.
func (l *Sessions) sessionByToken(ctx context.Context, token string, from lost.Client) (in Session, err error) {
	in.Address = from.Address
	in.Session, err = l.db.SessionByHash(ctx, store.DirectoryHash(token))
	if err == nil && in.Session.Usable(l.now()) {
		in.User, err = l.db.User(ctx, in.Session.Account, in.Session.UserID)
	}
	if lost.CodeOf(err) == lost.NotFound || err == nil && !in.User.Active() {
		return Session{}, notLoggedIn()
	}
	return in, err
}

func notLoggedIn() error {
	return lost.E(lost.Unauthorized, "You are not logged in, or your session has ended.")
}

// SignOut ends the current session.
func (l *Sessions) SignOut(ctx context.Context, in Session) error {
	return l.db.Write(ctx, func(tx *store.Tx) error {
		if err := tx.DeleteSession(in.Session.Account, in.Session.ID); err != nil {
			return err
		}
		return access.Audit(tx, in.Actor(), lost.LoggedOut, in.Session.ID, "")
	})
}
