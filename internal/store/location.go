package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"homeward/internal/lost"
)

// locationColumns are the columns of a location, in the order in which scanLocation reads them.
var locationColumns = strings.Join(locationSQL.names(), ", ") //nolint:gochecknoglobals // never changes

func scanLocation(rs rows) (lost.Location, error) {
	row := new(locationRow)
	l := &row.Location
	err := rs.Scan(locationSQL.appendTargets(nil, row)...)
	if err != nil {
		return *l, err
	}
	l.Type = lost.LocationType(row.kind)
	l.CreatedAt, l.UpdatedAt = fromMicros(row.created), fromMicros(row.updated)
	if row.reminders != "" {
		l.Reminders = new(lost.ReminderSchedule)
		if err := readJSON("reminders", row.reminders, l.Reminders); err != nil {
			return *l, err
		}
	}
	for _, list := range []struct {
		name, text string
		dst        any
	}{
		{"opening hours", row.hours, &l.OpeningHours}, {"closures", row.closures, &l.Closures},
		{"slots", row.slots, &l.Slots}, {"public areas", row.areas, &l.PublicAreas},
		{"keeping rules", row.keeping, &l.KeepingRules},
	} {
		if err := readJSON(list.name, list.text, list.dst); err != nil {
			return *l, err
		}
	}
	if row.shipping != "" {
		l.Shipping = new(lost.ShippingRules)
		if err := readJSON("shipping rules", row.shipping, l.Shipping); err != nil {
			return *l, err
		}
	}
	err = readJSON("metadata", row.metadata, &l.Metadata)
	return *l, err
}

// Location returns an account's location by id, or a NotFound error.
func (r reader) Location(ctx context.Context, account, id string) (lost.Location, error) {
	return r.location(ctx, account, id, "")
}

func (r reader) location(ctx context.Context, account, id, lock string) (lost.Location, error) {
	rs, err := r.h.Query(ctx,
		"SELECT "+locationColumns+" FROM locations AS l WHERE account_id = $1 AND id = $2 AND deleted_at = 0"+lock,
		account, id)
	return requireRow("location", rs, err, scanLocation)
}

const terms = "SELECT storage_place, storage_duration, time_zone, keeping_rules, updated_at, reminders " +
	"FROM locations WHERE account_id = $1 AND id = $2 AND deleted_at = 0"

// Terms returns the settings that a location's items inherit.
func (r reader) Terms(ctx context.Context, account, id string) (lost.Terms, error) {
	rs, err := r.h.Query(ctx, terms, account, id)
	s, err := requireRow("location", rs, err, r.scanSchedule)
	return s.terms, err
}

// Terms is like DB.Terms, and remembers the location's schedule for new items.
func (tx *Tx) Terms(_ context.Context, account, id string) (lost.Terms, error) {
	s, err := tx.readSchedule(account, id)
	return s.terms, err
}

// InheritedTerms returns the settings that an item which this transaction has inserted inherits.
func (tx *Tx) InheritedTerms(account, location string) (lost.Terms, error) {
	s, err := tx.schedule(account, location)
	return s.terms, err
}

// LockLocation returns a location and locks it until the transaction ends.
func (tx *Tx) LockLocation(account, id string) (lost.Location, error) {
	l, err := tx.location(tx.ctx, account, id, tx.d.lock("l"))
	if err == nil {
		tx.advanceNow(l.UpdatedAt)
	}
	return l, err
}

// Locations lists an account's locations by name. If only is not nil, it contains the ids of the
// locations to list.
func (r reader) Locations(ctx context.Context, account string, only []string,
	f lost.LocationFilter) (lost.List[lost.Location], error) {
	list := lost.List[lost.Location]{Page: f.Page, Data: []lost.Location{}}
	if only != nil && len(only) == 0 {
		return list, nil
	}
	q := &query{}
	q.where("account_id = " + q.arg(account))
	q.where("deleted_at = 0")
	if only != nil {
		whereIn(q, "id", only)
	}
	words := Words(f.Term)
	if len(words) == 0 && strings.TrimSpace(f.Term) != "" { // only invisible characters, which no text contains
		return list, nil
	}
	for _, w := range words {
		q.whereContains("search", w)
	}
	if f.ExternalID != "" {
		q.whereExternalID("external_id", f.ExternalID)
	}
	matching, countArgs := q.clause(), q.args
	rs, err := r.h.QueryPlanned(ctx, "SELECT "+locationColumns+" FROM locations"+matching+
		" ORDER BY name_key, id"+q.page(f.Page), q.args...)
	if list.Data, err = collect(rs, err, scanLocation); err != nil {
		return list, err
	}
	list.Total, err = r.countTotal(ctx, f.Page, len(list.Data), "SELECT 1 FROM locations"+matching, countArgs...)
	return list, err
}

