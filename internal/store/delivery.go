package store

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"homeward/internal/lost"
	"homeward/internal/tracing"
)

// EndpointQueue identifies the queue of deliveries to one endpoint.
type EndpointQueue struct{ Account, Endpoint string }

// AddDelivery adds a delivery of an event to an endpoint. The delivery is due immediately.
func (tx *Tx) AddDelivery(e lost.Event, endpoint string) (lost.Delivery, error) {
	d := lost.Delivery{
		Account: e.Account, ID: lost.NewID(lost.DeliveryID, tx.now), EventID: e.ID, EventType: e.Type,
		EndpointID: endpoint,
		State:      lost.DeliveryPending, DueAt: tx.now, CreatedAt: tx.now,
	}
	return d,
		tx.queue(`INSERT INTO deliveries (account_id, id, event_id, event_type, endpoint_id, state, due_at, created_at,
				trail)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
			d.Account, d.ID, d.EventID, string(d.EventType), d.EndpointID, string(d.State),
			micros(d.DueAt), micros(d.CreatedAt), tx.traceParent())
}

const deliveryColumns = "account_id, id, event_id, event_type, endpoint_id, state, due_at, failures, attempts, " +
	"created_at, settled_at"

func scanDelivery(rs rows) (lost.Delivery, error) { return scanDeliveryWith(rs) }

func scanDeliveryWith(rs rows, more ...any) (d lost.Delivery, err error) {
	var kind, state, attempts string
	var due, created, settled int64
	dest := append([]any{
		&d.Account, &d.ID, &d.EventID, &kind, &d.EndpointID, &state, &due, &d.Failures, &attempts, &created, &settled,
	}, more...)
	if err = rs.Scan(dest...); err != nil {
		return d, err
	}
	d.EventType, d.State = lost.EventType(kind), lost.DeliveryState(state)
	d.CreatedAt, d.SettledAt = fromMicros(created), fromMicros(settled)
	if d.State == lost.DeliveryPending {
		d.DueAt = fromMicros(due)
	}
	d.Attempts, err = readAttempts(attempts)
	return d, err
}

// storedAttempt is the JSON form of a delivery attempt.
type storedAttempt struct {
	At       int64  `json:"at"`
	Status   int    `json:"status,omitempty"`
	Took     int64  `json:"us"`
	Error    string `json:"error,omitempty"`
	Response string `json:"response,omitempty"`
}

func readAttempts(text string) ([]lost.Attempt, error) {
	var stored []storedAttempt
	if err := readJSON("a delivery's attempts", text, &stored); err != nil || len(stored) == 0 {
		return nil, err
	}
	out := make([]lost.Attempt, len(stored))
	for i, a := range stored {
		out[i] = lost.Attempt{
			At: fromMicros(a.At), Status: a.Status, Took: time.Duration(a.Took) * time.Microsecond, Error: a.Error,
			Response: a.Response,
		}
	}
	return out, nil
}

func writeAttempts(attempts []lost.Attempt) string {
	stored := make([]storedAttempt, len(attempts))
	for i, a := range attempts {
		stored[i] = storedAttempt{
			At: micros(a.At), Status: a.Status, Took: a.Took.Microseconds(), Error: a.Error, Response: a.Response,
		}
	}
	return toJSON(stored)
}

// Delivery returns an account's delivery by id, or a NotFound error.
func (r reader) Delivery(ctx context.Context, account, id string) (lost.Delivery, error) {
	return r.delivery(ctx, account, id, "")
}

func (r reader) delivery(ctx context.Context, account, id, lock string) (lost.Delivery, error) {
	rs, err := r.h.Query(ctx, "SELECT "+deliveryColumns+" FROM deliveries AS d WHERE account_id = $1 AND id = $2"+lock,
		account, id)
	return requireRow("delivery", rs, err, scanDelivery)
}

// LockDelivery returns a delivery and locks it until the transaction ends.
func (tx *Tx) LockDelivery(account, id string) (lost.Delivery, error) {
	return tx.delivery(tx.ctx, account, id, tx.d.lock("d"))
}

// Deliveries lists deliveries to an endpoint, newest first.
func (r reader) Deliveries(ctx context.Context, account string,
	f lost.DeliveryFilter) (lost.List[lost.Delivery], error) {
	q := &query{}
	q.where("account_id = " + q.arg(account))
	q.where("endpoint_id = " + q.arg(f.Endpoint))
	if f.Event != "" {
		q.where("event_id = " + q.arg(f.Event))
	}
	if len(f.States) > 0 { // literals let the database use a partial index on one state
		var states []string
		for _, state := range lost.DeliveryStates() {
			if slices.Contains(f.States, state) {
				states = append(states, "'"+string(state)+"'")
			}
		}
		if len(states) == 1 { // otherwise SQLite would not use the index
			q.where("state = " + states[0])
		} else {
			q.where("state IN (" + strings.Join(states, ", ") + ")")
		}
	}
	if len(f.Types) > 0 {
		whereIn(q, "event_type", f.Types)
	}
	return newestPage(ctx, r, q, f.Page, deliveryColumns, "deliveries", scanDelivery,
		func(d lost.Delivery) string { return d.ID })
}

// EventDeliveries lists the newest deliveries of an event.
func (r reader) EventDeliveries(ctx context.Context, account, event string) ([]lost.Delivery, error) {
	const limit = 100
	rs, err := r.h.Query(ctx,
		"SELECT "+deliveryColumns+" FROM deliveries WHERE account_id = $1 AND event_id = $2 ORDER BY id DESC LIMIT $3",
		account, event, limit)
	return collect(rs, err, scanDelivery)
}

// ItemDeliveries lists the newest deliveries of events about an item.
func (r reader) ItemDeliveries(ctx context.Context, account, item string, limit int) ([]lost.Delivery, error) {
	rs, err := r.h.Query(ctx,
		`SELECT d.account_id, d.id, d.event_id, d.event_type, d.endpoint_id, d.state, d.due_at, d.failures, d.attempts,
				d.created_at, d.settled_at
		FROM (SELECT account_id, id FROM events AS v WHERE account_id = $1 AND item_id = $2 AND EXISTS (SELECT 1
			FROM deliveries WHERE account_id = $1 AND event_id = v.id) ORDER BY id DESC LIMIT $3) AS e
		CROSS JOIN deliveries d WHERE d.account_id = e.account_id AND d.event_id = e.id ORDER BY d.id DESC LIMIT $3`,
		account, item, limit)
	return collect(rs, err, scanDelivery)
}

// WaitingQueue is a queue with pending deliveries, and the time when the first of them is due.
type WaitingQueue struct {
	EndpointQueue
	Due time.Time
}

// PendingQueues lists the queues with pending deliveries, sorted by endpoint id, for endpoints with
// ids greater than after. It jumps from one endpoint to the next in the index, so a long queue
// costs no more than a short one. It works across all accounts; only background jobs use it.
func (r reader) PendingQueues(ctx context.Context, after string, limit int) ([]WaitingQueue, error) {
	rs, err := r.h.Query(withScope(ctx, BackgroundScope), r.d.waitingQueues+limitClause(limit), after)
	return collect(rs, err, func(rs rows) (l WaitingQueue, err error) {
		var due int64
		err = rs.Scan(&l.Endpoint, &l.Account, &due)
		l.Due = fromMicros(due)
		return l, err
	})
}

// NextDeliveryDue returns the time when the first pending delivery of a queue is due. It returns
// false if there is none.
func (r reader) NextDeliveryDue(ctx context.Context, l EndpointQueue) (time.Time, bool, error) {
	rs, err := r.h.Query(ctx,
		"SELECT due_at FROM deliveries WHERE state = 'pending' AND endpoint_id = $2 AND account_id = $1 ORDER BY "+
			"due_at LIMIT 1", l.Account, l.Endpoint)
	due, ok, err := firstValue[int64](rs, err)
	return fromMicros(due), ok, err
}

// ClaimedDelivery is a delivery that a worker has claimed for an attempt.
type ClaimedDelivery struct {
	lost.Delivery
	Body  []byte // body of the event; nil if the event was deleted
	Trace tracing.Origin
	claim int64 // number of this claim; a later claim or a replay has a higher number
}

// ClaimDeliveries claims due deliveries of a queue for the duration of the lease. If the worker
// dies, another worker can claim them after the lease ends.
func (tx *Tx) ClaimDeliveries(l EndpointQueue, limit int, lease time.Duration) ([]ClaimedDelivery, error) {
	// MATERIALIZED is required: otherwise the subquery could be evaluated again for every row and
	// skip the rows that it has locked.
	rs, err := tx.h.Query(tx.ctx, `WITH picked (picked_id) AS MATERIALIZED (SELECT id FROM deliveries
			WHERE state = 'pending' AND endpoint_id = $2 AND account_id = $1 AND due_at <= $3 ORDER BY due_at
			LIMIT `+strconv.Itoa(limit)+tx.d.skipLocked+`)
		UPDATE deliveries SET claim = claim + 1, due_at = $4 FROM picked WHERE account_id = $1 AND id = picked_id
		RETURNING `+deliveryColumns+`, claim, trail, (SELECT body FROM events e
		WHERE e.account_id = deliveries.account_id AND e.id = deliveries.event_id)`,
		l.Account, l.Endpoint, micros(tx.now), micros(tx.now.Add(lease)))
	return collect(rs, err, func(rs rows) (c ClaimedDelivery, err error) {
		var trace string
		var body *string
		c.Delivery, err = scanDeliveryWith(rs, &c.claim, &trace, &body)
		c.Trace = tracing.Decode(trace)
		if body != nil {
			c.Body = []byte(*body)
		}
		return c, err
	})
}

// SaveClaimedDelivery saves the result of an attempt. It has no effect if the delivery was claimed
// by another worker or replayed in the meantime, because its claim number is different then. A
// delivery that was canceled in the meantime stays canceled, with the attempt recorded, unless the
// attempt succeeded. The state is not in the WHERE clause, because PostgreSQL would then scan the
// whole index of pending deliveries.
func (tx *Tx) SaveClaimedDelivery(c ClaimedDelivery) error {
	return tx.queue(`UPDATE deliveries SET failures = $6, attempts = $7,
			state = CASE WHEN state = 'canceled' AND $4 = 'pending' THEN state ELSE $4 END,
			due_at = CASE WHEN state = 'canceled' AND $4 = 'pending' THEN 0 ELSE CAST($5 AS BIGINT) END,
			settled_at = CASE WHEN state = 'canceled' AND $4 = 'pending' THEN settled_at ELSE $8 END
		WHERE account_id = $1 AND id = $2 AND claim = $3`,
		c.Account, c.ID, c.claim, string(c.State), micros(c.DueAt), c.Failures, writeAttempts(c.Attempts),
		micros(c.SettledAt))
}

// ReleaseDelivery gives up the claim of a delivery that was not attempted, which is then
// immediately due again.
func (tx *Tx) ReleaseDelivery(c ClaimedDelivery) error {
	return tx.queue("UPDATE deliveries SET due_at = CASE WHEN state = 'canceled' THEN 0 ELSE CAST($4 AS BIGINT) END "+
		"WHERE account_id = $1 AND id = $2 AND claim = $3", c.Account, c.ID, c.claim, micros(tx.now))
}

// replayUpdate makes a finished delivery pending again, as part of the trace of the replay request.
// A worker that is attempting the delivery loses its claim.
const replayUpdate = "UPDATE deliveries SET state = 'pending', claim = claim + 1, failures = 0, settled_at = 0, " +
	"due_at = $3, trail = $4"

// ReplayDelivery makes a finished delivery pending again, due at d.DueAt.
func (tx *Tx) ReplayDelivery(d lost.Delivery) error {
	return tx.queue(replayUpdate+" WHERE account_id = $1 AND id = $2", d.Account, d.ID, micros(d.DueAt),
		tx.traceParent())
}

// ReplayFailedDeliveries makes at most limit failed deliveries of an endpoint due again, in the
// order of their ids. It selects deliveries created from since to until, with ids greater than
// after. It returns the id of the last one and the number of deliveries.
func (tx *Tx) ReplayFailedDeliveries(l EndpointQueue, since, until time.Time, after string,
	limit int) (last string, n int, err error) {
	// The rows are locked first: a concurrent replay waits, and then finds that they are no longer
	// failed.
	rs, err := tx.h.Query(tx.ctx, `WITH picked (picked_id) AS MATERIALIZED (SELECT id FROM deliveries AS d
			WHERE account_id = $1 AND endpoint_id = $2 AND state = 'failed' AND id > $5 AND created_at >= $6
			AND created_at <= $7 ORDER BY id LIMIT $8`+tx.d.lock("d")+`)
		`+replayUpdate+` FROM picked WHERE account_id = $1 AND id = picked_id RETURNING id`,
		l.Account, l.Endpoint, micros(tx.now), tx.traceParent(), after, micros(since), micros(until), limit)
	ids, err := collect(rs, err, func(rs rows) (id string, err error) {
		err = rs.Scan(&id)
		return id, err
	})
	for _, id := range ids {
		last = max(last, id)
	}
	return last, len(ids), err
}

// CancelDeliveries cancels all pending deliveries of a queue, unless its endpoint is enabled.
func (db *DB) CancelDeliveries(ctx context.Context, l EndpointQueue) error {
	return db.InBatches(ctx, func(tx *Tx, limit int) (int64, error) { return tx.CancelDeliveryBatch(l, limit) })
}

// CancelDeliveryBatch cancels at most limit pending deliveries of a queue and returns their number.
// It cancels none if the endpoint has been enabled in the meantime.
func (tx *Tx) CancelDeliveryBatch(l EndpointQueue, limit int) (int64, error) {
	// The rows are locked first, to avoid overwriting the result of an attempt.
	return tx.exec(`WITH picked (picked_id) AS MATERIALIZED (SELECT id FROM deliveries AS d
			WHERE state = 'pending' AND endpoint_id = $2 AND account_id = $1
				AND NOT EXISTS (SELECT 1 FROM endpoints e WHERE e.account_id = $1 AND e.id = $2 AND e.enabled)
				ORDER BY due_at LIMIT $4`+tx.d.lock("d")+`)
		UPDATE deliveries SET state = 'canceled', due_at = 0, settled_at = $3 FROM picked WHERE account_id = $1
		AND id = picked_id`,
		l.Account, l.Endpoint, micros(tx.now), limit)
}

// PruneDeliveries deletes at most limit finished deliveries older than the given time and returns
// the number deleted. It works across all accounts; only cleanup uses it.
func (tx *Tx) PruneDeliveries(before time.Time, limit int) (int64, error) {
	return tx.deleteOld(`DELETE FROM deliveries WHERE (account_id, id) IN
		(SELECT account_id, id FROM deliveries WHERE state <> 'pending' AND created_at < $1 ORDER BY created_at
		LIMIT $2)`, micros(before), limit)
}
