package matching

import (
	"context"

	"homeward/internal/lost"
)

// MatchHalfway looks for what an item may be matched with, and leaves it to the caller when that is written down.
func MatchHalfway(ctx context.Context, d *Matcher,
	account, id string) (finish func() (again bool, err error), err error) {
	s, _, _, err := d.index(ctx, account, id)
	if err != nil {
		return nil, err
	}
	matches, err := d.rank(ctx, s)
	return func() (bool, error) { return d.suggest(ctx, s, matches) }, err
}

// TermsOf gives what an item is found by.
func TermsOf(i lost.Item) []string { return subjectOf(i, "").terms }