// PermalinkFree reports whether an account can use a permalink. The permalink of a deleted location stays reserved for
// its account, because it may be printed somewhere.
func (tx *Tx) PermalinkFree(account, permalink string) (bool, error) {
	e, found, err := tx.Lookup(tx.ctx, PermalinkEntry, DirectoryHash(permalink))
	if err != nil || !found {
		return !found, err
	}
	return tx.reservedPermalink(account, e)
}

// reservedPermalink reports whether the entry of a permalink belongs to a deleted location of the account.
func (tx *Tx) reservedPermalink(account string, e DirectoryEntry) (bool, error) {
	if e.Account != account {
		return false, nil
	}
	_, err := tx.Location(tx.ctx, account, e.Subject)
	return lost.CodeOf(err) == lost.NotFound, lost.IgnoreNotFound(err)
}

// InsertLocation adds a location and the directory entry for its permalink. The permalink must be free.
func (tx *Tx) InsertLocation(l lost.Location) error {
	if err := tx.claimPermalink(l); err != nil {
		return err
	}
	return tx.queue(locationSQL.insert, locationSQL.insertValues(&l, Fold(l.Name), locationSearch(&l))...)
}

// claimPermalink adds the directory entry for a location's permalink. It replaces the entry of a deleted location.
func (tx *Tx) claimPermalink(l lost.Location) error {
	hash := DirectoryHash(l.Permalink)
	e, found, err := tx.Lookup(tx.ctx, PermalinkEntry, hash)
	if err != nil {
		return err
	}
	if found {
		reserved, err := tx.reservedPermalink(l.Account, e)
		if err != nil {
			return err
		}
		if reserved {
			if err := tx.RemoveEntry(PermalinkEntry, e); err != nil {
				return err
			}
		}
	}
	return tx.AddEntry(PermalinkEntry, hash, DirectoryEntry{Account: l.Account, Subject: l.ID})
}

// SaveLocation saves a changed location.
func (tx *Tx) SaveLocation(l lost.Location) error {
	tx.notePageChange(l.Account, l.ID, "", "")
	return tx.queue(locationSQL.update,
		locationSQL.updateValues(l.Account, l.ID, &l, Fold(l.Name), locationSearch(&l))...)
}

// writeMetadata encodes metadata as JSON. It encodes none as an empty string.
func writeMetadata(m lost.Metadata) string {
	if len(m) == 0 {
		return ""
	}
	return toJSON(m)
}

// whereExternalID adds the condition that a column has an external id. Only with the second comparison can both
// databases use the index, which contains no empty ids.
func (q *query) whereExternalID(column, id string) {
	q.where(column + " = " + q.arg(id) + " AND " + column + " <> ''")
}

func locationSearch(l *lost.Location) string {
	return searchText(searchable(lost.LocationFields(), l, lost.SearchByTerm)...)
}

// HideLocation makes a location and its content inaccessible immediately. PurgeItems and PurgeLocation delete the rows
// later, in batches. The directory entry of the permalink stays, so that no other account can use the permalink.
func (tx *Tx) HideLocation(l lost.Location) error {
	tx.notePageChange(l.Account, "", "", "")
	return tx.queue("UPDATE locations SET deleted_at = $3 WHERE account_id = $1 AND id = $2", l.Account, l.ID,
		micros(tx.now))
}

// PurgeLocation deletes a hidden location that has no items left.
func (tx *Tx) PurgeLocation(account, id string) error {
	for _, statement := range []string{
		"DELETE FROM item_counts WHERE account_id = $1 AND location_id = $2",
		"DELETE FROM payments WHERE account_id = $1 AND location_id = $2",
		"DELETE FROM messages WHERE account_id = $1 AND item_id = '' AND location_id = $2",
		"DELETE FROM clearances WHERE account_id = $1 AND location_id = $2",
		"DELETE FROM pms_connections WHERE account_id = $1 AND location_id = $2",
		"DELETE FROM photo_assistants WHERE account_id = $1 AND location_id = $2",
		"UPDATE guest_lists SET expires_at = 0 WHERE account_id = $1 AND location_id = $2",
		"DELETE FROM locations WHERE account_id = $1 AND id = $2 AND deleted_at > 0",
	} {
		if err := tx.queue(statement, account, id); err != nil {
			return err
		}
	}
	return nil
}

