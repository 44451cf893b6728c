package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/photo"
)

// storedImage is the JSON form of an image.
type storedImage struct {
	File   string `json:"file"`
	Thumb  string `json:"thumb"`
	Type   string `json:"type"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Size   int64  `json:"size"`
	At     int64  `json:"at"`

	Facts *storedFacts `json:"facts,omitempty"`
}

// storedFacts is the JSON form of what an image shows. The hash is a text, because not every JSON parser keeps all bits
// of a number.
type storedFacts struct {
	Colors []lost.Color `json:"colors,omitempty"`
	Codes  []storedCode `json:"codes,omitempty"`
	Hash   string       `json:"hash,omitempty"`
}

type storedCode struct {
	Format lost.CodeFormat `json:"format"`
	Text   string          `json:"text"`
}

func writeImages(images []lost.Image) string {
	if len(images) == 0 {
		return ""
	}
	stored := make([]storedImage, len(images))
	for i, img := range images {
		stored[i] = storedImage{
			File: img.File, Thumb: img.Thumbnail, Type: img.ContentType, Width: img.Width, Height: img.Height,
			Size: img.Size, At: micros(img.At), Facts: writeFacts(img.Facts),
		}
	}
	return toJSON(stored)
}

func readImages(text string) ([]lost.Image, error) {
	var stored []storedImage
	if err := readJSON("images", text, &stored); err != nil || len(stored) == 0 {
		return nil, err
	}
	images := make([]lost.Image, len(stored))
	for i, s := range stored {
		images[i] = lost.Image{
			File: s.File, Thumbnail: s.Thumb, ContentType: s.Type, Width: s.Width, Height: s.Height, Size: s.Size,
			At: fromMicros(s.At),
		}
		var err error
		if images[i].Facts, err = s.Facts.read(); err != nil {
			return nil, err
		}
	}
	return images, nil
}

func writeFacts(f *lost.PhotoFacts) *storedFacts {
	if f == nil {
		return nil
	}
	stored := &storedFacts{Colors: f.Colors}
	for _, c := range f.Codes {
		stored.Codes = append(stored.Codes, storedCode(c))
	}
	if f.Hash != 0 {
		stored.Hash = strconv.FormatUint(uint64(f.Hash), hashBase)
	}
	return stored
}

// hashBase is the base in which hashes are stored.
const hashBase = 16

func (s *storedFacts) read() (*lost.PhotoFacts, error) {
	if s == nil {
		return nil, nil //nolint:nilnil // the image has no facts yet
	}
	f := &lost.PhotoFacts{Colors: s.Colors}
	for _, c := range s.Codes {
		f.Codes = append(f.Codes, lost.PhotoCode(c))
	}
	if s.Hash != "" {
		hash, err := strconv.ParseUint(s.Hash, hashBase, 64)
		if err != nil {
			return nil, fmt.Errorf("read the hash of a photo: %w", err)
		}
		f.Hash = lost.PhotoHash(hash)
	}
	return f, nil
}

// SavePhotoFacts saves what an image of an item shows. Programs that follow changes see it, but it has no event, and
// the item was not changed by anybody.
func (tx *Tx) SavePhotoFacts(i lost.Item, image lost.Image) error {
	if err := tx.numberChange(i.Account); err != nil {
		return err
	}
	if err := tx.queue("UPDATE items SET images = $3, change = "+tx.d.changes.number+
		" WHERE account_id = $1 AND id = $2", i.Account, i.ID, writeImages(i.Images)); err != nil {
		return err
	}
	tx.notePageChange(i.Account, i.LocationID, i.ID, "")
	hash := image.Facts.Hash
	if hash == 0 {
		return nil
	}
	b := hash.Bands()
	return tx.queue(`INSERT INTO photo_bands (account_id, item_id, image_id, hash, band_0, band_1, band_2, band_3)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (account_id, item_id, image_id) DO UPDATE SET
		hash = excluded.hash, band_0 = excluded.band_0, band_1 = excluded.band_1, band_2 = excluded.band_2,
		band_3 = excluded.band_3`,
		i.Account, i.ID, image.ID(), int64(hash), b[0], b[1], b[2], b[3])
}

// deleteHashesOfRemoved deletes the hashes of images that an item had before.
func (tx *Tx) deleteHashesOfRemoved(before, i lost.Item) error {
	if len(before.Images) == 0 {
		return nil
	}
	kept := make(map[string]bool, len(i.Images))
	for _, img := range i.Images {
		kept[img.File] = true
	}
	var removed []string
	for _, img := range before.Images {
		if !kept[img.File] && img.Facts != nil && img.Facts.Hash != 0 {
			removed = append(removed, img.ID())
		}
	}
	if len(removed) == 0 {
		return nil
	}
	q := &query{}
	q.where("account_id = " + q.arg(i.Account))
	q.where("item_id = " + q.arg(i.ID))
	whereIn(q, "image_id", removed)
	return tx.queue("DELETE FROM photo_bands"+q.clause(), q.args...)
}

// PhotoOfItem is an image of an item.
type PhotoOfItem struct{ Item, Image string }

const (
	// maxSearchedHashes is the maximum number of hashes that one search looks for.
	maxSearchedHashes = 8
	// maxPerBand is the maximum number of images that a search reads for each part of a hash, the newest items first.
	maxPerBand = 50
)

// PhotoCopies returns the images of an account whose hashes tell that they are copies of images with the given hashes,
// without those of the item except. It looks for the first few hashes.
func (r reader) PhotoCopies(ctx context.Context, account, except string,
	hashes []lost.PhotoHash) (copies []PhotoOfItem, err error) {
	hashes = slices.DeleteFunc(slices.Clone(hashes), func(h lost.PhotoHash) bool { return h == 0 })
	hashes = hashes[:min(len(hashes), maxSearchedHashes)]
	if len(hashes) == 0 {
		return nil, nil
	}
	q := &query{args: []any{account, except}}
	var searches []string
	for _, h := range hashes {
		for n, band := range h.Bands() {
			column := "band_" + strconv.Itoa(n)
			searches = append(searches, "SELECT * FROM (SELECT item_id, image_id, hash FROM photo_bands "+
				"WHERE account_id = $1 AND "+column+" = "+q.arg(band)+" AND item_id <> $2 ORDER BY item_id DESC"+
				limitClause(maxPerBand)+") AS s"+strconv.Itoa(len(searches)))
		}
	}
	rs, err := r.h.QueryPlanned(ctx, strings.Join(searches, " UNION ALL "), q.args...)
	seen := map[PhotoOfItem]bool{}
	_, err = collect(rs, err, func(rs rows) (struct{}, error) {
		var p PhotoOfItem
		var stored int64
		err := rs.Scan(&p.Item, &p.Image, &stored)
		found := lost.PhotoHash(stored)
		if err == nil && !seen[p] && slices.ContainsFunc(hashes, found.IsCopy) {
			seen[p] = true
			copies = append(copies, p)
		}
		return struct{}{}, err
	})
	return copies, err
}

// PhotoAssistant returns the switch of the photo assistant at a location, or a NotFound error if it is off.
func (r reader) PhotoAssistant(ctx context.Context, account, location string) (photo.Setting, error) {
	return r.photoAssistant(ctx, account, location, "")
}

// LockPhotoAssistant is like PhotoAssistant, and locks the switch until the transaction ends.
func (tx *Tx) LockPhotoAssistant(account, location string) (photo.Setting, error) {
	return tx.photoAssistant(tx.ctx, account, location, tx.d.lock("a"))
}

func (r reader) photoAssistant(ctx context.Context, account, location, lock string) (photo.Setting, error) {
	rs, err := r.h.Query(ctx, "SELECT host, enabled_at, enabled_by FROM photo_assistants AS a WHERE account_id = $1 "+
		"AND location_id = $2"+lock, account, location)
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

// deleteSuggestionsForIdentity deletes what the photo assistant suggests for an item if a change says that it is, or
// contains, an identity paper. Few items have suggestions, so that few changes are read for it.
func (tx *Tx) deleteSuggestionsForIdentity(before, i lost.Item) error {
	if len(i.Images) == 0 || !photo.MayForbid(before, i) {
		return nil
	}
	rs, err := tx.h.Query(tx.ctx, "SELECT 1 FROM photo_suggestions WHERE account_id = $1 AND item_id = $2"+
		limitClause(1), i.Account, i.ID)
	_, found, err := firstValue[int](rs, err)
	if err != nil || !found || photo.Allowed(i) {
		return err
	}
	return tx.DeletePhotoSuggestions(i)
}

// DeletePhotoSuggestions deletes what the photo assistant suggests for an item because of the given photos, or because
// of all photos if none is given, and the vector of a description. An item in the matching index is matched again.
func (tx *Tx) DeletePhotoSuggestions(i lost.Item, images ...string) error {
	tx.notePageChange(i.Account, i.LocationID, i.ID, "")
	q := &query{}
	q.where("account_id = " + q.arg(i.Account))
	q.where("item_id = " + q.arg(i.ID))
	if len(images) > 0 {
		whereIn(q, "image_id", images)
	}
	deleted, err := tx.exec("DELETE FROM photo_suggestions"+q.clause(), q.args...)
	if err != nil || deleted == 0 {
		return err
	}
	return tx.deletePhotoEmbeddings(i.Account, []lost.Item{i})
}

// deletePhotoEmbeddings deletes the vectors of the descriptions of photos of items. Matching the items again adds those
// of descriptions that remain.
func (tx *Tx) deletePhotoEmbeddings(account string, items []lost.Item) error {
	var ids, matched []string
	for _, i := range items {
		ids = append(ids, i.ID)
		if i.Matchable() {
			matched = append(matched, i.ID)
		}
	}
	q := &query{}
	q.where("account_id = " + q.arg(account))
	whereIn(q, "item_id", padList(ids, listMultiple))
	q.where("part = " + q.arg(PhotoEmbedding))
	if err := tx.queue("DELETE FROM embeddings"+q.clause(), q.args...); err != nil {
		return err
	}
	return tx.AddMatchJobs(account, matched, tx.now)
}

// PruneSuggestionsOf deletes the suggestions for at most limit items of a location as DeletePhotoSuggestions does, and
// returns the number of items.
func (tx *Tx) PruneSuggestionsOf(account, location string, limit int) (int64, error) {
	rs, err := tx.h.Query(tx.ctx, "SELECT DISTINCT item_id FROM photo_suggestions WHERE account_id = $1 AND "+
		"location_id = $2 ORDER BY item_id LIMIT $3", account, location, limit)
	ids, err := collect(rs, err, scanText)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	items, err := tx.ItemsByID(tx.ctx, account, "", ids)
	if err != nil {
		return 0, err
	}
	if len(items) > 0 {
		if err := tx.deletePhotoEmbeddings(account, items); err != nil {
			return 0, err
		}
	}
	q := &query{}
	q.where("account_id = " + q.arg(account))
	whereIn(q, "item_id", padList(ids, listMultiple))
	q.where("location_id = " + q.arg(location))
	return int64(len(ids)), tx.queue("DELETE FROM photo_suggestions"+q.clause(), q.args...)
}
