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

// Page lists one page of the account's audit log, newest first, and counts all entries that match the filter.
func (l *AuditLog) Page(ctx context.Context, a lost.Actor, f lost.AuditFilter,
	page lost.Page) (list lost.List[lost.AuditEntry], err error) {
	f.PageCursor = lost.PageCursor{Before: page.After, Skip: page.Offset(), Limit: page.Limit}
	found, err := l.List(ctx, a, f)
	if err != nil {
		return list, err
	}
	list = lost.List[lost.AuditEntry]{Data: found.Data, Page: page, Total: page.Counted}
	if found.More {
		list.Next = found.Data[len(found.Data)-1].ID
	}
	switch {
	case page.After != "":
	case f.Skip == 0 && !found.More:
		list.Total = lost.TotalOf(len(found.Data))
	default:
		list.Total, err = l.db.CountAudit(ctx, a.Account, f)
	}
	return list, err
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
