package store

import (
	"context"
	"fmt"
	"slices"

	"homeward/internal/lost"
)

const countColumns = "c.account_id, c.id, c.location_id, c.place, c.whole, c.begun_by, c.closed_by, c.tally, " +
	"c.created_at, c.closed_at"

func scanCount(rs rows) (c lost.StockTake, err error) {
	var tally string
	var created, closed int64
	if err = rs.Scan(&c.Account, &c.ID, &c.LocationID, &c.Place, &c.Whole, &c.StartedBy, &c.ClosedBy, &tally, &created,
		&closed); err != nil {
		return c, err
	}
	c.CreatedAt, c.ClosedAt = fromMicros(created), fromMicros(closed)
	return c, readJSON("the totals of a stock take", tally, &c.Totals)
}

// StockTake returns a location's stock take by id, or a NotFound error. An open stock take has no
// totals yet.
func (r reader) StockTake(ctx context.Context, account, location, id string) (lost.StockTake, error) {
	return r.countByID(ctx, account, location, id, "")
}

func (r reader) countByID(ctx context.Context, account, location, id, lock string) (lost.StockTake, error) {
	rs, err := r.h.Query(ctx,
		"SELECT "+countColumns+" FROM counts c WHERE c.account_id = $1 AND c.location_id = $2 AND c.id = $3"+lock,
		account, location, id)
	return requireRow("count", rs, err, scanCount)
}

// LockStockTake returns a stock take and locks it until the transaction ends.
func (tx *Tx) LockStockTake(account, location, id string) (lost.StockTake, error) {
	return tx.countByID(tx.ctx, account, location, id, tx.d.lock("c"))
}

// OpenStockTake returns the open stock take of a place or, if whole is true, of the whole location.
// It returns false if there is none.
func (r reader) OpenStockTake(ctx context.Context, account, location, place string,
	whole bool) (lost.StockTake, bool, error) {
	rs, err := r.h.Query(ctx,
		"SELECT "+countColumns+
			" FROM counts c WHERE c.account_id = $1 AND c.location_id = $2 AND c.whole = $3 AND c.place = $4 AND "+
			"c.closed_at = 0",
		account, location, whole, place)
	return firstRow(rs, err, scanCount)
}

// StockTakes lists a location's stock takes, newest first.
func (r reader) StockTakes(ctx context.Context, account, location string,
	page lost.Page) (lost.List[lost.StockTake], error) {
	list := lost.List[lost.StockTake]{Page: page}
	q := &query{args: []any{account, location}}
	const matching = " FROM counts c WHERE c.account_id = $1 AND c.location_id = $2"
	rs, err := r.h.Query(ctx, "SELECT "+countColumns+matching+" ORDER BY c.id DESC"+q.page(page), q.args...)
	if list.Data, err = collect(rs, err, scanCount); err != nil {
		return list, err
	}
	list.Total, err = r.countTotal(ctx, page, len(list.Data), "SELECT 1"+matching, account, location)
	return list, err
}

// OpenStockTakes lists a location's open stock takes, newest first.
func (r reader) OpenStockTakes(ctx context.Context, account, location string, limit int) ([]lost.StockTake, error) {
	rs, err := r.h.Query(ctx,
		"SELECT "+countColumns+
			" FROM counts c WHERE c.account_id = $1 AND c.location_id = $2 AND c.closed_at = 0 ORDER BY c.id DESC "+
			"LIMIT $3", account, location, limit)
	return collect(rs, err, scanCount)
}

// InsertStockTake adds a stock take. If the place already has an open stock take, the transaction is retried, and
// the caller then finds the open one.
func (tx *Tx) InsertStockTake(c lost.StockTake) error {
	_, err := tx.exec("INSERT INTO counts (account_id, id, location_id, place, whole, begun_by, created_at) VALUES "+
		"($1, $2, $3, $4, $5, $6, $7)",
		c.Account, c.ID, c.LocationID, c.Place, c.Whole, c.StartedBy, micros(c.CreatedAt))
	return err
}

