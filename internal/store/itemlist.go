package store

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"homeward/internal/lost"
)

// Items lists a location's items, newest first.
func (r reader) Items(ctx context.Context, account, location string, f lost.ItemFilter) (lost.List[lost.Item], error) {
	q := &query{}
	q.where("i.account_id = " + q.arg(account))
	q.where("i.location_id = " + q.arg(location))
	r.narrowItems(q, f)
	words := Words(f.Term)
	if len(words) == 0 && strings.TrimSpace(f.Term) != "" { // only invisible characters, which no text contains
		return lost.List[lost.Item]{Page: f.Page}, nil
	}
	if len(words) == 0 && isCounted(f) {
		return r.countedItems(ctx, q, f)
	}
	if f.Bounded {
		return r.boundedItems(ctx, account, location, f, words)
	}
	if len(words) > 0 {
		return r.searchItems(ctx, q, location, f, words)
	}
	values, err := r.valuesOf(ctx, account, location, nil, f)
	list := lost.List[lost.Item]{Page: f.Page}
	if err != nil {
		return list, err
	}
	from, order := "items i", newestFirst
	switch {
	case f.By != "":
		from = recentItems(q, f.Since)
	case f.SerialNumber != "":
		from, order = from+r.d.useIndex(serialIndex), r.d.sortAfterSearch(order)
	case values.few:
		q.within(values.bounds[0])
		from, order = from+r.d.useIndex(valueIndex), r.d.sortAfterSearch(order)
	}
	matching, countArgs := "SELECT 1 FROM "+from+q.clause(), q.args
	if values.counts(f) {
		matching, countArgs = r.valuedItems(q, "", values.bounds, "1", "", lost.MaxTotal+1)
	}
	if err := q.afterItem("i.seq", f.Page); err != nil {
		return list, err
	}
	rs, err := r.h.QueryPlanned(ctx, itemsOfPage(", i.seq",
		"SELECT i.seq FROM "+from+q.clause()+" ORDER BY "+order+q.pageAndNext(f.Page), newestFirst), q.args...)
	if err := r.collectItems(&list, rs, err); err != nil {
		return list, err
	}
	list.Total, err = r.countTotal(ctx, f.Page, len(list.Data), matching, countArgs...)
	return list, err
}

// isCounted reports whether the stored counts tell how many items a filter without words selects.
func isCounted(f lost.ItemFilter) bool {
	return f.From == "" && f.To == "" && len(f.States) == 0 && !f.Open && f.By == "" && f.Storage == "" &&
		f.ExternalID+f.SerialNumber == "" && len(f.Categories) == 0 && f.OwnerState == "" &&
		f.MinValue.Amount == 0 && f.Report.Figure == "" && (f.Sort == "" || !f.Bounded)
}

// afterItem adds the condition that items come after the position of a page, in a list that is sorted by the given
// column, newest first. A position in a list of items is the number of an item.
func (q *query) afterItem(column string, p lost.Page) error {
	if p.After == "" {
		return nil
	}
	number, err := strconv.ParseInt(p.After, 10, 64)
	if err != nil {
		return lost.E(lost.InvalidCursor, "This cursor is not from a list of items. Start again without it.")
	}
	q.where(column + " < " + q.arg(number))
	return nil
}

// collectItems reads the items of a page and the columns that follow them, of which the last is the number. If there is
// one more item than the page has, it sets the position of the next page.
func (r reader) collectItems(list *lost.List[lost.Item], rs rows, err error, more ...any) error {
	var number, last int64
	n := 0
	more = append(more, &number)
	list.Data, err = collect(rs, err, func(rs rows) (lost.Item, error) {
		i, err := r.scanItemWith(rs, more...)
		if n++; n <= list.Page.Limit {
			last = number
		}
		return i, err
	})
	if err == nil && n > list.Page.Limit {
		list.Data = list.Data[:list.Page.Limit]
		list.Next = strconv.FormatInt(last, 10)
	}
	return err
}

// HasItems reports whether an account has any item. If only is not nil, it contains the ids of
// the locations to consider.
func (r reader) HasItems(ctx context.Context, account string, only []string) (bool, error) {
	if only != nil && len(only) == 0 {
		return false, nil
	}
	q := &query{}
	q.where("account_id = " + q.arg(account))
	if only != nil {
		whereIn(q, "location_id", only)
	}
	rs, err := r.h.Query(ctx, "SELECT 1 FROM items"+q.clause()+limitClause(1), q.args...)
	_, found, err := firstValue[int](rs, err)
	return found, err
}

