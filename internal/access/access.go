// Package access contains what the use cases share: permission checks, idempotency keys, audit entries, the throttling
// of attempts such as logins, and a Reader, which loads an item for an actor and records in a Log that the actor saw
// guest data. The packages of use cases (desk, identity, shipping, matching and privacy) import access, which contains
// no use cases itself.
package access

import (
	"cmp"
	"context"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// CheckAccess returns an error if the actor has no access to a location. The error is the same as for a location that
// does not exist, so that the actor does not learn whether the location exists.
func CheckAccess(a lost.Actor, location, what string) error {
	if !a.CanAccess(location) {
		return lost.Missing(what)
	}
	return nil
}

// MayView returns an error if the actor may not view the items of a location.
func MayView(a lost.Actor, location, what string) error {
	if err := CheckAccess(a, location, what); err != nil {
		return err
	}
	return a.May(lost.ViewItems)
}

// May returns an error if the actor may not write, cannot access the location, or lacks the permission.
func May(a lost.Actor, right lost.Permission, location, what string) error {
	if err := a.MayWrite(); err != nil {
		return err
	}
	if err := CheckAccess(a, location, what); err != nil {
		return err
	}
	return a.May(right)
}

// MayManage returns an error if the actor may not change settings of the whole account.
func MayManage(a lost.Actor, right lost.Permission) error {
	if err := a.MayWrite(); err != nil {
		return err
	}
	return MayViewAccount(a, right)
}

// MayViewAccount returns an error if the actor may not view settings of the whole account.
func MayViewAccount(a lost.Actor, right lost.Permission) error {
	if err := a.MayManage(); err != nil {
		return err
	}
	return a.May(right)
}

// ErrConflict is returned if somebody else has changed a record since the actor read it.
var ErrConflict = lost.E(lost.Conflict, "Somebody else changed this in the meantime.")

// Reason returns the part of an error message that may be shown to users.
func Reason(err error) string { return cmp.Or(lost.Detail(err), lost.Note(lost.NoteNoReason)) }

// CheckAccountEnabled returns a not-found error if the account is disabled. The error says that the record does not
// exist; what is the word for the record, such as "item".
func CheckAccountEnabled(ctx context.Context, db *store.DB, account, what string) error {
	_, err := EnabledAccount(ctx, db, account, what)
	return err
}

// EnabledAccount returns an account. If the account is disabled, it returns the same error as CheckAccountEnabled.
func EnabledAccount(ctx context.Context, db *store.DB, account, what string) (lost.Account, error) {
	a, err := db.Account(ctx, account)
	if err != nil {
		return a, err
	}
	if !a.DisabledAt.IsZero() {
		return a, lost.Missing(what)
	}
	return a, nil
}

// ChangeAccount changes the actor's account and writes an audit entry with the note that the change function returns.
// An empty note means that nothing changed.
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
