package desk

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// once does something that makes a record, or gives the record of the first time it was asked
// with the same key. Record and answer are kept in one transaction: whoever repeats a request whose
// answer never arrived gets the record that exists, and no second one.
func once[T any](tx *store.Tx, a lost.Actor, o lost.IdempotencyKey, do func() (T, error)) (T, error) {
	if o.Key == "" {
		return do()
	}
	if v, found, err := recallIn[T](tx, a, o); found || err != nil {
		return v, err
	}
	v, err := do()
	if err != nil {
		return v, err
	}
	kept, life := keptAnswer(v, o)
	body, err := json.Marshal(kept)
	if err != nil {
		return v, fmt.Errorf("keep an answer: %w", err)
	}
	return v, tx.SaveAnswer(a.Account, onceKey(a, o), store.Answer{Request: o.Request, Body: string(body), Subject: tellsOf(kept)}, life)
}

// keptAnswer is what is kept of an answer, and for how long. Of what a person's form made it is only which it is, and nothing that is said of it or of
// its owner: it may outlive the record.
func keptAnswer(v any, o lost.IdempotencyKey) (kept any, life time.Duration) {
	if i, is := v.(lost.Item); is && o.Form {
		return lost.Item{Account: i.Account, ID: i.ID, LocationID: i.LocationID, Reference: i.Reference, Source: i.Source}, store.FormLife
	}
	return v, store.AnswerLife
}

// tellsOf is which item, or event of one, an answer tells of with its guest; empty for others.
func tellsOf(kept any) string {
	switch v := kept.(type) {
	case lost.Item:
		if v.Description != "" { // else it says only which it is
			return v.ID
		}
	case lost.Message:
		return v.ItemID
	case lost.Delivery: // a receiver's answer may name anybody
		return v.EventID
	}
	return ""
}

func onceKey(a lost.Actor, o lost.IdempotencyKey) string {
	return store.DirectoryHash(a.ID + "\n" + o.Key)
} // each actor has keys of its own

// recallIn gives the record of the first time, if there was one.
func recallIn[T any](tx *store.Tx, a lost.Actor, o lost.IdempotencyKey) (v T, found bool, err error) {
	first, found, err := tx.Answer(a.Account, onceKey(a, o))
	switch {
	case err != nil || !found:
		return v, false, err
	case first.Request != o.Request && o.Form:
		return v, true, lost.E(lost.Conflict, "This form was sent before with other words, and what it made then is there. Open the form anew to make another.")
	case first.Request != o.Request:
		return v, true, lost.E(lost.Conflict, "This Idempotency-Key was used for another request. Use a new key for each new request.")
	case first.Body == "":
		return v, true, lost.E(lost.Conflict, "This was done before, and what was kept of it is erased with its guest's data. Nothing was made again.")
	default:
		return v, true, json.Unmarshal([]byte(first.Body), &v)
	}
}

// recall gives the record of the first time before anything is done outside a transaction.
func recall[T any](ctx context.Context, d *Desk, a lost.Actor, o lost.IdempotencyKey) (v T, found bool, err error) {
	if o.Key == "" {
		return v, false, nil
	}
	err = d.db.Write(ctx, func(tx *store.Tx) error {
		v, found, err = recallIn[T](tx, a, o)
		return err
	})
	return v, found, err
}

// RecordedOnce gives the find that a key was first used for, whatever was said of it then. It is missing where there was none, or where it
// is gone.
func (d *Desk) RecordedOnce(ctx context.Context, a lost.Actor, location string, o lost.IdempotencyKey) (lost.Item, error) {
	var first lost.Item
	err := d.db.Write(ctx, func(tx *store.Tx) error {
		kept, found, err := tx.Answer(a.Account, onceKey(a, o))
		if err != nil {
			return err
		}
		if !found {
			return lost.Missing("item")
		}
		return json.Unmarshal([]byte(kept.Body), &first)
	})
	if err != nil {
		return lost.Item{}, err
	}
	return d.Recorded(ctx, a, location, first.ID)
}
