package matching

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"sync"

	"homeward/internal/lost"
	"homeward/internal/lost/match"
	"homeward/internal/store"
)

// Limits of one search. They bound the rows that are read and ranked, at every size of an account.
const (
	maxFound      = 150 // rows of one statement
	maxUnknown    = 3   // words that the vocabulary lacks
	maxStatements = 8
	maxRanked     = 500
	rareRows      = 1000 // a word is rare if it is in fewer rows
	fewFound      = 10   // then words are looked up that the vocabulary lacks
	enoughFound   = 40   // then rows are not read that match only some of the words
)

// Searcher finds items by words that may be misspelled, in another language, or only similar.
type Searcher struct {
	db           *store.DB
	vocabularies vocabularies
}

// NewSearcher creates a Searcher.
func NewSearcher(db *store.DB) *Searcher { return &Searcher{db: db} }

// ranked is a row that was found, with its rank.
type ranked struct {
	store.SearchRow
	match.Rank
}

// List returns a page of the items that a query finds, best first. If only is not nil, it contains the ids of the
// locations.
func (s *Searcher) List(ctx context.Context, account string, only []string,
	f lost.ItemFilter) (lost.List[lost.Item], error) {
	list := lost.List[lost.Item]{Page: f.Page, Ranked: f.Query != "", Capped: true}
	found, more, err := s.find(ctx, account, only, f)
	if err != nil {
		return list, err
	}
	list.Total = lost.Total{Count: len(found), AtLeast: more}
	for _, r := range found {
		if r.Exact {
			list.Exact++
		}
	}
	begin := min(f.Page.Offset(), len(found))
	list.Data, err = s.items(ctx, account, found[begin:min(begin+f.Page.Limit, len(found))])
	return list, err
}

func (s *Searcher) items(ctx context.Context, account string, found []ranked) ([]lost.Item, error) {
	rows := make([]store.SearchRow, len(found))
	for n, r := range found {
		rows[n] = r.SearchRow
	}
	return s.db.RankedItems(ctx, account, rows)
}

// find returns the rows that a query finds, best first, and whether there may be more.
func (s *Searcher) find(ctx context.Context, account string, only []string,
	f lost.ItemFilter) (found []ranked, more bool, err error) {
	query := match.ReadQuery(store.Fold(strings.Join([]string{f.Query, f.Color, f.Place, f.Owner}, " ")),
		referenceSpellings)
	if query.Empty() {
		return nil, false, nil
	}
	v, err := s.vocabularies.get(ctx, s.db, account)
	if err != nil {
		return nil, false, err
	}
	plan := v.plan(query)
	c := candidates{
		db: s.db, account: account, only: only, filter: f, items: plan.items, rows: map[int64]store.SearchRow{},
	}
	if err := c.read(ctx, plan); err != nil {
		return nil, false, err
	}
	tests := fieldTests(f)
	if f.Query != "" && len(tests) > 0 { // the words of the fields do not count
		if words := match.ReadQuery(store.Fold(f.Query), referenceSpellings); !words.Empty() {
			query = words
			v.plan(query)
		}
	}
	for _, row := range c.rows {
		rank := query.Rank(searchLines(row.Text))
		if rank.Score > 0 && !slices.ContainsFunc(tests, func(t fieldTest) bool { return !t.matches(row.Text) }) {
			found = append(found, ranked{row, rank})
		}
	}
	order := compareRanked
	if f.Query == "" {
		order = func(a, b ranked) int { return cmp.Compare(b.Number, a.Number) }
	}
	slices.SortFunc(found, order)
	return found[:min(len(found), maxRanked)], c.more || len(found) > maxRanked, nil
}

// fieldTest tests whether some fields of a row match words.
type fieldTest struct {
	query *match.Query
	lines []bool // which lines of a search text are tested
}

// fieldTests returns the tests of the filter's fields.
func fieldTests(f lost.ItemFilter) (tests []fieldTest) {
	names := store.SearchFields()
	add := func(words string, fields ...string) {
		query := match.ReadQuery(store.Fold(words), referenceSpellings)
		if query.Empty() {
			return
		}
		match.NewVocabulary().Groups(query) // every word counts the same
		lines := make([]bool, len(names))
		for n, name := range names {
			lines[n] = slices.Contains(fields, name)
		}
		tests = append(tests, fieldTest{query, lines})
	}
	add(f.Color, "color")
	add(f.Place, "discoveryPlace", "storagePlace", "request.lostPlace")
	add(f.Owner, "owner.firstName", "owner.lastName", "owner.email", "owner.phone")
	return tests
}

