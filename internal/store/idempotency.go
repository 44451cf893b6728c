package store

import (
	"time"

	"homeward/internal/lost"
)

// StoredResponse is the response to the first request with an idempotency key.
type StoredResponse struct {
	Request string // digest of the request
	Body    string // encrypted in the database; empty if the guest's data was erased
	Subject string // id of the record in the body, if the record has a guest; see deletedSubject
}

// deletedSubject begins the subject of a response about a deleted item. The response is kept until it expires, because
// a repeated request must not create its item again. An erasure cannot find it by the item, so it reads it.
const deletedSubject = "deleted:"

// BulkSubject is the subject of a response about several items. An erasure reads it too.
const BulkSubject = "several"

// markResponsesDeleted marks the stored responses about items that are being deleted.
func (tx *Tx) markResponsesDeleted(account string, items []string) error {
	q := &query{}
	set := "UPDATE answers SET subject = " + q.arg(deletedSubject) + " || subject"
	q.where("account_id = " + q.arg(account))
	whereIn(q, "subject", items)
	q.where("subject <> ''")
	return tx.queue(set+q.clause(), q.args...)
}

// eraseResponses clears those stored responses about deleted or several items that mention a person.
func (tx *Tx) eraseResponses(account string, p lost.Person, keys [][]string) (e lost.Erased, err error) {
	t := responsePersonalData()
	rows, err := tx.lockPersonRows(account, t, keys)
	if err != nil {
		return e, err
	}
	for _, row := range rows {
		if row.texts[0] == "" {
			continue
		}
		body, err := tx.encrypter.decrypt(row.texts[0])
		if err != nil {
			return e, err
		}
		if removeAddress(body, p, false) == body {
			continue
		}
		if err := tx.execCounted(&e.Answers, clearResponsesUpdate+" WHERE account_id = $1 AND once_key = $2", account,
			row.key[0]); err != nil {
			return e, err
		}
	}
	return e, nil
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