// plannedPickups selects the items of a location with a planned pick-up. The index items_planned has the same
// condition.
const plannedPickups = " i.account_id = $1 AND i.location_id = $2 AND i.status = 'PICKUP' AND i.pickup_planned " +
	"AND i.closed_at = 0 AND i.pickup_date >= $3 AND i.pickup_date <= $4"

// Bookings counts the planned pick-ups of a location on some days, except that of one item, which may be empty.
func (r reader) Bookings(ctx context.Context, account, location, from, to, except string) (lost.Bookings, error) {
	rs, err := r.h.Query(ctx, "SELECT i.pickup_date, i.pickup_time, count(*) FROM items i WHERE"+plannedPickups+
		" AND i.id <> $5 GROUP BY i.pickup_date, i.pickup_time", account, location, from, to, except)
	booked := lost.Bookings{}
	_, err = collect(rs, err, func(rs rows) (n int, err error) {
		var day, at string
		err = rs.Scan(&day, &at, &n)
		booked[day+" "+at] = n
		return n, err
	})
	return booked, err
}

// PlannedPickups lists the items of a location that will be picked up on some days, by day and time, up to a limit.
func (r reader) PlannedPickups(ctx context.Context, account, location, from, to string,
	limit int) ([]lost.Item, error) {
	return r.plannedPickups(ctx, &query{args: []any{account, location, from, to}}, limit)
}

// PickupsAt lists the planned pick-ups of a location at some times, which are keys of Bookings, up to a limit.
func (r reader) PickupsAt(ctx context.Context, account, location string, times []string,
	limit int) ([]lost.Item, error) {
	if len(times) == 0 {
		return nil, nil
	}
	day := func(at string) string { return at[:len(lost.DateLayout)] }
	q := &query{args: []any{account, location, day(slices.Min(times)), day(slices.Max(times))}}
	whereIn(q, "i.pickup_date || ' ' || i.pickup_time", times)
	return r.plannedPickups(ctx, q, limit)
}

func (r reader) plannedPickups(ctx context.Context, q *query, limit int) ([]lost.Item, error) {
	q.where(plannedPickups)
	rs, err := r.h.Query(ctx, "SELECT "+itemColumns+" FROM items i"+joinLocation+q.clause()+
		" ORDER BY i.pickup_date, i.pickup_time, i.id"+limitClause(limit), q.args...)
	return collect(rs, err, r.scanItem)
}

// selectLocations limits a query to the locations of an account or, if only is not nil, to those with these ids.
func selectLocations(account string, only []string) *query {
	q := &query{}
	q.where("account_id = " + q.arg(account))
	q.where("deleted_at = 0")
	if only != nil {
		whereIn(q, "id", only)
	}
	return q
}

// LocationCurrencies lists the currencies of an account's locations. If only is not nil, it lists just the locations
// with these ids.
func (r reader) LocationCurrencies(ctx context.Context, account string, only []string,
	limit int) ([]lost.LocationCurrency, error) {
	if only != nil && len(only) == 0 {
		return nil, nil
	}
	q := selectLocations(account, only)
	rs, err := r.h.QueryPlanned(ctx, "SELECT id, country, shipping FROM locations"+q.clause()+limitClause(limit),
		q.args...)
	return collect(rs, err, func(rs rows) (lost.LocationCurrency, error) {
		var l lost.Location
		var shipping string
		err := rs.Scan(&l.ID, &l.Country, &shipping)
		if err == nil && shipping != "" {
			l.Shipping = new(lost.ShippingRules)
			err = readJSON("shipping rules", shipping, l.Shipping)
		}
		return lost.LocationCurrency{ID: l.ID, Currency: l.Currency()}, err
	})
}

// LocationNames lists the names and time zones of an account's locations, sorted by name. If only is
// not nil, it lists just the locations with these ids.
func (r reader) LocationNames(ctx context.Context, account string, only []string,
	limit int) ([]lost.LocationName, error) {
	if only != nil && len(only) == 0 {
		return nil, nil
	}
	q := selectLocations(account, only)
	rs, err := r.h.QueryPlanned(ctx, "SELECT id, name, time_zone, storage_place FROM locations"+q.clause()+
		fmt.Sprintf(" ORDER BY name_key, id LIMIT %d", limit), q.args...)
	return collect(rs, err, func(rs rows) (p lost.LocationName, err error) {
		err = rs.Scan(&p.ID, &p.Name, &p.TimeZone, &p.StoragePlace)
		return p, err
	})
}
