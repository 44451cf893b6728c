package identity

import (
	"context"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// resetBatch is the number of records that one transaction of a reset changes.
const resetBatch = 100

const resetNote = "the service's secret was lost"

// ResetSecret makes a database usable with a new secret after its former secret was lost. Webhooks get new secrets and
// lose their headers. Two-step logins and passkeys are removed, and their users are notified. Guests' links that were
// already sent keep working, because the database has their hashes. Everything else is kept. After an interruption,
// ResetSecret can be called again with the same secret and continues. No instance of the service may be running.
func ResetSecret(ctx context.Context, db *store.DB, newSecret func() string) error {
	steps := []func(tx *store.Tx) (done bool, err error){
		func(tx *store.Tx) (bool, error) { return resetEndpoints(tx, newSecret) },
		resetSecondSteps, resetPasskeys,
		func(tx *store.Tx) (bool, error) {
			n, err := tx.DeleteLostRows(resetBatch)
			return n == 0, err
		},
	}
	for _, step := range steps {
		if err := repeat(ctx, db, step); err != nil {
			return err
		}
	}
	for _, kind := range []store.DirectoryKind{store.LinkEntry, store.TicketEntry} {
		if err := renewTokens(ctx, db, kind); err != nil {
			return err
		}
	}
	return db.Write(ctx, func(tx *store.Tx) error { return tx.ForgetFormerSecrets() })
}

// renewTokens makes the tokens that are derived from the new secret work, in addition to those already sent.
func renewTokens(ctx context.Context, db *store.DB, kind store.DirectoryKind) error {
	var after, last store.DirectoryEntry
	for n := resetBatch; n == resetBatch; after = last {
		err := db.Write(ctx, func(tx *store.Tx) (err error) {
			last, n, err = tx.AddTokens(kind, after, resetBatch)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// repeat calls a step in one transaction after another until the step is done.
func repeat(ctx context.Context, db *store.DB, step func(tx *store.Tx) (done bool, err error)) error {
	for done := false; !done; {
		err := db.Write(ctx, func(tx *store.Tx) (err error) {
			done, err = step(tx)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func resetEndpoints(tx *store.Tx, newSecret func() string) (done bool, err error) {
	found, err := tx.ResetEndpoints(resetBatch, newSecret)
	for _, e := range found {
		if err := access.Audit(tx, Operator(e.Account), lost.SecretRotated, e.Subject, resetNote); err != nil {
			return false, err
		}
	}
	return len(found) == 0, err
}

func resetSecondSteps(tx *store.Tx) (done bool, err error) {
	found, err := tx.LostSecondSteps(resetBatch)
	for _, e := range found {
		if err := resetUser(tx, e, TOTPReset, "two-step login removed: "+resetNote, tx.DeleteTOTP); err != nil {
			return false, err
		}
	}
	return len(found) == 0, err
}

func resetPasskeys(tx *store.Tx) (done bool, err error) {
	found, err := tx.PasskeyOwners(resetBatch)
	for _, e := range found {
		remove := func(u lost.User) error { return deletePasskeys(tx, u) }
		if err := resetUser(tx, e, PasskeysReset, "passkeys removed: "+resetNote, remove); err != nil {
			return false, err
		}
	}
	return len(found) == 0, err
}

// resetUser removes something from a user's login, notifies the user and writes an audit entry.
func resetUser(tx *store.Tx, e store.DirectoryEntry, notice, note string, remove func(lost.User) error) error {
	u, err := tx.User(tx.Context(), e.Account, e.Subject)
	if err != nil {
		return err
	}
	if err := remove(u); err != nil {
		return err
	}
	if err := notifyUser(tx, u, notice, u.Email); err != nil {
		return err
	}
	return access.Audit(tx, Operator(u.Account), lost.PersonChanged, u.ID, auditNote(u, note))
}
