package access

import (
	"context"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// Audit adds an entry to the account's audit log, in the same transaction as the change that the entry describes. The
// note must not name a guest.
func Audit(tx *store.Tx, a lost.Actor, action lost.AuditAction, subject, note string) error {
	return tx.AddAudit(lost.NewAuditEntry(a, action, subject, note, tx.Now()))
}

// AuditExport records who exports data. It must be called before the data is written.
func AuditExport(ctx context.Context, db *store.DB, a lost.Actor, location, what string) error {
	return db.Write(ctx, func(tx *store.Tx) error { return Audit(tx, a, lost.Exported, location, what) })
}

// Service returns the actor that represents the service itself in automatic changes.
func Service(account string) lost.Actor { return lost.Actor{Account: account, Kind: lost.ByService} }
