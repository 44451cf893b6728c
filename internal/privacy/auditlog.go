package privacy

import (
	"context"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// AuditLog lists and exports the entries of the audit log.
type AuditLog struct {
	db *store.DB
}

// AuditLogOptions are the dependencies of an AuditLog.
type AuditLogOptions struct {
	DB *store.DB
}

// NewAuditLog creates an AuditLog.
func NewAuditLog(o AuditLogOptions) *AuditLog {
	return &AuditLog{
		db: o.DB,
	}
}

// List lists the entries of the account's audit log, newest first.
func (l *AuditLog) List(ctx context.Context, a lost.Actor,
	f lost.AuditFilter) (lost.CursorPage[lost.AuditEntry], error) {
	if err := access.MayViewAccount(a, lost.ManageStaff); err != nil {
		return lost.CursorPage[lost.AuditEntry]{}, err
	}
	return l.db.Audit(ctx, a.Account, f)
}

// Page lists one page of the account's audit log, newest first, and counts all entries that match the filter. If the
// filter has no cursor, the page is selected by its number. more reports whether there are older entries.
func (l *AuditLog) Page(ctx context.Context, a lost.Actor, f lost.AuditFilter,
	page lost.Page) (list lost.List[lost.AuditEntry], more bool, err error) {
	f.Limit = page.Limit
	if f.Before == "" {
		f.Skip = page.Offset()
	}
	found, err := l.List(ctx, a, f)
	if err != nil {
		return list, false, err
	}
	list = lost.List[lost.AuditEntry]{Data: found.Data, Page: page}
	if f.Before == "" && f.Skip == 0 && !found.More {
		list.Total = lost.TotalOf(len(found.Data))
		return list, false, nil
	}
	list.Total, err = l.db.CountAudit(ctx, a.Account, f)
	return list, found.More, err
}

// AuditActors are the actors by which the audit log can be filtered.
type AuditActors struct {
	People []lost.User
	Keys   []lost.Key
}

// Actors lists the account's users and its newest keys.
func (l *AuditLog) Actors(ctx context.Context, a lost.Actor) (s AuditActors, err error) {
	const limit = 500
	if err := access.MayViewAccount(a, lost.ManageStaff); err != nil {
		return s, err
	}
	if s.People, err = l.db.Users(ctx, a.Account, limit); err != nil {
		return s, err
	}
	keys, err := l.db.Keys(ctx, a.Account, lost.Page{Number: 1, Limit: lost.MaxLimit})
	s.Keys = keys.Data
	return s, err
}
