package store

import (
	"context"
	"fmt"
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
	rs, err := tx.h.Query(tx.ctx, `SELECT COALESCE(MAX(seq), 0) FROM
		(SELECT seq FROM items WHERE account_id = $1 AND location_id = $2 AND seq > $3 ORDER BY seq LIMIT $4) AS piece`,
		account, location, after, limit)
	if last, _, err = firstValue[int64](rs, err); err != nil || last == 0 {
		return 0, err
	}
	return last,
		tx.queue(`UPDATE items SET look_at = $5 WHERE account_id = $1 AND location_id = $2 AND seq > $3 AND seq <= $4
		AND source = 'found' AND status IN ('PENDING', 'PICKUP')`, account, location, after, last, micros(tx.now))
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

// EachFind calls show with the data that statistics need about each of a location's newest found
// items. An index contains all of this data, so the items themselves are not read.
//
// The caller computes the totals, because otherwise the database would have to handle time zones.
// With SQLite this is also faster, because SQLite would sort the rows to group them.
func (r reader) EachFind(ctx context.Context, account, location string, limit int, show func(lost.FindFacts)) error {
	rs, err := r.h.Query(ctx,
		fmt.Sprintf(`SELECT status, discovery_date, created_at, moved_at, closed_at, destination FROM
		(SELECT status, source, discovery_date, created_at, moved_at, closed_at, destination FROM items
		WHERE account_id = $1 AND location_id = $2 ORDER BY seq DESC LIMIT %d) AS newest
		WHERE source = 'found'`, limit), account, location)
	if err != nil {
		return err
	}
	defer rs.Close()
	for rs.Next() {
		var f lost.FindFacts
		var status, destination string
		var created, moved, closed int64
		if err := rs.Scan(&status, &f.DiscoveryDate, &created, &moved, &closed, &destination); err != nil {
			return err
		}
		f.Destination = lost.Destination(destination)
		f.Status = lost.Status(status)
		f.CreatedAt = fromMicros(created)
		f.MovedAt = fromMicros(moved)
		f.ClosedAt = fromMicros(closed)
		show(f)
	}
	return rs.Err()
}
