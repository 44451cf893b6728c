package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"homeward/internal/lost"
)

// Blank gives the body of an event without its guest.
type Blank func(body []byte) ([]byte, error)

// ForgetItem removes what is kept of an item's guest, everywhere: on the item, its shipments and their papers, links, messages, tasks, the words of its history,
// answers that were kept, and its events with their deliveries. With blank, events stay and what is on its way is sent without the guest. It counts what
// there was; the item comes back as it is now.
func (tx *Tx) ForgetItem(i lost.Item, by lost.Actor, blank Blank) (after lost.Item, e lost.Erased, err error) {
	before, files := i, i.Files()
	had := i.Forget(tx.now)
	shipments, err := tx.LockShipments(i.Account, i.ID)
	if err != nil {
		return i, e, err
	}
	for _, s := range shipments {
		files = append(files, s.Forget(tx.now)...)
		err = cmp.Or(err, tx.SaveShipment(s), tx.RemoveEntry(TrackerEntry, Entry{Account: s.Account, Subject: s.ID}))
	}
	e.Shipments, e.Files = len(shipments), len(files)
	err = cmp.Or(err, tx.forgetBeside(i, blank, &e), tx.DeleteFilesLater(i.Account, files...))
	if err == nil && had {
		err = cmp.Or(tx.SaveItem(before, i), tx.AddHistory(i, lost.NewEntry(by, lost.Forgot, tx.now)))
		if i.Source == lost.Request {
			e.Requests++
		} else {
			e.Items++
		}
	}
	return i, e, cmp.Or(err, tx.NoteForgotten(i))
}

// dropLinks removes guests' links with what leads to them, and counts them.
func (tx *Tx) dropLinks(n *int, where string, args ...any) error {
	gone, err := tx.drop(tx.ctx, GuestEntry, "DELETE FROM links"+where, args...)
	*n += int(gone)
	return err
}

// forgetBeside removes what is kept of an item's guest beside the item itself, and its shipments.
func (tx *Tx) forgetBeside(i lost.Item, blank Blank, e *lost.Erased) error {
	err := cmp.Or(
		tx.later("DELETE FROM jobs WHERE account_id = $1 AND payload IN (SELECT id FROM messages WHERE account_id = $1 AND item_id = $2)", i.Account, i.ID),
		tx.dropLinks(&e.Links, " WHERE account_id = $1 AND item_id = $2", i.Account, i.ID),
		tx.counted(&e.Messages, "DELETE FROM messages WHERE account_id = $1 AND item_id = $2", i.Account, i.ID),
		tx.counted(&e.History, "UPDATE item_history SET note = '' WHERE account_id = $1 AND item_id = $2 AND note <> ''", i.Account, i.ID),
		tx.counted(&e.Answers, "DELETE FROM answers WHERE account_id = $1 AND subject = $2", i.Account, i.ID),
		tx.later("DELETE FROM tasks WHERE account_id = $1 AND item_id = $2", i.Account, i.ID),
		tx.later("DELETE FROM clearance_items WHERE account_id = $1 AND item_id = $2", i.Account, i.ID),
		tx.dropMatching(i.Account, []string{i.ID}),
	)
	if err != nil {
		return err
	}
	if blank == nil {
		return cmp.Or(
			tx.counted(&e.Deliveries, "DELETE FROM deliveries WHERE account_id = $1 AND event_id IN (SELECT id FROM events WHERE account_id = $1 AND item_id = $2)", i.Account, i.ID),
			tx.counted(&e.Events, "DELETE FROM events WHERE account_id = $1 AND item_id = $2", i.Account, i.ID),
		)
	}
	rs, err := tx.h.Query(tx.ctx, "SELECT "+eventColumns+" FROM events AS e WHERE account_id = $1 AND item_id = $2 ORDER BY id"+tx.d.lock("e"), i.Account, i.ID)
	events, err := collect(rs, err, scanEvent)
	for _, event := range events {
		err = cmp.Or(err, tx.blankEvent(event, blank, "", e))
	}
	return err
}

// counted runs a statement and adds up how many rows it touched.
func (tx *Tx) counted(sum *int, sql string, args ...any) error {
	n, err := tx.exec(sql, args...)
	*sum += int(n)
	return err
}

