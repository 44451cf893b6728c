package store

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"homeward/internal/lost"
)

const messageColumns = `account_id, id, location_id, item_id, link_id, kind, once, channel, address, state, handovers, provider_id, error, about, created_at, settled_at`

func scanMessage(rs rows) (m lost.Message, err error) {
	var kind, channel, state, about string
	var created, settled int64
	err = rs.Scan(&m.Account, &m.ID, &m.LocationID, &m.ItemID, &m.LinkID, &kind, &m.Once, &channel, &m.To, &state, &m.Handovers, &m.ProviderID, &m.Error, &about, &created, &settled)
	m.Kind, m.Channel, m.State = lost.MessageKind(kind), lost.Channel(channel), lost.MessageState(state)
	m.CreatedAt, m.SettledAt = fromMicros(created), fromMicros(settled)
	if err != nil {
		return m, err
	}
	return m, readJSON("what a message is about", about, &m.About)
}

// AddMessage keeps a message about an item, if the item is there and has none of the same name, and has it sent.
func (tx *Tx) AddMessage(m lost.Message) error {
	if err := tx.insertMessage(m, "items", m.ItemID); err != nil {
		return err
	}
	return tx.addSendJob(m)
}

// AddDigest keeps a message to a location's desk, likewise.
func (tx *Tx) AddDigest(m lost.Message) error {
	if err := tx.insertMessage(m, "locations", m.LocationID); err != nil {
		return err
	}
	return tx.addSendJob(m)
}

// addSendJob leaves the job that sends a message, if the message is there.
func (tx *Tx) addSendJob(m lost.Message) error {
	kind := JobSendMail
	if m.Channel == lost.BySMS {
		kind = JobSendText
	}
	return tx.later(`INSERT INTO jobs (account_id, id, kind, payload, state, due_at, created_at, trail)
		SELECT account_id, $3, $4, id, 'due', $5, $5, $6 FROM messages WHERE account_id = $1 AND id = $2`,
		m.Account, m.ID, lost.NewID(lost.JobID, tx.now), kind, micros(tx.now), tx.trail())
}

func (tx *Tx) insertMessage(m lost.Message, about, id string) error {
	return tx.later("INSERT INTO messages ("+messageColumns+`)
		SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16 FROM `+about+` WHERE account_id = $1 AND id = $17
		ON CONFLICT (account_id, item_id, location_id, once) WHERE state <> 'canceled' DO NOTHING`,
		m.Account, m.ID, m.LocationID, m.ItemID, m.LinkID, string(m.Kind), m.Once, string(m.Channel), m.To, string(m.State), m.Handovers,
		m.ProviderID, m.Error, written(m.About), micros(m.CreatedAt), micros(m.SettledAt), id)
}

// Message gives a message of an account.
func (r reader) Message(ctx context.Context, account, id string) (lost.Message, error) {
	return r.message(ctx, account, id, "")
}

func (r reader) message(ctx context.Context, account, id, lock string) (lost.Message, error) {
	rs, err := r.h.Query(ctx, "SELECT "+messageColumns+" FROM messages AS m WHERE account_id = $1 AND id = $2"+lock, account, id)
	return record("message", rs, err, scanMessage)
}

// LockMessage gives a message that is about to be changed.
func (tx *Tx) LockMessage(account, id string) (lost.Message, error) {
	return tx.message(tx.ctx, account, id, tx.d.lock("m"))
}

// SaveMessage keeps what became of a message.
func (tx *Tx) SaveMessage(m lost.Message) error {
	return tx.later("UPDATE messages SET state = $3, handovers = $4, provider_id = $5, error = $6, settled_at = $7 WHERE account_id = $1 AND id = $2",
		m.Account, m.ID, string(m.State), m.Handovers, m.ProviderID, short(m.Error), micros(m.SettledAt))
}

// HandOver notes that a message is about to leave, if the job is still the worker's and the message may leave once more.
func (tx *Tx) HandOver(m lost.Message, j Job) (bool, error) {
	n, err := tx.exec(`UPDATE messages SET handovers = handovers + 1 WHERE account_id = $1 AND id = $2 AND state = 'waiting' AND handovers < $3
		AND EXISTS (SELECT 1 FROM jobs WHERE jobs.account_id = $1 AND jobs.id = $4 AND jobs.attempt = $5)`, m.Account, m.ID, m.Kind.MostHandovers(), j.ID, j.Attempt)
	return n == 1, err
}

