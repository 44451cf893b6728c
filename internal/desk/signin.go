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
}

// Actor is who acts when the person does.
func (i Insider) Actor() lost.Actor { return i.User.Actor() }

// SignIn begins a session for whoever knows a user's password. Whether it is the address or the password that is wrong is not told.
func (d *Desk) SignIn(ctx context.Context, email, password string, lasting bool, from lost.Client) (in Insider, err error) {
	u, err := d.userByEmail(ctx, email)
	if err != nil {
		return in, err
	}
	kept := u.PasswordHash
	if kept == "" {
		kept = nobodysHash // so that an address that nobody has takes as long
	}
	right, err := d.hasher.matches(ctx, kept, password)
	if err != nil {
		return in, err
	}
	if !right || u.ID == "" || !u.DisabledAt.IsZero() {
		return in, wrongPassword()
	}
	return d.beginSession(ctx, u, lasting, from)
}

func wrongPassword() error {
	return lost.E(lost.Unauthorized, "This e-mail address and password do not belong together.")
}

// nobodysHash is a hash that no password has.
const nobodysHash = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

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

// beginSession lets a user in.
func (d *Desk) beginSession(ctx context.Context, u lost.User, lasting bool, from lost.Client) (in Insider, err error) {
	in = Insider{User: u, Token: rand.Text() + rand.Text()}
	err = d.db.Write(ctx, func(tx *store.Tx) error {
		in.Session = lost.NewSession(u, from, lasting, tx.Now())
		return cmp.Or(tx.InsertSession(in.Session, store.DirectoryHash(in.Token)), audit(tx, in.Actor(), lost.LoggedIn, in.Session.ID, ""))
	})
	return in, err
}

// Insider finds who has logged in with a token.
func (d *Desk) Insider(ctx context.Context, token string) (in Insider, err error) {
	in.Session, err = d.db.SessionByHash(ctx, store.DirectoryHash(token))
	if err == nil && in.Session.Usable(d.now()) {
		in.User, err = d.db.User(ctx, in.Session.Account, in.Session.UserID)
	}
	if lost.CodeOf(err) == lost.NotFound || err == nil && (in.User.ID == "" || !in.User.DisabledAt.IsZero()) {
		return Insider{}, lost.E(lost.Unauthorized, "You are not logged in, or were logged out.")
	}
	if err == nil && in.Session.See(d.now()) {
		err = d.db.Write(ctx, func(tx *store.Tx) error { return tx.SeeSession(in.Session) })
	}
	return in, err
}

// SignOut ends the session that a person is in.
func (d *Desk) SignOut(ctx context.Context, in Insider) error {
	return d.db.Write(ctx, func(tx *store.Tx) error {
		return cmp.Or(tx.EndSession(in.Session.Account, in.Session.ID), audit(tx, in.Actor(), lost.LoggedOut, in.Session.ID, ""))
	})
}
