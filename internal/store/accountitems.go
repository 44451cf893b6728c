package store

import (
	"context"
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
	matching, countArgs := q.clause(), q.args
	if err := q.afterItem("i.seq", f.Page); err != nil {
		return nil, err
	}
	index, first := "items_of_account", "items i"
	switch {
	case readsByValue(f):
		index, first = "items_by_value_of_account", first+r.d.useIndex("items_by_value")
	case f.OwnerState != "":
		index = "items_by_owner_state_of_account"
	case len(f.Categories) > 0:
		index = "items_by_category_of_account"
	case f.Source == lost.Request:
		index = "items_requested_of_account"
	}
	from := "items i" + r.d.useIndex(index)
	page := "SELECT i.seq FROM " + from + joinLocation + q.clause() + " AND l.deleted_at = 0"
	if only != nil {
		end := f.Page.Offset() + f.Page.Limit + 1
		page = "SELECT i.seq FROM (" + r.firstOfEach(q, first, "i.seq", newestFirst, locations, end) + ") AS i"
	}
	rs, err := r.h.QueryPlanned(ctx, page+" ORDER BY i.seq DESC"+q.pageAndNext(f.Page), q.args...)
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
		list.Total, err = r.countTotal(ctx, f.Page, len(numbers), "SELECT 1 FROM "+from+existing, countArgs...)
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
