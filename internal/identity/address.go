package identity

import (
	"context"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// An e-mail address is the login of one user. A user who has confirmed it, by opening a link that was sent to it, comes
// before a user who was given the link by a person. Otherwise an account could reserve the address of somebody else,
// and learn whether the address is a login in another account. Users who have not confirmed their address can still log
// in with their password.

// freeAddress returns an error if the e-mail address is the login of a user.
func freeAddress(tx *store.Tx, email string) error {
	_, taken, err := tx.UserByEmail(tx.Context(), email)
	if err == nil && taken {
		err = userExists()
	}
	return err
}

func userExists() error {
	return lost.E(lost.Conflict, "A user with this e-mail address already exists.")
}

// takenElsewhere returns the error for a person who has confirmed their address, but already logs in with it.
func takenElsewhere() error {
	return lost.E(lost.Conflict, "You already log in to another account with this e-mail address. An address can "+
		"belong to one account only. Ask for an invitation to another address.")
}

// inTeam reports whether an e-mail address belongs to a user of the account, confirmed or not.
func inTeam(tx *store.Tx, account, email string) (bool, error) {
	u, found, err := tx.UserByEmail(tx.Context(), email)
	if err != nil || found && u.Account == account {
		return found, err
	}
	others, err := tx.UnconfirmedUsers(tx.Context(), email)
	for _, u := range others {
		if u.Account == account {
			return true, err
		}
	}
	return false, err
}

// addInvited adds a user who was invited with the link t. If the link was not sent to the address, nothing reveals
// whether the address is the login of a user of another account.
func addInvited(tx *store.Tx, t lost.EmailLink, u lost.User) error {
	if found, err := inTeam(tx, u.Account, u.Email); err != nil {
		return err
	} else if found {
		return userExists()
	}
	_, taken, err := tx.UserByEmail(tx.Context(), u.Email)
	if err != nil {
		return err
	}
	if taken && t.Shared {
		return tx.InsertUnconfirmedUser(u)
	}
	if err := yieldAddress(tx, u); err != nil {
		return err
	}
	return tx.InsertUser(u)
}

// yieldAddress frees the address that u has confirmed, if it is the login of another user who has not confirmed it. It
// returns an error if the other user has confirmed it.
func yieldAddress(tx *store.Tx, u lost.User) error {
	other, taken, err := tx.UserByEmail(tx.Context(), u.Email)
	if err != nil || !taken || other.ID == u.ID {
		return err
	}
	if other.Account == u.Account {
		return userExists()
	}
	if !other.VerifiedAt.IsZero() {
		return takenElsewhere()
	}
	if err := tx.YieldEmail(other); err != nil {
		return err
	}
	return access.Audit(tx, access.Service(other.Account), lost.PersonChanged, other.ID,
		auditNote(other, "e-mail address confirmed by a user of another account"))
}

// passwordTry is an attempt to log in with an e-mail address and a password.
type passwordTry struct {
	email, password string
	from            lost.Client
	user            lost.User // the user to log in; empty if the address is not a login
	matches         bool      // whether the password is the user's
	counted         []access.Attempt
}

func (t *passwordTry) succeeds() bool { return t.matches && t.user.Active() }

// tryUnconfirmedUsers looks for a user who has the e-mail address without having confirmed it, and who has the
// password. It is called if the user whose login the address is has another password or is blocked, so that a block in
// one account does not keep the person out of another. Each user costs one password hash, whether or not the login is
// blocked.
func (l *Sessions) tryUnconfirmedUsers(ctx context.Context, t *passwordTry) error {
	users, err := l.db.UnconfirmedUsers(ctx, t.email)
	if err != nil || len(users) == 0 {
		return err
	}
	// A browser that is known for one user has no attempts of its own for the others.
	if _, known := l.knownBrowser(t.user, t.from.Mark); known {
		more := addressAttempts(t.email, t.from)
		if err := access.ThrottleNow(ctx, l.db, more...); err != nil {
			return err
		}
		t.counted = append(t.counted, more...)
	}
	for _, u := range users {
		matches, err := l.passwordMatches(ctx, u, t.password)
		if err != nil {
			return err
		}
		if !matches || t.matches && !u.Active() {
			continue
		}
		if err := access.CheckAccountEnabled(ctx, l.db, u.Account, "user"); err != nil {
			if err := lost.IgnoreNotFound(err); err != nil {
				return err
			}
			continue
		}
		t.user, t.matches = u, true
		if t.succeeds() {
			return nil
		}
	}
	return nil
}
