package store

import (
	"context"
	"errors"
	"time"

	"homeward/internal/lost"
)

// certificateKind marks what the table of challenges keeps for certificates. It has all that they need: a hash to find them by, a sealed text,
// a time at which they are over, and upkeep that then removes them.
const certificateKind lost.ChallengeKind = "certificate"

// KeepCertificate keeps something for certificates by its name, in place of what had that name, and until a time.
func (db *DB) KeepCertificate(ctx context.Context, name, content string, until time.Time) error {
	return db.Write(ctx, func(tx *Tx) error {
		data, err := tx.encrypter.encrypt(content)
		if err != nil {
			return err
		}
		_, err = tx.exec("INSERT INTO challenges (hash, kind, account_id, user_id, data, expires_at) VALUES ($1, $2, '', '', $3, $4) "+
			"ON CONFLICT (hash) DO UPDATE SET data = excluded.data, expires_at = excluded.expires_at", certificateHash(name), string(certificateKind), data, micros(until))
		return err
	})
}

// Certificate gives what was kept by a name; NotFound where there is nothing, or nothing that the service's secret opens: a certificate can be
// had again.
func (db *DB) Certificate(ctx context.Context, name string) (string, error) {
	rs, err := db.h.Query(ctx, "SELECT data FROM challenges WHERE hash = $1 AND kind = $2 AND expires_at > $3", certificateHash(name), string(certificateKind), micros(db.Now()))
	sealed, err := record("certificate", rs, err, scanText)
	if err != nil {
		return "", err
	}
	content, err := db.encrypter.decrypt(sealed)
	if err != nil && !errors.Is(err, errNoSecret) {
		return "", lost.Missing("certificate").Because(err)
	}
	return content, err
}

// ForgetCertificate removes what was kept by a name.
func (db *DB) ForgetCertificate(ctx context.Context, name string) error {
	return db.Write(ctx, func(tx *Tx) error {
		_, err := tx.exec("DELETE FROM challenges WHERE hash = $1 AND kind = $2", certificateHash(name), string(certificateKind))
		return err
	})
}

func certificateHash(name string) string { return DirectoryHash("certificate " + name) }
