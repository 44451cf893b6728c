package store

import (
	"context"

	"homeward/internal/lost"
)

const viewColumns = "account_id, id, user_id, name, query, shared, created_at"

func scanView(rs rows) (v lost.View, err error) {
	var created int64
	err = rs.Scan(&v.Account, &v.ID, &v.UserID, &v.Name, &v.Query, &v.Shared, &created)
	v.CreatedAt = fromMicros(created)
	return v, err
}

// Views lists the views that a user can see: first their own, then the views shared by others, each
// oldest first.
func (r reader) Views(ctx context.Context, account, user string, limit int) ([]lost.View, error) {
	rs, err := r.h.Query(ctx,
		"SELECT "+viewColumns+" FROM views WHERE account_id = $1 AND user_id = $2 ORDER BY id LIMIT $3", account, user,
		limit)
	own, err := collect(rs, err, scanView)
	if err != nil {
		return nil, err
	}
	rs, err = r.h.Query(ctx,
		"SELECT "+viewColumns+" FROM views WHERE account_id = $1 AND shared AND user_id <> $2 ORDER BY id LIMIT $3",
		account, user, limit)
	shared, err := collect(rs, err, scanView)
	return append(own, shared...), err
}

// CountViews counts a user's own views.
func (r reader) CountViews(ctx context.Context, account, user string) (int, error) {
	rs, err := r.h.Query(ctx, "SELECT count(*) FROM views WHERE account_id = $1 AND user_id = $2", account, user)
	n, _, err := firstValue[int](rs, err)
	return n, err
}

// LockView returns a view and locks it until the transaction ends.
func (tx *Tx) LockView(account, id string) (lost.View, error) {
	rs, err := tx.h.Query(tx.ctx,
		"SELECT "+viewColumns+" FROM views AS v WHERE account_id = $1 AND id = $2"+tx.d.lock("v"), account, id)
	return requireRow("view", rs, err, scanView)
}

// InsertView adds a view.
func (tx *Tx) InsertView(v lost.View) error {
	return tx.queue("INSERT INTO views ("+viewColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7)", v.Account, v.ID,
		v.UserID, v.Name, v.Query, v.Shared, micros(v.CreatedAt))
}

// SaveView saves the mutable fields of a view.
func (tx *Tx) SaveView(v lost.View) error {
	return tx.queue("UPDATE views SET name = $3, query = $4, shared = $5 WHERE account_id = $1 AND id = $2", v.Account,
		v.ID, v.Name, v.Query, v.Shared)
}

// DeleteView deletes a view.
func (tx *Tx) DeleteView(account, id string) error {
	return tx.queue("DELETE FROM views WHERE account_id = $1 AND id = $2", account, id)
}

const templateColumns = "account_id, id, name, language, text, created_at"

func scanTemplate(rs rows) (t lost.MessageTemplate, err error) {
	var created int64
	err = rs.Scan(&t.Account, &t.ID, &t.Name, &t.Language, &t.Text, &created)
	t.CreatedAt = fromMicros(created)
	return t, err
}

// MessageTemplates lists an account's templates, oldest first.
func (r reader) MessageTemplates(ctx context.Context, account string) ([]lost.MessageTemplate, error) {
	rs, err := r.h.Query(ctx, "SELECT "+templateColumns+" FROM message_templates WHERE account_id = $1 ORDER BY id"+
		limitClause(lost.MaxTemplates), account)
	return collect(rs, err, scanTemplate)
}

// MessageTemplate returns a template.
func (r reader) MessageTemplate(ctx context.Context, account, id string) (lost.MessageTemplate, error) {
	rs, err := r.h.Query(ctx, "SELECT "+templateColumns+" FROM message_templates WHERE account_id = $1 AND id = $2",
		account, id)
	return requireRow("template", rs, err, scanTemplate)
}

// SaveMessageTemplate adds a template or saves its changes.
func (tx *Tx) SaveMessageTemplate(t lost.MessageTemplate) error {
	return tx.queue("INSERT INTO message_templates ("+templateColumns+") VALUES ($1, $2, $3, $4, $5, $6) "+
		"ON CONFLICT (account_id, id) DO UPDATE SET name = excluded.name, language = excluded.language, "+
		"text = excluded.text", t.Account, t.ID, t.Name, t.Language, t.Text, micros(t.CreatedAt))
}

// DeleteMessageTemplate deletes a template.
func (tx *Tx) DeleteMessageTemplate(account, id string) error {
	return tx.queue("DELETE FROM message_templates WHERE account_id = $1 AND id = $2", account, id)
}
