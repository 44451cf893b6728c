package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"homeward/internal/lost"
)

// ImportRowPosition identifies a batch of stored import rows.
type ImportRowPosition struct {
	Import string
	Chunk  int64
}

// ImportRowsWithPerson reads some of the stored import rows, starting after the given position. It
// returns the positions of the batches that name the person, the last position read, and whether
// there are more rows.
func (r reader) ImportRowsWithPerson(ctx context.Context, account string, p lost.Person,
	after ImportRowPosition) (found []ImportRowPosition, last ImportRowPosition, more bool, err error) {
	const batches = 20 // maximum number of batches to read, each of a hundred rows
	rs, err := r.h.Query(ctx,
		"SELECT import_id, n, content FROM import_pieces WHERE account_id = $1 AND (import_id, n) > ($2, CAST($3 AS "+
			"BIGINT)) ORDER BY import_id, n"+limitClause(batches),
		account, after.Import, after.Chunk)
	seen, last := 0, after
	_, err = collect(rs, err, func(rs rows) (none struct{}, err error) {
		var content string
		if err = rs.Scan(&last.Import, &last.Chunk, &content); err != nil {
			return none, err
		}
		seen++
		_, n, err := redactRows(content, p)
		if n > 0 {
			found = append(found, last)
		}
		return none, err
	})
	return found, last, seen == batches, err
}

// EraseImportChunk removes a person's data from a batch of import rows. In each row that names the
// person, it removes all of the owner's data.
func (tx *Tx) EraseImportChunk(account string, p lost.Person, at ImportRowPosition) (e lost.Erased, err error) {
	m := lost.Import{Account: account, ID: at.Import}
	piece, err := tx.LockImportChunk(m, int(at.Chunk))
	if err != nil {
		if lost.CodeOf(err) == lost.NotFound { // the import has expired
			err = nil
		}
		return e, err
	}
	text, n, err := redactRows(piece.Content, p)
	if err == nil && n > 0 {
		e.ImportRows = n
		err = tx.queue("UPDATE import_pieces SET content = $4 WHERE account_id = $1 AND import_id = $2 AND n = $3",
			account, at.Import, at.Chunk, text)
	}
	return e, err
}

// ShipmentPersonalData returns the shipment columns that may name a person.
func ShipmentPersonalData() PersonalDataTable {
	return PersonalDataTable{table: "shipments", key: []string{"id"}, columns: []string{"detail"}, item: "item_id"}
}

// rowsByID lists the rows of an account's table with the given ids, sorted by id.
func rowsByID[T any](ctx context.Context, r reader, columns, table, account string, ids []string,
	scan func(rows) (T, error)) ([]T, error) {
	q := &query{}
	q.where("account_id = " + q.arg(account))
	whereIn(q, "id", ids)
	rs, err := r.h.QueryPlanned(ctx, "SELECT "+columns+" FROM "+table+q.clause()+" ORDER BY id", q.args...)
	return collect(rs, err, scan)
}

// LinkedItems returns the ids of the items of those links with the given keys that were sent to a person.
func (tx *Tx) LinkedItems(account string, p lost.Person, keys [][]string) (items []string, err error) {
	_, items, err = tx.rowsSentTo(account, LinkPersonalData(), p, keys, nil)
	return items, err
}

// EraseFormerGuest erases the data of a person who was the guest of an item before somebody else: shipments to the
// person with their documents, and the notes in the history from before the item got its owner. It changes nothing and
// returns false if a parcel to the person is in transit.
func (tx *Tx) EraseFormerGuest(i lost.Item, p lost.Person, by lost.Actor) (e lost.Erased, done bool, err error) {
	links, err := tx.LinksOfItem(tx.ctx, i.Account, i.ID)
	if err != nil {
		return e, false, err
	}
	shipments, err := tx.LockShipments(i.Account, i.ID)
	if err != nil {
		return e, false, err
	}
	shipments = slices.DeleteFunc(shipments, func(s lost.Shipment) bool { return !s.IsFor(p, links) })
	if i.InTransit() && slices.ContainsFunc(shipments, func(s lost.Shipment) bool {
		return s.ID == i.Parcel.ShipmentID
	}) {
		return e, false, nil
	}
	if err := tx.eraseShipments(i.Account, shipments, nil, &e); err != nil {
		return e, false, err
	}
	before := i
	for _, s := range shipments {
		s.EraseFrom(&i, tx.now)
	}
	if !i.UpdatedAt.Equal(before.UpdatedAt) {
		if err := tx.saveErased(before, i, by); err != nil {
			return e, false, err
		}
	}
	since, err := tx.OwnedSince(tx.ctx, i, links)
	if err != nil {
		return e, false, err
	}
	return e, true, tx.execCounted(&e.History, "UPDATE item_history SET note = '' WHERE account_id = $1 AND "+
		"item_id = $2 AND note <> '' AND at < $3", i.Account, i.ID, micros(since))
}

