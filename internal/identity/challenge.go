package identity

import (
	"context"
	"encoding/json"
	"fmt"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// saveChallenge saves a challenge under a name. The response to the challenge contains the same name.
func saveChallenge(tx *store.Tx, kind lost.ChallengeKind, u lost.User, name string, data any) error {
	text, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("encode a challenge: %w", err)
	}
	return tx.InsertChallenge(lost.NewChallenge(kind, u, string(text), tx.Now()), store.DirectoryHash(name))
}

// takeChallenge deletes the challenge with the given name and decodes it into data. Each challenge can be used only
// once, even if the response turns out to be invalid.
func takeChallenge(ctx context.Context, db *store.DB, kind lost.ChallengeKind, u lost.User, name string,
	data any) error {
	var c lost.Challenge
	err := db.Write(ctx, func(tx *store.Tx) (err error) {
		c, err = tx.ConsumeChallenge(kind, store.DirectoryHash(name))
		return err
	})
	if lost.CodeOf(err) == lost.NotFound || err == nil && (c.Account != u.Account || c.UserID != u.ID) {
		return lost.E(lost.Gone, "This attempt has expired or was already used. Start again.")
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(c.Data), data); err != nil {
		return fmt.Errorf("read a challenge: %w", err)
	}
	return nil
}
