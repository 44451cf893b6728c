package store

import (
	"context"
	"slices"
	"strings"

	"homeward/internal/lost"
)

// TextSearch finds rows that contain one phrase of each group.
type TextSearch struct {
	Groups [][]TextPhrase // the rarest first
	// Lookup is the number of groups, from the first one, that are looked up in the text index. If it is 0, the newest
	// rows are tested. SQLite looks words up nevertheless unless there are other filters, because its index stops at
	// the limit.
	Lookup int
	Tested int // number of the newest rows that are tested, at most MaxTested
	// Newest tells that the index would return too many rows without the other words. Then the newest rows are tested.
	Newest bool
	// Inherits excludes items that have a storage place of their own, instead of their location's usual one.
	Inherits bool
	Limit    int
}

// TextPhrase is a folded text, with the trigrams by which the index finds it. It has none if it is too short.
type TextPhrase struct {
	Text     string
	Trigrams []string
}

// SearchRow is a row that was found: the number and the id of the item, and its search text. See SearchFields.
type SearchRow struct {
	Number             int64
	ID, Location, Text string
	Open               bool // not closed by the desk
	Source             lost.Source
}

// FoundRows are the newest rows that a search finds. Partial is set if there are older rows that were not tested.
type FoundRows struct {
	Rows    []SearchRow
	Partial bool
}

// MaxTested is the maximum number of rows that are tested without the text index.
const MaxTested = 5000

// SearchRows returns the newest rows that a search finds in an account. If only is not nil, it contains the ids of the
// locations.
func (r reader) SearchRows(ctx context.Context, account string, only []string, f lost.ItemFilter,
	s TextSearch) (found FoundRows, err error) {
	if only != nil && len(only) == 0 {
		return found, nil
	}
	q := &query{}
	q.where("i.account_id = " + q.arg(account))
	if only != nil {
		whereIn(q, "i.location_id", only)
	}
	r.narrowItems(q, f)
	few, none, err := r.hasFewOfAccount(ctx, account, only, f)
	if err != nil || none {
		return found, err
	}
	index, err := r.narrowBySelectiveIndex(ctx, q, account, only, f)
	if err != nil {
		return found, err
	}
	few = few || index != ""
	var lookup [][]TextPhrase
	if few {
		s.Tested = MaxTested
	} else {
		lookup = r.chooseLookup(s, f)
	}
	if len(lookup) == 0 {
		return r.testNewest(ctx, q, account, only, f, s, few, index)
	}
	source, err := r.lookUp(ctx, q, account, only, lookup)
	if err != nil {
		return found, err
	}
	found.Rows, err = r.searchRowsOf(ctx, q, "SELECT "+searchColumns+" FROM "+source.from+joinLocation+q.clause()+
		" AND l.deleted_at = 0"+r.phraseConditions(q, s)+" ORDER BY "+source.order+" DESC"+limitClause(s.Limit))
	return found, err
}

// searchColumns are the columns of a SearchRow.
const searchColumns = "i.seq, i.id, i.location_id, i.search, i.closed_at, i.source"

func (r reader) searchRowsOf(ctx context.Context, q *query, text string) ([]SearchRow, error) {
	rs, err := r.h.QueryPlanned(ctx, text, q.args...)
	return collect(rs, err, func(rs rows) (row SearchRow, err error) {
		var closed int64
		var source string
		err = rs.Scan(&row.Number, &row.ID, &row.Location, &row.Text, &closed, &source)
		row.Open, row.Source = closed == 0, lost.Source(source)
		return row, err
	})
}

// testNewest returns those of the newest rows that a search finds, without the text index.
func (r reader) testNewest(ctx context.Context, q *query, account string, only []string, f lost.ItemFilter,
	s TextSearch, few bool, index string) (found FoundRows, err error) {
	order := "i.seq"
	if few {
		order = r.d.sortAfterSearch(order) // otherwise PostgreSQL would read the other items too
	}
	from := "items i" + r.d.useIndex(index)
	if index == "" {
		from = r.newestSource(q, only, f, few)
	}
	matching := " FROM " + from + q.clause()
	args := q.args
	found.Rows, err = r.searchRowsOf(ctx, q, "SELECT "+searchColumns+" FROM (SELECT "+searchColumns+
		", i.storage_place"+matching+" ORDER BY "+order+" DESC"+limitClause(s.Tested)+
		") AS i, locations l WHERE l.account_id = $1 AND l.id = i.location_id AND l.deleted_at = 0"+
		r.phraseConditions(q, s)+" ORDER BY i.seq DESC"+limitClause(s.Limit))
	if err != nil || len(found.Rows) == s.Limit {
		return found, err
	}
	found.Partial, err = r.hasMore(ctx, account, only, f, s.Tested, "SELECT 1"+matching, args)
	return found, err
}

