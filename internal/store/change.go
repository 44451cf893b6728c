package store

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"homeward/internal/lost"
)

// Changes of items and events are numbered, for programs that follow them: after a program has read the changes up to
// a position, no change may appear before that position. Times cannot do that, because clocks differ, and because
// transactions do not commit in the order in which they begin.
//
// On PostgreSQL, the number of a change is the id of its transaction plus a base. Readers see only numbers below the
// horizon, which is the id of the oldest transaction that is still running, plus the base. PostgreSQL takes it from the
// snapshot of the statement that reads the changes. Every transaction below it has ended, so that its changes are in
// the snapshot, and every transaction that begins later gets a higher id. The changes below the horizon are thus final,
// whatever the clocks say. A long transaction delays readers, but hides nothing from them. Each database server has a
// base of its own, because it has other transaction ids. It makes the first number the current time in microseconds.
//
// On SQLite and Citus, the number is a counter of the account, which is increased in the transaction of the change. The
// row of the counter is locked until that transaction commits, so that numbers have the order of commits. SQLite has
// only one writer anyway. Citus pays for it with concurrency, because its nodes have no common transaction ids.
//
// Neither bases nor counters are ever copied to another database. New ones begin with the current time, so that their
// numbers are higher than every position that a program may have got, also if the rows come from an old backup.
type changeNumbers struct {
	counted bool   // whether numbers come from the account's counter
	number  string // the expression for the number of a change in the current transaction; the account is $1
	horizon string // the expression for the first number that is not final; the account is $1
	history string // the expression for what differs between servers that have other transactions
}

const changeBase = "COALESCE((SELECT base FROM change_base WHERE id = ''), 0)"

var (
	transactionNumbers = changeNumbers{
		number:  "(" + changeBase + " + txid_current())",
		horizon: "(" + changeBase + " + txid_snapshot_xmin(txid_current_snapshot()))",
		history: thisCluster,
	}
	countedNumbers = changeNumbers{
		counted: true,
		number:  "(SELECT n FROM change_counters WHERE account_id = $1)",
		horizon: "(SELECT COALESCE(MAX(n), 0) + 1 FROM change_counters WHERE account_id = $1)",
		history: "''",
	}
)

// Rows that have not changed since numbers exist come first, in the order of their last change. The expressions must be
// identical to those of the indexes items_by_change and events_by_change.
const (
	itemChange  = "(CASE WHEN i.change > 0 THEN i.change ELSE i.updated_at - 9000000000000000 END)"
	eventChange = "(CASE WHEN i.change > 0 THEN i.change ELSE i.at - 9000000000000000 END)"
)

// numberGap is added to the highest number when rows have come from another database. It makes the new numbers higher
// than every position that a program may have got from the other one.
const numberGap = 1 << 40

// numberChange prepares the number for changes in an account. Every statement that changes an item, and every one that
// adds an event or a tombstone, must follow it.
func (tx *Tx) numberChange(account string) error {
	if !tx.d.changes.counted || tx.numbered == account {
		return nil
	}
	tx.numbered = account
	n, err := tx.exec("UPDATE change_counters SET n = n + 1 WHERE account_id = $1", account)
	if err != nil || n > 0 {
		return err
	}
	last := func(table, change string) string {
		return "SELECT n FROM (SELECT " + change + " + " + strconv.Itoa(numberGap) + " AS n FROM " + table + " i" +
			tx.d.useIndex(table+"_by_change") + " WHERE i.account_id = $1 ORDER BY " + change +
			" DESC LIMIT 1) AS of_" + table
	}
	return tx.queue(`INSERT INTO change_counters (account_id, n)
		SELECT $1, MAX(n) + 1 FROM (SELECT CAST($2 AS BIGINT) AS n UNION ALL `+last("items", itemChange)+
		" UNION ALL "+last("events", eventChange)+" UNION ALL "+last("item_tombstones", "i.change")+`) AS numbers
		WHERE true ON CONFLICT (account_id) DO UPDATE SET n = change_counters.n + 1`, account, micros(tx.now))
}

