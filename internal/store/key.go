package store

import (
	"context"

	"homeward/internal/lost"
)

const keyColumns = "k.account_id, k.id, k.name, k.hint, k.role, k.read_only, k.locations, k.expires_at, " +
	"k.revoked_at, k.created_at, k.origins, k.last_used_at"

func scanKey(rs rows) (k lost.Key, err error) {
	var role, locations, origins string
	var expires, revoked, created, used int64
	if err = rs.Scan(&k.Account, &k.ID, &k.Name, &k.Hint, &role, &k.ReadOnly, &locations, &expires, &revoked,
		&created, &origins, &used); err != nil {
		return k, err
	}
	k.Role = lost.Role(role)
	k.ExpiresAt, k.RevokedAt, k.CreatedAt = fromMicros(expires), fromMicros(revoked), fromMicros(created)
	k.LastUsedAt = fromMicros(used)
	if k.Locations, err = readStrings(locations); err != nil {
		return k, err
	}
	k.Origins, err = readStrings(origins)
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
		"revoked_at, created_at, origins) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
		k.Account, k.ID, k.Name, k.Hint, string(k.Role), k.ReadOnly, writeStrings(k.Locations), micros(k.ExpiresAt),
		micros(k.RevokedAt), micros(k.CreatedAt), writeStrings(k.Origins))
	if err != nil {
		return err
	}
	for _, origin := range k.Origins {
		if err := tx.AddEntry(OriginEntry, originHash(origin, k.ID), DirectoryEntry{k.Account, k.ID}); err != nil {
			return err
		}
	}
	return tx.AddEntry(KeyEntry, hash, DirectoryEntry{Account: k.Account, Subject: k.ID})
}

// RevokeKey marks a key as revoked and removes it from the directory.
func (tx *Tx) RevokeKey(k lost.Key) error {
	if err := tx.queue("UPDATE api_keys SET revoked_at = $3 WHERE account_id = $1 AND id = $2", k.Account, k.ID,
		micros(tx.now)); err != nil {
		return err
	}
	if len(k.Origins) > 0 {
		if err := tx.RemoveEntry(OriginEntry, DirectoryEntry{Account: k.Account, Subject: k.ID}); err != nil {
			return err
		}
	}
	return tx.RemoveEntry(KeyEntry, DirectoryEntry{Account: k.Account, Subject: k.ID})
}

// SaveKeyName saves the name of a key.
func (tx *Tx) SaveKeyName(k lost.Key) error {
	return tx.queue("UPDATE api_keys SET name = $3 WHERE account_id = $1 AND id = $2", k.Account, k.ID, k.Name)
}

// TouchKey records when a key was last used.
func (tx *Tx) TouchKey(k lost.Key) error {
	return tx.queue("UPDATE api_keys SET last_used_at = $3 WHERE account_id = $1 AND id = $2 AND last_used_at < $3",
		k.Account, k.ID, micros(k.LastUsedAt))
}

// originHash returns the hash of a directory entry for a website that may use a key. Several keys may have the same
// website, so their entries share only the beginning.
func originHash(origin, key string) string { return DirectoryHash(origin) + DirectoryHash(key) }

// KnowsOrigin reports whether a publishable key of any account may be used on a website. Like Lookup, it works before
// the account is known: a browser asks for permission before it sends the key.
func (r reader) KnowsOrigin(ctx context.Context, origin string) (bool, error) {
	hash := DirectoryHash(origin)
	rs, err := r.h.Query(withScope(ctx, DirectoryScope),
		"SELECT 1 FROM directory WHERE kind = $1 AND hash >= $2 AND hash < $3 LIMIT 1",
		string(OriginEntry), hash, hash+"g") // g follows all hexadecimal digits
	_, found, err := firstValue[int](rs, err)
	return found, err
}