// hasMore reports whether a filter selects more items than were tested. The stored counts tell it for most filters.
func (r reader) hasMore(ctx context.Context, account string, only []string, f lost.ItemFilter, tested int,
	matching string, args []any) (bool, error) {
	n, err := r.countOfAccount(ctx, account, only, f)
	if err != nil || n <= int64(tested) || isCounted(f) {
		return n > int64(tested), err
	}
	rs, err := r.h.QueryPlanned(ctx, "SELECT count(*) FROM ("+matching+limitClause(tested+1)+") AS items", args...)
	n, _, err = firstValue[int64](rs, err)
	return n > int64(tested), err
}

// chooseLookup returns the groups that are looked up in the text index.
func (r reader) chooseLookup(s TextSearch, f lost.ItemFilter) [][]TextPhrase {
	if s.Newest {
		return nil
	}
	const most = 3 // with more of them, reading SQLite's index takes longer than testing the rows
	if r.d.searchTrigrams != nil && (s.Lookup > 0 || f.Source != lost.Request) {
		s.Lookup = min(most, len(s.Groups))
	}
	return indexed(s.Groups[:s.Lookup])
}

// hasFewOfAccount reports whether a filter by status or of requests selects so few items that all of them are tested
// for words, and whether it selects none.
func (r reader) hasFewOfAccount(ctx context.Context, account string, only []string,
	f lost.ItemFilter) (few, none bool, err error) {
	if len(f.Statuses) == 0 && f.Source != lost.Request {
		return false, false, nil
	}
	n, err := r.countOfAccount(ctx, account, only, f)
	return n <= MaxTested, n == 0, err
}

// CountItems returns the stored number of an account's items.
func (r reader) CountItems(ctx context.Context, account string) (int, error) {
	n, err := r.countOfAccount(ctx, account, nil, lost.ItemFilter{})
	return int(n), err
}

// countOfAccount returns the stored number of items with the filter's statuses and source.
func (r reader) countOfAccount(ctx context.Context, account string, only []string, f lost.ItemFilter) (int64, error) {
	q := &query{}
	q.where("account_id = " + q.arg(account))
	if only != nil {
		whereIn(q, "location_id", only)
	}
	if f.Source != "" {
		q.where("source = " + q.arg(string(f.Source)))
	}
	if len(f.Statuses) > 0 {
		whereIn(q, "status", f.Statuses)
	}
	rs, err := r.h.Query(ctx, "SELECT CAST(COALESCE(SUM(n), 0) AS BIGINT) FROM item_counts"+q.clause(), q.args...)
	n, _, err := firstValue[int64](rs, err)
	return n, err
}

// narrowBySelectiveIndex returns the index that finds the few items of a list by value or serial number. It adds the
// conditions that the index needs. It returns no index for other lists.
func (r reader) narrowBySelectiveIndex(ctx context.Context, q *query, account string, only []string,
	f lost.ItemFilter) (string, error) {
	if f.SerialNumber != "" {
		return serialIndex, nil
	}
	values, err := r.valuesOf(ctx, account, "", only, f)
	if err != nil || !values.few || values.count > MaxTested || len(values.bounds) > 1 {
		return "", err
	}
	q.within(values.bounds[0])
	if only == nil {
		q.where("i.location_id IN (SELECT id FROM locations WHERE account_id = $1 AND deleted_at = 0)")
	}
	return valueIndex, nil
}

// newestSource returns what to read the newest items from. If the filter selects only a few items by their status, it
// adds the conditions with which an index finds them.
func (r reader) newestSource(q *query, only []string, f lost.ItemFilter, few bool) string {
	index := "items_of_account"
	switch {
	case f.OwnerState != "" && len(only) == 1:
		index = "items_by_owner_state"
	case f.OwnerState != "":
		index = "items_by_owner_state_of_account"
	case few && len(f.Statuses) > 0:
		index = "items_by_status"
		whereIn(q, "i.status", f.Statuses)
		if f.Source == "" {
			whereIn(q, "i.source", lost.Sources())
		}
		if only == nil {
			q.where("i.location_id IN (SELECT id FROM locations WHERE account_id = $1 AND deleted_at = 0)")
		}
	case f.Source == lost.Request:
		index = "items_requested_of_account"
	case len(only) == 1:
		index = "items_newest"
	}
	return "items i" + r.d.useIndex(index)
}

// indexed returns the groups without the phrases that are too short for the index, and without groups that then have
// no phrases.
func indexed(groups [][]TextPhrase) (all [][]TextPhrase) {
	for _, g := range groups {
		var long []TextPhrase
		for _, p := range g {
			if len(p.Trigrams) > 0 {
				long = append(long, p)
			}
		}
		if len(long) > 0 {
			all = append(all, long)
		}
	}
	return all
}

// phraseConditions returns the conditions that the rows contain a phrase of each group, and the one on their place.
func (r reader) phraseConditions(q *query, s TextSearch) string {
	var text strings.Builder
	if s.Inherits {
		text.WriteString(" AND i.storage_place = '' AND i.source = 'found'")
	}
	for _, g := range s.Groups {
		text.WriteString(" AND " + either(g, func(p TextPhrase) string {
			return r.d.position("i.search", q.arg(p.Text)) + " > 0"
		}))
	}
	return text.String()
}

