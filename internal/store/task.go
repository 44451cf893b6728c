package store

import (
	"context"
	"fmt"
	"strings"

	"homeward/internal/lost"
)

// MaxTasksCounted is how far the tasks of a kind are counted.
const MaxTasksCounted = 1000

// WaitingTasks gives, of each kind, the first few tasks of an account's desks and how many there are. With only set, it is limited to
// those locations; one is walked in an index of its own.
func (r reader) WaitingTasks(ctx context.Context, account string, only []string, kinds []lost.TaskKind, few int) ([]lost.TaskGroup, error) {
	if only != nil && len(only) == 0 || len(kinds) == 0 {
		return nil, nil
	}
	q := &query{}
	at := desksWhere(q, account, only)
	counts, first := make([]string, len(kinds)), make([]string, len(kinds))
	for n, kind := range kinds {
		matching := fmt.Sprintf(" FROM tasks t WHERE %s AND t.kind = %s", at, q.arg(string(kind)))
		counts[n] = fmt.Sprintf("SELECT %d AS n, count(*) AS many FROM (SELECT 1%s LIMIT %d) AS k%d", n, matching, MaxTasksCounted+1, n)
		first[n] = fmt.Sprintf("SELECT * FROM (SELECT %d AS n, t.item_id, t.since%s ORDER BY t.since, t.item_id LIMIT %d) AS k%d", n, matching, few, n)
	}
	groups := make([]lost.TaskGroup, len(kinds))
	for n, kind := range kinds {
		groups[n].Kind = kind
	}
	if err := r.countTasks(ctx, groups, strings.Join(counts, " UNION ALL "), q.args); err != nil {
		return nil, err
	}
	return groups, r.firstTasks(ctx, groups, strings.Join(first, " UNION ALL "), q.args)
}

// desksWhere says whose tasks are wanted. An index in the order of time serves several desks: what names them is written so that it does not
// lead to another.
func desksWhere(q *query, account string, only []string) string {
	of := q.arg(account)
	if len(only) == 1 {
		return "t.account_id = " + of + " AND t.location_id = " + q.arg(only[0])
	}
	some := ""
	if only != nil {
		marks := make([]string, len(only))
		for n, id := range only {
			marks[n] = q.arg(id)
		}
		some = " AND l.id IN (" + strings.Join(marks, ", ") + ")"
	}
	return "t.account_id = " + of + " AND t.location_id || '' IN (SELECT l.id FROM locations l WHERE l.account_id = " + of + " AND l.deleted_at = 0" + some + ")"
}

func (r reader) countTasks(ctx context.Context, groups []lost.TaskGroup, text string, args []any) error {
	rs, err := r.h.QueryPlanned(ctx, text, args...)
	_, err = collect(rs, err, func(rs rows) (struct{}, error) {
		var n, many int
		err := rs.Scan(&n, &many)
		if err == nil {
			groups[n].Total = lost.Total{Count: min(many, MaxTasksCounted), AtLeast: many > MaxTasksCounted}
		}
		return struct{}{}, err
	})
	return err
}

func (r reader) firstTasks(ctx context.Context, groups []lost.TaskGroup, text string, args []any) error {
	rs, err := r.h.QueryPlanned(ctx, "SELECT "+itemColumns+", first.n, first.since, l.name FROM ("+text+`) AS first
		CROSS JOIN items i CROSS JOIN locations l WHERE i.account_id = $1 AND i.id = first.item_id AND l.account_id = i.account_id AND l.id = i.location_id AND l.deleted_at = 0
		ORDER BY first.n, first.since, first.item_id`, args...)
	_, err = collect(rs, err, func(rs rows) (struct{}, error) {
		var n int
		var since int64
		var where string
		i, err := scanItemAnd(rs, &n, &since, &where)
		if err == nil {
			t := lost.Task{Account: i.Account, LocationID: i.LocationID, LocationName: where, ItemID: i.ID, Kind: groups[n].Kind, Since: fromMicros(since), Item: i}
			groups[n].Tasks = append(groups[n].Tasks, t)
		}
		return struct{}{}, err
	})
	return err
}