// AddExpectedItems records the items that a stock take expects: those at the given places, or all
// items of the location. It returns the number of items, or limit+1 if there are more than limit.
func (tx *Tx) AddExpectedItems(c lost.StockTake, names []string, limit int) (int, error) {
	q := &query{args: []any{c.Account, c.LocationID, c.ID}}
	placeCondition := ""
	if !c.Whole {
		q.conditions = nil
		whereIn(q, "i.storage_place", names)
		placeCondition = " AND " + q.conditions[0]
	}
	n, err := tx.exec("INSERT INTO count_lines (account_id, count_id, item_id, reference, expected)"+
		" SELECT i.account_id, $3, i.id, i.reference, TRUE FROM items i WHERE i.account_id = $1 AND i.location_id = $2"+
		heldCondition+placeCondition+fmt.Sprintf(" LIMIT %d", limit+1), q.args...)
	return int(n), err
}

// CloseStockTake saves the totals of a stock take and closes it.
func (tx *Tx) CloseStockTake(c lost.StockTake) error {
	return tx.queue("UPDATE counts SET closed_by = $3, tally = $4, closed_at = $5 WHERE account_id = $1 AND id = $2",
		c.Account, c.ID, c.ClosedBy, toJSON(c.Totals), micros(c.ClosedAt))
}

// DeleteStockTake deletes a stock take and its lines.
func (tx *Tx) DeleteStockTake(account, id string) error {
	return tx.deleteCounts(account, []string{id})
}

func (tx *Tx) deleteCounts(account string, ids []string) error {
	if err := tx.deleteOf("count_lines", "count_id", account, ids); err != nil {
		return err
	}
	return tx.deleteOf("counts", "id", account, ids)
}

// DeleteOldStockTakes deletes at most limit of a location's stock takes and returns the number deleted. It never
// deletes the newest ones; keep is their number.
func (tx *Tx) DeleteOldStockTakes(account, location string, keep, limit int) (int, error) {
	rs, err := tx.h.Query(tx.ctx,
		fmt.Sprintf("SELECT id FROM counts WHERE account_id = $1 AND location_id = $2 ORDER BY id DESC LIMIT %d "+
			"OFFSET %d", limit, keep), account, location)
	ids, err := collect(rs, err, func(rs rows) (id string, err error) { err = rs.Scan(&id); return id, err })
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return len(ids), tx.deleteCounts(account, ids)
}

// countLineColumns are the columns of a stock take line and the columns of its item that are shown
// with it.
const countLineColumns = `n.item_id, n.reference, n.expected, n.finding, n.seen_at, n.seen_by,
	COALESCE(i.description, ''), COALESCE(i.location_id, ''), COALESCE(i.source, ''), COALESCE(i.status, ''),
	COALESCE(i.closed_at, 0),
	COALESCE(i.storage_place, ''), COALESCE(l.storage_place, '')`

const countLinesFrom = ` FROM count_lines n LEFT JOIN items i ON i.account_id = n.account_id AND i.id = n.item_id
	LEFT JOIN locations l ON l.account_id = i.account_id AND l.id = i.location_id WHERE n.account_id = $1
	AND n.count_id = $2`

func scanCountLine(rs rows) (line lost.StockTakeLine, err error) {
	var i lost.Item
	var finding, source, status string
	var seen, closed int64
	err = rs.Scan(&line.ItemID, &line.Reference, &line.Expected, &finding, &seen, &line.SeenBy,
		&line.Description, &line.LocationID, &source, &status, &closed, &i.StoragePlace, &i.Terms.StoragePlace)
	i.Source, i.Status, i.ClosedAt = lost.Source(source), lost.Status(status), fromMicros(closed)
	line.Finding, line.SeenAt = lost.Finding(finding), fromMicros(seen)
	line.KeptAt, line.Held = i.StoredAt(), source != "" && i.Held()
	return line, err
}