// eraseShipments erases the guest's data from shipments, and deletes their documents and the other files.
func (tx *Tx) eraseShipments(account string, shipments []lost.Shipment, files []string, e *lost.Erased) error {
	for _, s := range shipments {
		files = append(files, s.EraseGuest(tx.now)...)
		if err := tx.SaveShipment(s); err != nil {
			return err
		}
		if err := tx.RemoveEntry(TrackerEntry, DirectoryEntry{Account: s.Account, Subject: s.ID}); err != nil {
			return err
		}
	}
	e.Shipments, e.Files = len(shipments), len(files)
	return tx.AddDeleteFilesJobs(account, files...)
}

// redactRows removes the owner's data from rows that name a person. It returns the new content and
// the number of changed rows.
func redactRows(content string, p lost.Person) (text string, n int, err error) {
	var rows []map[string]json.RawMessage
	if err := readJSON("rows of a file", content, &rows); err != nil {
		return "", 0, err
	}
	for _, row := range rows {
		cells := map[string]string{}
		if err := readJSON("cells of a row", string(row["cells"]), &cells); err != nil {
			return "", 0, err
		}
		if !namesPerson(cells, p) {
			continue
		}
		names := append([]string{p.Address()},
			lost.Owner{FirstName: cells["owner.firstName"], LastName: cells["owner.lastName"]}.Names()...)
		for column, cell := range cells {
			if strings.HasPrefix(column, lost.UnmappedColumn) { // nobody has said yet what it contains
				delete(cells, column)
			}
			f := erasedField(column)
			if f == nil {
				continue
			}
			if f.Personal { // other cells may repeat the value
				names = append(names, cell)
			}
			delete(cells, column)
		}
		for column, cell := range cells {
			cells[column] = removeNamesFromCell(column, cell, names)
		}
		row["cells"] = json.RawMessage(toJSON(cells))
		n++
	}
	return toJSON(rows), n, nil
}

func namesPerson(cells map[string]string, p lost.Person) bool {
	for column, cell := range cells {
		if removeNamesFromCell(column, cell, []string{p.Address()}) != cell {
			return true
		}
	}
	return false
}

// removeNamesFromCell removes names from a cell. Columns with phone numbers are searched like prose: the area code may
// be missing. A column that nobody has mapped yet may contain any numbers.
func removeNamesFromCell(column, cell string, names []string) string {
	fields := lost.ItemFields()
	for n := range fields {
		if f := &fields[n]; f.Name == column && (f.IsProse() || f.Kind == lost.PhoneKind) {
			return lost.RemoveNames(cell, names...)
		}
	}
	return lost.RemoveNamesFromCode(cell, names...)
}

// erasedField returns the field of a column if erasing a guest clears it according to
// lost.ItemFields, and nil otherwise. Import files omit the prefix of shipment fields:
// trackingNumber means shipping.trackingNumber.
func erasedField(column string) *lost.ItemField {
	fields := lost.ItemFields()
	for n := range fields {
		f := &fields[n]
		inside := strings.HasPrefix(column, f.Name+".")
		if f.Erase == lost.EraseValue && (column == f.Name || inside || "shipping."+column == f.Name) {
			return f
		}
	}
	return nil
}

