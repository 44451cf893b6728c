package access

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// CreateOnce creates a record, or gives the record that was created when the same idempotency key was first used.
// Record and answer are saved in one transaction: a client that repeats a request because the answer never arrived gets
// the existing record and does not create a second one.
func CreateOnce[T any](tx *store.Tx, a lost.Actor, o lost.IdempotencyKey, create func() (T, error)) (T, error) {
	if o.Key == "" {
		return create()
	}
	if v, found, err := recallIn[T](tx, a, o); found || err != nil {
		return v, err
	}
	v, err := create()
	if err != nil {
		return v, err
	}
	saved, life := savedAnswer(v, o)
	body, err := json.Marshal(saved)
	if err != nil {
		return v, fmt.Errorf("save the answer of an idempotency key: %w", err)
	}
	answer := store.StoredResponse{Request: o.Request, Body: string(body), Subject: subjectOf(saved)}
	return v, tx.SaveResponse(a.Account, IdempotencyHash(a, o), answer, life)
}

// savedAnswer is what is saved of an answer, and for how long. Of a record that a person's form created, only the ids
// are saved and nothing about the item or its owner: the answer may outlive the record.
func savedAnswer(v any, o lost.IdempotencyKey) (saved any, life time.Duration) {
	if i, is := v.(lost.Item); is && o.Form {
		ids := lost.Item{
			Account: i.Account, ID: i.ID, LocationID: i.LocationID, Reference: i.Reference, Source: i.Source,
		}
		return ids, store.FormLifetime
	}
	return v, store.ResponseLifetime
}

// subjectOf is the id of the item, or of its event, whose guest an answer names. It is empty for other answers.
func subjectOf(saved any) string {
	switch v := saved.(type) {
	case lost.Item:
		if v.Description != "" { // otherwise it has only ids
			return v.ID
		}
	case lost.Message:
		return v.ItemID
	case lost.Delivery: // a receiver's response may name anybody
		return v.EventID
	}
	return ""
}

// IdempotencyHash is the name under which an answer is stored. Each actor has keys of its own.
func IdempotencyHash(a lost.Actor, o lost.IdempotencyKey) string {
	return store.DirectoryHash(a.ID + "\n" + o.Key)
}

// recallIn gives the record for which a key was first used, if there is one.
func recallIn[T any](tx *store.Tx, a lost.Actor, o lost.IdempotencyKey) (v T, found bool, err error) {
	first, found, err := tx.FindResponse(a.Account, IdempotencyHash(a, o))
	switch {
	case err != nil || !found:
		return v, false, err
	case first.Request != o.Request && o.Form:
		return v, true, lost.E(lost.Conflict,
			"This form was already sent with other content, which was saved. Open the form again to send another.")
	case first.Request != o.Request:
		return v, true, lost.E(lost.Conflict,
			"This Idempotency-Key was used for another request. Use a new key for each new request.")
	case first.Body == "":
		return v, true, lost.E(lost.Conflict,
			"This was done before, and its answer was erased with the guest's data. Nothing was created again.")
	default:
		return v, true, json.Unmarshal([]byte(first.Body), &v)
	}
}

// Recall gives the record for which a key was first used. Use cases that act outside a transaction ask it first.
func Recall[T any](
	ctx context.Context, db *store.DB, a lost.Actor, o lost.IdempotencyKey,
) (v T, found bool, err error) {
	if o.Key == "" {
		return v, false, nil
	}
	err = db.Write(ctx, func(tx *store.Tx) error {
		v, found, err = recallIn[T](tx, a, o)
		return err
	})
	return v, found, err
}
