package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"homeward/internal/lost"
)

// scanLimits holds the maximum numbers of items that are searched for words row by row: beforeIndex
// before the text index is used, and withoutIndex if the index cannot be used.
// fewValues is the largest number of items, at all locations of a list by value or category, that are all read and
// sorted, and fewOfStatus that of the items of a status at each location.
type scanLimits struct{ beforeIndex, withoutIndex, fewValues, fewOfStatus int }

// newestFirst is the sort order of lists, except for lists filtered by date and lists of pickups.
const newestFirst = "i.seq DESC"

// soonestFirst is the sort order of pickup lists. Pickups without a time come first, because the
// guest may arrive at any time.
const soonestFirst = "i.pickup_date, i.pickup_time, i.seq"

// isPickupList reports whether a filter selects the items that guests will pick up.
func isPickupList(f lost.ItemFilter, words []string) bool {
	return f.Open && len(words) == 0 && f.From == "" && f.To == "" && f.By == "" &&
		slices.Equal(f.Statuses, []lost.Status{lost.PickUp})
}

// minIndexedLength is the length of the shortest words that the text index can find.
const minIndexedLength = 3

// boundedItems lists a page of items in bounded time; see lost.ItemFilter.Bounded.
//
// In the usual order, an estimate of how rare the words are decides how to search. Otherwise, and on PostgreSQL for
// words that are common, it first searches the newest items that match all other filters. If the matches fill the page,
// they are the result. Otherwise the words are rare, and the text index finds the few other items quickly. Each of the
// two searches is slow only where the other one is fast.
func (r reader) boundedItems(ctx context.Context, account, location string, f lost.ItemFilter,
	words []string) (lost.List[lost.Item], error) {
	g, from, err := r.newBoundedList(ctx, account, location, nil, f, words)
	if err != nil {
		return g.list, err
	}
	if len(words) == 0 {
		err = g.readPage(ctx, from, g.order)
		return g.list, err
	}
	long, short := splitByLength(words)
	if len(long) == 0 {
		err = g.scanOnly(ctx, from, g.order, short)
		return g.list, err
	}
	if len(short) == 0 && g.order == newestFirst && f.By == "" {
		if g.d.searchTrigrams != nil {
			return r.searchItems(ctx, g.q, location, f, words)
		}
		rare, err := r.rareTrigrams(ctx, account, location, words)
		if err != nil {
			return g.list, err
		}
		if len(rare) > 0 {
			return r.searchRareItems(ctx, g.q, f, words, rare)
		}
	}
	complete, err := g.scanNewest(ctx, from, words)
	if err == nil && !complete {
		err = g.searchIndex(ctx, location, long, short)
	}
	return g.list, err
}

// newBoundedList prepares a list of items at a location or, if location is empty, at those in only. It returns what to
// read them from.
func (r reader) newBoundedList(ctx context.Context, account, location string, only []string, f lost.ItemFilter,
	words []string) (g *boundedList, from string, err error) {
	g = &boundedList{reader: r, q: &query{}, f: f, list: lost.List[lost.Item]{Page: f.Page}, order: newestFirst}
	g.q.where("i.account_id = " + g.q.arg(account))
	if location != "" {
		g.q.where("i.location_id = " + g.q.arg(location))
	} else {
		g.locations = g.q.existingLocations(only)
	}
	if g.values, err = r.valuesOf(ctx, account, location, only, f); err != nil {
		return g, "", err
	}
	g.countsValues = len(words) == 0 && g.values.counts(f)
	if g.few, err = g.sortByDate(ctx); err != nil {
		return g, "", err
	}
	from, index := "items i", ""
	switch {
	case isPickupList(f, words):
		g.order, g.f.Statuses = soonestFirst, nil
		// A literal instead of an argument lets both databases use the partial index.
		g.q.where("i.status = '" + string(lost.PickUp) + "'")
	case g.few:
		index = statusIndex
	case sortsByUntil(f):
		if index, err = g.sortByUntil(ctx); err != nil {
			return g, "", err
		}
	case g.sortsByStatus():
		g.order = "i.status, i.seq"
		if f.Sort == lost.StatusLast {
			g.order = "i.status DESC, i.seq DESC"
		}
		index = statusIndex
	}
	if index, err = g.useCategoryIndex(ctx, index); err != nil {
		return g, "", err
	}
	r.narrowItems(g.q, g.f)
	switch {
	case f.By != "":
		return g, recentItems(g.q, f.Since), nil
	case f.SerialNumber != "":
		index = serialIndex
	case g.values.few && location != "":
		index = valueIndex
		g.q.within(g.values.bounds[0])
	case g.values.few:
		index = "" // see firstAt
	}
	return g, from + r.d.useIndex(index), nil
}

