// Package access has what the use cases share: permission checks, idempotency keys, audit entries, throttling and the
// log of who read guests' data.
//
// It holds no use case of its own. desk, identity, shipping, matching and privacy build on it; it imports none of them.
package access

import (
	"cmp"
	"context"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// Reach returns an error if the actor has no access to a location. It is the error for a missing location, so that the
// actor does not learn that the location exists.
func Reach(a lost.Actor, location, what string) error {
	if !a.CanAccess(location) {
		return lost.Missing(what)
	}
	return nil
}

// MayLook returns an error if the actor may not view the items of a location.
func MayLook(a lost.Actor, location, what string) error {
	if err := Reach(a, location, what); err != nil {
		return err
	}
	return a.May(lost.ViewItems)
}

// May returns an error if the actor may not make a change at a location that needs a permission.
func May(a lost.Actor, right lost.Permission, location, what string) error {
	if err := a.MayWrite(); err != nil {
		return err
	}
	if err := Reach(a, location, what); err != nil {
		return err
	}
	return a.May(right)
}

// MayManage returns an error if the actor may not change settings of the whole account.
func MayManage(a lost.Actor, right lost.Permission) error {
	if err := a.MayWrite(); err != nil {
		return err
	}
	return MayOversee(a, right)
}

// MayOversee returns an error if the actor may not view what belongs to the whole account.
func MayOversee(a lost.Actor, right lost.Permission) error {
	if err := a.MayManage(); err != nil {
		return err
	}
	return a.May(right)
}

// ErrOvertaken is the error for a record that somebody else has changed since the actor read it.
var ErrOvertaken = lost.E(lost.Conflict, "Somebody else changed this in the meantime.")

// Reason gives the part of an error that people may read.
func Reason(err error) string { return cmp.Or(lost.Detail(err), "No reason was given.") }

// CheckAccountEnabled returns a not-found error for a record of a disabled account.
func CheckAccountEnabled(ctx context.Context, db *store.DB, account, what string) error {
	a, err := db.Account(ctx, account)
	if err != nil {
		return err
	}
	if !a.DisabledAt.IsZero() {
		return lost.Missing(what)
	}
	return nil
}

// ChangeAccount changes the actor's account and writes an audit entry with the note that the change returns. An empty
// note means that nothing changed.
func ChangeAccount(
	ctx context.Context, db *store.DB, a lost.Actor, action lost.AuditAction,
	change func(*lost.Account) (note string, err error),
) error {
	if err := MayManage(a, lost.ManageAccount); err != nil {
		return err
	}
	return db.Write(ctx, func(tx *store.Tx) error {
		account, err := tx.LockAccount(a.Account)
		if err != nil {
			return err
		}
		note, err := change(&account)
		if err != nil || note == "" {
			return err
		}
		if err := tx.SaveAccount(account); err != nil {
			return err
		}
		return Audit(tx, a, action, account.ID, note)
	})
}
