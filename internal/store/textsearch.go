package store

import (
	"context"
	"strings"

	"homeward/internal/lost"
)

// TextSearch finds rows that contain one phrase of each group.
type TextSearch struct {
	Groups [][]TextPhrase // the rarest first
	// Lookup is the number of groups, from the first one, that are looked up in the text index. If it is 0, the newest
	// rows are tested, except on SQLite, whose index stops at the limit.
	Lookup int
	Limit  int
}

// TextPhrase is a folded text, with the trigrams by which the index finds it. It has none if it is too short.
type TextPhrase struct {
	Text     string
	Trigrams []string
}

// SearchRow is a row that was found: the number and the id of the item, and its search text. See SearchFields.
type SearchRow struct {
	Number   int64
	ID, Text string
	Open     bool // not closed by the desk
	Source   lost.Source
}

// SearchFields returns the names of the fields that the lines of a search text contain. A name is empty if the line
// has none.
func SearchFields() []string {
	names := []string{""} // the location's token
	for _, f := range lost.ItemFields() {
		if f.Search == lost.SearchByTerm {
			names = append(names, f.Name)
		}
	}
	names = append(names, "reference", "reference")
	for _, f := range lost.ItemFields() {
		if f.Search == lost.SearchByQuery {
			names = append(names, f.Name)
		}
	}
	return names
}

// MaxTested is the maximum number of rows that are tested without the text index.
const MaxTested = 5000

// SearchRows returns the newest rows that a search finds in an account. If only is not nil, it contains the ids of the
// locations.
func (r reader) SearchRows(ctx context.Context, account string, only []string, f lost.ItemFilter,
	s TextSearch) ([]SearchRow, error) {
	if only != nil && len(only) == 0 {
		return nil, nil
	}
	q := &query{}
	q.where("i.account_id = " + q.arg(account))
	if only != nil {
		whereIn(q, "i.location_id", only)
	}
	r.narrowItems(q, f)
	const columns = "i.seq, i.id, i.search, i.closed_at, i.source"
	lookup, err := r.chooseLookup(ctx, account, only, f, s)
	if err != nil {
		return nil, err
	}
	var text string
	if len(lookup) == 0 {
		text = "SELECT " + columns + " FROM (SELECT " + columns + ", i.location_id FROM " + r.newestSource(only, f) +
			q.clause() + " ORDER BY i.seq DESC" + limitClause(MaxTested) + ") AS i, locations l WHERE " +
			"l.account_id = $1 AND l.id = i.location_id AND l.deleted_at = 0" + r.phraseConditions(q, s.Groups) +
			" ORDER BY i.seq DESC" + limitClause(s.Limit)
	} else {
		source := r.lookUp(q, only, lookup)
		text = "SELECT " + columns + " FROM " + source.from + joinLocation + q.clause() + " AND l.deleted_at = 0" +
			r.phraseConditions(q, s.Groups) + " ORDER BY " + source.order + " DESC" + limitClause(s.Limit)
	}
	rs, err := r.h.QueryPlanned(ctx, text, q.args...)
	return collect(rs, err, func(rs rows) (row SearchRow, err error) {
		var closed int64
		var source string
		err = rs.Scan(&row.Number, &row.ID, &row.Text, &closed, &source)
		row.Open, row.Source = closed == 0, lost.Source(source)
		return row, err
	})
}

