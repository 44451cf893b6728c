package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"homeward/internal/lost"
)

// searchItems lists the items that contain all words, newest first. The account and the location must be the first two
// arguments of the query.
//
// The first statement finds the newest hits, counts them up to lost.MaxBoundedTotal, and returns the numbers of the
// items on the page. PostgreSQL plans it for each word, which takes longer the larger it is. The second statement,
// which reads the items, has a fixed plan.
func (r reader) searchItems(ctx context.Context, q *query, location string, f lost.ItemFilter,
	words []string) (lost.List[lost.Item], error) {
	list := lost.List[lost.Item]{Page: f.Page}
	rare, err := r.rareTrigrams(ctx, q.args[0].(string), location, words)
	if err != nil {
		return list, err
	}
	if len(rare) > 0 {
		return r.searchRareItems(ctx, q, f, words, rare)
	}
	source, err := r.searchSource(ctx, q, location, f, words)
	if err != nil {
		return list, err
	}
	numbers, err := r.findHits(ctx, q, source, &list)
	if err == nil {
		list.Data, err = r.itemsByNumber(ctx, q.args[:2], numbers, newestFirst)
	}
	return list, err
}

// findHits returns the numbers of the items on a page of a search. It sets the list's total and the position of its
// next page.
func (r reader) findHits(ctx context.Context, q *query, source itemSearch,
	list *lost.List[lost.Item]) (numbers []int64, err error) {
	if err := q.afterItem(source.order, list.Page); err != nil {
		return nil, err
	}
	hits := newestHits(source, q, boundedLimit(q, list.Page))
	rs, err := r.h.QueryPlanned(ctx, "WITH hits AS MATERIALIZED ("+hits+") SELECT count(*) FROM hits UNION ALL "+
		"SELECT seq FROM (SELECT seq FROM hits ORDER BY seq DESC"+q.pageAndNext(list.Page)+") AS page", q.args...)
	numbers, err = collect(rs, err, scanNumber)
	if err != nil || len(numbers) == 0 {
		return nil, err
	}
	list.Total = list.Page.Counted
	if list.Page.After == "" {
		list.Total = lost.TotalTo(int(numbers[0]), lost.MaxBoundedTotal)
	}
	numbers = numbers[1:]
	if limit := list.Page.Limit; len(numbers) > limit {
		numbers = numbers[:limit]
		list.Next = strconv.FormatInt(numbers[limit-1], 10)
	}
	return numbers, nil
}

// boundedLimit returns the LIMIT clause for the hits of a search: enough for the page and for the highest exact total.
func boundedLimit(q *query, page lost.Page) string {
	if page.After != "" { // the total is known
		return limitClause(page.Limit + 1)
	}
	if end := page.Offset() + page.Limit; end > lost.MaxBoundedTotal {
		return " LIMIT " + q.arg(end+1)
	}
	return limitClause(lost.MaxBoundedTotal + 1)
}

// itemsByNumber returns the items with the given numbers. The account and the location are the first two arguments.
func (r reader) itemsByNumber(ctx context.Context, args []any, numbers []int64, order string) ([]lost.Item, error) {
	if len(numbers) == 0 {
		return nil, nil
	}
	q := queryWith(args)
	page := make([]string, len(numbers))
	for n, seq := range numbers {
		page[n] = "SELECT CAST(" + q.arg(seq) + " AS BIGINT) AS seq"
	}
	rs, err := r.h.Query(ctx, itemsOfPage("", strings.Join(page, " UNION ALL "), order), q.args...)
	return collect(rs, err, r.scanItem)
}

// newestHits returns a query for the numbers of the newest items that a search finds.
func newestHits(source itemSearch, q *query, limit string) string {
	return "SELECT i.seq FROM " + source.from + q.clause() + " ORDER BY " + source.order + " DESC" + limit
}

