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
// The record and the response are saved in one transaction. A client that retries because it did not receive the
// response gets the existing record, and no second record is created.
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
		return v, fmt.Errorf("encode the response for an idempotency key: %w", err)
	}
	response := store.StoredResponse{Request: o.Request, Body: string(body), Subject: subjectOf(saved)}
	return v, tx.SaveResponse(a.Account, IdempotencyHash(a, o), response, life)
}

// responseToSave returns the part of a response that is saved, and how long it is saved. A form's response is saved
// longer than an API response and may outlive the item. Only its ids are saved, not the description of the item or the
// owner's data.
func responseToSave(v any, o lost.IdempotencyKey) (saved any, life time.Duration) {
	if i, is := v.(lost.Item); is && o.Form {
		ids := lost.Item{
			Account: i.Account, ID: i.ID, LocationID: i.LocationID, Reference: i.Reference, Source: i.Source,
		}
		return ids, store.FormLifetime
	}
	return v, store.ResponseLifetime
}

// subjectOf returns the id of the item or event if a response may contain a guest's data. Otherwise it returns "".
func subjectOf(saved any) string {
	switch v := saved.(type) {
	case lost.Item:
		if v.Description != "" { // otherwise the saved item has only ids
			return v.ID
		}
	case lost.BulkResults:
		return store.BulkSubject
	case lost.Message:
		return v.ItemID
	case lost.ThreadMessage:
		return v.ItemID
	case lost.Delivery: // the saved response of a webhook receiver may name a guest
		return v.EventID
	}
	return ""
}

// IdempotencyHash returns the hash under which a response is stored. Different actors can use the same idempotency
// key independently.
func IdempotencyHash(a lost.Actor, o lost.IdempotencyKey) string {
	return store.DirectoryHash(a.ID + "\n" + o.Key)
}

// recallIn returns the record that was created when an idempotency key was first used, if there is one.
func recallIn[T any](tx *store.Tx, a lost.Actor, o lost.IdempotencyKey) (v T, found bool, err error) {
	first, found, err := tx.FindResponse(a.Account, IdempotencyHash(a, o))
	switch {
	case err != nil || !found:
		return v, false, err
	case first.Request != o.Request && o.Form:
		return v, true, lost.E(lost.Conflict,
			"This form was already submitted with different content, which was saved. Open a new form.")
	case first.Request != o.Request:
		return v, true, lost.E(lost.IdempotencyMismatch,
			"This Idempotency-Key was used for another request. Use a new key for each new request.")
	case first.Body == "":
		return v, true, lost.E(lost.ResponseGone,
			"This request was already processed. Its response was erased with the guest's data.")
	default:
		return v, true, json.Unmarshal([]byte(first.Body), &v)
	}
}

// FindCreated returns the record that was created when an idempotency key was first used, if there is one. Use cases
// that do work outside a transaction call it before that work.
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