// RecentTraits returns the brand, model, color and places of a location's newest found items.
func (r reader) RecentTraits(ctx context.Context, account, location string, limit int) ([]lost.RecentValues, error) {
	rs, err := r.h.Query(ctx, `SELECT brand, model, color, discovery_place, storage_place FROM items
		WHERE account_id = $1 AND location_id = $2 AND source = 'found' ORDER BY seq DESC LIMIT $3`,
		account, location, limit)
	return collect(rs, err, func(rs rows) (t lost.RecentValues, err error) {
		err = rs.Scan(&t.Brand, &t.Model, &t.Color, &t.Place, &t.StoragePlace)
		return t, err
	})
}

// itemPage returns a query for one page of items. It finds the page in an index and reads only its
// rows, so that a late page costs little more than an early one. The page is a subquery and comes
// first in the join, because PostgreSQL would otherwise filter all of the location's items. CROSS
// JOIN keeps SQLite from reordering the join, which would have the same effect.
func itemPage(more, matching, page string) string {
	return itemsOfPage(more, "SELECT i.seq"+matching+" ORDER BY i.seq DESC"+page, newestFirst)
}

// itemsOfPage returns a query for the items whose numbers the query page selects. The account and
// the location must be the first two arguments. The page and the location are a subquery with a
// limit, which hides the location from PostgreSQL's planner. With statistics older than the
// location, PostgreSQL would otherwise read all of the location's items for each item of the page.
func itemsOfPage(more, page, order string) string {
	return "SELECT " + itemColumns + more +
		" FROM (SELECT page.seq, l.id, l.storage_place, l.storage_duration, l.time_zone, " +
		"l.keeping_rules FROM (" + page +
		") AS page CROSS JOIN locations l WHERE l.account_id = $1 AND l.id = $2 AND l.deleted_at = 0" +
		limitClause(maxPage) + ") AS l CROSS JOIN items i" +
		" WHERE i.account_id = $1 AND i.location_id = l.id AND i.seq = l.seq ORDER BY " + order
}

// maxPage is larger than any page of items.
const maxPage = 1_000_000

// countedItems lists items for a filter whose total can be read from the stored counts. Every row
// includes the total, which avoids a second query.
func (r reader) countedItems(ctx context.Context, q *query, f lost.ItemFilter) (lost.List[lost.Item], error) {
	page := f.Page
	list := lost.List[lost.Item]{Page: page}
	matching, countArgs := q.clause(), q.args
	sum := "SELECT CAST(COALESCE(SUM(i.n), 0) AS BIGINT) FROM item_counts i" + matching
	if err := q.afterItem("i.seq", page); err != nil {
		return list, err
	}
	numbered := ", (" + sum + "), i.seq"
	var text string
	switch {
	case len(f.Statuses) > 1 && f.Source != "" && page.Offset()+page.Limit <= maxMerged:
		text = itemPage(numbered, " FROM "+mergedItems(q, f), q.pageAndNext(page))
	case page.Offset() > 0:
		text = itemPage(numbered, " FROM items i"+matching, q.pageAndNext(page))
	default: // the first page, which is the most frequent one, is at the start of the index
		text = "SELECT " + itemColumns + numbered + " FROM items i" + joinLocation + q.clause() +
			" AND l.deleted_at = 0 ORDER BY i.seq DESC" + q.pageAndNext(page)
	}
	var n int
	rs, err := r.h.Query(ctx, text, q.args...)
	err = r.collectItems(&list, rs, err, &n)
	switch {
	case err != nil:
		return list, err
	case page.After != "":
		list.Total = page.Counted
		return list, nil
	case len(list.Data) == 0: // without a row there is no total
		rs, err = r.h.Query(ctx, sum, countArgs...)
		n, _, err = firstValue[int](rs, err)
	}
	list.Total = lost.TotalOf(n)
	return list, err
}