// endedCondition and endedAtColumn must be identical to the condition and the column of the index
// items_ended. They implement the same rule as lost.Item.EndedAt.
const (
	endedAtColumn = "(CASE WHEN i.source = 'request' THEN i.updated_at WHEN i.closed_at > 0 THEN i.closed_at ELSE " +
		"i.moved_at END)"
	endedCondition = "i.forgotten_at < i.updated_at AND (i.closed_at > 0 OR i.status IN ('DELIVERED', 'DISCARD', " +
		"'DONATE') OR i.claim_state IN ('MATCHED', 'REJECTED', 'WITHDRAWN'))"
)

// LockItemsToErase locks and returns an account's items that were completed before the given time and still
// have guest data. It skips items that another instance has locked.
func (tx *Tx) LockItemsToErase(account string, before time.Time, limit int) ([]lost.Item, error) {
	rs, err := tx.h.Query(tx.ctx,
		"SELECT "+itemColumns+" FROM items i"+joinLocation+" WHERE i.account_id = $1 AND "+endedCondition+" AND "+
			endedAtColumn+" < $2 AND l.deleted_at = 0"+
			" ORDER BY "+endedAtColumn+fmt.Sprintf(" LIMIT %d", limit)+tx.d.lockSkipping("i"), account, micros(before))
	return collect(rs, err, tx.scanItem)
}

// CountItemsToErase counts the items that were completed before the given time and still have guest data. It
// stops counting at a limit, because the count is only shown in a warning.
func (r reader) CountItemsToErase(ctx context.Context, account string, before time.Time) (lost.Total, error) {
	const limit = 1000
	rs, err := r.h.Query(ctx,
		"SELECT count(*) FROM (SELECT 1 FROM items i WHERE i.account_id = $1 AND "+endedCondition+" AND "+endedAtColumn+
			" < $2"+
			fmt.Sprintf(" LIMIT %d) AS matching", limit+1), account, micros(before))
	n, _, err := firstValue[int](rs, err)
	return lost.Total{Count: min(n, limit), AtLeast: n > limit}, err
}

// MarkErased records that an item's guest data was erased. The item counts as erased until it
// changes.
func (tx *Tx) MarkErased(i lost.Item) error {
	return tx.queue("UPDATE items SET forgotten_at = $3 WHERE account_id = $1 AND id = $2", i.Account, i.ID,
		micros(tx.now))
}

// AddErasedCount adds n to the number of items whose guest data was erased on the given day.
func (tx *Tx) AddErasedCount(account, day string, n int) error {
	return tx.queue("INSERT INTO forgotten (account_id, day, n) VALUES ($1, $2, $3) ON CONFLICT (account_id, day) DO "+
		"UPDATE SET n = forgotten.n + excluded.n", account, day, n)
}

// ErasedPerDay lists the most recent days on which guest data was erased, with the number of items.
func (r reader) ErasedPerDay(ctx context.Context, account string, days int) ([]lost.ErasedOnDay, error) {
	rs, err := r.h.Query(ctx, "SELECT day, n FROM forgotten WHERE account_id = $1 ORDER BY day DESC LIMIT $2", account,
		days)
	return collect(rs, err, func(rs rows) (f lost.ErasedOnDay, err error) {
		err = rs.Scan(&f.Day, &f.Items)
		return f, err
	})
}

// EraseFinder erases the data of an item's finder on the item and in its events. It returns the changed item and the
// numbers of erased records.
func (tx *Tx) EraseFinder(i lost.Item, by lost.Actor, redact Redactor) (after lost.Item, e lost.Erased, err error) {
	before := i
	if !i.EraseFinder(tx.now) {
		return i, e, nil
	}
	e.Mentions++
	if err := tx.saveErased(before, i, by); err != nil {
		return i, e, err
	}
	if file := before.Handover.ReceiptFile; file != i.Handover.ReceiptFile {
		e.Files++
		if err := tx.AddDeleteFilesJobs(i.Account, file); err != nil {
			return i, e, err
		}
		if err := tx.eraseProtocols(before, by, &e); err != nil {
			return i, e, err
		}
	}
	if err := tx.clearResponses(i.Account, []string{i.ID}, &e); err != nil {
		return i, e, err
	}
	return i, e, tx.redactEvents(i, redact, &e)
}

