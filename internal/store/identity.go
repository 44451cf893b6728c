package store

import (
	"context"

	"homeward/internal/lost"
)

const identityColumns = "i.account_id, i.id, i.user_id, i.issuer, i.subject, i.used_at, i.created_at"

func scanIdentity(rs rows) (i lost.Identity, err error) {
	var used, created int64
	err = rs.Scan(&i.Account, &i.ID, &i.UserID, &i.Issuer, &i.Subject, &used, &created)
	i.UsedAt, i.CreatedAt = fromMicros(used), fromMicros(created)
	return i, err
}

// identityHash returns the directory hash of a subject at a provider. An issuer never contains a
// line break.
func identityHash(issuer, subject string) string { return DirectoryHash(issuer + "\n" + subject) }

// IdentityBySubject returns the identity of a subject at a provider, or a NotFound error. Like
// Lookup, it works before the account is known.
func (r reader) IdentityBySubject(ctx context.Context, issuer, subject string) (lost.Identity, error) {
	return lookupRecord(ctx, r, IdentityEntry, identityHash(issuer, subject), "identity", scanIdentity, identityColumns,
		"identities i WHERE i.account_id = $1 AND i.id = $2")
}

// Identity returns a user's identity at a provider, or a NotFound error.
func (r reader) Identity(ctx context.Context, u lost.User, issuer string) (lost.Identity, error) {
	rs, err := r.h.Query(ctx,
		"SELECT "+identityColumns+" FROM identities i WHERE i.account_id = $1 AND i.user_id = $2 AND i.issuer = $3",
		u.Account, u.ID, issuer)
	return requireRow("identity", rs, err, scanIdentity)
}

// InsertIdentity adds an identity and its directory entry. If the identity already exists, the
// transaction is retried.
func (tx *Tx) InsertIdentity(i lost.Identity) error {
	if err := tx.queue("INSERT INTO identities (account_id, id, user_id, issuer, subject, used_at, created_at) "+
		"VALUES ($1, $2, $3, $4, $5, $6, $7)",
		i.Account, i.ID, i.UserID, i.Issuer, i.Subject, micros(i.UsedAt), micros(i.CreatedAt)); err != nil {
		return err
	}
	return tx.AddEntry(IdentityEntry, identityHash(i.Issuer, i.Subject),
		DirectoryEntry{Account: i.Account, Subject: i.ID})
}

// TouchIdentity records that an identity was used to log in.
func (tx *Tx) TouchIdentity(i lost.Identity) error {
	return tx.queue("UPDATE identities SET used_at = $3 WHERE account_id = $1 AND id = $2", i.Account, i.ID,
		micros(tx.now))
}

// DeleteIdentity deletes an identity, which can then no longer be used to log in.
func (tx *Tx) DeleteIdentity(i lost.Identity) error {
	if err := tx.RemoveEntry(IdentityEntry, DirectoryEntry{Account: i.Account, Subject: i.ID}); err != nil {
		return err
	}
	return tx.queue("DELETE FROM identities WHERE account_id = $1 AND id = $2", i.Account, i.ID)
}
