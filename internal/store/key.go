package store

import (
	"context"

	"homeward/internal/lost"
)

const keyColumns = "k.account_id, k.id, k.name, k.hint, k.role, k.read_only, k.locations, k.expires_at, " +
	"k.revoked_at, k.created_at"

func scanKey(rs rows) (k lost.Key, err error) {
	var role, locations string
	var expires, revoked, created int64
	if err = rs.Scan(&k.Account, &k.ID, &k.Name, &k.Hint, &role, &k.ReadOnly, &locations, &expires, &revoked,
		&created); err != nil {
		return k, err
	}
	k.Role = lost.Role(role)
	k.ExpiresAt, k.RevokedAt, k.CreatedAt = fromMicros(expires), fromMicros(revoked), fromMicros(created)
	k.Locations, err = readStrings(locations)
	return k, err
}

// KeyByHash returns the API key whose secret has the given hash. It returns a NotFound error if
// there is none or its account is disabled. Like Lookup, it works before the account is known.
func (r reader) KeyByHash(ctx context.Context, hash string) (lost.Key, error) {
	return lookupRecord(ctx, r, KeyEntry, hash, "key", scanKey, keyColumns,
		"api_keys k JOIN accounts a ON a.account_id = k.account_id WHERE k.account_id = $1 AND k.id = $2 AND "+
			"a.disabled_at = 0")
}

// Key returns an account's key by id, or a NotFound error.
func (r reader) Key(ctx context.Context, account, id string) (lost.Key, error) {
	rs, err := r.h.Query(ctx, "SELECT "+keyColumns+" FROM api_keys k WHERE k.account_id = $1 AND k.id = $2", account,
		id)
	return requireRow("key", rs, err, scanKey)
}

// Keys lists an account's keys, newest first.
func (r reader) Keys(ctx context.Context, account string, page lost.Page) (lost.List[lost.Key], error) {
	list := lost.List[lost.Key]{Page: page}
	rs, err := r.h.Query(ctx,
		"SELECT "+keyColumns+" FROM api_keys k WHERE k.account_id = $1 ORDER BY k.id DESC LIMIT $2 OFFSET $3",
		account, page.Limit, page.Offset())
	if list.Data, err = collect(rs, err, scanKey); err != nil {
		return list, err
	}
	list.Total, err = r.countTotal(ctx, page, len(list.Data), "SELECT 1 FROM api_keys WHERE account_id = $1", account)
	return list, err
}

// InsertKey adds a key and its directory entry.
func (tx *Tx) InsertKey(k lost.Key, hash string) error {
	err := tx.queue("INSERT INTO api_keys (account_id, id, name, hint, role, read_only, locations, expires_at, "+
		"revoked_at, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
		k.Account, k.ID, k.Name, k.Hint, string(k.Role), k.ReadOnly, writeStrings(k.Locations), micros(k.ExpiresAt),
		micros(k.RevokedAt), micros(k.CreatedAt))
	if err != nil {
		return err
	}
	return tx.AddEntry(KeyEntry, hash, DirectoryEntry{Account: k.Account, Subject: k.ID})
}

// RevokeKey marks a key as revoked and removes it from the directory.
func (tx *Tx) RevokeKey(k lost.Key) error {
	if err := tx.queue("UPDATE api_keys SET revoked_at = $3 WHERE account_id = $1 AND id = $2", k.Account, k.ID,
		micros(tx.now)); err != nil {
		return err
	}
	return tx.RemoveEntry(KeyEntry, DirectoryEntry{Account: k.Account, Subject: k.ID})
}
