package store

import (
	"context"
	"fmt"
	"time"

	"homeward/internal/lost"
)

const clearanceColumns = `account_id, id, location_id, destination, state, actor_kind, actor_id, actor_name, items,
		left_out, created_at, until, ended_at`

func scanClearance(rs rows) (c lost.Clearance, err error) {
	var to, state, kind string
	var created, until, ended int64
	err = rs.Scan(&c.Account, &c.ID, &c.LocationID, &to, &state, &kind, &c.By.ID, &c.By.Name, &c.Items, &c.LeftOut,
		&created, &until, &ended)
	c.Destination = lost.Destination(to)
	c.State = lost.ClearanceState(state)
	c.By.Account = c.Account
	c.By.Kind = lost.ActorKind(kind)
	c.CreatedAt, c.Until, c.EndedAt = fromMicros(created), fromMicros(until), fromMicros(ended)
	return c, err
}

// InsertClearance adds a clearance.
func (tx *Tx) InsertClearance(c lost.Clearance) error {
	tx.notePageChange(c.Account, c.LocationID, "", "")
	return tx.queue("INSERT INTO clearances ("+clearanceColumns+
		") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
		c.Account, c.ID, c.LocationID, string(c.Destination), string(c.State), string(c.By.Kind), c.By.ID, c.By.Name,
		c.Items, c.LeftOut,
		micros(c.CreatedAt), micros(c.Until), micros(c.EndedAt))
}

// SaveClearance saves the progress of a clearance.
func (tx *Tx) SaveClearance(c lost.Clearance) error {
	tx.notePageChange(c.Account, c.LocationID, "", "")
	return tx.queue("UPDATE clearances SET state = $3, left_out = $4, ended_at = $5 WHERE account_id = $1 AND id = $2",
		c.Account, c.ID, string(c.State), c.LeftOut, micros(c.EndedAt))
}

// AddClearanceItem adds an item to a clearance and removes its task. It returns false if the item
// is pending in another clearance.
func (tx *Tx) AddClearanceItem(c lost.Clearance, item lost.ClearanceItem) (bool, error) {
	n, err := tx.exec(`INSERT INTO clearance_items (account_id, clearance_id, item_id, seen, since)
		SELECT $1, $2, $3, CAST($4 AS BIGINT), COALESCE((SELECT since FROM tasks WHERE account_id = $1 AND item_id = $3
		AND kind = 'store-until'), CAST($5 AS BIGINT))
		ON CONFLICT (account_id, item_id) WHERE outcome = '' DO NOTHING`,
		c.Account, c.ID, item.ItemID, micros(item.Seen), micros(tx.now))
	if err != nil || n == 0 {
		return false, err
	}
	return true,
		tx.queue("DELETE FROM tasks WHERE account_id = $1 AND item_id = $2 AND kind = 'store-until'", c.Account,
			item.ItemID)
}

// AddTransferItem adds an item to a clearance that has been carried out already, because the item was handed over.
func (tx *Tx) AddTransferItem(c lost.Clearance, item lost.ClearanceItem) error {
	return tx.queue(`INSERT INTO clearance_items (account_id, clearance_id, item_id, seen, since, outcome)
		VALUES ($1, $2, $3, $4, $5, $6)`,
		c.Account, c.ID, item.ItemID, micros(item.Seen), micros(tx.now), string(lost.ClearedAway))
}

// Clearance returns a location's clearance by id, or a NotFound error.
func (r reader) Clearance(ctx context.Context, account, location, id string) (lost.Clearance, error) {
	rs, err := r.h.Query(ctx,
		"SELECT "+clearanceColumns+" FROM clearances WHERE account_id = $1 AND location_id = $2 AND id = $3", account,
		location, id)
	return requireRow("decision", rs, err, scanClearance)
}

// LockClearance returns a clearance and locks it until the transaction ends.
func (tx *Tx) LockClearance(account, id string) (lost.Clearance, error) {
	rs, err := tx.h.Query(tx.ctx,
		"SELECT "+clearanceColumns+" FROM clearances AS c WHERE account_id = $1 AND id = $2"+tx.d.lock("c"), account,
		id)
	c, err := requireRow("decision", rs, err, scanClearance)
	if err == nil {
		tx.advanceNow(c.CreatedAt)
	}
	return c, err
}

