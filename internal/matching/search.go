package matching

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"sync"

	"homeward/internal/lost"
	"homeward/internal/lost/category"
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
	query := readQuery(strings.Join([]string{f.Query, f.Color, f.Place, f.Owner, f.Finder}, " "))
	if query.Empty() {
		return nil, false, nil
	}
	v, err := s.vocabularies.get(ctx, s.db, account)
	if err != nil {
		return nil, false, err
	}
	places, err := s.usualPlaces(ctx, v, account, only, f)
	if err != nil {
		return nil, false, err
	}
	plan := v.plan(query)
	c := candidates{
		db: s.db, account: account, only: only, filter: f, items: plan.items, rows: map[int64]store.SearchRow{},
		places: places,
	}
	if err := c.read(ctx, plan); err != nil {
		return nil, false, err
	}
	tests := fieldTests(f)
	if f.Query != "" && len(tests) > 0 { // the words of the fields do not count
		if words := readQuery(f.Query); !words.Empty() {
			query = words
			v.plan(query)
		}
	}
	for _, row := range c.rows {
		lines := searchLines(row.Text)
		usual := places.find(row)
		if usual != "" {
			lines = append(lines, match.Line{Text: usual, Weight: usualPlaceWeight})
		}
		rank := query.Rank(lines)
		fails := func(t fieldTest) bool { return !t.matches(row.Text, usual) }
		if rank.Score > 0 && !slices.ContainsFunc(tests, fails) {
			found = append(found, ranked{row, rank})
		}
	}
	least := query.Least()
	found = slices.DeleteFunc(found, func(r ranked) bool { return r.Score < least })
	order := compareRanked
	if f.Query == "" {
		order = func(a, b ranked) int { return cmp.Compare(b.Number, a.Number) }
	}
	slices.SortFunc(found, order)
	return found[:min(len(found), maxRanked)], c.more || len(found) > maxRanked, nil
}

// readQuery reads a query for items. A word that the dictionary of searches does not know may name a category in one
// of ten languages.
func readQuery(text string) *match.Query {
	q := match.ReadQuery(store.Fold(text), referenceSpellings)
	q.AddCategories(func(word string) string {
		if c := category.OfWord(word); c != lost.OtherCategory {
			return string(c)
		}
		return ""
	})
	return q
}

// fieldTest tests whether some fields of a row match words.
type fieldTest struct {
	query *match.Query
	lines []bool // which lines of a search text are tested
	place bool   // whether the storage place is one of them
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
		tests = append(tests, fieldTest{query, lines, slices.Contains(fields, storagePlace)})
	}
	add(f.Color, "color")
	add(f.Place, "discoveryPlace", storagePlace, "request.lostPlace")
	add(f.Owner, "owner.firstName", "owner.lastName", "owner.email", "owner.phone")
	add(f.Finder, "finder.name", "finder.email", "finder.phone")
	return tests
}

// matches reports whether at least most of the words are in the fields of a search text, or in the usual storage place
// of an item that has none of its own.
func (t fieldTest) matches(text, usual string) bool {
	var lines []match.Line
	if t.place && usual != "" {
		lines = append(lines, match.Line{Text: usual, Weight: 1})
	}
	for n, line := range store.SearchLines(text) {
		if n < len(t.lines) && t.lines[n] {
			lines = append(lines, match.Line{Text: line, Weight: 1})
		}
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
	"": 0, "notes": 0.8, "hold": 0.8, "request.proof": 0.8, storagePlace: 0.95, "owner.email": 0.9,
	"finder.name": 0.9, "finder.email": 0.8,
	"handover.name": 0.9, "category": 0.8,
}

// lineKinds are the lines of a search text without their texts.
//
//nolint:gochecknoglobals // computed once from a fixed list
var lineKinds = sync.OnceValue(func() (kinds []match.Line) {
	for _, name := range store.SearchFields() {
		weight, ok := fieldWeights[name]
		if !ok {
			weight = 1
		}
		kinds = append(kinds, match.Line{Weight: weight, Code: name == "reference"})
	}
	return kinds
})

// searchLines splits a search text into its fields.
func searchLines(text string) (lines []match.Line) {
	kinds := lineKinds()
	for n, line := range store.SearchLines(text) {
		if n < len(kinds) && kinds[n].Weight > 0 && line != "" {
			lines = append(lines, match.Line{Text: line, Weight: kinds[n].Weight, Code: kinds[n].Code})
		}
	}
	return lines
}