// sortsByDate reports whether a list is sorted by discovery date. A list of an owner state is not, because its index is
// in the order of creation.
func sortsByDate(f lost.ItemFilter) bool {
	return f.OwnerState == "" &&
		(f.From != "" || f.To != "" || f.Sort == lost.FoundFirst || f.Sort == lost.FoundLast)
}

// sortsByUntil reports whether a list is sorted by the last day of storage. Requests have none.
func sortsByUntil(f lost.ItemFilter) bool {
	byUntil := f.Sort == lost.UntilFirst || f.Sort == lost.UntilLast
	return byUntil && f.By == "" && f.OwnerState == "" && f.Source != lost.Request && !sortsByDate(f)
}

// sortsByStatus reports whether the list is sorted by status. The index is sorted by status only for one source.
func (g *boundedList) sortsByStatus() bool {
	return (g.f.Sort == lost.StatusFirst || g.f.Sort == lost.StatusLast) && g.order == newestFirst &&
		g.f.Source != "" && g.f.By == "" && g.f.Storage == "" && g.f.OwnerState == ""
}

// boundedList is the state of one call to boundedItems.
type boundedList struct {
	reader
	q     *query
	f     lost.ItemFilter
	list  lost.List[lost.Item]
	order string
	// values tells how a list by value is read, and countsValues whether its items are counted with the index on
	// values.
	values       listedValues
	countsValues bool
	// few reports whether so few items have the status or the categories of the list that all of them are read and
	// sorted. Otherwise, a page is soon found in the order of the list.
	few bool
	// countIndex is the index with which the items are counted, if it is not the one in the order of the list.
	countIndex string
	// locations is the condition on the locations l of the items, if they are at several.
	locations string
}

// filterDates makes the database use the index on dates, by preventing it from using an index on
// the status or the source. It does nothing if few items have the status, because the status index
// is faster then.
func (g *boundedList) filterDates(hasFew bool) {
	if hasFew {
		return
	}
	if len(g.f.Statuses) > 0 {
		whereIn(g.q, g.d.noIndex+"i.status", g.f.Statuses)
	}
	if g.f.Source != "" {
		g.q.where(g.d.noIndex + "i.source = " + g.q.arg(string(g.f.Source)))
	}
	g.f.Statuses, g.f.Source = nil, ""
}

// readPage reads one page of the matching items, and counts the matching items up to
// lost.MaxBoundedTotal.
func (g *boundedList) readPage(ctx context.Context, from, order string) (err error) {
	matching, countArgs := " FROM "+from+g.q.clause(), g.q.args
	counted := "SELECT 1 FROM " + g.countedFrom(from) + g.q.clause()
	if g.few || g.values.few || g.f.SerialNumber != "" {
		order = g.d.sortAfterSearch(order)
	}
	if g.countsValues {
		counted, countArgs = g.valuedItems(g.q, "", g.values.bounds, "1", "", lost.MaxBoundedTotal+1)
	}
	if err = g.readItems(ctx, "SELECT i.seq"+matching+" ORDER BY "+order+g.q.page(g.f.Page), g.q.args); err != nil {
		return err
	}
	g.list.Total, err = g.boundedTotal(ctx, g.f.Page, len(g.list.Data), counted, countArgs...)
	return err
}

