package store

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"homeward/internal/lost"
)

// itemColumns are the columns of an item and the terms of its location, in the order in which
// scanItem reads them.
var itemColumns = itemSQL.selects //nolint:gochecknoglobals // never changes

const joinLocation = " JOIN locations l ON l.account_id = i.account_id AND l.id = i.location_id"

func (r reader) scanItem(rs rows) (lost.Item, error) { return r.scanItemWith(rs) }

// itemTarget is an itemRow with the targets for its columns, in the order of the joined row.
type itemTarget struct {
	row     itemRow
	joined  string
	targets []any
}

// itemTargets holds unused targets. Making the list of pointers for each row would take longer than reading it.
var itemTargets = sync.Pool{New: func() any {
	t := new(itemTarget)
	terms := &t.row.Terms
	t.targets = itemSQL.appendTargets([]any{
		&terms.StoragePlace, &terms.StorageDuration, &terms.TimeZone, &t.row.keeping,
	}, &t.row)
	return t
}}

// scanItemWith reads an item and the columns that follow it.
func (r reader) scanItemWith(rs rows, more ...any) (lost.Item, error) {
	t := itemTargets.Get().(*itemTarget)
	defer func() {
		t.row, t.joined = itemRow{}, "" // keep no data, and leave no values to the next item
		itemTargets.Put(t)
	}()
	row, i := &t.row, &t.row.Item
	last := len(t.targets) - 1
	err := rs.Scan(append([]any{&t.joined, t.targets[last]}, more...)...)
	if err == nil {
		err = splitColumns(t.joined, t.targets[:last])
	}
	if err != nil {
		return *i, err
	}
	i.Source, i.Status = lost.Source(row.source), lost.Status(row.status)
	i.Shipping.WeightUnit, i.Shipping.BoxType = lost.WeightUnit(row.unit), lost.BoxType(row.box)
	i.CreatedAt, i.UpdatedAt = fromMicros(row.created), fromMicros(row.updated)
	i.MovedBy, i.MovedAt = lost.ActorKind(row.movedBy), fromMicros(row.moved)
	i.ClosedAt, i.DisownedAt = fromMicros(row.closed), fromMicros(row.disowned)
	i.OwnerState, i.Category = lost.OwnerState(row.ownerState), lost.Category(row.category)
	if i.Terms.Keeping, err = r.rules.read(row.keeping); err != nil {
		return *i, err
	}
	if err := readJSON("a recipient", row.recipient, &i.Shipping.Recipient); err != nil {
		return *i, err
	}
	if err := readJSON("a parcel", row.parcel, &i.Parcel); err != nil {
		return *i, err
	}
	if err := readCustody(row.destination, row.care, i); err != nil {
		return *i, err
	}
	if err := readJSON("a claim", row.claim, &i.Claim); err != nil {
		return *i, err
	}
	i.Claim.State, i.Claim.AnsweredAt = lost.RequestState(row.state), fromMicros(row.answered)
	if err := readJSON("metadata", row.metadata, &i.Metadata); err != nil {
		return *i, err
	}
	i.Images, err = readImages(row.images)
	return *i, err
}

// Item returns a location's item by id, or a NotFound error.
func (r reader) Item(ctx context.Context, account, location, id string) (lost.Item, error) {
	return r.item(withoutInterrupt(ctx), account, location, id, "")
}

func (r reader) item(ctx context.Context, account, location, id, lock string) (lost.Item, error) {
	text := selectItem
	if lock != "" {
		text += lock
	}
	rs, err := r.h.Query(ctx, text, account, location, id)
	return requireRow("item", rs, err, r.scanItem)
}

// selectItem is the most frequent query. Its text is long, so it is composed only once.
//
//nolint:gochecknoglobals // never changes
var selectItem = "SELECT " + itemColumns + " FROM items i" + joinLocation +
	" WHERE i.account_id = $1 AND i.location_id = $2 AND i.id = $3 AND l.deleted_at = 0"

// LockItem returns an item and locks it until the transaction ends.
func (tx *Tx) LockItem(account, location, id string) (lost.Item, error) {
	i, err := tx.item(tx.ctx, account, location, id, tx.d.lock("i"))
	if err == nil {
		tx.advanceNow(i.UpdatedAt)
	}
	return i, err
}

// ItemsByID returns a location's items in the order of the given ids, without duplicates. If location is empty, it
// returns those of all locations. It omits items that do not exist.
func (r reader) ItemsByID(ctx context.Context, account, location string, ids []string) ([]lost.Item, error) {
	items, err := r.itemsByID(ctx, account, location, ids, "")
	position := make(map[string]int, len(ids))
	for n, id := range slices.Backward(ids) {
		position[id] = n
	}
	slices.SortFunc(items, func(x, y lost.Item) int { return cmp.Compare(position[x.ID], position[y.ID]) })
	return items, err
}

