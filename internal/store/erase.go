package store

import (
	"bytes"
	"context"
	"slices"

	"homeward/internal/lost"
)

// Redactor returns the body of an event without the guest's data.
type Redactor func(body []byte) ([]byte, error)

// EraseItemGuest erases the data of an item's guest everywhere: on the item, in its shipments and
// their documents, links, messages, conversation, tasks, history notes and stored responses, and in its events
// with their deliveries. With redact, the events are kept without the guest's data and pending
// deliveries are sent; without it, events and deliveries are deleted, and the data of the finder is erased
// too, because the item was completed long ago. It returns the changed item and the numbers of erased records.
func (tx *Tx) EraseItemGuest(i lost.Item, by lost.Actor, redact Redactor) (after lost.Item, e lost.Erased, err error) {
	before, files := i, i.Files()
	erased := i.EraseGuest(tx.now)
	if redact == nil && i.EraseFinder(tx.now) {
		erased = true
	}
	shipments, err := tx.LockShipments(i.Account, i.ID)
	if err != nil {
		return i, e, err
	}
	if err := tx.eraseShipments(i.Account, shipments, files, &e); err != nil {
		return i, e, err
	}
	if err := tx.eraseRelated(i, redact, &e); err != nil {
		return i, e, err
	}
	if erased {
		if err := tx.saveErased(before, i, by); err != nil {
			return i, e, err
		}
		if i.Source == lost.Request {
			e.Requests++
		} else {
			e.Items++
		}
	}
	if err := tx.eraseProtocols(before, by, &e); err != nil {
		return i, e, err
	}
	return i, e, tx.MarkErased(i)
}

// eraseProtocols deletes the signed protocols of the items that were handed over together with an item, because each
// of them lists all of these items and names the recipient.
func (tx *Tx) eraseProtocols(i lost.Item, by lost.Actor, e *lost.Erased) error {
	if !i.Transferred() || i.Handover.ReceiptFile == "" {
		return nil
	}
	// Items that were handed over together have the same time of the hand-over.
	rs, err := tx.h.QueryPlanned(tx.ctx, "SELECT "+itemColumns+" FROM items i"+tx.d.useIndex("items_by_status")+
		joinLocation+" WHERE i.account_id = $1 AND i.location_id = $2 AND i.source = 'found' AND i.status = $3 "+
		"AND i.closed_at = $4 AND i.id <> $5 ORDER BY i.id"+tx.d.lock("i"),
		i.Account, i.LocationID, string(i.Status), micros(i.ClosedAt), i.ID)
	others, err := collect(rs, err, tx.scanItem)
	if err != nil {
		return err
	}
	for _, other := range others {
		before, file := other, other.Handover.ReceiptFile
		if !other.Transferred() || file == "" {
			continue
		}
		other.Handover.ReceiptFile = ""
		if err := tx.saveErased(before, other, by); err != nil {
			return err
		}
		if err := tx.AddDeleteFilesJobs(i.Account, file); err != nil {
			return err
		}
		e.Files++
	}
	return nil
}

// saveErased saves an item after the guest's data or a name was removed from it, and records this
// in its history.
func (tx *Tx) saveErased(before, i lost.Item, by lost.Actor) error {
	if i.UpdatedAt.Equal(before.UpdatedAt) {
		i.UpdatedAt = tx.now // programs that copy the item must erase the data too
	}
	if err := tx.SaveItem(before, i); err != nil {
		return err
	}
	return tx.AddHistory(i, lost.NewEntry(by, lost.GuestDataRemoved, tx.now))
}

// deleteLinks deletes guests' links with their directory entries, and adds the number of links to
// n.
func (tx *Tx) deleteLinks(n *int, where string, args ...any) error {
	deleted, err := tx.deleteWithEntries(tx.ctx, LinkEntry, "DELETE FROM links"+where, args...)
	*n += int(deleted)
	return err
}

// eraseRelated erases the data of an item's guest from tables other than items and shipments.
func (tx *Tx) eraseRelated(i lost.Item, redact Redactor, e *lost.Erased) error {
	const itemCondition, eventIDs = " WHERE account_id = $1 AND item_id = $2",
		" (SELECT id FROM events WHERE account_id = $1 AND item_id = $2)"
	if err := tx.queue("DELETE FROM jobs WHERE "+dueMessageJobs+
		" AND account_id = $1 AND payload IN (SELECT id FROM messages"+itemCondition+")", i.Account, i.ID); err != nil {
		return err
	}
	if err := tx.deleteLinks(&e.Links, itemCondition, i.Account, i.ID); err != nil {
		return err
	}
	written, err := tx.deleteThreads(i.Account, []string{i.ID})
	if err != nil {
		return err
	}
	e.Messages += written
	type step struct {
		sum       *int
		statement string
	}
	var uncounted int
	steps := []step{
		{&e.Messages, "DELETE FROM messages" + itemCondition},
		{&e.History, "UPDATE item_history SET note = ''" + itemCondition + " AND note <> ''"},
		{&e.Answers, clearResponsesUpdate + " WHERE account_id = $1 AND subject = $2"},
		{&uncounted, "DELETE FROM tasks" + itemCondition},
		{&uncounted, "DELETE FROM clearance_items" + itemCondition},
		{&uncounted, "DELETE FROM photo_suggestions" + itemCondition},
	}
	if redact == nil {
		steps = append(steps,
			step{&e.Answers, clearResponsesUpdate + " WHERE account_id = $1 AND subject IN" + eventIDs},
			step{&e.Deliveries, "DELETE FROM deliveries WHERE account_id = $1 AND event_id IN" + eventIDs},
			step{&e.Events, "DELETE FROM events" + itemCondition})
	}
	for _, s := range steps {
		if err := tx.execCounted(s.sum, s.statement, i.Account, i.ID); err != nil {
			return err
		}
	}
	if err := tx.deleteMatching(i.Account, []string{i.ID}); err != nil || redact == nil {
		return err
	}
	return tx.redactEvents(i, redact, e)
}

