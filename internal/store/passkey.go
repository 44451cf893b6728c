package store

import (
	"context"
	"errors"
	"time"

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

// InsertChallenge stores a challenge of an unfinished login under the hash of the token that
// identifies it.
func (tx *Tx) InsertChallenge(c lost.Challenge, hash string) error {
	data, err := tx.encrypter.encrypt(c.Data)
	if err != nil {
		return err
	}
	return tx.queue("INSERT INTO challenges (hash, kind, account_id, user_id, data, expires_at) VALUES ($1, $2, $3, "+
		"$4, $5, $6)",
		hash, string(c.Kind), c.Account, c.UserID, data, micros(c.ExpiresAt))
}

// ConsumeChallenge deletes a challenge and returns it, so that it can be used only once. It returns
// a NotFound error if the challenge does not exist or has expired.
func (tx *Tx) ConsumeChallenge(kind lost.ChallengeKind, hash string) (lost.Challenge, error) {
	rs, err := tx.h.Query(tx.ctx,
		"DELETE FROM challenges WHERE hash = $1 AND kind = $2 AND expires_at > $3 RETURNING account_id, user_id, "+
			"data, expires_at",
		hash, string(kind), micros(tx.now))
	return requireRow("login", rs, err, func(rs rows) (c lost.Challenge, err error) {
		var data string
		var expires int64
		if err = rs.Scan(&c.Account, &c.UserID, &data, &expires); err != nil {
			return c, err
		}
		c.Kind, c.ExpiresAt = kind, fromMicros(expires)
		c.Data, err = tx.encrypter.decrypt(data)
		return c, err
	})
}

// PruneChallenges deletes at most limit expired challenges and returns the number deleted. It works
// across all accounts; only cleanup uses it.
func (tx *Tx) PruneChallenges(limit int) (int64, error) {
	return tx.deleteOld("DELETE FROM challenges WHERE hash IN (SELECT hash FROM challenges WHERE expires_at < $1 "+
		"LIMIT $2)",
		micros(tx.now), limit)
}

// certificateKind marks the rows of the challenges table that hold certificates. The table is
// reused because it has everything needed: a hash as the key, encrypted text, an expiry time, and
// cleanup.
const certificateKind lost.ChallengeKind = "certificate"

// SaveCertificate stores the certificate manager's data under a name until the given time,
// replacing any existing data.
func (db *DB) SaveCertificate(ctx context.Context, name, content string, until time.Time) error {
	return db.Write(ctx, func(tx *Tx) error {
		data, err := tx.encrypter.encrypt(content)
		if err != nil {
			return err
		}
		_, err = tx.exec("INSERT INTO challenges (hash, kind, account_id, user_id, data, expires_at) VALUES ($1, $2, "+
			"'', '', $3, $4) "+
			"ON CONFLICT (hash) DO UPDATE SET data = excluded.data, expires_at = excluded.expires_at",
			certificateHash(name), string(certificateKind), data, micros(until))
		return err
	})
}

// Certificate returns the data stored under a name. It returns a NotFound error if there is none.
// It does the same if the secret cannot decrypt the data, because the certificate can be requested
// again.
func (db *DB) Certificate(ctx context.Context, name string) (string, error) {
	rs, err := db.h.Query(ctx, "SELECT data FROM challenges WHERE hash = $1 AND kind = $2 AND expires_at > $3",
		certificateHash(name), string(certificateKind), micros(db.Now()))
	encrypted, err := requireRow("certificate", rs, err, scanText)
	if err != nil {
		return "", err
	}
	content, err := db.encrypter.decrypt(encrypted)
	if err != nil && !errors.Is(err, errNoSecret) {
		return "", lost.Missing("certificate").WithCause(err)
	}
	return content, err
}

// DeleteCertificate deletes the data stored under a name.
func (db *DB) DeleteCertificate(ctx context.Context, name string) error {
	return db.Write(ctx, func(tx *Tx) error {
		_, err := tx.exec("DELETE FROM challenges WHERE hash = $1 AND kind = $2", certificateHash(name),
			string(certificateKind))
		return err
	})
}

func certificateHash(name string) string { return DirectoryHash("certificate " + name) }
