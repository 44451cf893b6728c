package desk

import (
	"context"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// audit writes a line of the account's audit log, in the transaction of what it tells of. The note is never about a guest.
func audit(tx *store.Tx, a lost.Actor, deed lost.AuditAction, subject, note string) error {
	return tx.AddAudit(lost.NewAuditEntry(a, deed, subject, note, tx.Now()))
}

// Audit lists who did what to the account as a whole, newest first.
func (d *Desk) Audit(ctx context.Context, a lost.Actor, f lost.AuditFilter) (lost.Stretch[lost.AuditEntry], error) {
	if err := mayOversee(a, lost.Staff); err != nil {
		return lost.Stretch[lost.AuditEntry]{}, err
	}
	return d.db.Audit(ctx, a.Account, f)
}

// Suspects are those whom the audit log can be narrowed to.
type Suspects struct {
	People []lost.User
	Keys   []lost.Key
}

// Suspects lists the account's people, and its newest keys.
func (d *Desk) Suspects(ctx context.Context, a lost.Actor) (s Suspects, err error) {
	const most = 500
	if err := mayOversee(a, lost.Staff); err != nil {
		return s, err
	}
	if s.People, err = d.db.Users(ctx, a.Account, most); err != nil {
		return s, err
	}
	keys, err := d.db.Keys(ctx, a.Account, lost.Page{Number: 1, Limit: lost.MaxLimit})
	s.Keys = keys.Data
	return s, err
}
