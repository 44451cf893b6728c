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
	matchIndex   = "index"   // first all items of the location are indexed
	matchOwn     = "own"     // then its own requests are matched
	matchSisters = "sisters" // and then those of sister locations
)

// rematch is the first step of matching all items of a location again.
func rematch(l lost.Location, since time.Time) store.Rematch {
	return store.Rematch{Account: l.Account, Location: l.ID, Step: matchIndex, After: "0", Since: since}
}

// MatchLocationAgain adds the job that matches all items of a location again.
func (c *Matcher) MatchLocationAgain(tx *store.Tx, l lost.Location) error {
	return tx.AddRematchJob(rematch(l, tx.Now()))
}

// RematchOutdated adds jobs for locations whose items were indexed by older rules, some at a time. It tells how many
// there were.
func (c *Matcher) RematchOutdated(ctx context.Context, some int) (many int, err error) {
	err = c.db.Write(ctx, func(tx *store.Tx) error {
		outdated, err := tx.UpgradeMatchRules(match.Rules, some)
		if err != nil {
			return err
		}
		for _, l := range outdated {
			if err := c.MatchLocationAgain(tx, l); err != nil {
				return err
			}
		}
		many = len(outdated)
		return nil
	})
	c.wakeMatching()
	return many, err
}

// RematchLocation does one piece of matching all items of a location again, because they are compared with other items
// than before, and adds a job for the rest. In the end only requests are matched, with all found items: that covers
// every pair.
func (c *Matcher) RematchLocation(ctx context.Context, r store.Rematch) error {
	err := c.db.Write(ctx, func(tx *store.Tx) error {
		l, err := tx.Location(ctx, r.Account, r.Location)
		if err != nil {
			return lost.IgnoreNotFound(err)
		}
		const some = 100
		var next string
		switch r.Step {
		case matchIndex:
			next = matchOwn
			r.After, err = indexSome(tx, l, r.After, some)
		case matchOwn:
			next = matchSisters
			r.After, err = tx.AddRequestMatchJobs(r.Account, l.OwnPool(), r.After, some, r.Since)
		case matchSisters:
			r.After, err = tx.AddRequestMatchJobs(r.Account, l.SisterPool(), r.After, some, r.Since)
		default:
			err = lost.E(lost.Invalid, "The job names no step.")
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

// indexSome indexes some items of a location, and gives the position of the last one; empty if there are no more.
func indexSome(tx *store.Tx, l lost.Location, after string, some int) (last string, err error) {
	seen, err := strconv.ParseInt(after, 10, 64)
	if err != nil {
		return "", lost.E(lost.Invalid, "The job names no item.").WithCause(err)
	}
	items, seen, err := tx.LockItemsAfter(l.Account, l.ID, seen, some)
	if err != nil || len(items) == 0 {
		return "", err
	}
	var subjects []store.MatchSubject
	for _, i := range items {
		if i.Matchable() {
			subjects = append(subjects, subjectOf(i, l.Pool()).indexed())
		}
	}
	return strconv.FormatInt(seen, 10), tx.Index(l.Account, subjects...)
}
