package store

import (
	"time"
)

// Answer is what a repeatable create answered the first time.
type Answer struct {
	Request string // digest of what was asked
	Body    string // sealed where it lies; empty where its guest is erased
	Subject string // id of the record that it tells of, where that has a guest
}

// How long a create can be repeated: by a program, and with the form of a person, which may wait on a phone for a connection.
const (
	AnswerLife = 24 * time.Hour
	FormLife   = 90 * 24 * time.Hour
)

// Answer gives what was answered under a key, while that is kept.
func (tx *Tx) Answer(account, key string) (Answer, bool, error) {
	rs, err := tx.h.Query(tx.ctx, "SELECT request, answer FROM answers WHERE account_id = $1 AND once_key = $2 AND until > $3",
		account, key, micros(tx.now))
	return one(rs, err, func(rs rows) (a Answer, err error) {
		if err = rs.Scan(&a.Request, &a.Body); err == nil && a.Body != "" {
			a.Body, err = tx.encrypter.decrypt(a.Body)
		}
		return a, err
	})
}

// SaveAnswer keeps an answer for so long, for those who ask again. Of two that come at once, the second
// runs again and finds the first one's.
func (tx *Tx) SaveAnswer(account, key string, a Answer, life time.Duration) error {
	sealed, err := tx.encrypter.encrypt(a.Body)
	if err != nil {
		return err
	}
	if err := tx.later("DELETE FROM answers WHERE account_id = $1 AND once_key = $2 AND until <= $3", account, key, micros(tx.now)); err != nil {
		return err
	}
	return tx.later("INSERT INTO answers (account_id, once_key, request, answer, created_at, until, subject) VALUES ($1, $2, $3, $4, $5, $6, $7)",
		account, key, a.Request, sealed, micros(tx.now), micros(tx.now.Add(life)), a.Subject)
}

// PruneAnswers removes some that have expired, and tells how many. It crosses accounts: for upkeep alone.
func (tx *Tx) PruneAnswers(limit int) (int64, error) {
	return tx.prune(`DELETE FROM answers WHERE (account_id, once_key) IN
		(SELECT account_id, once_key FROM answers WHERE until <= $1 ORDER BY until LIMIT $2)`, micros(tx.now), limit)
}
