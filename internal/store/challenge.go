package store

import (
	"homeward/internal/lost"
)

// InsertChallenge keeps what was begun, by the hash of what its answer will name.
func (tx *Tx) InsertChallenge(c lost.Challenge, hash string) error {
	data, err := tx.encrypter.encrypt(c.Data)
	if err != nil {
		return err
	}
	return tx.later("INSERT INTO challenges (hash, kind, account_id, user_id, data, expires_at) VALUES ($1, $2, $3, $4, $5, $6)",
		hash, string(c.Kind), c.Account, c.UserID, data, micros(c.ExpiresAt))
}

// TakeChallenge removes what was begun and gives it: of two answers, one has it. What is over is not there any more.
func (tx *Tx) TakeChallenge(kind lost.ChallengeKind, hash string) (lost.Challenge, error) {
	rs, err := tx.h.Query(tx.ctx, "DELETE FROM challenges WHERE hash = $1 AND kind = $2 AND expires_at > $3 RETURNING account_id, user_id, data, expires_at",
		hash, string(kind), micros(tx.now))
	return record("log-in that was begun", rs, err, func(rs rows) (c lost.Challenge, err error) {
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

// PruneChallenges removes some that are over, and tells how many. It crosses accounts: for upkeep alone.
func (tx *Tx) PruneChallenges(limit int) (int64, error) {
	return tx.prune("DELETE FROM challenges WHERE hash IN (SELECT hash FROM challenges WHERE expires_at < $1 LIMIT $2)", micros(tx.now), limit)
}
