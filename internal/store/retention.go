package store

import (
	"context"
	"fmt"
	"time"

	"homeward/internal/lost"
)

// ended and endedAt are the condition and the order of the index items_ended, word for word; lost.Item.EndedAt says the same.
const (
	endedAtColumn  = "(CASE WHEN i.source = 'request' THEN i.updated_at WHEN i.closed_at > 0 THEN i.closed_at ELSE i.moved_at END)"
	endedCondition = "i.forgotten_at < i.updated_at AND (i.closed_at > 0 OR i.status IN ('DELIVERED', 'DISCARD', 'DONATE') OR i.claim_state IN ('MATCHED', 'REJECTED', 'WITHDRAWN'))"
)

// ItemsToForget locks some items of an account that ended before a time and whose guests' data is still there, passing over those that
// another copy has.
func (tx *Tx) ItemsToForget(account string, before time.Time, limit int) ([]lost.Item, error) {
	rs, err := tx.h.Query(tx.ctx, "SELECT "+itemColumns+" FROM items i"+joinLocation+" WHERE i.account_id = $1 AND "+endedCondition+" AND "+endedAtColumn+" < $2 AND l.deleted_at = 0"+
		" ORDER BY "+endedAtColumn+fmt.Sprintf(" LIMIT %d", limit)+tx.d.lockSkipping("i"), account, micros(before))
	return collect(rs, err, scanItem)
}

// CountToForget tells of how many items guests' data would be removed that ended before a time. It counts no further than people need
// to be warned.
func (r reader) CountToForget(ctx context.Context, account string, before time.Time) (lost.Total, error) {
	const most = 1000
	rs, err := r.h.Query(ctx, "SELECT count(*) FROM (SELECT 1 FROM items i WHERE i.account_id = $1 AND "+endedCondition+" AND "+endedAtColumn+" < $2"+
		fmt.Sprintf(" LIMIT %d) AS matching", most+1), account, micros(before))
	n, _, err := value[int](rs, err)
	return lost.Total{Count: min(n, most), AtLeast: n > most}, err
}

// NoteForgotten keeps that an item's guest is forgotten, until it changes again.
func (tx *Tx) NoteForgotten(i lost.Item) error {
	return tx.later("UPDATE items SET forgotten_at = $3 WHERE account_id = $1 AND id = $2", i.Account, i.ID, micros(tx.now))
}

// CountForgotten adds to the number of items whose guests' data was removed on a day.
func (tx *Tx) CountForgotten(account, day string, n int) error {
	return tx.later("INSERT INTO forgotten (account_id, day, n) VALUES ($1, $2, $3) ON CONFLICT (account_id, day) DO UPDATE SET n = forgotten.n + excluded.n", account, day, n)
}

// Forgotten lists of how many items guests' data was removed, the last days on which it was.
func (r reader) Forgotten(ctx context.Context, account string, days int) ([]lost.Forgotten, error) {
	rs, err := r.h.Query(ctx, "SELECT day, n FROM forgotten WHERE account_id = $1 ORDER BY day DESC LIMIT $2", account, days)
	return collect(rs, err, func(rs rows) (f lost.Forgotten, err error) {
		err = rs.Scan(&f.Day, &f.Items)
		return f, err
	})
}
