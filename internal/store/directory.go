package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
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
	TrackerEntry   DirectoryKind = "tracker" // the carrier's name for what follows a parcel
	TicketEntry    DirectoryKind = "ticket"  // the token of a link that is good for one thing
	FirstEntry     DirectoryKind = "first"   // taken by the copy of the service that makes the first account
	DemoEntry      DirectoryKind = "demo"    // what is known of a database that was filled to be looked at
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

// AddEntry takes a name in the directory. When somebody took it meanwhile, the transaction runs again.
func (tx *Tx) AddEntry(kind DirectoryKind, hash string, e Entry) error {
	return tx.later("INSERT INTO directory (kind, hash, account_id, subject) VALUES ($1, $2, $3, $4)", string(kind), hash, e.Account, e.Subject)
}

// RemoveEntry frees the name that leads to a subject.
func (tx *Tx) RemoveEntry(kind DirectoryKind, e Entry) error {
	return tx.later("DELETE FROM directory WHERE account_id = $1 AND kind = $2 AND subject = $3", e.Account, string(kind), e.Subject)
}

// drop deletes rows, with the directory entries of a kind that lead to them, and tells how many.
func (tx *Tx) drop(kind DirectoryKind, deletion string, args ...any) (int64, error) {
	rs, err := tx.h.Query(tx.ctx, deletion+" RETURNING account_id, id", args...)
	gone, err := collect(rs, err, func(rs rows) (e Entry, err error) {
		err = rs.Scan(&e.Account, &e.Subject)
		return e, err
	})
	for _, e := range gone {
		err = cmp.Or(err, tx.RemoveEntry(kind, e))
	}
	return int64(len(gone)), err
}