// blankEvent takes the guest out of an event's body, and what receivers answered out of its deliveries. A delivery that is being attempted is made again, without
// the guest.
func (tx *Tx) blankEvent(event lost.Event, blank Blank, address string, e *lost.Erased) error {
	body, err := blank(event.Body)
	if err != nil {
		return err
	}
	text := lost.Unname(string(body), address)
	if text != string(event.Body) {
		e.Events++
		if err := tx.later("UPDATE events SET body = $3 WHERE account_id = $1 AND id = $2", event.Account, event.ID, text); err != nil {
			return err
		}
	}
	rs, err := tx.h.Query(tx.ctx, "SELECT "+deliveryColumns+" FROM deliveries AS d WHERE account_id = $1 AND event_id = $2"+tx.d.lock("d"), event.Account, event.ID)
	deliveries, err := collect(rs, err, scanDelivery)
	for _, d := range deliveries {
		changed := d.State == lost.DeliveryPending
		for n := range d.Attempts {
			changed = changed || d.Attempts[n].Response != ""
			d.Attempts[n].Response = ""
		}
		if changed && err == nil {
			e.Deliveries++
			err = tx.later("UPDATE deliveries SET attempts = $3, claim = claim + CASE WHEN state = 'pending' THEN 1 ELSE 0 END WHERE account_id = $1 AND id = $2", d.Account, d.ID, writeAttempts(d.Attempts))
		}
	}
	return err
}

// ofPerson is the condition that an item's guest is a person.
func (q *query) ofPerson(p lost.Person) {
	if p.Email != "" {
		q.where("i.owner_email <> '' AND lower(i.owner_email) = " + q.arg(p.Email))
	} else {
		q.where("i.owner_phone <> '' AND i.owner_phone = " + q.arg(p.Phone))
	}
}

// ItemsOf lists items and requests of a person in the order of their ids, after a given one.
func (r reader) ItemsOf(ctx context.Context, account string, p lost.Person, after string, limit int) ([]lost.Item, error) {
	return r.itemsOf(ctx, account, p, after, limit, "")
}

// LockItemsOf gives some that are about to be changed.
func (tx *Tx) LockItemsOf(account string, p lost.Person, after string, limit int) ([]lost.Item, error) {
	return tx.itemsOf(tx.ctx, account, p, after, limit, tx.d.lock("i"))
}

func (r reader) itemsOf(ctx context.Context, account string, p lost.Person, after string, limit int, lock string) ([]lost.Item, error) {
	q := &query{}
	q.where("i.account_id = " + q.arg(account))
	q.ofPerson(p)
	q.where("i.id > " + q.arg(after))
	q.where("l.deleted_at = 0")
	rs, err := r.h.QueryPlanned(ctx, "SELECT "+itemColumns+" FROM items i"+joinLocation+q.clause()+" ORDER BY i.id"+atMost(limit)+lock, q.args...)
	return collect(rs, err, scanItem)
}

// ShipmentsOf lists the shipments of an item, the newest first.
func (r reader) ShipmentsOf(ctx context.Context, account, item string) ([]lost.Shipment, error) {
	const most = 100
	rs, err := r.h.Query(ctx, "SELECT "+shipmentColumns+" FROM shipments WHERE account_id = $1 AND item_id = $2 ORDER BY id DESC"+atMost(most), account, item)
	return collect(rs, err, scanShipment)
}

// InsertErasure begins to remove a person, in the background. The job alone knows whom, until it is done.
func (tx *Tx) InsertErasure(e lost.Erasure, p lost.Person) error {
	return cmp.Or(
		tx.later("INSERT INTO erasures (account_id, id, actor_kind, actor_id, actor_name, erased, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)",
			e.Account, e.ID, string(e.By.Kind), e.By.ID, e.By.Name, written(e.Erased), micros(e.CreatedAt)),
		tx.AddJob(e.Account, JobErase, writeStrings([]string{e.ID, p.Email, p.Phone}), tx.now),
	)
}

const erasureColumns = "account_id, id, actor_kind, actor_id, actor_name, erased, created_at, done_at"

