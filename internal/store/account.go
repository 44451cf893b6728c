package store

import (
	"context"

	"homeward/internal/lost"
)

const accountColumns = "account_id, name, created_at, disabled_at, guest_days, privacy_text, privacy_url"

func scanAccount(rs rows) (a lost.Account, err error) {
	var created, disabled int64
	err = rs.Scan(&a.ID, &a.Name, &created, &disabled, &a.GuestDays, &a.Privacy.Text, &a.Privacy.URL)
	a.CreatedAt, a.DisabledAt = fromMicros(created), fromMicros(disabled)
	return a, err
}

// Account returns the account with the given id, or a NotFound error.
func (r reader) Account(ctx context.Context, id string) (lost.Account, error) {
	rs, err := r.h.Query(ctx, "SELECT "+accountColumns+" FROM accounts WHERE account_id = $1", id)
	return requireRow("account", rs, err, scanAccount)
}

// LockAccount returns an account and locks it until the transaction ends.
func (tx *Tx) LockAccount(id string) (lost.Account, error) {
	rs, err := tx.h.Query(tx.ctx, "SELECT "+accountColumns+" FROM accounts AS a WHERE account_id = $1"+tx.d.lock("a"),
		id)
	return requireRow("account", rs, err, scanAccount)
}

// Accounts lists the accounts, oldest first. Only the operator's commands use it.
func (r reader) Accounts(ctx context.Context, limit int) ([]lost.Account, error) {
	rs, err := r.h.Query(withScope(ctx, OperatorScope),
		"SELECT "+accountColumns+" FROM accounts ORDER BY created_at, account_id LIMIT $1", limit)
	return collect(rs, err, scanAccount)
}

// InsertAccount adds an account.
func (tx *Tx) InsertAccount(a lost.Account) error {
	return tx.queue("INSERT INTO accounts ("+accountColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7)",
		a.ID, a.Name, micros(a.CreatedAt), micros(a.DisabledAt), a.GuestDays, a.Privacy.Text, a.Privacy.URL)
}

// SaveAccount saves the mutable fields of an account.
func (tx *Tx) SaveAccount(a lost.Account) error {
	tx.notePageChange(a.ID, "", "", AccessChanged)
	return tx.queue("UPDATE accounts SET name = $2, disabled_at = $3, guest_days = $4, privacy_text = $5, "+
		"privacy_url = $6 WHERE account_id = $1", a.ID, a.Name, micros(a.DisabledAt), a.GuestDays, a.Privacy.Text,
		a.Privacy.URL)
}

// AccountsAfter lists the accounts with ids greater than after, sorted by id. Only cleanup uses it.
func (r reader) AccountsAfter(ctx context.Context, after string, limit int) ([]lost.Account, error) {
	rs, err := r.h.Query(withScope(ctx, CleanupScope),
		"SELECT "+accountColumns+" FROM accounts WHERE account_id > $1 ORDER BY account_id LIMIT $2", after, limit)
	return collect(rs, err, scanAccount)
}

// CountLocations counts the locations that LocationNames lists without a limit.
func (r reader) CountLocations(ctx context.Context, account string, only []string) (int, error) {
	if only != nil && len(only) == 0 {
		return 0, nil
	}
	q := &query{}
	q.where("account_id = " + q.arg(account))
	q.where("deleted_at = 0")
	if only != nil {
		whereIn(q, "id", only)
	}
	rs, err := r.h.QueryPlanned(ctx, "SELECT count(*) FROM locations"+q.clause(), q.args...)
	n, _, err := firstValue[int](rs, err)
	return n, err
}
