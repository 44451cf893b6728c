package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"homeward/internal/lost"
)

const messageColumns = `account_id, id, location_id, item_id, link_id, kind, once, channel, address, state, handovers,
		provider_id, error, about, created_at, settled_at`

func scanMessage(rs rows) (m lost.Message, err error) {
	var kind, channel, state, about string
	var created, settled int64
	err = rs.Scan(&m.Account, &m.ID, &m.LocationID, &m.ItemID, &m.LinkID, &kind, &m.Once, &channel, &m.To, &state,
		&m.Handovers, &m.ProviderID, &m.Error, &about, &created, &settled)
	m.Kind, m.Channel, m.State = lost.MessageKind(kind), lost.Channel(channel), lost.MessageState(state)
	m.CreatedAt, m.SettledAt = fromMicros(created), fromMicros(settled)
	if err != nil {
		return m, err
	}
	return m, readJSON("the subject of a message", about, &m.About)
}

// addSendJob adds the job that sends a message, if the message was inserted.
func (tx *Tx) addSendJob(m lost.Message) error {
	kind := JobSendMail
	if m.Channel == lost.BySMS {
		kind = JobSendText
	}
	due := tx.now
	if m.NotBefore.After(due) {
		due = m.NotBefore
	}
	return tx.queue(`INSERT INTO jobs (account_id, id, kind, payload, state, due_at, created_at, trail)
		SELECT account_id, $3, $4, id, 'due', $5, $6, $7 FROM messages WHERE account_id = $1 AND id = $2`,
		m.Account, m.ID, lost.NewID(lost.JobID, tx.now), kind, micros(due), micros(tx.now), tx.traceParent())
}

// queueMessage adds a message about the item or location with the given id, if that exists and has no other message
// with the same Once value.
func (tx *Tx) queueMessage(m lost.Message, about, id string) error {
	return tx.queue(insertMessage(about)+unlessDuplicate, messageValues(m, id)...)
}

// unlessDuplicate is the end of a statement that adds a message, if there may be one with the same Once value.
const unlessDuplicate = " ON CONFLICT (account_id, item_id, location_id, once) WHERE state <> 'canceled' DO NOTHING"

// insertMessage returns the statement that adds a message about a row of a table.
func insertMessage(about string) string {
	return "INSERT INTO messages (" + messageColumns + `)
		SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16 FROM ` + about +
		" WHERE account_id = $1 AND id = $17"
}

func messageValues(m lost.Message, about string) []any {
	return []any{
		m.Account, m.ID, m.LocationID, m.ItemID, m.LinkID, string(m.Kind), m.Once, string(m.Channel), m.To,
		string(m.State), m.Handovers, m.ProviderID, m.Error, toJSON(m.About), micros(m.CreatedAt),
		micros(m.SettledAt), about,
	}
}

// Message returns an account's message by id, or a NotFound error.
func (r reader) Message(ctx context.Context, account, id string) (lost.Message, error) {
	return r.message(ctx, account, id, "")
}

func (r reader) message(ctx context.Context, account, id, lock string) (lost.Message, error) {
	rs, err := r.h.Query(ctx, "SELECT "+messageColumns+" FROM messages AS m WHERE account_id = $1 AND id = $2"+lock,
		account, id)
	return requireRow("message", rs, err, scanMessage)
}

// LockMessage returns a message and locks it until the transaction ends.
func (tx *Tx) LockMessage(account, id string) (lost.Message, error) {
	return tx.message(tx.ctx, account, id, tx.d.lock("m"))
}

// SaveMessage saves the result of sending a message.
func (tx *Tx) SaveMessage(m lost.Message) error {
	tx.notePageChange(m.Account, m.LocationID, m.ItemID, "")
	return tx.queue("UPDATE messages SET state = $3, handovers = $4, provider_id = $5, error = $6, settled_at = $7 "+
		"WHERE account_id = $1 AND id = $2",
		m.Account, m.ID, string(m.State), m.Handovers, StorableText(m.ProviderID), shortenReason(m.Error),
		micros(m.SettledAt))
}

// RecordSubmission records that a message is about to be submitted to the provider. It returns false if the worker
// has lost the job, or if the message has been submitted as often as allowed.
func (tx *Tx) RecordSubmission(m lost.Message, j Job) (bool, error) {
	n, err := tx.exec(`UPDATE messages SET handovers = handovers + 1 WHERE account_id = $1 AND id = $2
			AND state = 'waiting' AND handovers < $3
		AND EXISTS (SELECT 1 FROM jobs WHERE jobs.account_id = $1 AND jobs.id = $4 AND jobs.attempt = $5)`,
		m.Account, m.ID, m.Kind.MaxSubmissions(), j.ID, j.Attempt)
	return n == 1, err
}