// Clearances lists the unfinished clearances of some locations, newest first, followed by those that ended after the
// given time. If only is nil, it lists those of all locations of the account.
func (r reader) Clearances(ctx context.Context, account string, only []string, since time.Time,
	limit int) ([]lost.Clearance, error) {
	if only != nil && len(only) == 0 {
		return nil, nil
	}
	q := &query{}
	q.where("account_id = " + q.arg(account))
	if only != nil {
		whereIn(q, "location_id", only)
	}
	q.where("state <> 'undone' AND (ended_at = 0 OR ended_at > " + q.arg(micros(since)) + ")")
	rs, err := r.h.Query(ctx, "SELECT "+clearanceColumns+" FROM clearances"+q.clause()+
		" ORDER BY CASE WHEN ended_at = 0 THEN 0 ELSE 1 END, id DESC"+limitClause(limit), q.args...)
	return collect(rs, err, scanClearance)
}

// ClearanceOf returns the clearance in which an item is pending, and whether there is one.
func (r reader) ClearanceOf(ctx context.Context, account, item string) (lost.Clearance, bool, error) {
	rs, err := r.h.Query(ctx,
		`SELECT c.account_id, c.id, c.location_id, c.destination, c.state, c.actor_kind, c.actor_id, c.actor_name,
				c.items, c.left_out,
		c.created_at, c.until, c.ended_at FROM clearance_items ci JOIN clearances c ON c.account_id = ci.account_id
		AND c.id = ci.clearance_id
		WHERE ci.account_id = $1 AND ci.item_id = $2 AND ci.outcome = ''`, account, item)
	return firstRow(rs, err, scanClearance)
}

// ItemsInClearance returns the ids of those of an account's items that are pending in a clearance.
func (tx *Tx) ItemsInClearance(account string, items []string) ([]string, error) {
	q := &query{}
	q.where("account_id = " + q.arg(account))
	whereIn(q, "item_id", padList(items, listMultiple))
	q.where("outcome = ''")
	rs, err := tx.h.Query(tx.ctx, "SELECT item_id FROM clearance_items"+q.clause(), q.args...)
	return collect(rs, err, scanText)
}

// ClearanceItemsByOutcome lists at most limit items of a clearance that have the given outcome.
func (r reader) ClearanceItemsByOutcome(ctx context.Context, account, clearance string, outcome lost.ClearedOutcome,
	limit int) ([]lost.ClearanceItem, error) {
	rs, err := r.h.Query(ctx, `SELECT item_id, seen, outcome, why FROM clearance_items
		WHERE account_id = $1 AND clearance_id = $2 AND outcome = $3 ORDER BY item_id LIMIT $4`,
		account, clearance, string(outcome), limit)
	return collect(rs, err, scanCleared)
}

// ClearanceItems lists all items of a clearance.
func (r reader) ClearanceItems(ctx context.Context, account, clearance string) ([]lost.ClearanceItem, error) {
	rs, err := r.h.Query(ctx,
		`SELECT item_id, seen, outcome, why FROM clearance_items WHERE account_id = $1 AND clearance_id = $2
		ORDER BY item_id LIMIT $3`, account, clearance, lost.MaxSelected)
	return collect(rs, err, scanCleared)
}

func scanCleared(rs rows) (c lost.ClearanceItem, err error) {
	var seen int64
	var outcome string
	err = rs.Scan(&c.ItemID, &seen, &outcome, &c.Why)
	c.Seen, c.Outcome = fromMicros(seen), lost.ClearedOutcome(outcome)
	return c, err
}

// SetClearanceOutcome records the outcome for one item of a clearance. It returns false if the item
// already has an outcome.
func (tx *Tx) SetClearanceOutcome(account, clearance string, c lost.ClearanceItem) (bool, error) {
	n, err := tx.exec("UPDATE clearance_items SET outcome = $4, why = $5 WHERE account_id = $1 AND clearance_id = $2 "+
		"AND item_id = $3 AND outcome = ''",
		account, clearance, c.ItemID, string(c.Outcome), shortenReason(c.Why))
	return n == 1, err
}

