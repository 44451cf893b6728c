package desk

import (
	"encoding/json"
	"fmt"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// once does something that makes a record, or gives the record of the first time it was asked
// with the same key. Record and answer are kept in one transaction: whoever repeats a request whose
// answer never arrived gets the record that exists, and no second one.
func once[T any](tx *store.Tx, a lost.Actor, o lost.Once, do func() (T, error)) (T, error) {
	if o.Key == "" {
		return do()
	}
	key := store.DirectoryHash(a.ID + "\n" + o.Key) // each actor has keys of its own
	first, found, err := tx.Answer(a.Account, key)
	var v T
	switch {
	case err != nil:
		return v, err
	case found && first.Request != o.Request:
		return v, lost.E(lost.Conflict, "This Idempotency-Key was used for another request. Use a new key for each new request.")
	case found:
		return v, json.Unmarshal([]byte(first.Body), &v)
	}
	if v, err = do(); err != nil {
		return v, err
	}
	body, err := json.Marshal(v)
	if err != nil {
		return v, fmt.Errorf("keep an answer: %w", err)
	}
	return v, tx.SaveAnswer(a.Account, key, store.Answer{Request: o.Request, Body: string(body)})
}
