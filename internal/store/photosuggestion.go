package store

import (
	"context"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/photo"
)

// PhotoAssistant returns the switch of the photo assistant at a location, or a NotFound error if it is off.
func (r reader) PhotoAssistant(ctx context.Context, account, location string) (photo.Setting, error) {
	rs, err := r.h.Query(ctx, "SELECT host, enabled_at, enabled_by FROM photo_assistants WHERE account_id = $1 AND "+
		"location_id = $2", account, location)
	return requireRow("photo assistant", rs, err, func(rs rows) (s photo.Setting, err error) {
		var at int64
		err = rs.Scan(&s.Host, &at, &s.EnabledBy)
		s.Account, s.LocationID, s.EnabledAt = account, location, fromMicros(at)
		return s, err
	})
}

// SavePhotoAssistant switches the photo assistant on at a location.
func (tx *Tx) SavePhotoAssistant(s photo.Setting) error {
	return tx.queue("INSERT INTO photo_assistants (account_id, location_id, host, enabled_at, enabled_by) VALUES "+
		"($1, $2, $3, $4, $5) ON CONFLICT (account_id, location_id) DO UPDATE SET host = excluded.host, "+
		"enabled_at = excluded.enabled_at, enabled_by = excluded.enabled_by",
		s.Account, s.LocationID, s.Host, micros(s.EnabledAt), s.EnabledBy)
}

// DeletePhotoAssistant switches the photo assistant off at a location.
func (tx *Tx) DeletePhotoAssistant(account, location string) error {
	return tx.queue("DELETE FROM photo_assistants WHERE account_id = $1 AND location_id = $2", account, location)
}

// CountPhotoRequest counts a photo that an account sends on a day, unless the account has sent as many as the limit. It
// reports whether the photo may be sent.
func (tx *Tx) CountPhotoRequest(account, day string, limit int) (bool, error) {
	if limit <= 0 {
		return false, nil
	}
	n, err := tx.exec("INSERT INTO photo_requests (account_id, day, n) VALUES ($1, $2, 1) ON CONFLICT "+
		"(account_id, day) DO UPDATE SET n = photo_requests.n + 1 WHERE photo_requests.n < $3", account, day, limit)
	return n > 0, err
}

// PhotoRequests returns how many photos an account has sent on a day.
func (r reader) PhotoRequests(ctx context.Context, account, day string) (int, error) {
	rs, err := r.h.Query(ctx, "SELECT n FROM photo_requests WHERE account_id = $1 AND day = $2", account, day)
	n, _, err := firstValue[int](rs, err)
	return n, err
}

// PrunePhotoRequests deletes at most limit counts of days before the given time, and returns the number deleted. It
// works across all accounts; only cleanup uses it.
func (tx *Tx) PrunePhotoRequests(before time.Time, limit int) (int64, error) {
	return tx.deleteOld("DELETE FROM photo_requests WHERE (account_id, day) IN (SELECT account_id, day FROM "+
		"photo_requests WHERE day < $1 LIMIT $2)", before.UTC().Format(lost.DateLayout), limit)
}

// SavePhotoSuggestion saves what the photo assistant suggests because of a photo, in place of an earlier suggestion.
func (tx *Tx) SavePhotoSuggestion(s photo.Suggestion) error {
	tx.notePageChange(s.Account, s.LocationID, s.ItemID, "")
	return tx.queue("INSERT INTO photo_suggestions (account_id, item_id, image_id, location_id, model, content, "+
		"created_at) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (account_id, item_id, image_id) DO UPDATE SET "+
		"model = excluded.model, content = excluded.content, created_at = excluded.created_at",
		s.Account, s.ItemID, s.ImageID, s.LocationID, s.Assistant, toJSON(storedSuggestion(s.Facts)), micros(s.At))
}

// storedSuggestion is the JSON form of photo.Facts.
type storedSuggestion struct {
	Category    lost.Category `json:"category,omitempty"`
	Colors      []photo.Color `json:"colors,omitempty"`
	Brand       string        `json:"brand,omitempty"`
	Model       string        `json:"model,omitempty"`
	Text        string        `json:"text,omitempty"`
	Description string        `json:"description,omitempty"`
}

// PhotoSuggestions lists what the photo assistant suggests for an item, the newest first.
func (r reader) PhotoSuggestions(ctx context.Context, account, item string) ([]photo.Suggestion, error) {
	rs, err := r.h.Query(ctx, "SELECT location_id, image_id, model, content, created_at FROM photo_suggestions WHERE "+
		"account_id = $1 AND item_id = $2 ORDER BY created_at DESC, image_id"+limitClause(lost.MaxImages),
		account, item)
	return collect(rs, err, func(rs rows) (s photo.Suggestion, err error) {
		var content string
		var at int64
		if err = rs.Scan(&s.LocationID, &s.ImageID, &s.Assistant, &content, &at); err != nil {
			return s, err
		}
		s.Account, s.ItemID, s.At = account, item, fromMicros(at)
		var facts storedSuggestion
		err = readJSON("a suggestion", content, &facts)
		s.Facts = photo.Facts(facts)
		return s, err
	})
}

// becomesIdentity reports whether a change to an item says that it is, or contains, an identity paper.
func becomesIdentity(before, i lost.Item) bool {
	same := i.Category == before.Category && i.Description == before.Description && i.Brand == before.Brand &&
		i.Model == before.Model && i.Notes == before.Notes
	return !same && !photo.Allowed(i)
}

// DeletePhotoSuggestions deletes what the photo assistant suggests for an item because of the given photos, or because
// of all photos if none is given.
func (tx *Tx) DeletePhotoSuggestions(i lost.Item, images ...string) error {
	tx.notePageChange(i.Account, i.LocationID, i.ID, "")
	q := &query{}
	q.where("account_id = " + q.arg(i.Account))
	q.where("item_id = " + q.arg(i.ID))
	if len(images) > 0 {
		whereIn(q, "image_id", images)
	}
	return tx.queue("DELETE FROM photo_suggestions"+q.clause(), q.args...)
}

// PruneSuggestionsOf deletes at most limit suggestions for items of a location, and returns the number deleted.
func (tx *Tx) PruneSuggestionsOf(account, location string, limit int) (int64, error) {
	return tx.exec("DELETE FROM photo_suggestions WHERE account_id = $1 AND (item_id, image_id) IN (SELECT item_id, "+
		"image_id FROM photo_suggestions WHERE account_id = $1 AND location_id = $2 LIMIT $3)", account, location,
		limit)
}
