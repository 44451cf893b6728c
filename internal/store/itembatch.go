package store

import (
	"context"
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
	items, err := collect(rs, err, func(rs rows) (lost.Item, error) { return r.scanItemWith(rs, &after) })
	return items, after, err
}

// StoredItems returns a batch of the items that a location holds, with numbers above after and oldest first, and the
// number of the last item in the batch. The items have only those fields on which the end of their storage depends, and
// whether they can be cleared then.
func (r reader) StoredItems(ctx context.Context, account, location string, t lost.Terms, after int64,
	limit int) (items []lost.Item, last int64, err error) {
	rs, err := r.h.QueryPlanned(ctx, "SELECT i.seq, i.id, i.status, i.discovery_date, i.created_at, i.hold, "+
		"i.category, i.value_amount, i.value_currency, i.finder_claims_item, i.destination, i.care, i.parcel "+
		"FROM items i "+
		"WHERE i.account_id = $1 AND i.location_id = $2 AND i.seq > $3"+heldCondition+" ORDER BY i.seq"+
		limitClause(limit), account, location, after)
	items, err = collect(rs, err, func(rs rows) (lost.Item, error) {
		row := itemRow{Item: lost.Item{Account: account, LocationID: location, Source: lost.Found, Terms: t}}
		err := rs.Scan(&last, &row.ID, &row.status, &row.DiscoveryDate, &row.created, &row.Hold, &row.category,
			&row.Value.Amount, &row.Value.Currency, &row.Finder.ClaimsItem, &row.destination, &row.care, &row.parcel)
		if err == nil {
			err = readJSON("a parcel", row.parcel, &row.Parcel)
		}
		if err != nil {
			return row.Item, err
		}
		row.Status, row.Category = lost.Status(row.status), lost.Category(row.category)
		row.CreatedAt = fromMicros(row.created)
		return row.Item, readCustody(row.destination, row.care, &row.Item)
	})
	return items, last, err
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
	items, err = collect(rs, err, func(rs rows) (lost.Item, error) { return tx.scanItemWith(rs, &last) })
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
		locked, err := collect(rs, err, tx.scanItem)
		if err != nil {
			return nil, err
		}
		items = append(items, locked...)
	}
	return items, nil
}

