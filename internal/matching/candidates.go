package matching

import (
	"context"
	"math"
	"slices"

	"homeward/internal/lost"
	"homeward/internal/lost/match"
	"homeward/internal/store"
)

// candidates are the rows that a search ranks.
type candidates struct {
	db         *store.DB
	account    string
	only       []string
	filter     lost.ItemFilter
	items      int // number of items in the account, roughly
	places     usualPlaces
	rows       map[int64]store.SearchRow
	statements int
	more       bool // whether there are more rows than a statement may return or test
}

// read reads rows that match all groups and, if there are only a few, rows that match some of them.
func (c *candidates) read(ctx context.Context, s searchPlan) error {
	known := slices.DeleteFunc(slices.Clone(s.groups), func(g match.Group) bool { return g.Share == 0 })
	unknown := len(s.groups) - len(known) // words that the vocabulary lacks are in few rows, if in any
	var typed []match.Group
	if unknown == 0 {
		typed = s.typed
	}
	if err := c.findExactFirst(ctx, known, typed); err != nil {
		return err
	}
	if err := c.findAtUsualPlaces(ctx, s.groups, false); err != nil {
		return err
	}
	var tries [][]match.Group
	for _, g := range s.groups {
		if short := shortPhrases(g); len(short.Phrases) > 0 && len(short.Phrases) < len(g.Phrases) {
			tries = append(tries, []match.Group{short}) // synonyms that the text index does not find
		}
	}
	for n := range min(unknown, maxUnknown) {
		tries = append(tries, s.groups[n:n+1])
	}
	if err := c.findEach(ctx, math.MaxInt, tries); err != nil {
		return err
	}
	if err := c.findEach(ctx, enoughFound, c.partialSearches(known)); err != nil {
		return err
	}
	if len(c.rows) < fewFound {
		if err := c.findAtUsualPlaces(ctx, s.groups, true); err != nil {
			return err
		}
	}
	tries = nil
	for n := range s.unknown {
		tries = append(tries, s.unknown[n:n+1])
	}
	return c.findEach(ctx, fewFound, tries)
}

// findExactFirst reads rows that match all groups. Those with the words as typed come first, so they are read first if
// they are common. Otherwise one statement most likely reads both.
func (c *candidates) findExactFirst(ctx context.Context, known, typed []match.Group) error {
	if countPhrases(typed) == countPhrases(known) { // the words have no synonyms
		typed = nil
	}
	const spare = 2 // words are not spread evenly
	if len(typed) > 0 && shareOf(typed)*float64(min(c.items, store.MaxTested)) > spare*maxFound {
		if filled, err := c.find(ctx, maxFound, typed...); err != nil || filled {
			return err
		}
		typed = nil
	}
	limit := maxFound
	if len(typed) > 0 {
		limit *= spare
	}
	filled, err := c.find(ctx, limit, known...)
	if err != nil || !filled {
		return err
	}
	_, err = c.find(ctx, maxFound, typed...)
	return err
}

func countPhrases(groups []match.Group) (n int) {
	for _, g := range groups {
		n += len(g.Phrases)
	}
	return n
}

// findEach reads rows for each of several lists of groups, until there are enough.
func (c *candidates) findEach(ctx context.Context, enough int, tries [][]match.Group) error {
	for _, groups := range tries {
		if len(c.rows) >= enough {
			return nil
		}
		if _, err := c.find(ctx, maxFound, groups...); err != nil {
			return err
		}
	}
	return nil
}

