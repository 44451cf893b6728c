package store

import (
	"context"
	"time"

	"homeward/internal/lost"
)

// AddEvent adds an event together with a delivery to every subscribed endpoint. Doing both here
// ensures that no caller forgets the deliveries.
func (tx *Tx) AddEvent(e lost.Event) error {
	if err := tx.insertEvent(e); err != nil {
		return err
	}
	endpoints, err := tx.SubscribedEndpoints(tx.ctx, e.Account, e.Type)
	if err != nil {
		return err
	}
	for _, endpoint := range endpoints {
		if _, err := tx.AddDelivery(e, endpoint); err != nil {
			return err
		}
		tx.queues = append(tx.queues, EndpointQueue{Account: e.Account, Endpoint: endpoint})
	}
	return nil
}

// Queues returns the queues to which the transaction has added deliveries.
func (tx *Tx) Queues() []EndpointQueue { return tx.queues }

// AddEventForEndpoint adds an event with a delivery to one endpoint only.
func (tx *Tx) AddEventForEndpoint(e lost.Event, endpoint string) (lost.Delivery, error) {
	if err := tx.insertEvent(e); err != nil {
		return lost.Delivery{}, err
	}
	return tx.AddDelivery(e, endpoint)
}

func (tx *Tx) insertEvent(e lost.Event) error {
	if err := tx.numberChange(e.Account); err != nil {
		return err
	}
	return tx.queue("INSERT INTO events (account_id, id, type, at, location_id, item_id, body, trail, change) "+
		"VALUES ($1, $2, $3, $4, $5, $6, $7, $8, "+tx.d.changes.number+")",
		e.Account, e.ID, string(e.Type), micros(e.At), e.LocationID, e.ItemID, string(e.Body), tx.traceParent())
}

const eventColumns = "account_id, id, type, at, location_id, item_id, body"

func scanEvent(rs rows) (e lost.Event, err error) {
	var kind, body string
	var at int64
	err = rs.Scan(&e.Account, &e.ID, &kind, &at, &e.LocationID, &e.ItemID, &body)
	e.Type, e.At, e.Body = lost.EventType(kind), fromMicros(at), []byte(body)
	return e, err
}

// Event returns an account's event by id, or a NotFound error.
func (r reader) Event(ctx context.Context, account, id string) (lost.Event, error) {
	rs, err := r.h.Query(ctx, "SELECT "+eventColumns+" FROM events WHERE account_id = $1 AND id = $2", account, id)
	return requireRow("event", rs, err, scanEvent)
}

// EventsByID lists an account's events with the given ids, oldest first.
func (r reader) EventsByID(ctx context.Context, account string, ids []string) ([]lost.Event, error) {
	return rowsByID(ctx, r, eventColumns, "events", account, ids, scanEvent)
}

// Events lists an account's events, newest first.
func (r reader) Events(ctx context.Context, account string, f lost.EventFilter) (lost.List[lost.Event], error) {
	q := &query{}
	q.where("account_id = " + q.arg(account))
	narrowEvents(q, f)
	return newestPage(ctx, r, q, f.Page, eventColumns, "events", scanEvent,
		func(e lost.Event) string { return e.ID })
}

// narrowEvents adds the conditions of a filter.
func narrowEvents(q *query, f lost.EventFilter) {
	if len(f.Types) > 0 {
		whereIn(q, "type", f.Types)
	}
	if f.Item != "" {
		q.where("item_id = " + q.arg(f.Item))
	}
}

// PruneEvents deletes at most limit events older than the given time that have no deliveries, and
// returns the number deleted. It works across all accounts; only cleanup uses it.
func (tx *Tx) PruneEvents(before time.Time, limit int) (int64, error) {
	return tx.deleteOld(`DELETE FROM events WHERE (account_id, id) IN (SELECT account_id, id FROM events e WHERE at < $1
		AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.account_id = e.account_id AND d.event_id = e.id) ORDER BY at
		LIMIT $2)`, micros(before), limit)
}
