package outbox

import (
	"context"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// recordLoginFailure adds a failed login to the audit log of the user's account. A job without an account is for an
// address that belongs to no user, so there is nothing to record.
func (o *Outbox) recordLoginFailure(ctx context.Context, job store.Job) error {
	about, err := job.Arguments()
	if err != nil || len(about) != 3 {
		return lost.E(lost.Invalid, "The job must specify a user, a client and a note.").WithCause(err)
	}
	if job.Account == "" {
		return nil
	}
	u, err := o.db.User(ctx, job.Account, about[0])
	if err != nil {
		return lost.IgnoreNotFound(err)
	}
	return o.db.Write(ctx, func(tx *store.Tx) error {
		by := u.Actor().WithAddress(about[1])
		return tx.AddAudit(lost.NewAuditEntry(by, lost.LogInFailed, u.ID, about[2], tx.Now()))
	})
}

// endAccess tells the open pages of a user, or of all users of an account, that they may have lost access. They then
// read the session again, and end if it has ended.
func (o *Outbox) endAccess(ctx context.Context, job store.Job) error {
	return o.db.Write(ctx, func(tx *store.Tx) error {
		tx.AnnounceAccess(job.Account, job.Payload)
		return nil
	})
}
