package store

import (
	"context"
	"slices"
	"time"

	"homeward/internal/lost"
)

const threadColumns = `account_id, id, location_id, item_id, side, via, text, images, actor_kind, actor_id, actor_name,
		address, sender, external_id, at, seen_at, answered_at, omitted`

func scanThreadMessage(rs rows) (m lost.ThreadMessage, err error) {
	var side, via, images, kind, omitted string
	var at, seen, answered int64
	err = rs.Scan(&m.Account, &m.ID, &m.LocationID, &m.ItemID, &side, &via, &m.Text, &images, &kind, &m.Author.ID,
		&m.Author.Name, &m.Address, &m.Sender, &m.ExternalID, &at, &seen, &answered, &omitted)
	if err != nil {
		return m, err
	}
	m.From, m.Via = lost.ThreadSide(side), lost.ThreadChannel(via)
	m.Author.Account, m.Author.Kind = m.Account, lost.ActorKind(kind)
	m.At, m.SeenAt, m.AnsweredAt = fromMicros(at), fromMicros(seen), fromMicros(answered)
	if m.Omitted, err = readStrings(omitted); err != nil {
		return m, err
	}
	m.Images, err = readImages(images)
	return m, err
}

// AddThreadMessage adds a message to the conversation about a locked item. The messages from the other side count as
// answered then, up to the one with an id, or all of them if the id is empty. A request counts as answered with the
// first message from the desk. The item is checked for tasks.
func (tx *Tx) AddThreadMessage(m lost.ThreadMessage, seen string) error {
	err := tx.queue("INSERT INTO thread_messages ("+threadColumns+
		") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)",
		m.Account, m.ID, m.LocationID, m.ItemID, string(m.From), string(m.Via), m.Text, writeImages(m.Images),
		string(m.Author.Kind), m.Author.ID, m.Author.Name, m.Address, m.Sender, m.ExternalID, micros(m.At),
		micros(m.SeenAt), micros(m.AnsweredAt), writeStrings(m.Omitted))
	if err != nil {
		return err
	}
	if m.From == lost.FromDesk {
		err := tx.queue("UPDATE items SET answered_at = $3 WHERE account_id = $1 AND id = $2 AND source = 'request' "+
			"AND answered_at = 0", m.Account, m.ItemID, micros(m.At))
		if err != nil {
			return err
		}
	}
	return tx.AnswerThread(lost.Item{Account: m.Account, LocationID: m.LocationID, ID: m.ItemID}, m.From, seen)
}

// AnswerThread marks the messages about a locked item as answered by one side of the conversation, up to the one with
// an id, or all of them if the id is empty.
func (tx *Tx) AnswerThread(i lost.Item, by lost.ThreadSide, seen string) error {
	tx.notePageChange(i.Account, i.LocationID, i.ID, "")
	q := &query{args: []any{i.Account, i.ID, string(by), micros(tx.now)}}
	q.where("account_id = $1 AND item_id = $2 AND side <> $3 AND answered_at = 0")
	if seen != "" {
		q.where("id <= " + q.arg(seen))
	}
	err := tx.queue("UPDATE thread_messages SET answered_at = $4, "+
		"seen_at = CASE WHEN seen_at = 0 THEN $4 ELSE seen_at END"+q.clause(), q.args...)
	if err != nil {
		return err
	}
	return tx.ScheduleCheck(i.Account, i.ID, tx.now)
}

// FirstDeskMessage returns when the desk first wrote in the conversation about an item. It returns the zero time if it
// did not, or if the conversation was deleted.
func (r reader) FirstDeskMessage(ctx context.Context, account, item string) (time.Time, error) {
	rs, err := r.h.Query(ctx, "SELECT COALESCE(min(at), 0) FROM thread_messages WHERE account_id = $1 AND "+
		"item_id = $2 AND side = $3", account, item, string(lost.FromDesk))
	at, _, err := firstValue[int64](rs, err)
	return fromMicros(at), err
}

// EndThread marks all messages about a locked item, up to the one with an id or all of them if the id is empty, as
// messages that need no answer. Those of the guest count as seen.
func (tx *Tx) EndThread(i lost.Item, seen string) error {
	q := &query{args: []any{i.Account, i.ID, string(lost.FromDesk), micros(tx.now)}}
	q.where("account_id = $1 AND item_id = $2 AND side = $3 AND answered_at = 0")
	if seen != "" {
		q.where("id <= " + q.arg(seen))
	}
	if err := tx.queue("UPDATE thread_messages SET answered_at = $4"+q.clause(), q.args...); err != nil {
		return err
	}
	return tx.AnswerThread(i, lost.FromDesk, seen)
}

// MarkThreadSeen records that one side saw the messages of the other side, up to the one with the given id.
func (tx *Tx) MarkThreadSeen(i lost.Item, by lost.ThreadSide, upTo string) error {
	tx.notePageChange(i.Account, i.LocationID, i.ID, "")
	return tx.queue(`UPDATE thread_messages SET seen_at = $5
			WHERE account_id = $1 AND item_id = $2 AND side <> $3 AND id <= $4 AND seen_at = 0`,
		i.Account, i.ID, string(by), upTo, micros(tx.now))
}

// Thread lists the messages of an item's conversation, newest first.
func (r reader) Thread(ctx context.Context, account, item string,
	page lost.Page) (lost.List[lost.ThreadMessage], error) {
	q := &query{}
	q.where("account_id = " + q.arg(account))
	q.where("item_id = " + q.arg(item))
	return newestPage(ctx, r, q, page, threadColumns, "thread_messages", scanThreadMessage,
		func(m lost.ThreadMessage) string { return m.ID })
}