// StockTakeLines lists the lines of a stock take that have any of the given findings. Items that were seen come
// first, most recently seen first. The others follow, sorted by place.
func (r reader) StockTakeLines(ctx context.Context, account, count string, findings []lost.Finding,
	page lost.Page) (lost.List[lost.StockTakeLine], error) {
	list := lost.List[lost.StockTakeLine]{Page: page}
	q := &query{args: []any{account, count}}
	whereIn(q, "n.finding", findings)
	matching, countArgs := countLinesFrom+" AND "+q.conditions[0], q.args
	rs, err := r.h.QueryPlanned(ctx,
		"SELECT "+countLineColumns+matching+" ORDER BY n.seen_at DESC, i.storage_place NULLS LAST, n.reference"+
			q.page(page), q.args...)
	if list.Data, err = collect(rs, err, scanCountLine); err != nil {
		return list, err
	}
	list.Total, err = r.countTotal(ctx, page, len(list.Data),
		"SELECT 1 FROM count_lines n WHERE n.account_id = $1 AND n.count_id = $2 AND "+q.conditions[0], countArgs...)
	return list, err
}

// StockTakeLine returns a stock take's line for an item, and whether there is one.
func (r reader) StockTakeLine(ctx context.Context, account, count, item string) (lost.StockTakeLine, bool, error) {
	rs, err := r.h.Query(ctx, "SELECT "+countLineColumns+countLinesFrom+" AND n.item_id = $3", account, count, item)
	return firstRow(rs, err, scanCountLine)
}

// StockTakeTotals returns the totals of a stock take, computed from its lines.
func (r reader) StockTakeTotals(ctx context.Context, account, count string) (lost.StockTakeTotals, error) {
	rs, err := r.h.Query(ctx,
		"SELECT finding, expected, count(*) FROM count_lines WHERE account_id = $1 AND count_id = $2 GROUP BY "+
			"finding, expected", account, count)
	lines, expected := map[lost.Finding]int{}, 0
	_, err = collect(rs, err, func(rs rows) (struct{}, error) {
		var finding string
		var isExpected bool
		var n int
		err := rs.Scan(&finding, &isExpected, &n)
		lines[lost.Finding(finding)] += n
		if isExpected {
			expected += n
		}
		return struct{}{}, err
	})
	return lost.StockTakeTotalsOf(lines, expected), err
}

// SaveStockTakeLine saves a stock take's line for an item.
func (tx *Tx) SaveStockTakeLine(account, count string, line lost.StockTakeLine) error {
	return tx.queue(`INSERT INTO count_lines (account_id, count_id, item_id, reference, expected, finding, seen_at,
			seen_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (account_id, count_id, item_id) DO UPDATE
		SET finding = excluded.finding, seen_at = excluded.seen_at, seen_by = excluded.seen_by`,
		account, count, line.ItemID, line.Reference, line.Expected, string(line.Finding), micros(line.SeenAt),
		line.SeenBy)
}

// CloseStockTakeLines sets the finding of all items that a stock take still expects: Left for the items
// in left, Absent for the others.
func (tx *Tx) CloseStockTakeLines(account, count string, left []string) error {
	const batchSize = 500
	for batch := range slices.Chunk(left, batchSize) {
		q := &query{args: []any{account, count, string(lost.Left)}}
		whereIn(q, "item_id", batch)
		if err := tx.queue("UPDATE count_lines SET finding = $3 WHERE account_id = $1 AND count_id = $2 AND "+
			q.conditions[0], q.args...); err != nil {
			return err
		}
	}
	return tx.queue("UPDATE count_lines SET finding = $3 WHERE account_id = $1 AND count_id = $2 AND finding = $4",
		account, count, string(lost.Absent), string(lost.Awaited))
}
