package identity

import (
	"cmp"
	"context"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// The methods in this file are for operator commands. They are not limited to one account, so no web handler may call
// them.

// Operator returns the actor that represents operator commands in an account.
func Operator(account string) lost.Actor {
	return lost.Actor{Account: account, Kind: lost.ByCommand, ID: "operator", Name: "operator", Role: lost.OwnerRole}
}

// First is the first account of a database, with its user and API key.
type First struct {
	Account  lost.Account
	User     lost.User
	Password string // in plain text; shown once if it was generated
	Key      NewKey
}

// FirstSettings are the settings of the first account. Empty values are generated.
type FirstSettings struct{ Email, Password, Key, Account, Name string }

// CreateFirst creates the first account with a user and an API key, unless the database already has an account. If
// several instances start at the same time, only one of them creates the account.
func (o *Accounts) CreateFirst(ctx context.Context, s FirstSettings) (first First, created bool, err error) {
	if s.Email == "" {
		s.Email = "admin@homeward.example"
	}
	if s.Password == "" {
		s.Password = NewPassword()
	}
	if s.Key == "" {
		s.Key = newSecret(lost.AdminRole)
	}
	accounts, err := o.db.Accounts(ctx, 1)
	if err != nil || len(accounts) > 0 {
		return first, false, err
	}
	hash, err := o.hasher.hash(ctx, s.Password)
	if err != nil {
		return first, false, err
	}
	err = o.db.Write(ctx, func(tx *store.Tx) error {
		created = false // may run twice
		accounts, err := tx.Accounts(tx.Context(), 1)
		if err != nil || len(accounts) > 0 {
			return err
		}
		first.Password = s.Password
		if first.Account, err = addAccount(tx, cmp.Or(s.Account, "Homeward")); err != nil {
			return err
		}
		// A second instance that starts at the same time waits here, retries, and then finds the account.
		if err := tx.AddEntry(store.FirstAccountEntry, "",
			store.DirectoryEntry{Account: first.Account.ID, Subject: first.Account.ID}); err != nil {
			return err
		}
		if first.User, err = addUser(tx, first.Account.ID,
			lost.Membership{Email: s.Email, Name: cmp.Or(s.Name, "Administrator"), Role: lost.OwnerRole},
			hash); err != nil {
			return err
		}
		k, err := lost.NewKey(first.Account.ID, lost.KeyPatch{Name: lost.Set("First key")}, tx.Now())
		if err != nil {
			return err
		}
		if first.Key, err = insertKey(tx, k, s.Key); err != nil {
			return err
		}
		created = true
		return nil
	})
	return first, created && err == nil, err
}

// Create adds an account.
func (o *Accounts) Create(ctx context.Context, name string) (a lost.Account, err error) {
	err = o.db.Write(ctx, func(tx *store.Tx) error {
		a, err = addAccount(tx, name)
		return err
	})
	return a, err
}

func addAccount(tx *store.Tx, name string) (lost.Account, error) {
	a, err := lost.NewAccount(name, tx.Now())
	if err != nil {
		return a, err
	}
	return a, tx.InsertAccount(a)
}

// MaxListed is the maximum number of records in an operator's list.
const MaxListed = 10000

// List lists all accounts, at most MaxListed.
func (o *Accounts) List(ctx context.Context) ([]lost.Account, error) {
	return o.db.Accounts(ctx, MaxListed)
}

// SetDisabled disables or enables an account. The API keys of a disabled account do not work.
func (o *Accounts) SetDisabled(ctx context.Context, id string, disabled bool) (a lost.Account, err error) {
	err = o.db.Write(ctx, func(tx *store.Tx) error {
		if a, err = tx.LockAccount(id); err != nil {
			return err
		}
		a.Disable(disabled, tx.Now())
		what := "switched on"
		if disabled {
			what = "switched off"
		}
		if err := tx.SaveAccount(a); err != nil {
			return err
		}
		if disabled {
			if err := tx.AddJob(a.ID, store.JobEndAccess, "", tx.Now()); err != nil {
				return err
			}
		}
		return access.Audit(tx, Operator(a.ID), lost.AccountChanged, a.ID, what)
	})
	return a, err
}

// CreateUser adds an owner to an account.
func (o *Accounts) CreateUser(ctx context.Context, account, email, name, password string) (u lost.User, err error) {
	return o.CreateMember(ctx, account, lost.Membership{Email: email, Name: name, Role: lost.OwnerRole}, password)
}

// CreateMember adds a user to an account.
func (o *Accounts) CreateMember(ctx context.Context, account string, m lost.Membership,
	password string) (u lost.User, err error) {
	hash, err := o.hasher.hash(ctx, password)
	if err != nil {
		return u, err
	}
	err = o.db.Write(ctx, func(tx *store.Tx) error {
		if _, err := tx.Account(tx.Context(), account); err != nil {
			return err
		}
		m := m // may run twice
		if err := checkMembership(tx, account, &m); err != nil {
			return err
		}
		if u, err = addUser(tx, account, m, hash); err != nil {
			return err
		}
		return access.Audit(tx, Operator(account), lost.PersonCreated, u.ID, u.Email+" as "+string(u.Role))
	})
	return u, err
}

func addUser(tx *store.Tx, account string, m lost.Membership, hash string) (lost.User, error) {
	u, err := lost.NewMember(Operator(account), m, tx.Now())
	if err != nil {
		return u, err
	}
	u.PasswordHash = hash
	if err := freeAddress(tx, u.Email); err != nil {
		return u, err
	}
	return u, tx.InsertUser(u)
}

// Users lists an account's users.
func (o *Accounts) Users(ctx context.Context, account string) ([]lost.User, error) {
	if _, err := o.db.Account(ctx, account); err != nil {
		return nil, err
	}
	return o.db.Users(ctx, account, MaxListed)
}

// endAccess ends the sessions of a user who was blocked, and lets the running service close their pages.
func endAccess(tx *store.Tx, u lost.User) error {
	if err := tx.DeleteSessions(u.Account, u.ID, ""); err != nil {
		return err
	}
	if err := tx.DeleteTickets(u.Account, u.ID, lost.ResetLink); err != nil {
		return err
	}
	return tx.AddJob(u.Account, store.JobEndAccess, u.ID, tx.Now())
}

// SetUserDisabled blocks a user and ends their sessions, or unblocks a user. The running service closes their pages.
func (o *Accounts) SetUserDisabled(ctx context.Context, account, id string, disabled bool) (u lost.User, err error) {
	err = o.db.Write(ctx, func(tx *store.Tx) error {
		if u, err = tx.LockUser(account, id); err != nil {
			return err
		}
		u.Disable(disabled, tx.Now())
		if err := tx.SaveUser(u); err != nil {
			return err
		}
		if disabled {
			if err := endAccess(tx, u); err != nil {
				return err
			}
		}
		return access.Audit(tx, Operator(u.Account), lost.PersonChanged, u.ID, auditNote(u, blockedNote(disabled)))
	})
	return u, err
}
