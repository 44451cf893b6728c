package identity

import (
	"context"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// List lists where a person is logged in, newest first.
func (l *Sessions) List(ctx context.Context, in Session) ([]lost.Session, error) {
	return l.db.Sessions(ctx, in.User.Account, in.User.ID, l.now(), maxSessions)
}

// End ends another session of a person.
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

// EndOthers ends all other sessions of a person.
func (l *Sessions) EndOthers(ctx context.Context, in Session) error {
	return l.db.Write(ctx, func(tx *store.Tx) error {
		return tx.DeleteSessions(in.User.Account, in.User.ID, in.Session.ID)
	})
}

// Session is a person who has logged in.
type Session struct {
	User        lost.User
	Session     lost.Session
	Token       string // of the session; only set when it was just begun
	BrowserMark string // for the browser to keep; only set when it was just begun
}

// Actor is the person as an actor.
func (i Session) Actor() lost.Actor { return i.User.Actor() }

// ByToken gives the session of a token. A session that waits for its second step does not count.
func (l *Sessions) ByToken(ctx context.Context, token string) (in Session, err error) {
	in, err = l.sessionByToken(ctx, token)
	if err == nil && in.Session.Waits {
		return Session{}, notLoggedIn()
	}
	if err == nil && in.Session.Touch(l.now()) {
		err = l.db.Write(ctx, func(tx *store.Tx) error { return tx.TouchSession(in.Session) })
	}
	return in, err
}

// WaitingByToken gives the session of a token that waits for its second step.
func (l *Sessions) WaitingByToken(ctx context.Context, token string) (in Session, err error) {
	in, err = l.sessionByToken(ctx, token)
	if err == nil && !in.Session.Waits {
		return Session{}, notLoggedIn()
	}
	return in, err
}

// sessionByToken gives the session of a token with its user.
func (l *Sessions) sessionByToken(ctx context.Context, token string) (in Session, err error) {
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
	return lost.E(lost.Unauthorized, "You are not logged in, or were logged out.")
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
