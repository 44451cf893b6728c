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

// AddMessage adds a message about an item and a job that sends it, if the item exists and has no
// other message with the same Once value.
func (tx *Tx) AddMessage(m lost.Message) error {
	if err := tx.insertMessage(m, "items", m.ItemID); err != nil {
		return err
	}
	return tx.addSendJob(m)
}

// addSendJob adds the job that sends a message, if the message was inserted.
func (tx *Tx) addSendJob(m lost.Message) error {
	kind := JobSendMail
	if m.Channel == lost.BySMS {
		kind = JobSendText
	}
	return tx.queue(`INSERT INTO jobs (account_id, id, kind, payload, state, due_at, created_at, trail)
		SELECT account_id, $3, $4, id, 'due', $5, $5, $6 FROM messages WHERE account_id = $1 AND id = $2`,
		m.Account, m.ID, lost.NewID(lost.JobID, tx.now), kind, micros(tx.now), tx.traceParent())
}

func (tx *Tx) insertMessage(m lost.Message, about, id string) error {
	return tx.queue("INSERT INTO messages ("+messageColumns+`)
		SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16 FROM `+about+`
		WHERE account_id = $1 AND id = $17
		ON CONFLICT (account_id, item_id, location_id, once) WHERE state <> 'canceled' DO NOTHING`,
		m.Account, m.ID, m.LocationID, m.ItemID, m.LinkID, string(m.Kind), m.Once, string(m.Channel), m.To,
		string(m.State), m.Handovers,
		m.ProviderID, m.Error, toJSON(m.About), micros(m.CreatedAt), micros(m.SettledAt), id)
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
	return tx.queue("UPDATE messages SET state = $3, handovers = $4, provider_id = $5, error = $6, settled_at = $7 "+
		"WHERE account_id = $1 AND id = $2",
		m.Account, m.ID, string(m.State), m.Handovers, m.ProviderID, shortenReason(m.Error), micros(m.SettledAt))
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
	return newestPage(ctx, r, q, page, messageColumns, "messages", scanMessage)
}

// RecentMessages lists the newest messages about an item.
func (r reader) RecentMessages(ctx context.Context, account, item string) ([]lost.Message, error) {
	const limit = 200
	rs, err := r.h.Query(ctx,
		"SELECT "+messageColumns+" FROM messages WHERE account_id = $1 AND item_id = $2 ORDER BY id DESC"+
			limitClause(limit),
		account, item)
	return collect(rs, err, scanMessage)
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

// AddDigest is like AddMessage, but for a message to a location's staff.
func (tx *Tx) AddDigest(m lost.Message) error {
	if err := tx.insertMessage(m, "locations", m.LocationID); err != nil {
		return err
	}
	return tx.addSendJob(m)
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