// lookUp restricts a query to the items that have the trigrams of a phrase of each group, and returns what to select
// from.
func (r reader) lookUp(ctx context.Context, q *query, account string, only []string,
	groups [][]TextPhrase) (itemSearch, error) {
	if r.d.searchTrigrams != nil {
		return r.d.searchPhrases(q, only, groups), nil
	}
	if r.d.hideAccount != "" {
		q.conditions[0] = r.d.hideAccount
	}
	if only != nil && (len(groups) > 1 || len(groups[0]) > 1) {
		most, err := r.holdMost(ctx, account, only)
		if err != nil {
			return itemSearch{}, err
		}
		if most { // every scan of the index would also read the long lists of the locations
			q.conditions[1] = strings.Replace(q.conditions[1], "i.location_id", "(i.location_id || '')", 1)
		}
	}
	q.where(trigramCondition(q, groups))
	return itemSearch{from: "items i", order: r.d.sortAfterSearch("i.seq")}, nil
}

// holdMost reports whether locations have a large share of an account's items.
func (r reader) holdMost(ctx context.Context, account string, only []string) (bool, error) {
	const large = 4 // a quarter
	all, err := r.countOfAccount(ctx, account, nil, lost.ItemFilter{})
	if err != nil {
		return false, err
	}
	n, err := r.countOfAccount(ctx, account, only, lost.ItemFilter{})
	return n*large >= all, err
}

// matchPhrases returns the FTS5 expression that matches rows with the trigrams of a phrase of each group.
func matchPhrases(only []string, groups [][]TextPhrase) string {
	var all []string
	if len(only) == 1 {
		all = append(all, matchAll([]string{locationToken(only[0])}))
	}
	for _, g := range groups {
		all = append(all, either(g, func(p TextPhrase) string { return "(" + matchAll(p.Trigrams) + ")" }))
	}
	return strings.Join(all, " AND ")
}

// RankedItems returns an account's items with the given ids, in their order. Items that no longer exist are left out.
func (r reader) RankedItems(ctx context.Context, account string, rows []SearchRow) ([]lost.Item, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	numbers, found := make([]int64, len(rows)), map[string]lost.Item{}
	for n, row := range rows {
		numbers[n] = row.Number
	}
	items, err := r.accountItemsByNumber(ctx, account, numbers, newestFirst)
	for _, i := range items {
		found[i.ID] = i
	}
	ranked := items[:0:0]
	for _, row := range rows {
		if i, ok := found[row.ID]; ok {
			ranked = append(ranked, i)
		}
	}
	return ranked, err
}

// RefreshSearchTexts writes the search texts of locked items again, if the rules for them have changed.
func (tx *Tx) RefreshSearchTexts(items []lost.Item) error {
	for n := range items {
		i := &items[n]
		err := tx.queue("UPDATE items SET search = $3 WHERE account_id = $1 AND id = $2 AND search <> $3", i.Account,
			i.ID, itemSearchText(i))
		if err != nil {
			return err
		}
	}
	return nil
}

const (
	joinFactor = 30 // testing a row takes as long as reading this many entries of a trigram's list
	maxJoined  = 4
)

// chooseTrigrams returns the trigrams that are looked up in the index to find items with all words. For one word these
// are its rarest ones. For several words there is one of each, because the words of a search often do not occur
// together: then the index alone excludes most rows. A word that is much more common than another one is left out,
// because its list takes longer than it saves.
func (r reader) chooseTrigrams(ctx context.Context, location string, words []string) ([]string, error) {
	var all []string
	if location != "" { // its token is also a trigram, so that items of other locations do not slow down the search
		all = append(all, locationToken(location))
	}
	for _, w := range words {
		all = append(all, trigramsOf(w)...)
	}
	slices.Sort(all)
	rarest, err := r.rarestTrigrams(ctx, slices.Compact(all))
	if err != nil || len(words) == 1 {
		return rarest, err
	}
	first, err := r.estimateRows(ctx, rarest[0])
	if err != nil || first.rows <= fewRows {
		return rarest[:1], err
	}
	chosen := rarest[:1:1]
	for _, w := range words[:min(len(words), maxEstimated)] {
		trigram, e, err := r.rarestOf(ctx, w)
		if err != nil {
			return nil, err
		}
		if trigram != "" && e.rows <= joinFactor*first.rows && !slices.Contains(trigramsOf(w), rarest[0]) &&
			len(chosen) < maxJoined {
			chosen = append(chosen, trigram)
		}
	}
	if len(chosen) == 1 {
		return rarest, nil
	}
	return chosen, nil
}

// rarestOf returns the rarest trigram of a word, or an empty text if the word is too short.
func (r reader) rarestOf(ctx context.Context, word string) (rarest string, least rowEstimate, err error) {
	for _, t := range trigramsOf(word) {
		e, err := r.estimateRows(ctx, t)
		if err != nil {
			return "", least, err
		}
		if rarest == "" || e.rows < least.rows {
			rarest, least = t, e
		}
	}
	return rarest, least, nil
}