// chooseLookup returns the groups that are looked up in the text index: none if the filter selects so few items that
// all of them are tested.
func (r reader) chooseLookup(ctx context.Context, account string, only []string, f lost.ItemFilter,
	s TextSearch) ([][]TextPhrase, error) {
	if len(f.Statuses) > 0 || f.Source == lost.Request {
		n, err := r.countOfAccount(ctx, account, only, f)
		if err != nil || n <= MaxTested {
			return nil, err
		}
	}
	const most = 3 // with more of them, reading the index takes longer than testing the rows
	if r.d.searchTrigrams != nil {
		s.Lookup = min(most, len(s.Groups))
	}
	return indexed(s.Groups[:s.Lookup]), nil
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

// newestSource returns what to read the newest items from.
func (r reader) newestSource(only []string, f lost.ItemFilter) string {
	switch {
	case only != nil:
		return "items i"
	case f.OwnerState != "":
		return "items i" + r.d.useIndex("items_by_owner_state_of_account")
	case f.Source == lost.Request:
		return "items i" + r.d.useIndex("items_requested_of_account")
	default:
		return "items i" + r.d.useIndex("items_of_account")
	}
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

// phraseConditions returns the conditions that the rows contain a phrase of each group.
func (r reader) phraseConditions(q *query, groups [][]TextPhrase) string {
	var text strings.Builder
	for _, g := range groups {
		either := make([]string, len(g))
		for n, p := range g {
			either[n] = r.d.position("i.search", q.arg(p.Text)) + " > 0"
		}
		text.WriteString(" AND (" + strings.Join(either, " OR ") + ")")
	}
	return text.String()
}

// lookUp restricts a query to the items that have the trigrams of a phrase of each group, and returns what to select
// from.
func (r reader) lookUp(q *query, only []string, groups [][]TextPhrase) itemSearch {
	if r.d.searchTrigrams != nil {
		return r.d.searchPhrases(q, only, groups)
	}
	if r.d.hideAccount != "" {
		q.conditions[0] = r.d.hideAccount
	}
	either := make([]string, 0, len(groups[0]))
	for _, phrases := range combine(groups) {
		var all []string
		for _, p := range phrases {
			for _, t := range p.Trigrams {
				all = append(all, "i.search LIKE "+q.arg(likePattern(t)))
			}
		}
		either = append(either, "("+strings.Join(all, " AND ")+")")
	}
	q.where("(" + strings.Join(either, " OR ") + ")")
	return itemSearch{from: "items i", order: r.d.sortAfterSearch("i.seq")}
}

// combine returns each combination of phrases from the first two groups: of the best ones, if there would be too many.
// PostgreSQL finds a combination with one scan of the index, and fetches only rows that have both phrases.
func combine(groups [][]TextPhrase) (all [][]TextPhrase) {
	if len(groups) == 1 {
		for _, p := range groups[0] {
			all = append(all, []TextPhrase{p})
		}
		return all
	}
	const most, best = 16, 4
	a, b := groups[0], groups[1]
	if len(a)*len(b) > most {
		a, b = a[:min(len(a), best)], b[:min(len(b), best)]
	}
	for _, first := range a {
		for _, second := range b {
			all = append(all, []TextPhrase{first, second})
		}
	}
	return all
}

// matchPhrases returns the FTS5 expression that matches rows with the trigrams of a phrase of each group.
func matchPhrases(only []string, groups [][]TextPhrase) string {
	var all []string
	if len(only) == 1 {
		all = append(all, matchAll([]string{locationToken(only[0])}))
	}
	for _, g := range groups {
		either := make([]string, len(g))
		for n, p := range g {
			either[n] = "(" + matchAll(p.Trigrams) + ")"
		}
		all = append(all, "("+strings.Join(either, " OR ")+")")
	}
	return strings.Join(all, " AND ")
}

// SearchTexts returns the search texts of at most limit items: of the account's newest items or, if after is not 0, of
// those that have changed since that position. It also returns the position to continue after.
func (r reader) SearchTexts(ctx context.Context, account string, after int64, limit int) (texts []string, last int64,
	err error) {
	q := &query{}
	q.where("i.account_id = " + q.arg(account))
	from, order := "items i"+r.d.useIndex("items_of_account"), "i.seq DESC"
	if after != 0 {
		from, order = "items i"+r.d.useIndex("items_by_change"), itemChange
		q.where(itemChange + " >= " + q.arg(after))
	}
	rs, err := r.h.QueryPlanned(ctx, "SELECT i.search, "+itemChange+", "+r.d.changes.horizon+" FROM "+from+q.clause()+
		" ORDER BY "+order+limitClause(limit), q.args...)
	last = after
	texts, err = collect(rs, err, func(rs rows) (text string, err error) {
		var change, horizon int64
		err = rs.Scan(&text, &change, &horizon)
		last = horizon
		return text, err
	})
	return texts, last, err
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
	items, err := r.accountItemsByNumber(ctx, account, numbers)
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
