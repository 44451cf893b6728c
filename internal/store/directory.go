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

// DirectoryKind says what sort of secret or name leads to an account.
type DirectoryKind string

// The look-ups that begin without an account.
const (
	KeyEntry       DirectoryKind = "key"
	UserEntry      DirectoryKind = "user"
	SessionEntry   DirectoryKind = "session" // the token of a log-in
	PermalinkEntry DirectoryKind = "permalink"
	GuestEntry     DirectoryKind = "guest" // the token of a link
	ShipmentEntry  DirectoryKind = "shipment"
	TrackerEntry   DirectoryKind = "tracker"  // the carrier's name for what follows a parcel
	TicketEntry    DirectoryKind = "ticket"   // the token of a link that is good for one thing
	PasskeyEntry   DirectoryKind = "passkey"  // what a device calls a passkey
	IdentityEntry  DirectoryKind = "identity" // what a provider calls a person
	FirstEntry     DirectoryKind = "first"    // taken by the copy of the service that makes the first account
	DemoEntry      DirectoryKind = "demo"     // what is known of a database that was filled to be looked at
)

// DirectoryHash is how a secret or name stands in the directory: never in clear.
func DirectoryHash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// Entry is where a look-up leads.
type Entry struct{ Account, Subject string }

// Lookup follows a directory entry.
func (r reader) Lookup(ctx context.Context, kind DirectoryKind, hash string) (Entry, bool, error) {
	rs, err := r.h.Query(ctx, "SELECT account_id, subject FROM directory WHERE kind = $1 AND hash = $2", string(kind), hash)
	return one(rs, err, func(rs rows) (e Entry, err error) {
		err = rs.Scan(&e.Account, &e.Subject)
		return e, err
	})
}

// follow gives what a directory entry leads to, unless there is no such entry. It asks twice, because the directory lies elsewhere than what it leads to: first where, then there.
func follow[T any](ctx context.Context, r reader, kind DirectoryKind, hash, what string, scan func(rows) (T, error), columns, from string) (none T, _ error) {
	e, found, err := r.Lookup(ctx, kind, hash)
	if err != nil {
		return none, err
	}
	if !found {
		return none, lost.Missing(what)
	}
	rs, err := r.h.Query(ctx, "SELECT "+columns+" FROM "+from, e.Account, e.Subject)
	return record(what, rs, err, scan)
}

// AddEntry takes a name in the directory. When somebody took it meanwhile, the transaction runs again.
func (tx *Tx) AddEntry(kind DirectoryKind, hash string, e Entry) error {
	return tx.later("INSERT INTO directory (kind, hash, account_id, subject) VALUES ($1, $2, $3, $4)", string(kind), hash, e.Account, e.Subject)
}

// RemoveEntry frees the name that leads to a subject.
func (tx *Tx) RemoveEntry(kind DirectoryKind, e Entry) error {
	return tx.h.Queue(across(tx.ctx, Freeing), "DELETE FROM directory WHERE account_id = $1 AND kind = $2 AND subject = $3", e.Account, string(kind), e.Subject)
}

// drop deletes rows, with the directory entries of a kind that lead to them, and tells how many.
func (tx *Tx) drop(ctx context.Context, kind DirectoryKind, deletion string, args ...any) (int64, error) {
	rs, err := tx.h.Query(ctx, deletion+" RETURNING account_id, id", args...)
	gone, err := collect(rs, err, func(rs rows) (e Entry, err error) {
		err = rs.Scan(&e.Account, &e.Subject)
		return e, err
	})
	if err != nil {
		return int64(len(gone)), err
	}
	// Always in the same order, so that two transactions do not deadlock.
	slices.SortFunc(gone, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Subject, b.Subject))
	})
	const batchSize = 100
	for ofAccount := range runsByKey(gone, func(e Entry) string { return e.Account }) {
		for batch := range slices.Chunk(ofAccount, batchSize) {
			if err := tx.removeEntries(kind, batch); err != nil {
				return int64(len(gone)), err
			}
		}
	}
	return int64(len(gone)), nil
}

// removeEntries frees the names that lead to some subjects of one account.
func (tx *Tx) removeEntries(kind DirectoryKind, of []Entry) error {
	q := &query{args: []any{of[0].Account, string(kind)}}
	q.where("account_id = $1 AND kind = $2")
	subjects := make([]string, len(of))
	for n, e := range of {
		subjects[n] = e.Subject
	}
	in(q, "subject", filled(subjects, evenly))
	return tx.h.Queue(across(tx.ctx, Freeing), "DELETE FROM directory"+q.clause(), q.args...)
}

// runsByKey gives the runs of a list that have the same key.
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
func SystemEntryKinds() []DirectoryKind { return []DirectoryKind{secretEntry, FirstEntry, DemoEntry} }
