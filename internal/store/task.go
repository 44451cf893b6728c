package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"homeward/internal/lost"
)

// How far the tasks of a kind are counted: at the one desk that is asked for, and at each of several.
const (
	MaxTasksCounted    = 1000
	mostTasksOfSeveral = 100
)

// WaitingTasks gives, of each kind, the first few tasks of an account's desks and how many there are. With only set, it is limited to
// those locations.
//
// It asks twice. First what each desk has of each kind: a few steps in an index for each, however many tasks there are. The oldest few of a kind are then
// at the desks whose oldest is among the oldest few, and nowhere else, so that is where they are read.
func (r reader) WaitingTasks(ctx context.Context, account string, only []string, kinds []lost.TaskKind, few int) ([]lost.TaskGroup, error) {
	groups := make([]lost.TaskGroup, len(kinds))
	for n, kind := range kinds {
		groups[n].Kind = kind
	}
	if only != nil && len(only) == 0 {
		return groups, nil
	}
	heaps, err := r.taskHeaps(ctx, account, only, kinds)
	if err != nil {
		return nil, err
	}
	var first []taskHeap
	for n := range groups {
		of := slices.DeleteFunc(slices.Clone(heaps), func(h taskHeap) bool { return h.kind != n })
		for _, h := range of {
			groups[n].Count += h.many
			groups[n].AtLeast = groups[n].AtLeast || h.more
		}
		first = append(first, of[:min(len(of), few)]...)
	}
	return groups, r.firstTasks(ctx, account, groups, first, few)
}

// taskHeap is what one desk has waiting of one kind.
type taskHeap struct {
	location string
	kind     int // its place among those that were asked for
	since    int64
	many     int
	more     bool // than were counted
}

// taskHeaps tells what each desk has waiting, those that wait longest first.
func (r reader) taskHeaps(ctx context.Context, account string, only []string, kinds []lost.TaskKind) ([]taskHeap, error) {
	most := mostTasksOfSeveral
	if len(only) == 1 {
		most = MaxTasksCounted
	}
	q := &query{}
	q.where("l.account_id = " + q.arg(account))
	q.where("l.deleted_at = 0")
	if only != nil {
		in(q, "l.id", only)
	}
	named := make([]string, len(kinds))
	for n, kind := range kinds {
		named[n] = fmt.Sprintf("(%d, CAST(%s AS TEXT))", n, q.arg(string(kind)))
	}
	const here = " FROM tasks t WHERE t.account_id = $1 AND t.location_id = l.id AND t.kind = k.kind ORDER BY t.since" // in the order of the index: PostgreSQL takes it then
	rs, err := r.h.Query(ctx, fmt.Sprintf(`WITH k (n, kind) AS (VALUES %s)
		SELECT * FROM (SELECT l.id, k.n, (SELECT t.since%s LIMIT 1) AS oldest, (SELECT count(*) FROM (SELECT 1%s LIMIT %d) AS heap) AS many
		FROM locations l CROSS JOIN k%s) AS heaps WHERE oldest IS NOT NULL`,
		strings.Join(named, ", "), here, here, most+1, q.clause()), q.args...)
	heaps, err := collect(rs, err, func(rs rows) (h taskHeap, err error) {
		err = rs.Scan(&h.location, &h.kind, &h.since, &h.many)
		h.many, h.more = min(h.many, most), h.many > most
		return h, err
	})
	slices.SortFunc(heaps, func(a, b taskHeap) int {
		return cmp.Or(cmp.Compare(a.since, b.since), cmp.Compare(a.location, b.location))
	})
	return heaps, err
}

// firstTasks reads the oldest tasks of some heaps into the groups.
func (r reader) firstTasks(ctx context.Context, account string, groups []lost.TaskGroup, heaps []taskHeap, few int) error {
	if len(heaps) == 0 {
		return nil
	}
	q := &query{}
	of := q.arg(account)
	parts := make([]string, len(heaps))
	for n, h := range heaps {
		parts[n] = fmt.Sprintf(`SELECT * FROM (SELECT %d AS n, t.item_id, t.since FROM tasks t WHERE t.account_id = %s AND t.location_id = %s AND t.kind = %s
			ORDER BY t.since, t.item_id LIMIT %d) AS heap%d`, h.kind, of, q.arg(h.location), q.arg(string(groups[h.kind].Kind)), few, n)
	}
	rs, err := r.h.QueryPlanned(ctx, "SELECT "+itemColumns+", first.n, first.since, l.name FROM ("+strings.Join(parts, " UNION ALL ")+`) AS first
		CROSS JOIN items i CROSS JOIN locations l WHERE i.account_id = $1 AND i.id = first.item_id AND l.account_id = i.account_id AND l.id = i.location_id AND l.deleted_at = 0
		ORDER BY first.n, first.since, first.item_id`, q.args...)
	_, err = collect(rs, err, func(rs rows) (struct{}, error) {
		var n int
		var since int64
		var where string
		i, err := scanItemAnd(rs, &n, &since, &where)
		if err == nil && len(groups[n].Tasks) < few {
			t := lost.Task{Account: i.Account, LocationID: i.LocationID, LocationName: where, ItemID: i.ID, Kind: groups[n].Kind, Since: fromMicros(since), Item: i}
			groups[n].Tasks = append(groups[n].Tasks, t)
		}
		return struct{}{}, err
	})
	return err
}
