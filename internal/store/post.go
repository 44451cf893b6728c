package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"homeward/internal/lost"
)

// Post lists messages of an account, newest first. With only set, it is limited to those locations.
//
// Of locations it asks twice, as for tasks: first for the newest message of each in each state, which is what the index is in the order of; the newest few
// are then where the newest one is among the newest few.
func (r reader) Post(ctx context.Context, account string, only []string, f lost.MessageFilter) (lost.Stretch[lost.Message], error) {
	if only != nil {
		return r.messagesOfLocations(ctx, account, only, f)
	}
	q := &query{}
	q.where("account_id = " + q.arg(account))
	if f.State != "" {
		q.where("state = " + q.arg(string(f.State)))
	}
	rs, err := r.h.QueryPlanned(ctx, "SELECT "+messageColumns+" FROM messages"+q.seekClause(f.Seek), q.args...)
	read, err := collect(rs, err, scanMessage)
	return lost.StretchOf(read, f.Limit), err
}

// messageGroup is what one location has of messages in one state.
type messageGroup struct{ location, state, newest string }

func (r reader) messagesOfLocations(ctx context.Context, account string, only []string, f lost.MessageFilter) (none lost.Stretch[lost.Message], err error) {
	heaps, err := r.messageGroups(ctx, account, only, f)
	if err != nil || len(heaps) == 0 {
		return none, err
	}
	q := &query{}
	of := q.arg(account)
	older := ""
	if f.Before != "" {
		older = " AND id < " + q.arg(f.Before)
	}
	parts := make([]string, len(heaps))
	for n, h := range heaps {
		parts[n] = fmt.Sprintf("SELECT * FROM (SELECT id FROM messages WHERE account_id = %s AND location_id = %s AND state = %s%s ORDER BY id DESC LIMIT %d) AS heap%d",
			of, q.arg(h.location), q.arg(h.state), older, f.Limit+1, n)
	}
	rs, err := r.h.QueryPlanned(ctx, fmt.Sprintf("SELECT %s FROM messages WHERE account_id = %s AND id IN (SELECT id FROM (%s) AS newest ORDER BY id DESC LIMIT %d) ORDER BY id DESC",
		messageColumns, of, strings.Join(parts, " UNION ALL "), f.Limit+1), q.args...)
	read, err := collect(rs, err, scanMessage)
	return lost.StretchOf(read, f.Limit), err
}

// messageGroups gives what the locations have, the newest first, as many as a list can be of.
func (r reader) messageGroups(ctx context.Context, account string, only []string, f lost.MessageFilter) ([]messageGroup, error) {
	if len(only) == 0 {
		return nil, nil
	}
	states := lost.MessageStates()
	if f.State != "" {
		states = []lost.MessageState{f.State}
	}
	q := &query{}
	q.where("l.account_id = " + q.arg(account))
	in(q, "l.id", only)
	named := make([]string, len(states))
	for n, s := range states {
		named[n] = "(CAST(" + q.arg(string(s)) + " AS TEXT))"
	}
	older := ""
	if f.Before != "" {
		older = " AND m.id < " + q.arg(f.Before)
	}
	rs, err := r.h.QueryPlanned(ctx, "WITH s (state) AS (VALUES "+strings.Join(named, ", ")+`)
		SELECT * FROM (SELECT l.id, s.state, (SELECT m.id FROM messages m WHERE m.account_id = $1 AND m.location_id = l.id AND m.state = s.state`+older+
		" ORDER BY m.id DESC LIMIT 1) AS newest FROM locations l CROSS JOIN s"+q.clause()+") AS heaps WHERE newest IS NOT NULL", q.args...)
	heaps, err := collect(rs, err, func(rs rows) (h messageGroup, err error) {
		err = rs.Scan(&h.location, &h.state, &h.newest)
		return h, err
	})
	slices.SortFunc(heaps, func(a, b messageGroup) int { return cmp.Compare(b.newest, a.newest) })
	return heaps[:min(len(heaps), f.Limit+1)], err
}
