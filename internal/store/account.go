package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"slices"

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

// DirectoryKind is the kind of token or name that a directory entry is found by.
type DirectoryKind string

// The kinds of directory entries, which are looked up before the account is known.
const (
	KeyEntry          DirectoryKind = "key"
	OriginEntry       DirectoryKind = "origin" // a website that may use a publishable key; see originHash
	UserEntry         DirectoryKind = "user"
	UnconfirmedEntry  DirectoryKind = "unconfirmed-user" // a user whose address is another user's login
	SessionEntry      DirectoryKind = "session"          // the token of a session
	PermalinkEntry    DirectoryKind = "permalink"        // also of deleted locations
	LinkEntry         DirectoryKind = "guest"            // the token of a guest's link
	ReplyEntry        DirectoryKind = "reply"            // the token in the address for replies to a guest's message
	PhoneEntry        DirectoryKind = "reply-phone"      // the phone number of a guest's link; see phoneHash
	CalendarEntry     DirectoryKind = "calendar"         // the token of a location's calendar for other programs
	ShipmentEntry     DirectoryKind = "shipment"
	TrackerEntry      DirectoryKind = "tracker"  // the carrier's id for a tracked parcel
	TicketEntry       DirectoryKind = "ticket"   // the token of a single-use link
	PasskeyEntry      DirectoryKind = "passkey"  // the credential id of a passkey
	IdentityEntry     DirectoryKind = "identity" // a person's subject at an OpenID Connect provider
	FirstAccountEntry DirectoryKind = "first"    // claimed by the instance that creates the first account
	DemoEntry         DirectoryKind = "demo"     // marks a database that contains sample data
	// ErasedAccountEntry is the record of a deleted account. It contains no personal data.
	ErasedAccountEntry DirectoryKind = "erased-account"
	// ErasingAccountEntry is what an unfinished deletion of an account has deleted. It becomes an ErasedAccountEntry.
	ErasingAccountEntry DirectoryKind = "erasing-account"
)

// DirectoryHash returns the hash of a token or name. The directory stores only the hash.
func DirectoryHash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	var text [2 * sha256.Size]byte
	hex.Encode(text[:], sum[:])
	return string(text[:])
}

// DirectoryEntry is the record that a directory entry refers to.
type DirectoryEntry struct{ Account, Subject string }

// Lookup returns the directory entry with the given kind and hash, and whether it exists.
func (r reader) Lookup(ctx context.Context, kind DirectoryKind, hash string) (DirectoryEntry, bool, error) {
	rs, err := r.h.Query(ctx, "SELECT account_id, subject FROM directory WHERE kind = $1 AND hash = $2", string(kind),
		hash)
	return firstRow(rs, err, func(rs rows) (e DirectoryEntry, err error) {
		err = rs.Scan(&e.Account, &e.Subject)
		return e, err
	})
}

// lookupRecord returns the record that a directory entry refers to. It runs two queries, because
// with Citus the entry and the record may be on different nodes.
func lookupRecord[T any](ctx context.Context, r reader, kind DirectoryKind, hash, what string,
	scan func(rows) (T, error),
	columns, from string) (none T, _ error) {
	e, found, err := r.Lookup(ctx, kind, hash)
	if err != nil {
		return none, err
	}
	if !found {
		return none, lost.Missing(what)
	}
	rs, err := r.h.Query(ctx, "SELECT "+columns+" FROM "+from, e.Account, e.Subject)
	return requireRow(what, rs, err, scan)
}

// AddEntry adds an entry to the directory. If another transaction has added the same entry in the
// meantime, the transaction is retried.
func (tx *Tx) AddEntry(kind DirectoryKind, hash string, e DirectoryEntry) error {
	return tx.queue("INSERT INTO directory (kind, hash, account_id, subject) VALUES ($1, $2, $3, $4)", string(kind),
		hash, e.Account, e.Subject)
}

// RemoveEntry removes the entry that refers to a subject.
func (tx *Tx) RemoveEntry(kind DirectoryKind, e DirectoryEntry) error {
	return tx.h.Queue(withScope(tx.ctx, DirectoryScope),
		"DELETE FROM directory WHERE account_id = $1 AND kind = $2 AND subject = $3", e.Account, string(kind),
		e.Subject)
}

// HasEntry reports whether an entry refers to a subject.
func (r reader) HasEntry(ctx context.Context, kind DirectoryKind, e DirectoryEntry) (bool, error) {
	rs, err := r.h.Query(withScope(ctx, DirectoryScope),
		"SELECT 1 FROM directory WHERE account_id = $1 AND kind = $2 AND subject = $3"+limitClause(1), e.Account,
		string(kind), e.Subject)
	_, found, err := firstValue[int](rs, err)
	return found, err
}

// deleteWithEntries deletes rows together with the directory entries that refer to them, and returns the number of
// rows. The entries of links include those for replies.
func (tx *Tx) deleteWithEntries(ctx context.Context, kind DirectoryKind, deletion string, args ...any) (int64, error) {
	rs, err := tx.h.Query(ctx, deletion+" RETURNING account_id, id", args...)
	deleted, err := collect(rs, err, func(rs rows) (e DirectoryEntry, err error) {
		err = rs.Scan(&e.Account, &e.Subject)
		return e, err
	})
	if err != nil {
		return int64(len(deleted)), err
	}
	// Deleting the entries in a fixed order prevents deadlocks between two transactions.
	slices.SortFunc(deleted, func(a, b DirectoryEntry) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Subject, b.Subject))
	})
	const batchSize = 100
	for accountEntries := range runsByKey(deleted, func(e DirectoryEntry) string { return e.Account }) {
		for batch := range slices.Chunk(accountEntries, batchSize) {
			if err := tx.removeEntries(kind, batch); err != nil {
				return int64(len(deleted)), err
			}
		}
	}
	return int64(len(deleted)), nil
}

// removeEntries removes directory entries that all belong to one account.
func (tx *Tx) removeEntries(kind DirectoryKind, entries []DirectoryEntry) error {
	q := &query{}
	q.where("account_id = " + q.arg(entries[0].Account))
	kinds := []DirectoryKind{kind}
	if kind == LinkEntry {
		kinds = append(kinds, ReplyEntry, PhoneEntry)
	}
	whereIn(q, "kind", kinds)
	subjects := make([]string, len(entries))
	for n, e := range entries {
		subjects[n] = e.Subject
	}
	whereIn(q, "subject", padList(subjects, listMultiple))
	return tx.h.Queue(withScope(tx.ctx, DirectoryScope), "DELETE FROM directory"+q.clause(), q.args...)
}

// runsByKey splits a list into runs of consecutive elements with the same key.
func runsByKey[T any](list []T, key func(T) string) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		for len(list) > 0 {
			n := 1
			for n < len(list) && key(list[n]) == key(list[0]) {
				n++
			}
			if !yield(list[:n]) {
				return
			}
			list = list[n:]
		}
	}
}

// SystemEntryKinds lists the kinds of entries that belong to the installation rather than to an account.
func SystemEntryKinds() []DirectoryKind {
	return []DirectoryKind{secretEntry, FirstAccountEntry, DemoEntry}
}
