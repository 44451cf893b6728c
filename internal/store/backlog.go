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

// Backlogs tells of every queue what waits in it. It is one query that walks indexes of what waits, each of them not far: a long queue costs
// no more than a bounded one, and what is done costs nothing. It crosses accounts: for whoever watches the service.
func (r reader) Backlogs(ctx context.Context, now time.Time) ([]Backlog, error) {
	ctx = across(ctx, Background)
	rs, err := r.h.Query(ctx, backlogQuery(), micros(now))
	found, err := collect(rs, err, func(rs rows) (b Backlog, err error) {
		var oldest int64
		err = rs.Scan(&b.Queue, &b.Due, &oldest, &b.Failed)
		b.Oldest = fromMicros(oldest)
		return b, err
	})
	return found, err
}

// backlogQuery asks for each kind of job by itself: so each is a walk of its part of the index.
func backlogQuery() string {
	const (
		lanes = 1000 // endpoints whose first delivery is looked at
		each  = `SELECT '%[1]s', (SELECT COUNT(*) FROM (SELECT 1 FROM jobs WHERE state = 'due' AND kind = '%[1]s' AND due_at <= $1 LIMIT %[2]d) AS bounded),
			(SELECT COALESCE(MIN(due_at), 0) FROM jobs WHERE state = 'due' AND kind = '%[1]s' AND due_at <= $1),
			(SELECT COUNT(*) FROM given_up WHERE kind = '%[1]s')`
	)
	var parts []string
	for _, kind := range JobKinds() {
		parts = append(parts, fmt.Sprintf(each, kind, MaxBacklog))
	}
	parts = append(parts, fmt.Sprintf(`SELECT '%s', (SELECT COUNT(*) FROM (SELECT due_at FROM deliveries WHERE state = 'pending' LIMIT %d) AS bounded WHERE due_at <= $1),
			(SELECT COALESCE(MIN(due), 0) FROM (SELECT (SELECT due_at FROM deliveries d WHERE d.state = 'pending' AND d.endpoint_id = lane.endpoint_id ORDER BY d.due_at LIMIT 1) AS due
				FROM lane WHERE endpoint_id IS NOT NULL LIMIT %d) AS firsts WHERE due <= $1), 0`, DeliveryQueue, MaxBacklog, lanes),
		// Items that an update has all looked at have 1 there, which is no time.
		fmt.Sprintf(`SELECT '%s', (SELECT COUNT(*) FROM (SELECT 1 FROM items WHERE look_at > 0 AND look_at <= $1 LIMIT %d) AS bounded),
			(SELECT COALESCE(MIN(look_at), 0) FROM items WHERE look_at > 0 AND look_at > 1 AND look_at <= $1), 0`, LookQueue, MaxBacklog))
	return fmt.Sprintf(`WITH RECURSIVE given_up (kind) AS (SELECT kind FROM jobs WHERE state = 'failed' LIMIT %d), lane (endpoint_id) AS (
			SELECT (SELECT endpoint_id FROM deliveries WHERE state = 'pending' ORDER BY endpoint_id LIMIT 1)
			UNION ALL
			SELECT (SELECT d.endpoint_id FROM deliveries d WHERE d.state = 'pending' AND d.endpoint_id > lane.endpoint_id ORDER BY d.endpoint_id LIMIT 1)
			FROM lane WHERE lane.endpoint_id IS NOT NULL
		) `, MaxBacklog) + strings.Join(parts, "\n\t\tUNION ALL ")
}
