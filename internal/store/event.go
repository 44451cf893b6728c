package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"homeward/internal/lost"
)

// Events tells how changes are announced.
type Events struct {
	// OfChange returns the events about a change of an item, at the given time. A new item was nil before, and a
	// deleted item is nil after the change. OfChange may be nil: then changes cause no such events.
	OfChange func(before, after *lost.Item, now time.Time) ([]lost.Event, error)
	// Wake is called after a commit that has added deliveries. It may be nil.
	Wake func(queues ...EndpointQueue)
	// OnPageChange is called after a commit that has made open pages outdated. It may be nil.
	OnPageChange func([]PageChange)
}

// UseEvents sets how changes are announced. It must be called before the database is used.
func (db *DB) UseEvents(e Events) { db.events = e }

// AddEvent adds an event. At the end of the transaction, every subscribed endpoint gets a delivery of it, so no caller
// can forget the deliveries.
func (tx *Tx) AddEvent(e lost.Event) error {
	tx.announce(e)
	return tx.insertEvent(e)
}

// announcement is an event whose deliveries are added at the end of the transaction.
type announcement struct {
	account, id, location string
	kind                  lost.EventType
}

func announcementOf(e lost.Event) announcement {
	return announcement{e.Account, e.ID, e.LocationID, e.Type}
}

func (tx *Tx) announce(e lost.Event) { tx.announced = append(tx.announced, announcementOf(e)) }

// AddEventForEndpoint adds an event with a delivery to one endpoint only.
func (tx *Tx) AddEventForEndpoint(e lost.Event, endpoint string) (lost.Delivery, error) {
	if err := tx.insertEvent(e); err != nil {
		return lost.Delivery{}, err
	}
	return tx.AddDelivery(e, endpoint)
}

const eventInsert = "INSERT INTO events (account_id, id, type, at, location_id, item_id, body, trail, change) "

func (tx *Tx) eventValues(e lost.Event) []any {
	return []any{
		e.Account, e.ID, string(e.Type), micros(e.At), e.LocationID, e.ItemID, string(e.Body), tx.traceParent(),
	}
}

func (tx *Tx) insertEvent(e lost.Event) error {
	if err := tx.numberChange(e.Account); err != nil {
		return err
	}
	return tx.queue(eventInsert+"VALUES ($1, $2, $3, $4, $5, $6, $7, $8, "+tx.d.changes.number+")",
		tx.eventValues(e)...)
}

// itemEvents are the events of a transaction about changes of one item.
type itemEvents struct {
	before *lost.Item // the item before the first change, or nil if it is new
	added  []announcement
}

// addChangeEvents adds the events about a change of an item; see Events.OfChange. If the transaction changes the item
// again, the later event replaces the one of the same type.
func (tx *Tx) addChangeEvents(before, after *lost.Item) error {
	tx.noteItemChange(before, after)
	if tx.events.OfChange == nil {
		return nil
	}
	item := cmp.Or(after, before).ID
	of := tx.changed[item]
	if of == nil {
		of = &itemEvents{before: before}
		if tx.changed == nil {
			tx.changed = map[string]*itemEvents{}
		}
		tx.changed[item] = of
	}
	if after != nil && of.before != nil {
		before = of.before
	}
	events, err := tx.events.OfChange(before, after, tx.now)
	for _, e := range events {
		if err == nil {
			err = of.add(tx, e, before == nil)
		}
	}
	return err
}

// add adds an event, or replaces the body of the one of the same type.
func (of *itemEvents) add(tx *Tx, e lost.Event, isNew bool) error {
	sameType := func(a announcement) bool { return a.kind == e.Type }
	if n := slices.IndexFunc(of.added, sameType); n >= 0 {
		return tx.queue("UPDATE events SET body = $3 WHERE account_id = $1 AND id = $2", e.Account, of.added[n].id,
			string(e.Body))
	}
	of.added = append(of.added, announcementOf(e))
	return tx.addChangeEvent(e, isNew)
}

// addChangeEvent adds an event about a change. That of a new item is added together with the item.
func (tx *Tx) addChangeEvent(e lost.Event, isNew bool) error {
	if !isNew {
		return tx.AddEvent(e)
	}
	tx.announce(e)
	return tx.queueForItem(e.ItemID, eventInsert+"SELECT $1, $2, $3, CAST($4 AS BIGINT), $5, $6, $7, $8, "+
		tx.d.changes.number+" FROM items WHERE account_id = $1 AND id = $6", tx.eventValues(e)...)
}

// addDeliveries adds the deliveries of the transaction's events to the endpoints that are subscribed to them. It needs
// no further round trip, and one statement for many events. That of a new item is even part of the statement that adds
// the item.
func (tx *Tx) addDeliveries() error {
	for batch := range slices.Chunk(tx.announced, maxAnnounced) {
		if err := tx.addDeliveriesOf(batch); err != nil {
			return err
		}
	}
	return nil
}

// maxAnnounced is the maximum number of events whose deliveries one statement adds.
const maxAnnounced = 200