// TakeBack notes that a message which was handed over did not leave, if the job is still the worker's.
func (tx *Tx) TakeBack(m lost.Message, j Job) error {
	return tx.later(`UPDATE messages SET handovers = handovers - 1 WHERE account_id = $1 AND id = $2 AND state = 'waiting' AND handovers > 0
		AND EXISTS (SELECT 1 FROM jobs WHERE jobs.account_id = $1 AND jobs.id = $3 AND jobs.attempt = $4)`, m.Account, m.ID, j.ID, j.Attempt)
}

// Messages lists the messages about an item, newest first.
func (r reader) Messages(ctx context.Context, account, item string, page lost.Page) (lost.List[lost.Message], error) {
	q := &query{}
	q.where("account_id = " + q.arg(account))
	q.where("item_id = " + q.arg(item))
	return newest(ctx, r, q, page, messageColumns, "messages", scanMessage)
}

// Correspondence gives the newest messages about an item, as many as matter.
func (r reader) Correspondence(ctx context.Context, account, item string) ([]lost.Message, error) {
	const most = 200
	rs, err := r.h.Query(ctx, "SELECT "+messageColumns+" FROM messages WHERE account_id = $1 AND item_id = $2 ORDER BY id DESC"+atMost(most), account, item)
	return collect(rs, err, scanMessage)
}

// DueItems locks some items that background work is to look at, passing over those that another copy has. It crosses
// accounts: for background work alone.
func (tx *Tx) DueItems(limit int) ([]lost.Item, error) {
	due, err := tx.pick("SELECT i.account_id, i.id FROM items i"+joinLocation+
		" WHERE i.look_at > 0 AND i.look_at <= $1 AND l.deleted_at = 0 ORDER BY i.look_at"+atMost(limit)+tx.d.pickLockedOf("i"), micros(tx.now))
	var items []lost.Item
	for _, p := range due {
		q := &query{args: []any{p.account, micros(tx.now)}}
		q.where("i.account_id = $1 AND i.look_at > 0 AND i.look_at <= $2 AND l.deleted_at = 0")
		in(q, "i.id", filled(p.ids, evenly))
		rs, bad := tx.h.Query(tx.ctx, "SELECT "+itemColumns+" FROM items i"+joinLocation+q.clause()+" ORDER BY i.look_at"+tx.d.lockSkipping("i"), q.args...)
		some, bad := collect(rs, bad, scanItem)
		items, err = append(items, some...), cmp.Or(err, bad)
	}
	return items, err
}

// LookAt sets when background work looks at an item next; zero for not until it changes.
func (tx *Tx) LookAt(account, item string, at time.Time) error {
	return tx.later("UPDATE items SET look_at = $3 WHERE account_id = $1 AND id = $2", account, item, micros(at))
}

// LookAgain has background work look at some of a location's items, those that follow one in the order of creation. It
// gives the last of them, 0 when there are no more.
func (tx *Tx) LookAgain(account, location string, after int64, limit int) (last int64, err error) {
	rs, err := tx.h.Query(tx.ctx, `SELECT COALESCE(MAX(seq), 0) FROM
		(SELECT seq FROM items WHERE account_id = $1 AND location_id = $2 AND seq > $3 ORDER BY seq LIMIT $4) AS piece`, account, location, after, limit)
	if last, _, err = value[int64](rs, err); err != nil || last == 0 {
		return 0, err
	}
	return last, tx.later(`UPDATE items SET look_at = $5 WHERE account_id = $1 AND location_id = $2 AND seq > $3 AND seq <= $4
		AND source = 'found' AND status IN ('PENDING', 'PICKUP')`, account, location, after, last, micros(tx.now))
}

// LookAgainLater has background work look at a location's items, those that follow one in the order of creation.
func (tx *Tx) LookAgainLater(account, location string, after int64) error {
	return tx.AddJob(account, JobLookAgain, writeStrings([]string{location, strconv.FormatInt(after, 10)}), tx.now)
}

// NextLook tells when background work has an item to look at or a desk to write to, if ever. It crosses accounts: for
// background work alone.
func (r reader) NextLook(ctx context.Context) (time.Time, bool, error) {
	rs, err := r.h.Query(across(ctx, Background), `SELECT COALESCE(MIN(at), 0) FROM (SELECT * FROM (SELECT look_at AS at FROM items WHERE look_at > 0 ORDER BY look_at LIMIT 1) AS item
		UNION ALL SELECT * FROM (SELECT digest_at AS at FROM locations WHERE digest_at > 0 ORDER BY digest_at LIMIT 1) AS digest) AS next`)
	at, _, err := value[int64](rs, err)
	return fromMicros(at), at > 0, err
}

