package store

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Backlog is what waits to be done, of one kind.
type Backlog struct {
	Queue  string    // a kind of job, DeliveryQueue or LookQueue
	Due    int       // that could be begun now, counted to MaxBacklog
	Oldest time.Time // since when the first of them could; zero where there is none
	Failed int       // jobs that were given up and are kept to be seen, likewise counted
}

// MaxBacklog is how far what waits is counted.
const MaxBacklog = 10_000

// What waits beside jobs.
const (
	DeliveryQueue = "deliver" // events on their way to endpoints
	LookQueue     = "look"    // items that background work is to look at: reminders, tasks
)

// Backlogs tells of every queue what waits in it. It walks indexes of what waits, each of them not far: a long queue costs
// no more than a bounded one, and what is done costs nothing. It crosses accounts: for whoever watches the service.
func (r reader) Backlogs(ctx context.Context, now time.Time) ([]Backlog, error) {
	ctx = across(ctx, Background)
	const lanes = 1000 // endpoints whose first delivery is looked at
	waiting, err := r.WaitingLanes(ctx, "", lanes)
	if err != nil {
		return nil, err
	}
	var first time.Time
	for _, l := range waiting {
		if !l.Due.After(now) && (first.IsZero() || l.Due.Before(first)) {
			first = l.Due
		}
	}
	rs, err := r.h.Query(ctx, backlogQuery(), micros(now))
	return collect(rs, err, func(rs rows) (b Backlog, err error) {
		var oldest int64
		err = rs.Scan(&b.Queue, &b.Due, &oldest, &b.Failed)
		if b.Oldest = fromMicros(oldest); b.Queue == DeliveryQueue {
			b.Oldest = first
		}
		return b, err
	})
}

// backlogQuery asks for each kind of job by itself: so each is a walk of its part of the index. How old the first delivery is stands elsewhere: it is a walk from endpoint to endpoint.
func backlogQuery() string {
	const each = `SELECT '%[1]s', (SELECT COUNT(*) FROM (SELECT 1 FROM jobs WHERE state = 'due' AND kind = '%[1]s' AND due_at <= $1 LIMIT %[2]d) AS bounded),
			(SELECT COALESCE(MIN(due_at), 0) FROM jobs WHERE state = 'due' AND kind = '%[1]s' AND due_at <= $1),
			(SELECT COUNT(*) FROM given_up WHERE kind = '%[1]s')`
	var parts []string
	for _, kind := range JobKinds() {
		parts = append(parts, fmt.Sprintf(each, kind, MaxBacklog))
	}
	parts = append(parts, fmt.Sprintf(`SELECT '%s', (SELECT COUNT(*) FROM (SELECT 1 FROM deliveries WHERE state = 'pending' AND due_at <= $1 LIMIT %d) AS bounded), 0, 0`, DeliveryQueue, MaxBacklog),
		// Items that an update has all looked at have 1 there, which is no time.
		fmt.Sprintf(`SELECT '%s', (SELECT COUNT(*) FROM (SELECT 1 FROM items WHERE look_at > 0 AND look_at <= $1 LIMIT %d) AS bounded),
			(SELECT COALESCE(MIN(look_at), 0) FROM items WHERE look_at > 0 AND look_at > 1 AND look_at <= $1), 0`, LookQueue, MaxBacklog))
	return fmt.Sprintf("WITH given_up (kind) AS (SELECT kind FROM jobs WHERE state = 'failed' LIMIT %d) ", MaxBacklog) + strings.Join(parts, "\n\t\tUNION ALL ")
}
