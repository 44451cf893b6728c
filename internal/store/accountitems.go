package store

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"homeward/internal/lost"
)

// AccountItems lists the items of an account's locations, newest first. If only is not nil, it contains the ids of the
// locations.
func (r reader) AccountItems(ctx context.Context, account string, only []string,
	f lost.ItemFilter) (lost.List[lost.Item], error) {
	list := lost.List[lost.Item]{Page: f.Page}
	words := Words(f.Term)
	if len(words) == 0 && strings.TrimSpace(f.Term) != "" || only != nil && len(only) == 0 { // as in Items
		return list, nil
	}
	if f.Bounded {
		long, _ := splitByLength(words)
		switch {
		case len(only) == 1:
			return r.Items(ctx, account, only[0], f)
		case only == nil && len(words) == 0 && isCounted(f) && len(f.Statuses) == 0: // an index has all items in order
		case len(long) == 0:
			return r.boundedAccountItems(ctx, account, only, f, words)
		}
		f.Bounded = false // the following is sorted by creation
	}
	q := &query{}
	q.where("i.account_id = " + q.arg(account))
	locations := q.existingLocations(only)
	r.narrowItems(q, f)
	var numbers []int64
	var err error
	if len(words) > 0 {
		numbers, err = r.searchAccount(ctx, q, locations, words, &list)
	} else {
		numbers, err = r.newestOfAccount(ctx, q, only, locations, f, &list)
	}
	if err != nil || len(numbers) == 0 {
		return list, err
	}
	list.Data, err = r.accountItemsByNumber(ctx, account, numbers, newestFirst)
	return list, err
}

// searchAccount returns the numbers of the items on a page that contain all words.
func (r reader) searchAccount(ctx context.Context, q *query, locations string, words []string,
	list *lost.List[lost.Item]) ([]int64, error) {
	source, err := r.search(ctx, q, "", words)
	if err != nil {
		return nil, err
	}
	source.from += joinLocation
	q.where(locations)
	return r.findHits(ctx, q, source, list)
}

// newestOfAccount returns the numbers of the items on a page of a list without words.
func (r reader) newestOfAccount(ctx context.Context, q *query, only []string, locations string, f lost.ItemFilter,
	list *lost.List[lost.Item]) (numbers []int64, err error) {
	matching, countArgs, conditions := q.clause(), q.args, slices.Clone(q.conditions)
	if err := q.afterItem("i.seq", f.Page); err != nil {
		return nil, err
	}
	values, err := r.valuesOf(ctx, q.args[0].(string), "", only, f)
	if err != nil {
		return nil, err
	}
	index, first, order := "items_of_account", "items i", newestFirst
	switch {
	case f.SerialNumber != "":
		index, order = serialIndex, r.d.sortAfterSearch(order)
		first += r.d.useIndex(index)
	case f.OwnerState != "":
		index = "items_by_owner_state_of_account"
	case len(f.Categories) > 0:
		index = "items_by_category_of_account"
	case f.Source == lost.Request:
		index = "items_requested_of_account"
	}
	from := "items i" + r.d.useIndex(index)
	page := "SELECT i.seq FROM " + from + joinLocation + q.clause() + " AND l.deleted_at = 0"
	end := f.Page.Offset() + f.Page.Limit + 1
	switch {
	case values.few:
		parts, args := r.valuedItems(q, locations, values.bounds, "i.seq", newestFirst, end)
		q.args, page = args, "SELECT i.seq FROM ("+parts+") AS i"
	case only != nil:
		page = "SELECT i.seq FROM (" + r.firstOfEach(q, first, "i.seq", order, locations, end) + ") AS i"
	}
	rs, err := r.h.QueryPlanned(ctx, page+" ORDER BY "+order+q.pageAndNext(f.Page), q.args...)
	if numbers, err = collect(rs, err, scanNumber); err != nil {
		return nil, err
	}
	if limit := f.Page.Limit; len(numbers) > limit {
		numbers = numbers[:limit]
		list.Next = strconv.FormatInt(numbers[limit-1], 10)
	}
	existing := matching + atLocations(locations)
	switch {
	case f.Page.After != "":
		list.Total = f.Page.Counted
	case isCounted(f):
		rs, err := r.h.Query(ctx,
			"SELECT CAST(COALESCE(SUM(i.n), 0) AS BIGINT) FROM item_counts i"+existing, countArgs...)
		n, _, err := firstValue[int](rs, err)
		list.Total = lost.TotalOf(n)
		return numbers, err
	default:
		counted := "SELECT 1 FROM " + from + existing
		if values.few || values.counts(f) {
			all := queryWith(countArgs, conditions...)
			counted, countArgs = r.valuedItems(all, locations, values.bounds, "1", "", lost.MaxTotal+1)
		}
		list.Total, err = r.countTotal(ctx, f.Page, len(numbers), counted, countArgs...)
	}
	return numbers, err
}