// wherePerson restricts items to those whose guest or finder may be the given person. The caller must filter
// the result with Person.Owns and Person.Found.
func (q *query) wherePerson(p lost.Person) {
	if p.Email != "" {
		q.where("(i.owner_email <> '' AND " + q.addressCondition("i.owner_email", p) +
			" OR i.finder_email <> '' AND " + q.addressCondition("i.finder_email", p) + ")")
	} else {
		q.where("(" + q.addressCondition("i.owner_phone", p) + " OR " + q.addressCondition("i.finder_phone", p) +
			" OR " + q.mentionCondition("i.recipient", p) + ")")
	}
}

// ItemsOfPerson lists a person's items and requests, and the items that the person found, with ids greater than after,
// sorted by id.
func (r reader) ItemsOfPerson(ctx context.Context, account string, p lost.Person, after string,
	limit int) (items []lost.Item, err error) {
	for more := true; more && len(items) < limit; {
		q := &query{}
		q.where("i.account_id = " + q.arg(account))
		q.wherePerson(p)
		q.where("i.id > " + q.arg(after))
		q.where("l.deleted_at = 0")
		rs, err := r.h.QueryPlanned(ctx,
			"SELECT "+itemColumns+" FROM items i"+joinLocation+q.clause()+" ORDER BY i.id"+limitClause(limit),
			q.args...)
		page, err := collect(rs, err, r.scanItem)
		if err != nil {
			return nil, err
		}
		if more = len(page) == limit; more {
			after = page[limit-1].ID
		}
		items = append(items, slices.DeleteFunc(page, func(i lost.Item) bool {
			return !p.Owns(i) && !p.Found(i)
		})...)
	}
	return items[:min(len(items), limit)], nil
}

// ItemsWithPhones lists items and requests with ids greater than after, sorted by id, that may have one of the phone
// numbers and on which somebody has another e-mail address. The caller must compare the numbers and addresses exactly.
//
// No index finds these items: a call reads the account's items once, however many numbers there are.
func (r reader) ItemsWithPhones(ctx context.Context, account string, phones []string, email, after string,
	limit int) ([]lost.Item, error) {
	q := &query{}
	q.where("i.account_id = " + q.arg(account))
	q.where("i.id > " + q.arg(after))
	address := q.arg(email)
	q.where("(i.owner_email NOT IN ('', " + address + ") OR i.finder_email NOT IN ('', " + address + "))")
	var numbers, recipients []string
	for _, phone := range phones {
		for _, number := range lost.StoredPhones(phone) {
			numbers = append(numbers, q.arg(number))
		}
		recipients = append(recipients, q.mentionCondition("i.recipient", lost.Person{Phone: phone}))
	}
	among := " IN (" + strings.Join(numbers, ", ") + ") OR "
	q.where("(i.owner_phone" + among + "i.finder_phone" + among + strings.Join(recipients, " OR ") + ")")
	q.where("l.deleted_at = 0")
	rs, err := r.h.QueryPlanned(ctx,
		"SELECT "+itemColumns+" FROM items i"+joinLocation+q.clause()+" ORDER BY i.id"+limitClause(limit), q.args...)
	return collect(rs, err, r.scanItem)
}

// ShipmentsOfItem lists the shipments of an item, newest first.
func (r reader) ShipmentsOfItem(ctx context.Context, account, item string) ([]lost.Shipment, error) {
	const limit = 100
	rs, err := r.h.Query(ctx,
		"SELECT "+shipmentColumns+" FROM shipments WHERE account_id = $1 AND item_id = $2 ORDER BY id DESC"+
			limitClause(limit), account, item)
	return collect(rs, err, scanShipment)
}

// LocationCountries lists the countries of an account's locations.
func (r reader) LocationCountries(ctx context.Context, account string) ([]string, error) {
	rs, err := r.h.Query(ctx, "SELECT DISTINCT country FROM locations WHERE account_id = $1 AND deleted_at = 0 AND "+
		"country <> '' ORDER BY country", account)
	return collect(rs, err, func(rs rows) (country string, err error) {
		err = rs.Scan(&country)
		return country, err
	})
}
