package store

import (
	"cmp"
	"context"
	"strings"

	"homeward/internal/lost"
)

const locationColumns = `account_id, id, permalink, name, website, logo_url, logo_file, description, type,
	storage_duration, storage_place, address1, address2, city, state, zip_code, country,
	contact_name, contact_email, contact_email2, contact_phone, pickup_from, pickup_to, time_zone, charity, language, reminders, shipping, sisters, created_at, updated_at`

func scanLocation(rs rows) (l lost.Location, err error) {
	var kind, reminders, shipping string
	var created, updated int64
	err = rs.Scan(&l.Account, &l.ID, &l.Permalink, &l.Name, &l.Website, &l.LogoURL, &l.LogoFile, &l.Description, &kind,
		&l.StorageDuration, &l.StoragePlace, &l.Address1, &l.Address2, &l.City, &l.State, &l.ZipCode, &l.Country,
		&l.Contact.Name, &l.Contact.Email, &l.Contact.Email2, &l.Contact.Phone, &l.Pickup.From, &l.Pickup.To,
		&l.TimeZone, &l.Charity, &l.Language, &reminders, &shipping, &l.Matching.Sisters, &created, &updated)
	l.Type, l.CreatedAt, l.UpdatedAt = lost.LocationType(kind), fromMicros(created), fromMicros(updated)
	if err == nil && reminders != "" {
		l.Reminders = new(lost.ReminderSchedule)
		err = readJSON("reminders", reminders, l.Reminders)
	}
	if err == nil && shipping != "" {
		l.Shipping = new(lost.ShippingRules)
		err = readJSON("rules of shipping", shipping, l.Shipping)
	}
	return l, err
}

// Location gives a location of an account.
func (r reader) Location(ctx context.Context, account, id string) (lost.Location, error) {
	return r.location(ctx, account, id, "")
}

func (r reader) location(ctx context.Context, account, id, lock string) (lost.Location, error) {
	rs, err := r.h.Query(ctx, "SELECT "+locationColumns+" FROM locations AS l WHERE account_id = $1 AND id = $2 AND deleted_at = 0"+lock, account, id)
	return record("location", rs, err, scanLocation)
}

const terms = "SELECT storage_place, storage_duration, time_zone FROM locations WHERE account_id = $1 AND id = $2 AND deleted_at = 0"

// Terms gives what a location's items take over from it.
func (r reader) Terms(ctx context.Context, account, id string) (lost.Terms, error) {
	rs, err := r.h.Query(ctx, terms, account, id)
	return record("location", rs, err, scanTerms)
}

// TermsByCommit fills in what a location's items take over from it, by the time the transaction is committed. Where
// there is no such location, Write answers that; what was written may stay, and so InsertItem, AddHistory and the
// counts write nothing then.
func (tx *Tx) TermsByCommit(account, id string, dst *lost.Terms) error {
	return tx.h.Ask(tx.ctx, func(rs rows) (err error) {
		*dst, err = record("location", rs, nil, scanTerms)
		return err
	}, terms, account, id)
}

func scanTerms(rs rows) (t lost.Terms, err error) {
	err = rs.Scan(&t.StoragePlace, &t.StorageDuration, &t.TimeZone)
	return t, err
}

// LockLocation gives a location that is about to be changed.
func (tx *Tx) LockLocation(account, id string) (lost.Location, error) {
	l, err := tx.location(tx.ctx, account, id, tx.d.lock("l"))
	if err == nil {
		tx.follow(l.UpdatedAt)
	}
	return l, err
}

// Locations lists an account's locations by name. With only set, it is limited to those.
func (r reader) Locations(ctx context.Context, account string, only []string, f lost.LocationFilter) (lost.List[lost.Location], error) {
	list := lost.List[lost.Location]{Page: f.Page, Data: []lost.Location{}}
	if only != nil && len(only) == 0 {
		return list, nil
	}
	q := &query{}
	q.where("account_id = " + q.arg(account))
	q.where("deleted_at = 0")
	if only != nil {
		in(q, "id", only)
	}
	words := Words(f.Term)
	if len(words) == 0 && strings.TrimSpace(f.Term) != "" { // all of it invisible: no text contains that
		return list, nil
	}
	for _, w := range words {
		q.contains("search", w)
	}
	matching, counted := q.clause(), q.args
	rs, err := r.h.QueryPlanned(ctx, "SELECT "+locationColumns+" FROM locations"+matching+
		" ORDER BY name_key, id"+q.page(f.Page), q.args...)
	if list.Data, err = collect(rs, err, scanLocation); err != nil {
		return list, err
	}
	list.Total, err = r.total(ctx, f.Page, len(list.Data), "SELECT 1 FROM locations"+matching, counted...)
	return list, err
}