// searchSource is search, but does not use the text index if it is faster to test the items that match the other
// conditions.
func (r reader) searchSource(ctx context.Context, q *query, location string, f lost.ItemFilter,
	words []string) (itemSearch, error) {
	byFilter, err := r.searchesByFilter(ctx, q.args[0].(string), location, f, words)
	if err != nil {
		return itemSearch{}, err
	}
	if !byFilter {
		return r.search(ctx, q, location, words)
	}
	return r.searchFiltered(q, f, words), nil
}

// searchRows restricts a query for items i to those that contain every word, and leaves it to the database how to find
// them.
func (r reader) searchRows(q *query, words []string) itemSearch {
	for _, w := range words {
		q.whereTerm("i.search", w, r.d.position)
	}
	return itemSearch{from: "items i", order: "i.seq"}
}

// search restricts a query for items i to those that contain every word. It returns what to select from.
func (r reader) search(ctx context.Context, q *query, location string, words []string) (itemSearch, error) {
	hasTrigrams := func(word string) bool { return len(trigramsOf(word)) > 0 }
	if r.d.searchTrigrams == nil || !slices.ContainsFunc(words, hasTrigrams) { // then every row is tested
		return r.searchRows(q, words), nil
	}
	for _, w := range words {
		text := q.arg(w)
		q.where("instr(i.search, " + text + ") > 0") // the index has only trigrams, so the rows are tested too
		q.whereBeforeMore("i.search", text, r.d.position)
	}
	chosen, err := r.chooseTrigrams(ctx, location, words)
	return r.d.searchTrigrams(q, chosen), err
}

const (
	maxEstimated  = 40               // trigrams of one search whose frequency is estimated
	sampledRows   = 64               // the newest rows of a trigram that are read for an estimate
	estimateTime  = 10 * time.Minute // how long an estimate is used
	maxEstimates  = 20_000           // estimates in memory; there are about 15,000 trigrams of common letters
	fewRows       = 100              // so few rows are tested faster than a second list is read
	similarFactor = 4                // a list that is longer by this factor takes longer than it saves
	commonShare   = 0.25             // so many rows contain a common trigram
	maxChosen     = 3
)

// rarestTrigrams returns the trigrams that are worth looking up in the index. Reading a long list takes time, and the
// rows are tested for the words anyway. Thus a rare trigram is better alone. A common one is, too, because there are
// enough matches early. Between them, several are better than one if all are similarly rare.
func (r reader) rarestTrigrams(ctx context.Context, trigrams []string) ([]string, error) {
	trigrams = trigrams[:min(len(trigrams), maxEstimated)]
	found := make(map[string]rowEstimate, len(trigrams))
	for _, t := range trigrams {
		e, err := r.estimateRows(ctx, t)
		if err != nil {
			return nil, err
		}
		found[t] = e
	}
	slices.SortStableFunc(trigrams, func(x, y string) int { return cmp.Compare(found[x].rows, found[y].rows) })
	n, rarest := 1, found[trigrams[0]]
	if rarest.rows <= fewRows || float64(rarest.rows) > commonShare*float64(rarest.newest) {
		return trigrams[:1], nil
	}
	for n < min(maxChosen, len(trigrams)) && found[trigrams[n]].rows <= similarFactor*rarest.rows {
		n++
	}
	return trigrams[:n], nil
}

// rowEstimates remembers about how many rows contain a trigram. They need not be exact or recent, because they only
// decide how to search.
type rowEstimates struct {
	mu      sync.Mutex
	known   map[string]rowEstimate
	samples trigramSamples // what PostgreSQL uses instead of known
}

type rowEstimate struct {
	rows   int64
	newest int64 // the number of the newest row that contains the trigram
	until  time.Time
}

func (e *rowEstimates) get(trigram string) (rowEstimate, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	found, ok := e.known[trigram]
	return found, ok && time.Now().Before(found.until)
}

