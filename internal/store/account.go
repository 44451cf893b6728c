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