// InsertLocation adds a location and the directory entry of its permalink.
func (tx *Tx) InsertLocation(l lost.Location) error {
	err := tx.later("INSERT INTO locations ("+locationColumns+`, name_key, search)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33)`,
		append([]any{l.Account, l.ID, l.Permalink}, append(locationValues(l), micros(l.CreatedAt), micros(l.UpdatedAt), Fold(l.Name), locationSearch(l))...)...)
	if err != nil {
		return err
	}
	return tx.AddEntry(PermalinkEntry, DirectoryHash(l.Permalink), Entry{Account: l.Account, Subject: l.ID})
}

// SaveLocation keeps what may change of a location.
func (tx *Tx) SaveLocation(l lost.Location) error {
	return tx.later(`UPDATE locations SET name = $3, website = $4, logo_url = $5, logo_file = $6, description = $7, type = $8,
		storage_duration = $9, storage_place = $10, address1 = $11, address2 = $12, city = $13, state = $14, zip_code = $15, country = $16,
		contact_name = $17, contact_email = $18, contact_email2 = $19, contact_phone = $20, pickup_from = $21, pickup_to = $22,
		time_zone = $23, charity = $24, language = $25, reminders = $26, shipping = $27, sisters = $28, updated_at = $29, name_key = $30, search = $31 WHERE account_id = $1 AND id = $2`,
		append([]any{l.Account, l.ID}, append(locationValues(l), micros(l.UpdatedAt), Fold(l.Name), locationSearch(l))...)...)
}

// locationValues are the columns from name to sisters.
func locationValues(l lost.Location) []any {
	return []any{l.Name, l.Website, l.LogoURL, l.LogoFile, l.Description, string(l.Type),
		l.StorageDuration, l.StoragePlace, l.Address1, l.Address2, l.City, l.State, l.ZipCode, l.Country,
		l.Contact.Name, l.Contact.Email, l.Contact.Email2, l.Contact.Phone, l.Pickup.From, l.Pickup.To, l.TimeZone, l.Charity, l.Language,
		writePointee(l.Reminders), writePointee(l.Shipping), l.Matching.Sisters}
}

// writePointee writes what may not be there.
func writePointee[T any](v *T) string {
	if v == nil {
		return ""
	}
	return written(v)
}

func locationSearch(l lost.Location) string {
	return searchText(l.Name, l.Description, l.Contact.Email, l.Contact.Email2, l.Contact.Name)
}

// HideLocation makes a location and everything in it unreachable at once, and frees its
// permalink. The rows are left to PurgeItems and PurgeLocation, in pieces.
func (tx *Tx) HideLocation(l lost.Location) error {
	if err := tx.later("UPDATE locations SET deleted_at = $3 WHERE account_id = $1 AND id = $2", l.Account, l.ID, micros(tx.now)); err != nil {
		return err
	}
	return tx.RemoveEntry(PermalinkEntry, Entry{Account: l.Account, Subject: l.ID})
}

// PurgeLocation removes a hidden location that has no items left.
func (tx *Tx) PurgeLocation(account, id string) error {
	if err := cmp.Or(
		tx.later("DELETE FROM item_counts WHERE account_id = $1 AND location_id = $2", account, id),
		tx.later("DELETE FROM messages WHERE account_id = $1 AND item_id = '' AND location_id = $2", account, id),
		tx.later("DELETE FROM clearances WHERE account_id = $1 AND location_id = $2", account, id),
	); err != nil {
		return err
	}
	return tx.later("DELETE FROM locations WHERE account_id = $1 AND id = $2 AND deleted_at > 0", account, id)
}