// UndoClearance turns the pending items of a clearance back into tasks, which keep their original
// age. Background jobs check whether each task still applies.
func (tx *Tx) UndoClearance(c lost.Clearance) error {
	const pending = " FROM clearance_items WHERE account_id = $1 AND clearance_id = $2 AND outcome = ''"
	if err := tx.queue("UPDATE items SET look_at = $3 WHERE account_id = $1 AND id IN (SELECT item_id"+pending+")",
		c.Account, c.ID, micros(tx.now)); err != nil {
		return err
	}
	if err := tx.queue("INSERT INTO tasks (account_id, location_id, item_id, kind, since, turn) SELECT account_id, "+
		"$3, item_id, 'store-until', since, since"+pending+
		" ON CONFLICT (account_id, item_id, kind) DO NOTHING", c.Account, c.ID, c.LocationID); err != nil {
		return err
	}
	return tx.markUndone(c)
}

func (tx *Tx) markUndone(c lost.Clearance) error {
	return tx.queue("UPDATE clearance_items SET outcome = $3 WHERE account_id = $1 AND clearance_id = $2 AND outcome "+
		"= ''", c.Account, c.ID, string(lost.ClearedUndone))
}

// CountClearanceItems counts the items of a clearance that have the given outcome.
func (r reader) CountClearanceItems(ctx context.Context, account, clearance string,
	outcome lost.ClearedOutcome) (int, error) {
	rs, err := r.h.Query(ctx,
		"SELECT count(*) FROM clearance_items WHERE account_id = $1 AND clearance_id = $2 AND outcome = $3", account,
		clearance, string(outcome))
	n, _, err := firstValue[int](rs, err)
	return n, err
}

// PruneClearances deletes at most limit clearances that ended before the given time and returns the
// number deleted. It works across all accounts; only cleanup uses it.
func (tx *Tx) PruneClearances(before time.Time, limit int) (int64, error) {
	const oldest = "SELECT account_id, id FROM clearances WHERE ended_at > 0 AND ended_at < $1 ORDER BY ended_at " +
		"LIMIT $2"
	_, err := tx.deleteOld("DELETE FROM clearance_items WHERE (account_id, clearance_id) IN ("+oldest+")",
		micros(before),
		limit)
	if err != nil {
		return 0, err
	}
	return tx.deleteOld("DELETE FROM clearances WHERE (account_id, id) IN ("+oldest+")", micros(before), limit)
}

// Overdue lists the items of some locations whose storage period has expired and that are in no clearance yet, longest
// overdue first. If only is nil, it lists those of all locations of the account.
func (r reader) Overdue(ctx context.Context, account string, only []string,
	page lost.Page) (lost.List[lost.Item], error) {
	list := lost.List[lost.Item]{Page: page}
	if only != nil && len(only) == 0 {
		return list, nil
	}
	q, matching := r.overdueTasks(account, only, page.Offset()+page.Limit)
	countArgs := q.args
	rs, err := r.h.QueryPlanned(ctx,
		"SELECT "+itemColumns+" FROM (SELECT t.item_id, t.turn FROM ("+matching+") AS t ORDER BY t.turn, t.item_id"+
			q.page(page)+") AS page"+
			" CROSS JOIN items i CROSS JOIN locations l WHERE i.account_id = $1 AND i.id = page.item_id"+
			" AND l.account_id = i.account_id AND l.id = i.location_id AND l.deleted_at = 0 ORDER BY page.turn, "+
			"page.item_id", q.args...)
	if list.Data, err = collect(rs, err, r.scanItem); err != nil {
		return list, err
	}
	_, matching = r.overdueTasks(account, only, lost.MaxBoundedTotal+1)
	list.Total, err = r.boundedTotal(ctx, page, len(list.Data), "SELECT 1 FROM ("+matching+") AS t", countArgs...)
	return list, err
}

