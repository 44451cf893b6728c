package matching

import (
	"context"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// Outcomes reports how often suggestions were right, from the desk's decisions about them.
type Outcomes struct{ db *store.DB }

// NewOutcomes returns new Outcomes.
func NewOutcomes(db *store.DB) *Outcomes { return &Outcomes{db: db} }

// Report returns how many suggestions of the actor's account were accepted and rejected, the most likely first.
func (o *Outcomes) Report(ctx context.Context, a lost.Actor) ([]lost.MatchOutcome, error) {
	if err := access.MayView(a, "", "report"); err != nil {
		return nil, err
	}
	return o.db.MatchReport(ctx, a.Account)
}