// GuestThread lists the messages of an item's conversation with its present owner, oldest first.
func (r reader) GuestThread(ctx context.Context, i lost.Item) ([]lost.ThreadMessage, error) {
	keys := []string{lost.AddressKey(i.Owner.Address())}
	if i.Owner.Phone != "" {
		keys = append(keys, lost.AddressKey(i.Owner.Phone))
	}
	q := &query{}
	q.where("account_id = " + q.arg(i.Account))
	q.where("item_id = " + q.arg(i.ID))
	whereIn(q, "address", keys)
	rs, err := r.h.Query(ctx, "SELECT "+threadColumns+" FROM thread_messages"+q.clause()+" ORDER BY id"+
		limitClause(lost.MaxThreadMessages), q.args...)
	return collect(rs, err, scanThreadMessage)
}

// ReceivedThreadMessage returns the message about an item with an external id, and whether there is one.
func (r reader) ReceivedThreadMessage(ctx context.Context, account, item,
	externalID string) (lost.ThreadMessage, bool, error) {
	rs, err := r.h.Query(ctx, "SELECT "+threadColumns+
		" FROM thread_messages WHERE account_id = $1 AND item_id = $2 AND external_id = $3 AND external_id <> ''",
		account, item, externalID)
	return firstRow(rs, err, scanThreadMessage)
}

// ThreadStates summarises the conversations about an account's items, by the id of the item. Items without a message
// are not in the map.
func (r reader) ThreadStates(ctx context.Context, account string, items []string,
	now time.Time) (map[string]lost.ThreadState, error) {
	const day = 24 * time.Hour
	q := &query{}
	q.where("account_id = " + q.arg(account))
	recent := q.arg(micros(now.Add(-day)))
	whereIn(q, "item_id", padList(items, listMultiple))
	rs, err := r.h.Query(ctx, `SELECT item_id, side, count(*), sum(CASE WHEN at > `+recent+` THEN 1 ELSE 0 END),
			COALESCE(min(CASE WHEN answered_at = 0 THEN at END), 0),
			COALESCE(max(CASE WHEN answered_at = 0 THEN at END), 0) FROM thread_messages`+q.clause()+
		" GROUP BY item_id, side", q.args...)
	states := map[string]lost.ThreadState{}
	_, err = collect(rs, err, func(rs rows) (none struct{}, err error) {
		var item, side string
		var count, recent int
		var first, last int64
		if err := rs.Scan(&item, &side, &count, &recent, &first, &last); err != nil {
			return none, err
		}
		s := states[item]
		s.Messages += count
		if lost.ThreadSide(side) == lost.FromGuest {
			s.GuestRecent, s.AwaitsDesk = recent, fromMicros(first)
		} else {
			s.AwaitsGuest, s.LastAsked = fromMicros(first), fromMicros(last)
		}
		states[item] = s
		return none, nil
	})
	return states, err
}

// deleteThreads deletes the conversations about items, with their photos, and returns the number of messages.
func (tx *Tx) deleteThreads(account string, items []string) (int, error) {
	q := &query{}
	q.where("account_id = " + q.arg(account))
	whereIn(q, "item_id", items)
	return tx.deleteThreadRows(account, q)
}

// deleteThreadRows deletes the messages that a query selects, with their photos, and returns their number.
func (tx *Tx) deleteThreadRows(account string, q *query) (n int, err error) {
	rs, err := tx.h.Query(tx.ctx, "DELETE FROM thread_messages"+q.clause()+" RETURNING images", q.args...)
	deleted, err := collect(rs, err, scanText)
	if err != nil {
		return 0, err
	}
	var files []string
	for _, text := range deleted {
		images, err := readImages(text)
		if err != nil {
			return 0, err
		}
		for _, image := range images {
			files = append(files, image.File)
		}
	}
	return len(deleted), tx.AddDeleteFilesJobs(account, files...)
}

// ThreadPersonalData returns the columns of messages in conversations that contain a person's address.
func ThreadPersonalData() PersonalDataTable {
	return PersonalDataTable{
		table: "thread_messages", key: []string{"id"}, columns: []string{"address", "sender"}, item: "item_id",
	}
}

// EraseThreads is like EraseMessages, but for the messages in conversations with a person, and those that the person
// sent from another address than the guest's.
func (tx *Tx) EraseThreads(account string, p lost.Person, keys [][]string,
	excluded map[string]bool) (e lost.Erased, err error) {
	ids, items, err := tx.rowsSentTo(account, ThreadPersonalData(), p, keys, excluded)
	if err != nil || len(ids) == 0 {
		return e, err
	}
	q := &query{}
	q.where("account_id = " + q.arg(account))
	whereIn(q, "id", ids)
	if e.Messages, err = tx.deleteThreadRows(account, q); err != nil {
		return e, err
	}
	return e, tx.clearResponses(account, items, &e)
}

// PersonThreads returns the messages in conversations with a person, and those that the person sent from another
// address than the guest's, oldest first.
func (r reader) PersonThreads(ctx context.Context, account string, p lost.Person,
	limit int) ([]lost.ThreadMessage, error) {
	q := &query{}
	q.where("account_id = " + q.arg(account))
	q.where("(" + q.addressCondition("address", p) + " OR " + q.addressCondition("sender", p) + ")")
	rs, err := r.h.QueryPlanned(ctx, "SELECT "+threadColumns+" FROM thread_messages"+q.clause()+" ORDER BY id"+
		limitClause(limit), q.args...)
	messages, err := collect(rs, err, scanThreadMessage)
	isOther := func(m lost.ThreadMessage) bool { return !p.Reads(m.Address) && !p.Reads(m.Sender) }
	return slices.DeleteFunc(messages, isOther), err
}
