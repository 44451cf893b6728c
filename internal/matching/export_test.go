package matching

import (
	"context"

	"homeward/internal/lost"
)

// MatchHalfway searches for matches of an item, but saves the result only when the caller calls finish.
func MatchHalfway(ctx context.Context, d *Matcher,
	account, id string) (finish func() (again bool, err error), err error) {
	s, _, _, err := d.index(ctx, account, id)
	if err != nil {
		return nil, err
	}
	matches, err := d.rank(ctx, s)
	return func() (bool, error) { return d.suggest(ctx, s, matches) }, err
}

// TermsOf returns the terms under which an item is indexed.
func TermsOf(i lost.Item) []string { return subjectOf(i, "").terms }
