package store

import (
	"context"
	"fmt"
	"strings"

	"homeward/internal/lost"
)

// LastItem gives where a walk over a location's items ends that begins now.
func (r reader) LastItem(ctx context.Context, account, location string) (int64, error) {
	rs, err := r.h.Query(ctx, "SELECT COALESCE(MAX(seq), 0) FROM items WHERE account_id = $1 AND location_id = $2", account, location)
	last, _, err := value[int64](rs, err)
	return last, err
}

// WalkItems gives some of a location's items, oldest first, that come after one place in the order of creation and not after another, and the
// place of the last. A walk reads everything once and holds nothing open between its steps.
func (r reader) WalkItems(ctx context.Context, account, location string, f lost.ItemFilter, after, until int64, limit int) ([]lost.Item, int64, error) {
	q := &query{}
	q.where("i.account_id = " + q.arg(account))
	q.where("i.location_id = " + q.arg(location))
	r.narrowItems(q, f)
	words := Words(f.Term)
	if len(words) == 0 && strings.TrimSpace(f.Term) != "" { // as in Items
		return nil, after, nil
	}
	source := itemSearch{from: "items i", order: "i.seq"}
	if len(words) > 0 {
		source = r.d.search(q, locationToken(location), words)
	}
	q.where(source.order + " > " + q.arg(after))
	q.where(source.order + " <= " + q.arg(until))
	text := "SELECT " + itemColumns + ", i.seq FROM (SELECT i.seq FROM " + source.from + q.clause() + " ORDER BY " + source.order + fmt.Sprintf(" LIMIT %d", limit) + ") AS page" +
		" CROSS JOIN items i CROSS JOIN locations l WHERE i.account_id = $1 AND i.location_id = $2 AND i.seq = page.seq" +
		" AND l.account_id = i.account_id AND l.id = i.location_id AND l.deleted_at = 0 ORDER BY i.seq"
	rs, err := r.h.QueryPlanned(ctx, text, q.args...)
	items, err := collect(rs, err, func(rs rows) (lost.Item, error) { return scanItemAnd(rs, &after) })
	return items, after, err
}