// LockItems returns a location's items and locks them until the transaction ends. It locks them in
// the order of their ids, which prevents deadlocks between two transactions.
func (tx *Tx) LockItems(account, location string, ids []string) ([]lost.Item, error) {
	items, err := tx.itemsByID(tx.ctx, account, location, ids, tx.d.lock("i"))
	last := time.Time{}
	for _, i := range items {
		if i.UpdatedAt.After(last) {
			last = i.UpdatedAt
		}
	}
	if len(items) > 0 {
		tx.advanceNow(last)
	}
	return items, err
}

func (r reader) itemsByID(ctx context.Context, account, location string, ids []string,
	lock string) ([]lost.Item, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	q := &query{}
	q.where("i.account_id = " + q.arg(account))
	if location != "" {
		q.where("i.location_id = " + q.arg(location))
	}
	q.where("l.deleted_at = 0")
	whereIn(q, "i.id", ids)
	rs, err := r.h.QueryPlanned(ctx,
		"SELECT "+itemColumns+" FROM items i"+joinLocation+q.clause()+" ORDER BY i.id"+lock, q.args...)
	return collect(rs, err, r.scanItem)
}

// InsertItem adds an item to a location, and the event about that. If the reference is already used, the transaction is
// repeated with another one. It is also repeated if the location was changed or deleted since its settings, which the
// event shows, were read.
func (tx *Tx) InsertItem(i lost.Item) error {
	s, err := tx.schedule(i.Account, i.LocationID)
	if err != nil {
		return err
	}
	i.Terms = s.terms
	values := itemSQL.insertValues(&i, itemSearchText(&i), micros(tx.firstCheck(i, s)), s.version, storedUntil(&i),
		lost.SerialKey(i.SerialNumber))
	if err := tx.numberChange(i.Account); err != nil {
		return err
	}
	if err := tx.queueForItem(i.ID, itemSQL.statements(tx.d.changes).insert, values...); err != nil {
		return err
	}
	if err := tx.addChangeEvents(nil, &i); err != nil {
		return err
	}
	if i.Matchable() {
		if err := tx.addMatchJob(i.Account, i.ID, tx.now); err != nil {
			return err
		}
	}
	return tx.count(i, i.Status, 1)
}

// SaveItem saves a changed item, and the events about the change; before is the item as it was read.
func (tx *Tx) SaveItem(before, i lost.Item) error {
	values := itemSQL.updateValues(i.Account, i.ID, &i, itemSearchText(&i), lost.MayChangeTasks(before, i),
		micros(tx.now), storedUntil(&i), lost.SerialKey(i.SerialNumber))
	err := tx.numberChange(i.Account)
	if err == nil {
		err = tx.queue(itemSQL.statements(tx.d.changes).update, values...)
	}
	if err == nil && i.Category.IsIdentity() && !before.Category.IsIdentity() {
		err = tx.maskStoredNumbers(i)
	}
	if err == nil {
		err = tx.deleteHashesOfRemoved(before, i)
	}
	if err == nil {
		err = tx.addChangeEvents(&before, &i)
	}
	if err == nil && lost.NeedsMatching(before, i) {
		err = tx.addMatchJob(i.Account, i.ID, tx.now)
	}
	if err == nil {
		err = tx.deleteSuggestionsForIdentity(before, i)
	}
	if err != nil || before.Status == i.Status {
		return err
	}
	// Updating the counts in a fixed order prevents deadlocks between two transactions that change
	// statuses in opposite directions.
	first, second := countChange{before.Status, -1}, countChange{i.Status, 1}
	if second.status < first.status {
		first, second = second, first
	}
	if err := tx.count(i, first.status, first.by); err != nil {
		return err
	}
	return tx.count(i, second.status, second.by)
}

type countChange struct {
	status lost.Status
	by     int
}

// storageCheck returns the earliest time, in any time zone, when the last day of storage can end. It returns the zero
// time if there is no last day.
func storageCheck(until string) time.Time {
	const earliest = 10 * time.Hour // in the time zone UTC+14, a day ends at 10:00 UTC
	day, err := time.Parse(lost.DateLayout, until)
	if err != nil {
		return time.Time{}
	}
	return day.Add(earliest)
}

func writeRecipient(r lost.Recipient) string {
	if !r.Known() {
		return ""
	}
	return toJSON(r)
}

func writeParcel(p lost.Parcel) string {
	if p.Equal(lost.Parcel{}) {
		return ""
	}
	return toJSON(p)
}

func writeClaim(i lost.Item) string {
	if i.Source != lost.Request {
		return ""
	}
	return toJSON(i.Claim)
}

// MoreFields separates the fields that search terms cover from those that only queries cover. Folded text never
// contains it.
const MoreFields = "\x1f"

