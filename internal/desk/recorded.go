package desk

import (
	"context"
	"encoding/json"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// RecordedOnce gives the find that a key was first used for, whatever was said of it then. It is missing where there
// was none, or where it is gone.
func (s *Items) RecordedOnce(ctx context.Context, a lost.Actor, location string,
	o lost.IdempotencyKey) (lost.Item, error) {
	var first lost.Item
	err := s.db.Write(ctx, func(tx *store.Tx) error {
		kept, found, err := tx.Answer(a.Account, access.IdempotencyHash(a, o))
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
	return s.Recorded(ctx, a, location, first.ID)
}

// Recorded gives a find to whoever may see it: those who may look, and who recorded it.
func (s *Items) Recorded(ctx context.Context, a lost.Actor, location, id string) (lost.Item, error) {
	if err := access.Reach(a, location, "item"); err != nil {
		return lost.Item{}, err
	}
	if err := s.mineOrSeen(ctx, a, id); err != nil {
		return lost.Item{}, err
	}
	return s.db.Item(ctx, a.Account, location, id)
}

// mineOrSeen is nil for an actor who may look, or who recorded an item: others are shown nothing but what they
// recorded.
func (s *Items) mineOrSeen(ctx context.Context, a lost.Actor, item string) error {
	if a.May(lost.Look) == nil {
		return nil
	}
	mine, err := s.db.RecordedBy(ctx, a, item)
	if err == nil && !mine {
		err = lost.Missing("item")
	}
	return err
}