// redactEvents removes the guest's data from the events about an item.
func (tx *Tx) redactEvents(i lost.Item, redact Redactor, e *lost.Erased) error {
	events, err := tx.lockEvents(i)
	if err != nil {
		return err
	}
	for _, event := range events {
		body, err := redact(event.Body)
		if err != nil {
			return err
		}
		if err := tx.redactEvent(event, body, e); err != nil {
			return err
		}
	}
	return nil
}

// lockEvents returns the events about an item, and locks them until the transaction ends.
func (tx *Tx) lockEvents(i lost.Item) ([]lost.Event, error) {
	rs, err := tx.h.Query(tx.ctx, "SELECT "+eventColumns+
		" FROM events AS e WHERE account_id = $1 AND item_id = $2 ORDER BY id"+tx.d.lock("e"), i.Account, i.ID)
	return collect(rs, err, scanEvent)
}

// dueMessageJobs is the condition for due jobs that send a message. It restricts state and kind,
// because the index on jobs begins with these columns.
const dueMessageJobs = "state = 'due' AND kind IN ('" + JobSendMail + "', '" + JobSendText + "', '" +
	JobTrackText + "')"

// execCounted runs a statement and adds the number of affected rows to sum.
func (tx *Tx) execCounted(sum *int, sql string, args ...any) error {
	n, err := tx.exec(sql, args...)
	*sum += int(n)
	return err
}

// redactEvent saves the redacted body of an event and removes the responses from its deliveries. A
// delivery in progress is repeated with the redacted body.
func (tx *Tx) redactEvent(event lost.Event, body []byte, e *lost.Erased) error {
	if !bytes.Equal(body, event.Body) {
		e.Events++
		if err := tx.queue("UPDATE events SET body = $3 WHERE account_id = $1 AND id = $2", event.Account, event.ID,
			string(body)); err != nil {
			return err
		}
	}
	if err := tx.execCounted(&e.Answers, clearResponsesUpdate+" WHERE account_id = $1 AND subject = $2", event.Account,
		event.ID); err != nil {
		return err
	}
	rs, err := tx.h.Query(tx.ctx,
		"SELECT "+deliveryColumns+" FROM deliveries AS d WHERE account_id = $1 AND event_id = $2"+tx.d.lock("d"),
		event.Account, event.ID)
	deliveries, err := collect(rs, err, scanDelivery)
	if err != nil {
		return err
	}
	for _, d := range deliveries {
		changed := d.State == lost.DeliveryPending
		for n := range d.Attempts {
			changed = changed || d.Attempts[n].Response != ""
			d.Attempts[n].Response = ""
		}
		if changed && err == nil {
			e.Deliveries++
			err = tx.queue("UPDATE deliveries SET attempts = $3, claim = claim + CASE WHEN state = 'pending' THEN 1 "+
				"ELSE 0 END WHERE account_id = $1 AND id = $2", d.Account, d.ID, writeAttempts(d.Attempts))
		}
	}
	return err
}

