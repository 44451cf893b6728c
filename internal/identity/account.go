package identity

import (
	"context"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// Accounts manages accounts, and the users that the operator creates.
type Accounts struct {
	db     *store.DB
	hasher *Hasher
}

// AccountsOptions are the dependencies of Accounts.
type AccountsOptions struct {
	DB     *store.DB
	Hasher *Hasher
}

// NewAccounts creates Accounts.
func NewAccounts(o AccountsOptions) *Accounts {
	return &Accounts{
		db: o.DB, hasher: o.Hasher,
	}
}

// Account returns the actor's own account.
func (o *Accounts) Account(ctx context.Context, a lost.Actor) (lost.Account, error) {
	return o.db.Account(ctx, a.Account)
}

// RenameAccount renames the actor's account.
func (o *Accounts) RenameAccount(ctx context.Context, a lost.Actor, name string) error {
	return access.ChangeAccount(ctx, o.db, a, lost.AccountChanged, func(account *lost.Account) (string, error) {
		before := account.Name
		if err := account.Rename(name); err != nil || account.Name == before {
			return "", err
		}
		return "name, from “" + before + "” to “" + account.Name + "”", nil
	})
}

// SetPrivacyNotice sets the privacy notice for the locations of the actor's account that have none of their own.
func (o *Accounts) SetPrivacyNotice(ctx context.Context, a lost.Actor, text, url lost.Field[string]) error {
	return access.ChangeAccount(ctx, o.db, a, lost.AccountChanged, func(account *lost.Account) (string, error) {
		if changed, err := account.SetPrivacyNotice(text, url); err != nil || !changed {
			return "", err
		}
		return "privacy notice", nil
	})
}