// accountItemsByNumber returns an account's items with the given numbers, sorted.
func (r reader) accountItemsByNumber(ctx context.Context, account string, numbers []int64,
	order string) ([]lost.Item, error) {
	if len(numbers) == 0 {
		return nil, nil
	}
	q := &query{}
	q.arg(account)
	page := make([]string, len(numbers))
	for n, seq := range numbers {
		page[n] = "SELECT CAST(" + q.arg(seq) + " AS BIGINT) AS seq"
	}
	rs, err := r.h.Query(ctx, "SELECT "+itemColumns+" FROM ("+strings.Join(page, " UNION ALL ")+
		") AS page CROSS JOIN items i"+joinLocation+
		" WHERE i.account_id = $1 AND i.seq = page.seq AND l.deleted_at = 0 ORDER BY "+order, q.args...)
	return collect(rs, err, r.scanItem)
}

// boundedAccountItems lists a page of the items of several locations in bounded time; see lost.ItemFilter.Bounded. It
// reads the first items of each location from the same index as the list of that location, and merges them.
func (r reader) boundedAccountItems(ctx context.Context, account string, only []string,
	f lost.ItemFilter, words []string) (lost.List[lost.Item], error) {
	g, from, err := r.newBoundedList(ctx, account, "", only, f, words)
	if err != nil {
		return g.list, err
	}
	if len(words) > 0 {
		parts := g.firstAt(g.q, from, "i.seq, i.search, i.status, i.discovery_date, i.store_until", g.order,
			g.limits.withoutIndex+1)
		return g.scanMerged(ctx, account, parts, words)
	}
	countArgs := g.q.args
	first := g.firstItems(from, f.Page.Offset()+f.Page.Limit)
	page := "SELECT i.seq FROM (" + first + ") AS i ORDER BY " + g.order + g.q.page(f.Page)
	rs, err := r.h.QueryPlanned(ctx, page, g.q.args...)
	numbers, err := collect(rs, err, scanNumber)
	if err != nil {
		return g.list, err
	}
	if g.list.Data, err = r.accountItemsByNumber(ctx, account, numbers, g.order); err != nil {
		return g.list, err
	}
	if isCounted(f) {
		rs, err = r.h.Query(ctx, "SELECT CAST(COALESCE(SUM(i.n), 0) AS BIGINT) FROM item_counts i"+g.q.clause()+
			atLocations(g.locations), countArgs...)
		n, _, err := firstValue[int](rs, err)
		g.list.Total = lost.TotalOf(n)
		return g.list, err
	}
	all := queryWith(countArgs, g.q.conditions...)
	var matching string
	if g.countsValues {
		matching, countArgs = r.valuedItems(all, g.locations, g.values.bounds, "1", "", lost.MaxBoundedTotal+1)
	} else {
		matching = g.firstAt(all, g.countedFrom(from), "1", "", lost.MaxBoundedTotal+1)
	}
	g.list.Total, err = r.boundedTotal(ctx, f.Page, len(numbers), matching, countArgs...)
	return g.list, err
}

// firstAt returns a query for the first items of each location up to a limit. The items that somebody recorded today
// are few, so that they are not read for each location.
func (g *boundedList) firstAt(q *query, from, columns, order string, limit int) string {
	switch {
	case g.values.few:
		parts, args := g.valuedItems(q, g.locations, g.values.bounds, columns, order, limit)
		q.args = args
		return parts
	case g.f.By == "":
		if g.few {
			order = g.d.sortAfterSearch(order)
		}
		return g.firstOfEach(q, from, columns, order, g.locations, limit)
	}
	return "SELECT " + columns + " FROM " + from + q.clause() + atLocations(g.locations)
}

// firstItems returns a query for the first items of each location up to a position. If the filter has several statuses,
// each is read separately, as in mergedItems.
func (g *boundedList) firstItems(from string, end int) string {
	columns := "i.seq, i.status, i.discovery_date, i.store_until"
	switch g.order {
	case newestFirst:
		columns = "i.seq"
	case soonestFirst:
		columns = "i.seq, i.pickup_date, i.pickup_time"
	}
	if !isCounted(g.f) || len(g.f.Statuses) < 2 || g.f.Source == "" || end > maxMerged {
		return g.firstAt(g.q, from, columns, g.order, end)
	}
	var parts []string
	for _, s := range g.f.Statuses {
		one := queryWith(g.q.args, g.q.conditions...)
		one.where("i.status = " + one.arg(string(s)))
		parts = append(parts, g.firstAt(one, from, columns, g.order, end))
		g.q.args = one.args
	}
	return strings.Join(parts, " UNION ALL ")
}

// scanMerged searches the newest of the items that parts selects for words that the text index cannot find.
func (g *boundedList) scanMerged(ctx context.Context, account, parts string,
	words []string) (lost.List[lost.Item], error) {
	g.q.conditions = []string{"i.seq > 0"} // parts contains the others
	found, all, err := g.findInNewest(ctx, "("+parts+") AS i", g.order, words, g.limits.withoutIndex)
	if err != nil {
		return g.list, err
	}
	g.list.Total = lost.TotalTo(len(found), lost.MaxBoundedTotal)
	if !all {
		g.list.Among = g.limits.withoutIndex
	}
	begin := min(g.f.Page.Offset(), len(found))
	found = found[begin:min(begin+g.f.Page.Limit, len(found))]
	g.list.Data, err = g.accountItemsByNumber(ctx, account, found, g.order)
	return g.list, err
}

