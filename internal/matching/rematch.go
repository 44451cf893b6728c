package matching

import (
	"context"
	"strconv"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/match"
	"homeward/internal/store"
)

// The steps of RematchLocation.
const (
	matchIndex   = "index"   // index all items of the location
	matchOwn     = "own"     // match its own requests
	matchSisters = "sisters" // match the requests of sister locations
)

// rematch returns the first step of a job that matches all items of a location again.
func rematch(l lost.Location, since time.Time) store.Rematch {
	return store.Rematch{Account: l.Account, Location: l.ID, Step: matchIndex, After: "0", Since: since}
}

// MatchLocationAgain adds the job that matches all items of a location again.
func (c *Matcher) MatchLocationAgain(tx *store.Tx, l lost.Location) error {
	return tx.AddRematchJob(rematch(l, tx.Now()))
}

// RematchOutdated adds jobs for at most limit locations that were indexed with older rules. It returns the number of
// these locations.
func (c *Matcher) RematchOutdated(ctx context.Context, limit int) (n int, err error) {
	err = c.db.Write(ctx, func(tx *store.Tx) error {
		outdated, err := tx.UpgradeMatchRules(match.RulesVersion, limit)
		if err != nil {
			return err
		}
		for _, l := range outdated {
			if err := c.MatchLocationAgain(tx, l); err != nil {
				return err
			}
		}
		n = len(outdated)
		return nil
	})
	c.wakeMatching()
	return n, err
}

// RematchLocation matches one batch of a location's items again after its rules have changed, and adds a job for the
// rest. Only requests are matched, against all found items, which covers every pair.
func (c *Matcher) RematchLocation(ctx context.Context, r store.Rematch) error {
	err := c.db.Write(ctx, func(tx *store.Tx) error {
		l, err := tx.Location(ctx, r.Account, r.Location)
		if err != nil {
			return lost.IgnoreNotFound(err)
		}
		const batchSize = 100
		var next string
		switch r.Step {
		case matchIndex:
			next = matchOwn
			r.After, err = indexBatch(tx, l, r.After, batchSize)
		case matchOwn:
			next = matchSisters
			r.After, err = tx.AddRequestMatchJobs(r.Account, l.OwnPool(), r.After, batchSize, r.Since)
		case matchSisters:
			r.After, err = tx.AddRequestMatchJobs(r.Account, l.SisterPool(), r.After, batchSize, r.Since)
		default:
			err = lost.E(lost.Invalid, "The job has no valid step.")
		}
		if err == nil && r.After == "" {
			r.Step = next
		}
		if err != nil || r.Step == "" {
			return err
		}
		return tx.AddRematchJob(r)
	})
	c.wakeMatching()
	return err
}

// indexBatch indexes the next items of a location, and returns the position of the last one, or an empty string if
// there are no more.
func indexBatch(tx *store.Tx, l lost.Location, after string, limit int) (last string, err error) {
	seen, err := strconv.ParseInt(after, 10, 64)
	if err != nil {
		return "", lost.E(lost.Invalid, "The job has no valid position.").WithCause(err)
	}
	items, seen, err := tx.LockItemsAfter(l.Account, l.ID, seen, limit)
	if err != nil || len(items) == 0 {
		return "", err
	}
	var subjects []store.MatchSubject
	for _, i := range items {
		if i.Matchable() {
			subjects = append(subjects, subjectOf(i, l.Pool()).indexed())
		}
	}
	if err := tx.RefreshSearchTexts(items); err != nil {
		return "", err
	}
	return strconv.FormatInt(seen, 10), tx.Index(l.Account, subjects...)
}
