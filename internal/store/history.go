package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"homeward/internal/lost"
)

// AddHistory adds entries to an item's history in one statement, if the item exists.
func (tx *Tx) AddHistory(i lost.Item, entries ...lost.Entry) error {
	tx.notePageChange(i.Account, i.LocationID, i.ID, "")
	args := make([]any, 0, 2+historyColumns*len(entries))
	args = append(args, i.Account, i.ID)
	for _, e := range entries {
		args = append(args, e.ID, micros(e.At), string(e.Actor.Kind), e.Actor.ID, e.Actor.Name, string(e.Action),
			string(e.From), string(e.To), writeStrings(e.Fields), e.Note)
	}
	return tx.queueForItem(i.ID, insertHistory(len(entries)), args...)
}

const historyColumns = 10 // the number of columns of an entry, without the item's key

// historyInserts are the statements that add one and two entries.
var historyInserts = [...]string{historyInsert(1), historyInsert(2)}

// insertHistory returns the statement that adds a number of entries.
func insertHistory(entries int) string {
	if entries <= len(historyInserts) {
		return historyInserts[entries-1]
	}
	return historyInsert(entries)
}

func historyInsert(entries int) string {
	rows := make([]string, entries)
	for n := range rows {
		params := make([]string, historyColumns)
		for c := range params {
			params[c] = param(3 + n*historyColumns + c)
		}
		params[1] = "CAST(" + params[1] + " AS BIGINT)" // otherwise UNION ALL makes it a text
		rows[n] = "SELECT $1, $2, " + strings.Join(params, ", ") + " FROM items WHERE account_id = $1 AND id = $2"
	}
	return "INSERT INTO item_history (account_id, item_id, id, at, actor_kind, actor_id, actor_name, action, " +
		"from_status, to_status, fields, note) " + strings.Join(rows, " UNION ALL ")
}

// historyRow are the columns of a history entry.
const historyRow = "id, at, actor_kind, actor_id, actor_name, action, from_status, to_status, fields, note"

// History lists the history of an item, newest first.
func (r reader) History(ctx context.Context, account, item string, page lost.Page) (lost.List[lost.Entry], error) {
	q := &query{}
	q.where("account_id = " + q.arg(account))
	q.where("item_id = " + q.arg(item))
	return newestPage(ctx, r, q, page, historyRow, "item_history", scanEntry,
		func(e lost.Entry) string { return e.ID })
}

// MaxHistorySince is the maximum number of entries that HistorySince returns.
const MaxHistorySince = 500

// HistorySince lists the history of an item after the given time, oldest first, up to
// MaxHistorySince entries.
func (r reader) HistorySince(ctx context.Context, account, item string, since time.Time) ([]lost.Entry, error) {
	rs, err := r.h.Query(ctx,
		"SELECT "+historyRow+` FROM item_history
		WHERE account_id = $1 AND item_id = $2 AND id >= $3 AND at > $4 ORDER BY id LIMIT $5`,
		account, item, lost.FirstID(lost.HistoryID, since), micros(since), MaxHistorySince)
	return collect(rs, err, scanEntry)
}

// OwnedSince returns when an item got its owner: with the owner's first link or, if the owner has none, when the owner
// was last changed. Notes in the history from before may be about a former owner. It returns the zero time if the owner
// was never changed.
func (r reader) OwnedSince(ctx context.Context, i lost.Item, links []lost.Link) (since time.Time, err error) {
	for _, l := range links { // newest first
		if i.Owner.Reads(l.Address) {
			since = l.CreatedAt
		}
	}
	if !since.IsZero() {
		return since, nil
	}
	rs, err := r.h.Query(ctx,
		"SELECT "+historyRow+` FROM item_history
		WHERE account_id = $1 AND item_id = $2 AND action = $3 ORDER BY id DESC`, i.Account, i.ID, string(lost.Updated))
	entries, err := collect(rs, err, scanEntry)
	if n := slices.IndexFunc(entries, lost.Entry.ChangesOwner); n >= 0 {
		since = entries[n].At
	}
	return since, err
}

// IsRecordedBy reports whether the actor recorded the item.
func (r reader) IsRecordedBy(ctx context.Context, a lost.Actor, item string) (bool, error) {
	rs, err := r.h.Query(ctx,
		`SELECT 1 FROM item_history WHERE account_id = $1 AND item_id = $2 AND action = $3 AND actor_kind = $4
				AND actor_id = $5 LIMIT 1`,
		a.Account, item, string(lost.Created), string(a.Kind), a.ID)
	_, found, err := firstValue[int](rs, err)
	return found, err
}

func scanEntry(rs rows) (e lost.Entry, err error) {
	var at int64
	var kind, action, from, to, fields string
	if err = rs.Scan(&e.ID, &at, &kind, &e.Actor.ID, &e.Actor.Name, &action, &from, &to, &fields, &e.Note); err != nil {
		return e, err
	}
	e.At = fromMicros(at)
	e.Actor.Kind = lost.ActorKind(kind)
	e.Action = lost.Action(action)
	e.From = lost.Status(from)
	e.To = lost.Status(to)
	e.Fields, err = readStrings(fields)
	return e, err
}

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