// valueIndex is the index on items with values.
const valueIndex = "items_by_value"

// narrowByValue adds the condition that items are worth at least an amount. It is a comparison of a CASE, so that
// neither database uses the index on values, and that PostgreSQL does not expect it to exclude many rows.
func narrowByValue(q *query, f lost.ValueFilter) {
	if f.Amount == 0 {
		return
	}
	bounds := []string{"1 = 0"}
	for _, b := range f.Bounds {
		at := queryWith(q.args)
		at.where("i.value_currency = " + at.arg(b.Currency))
		at.where("i.value_amount >= " + at.arg(b.Amount))
		if b.Locations != nil {
			whereIn(at, "i.location_id", padList(b.Locations, listMultiple))
		}
		q.args = at.args
		bounds = append(bounds, strings.Join(at.conditions, " AND "))
	}
	q.where("CASE WHEN " + strings.Join(bounds, " OR ") + " THEN 1 ELSE 0 END <> 0")
}

// within adds the condition that items are within a bound, in the order of the index on values.
func (q *query) within(b lost.ValueBound) {
	q.where("i.value_currency = " + q.arg(b.Currency))
	q.where("i.value_amount >= " + q.arg(b.Amount))
	q.where("i.value_amount > 0") // lets both databases use the partial index
}

// listedValues tells how a list by value is read.
type listedValues struct {
	bounds []lost.ValueBound // empty if the index on values is of no use for the list
	// few reports whether so few items are within the bounds that all of them are read and sorted. Otherwise, a page is
	// soon found in the order of the list.
	few   bool
	count int // of items within the bounds, if they are few
}

// valuesOf returns how a list by value is read, at a location or, if it is empty, at those in only. It counts at most
// limits.fewValues items.
func (r reader) valuesOf(ctx context.Context, account, location string, only []string,
	f lost.ItemFilter) (v listedValues, err error) {
	if f.MinValue.Amount == 0 || f.Report.Figure != "" || f.By+f.ExternalID+f.SerialNumber != "" {
		return v, nil // few items have the last three
	}
	bounds := f.MinValue.Bounds
	q, locations := &query{}, ""
	q.where("i.account_id = " + q.arg(account))
	if location != "" {
		q.where("i.location_id = " + q.arg(location))
		bounds = slices.DeleteFunc(slices.Clone(bounds), func(b lost.ValueBound) bool {
			return b.Locations != nil && !slices.Contains(b.Locations, location)
		})
		if len(bounds) > 1 { // a location has one currency
			return v, nil
		}
	} else {
		locations = q.existingLocations(only)
	}
	if len(bounds) == 0 {
		return v, nil
	}
	parts, args := r.valuedItems(q, locations, bounds, "1", "", r.limits.fewValues+1)
	rs, err := r.h.QueryPlanned(ctx, "SELECT count(*) FROM (SELECT 1 FROM ("+parts+") AS valued"+
		limitClause(r.limits.fewValues+1)+") AS few", args...)
	n, _, err := firstValue[int](rs, err)
	return listedValues{bounds: bounds, few: n <= r.limits.fewValues, count: n}, err
}

// counts reports whether the items of a list are counted with the index on values, because they are few or because
// nothing else limits the list to few items.
func (v listedValues) counts(f lost.ItemFilter) bool {
	return len(v.bounds) > 0 && (v.few || len(f.Statuses) == 0 && len(f.States) == 0 && len(f.Categories) == 0 &&
		f.From+f.To == "" && f.OwnerState == "" && f.Source != lost.Request)
}

// valuedItems returns a query for items within the bounds, and its arguments. At the locations of a condition, it
// selects the first items of each location and bound, up to a limit. It reads them with the index on values and then
// sorts them. Without a condition, q selects the location. An empty order is that of the index.
func (r reader) valuedItems(q *query, locations string, bounds []lost.ValueBound, columns, order string,
	limit int) (text string, args []any) {
	parts, from := make([]string, len(bounds)), "items i"+r.d.useIndex(valueIndex)
	sorted := r.d.sortAfterSearch(order)
	if order == "" { // that of the index, so that PostgreSQL reads no more than is counted
		sorted = "i.value_amount"
	}
	args = q.args
	for n, b := range bounds {
		one := queryWith(args, q.conditions...)
		one.within(b)
		at := locations
		if at != "" && b.Locations != nil {
			chosen := queryWith(one.args)
			whereIn(chosen, "l.id", padList(b.Locations, listMultiple))
			at, one.args = at+" AND "+chosen.conditions[0], chosen.args
		}
		if at != "" {
			parts[n] = r.firstOfEach(one, from, columns, sorted, at, limit)
		} else {
			parts[n] = "SELECT " + columns + " FROM " + from + one.clause() + " ORDER BY " + sorted
		}
		args = one.args
	}
	return strings.Join(parts, " UNION ALL "), args
}
