package desk

import (
	"cmp"
	"context"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// Account gives the actor's own account.
func (d *Desk) Account(ctx context.Context, a lost.Actor) (lost.Account, error) {
	return d.db.Account(ctx, a.Account)
}

// RenameAccount gives the actor's account another name.
func (d *Desk) RenameAccount(ctx context.Context, a lost.Actor, name string) error {
	return d.changeAccount(ctx, a, lost.AccountChanged, func(account *lost.Account) (string, error) {
		before := account.Name
		if err := account.Rename(name); err != nil || account.Name == before {
			return "", err
		}
		return "name, from “" + before + "” to “" + account.Name + "”", nil
	})
}

// changeAccount changes the actor's account, and notes in the audit log what the change says of itself; nothing where it changed nothing.
func (d *Desk) changeAccount(ctx context.Context, a lost.Actor, deed lost.AuditAction, change func(*lost.Account) (note string, err error)) error {
	if err := mayManage(a, lost.Govern); err != nil {
		return err
	}
	return d.db.Write(ctx, func(tx *store.Tx) error {
		account, err := tx.LockAccount(a.Account)
		if err != nil {
			return err
		}
		note, err := change(&account)
		if err != nil || note == "" {
			return err
		}
		return cmp.Or(tx.SaveAccount(account), audit(tx, a, deed, account.ID, note))
	})
}