func (e *rowEstimates) set(trigram string, estimate rowEstimate) {
	estimate.until = time.Now().Add(estimateTime)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.known == nil || len(e.known) >= maxEstimates {
		e.known = map[string]rowEstimate{}
	}
	e.known[trigram] = estimate
}

// estimateRows estimates how many rows contain a trigram, from the distance between the newest of them.
func (r reader) estimateRows(ctx context.Context, trigram string) (rowEstimate, error) {
	if known, ok := r.estimates.get(trigram); ok {
		return known, nil
	}
	q := &query{}
	source := r.d.searchTrigrams(q, []string{trigram})
	rs, err := r.h.Query(ctx, fmt.Sprintf("SELECT count(*), COALESCE(min(n), 0), COALESCE(max(n), 0) FROM "+
		"(SELECT %s AS n FROM %s%s ORDER BY %s DESC LIMIT %d)",
		source.order, source.index, q.clause(), source.order, sampledRows), q.args...)
	found, _, err := firstRow(rs, err, scanSample)
	if err == nil {
		r.estimates.set(trigram, found)
	}
	return found, err
}

// scanSample returns the estimate from the number of rows in a sample, and the oldest and the newest of them.
func scanSample(rs rows) (e rowEstimate, err error) {
	var oldest int64
	err = rs.Scan(&e.rows, &oldest, &e.newest)
	if e.rows == sampledRows {
		e.rows = e.rows * e.newest / (e.newest - oldest + 1)
	}
	return e, err
}

// trigramsOf returns the first trigrams of a word.
func trigramsOf(word string) (trigrams []string) {
	const maxTrigrams = 12
	letters := []rune(word)
	for i := 0; i+3 <= len(letters) && i < maxTrigrams; i++ {
		trigrams = append(trigrams, string(letters[i:i+3]))
	}
	return trigrams
}

// matchAll returns the FTS5 expression that matches rows containing all of the texts.
func matchAll(texts []string) string {
	quoted := make([]string, len(texts))
	for i, t := range texts {
		quoted[i] = `"` + strings.ReplaceAll(t, `"`, `""`) + `"`
	}
	return strings.Join(quoted, " AND ")
}

const (
	sampledItems    = 2000             // the newest items of a location that are read for a sample
	rareShare       = 200              // a trigram is rare if at most one in this many items contains it
	smallSampleTime = 10 * time.Second // how long a sample of fewer than rareShare items is used
	maxSamples      = 256              // samples in memory, of 6 kB each
	maxRareTrigrams = 3                // more of them would find hardly fewer rows
	trigramLetters  = 36               // digits and the letters a to z
)

// trigramSample tells which trigrams are common among the newest items of a location. It need not be exact or recent,
// because it only decides how to search.
type trigramSample struct {
	common [trigramLetters*trigramLetters*trigramLetters/64 + 1]uint64 // a bit for each trigram
	until  time.Time
}

// trigramSamples holds the samples of locations, by account and location.
type trigramSamples struct {
	mu    sync.Mutex
	known map[[2]string]*trigramSample
}

func (s *trigramSamples) get(account, location string) *trigramSample {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.known[[2]string{account, location}]
	if found == nil || time.Now().After(found.until) {
		return nil
	}
	return found
}

func (s *trigramSamples) set(account, location string, sample *trigramSample) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil || len(s.known) >= maxSamples {
		s.known = map[[2]string]*trigramSample{}
	}
	s.known[[2]string{account, location}] = sample
}

// trigramNumber returns the number of a trigram in a sample. It returns false for a trigram with other characters. Some
// of them separate words in PostgreSQL's text index, which does not have such trigrams.
func trigramNumber(trigram string) (n int, ok bool) {
	if len(trigram) != 3 {
		return 0, false
	}
	for _, c := range []byte(trigram) {
		switch {
		case c >= 'a' && c <= 'z':
			n = n*trigramLetters + int(c-'a')
		case c >= '0' && c <= '9':
			n = n*trigramLetters + int(c-'0') + 26
		default:
			return 0, false
		}
	}
	return n, true
}