// partialSearches returns what to look for in order to find rows that match some of the groups: rows with a rare word,
// rows without one of the words, and then rows with one of them.
func (c *candidates) partialSearches(groups []match.Group) (tries [][]match.Group) {
	if len(groups) < 2 {
		return nil
	}
	const most = 3 // the rarest groups, of which most should match
	groups = groups[:min(len(groups), most)]
	without := func(n int) []match.Group { return slices.Delete(slices.Clone(groups), n, n+1) }
	if groups[0].Share*float64(c.items) < rareRows {
		tries = append(tries, groups[:1], without(0))
	} else {
		for n := len(groups) - 1; n >= 0 && len(groups) > 2; n-- {
			tries = append(tries, without(n))
		}
	}
	const rare = 0.02 // the newest of many items with one word are hardly what somebody wants
	for n, g := range groups {
		if g.Share <= rare || g.Share*float64(c.items) < rareRows {
			tries = append(tries, groups[n:n+1])
		}
	}
	return tries
}

// find adds the newest rows that match all of the groups. It reports whether there are more than limit.
func (c *candidates) find(ctx context.Context, limit int, groups ...match.Group) (filled bool, err error) {
	if len(groups) == 0 {
		return false, nil
	}
	return c.add(ctx, c.only, store.TextSearch{
		Groups: phrasesOf(groups), Limit: limit + 1, Lookup: lookups(groups, c.items),
		Newest: needNewest(groups, c.items, limit), Tested: tested(groups, limit),
	})
}

// add adds the rows that a statement finds. It reports whether there are more.
func (c *candidates) add(ctx context.Context, only []string, s store.TextSearch) (filled bool, err error) {
	if c.statements == maxStatements {
		return false, nil
	}
	c.statements++
	found, err := c.db.SearchRows(ctx, c.account, only, c.filter, s)
	filled = len(found.Rows) == s.Limit
	c.more = c.more || filled || found.Partial
	for _, row := range found.Rows[:min(len(found.Rows), s.Limit-1)] {
		c.rows[row.Number] = row
	}
	return filled, err
}

func phrasesOf(groups []match.Group) (all [][]store.TextPhrase) {
	for _, g := range groups {
		var phrases []store.TextPhrase
		for _, p := range g.Phrases {
			phrases = append(phrases, store.TextPhrase{Text: p.Text, Trigrams: p.Trigrams})
		}
		all = append(all, phrases)
	}
	return all
}

// lookups returns how many of the groups, the rarest first, are looked up in the text index: none if the newest rows
// contain enough that match all groups, one if it finds only a few rows, and otherwise several.
func lookups(groups []match.Group, items int) int {
	const enough, few, several = 20, 3000, 4
	switch {
	case len(groups) == 0:
		return 0
	case shareOf(groups)*store.MaxTested >= enough && items > store.MaxTested:
		return 0
	case len(groups) == 1 || groups[0].Indexed*float64(items) <= few:
		return 1
	default:
		return min(several, len(groups))
	}
}

// tested returns how many of the newest rows are tested: enough to find limit rows, unless that would take too long.
func tested(groups []match.Group, limit int) int {
	const spare = 2 // words are not spread evenly
	return int(min(store.MaxTested, spare*float64(limit+1)/shareOf(groups)))
}

// shareOf estimates the share of rows that match all groups.
func shareOf(groups []match.Group) float64 {
	share := 1.0
	for _, g := range groups {
		share *= g.Share
	}
	return share
}

// needNewest reports whether the text index would return too many rows: if a rare word is too short for the index, and
// the other words are common.
func needNewest(groups []match.Group, items, limit int) bool {
	found, short := float64(items), 1.0
	for _, g := range groups {
		if len(shortPhrases(g).Phrases) == len(g.Phrases) {
			short *= g.Share
		} else {
			found *= g.Share
		}
	}
	read := found // until there are enough with the short words
	if short > 0 {
		read = min(found, float64(limit)/short)
	}
	return short < 1 && read > store.MaxTested
}

// shortPhrases returns the phrases of a group that are too short for the text index. How many rows have them is not
// known.
func shortPhrases(g match.Group) (short match.Group) {
	for _, p := range g.Phrases {
		if len(p.Trigrams) == 0 {
			short.Phrases = append(short.Phrases, p)
		}
	}
	return short
}
