package identity

import (
	"context"
	"encoding/json"
	"fmt"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// saveChallenge saves a challenge under the name that its answer will have.
func saveChallenge(tx *store.Tx, kind lost.ChallengeKind, u lost.User, name string, against any) error {
	data, err := json.Marshal(against)
	if err != nil {
		return fmt.Errorf("keep a challenge: %w", err)
	}
	return tx.InsertChallenge(lost.NewChallenge(kind, u, string(data), tx.Now()), store.DirectoryHash(name))
}

// takeChallenge gives and deletes the challenge of an answer. It is deleted whether the answer turns out to be right or
// not.
func takeChallenge(ctx context.Context, db *store.DB, kind lost.ChallengeKind, u lost.User, name string,
	against any) error {
	var c lost.Challenge
	err := db.Write(ctx, func(tx *store.Tx) (err error) {
		c, err = tx.TakeChallenge(kind, store.DirectoryHash(name))
		return err
	})
	if lost.CodeOf(err) == lost.NotFound || err == nil && (c.Account != u.Account || c.UserID != u.ID) {
		return lost.E(lost.Gone, "That took too long or was already used. Start again.")
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(c.Data), against); err != nil {
		return fmt.Errorf("read a challenge: %w", err)
	}
	return nil
}
