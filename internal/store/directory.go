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