// SetTasks makes an item's tasks those that are named; one that was open before stays as old as it is.
func (tx *Tx) SetTasks(i lost.Item, kinds []lost.TaskKind) error {
	q := &query{}
	q.where("account_id = " + q.arg(i.Account))
	q.where("item_id = " + q.arg(i.ID))
	for _, k := range kinds {
		q.where("kind <> " + q.arg(string(k)))
	}
	err := tx.later("DELETE FROM tasks"+q.clause(), q.args...)
	for _, k := range kinds {
		turn, again := i.Turn(k, tx.now), "DO NOTHING"
		if k.Comes() { // they may come at another time than they said first
			again = "DO UPDATE SET turn = excluded.turn"
		}
		err = cmp.Or(err, tx.later(`INSERT INTO tasks (account_id, location_id, item_id, kind, since, turn) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (account_id, item_id, kind) `+again, i.Account, i.LocationID, i.ID, string(k), micros(tx.now), micros(turn)))
	}
	return err
}

// Tasks lists what waits for a location's desk, oldest first. Who comes on another day does not wait.
func (r reader) Tasks(ctx context.Context, account, location string, page lost.Page) (lost.List[lost.Task], error) {
	list := lost.List[lost.Task]{Page: page}
	const matching = " FROM tasks t JOIN items i ON i.account_id = t.account_id AND i.id = t.item_id" + joinLocation +
		" WHERE t.account_id = $1 AND t.location_id = $2 AND t.kind <> 'pickup-next' AND l.deleted_at = 0"
	rs, err := r.h.Query(ctx, "SELECT "+itemColumns+", t.kind, t.since"+matching+" ORDER BY t.since, t.item_id, t.kind LIMIT $3 OFFSET $4",
		account, location, page.Limit, page.Offset())
	list.Data, err = collect(rs, err, func(rs rows) (t lost.Task, err error) {
		var kind string
		var since int64
		t.Item, err = scanItemAnd(rs, &kind, &since)
		t.Account, t.LocationID, t.ItemID, t.Kind, t.Since = t.Item.Account, t.Item.LocationID, t.Item.ID, lost.TaskKind(kind), fromMicros(since)
		return t, err
	})
	if err != nil {
		return list, err
	}
	list.Total, err = r.total(ctx, page, len(list.Data), "SELECT 1"+matching, account, location)
	return list, err
}

// PruneDigests removes some digests that were made before a time, and tells how many. It crosses accounts: for upkeep alone.
func (tx *Tx) PruneDigests(before time.Time, limit int) (int64, error) {
	return tx.prune(`DELETE FROM messages WHERE (account_id, id) IN
		(SELECT account_id, id FROM messages WHERE item_id = '' AND created_at < $1 ORDER BY created_at LIMIT $2)`, micros(before), limit)
}

// ScheduleDigest has a location's desk written to at a time, unless that is planned already.
func (tx *Tx) ScheduleDigest(l lost.Location, at time.Time) error {
	return tx.later("UPDATE locations SET digest_at = $3 WHERE account_id = $1 AND id = $2 AND digest_at = 0", l.Account, l.ID, micros(at))
}

// DueDigests locks some locations whose desks are to be written to. It crosses accounts: for background work alone.
func (tx *Tx) DueDigests(limit int) ([]lost.Location, error) {
	due, err := tx.pick("SELECT account_id, id FROM locations AS l WHERE digest_at > 0 AND digest_at <= $1 AND deleted_at = 0 ORDER BY digest_at"+atMost(limit)+tx.d.pickLocked, micros(tx.now))
	var desks []lost.Location
	for _, p := range due {
		q := &query{args: []any{p.account, micros(tx.now)}}
		q.where("account_id = $1 AND digest_at > 0 AND digest_at <= $2 AND deleted_at = 0")
		in(q, "id", filled(p.ids, evenly))
		rs, bad := tx.h.Query(tx.ctx, "SELECT "+locationColumns+" FROM locations AS l"+q.clause()+" ORDER BY digest_at"+tx.d.lockSkipping("l"), q.args...)
		some, bad := collect(rs, bad, scanLocation)
		desks, err = append(desks, some...), cmp.Or(err, bad)
	}
	return desks, err
}

// SetDigest sets when a location's desk is written to next; zero for not until something waits.
func (tx *Tx) SetDigest(l lost.Location, at time.Time) error {
	return tx.later("UPDATE locations SET digest_at = $3 WHERE account_id = $1 AND id = $2", l.Account, l.ID, micros(at))
}