func scanErasure(rs rows) (e lost.Erasure, err error) {
	var kind, erased string
	var created, done int64
	err = rs.Scan(&e.Account, &e.ID, &kind, &e.By.ID, &e.By.Name, &erased, &created, &done)
	e.By.Account, e.By.Kind, e.CreatedAt, e.DoneAt = e.Account, lost.ActorKind(kind), fromMicros(created), fromMicros(done)
	return e, cmp.Or(err, readJSON("an erasure", erased, &e.Erased))
}

// Erasure gives one of an account.
func (r reader) Erasure(ctx context.Context, account, id string) (lost.Erasure, error) {
	rs, err := r.h.Query(ctx, "SELECT "+erasureColumns+" FROM erasures WHERE account_id = $1 AND id = $2", account, id)
	return record("erasure", rs, err, scanErasure)
}

// Erasures lists the newest of an account.
func (r reader) Erasures(ctx context.Context, account string, limit int) ([]lost.Erasure, error) {
	rs, err := r.h.Query(ctx, "SELECT "+erasureColumns+" FROM erasures WHERE account_id = $1 ORDER BY id DESC"+atMost(limit), account)
	return collect(rs, err, scanErasure)
}

// LockErasure gives one that is about to be changed.
func (tx *Tx) LockErasure(account, id string) (lost.Erasure, error) {
	rs, err := tx.h.Query(tx.ctx, "SELECT "+erasureColumns+" FROM erasures AS e WHERE account_id = $1 AND id = $2"+tx.d.lock("e"), account, id)
	return record("erasure", rs, err, scanErasure)
}

// SaveErasure keeps how far one has come. One that is done needs no job any more, whoever did it.
func (tx *Tx) SaveErasure(e lost.Erasure) error {
	err := tx.later("UPDATE erasures SET erased = $3, done_at = $4 WHERE account_id = $1 AND id = $2", e.Account, e.ID, written(e.Erased), micros(e.DoneAt))
	if err == nil && !e.DoneAt.IsZero() {
		err = tx.later("DELETE FROM jobs WHERE account_id = $1 AND kind = $2 AND payload LIKE $3", e.Account, JobErase, `["`+e.ID+`"%`)
	}
	return err
}

// EraseLetters removes messages to a person and links that were sent to them, also of items that are somebody else's by now, but for those of some items.
func (tx *Tx) EraseLetters(account string, p lost.Person, but []string) (e lost.Erased, err error) {
	q := &query{}
	q.where("account_id = " + q.arg(account))
	q.where("lower(address) = " + q.arg(strings.ToLower(p.Address())))
	q.where("item_id <> ''")
	for _, id := range but {
		q.where("item_id <> " + q.arg(id))
	}
	where := q.clause()
	return e, cmp.Or(
		tx.later("DELETE FROM jobs WHERE account_id = $1 AND payload IN (SELECT id FROM messages"+where+")", q.args...),
		tx.dropLinks(&e.Links, where, q.args...),
		tx.counted(&e.Messages, "DELETE FROM messages"+where, q.args...),
	)
}

// mention is a column of words in which a person may be named.
type mention struct {
	table, column string
	key           []string // with account_id
}

// mentions lists them, but for those of items, events and imports, which have ways of their own.
func mentions() []mention {
	one := []string{"id"}
	return []mention{
		{table: "item_history", column: "note", key: []string{"item_id", "id"}},
		{table: "messages", column: "about", key: one},
		{table: "messages", column: "error", key: one},
		{table: "shipments", column: "detail", key: one},
		{table: "deliveries", column: "attempts", key: one},
		{table: "imports", column: "problems", key: one},
		{table: "imports", column: "file", key: one},
		{table: "imports", column: "why", key: one},
		{table: "clearance_items", column: "why", key: []string{"clearance_id", "item_id"}},
		{table: "jobs", column: "error", key: one},
		{table: "views", column: "name", key: one},
		{table: "views", column: "query", key: one},
	}
}

const mentionsAtOnce = 200

// naming is the condition that a column has an address in it.
func (q *query) naming(column, address string) string {
	return "lower(" + column + ") LIKE " + q.arg(likePattern(strings.ToLower(address))) + ` ESCAPE '\'`
}