// adoptChangeNumbers sets the base of change numbers if the rows have come from another server.
func (db *DB) adoptChangeNumbers(ctx context.Context) error {
	if db.d.changes.counted {
		return nil
	}
	rs, err := db.h.Query(ctx, "SELECT 1 FROM change_base WHERE id = $1 AND cluster = "+thisCluster, "")
	_, adopted, err := firstValue[int](rs, err)
	if err != nil || adopted {
		return err
	}
	return db.RaiseChangeNumbers(ctx)
}

// thisCluster is an expression that identifies the history of transactions on a PostgreSQL server. The timeline is new
// after the server was recovered from a backup, which can make the ids of transactions lower.
const thisCluster = "(SELECT s.system_identifier || '/' || c.timeline_id " +
	"FROM pg_control_system() s CROSS JOIN pg_control_checkpoint() c)"

// addTombstones records that items are deleted, and adds the events about that. It must be called before their rows
// are.
func (tx *Tx) addTombstones(account string, ids []string, items ...lost.Item) error {
	if err := tx.numberChange(account); err != nil {
		return err
	}
	for n := range items {
		if err := tx.addChangeEvents(&items[n], nil); err != nil {
			return err
		}
	}
	q := &query{}
	q.where("account_id = " + q.arg(account))
	whereIn(q, "id", ids)
	return tx.queue("INSERT INTO item_tombstones (account_id, item_id, location_id, source, deleted_at, change) "+
		"SELECT account_id, id, location_id, source, CAST("+q.arg(micros(tx.now))+" AS BIGINT), "+tx.d.changes.number+
		" FROM items"+q.clause(), q.args...)
}

// PruneTombstones deletes at most limit tombstones that are older than the given time, and returns the number deleted.
// It works across all accounts; only cleanup uses it.
func (tx *Tx) PruneTombstones(before time.Time, limit int) (int64, error) {
	return tx.deleteOld(`DELETE FROM item_tombstones WHERE (account_id, item_id) IN (SELECT account_id, item_id
		FROM item_tombstones WHERE deleted_at < $1 ORDER BY deleted_at LIMIT $2)`, micros(before), limit)
}

// changePosition is a position in a list of changes: the number of a change and the id of its record.
type changePosition struct {
	number int64
	id     string
}

func (p changePosition) String() string { return strconv.FormatInt(p.number, 10) + "." + p.id }

// parsePosition parses the position of a page of changes.
func parsePosition(text string) (p changePosition, err error) {
	number, id, found := strings.Cut(text, ".")
	p.id = id
	if p.number, err = strconv.ParseInt(number, 10, 64); err != nil || !found {
		return p, lost.E(lost.InvalidCursor, "This cursor is not from a list of changes. Start again without it.")
	}
	return p, nil
}

// changeMargin is how much earlier than a change with a lower number another change may have happened: longer than any
// transaction lasts and than clocks differ.
const changeMargin = time.Hour

// changedRows are the rows of a table among which firstPosition searches.
type changedRows struct {
	table, index string
	condition    string // of a partial index; empty if all rows are in the index
	change, at   string
}

// firstPosition returns the position of the first page of changes since a time. It reads the newest changes backwards
// until they are older than that. If the oldest change is not, it reads only that one: a program that copies everything
// begins with a time before all changes.
func (r reader) firstPosition(ctx context.Context, account string, of changedRows,
	since time.Time) (p changePosition, err error) {
	first := changePosition{number: math.MinInt64}
	before := micros(since.Add(-changeMargin))
	from := " FROM " + of.table + " i" + r.d.useIndex(of.index) + " WHERE i.account_id = $1" + of.condition
	rs, err := r.h.Query(ctx, "SELECT i."+of.at+from+" ORDER BY "+of.change+", i.id LIMIT 1", account)
	oldest, found, err := firstValue[int64](rs, err)
	if err != nil || !found || oldest >= before {
		return first, err
	}
	rs, err = r.h.Query(ctx, "SELECT "+of.change+", i.id"+from+" AND i."+of.at+" < $2 ORDER BY "+of.change+
		" DESC, i.id DESC LIMIT 1", account, before)
	p, found, err = firstRow(rs, err, scanPosition)
	if !found {
		return first, err
	}
	return p, err
}