// sampleTexts returns a sample of the given texts.
func sampleTexts(texts []string, now time.Time) *trigramSample {
	sample := &trigramSample{until: now.Add(estimateTime)}
	if len(texts) < rareShare {
		sample.until = now.Add(smallSampleTime)
	}
	rare := max(1, len(texts)/rareShare)
	counts := map[int]int{}
	for _, text := range texts {
		for i := 0; i+3 <= len(text); i++ {
			n, ok := trigramNumber(text[i : i+3])
			if !ok {
				continue
			}
			counts[n]++
			if counts[n] > rare {
				sample.common[n/64] |= 1 << (n % 64)
			}
		}
	}
	return sample
}

// rare returns a few of the words' trigrams that are not common. They are from different parts of the words, because
// neighboring trigrams often occur together.
func (s *trigramSample) rare(words []string) []string {
	var all []string
	for _, w := range words {
		for _, t := range trigramsOf(w) {
			if n, ok := trigramNumber(t); ok && s.common[n/64]&(1<<(n%64)) == 0 {
				all = append(all, t)
			}
		}
	}
	if len(all) <= maxRareTrigrams {
		return all
	}
	return []string{all[0], all[len(all)/2], all[len(all)-1]}
}

// rareTrigrams returns trigrams of the words that few of a location's items contain. It returns none if all trigrams
// are common, and for a database that does not need them.
func (r reader) rareTrigrams(ctx context.Context, account, location string, words []string) ([]string, error) {
	if r.d.searchRare == nil {
		return nil, nil
	}
	sample := r.estimates.samples.get(account, location)
	if sample == nil {
		rs, err := r.h.Query(ctx, "SELECT i.search FROM items i WHERE i.account_id = $1 AND i.location_id = $2 "+
			"ORDER BY "+newestFirst+limitClause(sampledItems), account, location)
		texts, err := collect(rs, err, scanText)
		if err != nil {
			return nil, err
		}
		sample = sampleTexts(texts, time.Now())
		r.estimates.samples.set(account, location, sample)
	}
	return sample.rare(words), nil
}

// searchRareItems is searchItems for words with rare trigrams. Only these are looked up in the text index, because
// PostgreSQL reads the whole list of each trigram that it looks up. The few rows that are found are tested for the
// words. One statement with a fixed plan does all of this.
func (r reader) searchRareItems(ctx context.Context, q *query, f lost.ItemFilter,
	words, rare []string) (lost.List[lost.Item], error) {
	list := lost.List[lost.Item]{Page: f.Page}
	r.d.searchRare(q, words, rare)
	if err := q.afterItem("i.seq", f.Page); err != nil {
		return list, err
	}
	limit := boundedLimit(q, f.Page)
	hits := "SELECT i.seq FROM items i" + q.clause() + " ORDER BY " + r.d.sortAfterSearch(newestFirst) + limit
	countArgs := q.args
	var n int
	numbered := ", (SELECT count(*) FROM hits), i.seq"
	rs, err := r.h.Query(ctx, "WITH hits AS MATERIALIZED ("+hits+") "+itemsOfPage(numbered,
		"SELECT seq FROM hits ORDER BY seq DESC"+q.pageAndNext(f.Page), newestFirst), q.args...)
	if err = r.collectItems(&list, rs, err, &n); err != nil || f.Page.After != "" {
		list.Total = f.Page.Counted
		return list, err
	}
	if len(list.Data) == 0 && f.Page.Number > 1 { // without a row there is no total
		rs, err = r.h.Query(ctx, "SELECT count(*) FROM ("+hits+") AS hits", countArgs...)
		n, _, err = firstValue[int](rs, err)
	}
	list.Total = lost.TotalTo(n, lost.MaxBoundedTotal)
	return list, err
}