// itemSearchText returns the text that a search covers. Each line is a field: the location's token, the searchable
// fields in lost.ItemFields, the reference with and without hyphens, the appendedFields and, after MoreFields, the
// fields that only queries cover. See SearchFields.
func itemSearchText(i *lost.Item) string {
	fields := lost.ItemFields()
	texts := append(searchable(fields, i, lost.SearchByTerm, appendedFields...), i.Reference,
		strings.ReplaceAll(i.Reference, "-", ""))
	for _, name := range appendedFields {
		n := slices.IndexFunc(fields, func(f lost.ItemField) bool { return f.Name == name })
		texts = append(texts, *fields[n].Text(i))
	}
	// The dictionary of searches knows the names of categories in other languages.
	more := append(searchable(fields, i, lost.SearchByQuery), string(i.Category))
	return locationToken(i.LocationID) + "\n" + searchText(texts...) + "\n" + MoreFields + searchText(more...)
}

// count adds by to the number of a location's items that have the given status.
func (tx *Tx) count(i lost.Item, status lost.Status, by int) error {
	return tx.queueForItem(i.ID, `INSERT INTO item_counts (account_id, location_id, source, status, part, n)
		SELECT $1, $2, $3, $4, $5, $6 FROM items WHERE account_id = $1 AND id = $7
		ON CONFLICT (account_id, location_id, source, status, part) DO UPDATE SET n = item_counts.n + excluded.n`,
		i.Account, i.LocationID, string(i.Source), string(status), int64(tx.h.Number()%tx.d.countParts), by, i.ID)
}

// DeleteItem deletes an item and its history.
func (tx *Tx) DeleteItem(i lost.Item) error {
	ids := []string{i.ID}
	if err := tx.addTombstones(i.Account, ids, i); err != nil {
		return err
	}
	if err := tx.deleteMatching(i.Account, ids); err != nil {
		return err
	}
	if err := tx.count(i, i.Status, -1); err != nil {
		return err
	}
	err := tx.queue("DELETE FROM item_history WHERE account_id = $1 AND item_id = $2", i.Account, i.ID)
	if err != nil {
		return err
	}
	if err := tx.deleteGuestData(i.Account, ids); err != nil {
		return err
	}
	if err := tx.markResponsesDeleted(i.Account, ids); err != nil {
		return err
	}
	if err := tx.deleteOf("photo_bands", "item_id", i.Account, ids); err != nil {
		return err
	}
	return tx.queue("DELETE FROM items WHERE account_id = $1 AND id = $2", i.Account, i.ID)
}

// PurgeItems deletes at most limit items of a hidden location and returns them. It locks the items
// first, so that the returned items include files from concurrent uploads. The location's item
// counts are deleted later, together with the location.
func (tx *Tx) PurgeItems(account, location string, limit int) ([]lost.Item, error) {
	rs, err := tx.h.Query(tx.ctx, "SELECT "+itemColumns+" FROM items i"+joinLocation+
		" WHERE i.account_id = $1 AND i.location_id = $2 AND l.deleted_at > 0 ORDER BY i.seq LIMIT $3"+tx.d.lock("i"),
		account, location, limit)
	items, err := collect(rs, err, tx.scanItem)
	if err != nil || len(items) == 0 {
		return nil, err
	}
	ids := make([]string, len(items))
	for n, i := range items {
		ids[n] = i.ID
	}
	if err := tx.addTombstones(account, ids, items...); err != nil {
		return nil, err
	}
	if err := tx.deleteMatching(account, ids); err != nil {
		return nil, err
	}
	if err := tx.deleteGuestData(account, ids); err != nil {
		return nil, err
	}
	if err := tx.markResponsesDeleted(account, ids); err != nil {
		return nil, err
	}
	for _, table := range []string{"item_history", "photo_bands"} {
		if err := tx.deleteOf(table, "item_id", account, ids); err != nil {
			return nil, err
		}
	}
	return items, tx.deleteOf("items", "id", account, ids)
}

// deleteOf deletes an account's rows in which the column has one of the given values.
func (tx *Tx) deleteOf(table, column, account string, values []string) error {
	q := &query{}
	q.where("account_id = " + q.arg(account))
	whereIn(q, column, values)
	return tx.queue("DELETE FROM "+table+q.clause(), q.args...)
}

// PublicRequestsSince counts how many of a location's newest items are requests filed on its public
// page since the given time, and how many of these have the given e-mail address.
func (r reader) PublicRequestsSince(ctx context.Context, account, location, email string,
	since time.Time) (all, same int, err error) {
	const newest = 2000
	rs, err := r.h.Query(ctx,
		`SELECT count(*), count(*) FILTER (WHERE owner_email = $6)
		FROM (SELECT source, moved_by, created_at, owner_email FROM items
		WHERE account_id = $1 AND location_id = $2 ORDER BY seq DESC LIMIT $3) AS newest
		WHERE source = 'request' AND moved_by = $4 AND created_at > $5`,
		account, location, newest, string(lost.ByPublic), micros(since), email)
	_, _, err = firstRow(rs, err, func(rs rows) (struct{}, error) { return struct{}{}, rs.Scan(&all, &same) })
	return all, same, err
}
