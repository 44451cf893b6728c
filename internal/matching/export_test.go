package matching

import (
	"context"

	"homeward/internal/lost"
)

// MatchHalfway searches for what an item may be matched with, and lets the caller decide when the result is saved.
func MatchHalfway(ctx context.Context, d *Matcher,
	account, id string) (finish func() (again bool, err error), err error) {
	s, _, _, err := d.index(ctx, account, id)
	if err != nil {
		return nil, err
	}
	matches, err := d.rank(ctx, s)
	return func() (bool, error) { return d.suggest(ctx, s, matches) }, err
}

// TermsOf gives the terms by which an item is found.
func TermsOf(i lost.Item) []string { return subjectOf(i, "").terms }
