package store

import (
	"time"
)

// StoredResponse is the response to the first request with an idempotency key.
type Answer struct {
	Request string // digest of the request
	Body    string // encrypted in the database; empty if the guest's data was erased
	Subject string // id of the record that it describes, if that has a guest
}

// How long a request can be repeated: by a program, and with a form, which may wait on a phone for a connection.
const (
	AnswerLife = 24 * time.Hour
	FormLife   = 90 * 24 * time.Hour
)

// FindResponse returns the response stored under a key, unless it has expired.
func (tx *Tx) Answer(account, key string) (Answer, bool, error) {
	rs, err := tx.h.Query(tx.ctx,
		"SELECT request, answer FROM answers WHERE account_id = $1 AND once_key = $2 AND until > $3",
		account, key, micros(tx.now))
	return one(rs, err, func(rs rows) (a Answer, err error) {
		if err = rs.Scan(&a.Request, &a.Body); err == nil && a.Body != "" {
			a.Body, err = tx.encrypter.decrypt(a.Body)
		}
		return a, err
	})
}

// SaveResponse stores a response for requests that are repeated. Of two concurrent requests, the second runs again and
// finds the response of the first.
func (tx *Tx) SaveAnswer(account, key string, a Answer, life time.Duration) error {
	encrypted, err := tx.encrypter.encrypt(a.Body)
	if err != nil {
		return err
	}
	if err := tx.later("DELETE FROM answers WHERE account_id = $1 AND once_key = $2 AND until <= $3", account, key,
		micros(tx.now)); err != nil {
		return err
	}
	return tx.later("INSERT INTO answers (account_id, once_key, request, answer, created_at, until, subject) VALUES "+
		"($1, $2, $3, $4, $5, $6, $7)",
		account, key, a.Request, encrypted, micros(tx.now), micros(tx.now.Add(life)), a.Subject)
}

// PruneResponses deletes at most limit expired responses and returns how many. It crosses accounts: only cleanup uses
// it.
func (tx *Tx) PruneAnswers(limit int) (int64, error) {
	return tx.prune(`DELETE FROM answers WHERE (account_id, once_key) IN
		(SELECT account_id, once_key FROM answers WHERE until <= $1 ORDER BY until LIMIT $2)`, micros(tx.now), limit)
}