// ScheduleNextCheck is like ScheduleCheck, and stores the end of the item's storage again, in case that the rules of
// the location were changed while somebody saved the item.
func (tx *Tx) ScheduleNextCheck(i lost.Item, at time.Time) error {
	return tx.queue("UPDATE items SET look_at = $3, store_until = $4 WHERE account_id = $1 AND id = $2", i.Account,
		i.ID, micros(at), storedUntil(&i))
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

// TouchItems stores the end of storage of the items in a batch, and marks the found items as changed that look
// different than with the earlier terms of their location. The batch is that of ScheduleChecks. Items whose end of
// storage moves are checked again: at once if a reminder or a task may depend on it, otherwise when the storage ends.
// Items without a guest's data stay marked as such.
func (tx *Tx) TouchItems(account, location string, earlier lost.Terms, after int64, limit int) (last int64, err error) {
	return tx.dateItems(account, location, &earlier, after, limit)
}

// DateItems stores the end of storage and the serial_key of the items in a batch, which is that of ScheduleChecks.
func (tx *Tx) DateItems(account, location string, after int64, limit int) (last int64, err error) {
	return tx.dateItems(account, location, nil, after, limit)
}

// datedItem is an item with its stored end of storage and its stored serial_key.
type datedItem struct {
	lost.Item
	stored, serialKey string
}

// dateItems is TouchItems or, without earlier terms, DateItems.
func (tx *Tx) dateItems(account, location string, earlier *lost.Terms, after int64, limit int) (last int64, err error) {
	items, last, err := tx.lockDated(account, location, after, limit)
	if err != nil || last == 0 {
		return 0, err
	}
	var rows [][]any
	var touched []lost.Item
	for _, i := range items {
		terms := i.Terms
		if earlier != nil {
			terms = *earlier
		}
		touch := i.Source == lost.Found && !terms.LookSame(i.Item)
		check := tx.checkAfterMove(i.Item, terms)
		until, key := storedUntil(&i.Item), lost.SerialKey(i.SerialNumber)
		if touch || until != i.stored || key != i.serialKey || !check.IsZero() {
			rows = append(rows, []any{i.ID, until, micros(check), touch, key})
		}
		if touch {
			touched = append(touched, i.Item)
		}
	}
	if len(rows) == 0 {
		return last, nil
	}
	if len(touched) > 0 {
		if err := tx.numberChange(account); err != nil {
			return 0, err
		}
	}
	if err := tx.storeDates(account, rows); err != nil {
		return 0, err
	}
	return last, tx.addTouchEvents(touched)
}

// lockDated is LockItemsAfter, with what is stored about each item.
func (tx *Tx) lockDated(account, location string, after int64, limit int) (items []datedItem, last int64, err error) {
	rs, err := tx.h.Query(tx.ctx, "SELECT "+itemColumns+", i.store_until, i.serial_key, i.seq FROM items i"+
		joinLocation+" WHERE i.account_id = $1 AND i.location_id = $2 AND i.seq > $3 AND l.deleted_at = 0 "+
		"ORDER BY i.seq"+limitClause(limit)+tx.d.lock("i"), account, location, after)
	items, err = collect(rs, err, func(rs rows) (i datedItem, err error) {
		i.Item, err = tx.scanItemWith(rs, &i.stored, &i.serialKey, &last)
		return i, err
	})
	return items, last, err
}

// checkAfterMove returns when background jobs check an item whose end of storage has moved since the earlier terms, or
// that is due for another disposal. It returns the zero time if neither is so, or if no reminder and no task depends on
// it.
func (tx *Tx) checkAfterMove(i lost.Item, earlier lost.Terms) time.Time {
	before := i
	before.Terms = earlier
	until := i.StoreUntil()
	moved, ended := until != before.StoreUntil(), i.StorageEnded(tx.now) || before.StorageEnded(tx.now)
	switch {
	case i.Status != lost.Pending && i.Status != lost.InfoCompleted || i.SameKeeping(before) || !moved && !ended:
		return time.Time{}
	case i.Owner.Address() != "" || ended || until == "":
		return tx.now
	default:
		return storageCheck(until)
	}
}

// storeDates stores the ends of storage of items. A row has the id of an item, the end, when the item is checked, or 0
// if that does not change, whether the item changes for clients, and its serial_key.
func (tx *Tx) storeDates(account string, rows [][]any) error {
	q := &query{args: []any{account, micros(tx.now)}}
	values, ids := make([]string, len(rows)), make([]string, len(rows))
	for n, row := range rows {
		ids[n] = q.arg(row[0])
		values[n] = "(" + ids[n] + ", " + q.arg(row[1]) + ", " + q.arg(row[2]) + ", " + q.arg(row[3]) + ", " +
			q.arg(row[4]) + ")"
		if n == 0 { // PostgreSQL derives the types of the columns from the first row
			values[n] = "(CAST($3 AS TEXT), CAST($4 AS TEXT), CAST($5 AS BIGINT), CAST($6 AS BOOLEAN), " +
				"CAST($7 AS TEXT))"
		}
	}
	const touched = "CASE WHEN NOT v.touch THEN updated_at WHEN updated_at < CAST($2 AS BIGINT) " +
		"THEN CAST($2 AS BIGINT) ELSE updated_at + 1000 END"
	return tx.queue("WITH v (item_id, until, check_at, touch, key) AS (VALUES "+strings.Join(values, ", ")+
		") UPDATE items SET store_until = v.until, serial_key = v.key, look_at = CASE WHEN v.check_at = 0 OR "+
		"look_at > 0 AND look_at <= CAST($2 AS BIGINT) THEN look_at ELSE v.check_at END, updated_at = "+touched+
		", forgotten_at = CASE WHEN forgotten_at < updated_at THEN forgotten_at ELSE "+touched+
		" END, change = CASE WHEN v.touch THEN "+tx.d.changes.number+" ELSE change END FROM v "+
		"WHERE items.account_id = $1 AND items.id = v.item_id AND items.id IN ("+strings.Join(ids, ", ")+
		")", q.args...) // without the list of ids, SQLite would read all items of the account
}

// addTouchEvents adds the events about items that look different, although nobody changed them.
func (tx *Tx) addTouchEvents(items []lost.Item) error {
	for _, before := range items {
		i := before
		i.UpdatedAt = tx.now
		if !before.UpdatedAt.Before(tx.now) {
			i.UpdatedAt = before.UpdatedAt.Add(time.Millisecond)
		}
		if err := tx.addChangeEvents(&before, &i); err != nil {
			return err
		}
	}
	return nil
}

// AddTouchJob adds a job that calls TouchItems for a location's items with numbers above after.
func (tx *Tx) AddTouchJob(account, location string, earlier lost.Terms, after int64) error {
	duration := ""
	if days := earlier.StorageDuration; days != nil {
		duration = strconv.Itoa(*days)
	}
	return tx.AddJob(account, JobApplyTerms, writeStrings([]string{
		location, strconv.FormatInt(after, 10), earlier.StoragePlace, duration, earlier.TimeZone,
		writeList(earlier.Keeping),
	}), tx.now)
}

// EarlierTerms returns the terms in the payload of a job that calls TouchItems. If the job is of an earlier version,
// which changes no keeping rules, it returns the present ones.
func (r reader) EarlierTerms(ctx context.Context, job Job) (t lost.Terms, err error) {
	names, err := job.Arguments()
	if err != nil || len(names) < 5 || len(names) < 6 && job.Kind != JobTouchItems {
		return t, lost.E(lost.Invalid, "The job does not specify the earlier settings.").WithCause(err)
	}
	t.StoragePlace, t.TimeZone = names[2], names[4]
	if len(names) > 5 {
		t.Keeping, err = r.rules.read(names[5])
	} else {
		var present lost.Location
		present, err = r.Location(ctx, job.Account, names[0])
		t.Keeping = present.KeepingRules
	}
	if err != nil {
		return t, err
	}
	if names[3] == "" {
		return t, nil
	}
	days, err := strconv.Atoi(names[3])
	if err != nil {
		return t, lost.E(lost.Invalid, "The job does not specify the storage duration.").WithCause(err)
	}
	t.StorageDuration = &days
	return t, nil
}

// AddDateJob adds a job that calls DateItems for a location's items with numbers above after.
func (tx *Tx) AddDateJob(account, location string, after int64) error {
	return tx.AddJob(account, JobDateItems, writeStrings([]string{location, strconv.FormatInt(after, 10)}), tx.now)
}

// AddDateJobs calls AddDateJob for a batch of an account's locations, in the order of their ids, starting after the id
// after. It returns the id of the last location, or an empty string if there are no more.
func (tx *Tx) AddDateJobs(account, after string, limit int) (last string, err error) {
	rs, err := tx.h.Query(tx.ctx, "SELECT id FROM locations WHERE account_id = $1 AND deleted_at = 0 AND id > $2 "+
		"ORDER BY id"+limitClause(limit), account, after)
	locations, err := collect(rs, err, func(rs rows) (id string, err error) {
		err = rs.Scan(&id)
		return id, err
	})
	if err != nil {
		return "", err
	}
	for _, last = range locations {
		if err := tx.AddDateJob(account, last, 0); err != nil {
			return "", err
		}
	}
	return last, nil
}

// AddDateAccountJob adds a job that calls AddDateJobs for an account's locations with ids above after. Times is how
// often that has been done for all locations.
func (tx *Tx) AddDateAccountJob(account string, times int, after string, due time.Time) error {
	return tx.AddJob(account, JobDateAccount, writeStrings([]string{strconv.Itoa(times), after}), due)
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
	return requireRow("item", rs, err, r.scanItem)
}

func (r reader) itemAnywhere(ctx context.Context, account, id, lock string) (lost.Item, error) {
	rs, err := r.h.Query(ctx,
		"SELECT "+itemColumns+" FROM items i"+joinLocation+
			" WHERE i.account_id = $1 AND i.id = $2 AND l.deleted_at = 0"+lock, account, id)
	return requireRow("item", rs, err, r.scanItem)
}
