package store

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"homeward/internal/lost"
)

// LastItemNumber returns the number of a location's newest item. An iteration that starts now stops
// at that item.
func (r reader) LastItemNumber(ctx context.Context, account, location string) (int64, error) {
	rs, err := r.h.Query(ctx, "SELECT COALESCE(MAX(seq), 0) FROM items WHERE account_id = $1 AND location_id = $2",
		account, location)
	last, _, err := firstValue[int64](rs, err)
	return last, err
}

// ItemBatch returns a batch of a location's items with numbers above after and up to until, oldest
// first, and the number of the last item in the batch. An iteration reads every item once and holds
// no connection between batches.
func (r reader) ItemBatch(ctx context.Context, account, location string, f lost.ItemFilter, after, until int64,
	limit int) ([]lost.Item, int64, error) {
	q := &query{}
	q.where("i.account_id = " + q.arg(account))
	q.where("i.location_id = " + q.arg(location))
	r.narrowItems(q, f)
	words := Words(f.Term)
	if len(words) == 0 && strings.TrimSpace(f.Term) != "" { // as in Items
		return nil, after, nil
	}
	source, err := r.search(ctx, q, location, words)
	if err != nil {
		return nil, after, err
	}
	q.where(source.order + " > " + q.arg(after))
	q.where(source.order + " <= " + q.arg(until))
	order := " ORDER BY " + source.order + limitClause(limit)
	text := itemsOfPage(", i.seq", "SELECT i.seq FROM "+source.from+q.clause()+order, "i.seq")
	if len(words) == 0 { // read in index order; a join would take quadratic time for a new location
		text = "SELECT " + itemColumns + ", i.seq FROM items i" + joinLocation + q.clause() +
			" AND l.deleted_at = 0" + order
	}
	rs, err := r.h.QueryPlanned(ctx, text, q.args...)
	items, err := collect(rs, err, func(rs rows) (lost.Item, error) { return scanItemWith(rs, &after) })
	return items, after, err
}

// AccountItem returns an account's item by id, at any location, or a NotFound error.
func (r reader) AccountItem(ctx context.Context, account, id string) (lost.Item, error) {
	return r.itemAnywhere(ctx, account, id, "")
}

// LockAccountItem is like AccountItem, but locks the item until the transaction ends.
func (tx *Tx) LockAccountItem(account, id string) (lost.Item, error) {
	i, err := tx.itemAnywhere(tx.ctx, account, id, tx.d.lock("i"))
	if err == nil {
		tx.advanceNow(i.UpdatedAt)
	}
	return i, err
}

// LockItemsAfter locks and returns a batch of a location's items in the order of creation, starting
// after the item with the number after. It also returns the number of the last item, or 0 if there
// are no more items.
func (tx *Tx) LockItemsAfter(account, location string, after int64,
	limit int) (items []lost.Item, last int64, err error) {
	rs, err := tx.h.Query(tx.ctx, "SELECT "+itemColumns+", i.seq FROM items i"+joinLocation+
		" WHERE i.account_id = $1 AND i.location_id = $2 AND i.seq > $3 AND l.deleted_at = 0 ORDER BY i.seq"+
		limitClause(limit)+tx.d.lock("i"), account, location, after)
	items, err = collect(rs, err, func(rs rows) (lost.Item, error) { return scanItemWith(rs, &last) })
	return items, last, err
}

// LockDueItems locks items that are due for a check by background jobs, and skips items that
// another instance has locked. It works across all accounts; only background jobs use it.
func (tx *Tx) LockDueItems(limit int) ([]lost.Item, error) {
	due, err := tx.pickDue("SELECT i.account_id, i.id FROM items i"+joinLocation+
		" WHERE i.look_at > 0 AND i.look_at <= $1 AND l.deleted_at = 0 ORDER BY i.look_at"+limitClause(limit)+
		tx.d.pickLockedOf("i"), micros(tx.now))
	if err != nil {
		return nil, err
	}
	var items []lost.Item
	for _, p := range due {
		q := &query{args: []any{p.account, micros(tx.now)}}
		q.where("i.account_id = $1 AND i.look_at > 0 AND i.look_at <= $2 AND l.deleted_at = 0")
		whereIn(q, "i.id", padList(p.ids, listMultiple))
		rs, err := tx.h.Query(tx.ctx, "SELECT "+itemColumns+" FROM items i"+joinLocation+q.clause()+
			" ORDER BY i.look_at"+tx.d.lockSkipping("i"), q.args...)
		locked, err := collect(rs, err, scanItem)
		if err != nil {
			return nil, err
		}
		items = append(items, locked...)
	}
	return items, nil
}

// ScheduleCheck sets the time when background jobs check an item next. With a zero time, they check
// it only after it changes.
func (tx *Tx) ScheduleCheck(account, item string, at time.Time) error {
	return tx.queue("UPDATE items SET look_at = $3 WHERE account_id = $1 AND id = $2", account, item, micros(at))
}

// ScheduleChecks makes a batch of a location's items due for a check, in the order of creation,
// starting after the item with the number after. It returns the number of the last item, or 0 if
// there are no more items.
func (tx *Tx) ScheduleChecks(account, location string, after int64, limit int) (last int64, err error) {
	if last, err = tx.endOfBatch(account, location, after, limit); err != nil || last == 0 {
		return 0, err
	}
	return last,
		tx.queue(`UPDATE items SET look_at = $5 WHERE account_id = $1 AND location_id = $2 AND seq > $3 AND seq <= $4
		AND source = 'found' AND status IN ('PENDING', 'PICKUP')`, account, location, after, last, micros(tx.now))
}