// UndoSubmission records that a message was not submitted to the provider, if the worker still has
// the job.
func (tx *Tx) UndoSubmission(m lost.Message, j Job) error {
	return tx.queue(`UPDATE messages SET handovers = handovers - 1 WHERE account_id = $1 AND id = $2
			AND state = 'waiting' AND handovers > 0
		AND EXISTS (SELECT 1 FROM jobs WHERE jobs.account_id = $1 AND jobs.id = $3 AND jobs.attempt = $4)`,
		m.Account, m.ID, j.ID, j.Attempt)
}

// Messages lists the messages about an item, newest first.
func (r reader) Messages(ctx context.Context, account, item string, page lost.Page) (lost.List[lost.Message], error) {
	q := &query{}
	q.where("account_id = " + q.arg(account))
	q.where("item_id = " + q.arg(item))
	return newestPage(ctx, r, q, page, messageColumns, "messages", scanMessage,
		func(m lost.Message) string { return m.ID })
}

// maxRecentMessages is the number of messages about an item that RecentMessages and MessagesOfItems read. Items have
// far fewer.
const maxRecentMessages = 200

// RecentMessages lists the newest messages about an item.
func (r reader) RecentMessages(ctx context.Context, account, item string) ([]lost.Message, error) {
	rs, err := r.h.Query(ctx,
		"SELECT "+messageColumns+" FROM messages WHERE account_id = $1 AND item_id = $2 ORDER BY id DESC"+
			limitClause(maxRecentMessages),
		account, item)
	return collect(rs, err, scanMessage)
}

// MessagesOfItems returns the newest messages about each of an account's items, newest first, by the id of the item.
func (r reader) MessagesOfItems(ctx context.Context, account string,
	items []string) (map[string][]lost.Message, error) {
	q := &query{}
	q.where("account_id = " + q.arg(account))
	whereIn(q, "item_id", padList(items, listMultiple))
	rs, err := r.h.Query(ctx, "SELECT "+messageColumns+" FROM (SELECT "+messageColumns+
		", row_number() OVER (PARTITION BY item_id ORDER BY id DESC) AS n FROM messages"+q.clause()+
		") AS newest WHERE n <= "+strconv.Itoa(maxRecentMessages), q.args...)
	all, err := collect(rs, err, scanMessage)
	// Sorted here, so that no database reads all messages of the account in this order.
	slices.SortFunc(all, func(a, b lost.Message) int { return cmp.Compare(b.ID, a.ID) })
	byItem := map[string][]lost.Message{}
	for _, m := range all {
		byItem[m.ItemID] = append(byItem[m.ItemID], m)
	}
	return byItem, err
}

// AccountMessages lists an account's messages, newest first. If only is not nil, it contains the
// ids of the locations whose messages are listed.
//
// In that case there are two queries, as in FirstTasks. A group consists of a location's messages
// in one state. The first query finds the newest message of each group, which is cheap because of an
// index. A page of n messages can contain messages only from the n groups with the newest messages,
// so the second query reads only these groups.
func (r reader) AccountMessages(ctx context.Context, account string, only []string,
	f lost.MessageFilter) (lost.CursorPage[lost.Message], error) {
	if only != nil {
		return r.messagesOfLocations(ctx, account, only, f)
	}
	q := &query{}
	q.where("account_id = " + q.arg(account))
	if f.State != "" {
		q.where("state = " + q.arg(string(f.State)))
	}
	rs, err := r.h.QueryPlanned(ctx, "SELECT "+messageColumns+" FROM messages"+q.seekClause(f.PageCursor), q.args...)
	read, err := collect(rs, err, scanMessage)
	return lost.NewCursorPage(read, f.Limit), err
}

// messageGroup identifies a location's messages in one state, and the newest of them.
type messageGroup struct{ location, state, newest string }

