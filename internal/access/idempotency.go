package access

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// CreateOnce creates a record, or returns the record that was created when the same idempotency key was first used.
// The record and the response are saved in one transaction: a client that retries because it never received the
// response gets the existing record and does not create a second one.
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
	saved, life := responseToSave(v, o)
	body, err := json.Marshal(saved)
	if err != nil {
		return v, fmt.Errorf("save the response of an idempotency key: %w", err)
	}
	response := store.StoredResponse{Request: o.Request, Body: string(body), Subject: subjectOf(saved)}
	return v, tx.SaveResponse(a.Account, IdempotencyHash(a, o), response, life)
}

// responseToSave returns the part of a response that is saved, and for how long. For a form it keeps only the ids,
// and nothing about the item or its owner, because the response may outlive the record.
func responseToSave(v any, o lost.IdempotencyKey) (saved any, life time.Duration) {
	if i, is := v.(lost.Item); is && o.Form {
		ids := lost.Item{
			Account: i.Account, ID: i.ID, LocationID: i.LocationID, Reference: i.Reference, Source: i.Source,
		}
		return ids, store.FormLifetime
	}
	return v, store.ResponseLifetime
}

// subjectOf returns the id of the item or event whose guest a response may name. It is empty for other responses.
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

// IdempotencyHash returns the key under which a response is stored. Each actor has a separate namespace.
func IdempotencyHash(a lost.Actor, o lost.IdempotencyKey) string {
	return store.DirectoryHash(a.ID + "\n" + o.Key)
}

// recallIn returns the record that was created when a key was first used, if there is one.
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
			"This request was already processed. Its response was erased with the guest's data.")
	default:
		return v, true, json.Unmarshal([]byte(first.Body), &v)
	}
}

// FindCreated returns the record that was created when a key was first used. Use cases that act outside a transaction
// call it first.
func FindCreated[T any](
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