// InsertErasure starts erasing a person's data in the background, and the data of the given phone
// numbers. Only the job stores the person's identity, and only until the erasure is done.
func (tx *Tx) InsertErasure(e lost.Erasure, p lost.Person, phones []string) error {
	err := tx.queue(`INSERT INTO erasures (account_id, id, actor_kind, actor_id, actor_name, actor_address, erased,
		created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		e.Account, e.ID, string(e.By.Kind), e.By.ID, e.By.Name, e.By.Address, toJSON(e.Erased), micros(e.CreatedAt))
	if err != nil {
		return err
	}
	return tx.AddJob(e.Account, JobErase, writeStrings(append([]string{e.ID, p.Email, p.Phone}, phones...)), tx.now)
}

const erasureColumns = "account_id, id, actor_kind, actor_id, actor_name, actor_address, erased, created_at, " +
	"done_at"

func scanErasure(rs rows) (e lost.Erasure, err error) {
	var kind, erased string
	var created, done int64
	err = rs.Scan(&e.Account, &e.ID, &kind, &e.By.ID, &e.By.Name, &e.By.Address, &erased, &created, &done)
	e.By.Account, e.By.Kind = e.Account, lost.ActorKind(kind)
	e.CreatedAt, e.DoneAt = fromMicros(created), fromMicros(done)
	if err != nil {
		return e, err
	}
	return e, readJSON("an erasure", erased, &e.Erased)
}

// Erasure returns an account's erasure by id, or a NotFound error.
func (r reader) Erasure(ctx context.Context, account, id string) (lost.Erasure, error) {
	rs, err := r.h.Query(ctx, "SELECT "+erasureColumns+" FROM erasures WHERE account_id = $1 AND id = $2", account, id)
	return requireRow("erasure", rs, err, scanErasure)
}

// Erasures lists the newest erasures of an account.
func (r reader) Erasures(ctx context.Context, account string, limit int) ([]lost.Erasure, error) {
	rs, err := r.h.Query(ctx,
		"SELECT "+erasureColumns+" FROM erasures WHERE account_id = $1 ORDER BY id DESC"+limitClause(limit), account)
	return collect(rs, err, scanErasure)
}

// LockErasure returns an erasure and locks it until the transaction ends.
func (tx *Tx) LockErasure(account, id string) (lost.Erasure, error) {
	rs, err := tx.h.Query(tx.ctx,
		"SELECT "+erasureColumns+" FROM erasures AS e WHERE account_id = $1 AND id = $2"+tx.d.lock("e"), account, id)
	return requireRow("erasure", rs, err, scanErasure)
}

// eraseJob is the condition that selects the job for the erasure with id $2.
const eraseJob = " WHERE account_id = $1 AND kind = '" + JobErase + "' AND payload LIKE '[\"' || $2 || '\"%'"

// ClearErasurePerson removes the person's data from the erasure job, after everything else has been
// erased.
func (tx *Tx) ClearErasurePerson(e lost.Erasure) error {
	return tx.queue("UPDATE jobs SET payload = $3"+eraseJob, e.Account, e.ID, writeStrings([]string{e.ID, "", ""}))
}

// SaveErasure saves the progress of an erasure. When the erasure is done, it deletes the job and the address from
// which the erasure was requested: the audit log has the address then, and deletes it in time.
func (tx *Tx) SaveErasure(e lost.Erasure) error {
	address := e.By.Address
	if !e.DoneAt.IsZero() {
		address = ""
	}
	err := tx.queue("UPDATE erasures SET erased = $3, done_at = $4, actor_address = $5 WHERE account_id = $1 AND "+
		"id = $2", e.Account, e.ID, toJSON(e.Erased), micros(e.DoneAt), address)
	if err == nil && !e.DoneAt.IsZero() {
		err = tx.queue("DELETE FROM jobs"+eraseJob, e.Account, e.ID)
	}
	return err
}

// LockItemsByID returns an account's items with the given ids, at any location, and locks them
// until the transaction ends.
func (tx *Tx) LockItemsByID(account string, ids []string) ([]lost.Item, error) {
	q := &query{}
	q.where("i.account_id = " + q.arg(account))
	whereIn(q, "i.id", ids)
	rs, err := tx.h.QueryPlanned(tx.ctx,
		"SELECT "+itemColumns+" FROM items i"+joinLocation+q.clause()+" ORDER BY i.id"+tx.d.lock("i"), q.args...)
	return collect(rs, err, tx.scanItem)
}

// SaveItemWithoutName saves an item after a person's name was removed from it, records this in its
// history, and removes stored responses about it.
func (tx *Tx) SaveItemWithoutName(before, i lost.Item, by lost.Actor) (e lost.Erased, err error) {
	e.Mentions = 1
	if err := tx.saveErased(before, i, by); err != nil {
		return e, err
	}
	return e, tx.clearResponses(i.Account, []string{i.ID}, &e)
}

// EraseEvents removes a person's data from the events with the given keys, except for events about
// the items in excluded. It removes the guest's data with redact, and the person's address from all
// text. It also removes stored responses about the items.
func (tx *Tx) EraseEvents(account string, p lost.Person, redact Redactor, keys [][]string,
	excluded map[string]bool) (e lost.Erased, err error) {
	q := &query{}
	q.where("account_id = " + q.arg(account))
	whereIn(q, "id", slices.Concat(keys...))
	rs, err := tx.h.QueryPlanned(tx.ctx,
		"SELECT "+eventColumns+" FROM events AS e"+q.clause()+" ORDER BY id"+tx.d.lock("e"), q.args...)
	events, err := collect(rs, err, scanEvent)
	if err != nil {
		return e, err
	}
	var items []string
	for _, event := range events {
		body, err := redact(event.Body)
		if err != nil {
			return e, err
		}
		body = []byte(removeAddress(string(body), p, false))
		if excluded[event.ItemID] || bytes.Equal(body, event.Body) {
			continue
		}
		items = append(items, event.ItemID)
		if err := tx.redactEvent(event, body, &e); err != nil {
			return e, err
		}
	}
	return e, tx.clearResponses(account, items, &e)
}

// RemoveDeletedData removes deleted data from the files of a SQLite database and reports whether it
// succeeded. Active readers prevent this, and it does not wait for them. PostgreSQL manages its own
// files.
func (db *DB) RemoveDeletedData(ctx context.Context) (done bool, err error) {
	return db.engine.scrub(ctx)
}
