package desk

import (
	"context"
	"encoding/json"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// GetByIdempotencyKey returns the item that was created when an idempotency key was first used. It does not check
// that the request is the same. The error is NotFound if the key is unknown or the item was deleted.
func (s *Items) GetByIdempotencyKey(ctx context.Context, a lost.Actor, location string,
	o lost.IdempotencyKey) (lost.Item, error) {
	var first lost.Item
	err := s.db.Write(ctx, func(tx *store.Tx) error {
		response, found, err := tx.FindResponse(a.Account, access.IdempotencyHash(a, o))
		if err != nil {
			return err
		}
		if !found {
			return lost.Missing("item")
		}
		return json.Unmarshal([]byte(response.Body), &first)
	})
	if err != nil {
		return lost.Item{}, err
	}
	return s.GetRecorded(ctx, a, location, first.ID)
}

// GetRecorded returns an item to actors who may view items, and to the actor who recorded it.
func (s *Items) GetRecorded(ctx context.Context, a lost.Actor, location, id string) (lost.Item, error) {
	if err := access.CheckAccess(a, location, "item"); err != nil {
		return lost.Item{}, err
	}
	if err := s.mayRead(ctx, a, id); err != nil {
		return lost.Item{}, err
	}
	return s.db.Item(ctx, a.Account, location, id)
}

// mayRead returns an error unless the actor may view items or recorded this item.
func (s *Items) mayRead(ctx context.Context, a lost.Actor, item string) error {
	if a.May(lost.ViewItems) == nil {
		return nil
	}
	mine, err := s.db.IsRecordedBy(ctx, a, item)
	if err == nil && !mine {
		err = lost.Missing("item")
	}
	return err
}