func scanPosition(rs rows) (p changePosition, err error) {
	err = rs.Scan(&p.number, &p.id)
	return p, err
}

// orderedChanges returns a query for the changes in a table after a position, up to the horizon.
func (r reader) orderedChanges(q *query, from, change, id, kind string, after changePosition, limit int) string {
	number := q.arg(after.number)
	q.where(change + " >= " + number) // SQLite does not use the index for the next condition
	q.where("(" + change + ", " + id + ") > (" + number + ", " + q.arg(after.id) + ")")
	if !r.d.changes.counted {
		q.where(change + " < " + r.d.changes.horizon)
	}
	return "SELECT * FROM (SELECT " + change + " AS number, " + id + " AS id, '" + kind + "' AS kind FROM " + from +
		q.clause() + " ORDER BY " + change + ", " + id + limitClause(limit+1) + ") AS of_" + kind
}

// The kinds of change.
const (
	changedKind = "c" // a record was added or changed
	deletedKind = "d"
	horizonKind = "h" // not a change, but the row with the horizon
	invalidKind = "i" // the same, if the position is not valid; see MarkRestored
)

// changedRecord is one change: of a record, or its deletion.
type changedRecord struct {
	changePosition
	deleted bool
}

func (c changedRecord) compare(d changedRecord) int {
	return cmp.Or(cmp.Compare(c.number, d.number), cmp.Compare(c.id, d.id))
}

// readChanges reads a page of changes with queries from orderedChanges, and returns the position of the next page. At
// the end, that is the horizon, so that records that the filter does not select are not read again.
func (r reader) readChanges(ctx context.Context, queries []string, args []any, after changePosition,
	page lost.Page) (read []changedRecord, next changePosition, total lost.Total, err error) {
	args = append(args, after.number)
	invalid := "EXISTS (SELECT 1 FROM change_counters WHERE account_id = $1 AND lost_after < " + param(len(args)) +
		" AND lost_before > " + param(len(args)) + ")"
	rs, err := r.h.QueryPlanned(ctx, "SELECT "+r.d.changes.horizon+" AS number, '' AS id, CASE WHEN "+invalid+
		" THEN '"+invalidKind+"' ELSE '"+horizonKind+"' END AS kind UNION ALL "+
		"SELECT * FROM (SELECT * FROM ("+strings.Join(queries, " UNION ALL ")+") AS changed ORDER BY number, id"+
		limitClause(page.Limit+1)+") AS page", args...)
	horizon := int64(math.MinInt64)
	_, err = collect(rs, err, func(rs rows) (struct{}, error) {
		var c changedRecord
		var kind string
		err := rs.Scan(&c.number, &c.id, &kind)
		switch kind {
		case horizonKind:
			horizon = c.number
		case invalidKind:
			return struct{}{}, lost.E(lost.InvalidCursor, "The service was restored from a backup that is older than "+
				"this cursor. Read everything again, without the cursor.")
		default:
			c.deleted = kind == deletedKind
			read = append(read, c)
		}
		return struct{}{}, err
	})
	slices.SortFunc(read, changedRecord.compare) // UNION ALL promises no order
	next = after
	if len(read) > page.Limit {
		read = read[:page.Limit]
		return read, read[page.Limit-1].changePosition, lost.Total{Count: page.Limit, AtLeast: true}, err
	}
	if len(read) > 0 {
		next = read[len(read)-1].changePosition
	}
	if horizon > next.number {
		next = changePosition{number: horizon}
	}
	return read, next, lost.Total{Count: len(read)}, err
}