// EraseMentions takes a person's address out of words elsewhere, some at a time, and tells whether there may be more. Rows of some items are left.
func (db *DB) EraseMentions(ctx context.Context, account string, p lost.Person, add func(*Tx, lost.Erased) error) error {
	for _, m := range mentions() {
		for more := true; more; {
			err := db.Write(ctx, func(tx *Tx) error {
				e, left, err := tx.eraseMentions(account, m, p)
				more = left
				return cmp.Or(err, add(tx, e))
			})
			if err != nil {
				return fmt.Errorf("erase a person from %s: %w", m.table, err)
			}
		}
	}
	return nil
}

func (tx *Tx) eraseMentions(account string, m mention, p lost.Person) (e lost.Erased, more bool, err error) {
	address := p.Address()
	q := &query{}
	q.where("account_id = " + q.arg(account))
	either := q.naming(m.column, address)
	if m.table == "views" { // as an address has it
		either = "(" + either + " OR " + q.naming(m.column, url.QueryEscape(address)) + ")"
	}
	q.where(either)
	keys := strings.Join(m.key, ", ")
	rs, err := tx.h.QueryPlanned(tx.ctx, "SELECT "+m.column+", "+keys+" FROM "+m.table+" AS m"+q.clause()+" ORDER BY "+keys+atMost(mentionsAtOnce)+tx.d.lock("m"), q.args...)
	found, err := scanTexts(rs, err, 1+len(m.key))
	changed := false
	for _, row := range found {
		text := lost.Unname(row[0], address)
		if m.table == "views" {
			text = lost.Unname(text, address, url.QueryEscape(address), strings.ToLower(url.QueryEscape(address)))
			e.Views++
		} else {
			e.Mentions++
		}
		changed = changed || text != row[0]
		q := &query{}
		set := "UPDATE " + m.table + " SET " + m.column + " = " + q.arg(text)
		q.where("account_id = " + q.arg(account))
		for n, column := range m.key {
			q.where(column + " = " + q.arg(row[1+n]))
		}
		err = cmp.Or(err, tx.later(set+q.clause(), q.args...))
	}
	return e, changed && len(found) == mentionsAtOnce, err
}

// scanTexts reads rows of so many texts.
func scanTexts(rs rows, err error, columns int) ([][]string, error) {
	return collect(rs, err, func(rs rows) ([]string, error) {
		row, into := make([]string, columns), make([]any, columns)
		for n := range row {
			into[n] = &row[n]
		}
		return row, rs.Scan(into...)
	})
}

// ItemsNaming finds items that are not a person's and name them in words, after a given one, but for some.
func (r reader) ItemsNaming(ctx context.Context, account string, p lost.Person, after string, limit int) (ids []string, err error) {
	q := &query{}
	q.where("account_id = " + q.arg(account))
	q.where("id > " + q.arg(after))
	q.where(q.naming("(description || ' ' || discovery_place || ' ' || storage_place || ' ' || notes || ' ' || hold || ' ' || not_shipped || ' ' || recipient || ' ' || claim || ' ' || care || ' ' || parcel)", p.Address()))
	rs, err := r.h.QueryPlanned(ctx, "SELECT id FROM items"+q.clause()+" ORDER BY id"+atMost(limit), q.args...)
	return collect(rs, err, func(rs rows) (id string, err error) { err = rs.Scan(&id); return id, err })
}

// LockItemsAnywhere gives items of an account that are about to be changed, wherever they are.
func (tx *Tx) LockItemsAnywhere(account string, ids []string) ([]lost.Item, error) {
	q := &query{}
	q.where("i.account_id = " + q.arg(account))
	in(q, "i.id", ids)
	rs, err := tx.h.QueryPlanned(tx.ctx, "SELECT "+itemColumns+" FROM items i"+joinLocation+q.clause()+" ORDER BY i.id"+tx.d.lock("i"), q.args...)
	return collect(rs, err, scanItem)
}