// searchesByFilter reports whether testing the newest items with the filter's status or source for the words reads
// fewer rows than testing the newest items that the text index finds for the filter.
func (r reader) searchesByFilter(ctx context.Context, account, location string, f lost.ItemFilter,
	words []string) (bool, error) {
	if r.d.searchTrigrams == nil || !hasStatusIndex(f) {
		return false, nil
	}
	filtered, err := r.countFiltered(ctx, account, location, f)
	if err != nil || filtered <= int64(r.d.fewItems) {
		return err == nil, err
	}
	share, all := 1.0, float64(filtered) // the share of rows that contain all words, and the number of all rows
	for _, w := range words[:min(len(words), maxEstimated)] {
		trigram, e, err := r.rarestOf(ctx, w)
		if err != nil {
			return false, err
		}
		if trigram == "" {
			continue
		}
		all = max(all, float64(e.newest))
		share *= float64(e.rows) / float64(max(1, e.newest))
	}
	needed := float64(f.Page.Offset() + f.Page.Limit + lost.MaxBoundedTotal)
	byFilter := min(float64(filtered), needed/max(share, 1/all))
	byWords := min(all*share, needed*all/float64(filtered))
	return byFilter < byWords, nil
}

// hasStatusIndex reports whether the items of a filter are in the order of creation in the index items_by_status.
func hasStatusIndex(f lost.ItemFilter) bool {
	if f.Storage != "" { // it replaces the condition on the source
		return false
	}
	return f.Source == lost.Request && len(f.Statuses) == 0 || f.Source != "" && len(f.Statuses) == 1
}

// countFiltered returns the stored number of items with the filter's source and status.
func (r reader) countFiltered(ctx context.Context, account, location string, f lost.ItemFilter) (int64, error) {
	q := &query{}
	q.where("account_id = " + q.arg(account))
	q.where("location_id = " + q.arg(location))
	q.where("source = " + q.arg(string(f.Source)))
	if len(f.Statuses) > 0 {
		whereIn(q, "status", f.Statuses)
	}
	rs, err := r.h.Query(ctx, "SELECT CAST(COALESCE(SUM(n), 0) AS BIGINT) FROM item_counts"+q.clause(), q.args...)
	n, _, err := firstValue[int64](rs, err)
	return n, err
}

// searchFiltered restricts a query for items i to those that contain every word, and tests the items of the filter's
// status or source in the order of creation.
func (r reader) searchFiltered(q *query, f lost.ItemFilter, words []string) itemSearch {
	source := r.searchRows(q, words)
	if f.Source == lost.Request && len(f.Statuses) == 0 {
		// The index is in the order of creation only for one status.
		q.where("i.status = '" + string(lost.RequestStatus) + "'")
	}
	source.from += r.d.useIndex("items_by_status")
	return source
}

// maxMerged is the last position in a list with several statuses for which each status is read
// separately. For later positions, all of the location's items are scanned.
const maxMerged = 1000

// mergedItems returns a subquery for the newest items of each status in the filter. It does not
// scan items of other statuses. If the page has a position, it is the last condition of the query.
func mergedItems(q *query, f lost.ItemFilter) string {
	source, limit := q.arg(string(f.Source)), strconv.Itoa(f.Page.Offset()+f.Page.Limit+1)
	older := ""
	if f.Page.After != "" {
		older = " AND " + strings.TrimPrefix(q.conditions[len(q.conditions)-1], "i.")
	}
	parts := make([]string, len(f.Statuses))
	for n, s := range f.Statuses {
		parts[n] = "SELECT seq FROM (SELECT seq FROM items WHERE account_id = $1 AND location_id = $2 AND source = " +
			source + " AND status = " + q.arg(string(s)) + older +
			" ORDER BY seq DESC LIMIT " + limit + ") AS s" + strconv.Itoa(n)
	}
	return "(" + strings.Join(parts, " UNION ALL ") + ") AS i"
}

// recentItems returns a subquery for the account's newest items since the given time, selected by
// their ids, which sort by creation. Its limit prevents the planner from merging it with the outer
// query and scanning all of the location's items.
func recentItems(q *query, since time.Time) string {
	return "(SELECT account_id, location_id, id, seq, status, source, claim_state, discovery_date, closed_at, " +
		"search, store_until, category, value_amount, value_currency, serial_key FROM items " +
		"WHERE account_id = $1 AND id >= " +
		q.arg(lost.FirstID(lost.ItemID, since)) + " ORDER BY id DESC LIMIT " + strconv.Itoa(lost.MaxTotal) + ") AS i"
}