// matches reports whether at least most of the words are in the fields of a search text.
func (t fieldTest) matches(text string) bool {
	var lines []match.Line
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		if n < len(t.lines) && t.lines[n] {
			lines = append(lines, match.Line{Text: strings.TrimPrefix(line, store.MoreFields), Weight: 1})
		}
		n++
	}
	const most = 0.6
	return t.query.Rank(lines).Score >= most
}

// compareRanked sorts exact matches before similar ones, the best first. If they are equally good, open records come
// before closed ones, and found items before requests.
func compareRanked(a, b ranked) int {
	const precision = 1000
	return cmp.Or(compareBool(b.Exact, a.Exact),
		cmp.Compare(math.Round(b.Score*precision), math.Round(a.Score*precision)),
		compareBool(b.Open, a.Open), compareBool(b.Source == lost.Found, a.Source == lost.Found),
		cmp.Compare(b.Number, a.Number))
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	default:
		return -1
	}
}

// referenceSpellings returns the reference that a folded word may be, as it is printed on tags.
func referenceSpellings(word string) []string {
	reference, ok := lost.ParseReference(word)
	if !ok {
		return nil
	}
	return []string{strings.ToLower(reference)}
}

// fieldWeights tells how much the fields of an item count in a search, if not 1.
var fieldWeights = map[string]float64{
	"": 0, "notes": 0.8, "hold": 0.8, "request.proof": 0.8, "storagePlace": 0.95, "owner.email": 0.9,
	"handover.name": 0.9,
}

// lineWeights are the weights of the lines of a search text.
//
//nolint:gochecknoglobals // computed once from a fixed list
var lineWeights = sync.OnceValue(func() (weights []float64) {
	for _, name := range store.SearchFields() {
		weight, ok := fieldWeights[name]
		if !ok {
			weight = 1
		}
		weights = append(weights, weight)
	}
	return weights
})

// searchLines splits a search text into its fields.
func searchLines(text string) (lines []match.Line) {
	weights := lineWeights()
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimPrefix(line, store.MoreFields)
		if n < len(weights) && weights[n] > 0 && line != "" {
			lines = append(lines, match.Line{Text: line, Weight: weights[n]})
		}
		n++
	}
	return lines
}

// candidates are the rows that a search ranks.
type candidates struct {
	db         *store.DB
	account    string
	only       []string
	filter     lost.ItemFilter
	items      int // number of items in the account, roughly
	rows       map[int64]store.SearchRow
	statements int
	more       bool // whether a statement found more rows than it may return
}

// read reads rows that match all groups and, if there are only a few, rows that match some of them.
func (c *candidates) read(ctx context.Context, s searchPlan) error {
	known := slices.DeleteFunc(slices.Clone(s.groups), func(g match.Group) bool { return g.Share == 0 })
	unknown := len(s.groups) - len(known) // words that the vocabulary lacks are in few rows, if in any
	tries := [][]match.Group{known}
	if unknown == 0 && lookups(known, c.items) == 0 && lookups(s.typed, c.items) > 0 {
		tries = append(tries, s.typed) // only the newest rows are tested for the others
	}
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
	if err := c.findEach(ctx, enoughFound, c.partly(known)); err != nil {
		return err
	}
	tries = nil
	for n := range s.unknown {
		tries = append(tries, s.unknown[n:n+1])
	}
	return c.findEach(ctx, fewFound, tries)
}

// findEach reads rows for each of several lists of groups, until there are enough.
func (c *candidates) findEach(ctx context.Context, enough int, tries [][]match.Group) error {
	for _, groups := range tries {
		if len(c.rows) >= enough {
			return nil
		}
		if err := c.find(ctx, maxFound, groups...); err != nil {
			return err
		}
	}
	return nil
}

// partly returns what to look for in order to find rows that match some of the groups: rows with a rare word, rows
// without one of the words, and then rows with one of them.
func (c *candidates) partly(groups []match.Group) (tries [][]match.Group) {
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

// find adds the newest rows that match all of the groups.
func (c *candidates) find(ctx context.Context, limit int, groups ...match.Group) error {
	if len(groups) == 0 || c.statements == maxStatements {
		return nil
	}
	c.statements++
	s := store.TextSearch{
		Limit: limit + 1, Lookup: lookups(groups, c.items), Newest: needNewest(groups, c.items, limit),
		Tested: tested(groups, limit),
	}
	for _, g := range groups {
		var phrases []store.TextPhrase
		for _, p := range g.Phrases {
			phrases = append(phrases, store.TextPhrase{Text: p.Text, Trigrams: p.Trigrams})
		}
		s.Groups = append(s.Groups, phrases)
	}
	rows, err := c.db.SearchRows(ctx, c.account, c.only, c.filter, s)
	c.more = c.more || len(rows) > limit
	for _, row := range rows[:min(len(rows), limit)] {
		c.rows[row.Number] = row
	}
	return err
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
