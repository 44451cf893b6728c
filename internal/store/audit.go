package store

import (
	"context"
	"time"

	"homeward/internal/lost"
)

const auditColumns = "id, at, actor_kind, actor_id, actor_name, deed, subject, note, address"

func scanAudit(rs rows) (e lost.AuditEntry, err error) {
	var at int64
	var kind, deed string
	err = rs.Scan(&e.ID, &at, &kind, &e.Actor.ID, &e.Actor.Name, &deed, &e.Subject, &e.Note, &e.Actor.Address)
	e.At, e.Actor.Kind, e.Action = fromMicros(at), lost.ActorKind(kind), lost.AuditAction(deed)
	return e, err
}

// AddAudit adds an entry to the account's audit log.
func (tx *Tx) AddAudit(e lost.AuditEntry) error { return tx.insertAudit(e, "") }

// AddAuditOnce is like AddAudit, but does nothing if the entry is already stored, so that the
// caller can retry.
func (tx *Tx) AddAuditOnce(e lost.AuditEntry) error {
	return tx.insertAudit(e, " ON CONFLICT (account_id, id) DO NOTHING")
}

func (tx *Tx) insertAudit(e lost.AuditEntry, onConflict string) error {
	return tx.queue("INSERT INTO audit (account_id, "+auditColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"+
		onConflict,
		e.Actor.Account, e.ID, micros(e.At), string(e.Actor.Kind), e.Actor.ID, e.Actor.Name, string(e.Action),
		e.Subject, e.Note, e.Actor.Address)
}

// Audit lists an account's audit log, newest first.
func (r reader) Audit(ctx context.Context, account string,
	f lost.AuditFilter) (lost.CursorPage[lost.AuditEntry], error) {
	statement, args := r.auditPage(account, f)
	rs, err := r.h.QueryPlanned(ctx, statement, args...)
	read, err := collect(rs, err, scanAudit)
	return lost.NewCursorPage(read, f.Limit), err
}

// auditPage returns the statement that reads a page of the audit log.
func (r reader) auditPage(account string, f lost.AuditFilter) (statement string, args []any) {
	q := auditQuery(account, f)
	statement = "SELECT " + auditColumns + " FROM audit" + r.d.useIndex(auditIndex(f)) + q.seekClause(f.PageCursor)
	return statement, q.args
}

// CountAudit counts the entries that match a filter, regardless of its cursor, up to lost.MaxTotal.
func (r reader) CountAudit(ctx context.Context, account string, f lost.AuditFilter) (lost.Total, error) {
	statement, args := r.matchingAudit(account, f)
	return r.countMatching(ctx, statement, args...)
}

// matchingAudit returns the statement that finds all entries. Its order makes PostgreSQL use an index.
func (r reader) matchingAudit(account string, f lost.AuditFilter) (statement string, args []any) {
	q := auditQuery(account, f)
	return "SELECT 1 FROM audit" + r.d.useIndex(auditIndex(f)) + q.clause() + " ORDER BY id DESC", q.args
}

// auditQuery returns the conditions of a filter, without its cursor.
func auditQuery(account string, f lost.AuditFilter) *query {
	q := &query{}
	q.where("account_id = " + q.arg(account))
	if f.Actor != "" {
		q.where("actor_id = " + q.arg(f.Actor))
	}
	if f.Action != "" {
		q.where("deed = " + q.arg(string(f.Action)))
	}
	if f.Subject != "" {
		q.where("subject = " + q.arg(f.Subject))
	}
	if f.Address != "" {
		q.where("address <> ''") // lets both databases use the partial index
		q.where("address = " + q.arg(f.Address))
	}
	if !f.From.IsZero() {
		q.where("id >= " + q.arg(lost.FirstID(lost.AuditID, f.From)))
	}
	if !f.Until.IsZero() {
		q.where("id < " + q.arg(lost.FirstID(lost.AuditID, f.Until)))
	}
	return q
}

// auditIndex returns the index that usually finds the fewest entries. A subject has few of them, and so has what a
// person did, but many people may share an address.
func auditIndex(f lost.AuditFilter) string {
	switch {
	case f.Subject != "":
		return "audit_of_subject"
	case f.Actor != "" && f.Action != "":
		return "audit_of_actor_deed"
	case f.Action != "":
		return "audit_of_deed"
	case f.Actor != "":
		return "audit_of_actor"
	case f.Address != "":
		return "audit_of_address"
	default:
		return ""
	}
}

// PruneAudit deletes at most limit entries older than the given time and returns the number
// deleted. It works across all accounts; only cleanup uses it.
func (tx *Tx) PruneAudit(before time.Time, limit int) (int64, error) {
	if err := tx.d.allowAuditDelete(tx, micros(before)); err != nil {
		return 0, err
	}
	n, err := tx.deleteOld("DELETE FROM audit WHERE (account_id, id) IN (SELECT account_id, id FROM audit WHERE at < "+
		"$1 "+
		"ORDER BY at LIMIT $2)", micros(before), limit)
	if err != nil {
		return n, err
	}
	return n, tx.d.allowAuditDelete(tx, 0)
}