// readItems reads the items that a query selects. The first arguments of the query are the account and the location.
func (g *boundedList) readItems(ctx context.Context, page string, args []any) error {
	rs, err := g.h.QueryPlanned(ctx, itemsOfPage("", page, g.order), args...)
	g.list.Data, err = collect(rs, err, g.scanItem)
	return err
}

// scanNewest searches the newest items for words. It reports whether the result is complete,
// because the page is full or there are no more items.
func (g *boundedList) scanNewest(ctx context.Context, from string, words []string) (complete bool, err error) {
	found, all, err := g.findInNewest(ctx, from, g.order, words, g.limits.beforeIndex)
	if err != nil || !all && len(found) < g.f.Page.Offset()+g.f.Page.Limit {
		return false, err
	}
	g.list.Total = lost.TotalTo(len(found), lost.MaxBoundedTotal)
	if !all && !g.list.AtLeast {
		g.list.Total = lost.Total{Count: lost.RoundDown(len(found)), AtLeast: true}
	}
	return true, g.readFound(ctx, found)
}

// findInNewest searches at most limit of the newest items. It returns the numbers of the items that
// contain all words, and reports whether there were no other items to search.
func (g *boundedList) findInNewest(ctx context.Context, from, order string, words []string,
	limit int) (found []int64, all bool, err error) {
	matching := " FROM " + from + g.q.clause()
	q := queryWith(g.q.args)
	for _, w := range words {
		q.whereTerm("newest.search", w, g.d.position)
	}
	// The first row is the number of searched items; it is limit+1 if there are more than limit.
	rs, err := g.h.QueryPlanned(ctx,
		fmt.Sprintf(`WITH newest AS MATERIALIZED (SELECT i.seq, i.search, i.status, i.discovery_date, i.store_until%s
		ORDER BY %s LIMIT %d)
		SELECT count(*) FROM newest UNION ALL SELECT seq FROM (SELECT newest.seq FROM newest%s ORDER BY %s
		LIMIT %d) AS found`,
			matching, order, limit+1, q.clause(), strings.ReplaceAll(g.order, "i.", "newest."), lost.MaxBoundedTotal+1),
		q.args...)
	numbers, err := collect(rs, err, scanNumber)
	if err != nil {
		return nil, false, err
	}
	return numbers[1:], numbers[0] <= int64(limit), nil
}

// readFound reads the requested page of the found items.
func (g *boundedList) readFound(ctx context.Context, found []int64) (err error) {
	begin := min(g.f.Page.Offset(), len(found))
	found = found[begin:min(begin+g.f.Page.Limit, len(found))]
	g.list.Data, err = g.itemsByNumber(ctx, g.q.args[:2], found, g.order)
	return err
}

// searchIndex finds items with the text index. If some words are too short for the index, it
// searches the newest of these items for the short words row by row.
func (g *boundedList) searchIndex(ctx context.Context, location string, long, short []string) error {
	source, err := g.search(ctx, g.q, location, long)
	if err != nil {
		return err
	}
	order := g.order
	if order == newestFirst { // the index is in this order
		order = source.order + " DESC"
	}
	if len(short) > 0 {
		return g.scanOnly(ctx, source.from, order, short)
	}
	return g.readPage(ctx, source.from, g.d.sortAfterSearch(order))
}

// scanOnly searches only the newest items for words. If there are older items, it records in
// list.Among how many were searched.
func (g *boundedList) scanOnly(ctx context.Context, from, order string, words []string) error {
	found, all, err := g.findInNewest(ctx, from, order, words, g.limits.withoutIndex)
	if err != nil {
		return err
	}
	g.list.Total = lost.TotalTo(len(found), lost.MaxBoundedTotal)
	if !all {
		g.list.Among = g.limits.withoutIndex
	}
	return g.readFound(ctx, found)
}

// splitByLength separates the words that the text index can find from the words that are too short
// for it.
func splitByLength(words []string) (long, short []string) {
	for _, w := range words {
		if utf8.RuneCountInString(w) < minIndexedLength {
			short = append(short, w)
		} else {
			long = append(long, w)
		}
	}
	return long, short
}

