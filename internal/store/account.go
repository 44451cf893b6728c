package store

import (
	"context"

	"homeward/internal/lost"
)

const accountColumns = "account_id, name, created_at, disabled_at, guest_days"

func scanAccount(rs rows) (a lost.Account, err error) {
	var created, disabled int64
	err = rs.Scan(&a.ID, &a.Name, &created, &disabled, &a.GuestDays)
	a.CreatedAt, a.DisabledAt = fromMicros(created), fromMicros(disabled)
	return a, err
}

// Account gives an account.
func (r reader) Account(ctx context.Context, id string) (lost.Account, error) {
	rs, err := r.h.Query(ctx, "SELECT "+accountColumns+" FROM accounts WHERE account_id = $1", id)
	return record("account", rs, err, scanAccount)
}

// LockAccount gives an account that is about to be changed.
func (tx *Tx) LockAccount(id string) (lost.Account, error) {
	rs, err := tx.h.Query(tx.ctx, "SELECT "+accountColumns+" FROM accounts AS a WHERE account_id = $1"+tx.d.lock("a"), id)
	return record("account", rs, err, scanAccount)
}

// Accounts lists the accounts by age. It crosses accounts: for the operator alone.
func (r reader) Accounts(ctx context.Context, limit int) ([]lost.Account, error) {
	rs, err := r.h.Query(across(ctx, Operator), "SELECT "+accountColumns+" FROM accounts ORDER BY created_at, account_id LIMIT $1", limit)
	return collect(rs, err, scanAccount)
}

// InsertAccount adds an account.
func (tx *Tx) InsertAccount(a lost.Account) error {
	return tx.later("INSERT INTO accounts ("+accountColumns+") VALUES ($1, $2, $3, $4, $5)",
		a.ID, a.Name, micros(a.CreatedAt), micros(a.DisabledAt), a.GuestDays)
}

// SaveAccount keeps what may change of an account.
func (tx *Tx) SaveAccount(a lost.Account) error {
	return tx.later("UPDATE accounts SET name = $2, disabled_at = $3, guest_days = $4 WHERE account_id = $1", a.ID, a.Name, micros(a.DisabledAt), a.GuestDays)
}

const userColumns = "account_id, id, email, name, role, password_hash, created_at, disabled_at, locations, two_step_at, seen_at"

func scanUser(rs rows) (u lost.User, err error) {
	var created, disabled, twoStep, seen int64
	var role, locations string
	if err = rs.Scan(&u.Account, &u.ID, &u.Email, &u.Name, &role, &u.PasswordHash, &created, &disabled, &locations, &twoStep, &seen); err != nil {
		return u, err
	}
	u.Role, u.CreatedAt, u.DisabledAt = lost.Role(role), fromMicros(created), fromMicros(disabled)
	u.TwoStepAt, u.SeenAt = fromMicros(twoStep), fromMicros(seen)
	u.Locations, err = readStrings(locations)
	return u, err
}

// User gives a user of an account.
func (r reader) User(ctx context.Context, account, id string) (lost.User, error) {
	rs, err := r.h.Query(ctx, "SELECT "+userColumns+" FROM users WHERE account_id = $1 AND id = $2", account, id)
	return record("user", rs, err, scanUser)
}

// LockUser gives a user who is about to be changed.
func (tx *Tx) LockUser(account, id string) (lost.User, error) {
	rs, err := tx.h.Query(tx.ctx, "SELECT "+userColumns+" FROM users AS u WHERE account_id = $1 AND id = $2"+tx.d.lock("u"), account, id)
	return record("user", rs, err, scanUser)
}

// Users lists an account's users by age.
func (r reader) Users(ctx context.Context, account string, limit int) ([]lost.User, error) {
	rs, err := r.h.Query(ctx, "SELECT "+userColumns+" FROM users WHERE account_id = $1 ORDER BY id LIMIT $2", account, limit)
	return collect(rs, err, scanUser)
}

// InsertUser adds a user, and the directory entry of the e-mail address.
func (tx *Tx) InsertUser(u lost.User) error {
	err := tx.later("INSERT INTO users ("+userColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
		u.Account, u.ID, u.Email, u.Name, string(u.Role), u.PasswordHash, micros(u.CreatedAt), micros(u.DisabledAt), writeStrings(u.Locations), micros(u.TwoStepAt), micros(u.SeenAt))
	if err != nil {
		return err
	}
	return tx.AddEntry(UserEntry, DirectoryHash(Fold(u.Email)), Entry{Account: u.Account, Subject: u.ID})
}

// SaveUser keeps what may change of a user.
func (tx *Tx) SaveUser(u lost.User) error {
	return tx.later("UPDATE users SET name = $3, role = $4, password_hash = $5, disabled_at = $6, locations = $7 WHERE account_id = $1 AND id = $2",
		u.Account, u.ID, u.Name, string(u.Role), u.PasswordHash, micros(u.DisabledAt), writeStrings(u.Locations))
}