func (r reader) messagesOfLocations(ctx context.Context, account string, only []string,
	f lost.MessageFilter) (none lost.CursorPage[lost.Message], err error) {
	groups, err := r.messageGroups(ctx, account, only, f)
	if err != nil || len(groups) == 0 {
		return none, err
	}
	q := &query{}
	accountArg := q.arg(account)
	older := ""
	if f.Before != "" {
		older = " AND id < " + q.arg(f.Before)
	}
	parts := make([]string, len(groups))
	for n, g := range groups {
		parts[n] = fmt.Sprintf("SELECT * FROM (SELECT id FROM messages WHERE account_id = %s AND location_id = %s "+
			"AND state = %s%s ORDER BY id DESC LIMIT %d) AS heap%d",
			accountArg, q.arg(g.location), q.arg(g.state), older, f.Limit+1, n)
	}
	rs, err := r.h.QueryPlanned(ctx,
		fmt.Sprintf("SELECT %s FROM messages WHERE account_id = %s AND id IN (SELECT id FROM (%s) AS newest ORDER BY "+
			"id DESC LIMIT %d) ORDER BY id DESC",
			messageColumns, accountArg, strings.Join(parts, " UNION ALL "), f.Limit+1), q.args...)
	read, err := collect(rs, err, scanMessage)
	return lost.NewCursorPage(read, f.Limit), err
}

// messageGroups returns the groups with the newest messages. It returns at most as many groups as a
// page has messages.
func (r reader) messageGroups(ctx context.Context, account string, only []string,
	f lost.MessageFilter) ([]messageGroup, error) {
	if len(only) == 0 {
		return nil, nil
	}
	states := lost.MessageStates()
	if f.State != "" {
		states = []lost.MessageState{f.State}
	}
	q := &query{}
	q.where("l.account_id = " + q.arg(account))
	whereIn(q, "l.id", only)
	stateValues := make([]string, len(states))
	for n, s := range states {
		stateValues[n] = "(CAST(" + q.arg(string(s)) + " AS TEXT))"
	}
	older := ""
	if f.Before != "" {
		older = " AND m.id < " + q.arg(f.Before)
	}
	rs, err := r.h.QueryPlanned(ctx, "WITH s (state) AS (VALUES "+strings.Join(stateValues, ", ")+`)
		SELECT * FROM (SELECT l.id, s.state, (SELECT m.id FROM messages m WHERE m.account_id = $1
		AND m.location_id = l.id AND m.state = s.state`+older+
		" ORDER BY m.id DESC LIMIT 1) AS newest FROM locations l CROSS JOIN s"+q.clause()+
		") AS heaps WHERE newest IS NOT NULL", q.args...)
	groups, err := collect(rs, err, func(rs rows) (h messageGroup, err error) {
		err = rs.Scan(&h.location, &h.state, &h.newest)
		return h, err
	})
	slices.SortFunc(groups, func(a, b messageGroup) int { return cmp.Compare(b.newest, a.newest) })
	return groups[:min(len(groups), f.Limit+1)], err
}

// PruneDigests deletes at most limit digests older than the given time and returns the number
// deleted. It works across all accounts; only cleanup uses it.
func (tx *Tx) PruneDigests(before time.Time, limit int) (int64, error) {
	return tx.deleteOld(`DELETE FROM messages WHERE (account_id, id) IN
		(SELECT account_id, id FROM messages WHERE item_id = '' AND created_at < $1 ORDER BY created_at LIMIT $2)`,
		micros(before), limit)
}

// ScheduleDigest sets the time of a location's next digest, unless a digest is already scheduled.
func (tx *Tx) ScheduleDigest(l lost.Location, at time.Time) error {
	return tx.queue("UPDATE locations SET digest_at = $3 WHERE account_id = $1 AND id = $2 AND digest_at = 0",
		l.Account, l.ID, micros(at))
}

// LockDueDigests locks and returns locations whose digest is due. It works across all accounts;
// only background jobs use it.
func (tx *Tx) LockDueDigests(limit int) ([]lost.Location, error) {
	due, err := tx.pickDue("SELECT account_id, id FROM locations AS l WHERE digest_at > 0 AND digest_at <= $1 AND "+
		"deleted_at = 0 ORDER BY digest_at"+limitClause(limit)+tx.d.pickLocked, micros(tx.now))
	if err != nil {
		return nil, err
	}
	var locations []lost.Location
	for _, p := range due {
		q := &query{args: []any{p.account, micros(tx.now)}}
		q.where("account_id = $1 AND digest_at > 0 AND digest_at <= $2 AND deleted_at = 0")
		whereIn(q, "id", padList(p.ids, listMultiple))
		rs, err := tx.h.Query(tx.ctx, "SELECT "+locationColumns+" FROM locations AS l"+q.clause()+
			" ORDER BY digest_at"+tx.d.lockSkipping("l"), q.args...)
		locked, err := collect(rs, err, scanLocation)
		if err != nil {
			return nil, err
		}
		locations = append(locations, locked...)
	}
	return locations, nil
}