// EraseEvents takes a person out of events that name them, some at a time and after a given one, but for those of some items. It gives the last, ” where there
// are no more.
func (tx *Tx) EraseEvents(account string, p lost.Person, blank Blank, but []string, after string) (e lost.Erased, last string, err error) {
	q := &query{}
	q.where("account_id = " + q.arg(account))
	q.where("id > " + q.arg(after))
	q.where(q.naming("body", p.Address()))
	rs, err := tx.h.QueryPlanned(tx.ctx, "SELECT "+eventColumns+" FROM events AS e"+q.clause()+" ORDER BY id"+atMost(mentionsAtOnce)+tx.d.lock("e"), q.args...)
	events, err := collect(rs, err, scanEvent)
	for _, event := range events {
		if !slices.Contains(but, event.ItemID) {
			err = cmp.Or(err, tx.blankEvent(event, blank, p.Address(), &e))
		}
	}
	if len(events) == mentionsAtOnce {
		last = events[len(events)-1].ID
	}
	return e, last, err
}

// RowsAt is how far a walk through the rows of imports has come.
type RowsAt struct {
	Import string
	Piece  int64
}

// EraseRows takes a person out of some of the rows of imports that are still kept: the whole owner of a row that names them. It gives how far it came, and
// whether there are more.
func (tx *Tx) EraseRows(account string, p lost.Person, after RowsAt) (e lost.Erased, last RowsAt, more bool, err error) {
	const some = 20 // of a hundred rows each
	type piece struct {
		RowsAt
		content string
	}
	q := &query{}
	q.where("account_id = " + q.arg(account))
	q.where("(import_id, n) > (" + q.arg(after.Import) + ", CAST(" + q.arg(after.Piece) + " AS BIGINT))")
	if p.Email != "" { // a phone number may be written in many ways
		q.where(q.naming("content", p.Email))
	}
	rs, err := tx.h.QueryPlanned(tx.ctx, "SELECT import_id, n, content FROM import_pieces AS p"+q.clause()+" ORDER BY import_id, n"+atMost(some)+tx.d.lock("p"), q.args...)
	found, err := collect(rs, err, func(rs rows) (p piece, err error) {
		err = rs.Scan(&p.Import, &p.Piece, &p.content)
		return p, err
	})
	for _, one := range found {
		text, n, bad := blankRows(one.content, p)
		if err = cmp.Or(err, bad); err == nil && n > 0 {
			err = tx.later("UPDATE import_pieces SET content = $4 WHERE account_id = $1 AND import_id = $2 AND n = $3", account, one.Import, one.Piece, text)
		}
		e.ImportRows, last = e.ImportRows+n, one.RowsAt
	}
	return e, last, len(found) == some, err
}

// blankRows takes the owner out of rows that name a person.
func blankRows(content string, p lost.Person) (text string, n int, err error) {
	var kept []map[string]json.RawMessage
	if err := readJSON("rows of a file", content, &kept); err != nil {
		return "", 0, err
	}
	for _, row := range kept {
		cells := map[string]string{}
		if err := readJSON("cells of a row", string(row["cells"]), &cells); err != nil {
			return "", 0, err
		}
		if !rowNames(cells, p) {
			continue
		}
		names := []string{p.Address()}
		for column, cell := range cells {
			if isOwners(column) {
				names = append(names, cell)
				delete(cells, column)
			}
		}
		for column, cell := range cells {
			cells[column] = lost.Unname(cell, names...)
		}
		row["cells"] = json.RawMessage(written(cells))
		n++
	}
	return written(kept), n, nil
}

func rowNames(cells map[string]string, p lost.Person) bool {
	for _, cell := range cells {
		if strings.Contains(strings.ToLower(cell), strings.ToLower(p.Address())) {
			return true
		}
	}
	phone, _ := lost.ParsePhone(cells["owner.phone"])
	return p.Phone != "" && phone == p.Phone
}

// isOwners tells whether a column of a file tells of an item's guest.
func isOwners(column string) bool {
	return strings.HasPrefix(column, "owner.") || strings.HasPrefix(column, "shipping.recipient") || column == "handover.name" || column == "notes" || column == "language"
}

// Scrub makes sure that nothing of what was removed is left in files that the database keeps beside itself. PostgreSQL's are its own.
func (db *DB) Scrub(ctx context.Context) error { return db.engine.scrub(ctx) }