// endOfBatch returns the number of the last item in a batch of a location's items, or 0 if there are no more items.
func (tx *Tx) endOfBatch(account, location string, after int64, limit int) (int64, error) {
	rs, err := tx.h.Query(tx.ctx, `SELECT COALESCE(MAX(seq), 0) FROM
		(SELECT seq FROM items WHERE account_id = $1 AND location_id = $2 AND seq > $3 ORDER BY seq LIMIT $4) AS piece`,
		account, location, after, limit)
	last, _, err := firstValue[int64](rs, err)
	return last, err
}

// TouchItems marks the found items in a batch as changed that look different than with the earlier terms of their
// location. The batch is that of ScheduleChecks. Items without a guest's data stay marked as such.
func (tx *Tx) TouchItems(account, location string, earlier lost.Terms, after int64, limit int) (last int64, err error) {
	items, last, err := tx.LockItemsAfter(account, location, after, limit)
	if err != nil || last == 0 {
		return 0, err
	}
	items = slices.DeleteFunc(items, func(i lost.Item) bool { return i.Source != lost.Found || earlier.LookSame(i) })
	if len(items) == 0 {
		return last, nil
	}
	if err := tx.numberChange(account); err != nil {
		return 0, err
	}
	q := &query{args: []any{account, micros(tx.now)}}
	q.where("account_id = $1")
	ids := make([]string, len(items))
	for n, i := range items {
		ids[n] = i.ID
	}
	whereIn(q, "id", padList(ids, listMultiple))
	const touched = "CASE WHEN updated_at < CAST($2 AS BIGINT) THEN CAST($2 AS BIGINT) ELSE updated_at + 1000 END"
	err = tx.queue("UPDATE items SET updated_at = "+touched+
		", forgotten_at = CASE WHEN forgotten_at < updated_at THEN forgotten_at ELSE "+touched+
		" END, change = "+tx.d.changes.number+q.clause(), q.args...)
	for _, before := range items {
		if err != nil {
			break
		}
		i := before
		i.UpdatedAt = tx.now
		if !before.UpdatedAt.Before(tx.now) {
			i.UpdatedAt = before.UpdatedAt.Add(time.Millisecond)
		}
		err = tx.addChangeEvents(&before, &i)
	}
	return last, err
}

// AddTouchJob adds a job that calls TouchItems for a location's items with numbers above after.
func (tx *Tx) AddTouchJob(account, location string, earlier lost.Terms, after int64) error {
	duration := ""
	if days := earlier.StorageDuration; days != nil {
		duration = strconv.Itoa(*days)
	}
	return tx.AddJob(account, JobTouchItems, writeStrings([]string{
		location, strconv.FormatInt(after, 10), earlier.StoragePlace, duration, earlier.TimeZone,
	}), tx.now)
}

// AddCheckJob adds a job that schedules checks of a location's items with numbers above after.
func (tx *Tx) AddCheckJob(account, location string, after int64) error {
	return tx.AddJob(account, JobCheckItems, writeStrings([]string{location, strconv.FormatInt(after, 10)}), tx.now)
}

// NextCheck returns the time when the next check of an item or the next digest is due, if any. It
// works across all accounts; only background jobs use it.
func (r reader) NextCheck(ctx context.Context) (time.Time, bool, error) {
	rs, err := r.h.Query(withScope(ctx, BackgroundScope),
		`SELECT COALESCE(MIN(at), 0) FROM (SELECT * FROM (SELECT look_at AS at FROM items WHERE look_at > 0
				ORDER BY look_at LIMIT 1) AS item
		UNION ALL SELECT * FROM (SELECT digest_at AS at FROM locations WHERE digest_at > 0 ORDER BY digest_at
		LIMIT 1) AS digest) AS next`)
	at, _, err := firstValue[int64](rs, err)
	return fromMicros(at), at > 0, err
}

// ItemByReference returns an account's item by the reference on its tag, or a NotFound error.
func (r reader) ItemByReference(ctx context.Context, account, reference string) (lost.Item, error) {
	rs, err := r.h.Query(ctx,
		"SELECT "+itemColumns+" FROM items i"+joinLocation+
			" WHERE i.account_id = $1 AND i.reference = $2 AND l.deleted_at = 0", account, reference)
	return requireRow("item", rs, err, scanItem)
}

func (r reader) itemAnywhere(ctx context.Context, account, id, lock string) (lost.Item, error) {
	rs, err := r.h.Query(ctx,
		"SELECT "+itemColumns+" FROM items i"+joinLocation+
			" WHERE i.account_id = $1 AND i.id = $2 AND l.deleted_at = 0"+lock, account, id)
	return requireRow("item", rs, err, scanItem)
}

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
	index := "items_of_account"
	switch {
	case f.OwnerState != "":
		index = "items_by_owner_state_of_account"
	case f.Source == lost.Request:
		index = "items_requested_of_account"
	}
	from := "items i" + r.d.useIndex(index)
	page := "SELECT i.seq FROM " + from + joinLocation + q.clause() + " AND l.deleted_at = 0"
	if only != nil {
		end := f.Page.Offset() + f.Page.Limit + 1
		page = "SELECT i.seq FROM (" + r.firstOfEach(q, "items i", "i.seq", newestFirst, locations, end) + ") AS i"
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
	return collect(rs, err, scanItem)
}
