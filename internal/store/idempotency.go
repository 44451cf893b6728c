package store

import (
	"time"
)

// StoredResponse is the response to the first request with an idempotency key.
type StoredResponse struct {
	Request string // digest of the request
	Body    string // encrypted in the database; empty if the guest's data was erased
	Subject string // id of the record in the body, if the record has a guest
}

// How long responses are stored for repeated requests from API clients, and from forms, which may
// wait on a phone for a connection.
const (
	ResponseLifetime = 24 * time.Hour
	FormLifetime     = 90 * 24 * time.Hour
)

// FindResponse returns the response stored under a key. It returns false if there is none or it has
// expired.
func (tx *Tx) FindResponse(account, key string) (StoredResponse, bool, error) {
	rs, err := tx.h.Query(tx.ctx,
		"SELECT request, answer FROM answers WHERE account_id = $1 AND once_key = $2 AND until > $3",
		account, key, micros(tx.now))
	return firstRow(rs, err, func(rs rows) (a StoredResponse, err error) {
		if err = rs.Scan(&a.Request, &a.Body); err == nil && a.Body != "" {
			a.Body, err = tx.encrypter.decrypt(a.Body)
		}
		return a, err
	})
}

// SaveResponse stores a response for repeated requests. If two requests with the same key run at
// once, the second is retried and finds the first one's response.
func (tx *Tx) SaveResponse(account, key string, a StoredResponse, lifetime time.Duration) error {
	encrypted, err := tx.encrypter.encrypt(a.Body)
	if err != nil {
		return err
	}
	if err := tx.queue("DELETE FROM answers WHERE account_id = $1 AND once_key = $2 AND until <= $3", account, key,
		micros(tx.now)); err != nil {
		return err
	}
	return tx.queue("INSERT INTO answers (account_id, once_key, request, answer, created_at, until, subject) VALUES "+
		"($1, $2, $3, $4, $5, $6, $7)",
		account, key, a.Request, encrypted, micros(tx.now), micros(tx.now.Add(lifetime)), a.Subject)
}

// PruneResponses deletes at most limit expired responses and returns the number deleted. It works
// across all accounts; only cleanup uses it.
func (tx *Tx) PruneResponses(limit int) (int64, error) {
	return tx.deleteOld(`DELETE FROM answers WHERE (account_id, once_key) IN
		(SELECT account_id, once_key FROM answers WHERE until <= $1 ORDER BY until LIMIT $2)`, micros(tx.now), limit)
}