// heldCondition is lost.Item.Held in SQL. It must be identical to the condition of the indexes
// items_held and items_here. Otherwise the databases would not use these indexes.
const heldCondition = " AND i.source = 'found' AND i.status NOT IN ('SHIPPED', 'DELIVERED') AND (i.closed_at = 0 OR " +
	"i.status " +
	"NOT IN ('PICKUP', 'DISCARD', 'DONATE'))"

// leftCondition is the condition for found items that have left their location.
const leftCondition = "i.source = 'found' AND (i.status IN ('SHIPPED', 'DELIVERED') " +
	"OR i.closed_at > 0 AND i.status IN ('PICKUP', 'DISCARD', 'DONATE'))"

// narrowByOwnerState adds the condition on the owner state. It replaces the conditions on the source and the status
// that it includes, because only literals let both databases use the partial indexes.
func narrowByOwnerState(q *query, f *lost.ItemFilter) {
	if f.OwnerState == "" {
		return
	}
	q.where(awaitsOwner + " AND i.owner_state = " + q.arg(string(f.OwnerState)))
	if f.Source == lost.Found {
		f.Source = ""
	}
	if slices.Contains(f.Statuses, lost.Pending) {
		f.Statuses = nil
	}
}

// awaitsOwner is lost.AwaitsOwner in SQL. It is the condition of the indexes on owner_state.
const awaitsOwner = "i.source = 'found' AND i.status = 'PENDING'"

// serialIndex is the index on serial_key, which is lost.SerialKey of the serial number.
const serialIndex = "items_by_serial_number"

// whereCategories adds the condition that items have one of the categories.
func (q *query) whereCategories(categories []lost.Category) {
	whereIn(q, "i.category", categories)
	q.where("i.category <> ''") // lets both databases use the partial indexes
}

func (r reader) narrowItems(q *query, f lost.ItemFilter) {
	narrowByOwnerState(q, &f)
	r.narrowByReport(q, f.Report)
	narrowByValue(q, f.MinValue)
	switch len(f.Statuses) {
	case 0:
	case 1:
		whereIn(q, "i.status", f.Statuses)
	default: // the list is sorted by creation, not by status
		whereIn(q, r.d.noIndex+"i.status", f.Statuses)
	}
	if f.Open {
		q.where("i.closed_at = 0")
	}
	if len(f.Categories) > 0 {
		q.whereCategories(f.Categories)
	}
	if f.ExternalID != "" {
		q.whereExternalID("i.external_id", f.ExternalID)
	}
	if f.SerialNumber != "" {
		q.where("i.serial_key = " + q.arg(lost.SerialKey(f.SerialNumber)))
		q.where("i.serial_key <> ''") // lets both databases use the partial index
	}
	switch f.Storage {
	case lost.InStorage:
		q.where(strings.TrimPrefix(heldCondition, " AND "))
	case lost.OutOfStorage:
		q.where(leftCondition)
	}
	if f.By != "" {
		q.where("i.id >= " + q.arg(lost.FirstID(lost.ItemID, f.Since)))
		q.where("EXISTS (SELECT 1 FROM item_history h WHERE h.account_id = i.account_id AND h.item_id = i.id AND " +
			"h.action = '" + string(lost.Created) +
			"' AND h.actor_kind = '" + string(lost.ByUser) + "' AND h.actor_id = " + q.arg(f.By) + ")")
	}
	switch {
	case f.Source == "", f.Source == lost.Found && f.Storage != "": // the storage condition includes the source
	case f.Source == lost.Request: // a literal lets both databases use the index of requests
		q.where("i.source = '" + string(lost.Request) + "'")
	default:
		q.where("i.source = " + q.arg(string(f.Source)))
	}
	if len(f.States) > 0 {
		whereIn(q, "i.claim_state", f.States)
	}
	date := "i.discovery_date"
	if !f.Bounded || f.OwnerState != "" || sortsByUntil(f) { // the list is not sorted by this date
		date = r.d.noIndex + date
	}
	if f.From != "" {
		q.where(date + " >= " + q.arg(f.From))
	}
	if f.To != "" {
		q.where(date + " <= " + q.arg(f.To))
		q.where(date + " <> ''")
	}
}