// SetDigestTime sets the time of a location's next digest. With a zero time, no digest is sent
// until there are new tasks.
func (tx *Tx) SetDigestTime(l lost.Location, at time.Time) error {
	return tx.queue("UPDATE locations SET digest_at = $3 WHERE account_id = $1 AND id = $2", l.Account, l.ID,
		micros(at))
}

// Channels says which messages can be sent. Without it, every message gets a job that sends it, as in a command that
// runs beside the service.
type Channels struct {
	// Sends reports whether a channel is set up. A message for another channel is only saved: it has its final state
	// from the start, and no job.
	Sends func(by lost.Channel) bool
	// OnSaved is called after the commit for every message that is only saved; it may be nil. If check is not zero, the
	// message's item is due for a check at that time.
	OnSaved func(kind lost.MessageKind, check time.Time)
}

// UseChannels sets the channels that are set up. It must be called before the database is used.
func (db *DB) UseChannels(c Channels) { db.channels = c }

// savedMessage is a message that a transaction has saved and that is not sent.
type savedMessage struct {
	kind  lost.MessageKind
	check time.Time // when its item is soon due for a check; zero if it is not
}

// reportSaved calls OnSaved for the messages that a committed transaction has saved.
func (db *DB) reportSaved(tx *Tx) {
	if db.channels.OnSaved == nil {
		return
	}
	for _, m := range tx.saved {
		db.channels.OnSaved(m.kind, m.check)
	}
}

// saves reports whether messages for a channel are only saved.
func (c Channels) saves(by lost.Channel) bool { return c.Sends != nil && !c.Sends(by) }

// Sends reports whether messages for a channel are sent, and not only saved.
func (tx *Tx) Sends(by lost.Channel) bool { return !tx.channels.saves(by) }

// settle returns a new message as AddMessage stores it: with its final state if it is only saved.
func (tx *Tx) settle(m lost.Message) lost.Message {
	if m.State == lost.MessageWaiting && tx.channels.saves(m.Channel) {
		m.State, m.SettledAt = lost.MessageSaved, tx.now
	}
	return m
}

// AddMessage adds a message about an item, if the item exists and has no other message with the same Once value. A job
// sends the message, unless it can only be saved.
func (tx *Tx) AddMessage(m lost.Message) error { return tx.addMessage(m, "items", m.ItemID) }

// AddDigest is like AddMessage, but for a message to a location's staff.
func (tx *Tx) AddDigest(m lost.Message) error { return tx.addMessage(m, "locations", m.LocationID) }

func (tx *Tx) addMessage(m lost.Message, about, id string) error {
	m = tx.settle(m)
	if m.State == lost.MessageWaiting {
		if err := tx.queueMessage(m, about, id); err != nil {
			return err
		}
		return tx.addSendJob(m)
	}
	n, err := tx.exec(insertMessage(about)+unlessDuplicate, messageValues(m, id)...)
	if err != nil || n == 0 {
		return err
	}
	saved := savedMessage{kind: m.Kind}
	if m.MayChangeTasks() {
		saved.check = tx.now
		if err := tx.ScheduleCheck(m.Account, m.ItemID, tx.now); err != nil {
			return err
		}
	}
	tx.saved = append(tx.saved, saved)
	if m.ItemID == "" {
		return nil
	}
	i := lost.Item{Account: m.Account, LocationID: m.LocationID, ID: m.ItemID}
	return tx.AddHistory(i, tx.savedEntry(m))
}

// AddFirstMessage adds the first message about an item that this transaction inserts, and its link. The item's first
// check already depends on the message; see InsertItem. If the message is only saved, AddFirstMessage returns the entry
// about it, which the caller adds to the item's history.
func (tx *Tx) AddFirstMessage(l lost.Link, m lost.Message) (entries []lost.Entry, err error) {
	m = tx.settle(m)
	m.LinkID = l.ID
	if err := tx.InsertLink(l); err != nil {
		return nil, err
	}
	// A new item has no other message.
	err = tx.queueForItem(m.ItemID, insertMessage("items"), messageValues(m, m.ItemID)...)
	if err != nil {
		return nil, err
	}
	if m.State == lost.MessageWaiting {
		return nil, tx.addSendJob(m)
	}
	tx.saved = append(tx.saved, savedMessage{m.Kind, tx.soonChecked})
	return []lost.Entry{tx.savedEntry(m)}, nil
}

// savedEntry returns the history entry about a message that is only saved. It comes after the entries about what
// caused the message, which have the transaction's time.
func (tx *Tx) savedEntry(m lost.Message) lost.Entry {
	entry, _ := m.OutcomeEntry(tx.now.Add(time.Microsecond)) // a saved message always has an entry
	return entry
}
