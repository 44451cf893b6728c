package store

import (
	"context"
	"fmt"
	"time"

	"homeward/internal/lost"
)

// endedCondition and endedAtColumn must be identical to the condition and the column of the index
// items_ended. They implement the same rule as lost.Item.EndedAt.
const (
	endedAtColumn = "(CASE WHEN i.source = 'request' THEN i.updated_at WHEN i.closed_at > 0 THEN i.closed_at ELSE " +
		"i.moved_at END)"
	endedCondition = "i.forgotten_at < i.updated_at AND (i.closed_at > 0 OR i.status IN ('DELIVERED', 'DISCARD', " +
		"'DONATE') OR i.claim_state IN ('MATCHED', 'REJECTED', 'WITHDRAWN'))"
)

// LockItemsToErase locks and returns an account's items that were completed before the given time and still
// have guest data. It skips items that another instance has locked.
func (tx *Tx) LockItemsToErase(account string, before time.Time, limit int) ([]lost.Item, error) {
	rs, err := tx.h.Query(tx.ctx,
		"SELECT "+itemColumns+" FROM items i"+joinLocation+" WHERE i.account_id = $1 AND "+endedCondition+" AND "+
			endedAtColumn+" < $2 AND l.deleted_at = 0"+
			" ORDER BY "+endedAtColumn+fmt.Sprintf(" LIMIT %d", limit)+tx.d.lockSkipping("i"), account, micros(before))
	return collect(rs, err, scanItem)
}

// CountItemsToErase counts the items that were completed before the given time and still have guest data. It
// stops counting at a limit, because the count is only shown in a warning.
func (r reader) CountItemsToErase(ctx context.Context, account string, before time.Time) (lost.Total, error) {
	const limit = 1000
	rs, err := r.h.Query(ctx,
		"SELECT count(*) FROM (SELECT 1 FROM items i WHERE i.account_id = $1 AND "+endedCondition+" AND "+endedAtColumn+
			" < $2"+
			fmt.Sprintf(" LIMIT %d) AS matching", limit+1), account, micros(before))
	n, _, err := firstValue[int](rs, err)
	return lost.Total{Count: min(n, limit), AtLeast: n > limit}, err
}

// MarkErased records that an item's guest data was erased. The item counts as erased until it
// changes.
func (tx *Tx) MarkErased(i lost.Item) error {
	return tx.queue("UPDATE items SET forgotten_at = $3 WHERE account_id = $1 AND id = $2", i.Account, i.ID,
		micros(tx.now))
}

// AddErasedCount adds n to the number of items whose guest data was erased on the given day.
func (tx *Tx) AddErasedCount(account, day string, n int) error {
	return tx.queue("INSERT INTO forgotten (account_id, day, n) VALUES ($1, $2, $3) ON CONFLICT (account_id, day) DO "+
		"UPDATE SET n = forgotten.n + excluded.n", account, day, n)
}

// ErasedPerDay lists the most recent days on which guest data was erased, with the number of items.
func (r reader) ErasedPerDay(ctx context.Context, account string, days int) ([]lost.ErasedOnDay, error) {
	rs, err := r.h.Query(ctx, "SELECT day, n FROM forgotten WHERE account_id = $1 ORDER BY day DESC LIMIT $2", account,
		days)
	return collect(rs, err, func(rs rows) (f lost.ErasedOnDay, err error) {
		err = rs.Scan(&f.Day, &f.Items)
		return f, err
	})
}
