package store

import (
	"context"

	"homeward/internal/lost"
)

//nolint:gosec // G101: column names; none of the columns holds a secret
const passkeyColumns = "p.account_id, p.id, p.user_id, p.name, p.credential, p.used_at, p.created_at"

func scanPasskey(rs rows) (p lost.Passkey, err error) {
	var used, created int64
	err = rs.Scan(&p.Account, &p.ID, &p.UserID, &p.Name, &p.Credential, &used, &created)
	p.UsedAt, p.CreatedAt = fromMicros(used), fromMicros(created)
	return p, err
}

// PasskeyHandle returns a user's WebAuthn user handle. Devices store it permanently, so it is
// derived from the first secret that the database was used with. It does not reveal who the user
// is.
func (r reader) PasskeyHandle(u lost.User) (string, error) {
	return r.encrypter.deriveToken("", "passkeys "+u.Account+" "+u.ID)
}

// Passkeys lists a user's passkeys, oldest first.
func (r reader) Passkeys(ctx context.Context, u lost.User) ([]lost.Passkey, error) {
	rs, err := r.h.Query(ctx,
		"SELECT "+passkeyColumns+" FROM passkeys p WHERE p.account_id = $1 AND p.user_id = $2 ORDER BY p.id LIMIT $3",
		u.Account, u.ID, lost.MaxPasskeys)
	return collect(rs, err, scanPasskey)
}

// CountPasskeys returns how many passkeys each of an account's users has. It omits users without
// passkeys.
func (r reader) CountPasskeys(ctx context.Context, account string, limit int) (map[string]int, error) {
	rs, err := r.h.Query(ctx,
		"SELECT p.user_id, count(*) FROM passkeys p WHERE p.account_id = $1 GROUP BY p.user_id ORDER BY p.user_id "+
			"LIMIT $2", account, limit)
	counts := map[string]int{}
	_, err = collect(rs, err, func(rs rows) (user string, err error) {
		var n int
		err = rs.Scan(&user, &n)
		counts[user] = n
		return user, err
	})
	return counts, err
}

// InsertPasskey adds a passkey and the directory entry for its credential id. If the entry already
// exists, the transaction is retried.
func (tx *Tx) InsertPasskey(p lost.Passkey, hash string) error {
	if err := tx.queue("INSERT INTO passkeys (account_id, id, user_id, name, credential, used_at, created_at) VALUES "+
		"($1, $2, $3, $4, $5, $6, $7)",
		p.Account, p.ID, p.UserID, p.Name, p.Credential, micros(p.UsedAt), micros(p.CreatedAt)); err != nil {
		return err
	}
	return tx.AddEntry(PasskeyEntry, hash, DirectoryEntry{Account: p.Account, Subject: p.ID})
}

// Passkey returns an account's passkey by id, or a NotFound error.
func (r reader) Passkey(ctx context.Context, account, id string) (lost.Passkey, error) {
	rs, err := r.h.Query(ctx, "SELECT "+passkeyColumns+" FROM passkeys p WHERE p.account_id = $1 AND p.id = $2",
		account, id)
	return requireRow("passkey", rs, err, scanPasskey)
}

// SavePasskey saves a passkey's credential, which may change when the passkey is used, and the time
// of use.
func (tx *Tx) SavePasskey(p lost.Passkey) error {
	return tx.queue("UPDATE passkeys SET credential = $3, used_at = $4 WHERE account_id = $1 AND id = $2", p.Account,
		p.ID, p.Credential, micros(p.UsedAt))
}

// DeletePasskey deletes a passkey, which can then no longer be used to log in.
func (tx *Tx) DeletePasskey(p lost.Passkey) error {
	if err := tx.RemoveEntry(PasskeyEntry, DirectoryEntry{Account: p.Account, Subject: p.ID}); err != nil {
		return err
	}
	return tx.queue("DELETE FROM passkeys WHERE account_id = $1 AND id = $2", p.Account, p.ID)
}
