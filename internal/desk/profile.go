package desk

import (
	"cmp"
	"context"
	"strings"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// confirmed does something for a person who shows once more that they know their password: what it changes would let somebody else stay in
// who sat down at their computer.
func (d *Desk) confirmed(ctx context.Context, in Insider, password string, do func(tx *store.Tx, u lost.User) error) error {
	tried := confirms.of(in.User.ID)
	if err := d.take(ctx, tried); err != nil {
		return err
	}
	right, err := d.knows(ctx, in.User, password)
	if err != nil {
		return err
	}
	if !right {
		return notYourPassword()
	}
	err = d.db.Write(ctx, func(tx *store.Tx) error {
		u, err := tx.LockUser(in.User.Account, in.User.ID)
		if err != nil {
			return err
		}
		if u.PasswordHash != in.User.PasswordHash { // it was changed meanwhile
			return notYourPassword()
		}
		return cmp.Or(giveBack(tx, tried), do(tx, u))
	})
	d.nudgeLetters()
	return err
}

func notYourPassword() error {
	var p lost.Problems
	p.Add("current", "not-right", "is not your password")
	return p.Err()
}

// Rename gives a person another name.
func (d *Desk) Rename(ctx context.Context, in Insider, name string) error {
	return d.db.Write(ctx, func(tx *store.Tx) error {
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

// ChangePassword gives a person another password, and ends all of their other sessions.
func (d *Desk) ChangePassword(ctx context.Context, in Insider, current, next string) error {
	var p lost.Problems
	if lost.CheckPassword(&p, "password", next, in.User); len(p) > 0 {
		return p.Err()
	}
	hash, err := d.hasher.hash(ctx, next)
	if err != nil {
		return err
	}
	return d.confirmed(ctx, in, current, func(tx *store.Tx, u lost.User) error {
		return setPassword(tx, u, hash, in.Session.ID)
	})
}

// setPassword gives a user another password, ends their sessions except one, and tells them. Links to choose a password are worth nothing any
// more.
func setPassword(tx *store.Tx, u lost.User, hash, except string) error {
	u.PasswordHash = hash
	return cmp.Or(
		tx.SaveUser(u),
		tx.EndSessions(u.Account, u.ID, except),
		tx.DropTickets(u.Account, u.ID, lost.ResetTicket),
		tell(tx, u, PasswordChanged, u.Email),
		audit(tx, u.Actor(), lost.PersonChanged, u.ID, changedTo(u, "password")),
	)
}

// ChangeEmail has a person's new e-mail address confirmed by a mail to it. Until then the old one is good.
func (d *Desk) ChangeEmail(ctx context.Context, in Insider, current, email string) error {
	var p lost.Problems
	switch parsed, ok := lost.ParseEmail(strings.TrimSpace(email)); {
	case !ok:
		p.Add("email", "invalid-email", "must be an e-mail address such as anna@example.com")
		return p.Err()
	case store.Fold(parsed) == store.Fold(in.User.Email):
		p.Add("email", "not-allowed", "is your address already")
		return p.Err()
	default:
		email = parsed
	}
	if !d.SendsMail() {
		return lost.E(lost.Conflict, "This service sends no mail, so an address cannot be confirmed. Ask whoever runs it.")
	}
	return d.confirmed(ctx, in, current, func(tx *store.Tx, u lost.User) error {
		return cmp.Or(
			take(tx, addresses.of(u.ID)),
			tx.DropTickets(u.Account, u.ID, lost.AddressTicket),
			tx.SendTicket(lost.NewTicket(lost.AddressTicket, u, email, tx.Now())),
		)
	})
}

// ConfirmEmail gives the person of a link the address that it was sent to. The one before hears of it.
func (d *Desk) ConfirmEmail(ctx context.Context, token string, from lost.Client) (u lost.User, err error) {
	t, err := d.Ticket(ctx, lost.AddressTicket, token, from)
	if err != nil {
		return u, err
	}
	err = d.db.Write(ctx, func(tx *store.Tx) error {
		if u, err = tx.LockUser(t.Account, t.UserID); err != nil {
			return err
		}
		if err := useTicket(tx, t); err != nil {
			return err
		}
		if err := freeAddress(tx, t.Email); err != nil {
			return err
		}
		before := u.Email
		u.Email = t.Email
		return cmp.Or(tx.SetEmail(u), tx.DropTickets(u.Account, u.ID, lost.ResetTicket), tell(tx, u, AddressChanged, before),
			audit(tx, u.Actor(), lost.PersonChanged, u.ID, changedTo(u, "e-mail address, before "+before)))
	})
	d.nudgeLetters()
	return u, err
}

// freeAddress is nil, or says that somebody logs in with an address already.
func freeAddress(tx *store.Tx, email string) error {
	_, taken, err := tx.Lookup(tx.Context(), store.UserEntry, store.DirectoryHash(store.Fold(email)))
	if err == nil && taken {
		err = lost.E(lost.Conflict, "There is a user with this e-mail address already.")
	}
	return err
}

// Sessions lists where a person is logged in, newest first.
func (d *Desk) Sessions(ctx context.Context, in Insider) ([]lost.Session, error) {
	return d.db.Sessions(ctx, in.User.Account, in.User.ID, d.now(), maxSessions)
}

// EndSession logs a person out elsewhere.
func (d *Desk) EndSession(ctx context.Context, in Insider, id string) error {
	return d.db.Write(ctx, func(tx *store.Tx) error {
		s, err := tx.Session(tx.Context(), in.User.Account, id)
		if err == nil && s.UserID != in.User.ID {
			err = lost.Missing("session")
		}
		return cmp.Or(err, tx.EndSession(in.User.Account, id))
	})
}

// EndOtherSessions logs a person out everywhere else.
func (d *Desk) EndOtherSessions(ctx context.Context, in Insider) error {
	return d.db.Write(ctx, func(tx *store.Tx) error { return tx.EndSessions(in.User.Account, in.User.ID, in.Session.ID) })
}
