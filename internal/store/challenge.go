package store

import (
	"context"
	"errors"
	"time"

	"homeward/internal/lost"
)

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