// overdueTasks returns a query for the first tasks of overdue items at each location, up to a limit.
func (r reader) overdueTasks(account string, only []string, limit int) (*query, string) {
	q := &query{}
	q.where("t.account_id = " + q.arg(account))
	q.where("t.kind = 'store-until'")
	return q, r.firstOfEach(q, "tasks t", "t.item_id, t.turn", "t.turn, t.item_id", q.existingLocations(only), limit)
}

// OverdueIDs returns the ids of the overdue items of some locations, or of all if only is nil, longest overdue first.
func (r reader) OverdueIDs(ctx context.Context, account string, only []string, limit int) ([]string, error) {
	if only != nil && len(only) == 0 {
		return nil, nil
	}
	q, matching := r.overdueTasks(account, only, limit)
	rs, err := r.h.QueryPlanned(ctx,
		"SELECT t.item_id FROM ("+matching+") AS t ORDER BY t.turn, t.item_id"+limitClause(limit), q.args...)
	return collect(rs, err, func(rs rows) (id string, err error) { err = rs.Scan(&id); return id, err })
}

// OverdueSince reports which of the items were already overdue at the given time and still are.
// There must be at least one item, and all must belong to the same account.
func (r reader) OverdueSince(ctx context.Context, items []lost.Item, at time.Time) (map[string]bool, error) {
	q, ids, overdue := &query{}, []string{}, map[string]bool{}
	for _, i := range items {
		ids = append(ids, i.ID)
	}
	q.where("t.account_id = " + q.arg(items[0].Account))
	q.where("t.kind = 'store-until'")
	q.where("t.since <= " + q.arg(micros(at)))
	whereIn(q, "t.item_id", ids)
	rs, err := r.h.QueryPlanned(ctx, "SELECT t.item_id FROM tasks t"+q.clause(), q.args...)
	found, err := collect(rs, err, func(rs rows) (id string, err error) { err = rs.Scan(&id); return id, err })
	for _, id := range found {
		overdue[id] = true
	}
	return overdue, err
}

// boundedTotal counts the records of a list up to lost.MaxBoundedTotal. An exact count above that
// limit would not be worth its cost.
func (r reader) boundedTotal(ctx context.Context, page lost.Page, onPage int, matching string,
	args ...any) (lost.Total, error) {
	if onPage < page.Limit && (onPage > 0 || page.Number == 1) {
		return lost.TotalOf(page.Offset() + onPage), nil
	}
	rs, err := r.h.QueryPlanned(ctx,
		fmt.Sprintf("SELECT count(*) FROM (%s LIMIT %d) AS matching", matching, lost.MaxBoundedTotal+1), args...)
	n, _, err := firstValue[int](rs, err)
	return lost.TotalTo(n, lost.MaxBoundedTotal), err
}

// ItemsOnHold lists the items of some locations that are on hold and still in storage, newest first. If only is nil, it
// lists those of all locations of the account.
func (r reader) ItemsOnHold(ctx context.Context, account string, only []string,
	page lost.Page) (lost.List[lost.Item], error) {
	list := lost.List[lost.Item]{Page: page}
	if only != nil && len(only) == 0 {
		return list, nil
	}
	q := &query{}
	q.where("i.account_id = " + q.arg(account))
	q.where("i.hold <> ''" + heldCondition)
	locations := q.existingLocations(only)
	countArgs := q.args
	first := func(limit int) string { // sorted like the index on hold
		return r.firstOfEach(q, "items i", "i.seq", newestFirst, locations, limit)
	}
	rs, err := r.h.QueryPlanned(ctx, "SELECT i.seq FROM ("+first(page.Offset()+page.Limit)+
		") AS i ORDER BY i.seq DESC"+q.page(page), q.args...)
	numbers, err := collect(rs, err, scanNumber)
	if err == nil {
		list.Data, err = r.accountItemsByNumber(ctx, account, numbers, newestFirst)
	}
	if err != nil {
		return list, err
	}
	list.Total, err = r.boundedTotal(ctx, page, len(list.Data),
		"SELECT 1 FROM ("+first(lost.MaxBoundedTotal+1)+") AS i", countArgs...)
	return list, err
}