// sortByDate sorts a list by discovery date if it should be; see filterDates. It reports whether the list has so few
// items that they are read with the index on statuses.
func (g *boundedList) sortByDate(ctx context.Context) (hasFew bool, err error) {
	const inIndex = 5 // times as many, because their dates are in the index
	if !sortsByDate(g.f) {
		return false, nil
	}
	g.order = "i.discovery_date DESC, i.seq DESC"
	if g.f.Sort == lost.FoundFirst {
		g.order = "i.discovery_date, i.seq"
	}
	if g.d.fewItems > 0 {
		hasFew, err = g.hasFewItems(ctx, inIndex*g.d.fewItems)
	}
	g.filterDates(hasFew)
	return hasFew, err
}

// sortByUntil sorts a list by the last day of storage, and returns the index to read it from. Items in storage have an
// index of their own, because most of the earliest days are those of items that have left.
func (g *boundedList) sortByUntil(ctx context.Context) (index string, err error) {
	g.order = "i.store_until, i.seq"
	if g.f.Sort == lost.UntilLast {
		g.order = "i.store_until DESC, i.seq DESC"
	}
	if g.f.Storage == lost.InStorage {
		return "items_here_until", nil
	}
	if g.few, err = g.hasFewItems(ctx, g.limits.fewOfStatus); g.few || err != nil {
		return statusIndex, err
	}
	if g.f.Storage == "" && len(g.f.Statuses) == 1 {
		g.countIndex = statusIndex
	}
	return "items_by_store_until", nil
}

// hasFewItems reports whether the filter has one status, which at most this many items have at each location.
func (g *boundedList) hasFewItems(ctx context.Context, most int) (bool, error) {
	if len(g.f.Statuses) != 1 || g.f.Source == "" {
		return false, nil
	}
	q := queryWith(g.q.args, g.q.conditions...)
	q.where("i.source = " + q.arg(string(g.f.Source)))
	whereIn(q, "i.status", g.f.Statuses)
	at := ""
	if g.locations != "" {
		at = atLocations(g.locations)
	}
	rs, err := g.h.Query(ctx, "SELECT CAST(COALESCE(MAX(c.n), 0) AS BIGINT) FROM (SELECT SUM(i.n) AS n FROM "+
		"item_counts i"+q.clause()+at+" GROUP BY i.location_id) AS c", q.args...)
	n, _, err := firstValue[int](rs, err)
	return n <= most, err
}

// The indexes on statuses and on categories.
const (
	statusIndex   = "items_by_status"
	categoryIndex = "items_by_category"
)

// useCategoryIndex makes a list of categories that is not in the order of creation be counted with the index on
// categories and, if they have few items, be read with it. It returns the index to read the list from.
func (g *boundedList) useCategoryIndex(ctx context.Context, index string) (string, error) {
	if len(g.f.Categories) == 0 || g.few || g.values.few || g.f.By+g.f.SerialNumber != "" ||
		g.order == newestFirst || g.order == soonestFirst {
		return index, nil
	}
	limit := g.limits.fewValues + 1
	q := &query{args: slices.Clone(g.q.args), conditions: slices.Clone(g.q.conditions)}
	q.whereCategories(g.f.Categories)
	from := "items i" + g.d.useIndex(categoryIndex)
	items := "SELECT 1 FROM " + from + q.clause()
	if g.locations != "" {
		items = g.firstOfEach(q, from, "1", "", g.locations, limit)
	}
	rs, err := g.h.QueryPlanned(ctx, "SELECT count(*) FROM ("+items+limitClause(limit)+") AS few", q.args...)
	n, _, err := firstValue[int](rs, err)
	g.countIndex = categoryIndex
	if g.few = n < limit; g.few {
		return categoryIndex, err
	}
	return index, err
}

// countedFrom returns what to count the items of a list from that is read from another table expression.
func (g *boundedList) countedFrom(from string) string {
	if g.countIndex == "" {
		return from
	}
	return "items i" + g.d.useIndex(g.countIndex)
}