// ItemChanges lists the changes of an account's items, oldest first: items as they are now, and deleted items. If only
// is not nil, it contains the ids of the locations. The first page begins with the changes since the given time, and
// every page has a next one. The filter must not have a term.
func (r reader) ItemChanges(ctx context.Context, account string, only []string, f lost.ItemFilter,
	since time.Time) (lost.List[lost.ItemChange], error) {
	list := lost.List[lost.ItemChange]{Page: f.Page}
	after, err := changesAfter(f.Page, since, func() (changePosition, error) {
		return r.firstPosition(ctx, account, changedRows{
			table: "items", index: "items_by_change", change: itemChange, at: "updated_at",
		}, since)
	})
	if err != nil {
		return list, err
	}
	q := &query{}
	where := func(alias, at string) {
		q.conditions = nil
		q.where(alias + ".account_id = $1")
		switch {
		case only == nil:
		case len(only) == 0:
			q.where("1 = 0")
		default:
			whereIn(q, alias+".location_id", only)
		}
		if !since.IsZero() {
			q.where(alias + "." + at + " >= " + q.arg(micros(since)))
		}
	}
	q.arg(account)
	where("i", "updated_at")
	r.narrowItems(q, f)
	q.where("l.deleted_at = 0")
	from := "items i" + r.d.useIndex("items_by_change") + joinLocation
	changed := r.orderedChanges(q, from, itemChange, "i.id", changedKind, after, f.Page.Limit)
	where("t", "deleted_at")
	if f.Source != "" {
		q.where("t.source = " + q.arg(string(f.Source)))
	}
	deleted := r.orderedChanges(q, "item_tombstones t", "t.change", "t.item_id", deletedKind, after, f.Page.Limit)
	read, next, total, err := r.readChanges(ctx, []string{changed, deleted}, q.args, after, f.Page)
	if err != nil {
		return list, err
	}
	list.Next, list.Total = next.String(), total
	list.Data, err = r.changedItems(ctx, account, read)
	return list, err
}

// changesAfter returns the position after which a page of changes begins.
func changesAfter(page lost.Page, since time.Time,
	first func() (changePosition, error)) (changePosition, error) {
	switch {
	case page.After != "":
		return parsePosition(page.After)
	case since.IsZero():
		return changePosition{number: math.MinInt64}, nil
	default:
		return first()
	}
}

// changedItems reads the items of a page of changes. An item that has been deleted meanwhile is left out: its deletion
// is a later change.
func (r reader) changedItems(ctx context.Context, account string, read []changedRecord) ([]lost.ItemChange, error) {
	var live, dead []string
	for _, c := range read {
		if c.deleted {
			dead = append(dead, c.id)
		} else {
			live = append(live, c.id)
		}
	}
	items, err := r.ItemsAnywhere(ctx, account, live)
	if err != nil {
		return nil, err
	}
	tombstones, err := r.tombstones(ctx, account, dead)
	if err != nil {
		return nil, err
	}
	found := make(map[string]lost.ItemChange, len(items)+len(tombstones))
	for _, i := range items {
		found[i.ID] = lost.ItemChange{Item: i}
	}
	for _, t := range tombstones {
		found[t.ID] = lost.ItemChange{Item: t, Deleted: true}
	}
	out := make([]lost.ItemChange, 0, len(read))
	for _, c := range read {
		if change, ok := found[c.id]; ok {
			out = append(out, change)
		}
	}
	return out, nil
}

// ItemsAnywhere returns those of an account's items with the given ids that exist, at any location.
func (r reader) ItemsAnywhere(ctx context.Context, account string, ids []string) ([]lost.Item, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	q := &query{}
	q.where("i.account_id = " + q.arg(account))
	q.where("l.deleted_at = 0")
	whereIn(q, "i.id", padList(ids, listMultiple))
	rs, err := r.h.Query(ctx, "SELECT "+itemColumns+" FROM items i"+joinLocation+q.clause(), q.args...)
	return collect(rs, err, r.scanItem)
}

// tombstones returns deleted items, which have only an id, a location and the time of their deletion.
func (r reader) tombstones(ctx context.Context, account string, ids []string) ([]lost.Item, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	q := &query{}
	q.where("account_id = " + q.arg(account))
	whereIn(q, "item_id", padList(ids, listMultiple))
	rs, err := r.h.Query(ctx, "SELECT item_id, location_id, deleted_at FROM item_tombstones"+q.clause(), q.args...)
	return collect(rs, err, func(rs rows) (i lost.Item, err error) {
		var at int64
		err = rs.Scan(&i.ID, &i.LocationID, &at)
		i.UpdatedAt = fromMicros(at)
		return i, err
	})
}
