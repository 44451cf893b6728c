package desk

import (
	"cmp"
	"context"
	"crypto/rand"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// Insider is somebody who has logged in.
type Insider struct {
	User    lost.User
	Session lost.Session
	Token   string // of the session; empty but when it was just begun
	Mark    string // for the browser to keep, likewise
}

// Actor is who acts when the person does.
func (i Insider) Actor() lost.Actor { return i.User.Actor() }

// SignIn begins a session for whoever knows a user's password. Whether it is the address or the password that is wrong is not told.
// Where the user has a second step, the session waits for it.
func (d *Desk) SignIn(ctx context.Context, email, password string, lasting bool, from lost.Client) (in Insider, err error) {
	u, err := d.userByEmail(ctx, email)
	if err != nil {
		return in, err
	}
	turns := d.signInTurns(u, email, from)
	if err := d.take(ctx, turns...); err != nil {
		return in, err
	}
	right, err := d.knows(ctx, u, password)
	if err != nil {
		return in, err
	}
	if !right || !u.Active() {
		return in, wrongPassword()
	}
	err = d.db.Write(ctx, func(tx *store.Tx) error {
		if err := giveBack(tx, turns...); err != nil {
			return err
		}
		in, err = d.admit(tx, u, lasting, from, lost.PasswordProof)
		return err
	})
	return in, err
}

// knows tells whether a password is a user's. For a user whom there is not it takes as long.
func (d *Desk) knows(ctx context.Context, u lost.User, password string) (bool, error) {
	return d.hasher.matches(ctx, cmp.Or(u.PasswordHash, d.hasher.nobody), password)
}

func wrongPassword() error {
	return lost.E(lost.Unauthorized, "This e-mail address and password do not belong together.")
}

// userByEmail finds a user of an account that is not switched off; an empty one where there is none.
func (d *Desk) userByEmail(ctx context.Context, email string) (lost.User, error) {
	e, found, err := d.db.Lookup(ctx, store.UserEntry, store.DirectoryHash(store.Fold(email)))
	if err != nil || !found {
		return lost.User{}, err
	}
	if err := d.enabled(ctx, e.Account, "user"); err != nil {
		return lost.User{}, lost.UnlessMissing(err)
	}
	u, err := d.db.User(ctx, e.Account, e.Subject)
	return u, lost.UnlessMissing(err)
}

// maxSessions bounds how many sessions a user has; the oldest give way.
const maxSessions = 100

// admit begins a session of a user who has shown who they are, unless they were kept out or chose another password meanwhile.
func (d *Desk) admit(tx *store.Tx, u lost.User, lasting bool, from lost.Client, proven ...lost.Proof) (in Insider, err error) {
	now, err := tx.LockUser(u.Account, u.ID)
	if err != nil || !now.Active() || now.PasswordHash != u.PasswordHash {
		return in, cmp.Or(lost.UnlessMissing(err), wrongPassword())
	}
	in = Insider{User: now, Token: rand.Text() + rand.Text(), Session: lost.NewSession(now, from, lasting, proven, tx.Now())}
	if !in.Session.Waits {
		if in.Mark, err = d.remember(now, from.Mark); err != nil {
			return in, err
		}
		err = cmp.Or(tx.SeeUser(now.Account, now.ID), audit(tx, in.Actor(), lost.LoggedIn, in.Session.ID, ""))
	}
	return in, cmp.Or(err, tx.InsertSession(in.Session, store.DirectoryHash(in.Token)), tx.TrimSessions(now, maxSessions))
}

// Insider finds who has logged in with a token. Whoever has the second step before them has not.
func (d *Desk) Insider(ctx context.Context, token string) (in Insider, err error) {
	in, err = d.holder(ctx, token)
	if err == nil && in.Session.Waits {
		return Insider{}, notIn()
	}
	if err == nil && in.Session.See(d.now()) {
		err = d.db.Write(ctx, func(tx *store.Tx) error { return tx.SeeSession(in.Session) })
	}
	return in, err
}

// Halfway finds who has the second step of their log-in before them.
func (d *Desk) Halfway(ctx context.Context, token string) (in Insider, err error) {
	in, err = d.holder(ctx, token)
	if err == nil && !in.Session.Waits {
		return Insider{}, notIn()
	}
	return in, err
}

// holder finds whose session a token belongs to.
func (d *Desk) holder(ctx context.Context, token string) (in Insider, err error) {
	in.Session, err = d.db.SessionByHash(ctx, store.DirectoryHash(token))
	if err == nil && in.Session.Usable(d.now()) {
		in.User, err = d.db.User(ctx, in.Session.Account, in.Session.UserID)
	}
	if lost.CodeOf(err) == lost.NotFound || err == nil && !in.User.Active() {
		return Insider{}, notIn()
	}
	return in, err
}

func notIn() error { return lost.E(lost.Unauthorized, "You are not logged in, or were logged out.") }

// SignOut ends the session that a person is in.
func (d *Desk) SignOut(ctx context.Context, in Insider) error {
	return d.db.Write(ctx, func(tx *store.Tx) error {
		return cmp.Or(tx.EndSession(in.Session.Account, in.Session.ID), audit(tx, in.Actor(), lost.LoggedOut, in.Session.ID, ""))
	})
}