// addDeliveriesOf adds the deliveries of some events. The id of a delivery begins like that of its event, and ends like
// that of its endpoint.
func (tx *Tx) addDeliveriesOf(events []announcement) error {
	q := &query{}
	now, trace := q.arg(micros(tx.now)), q.arg(tx.traceParent())
	if len(events) > 1 {
		events = slices.Clone(events)
		for len(events)%listMultiple > 0 { // see padList
			events = append(events, announcement{})
		}
	}
	selects := make([]string, len(events))
	for n, e := range events {
		selects[n] = fmt.Sprintf("SELECT CAST(%s AS TEXT) AS account_id, CAST(%s AS TEXT) AS id, "+
			"CAST(%s AS TEXT) AS type, CAST(%s AS TEXT) AS location_id",
			q.arg(e.account), q.arg(e.id), q.arg(string(e.kind)), q.arg(e.location))
	}
	q.where("n.account_id = e.account_id")
	q.where(subscribed("e.type", "e.location_id"))
	return tx.h.QueueQuery(tx.ctx, func(rs rows) error {
		added, err := scanTexts(rs, nil, 2)
		for _, row := range added {
			tx.queues = append(tx.queues, EndpointQueue{row[0], row[1]})
		}
		return err
	}, "INSERT INTO deliveries (account_id, id, event_id, event_type, endpoint_id, state, due_at, created_at, trail) "+
		"SELECT e.account_id, 'dlv_' || substr(e.id, 5, 18) || substr(n.id, length(n.id) - 7), e.id, e.type, n.id, "+
		"'pending', CAST("+now+" AS BIGINT), CAST("+now+" AS BIGINT), "+trace+" FROM ("+
		strings.Join(selects, " UNION ALL ")+") AS e CROSS JOIN endpoints n"+q.clause()+
		" RETURNING account_id, endpoint_id", q.args...)
}

// subscribed returns the condition for endpoints n that receive events of a type at a location, as
// lost.Endpoint.Receives does.
func subscribed(kind, location string) string {
	return "n.enabled AND (n.events = '' AND " + kind + " IN (" + quotedTypes(lost.DefaultEventTypes()) + ") OR " +
		"n.events LIKE '%\"' || " + kind + " || '\"%' OR n.events LIKE '%\"" + string(lost.AllEvents) + "\"%') AND " +
		"(n.locations = '' OR n.locations LIKE '%\"' || " + location + " || '\"%')"
}

func quotedTypes(types []lost.EventType) string {
	return strings.ReplaceAll(lost.Quoted(types), `"`, "'")
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
	from := "events"
	if narrowEvents(q, f) && f.Item == "" {
		from += r.d.useIndex("events_rare")
	}
	return newestPage(ctx, r, q, f.Page, eventColumns, from, scanEvent,
		func(e lost.Event) string { return e.ID })
}

// narrowEvents adds the conditions of a filter, and reports whether only rare types are listed. The condition for them
// must be identical to that of the indexes events_rare and events_rare_by_change. Without these, a list of them would
// read the far more frequent events about changes too.
func narrowEvents(q *query, f lost.EventFilter) (rare bool) {
	rare = !slices.ContainsFunc(f.Types, func(t lost.EventType) bool {
		return t == lost.AllEvents || slices.Contains(lost.ChangeEventTypes(), t)
	})
	if rare {
		q.where(isRareEvent())
	}
	if len(f.Types) > 0 && !slices.Contains(f.Types, lost.AllEvents) {
		whereIn(q, "type", f.Types)
	}
	if f.Item != "" {
		q.where("item_id = " + q.arg(f.Item))
	}
	return rare
}

// isRareEvent returns the condition of the indexes for rare types.
func isRareEvent() string {
	return "type IN (" + quotedTypes(append(lost.DefaultEventTypes(), lost.TestEvent)) + ")"
}

// EventChanges lists an account's events, oldest first. Like ItemChanges, it begins with the given time, and every page
// has a next one.
func (r reader) EventChanges(ctx context.Context, account string, f lost.EventFilter,
	since time.Time) (lost.List[lost.Event], error) {
	list := lost.List[lost.Event]{Page: f.Page}
	q := &query{}
	q.where("i.account_id = " + q.arg(account))
	of := changedRows{table: "events", index: "events_by_change", change: eventChange, at: "at"}
	if narrowEvents(q, f) {
		of.index, of.condition = "events_rare_by_change", " AND "+isRareEvent()
	}
	after, err := changesAfter(f.Page, since, func() (changePosition, error) {
		return r.firstPosition(ctx, account, of, since)
	})
	if err != nil {
		return list, err
	}
	if !since.IsZero() {
		q.where("i.at >= " + q.arg(micros(since)))
	}
	from := "events i" + r.d.useIndex(of.index)
	changed := r.orderedChanges(q, from, eventChange, "i.id", changedKind, after, f.Page.Limit)
	read, next, total, err := r.readChanges(ctx, []string{changed}, q.args, after, f.Page)
	list.Next, list.Total = next.String(), total
	if err != nil || len(read) == 0 {
		return list, err
	}
	ids := make([]string, len(read))
	for n, c := range read {
		ids[n] = c.id
	}
	events, err := r.EventsByID(ctx, account, ids)
	slices.SortFunc(events, func(x, y lost.Event) int {
		return cmp.Compare(slices.Index(ids, x.ID), slices.Index(ids, y.ID))
	})
	list.Data = events
	return list, err
}

// PruneEvents deletes at most limit events older than the given time that have no deliveries, and
// returns the number deleted. It works across all accounts; only cleanup uses it.
func (tx *Tx) PruneEvents(before time.Time, limit int) (int64, error) {
	return tx.pruneEvents("", before, limit)
}

// PruneChangeEvents is PruneEvents for the events about every change.
func (tx *Tx) PruneChangeEvents(before time.Time, limit int) (int64, error) {
	return tx.pruneEvents(" AND type IN ("+quotedTypes(lost.ChangeEventTypes())+")", before, limit)
}

func (tx *Tx) pruneEvents(condition string, before time.Time, limit int) (int64, error) {
	return tx.deleteOld(`DELETE FROM events WHERE (account_id, id) IN (SELECT account_id, id FROM events e WHERE at < $1
		AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.account_id = e.account_id AND d.event_id = e.id)`+condition+
		` ORDER BY at LIMIT $2)`, micros(before), limit)
}
