package desk

import (
	"context"
	"slices"
	"time"

	"homeward/internal/access"
	"homeward/internal/change"
	"homeward/internal/lost"
	"homeward/internal/store"
	v1 "homeward/internal/v1"
)

// Storage manages the storage places of a location, and items whose storage time has expired.
type Storage struct {
	db     *store.DB
	wire   v1.Encoder
	now    func() time.Time
	reader *access.Reader
	change *change.Items
	forms  Forms
	wake   func()
}

// StorageOptions are the dependencies of Storage.
type StorageOptions struct {
	DB     *store.DB
	Wire   v1.Encoder
	Now    func() time.Time
	Reader *access.Reader
	Change *change.Items
	Forms  Forms
	Wake   func()
}

// NewStorage creates Storage.
func NewStorage(o StorageOptions) *Storage {
	return &Storage{
		db: o.DB, wire: o.Wire, now: o.Now, reader: o.Reader, change: o.Change, forms: o.Forms, wake: o.Wake,
	}
}

// Places lists a location's usual storage place and all places that have items, by name, starting with the place
// named from. Items without a place belong to the usual place or, if there is none, to a place with an empty name.
// next is the value of from for the next page, or empty on the last page.
func (b *Storage) Places(ctx context.Context, a lost.Actor, location, from string,
	limit int) (places []lost.StoragePlace, next string, err error) {
	if err := access.MayView(a, location, "location"); err != nil {
		return nil, "", err
	}
	terms, err := b.db.Terms(ctx, a.Account, location)
	if err != nil {
		return nil, "", err
	}
	places, err = b.db.Places(ctx, a.Account, location, from, limit+1)
	if err != nil {
		return nil, "", err
	}
	if len(places) > limit {
		places, next = places[:limit], places[limit].Name
	}
	usual := terms.StoragePlace
	if from == "" {
		places, err = b.withUsual(ctx, a.Account, location, usual, places)
		return places, next, err
	}
	// The first page starts with the usual place, so later pages omit it.
	return slices.DeleteFunc(places, func(p lost.StoragePlace) bool { return usual != "" && p.Name == usual }), next,
		nil
}

// withUsual moves the usual place of a location to the start of a list. Its count includes the items without a place.
func (b *Storage) withUsual(ctx context.Context, account, location, name string,
	places []lost.StoragePlace) ([]lost.StoragePlace, error) {
	if name == "" {
		return places, nil
	}
	usual := lost.StoragePlace{Name: name}
	if len(places) > 0 && places[0].Name == "" {
		usual.Items, places = places[0].Items, places[1:]
	}
	rest := make([]lost.StoragePlace, 0, len(places)+1)
	rest = append(rest, usual)
	found := false
	for _, p := range places {
		if p.Name == name {
			rest[0].Items, found = sumTotals(rest[0].Items, p.Items), true
			continue
		}
		rest = append(rest, p)
	}
	if found {
		return rest, nil
	}
	more, err := b.db.Places(ctx, account, location, name, 1) // the usual place may be on a later page
	if err == nil && len(more) == 1 && more[0].Name == name {
		rest[0].Items = sumTotals(rest[0].Items, more[0].Items)
	}
	return rest, err
}

func sumTotals(a, b lost.Total) lost.Total {
	s := lost.TotalTo(a.Count+b.Count, lost.MaxShown)
	s.AtLeast = s.AtLeast || a.AtLeast || b.AtLeast
	return s
}

// ItemsAt lists the items at a storage place, newest first.
func (b *Storage) ItemsAt(ctx context.Context, a lost.Actor, location, place string,
	page lost.Page) (lost.List[lost.Item], error) {
	if err := access.MayView(a, location, "location"); err != nil {
		return lost.List[lost.Item]{}, err
	}
	terms, err := b.db.Terms(ctx, a.Account, location)
	if err != nil {
		return lost.List[lost.Item]{}, err
	}
	list, err := b.db.ItemsAtPlace(ctx, a.Account, location, namesOf(place, terms.StoragePlace), page)
	b.reader.SawList(a, location, lost.ItemFilter{}, list.Data)
	return list, err
}

// namesOf returns the place names that items at a place can have. For the usual place, this includes the empty name.
func namesOf(place, usual string) []string {
	if place != "" && place == usual {
		return []string{place, ""}
	}
	return []string{place}
}

// Scanned is the result of scanning a tag: an item or a storage place.
type Scanned struct {
	Item  lost.Item // its ID is empty if the tag belongs to a place
	Place lost.Tag
}

// Scan returns the item or place for a tag code that was scanned or typed. Codes are untrusted input: Scan returns an
// error unless the code belongs to a tag of the actor's account.
func (b *Storage) Scan(ctx context.Context, a lost.Actor, text string) (s Scanned, err error) {
	tag, is := lost.ReadTag(b.wire.Base, text)
	switch {
	case !is:
		return s, noTagError()
	case tag.Reference == "":
		s.Place = tag
		return s, b.placeExists(ctx, a, tag.LocationID)
	default:
		s.Item, err = b.ItemByReference(ctx, a, tag.Reference)
		return s, err
	}
}

// placeExists returns an error unless the location exists and the actor may see it. Places are only names and are not
// stored, so any place of an existing location exists.
func (b *Storage) placeExists(ctx context.Context, a lost.Actor, location string) error {
	if err := access.MayView(a, location, "place"); err != nil {
		return err
	}
	_, err := b.db.Terms(ctx, a.Account, location)
	return err
}

func noTagError() error {
	var p lost.Problems
	p.Add("code", "no-tag", "must be a reference such as K7F-3QD, or the QR code on one of your tags")
	return p.Err()
}

// ItemByReference returns an item by the reference on its tag, at any location that the actor can see.
func (b *Storage) ItemByReference(ctx context.Context, a lost.Actor, reference string) (lost.Item, error) {
	i, err := b.db.ItemByReference(ctx, a.Account, reference)
	if err != nil {
		return lost.Item{}, err
	}
	if err := access.MayView(a, i.LocationID, "item"); err != nil {
		return lost.Item{}, err
	}
	b.reader.Saw(a, i)
	return i, nil
}

// StoredItem is an item that was moved to a place, with the previous place, which is needed to undo the move.
type StoredItem struct {
	Item   lost.Item
	Before string // the previous place
}

// StoreAt moves the item with the scanned tag to a storage place.
func (b *Storage) StoreAt(ctx context.Context, a lost.Actor, location, place, text string) (s StoredItem, err error) {
	if err := access.May(a, lost.HandleItems, location, "location"); err != nil {
		return s, err
	}
	if place, err = lost.ParsePlace(place); err != nil {
		return s, err
	}
	scanned, err := b.Scan(ctx, a, text)
	switch {
	case err != nil:
		return s, err
	case scanned.Item.ID == "":
		return s, lost.E(lost.Conflict, "That is the tag of a place. Scan an item.")
	case scanned.Item.LocationID != location:
		return s,
			lost.E(lost.Conflict, "%s belongs to another location, so it cannot be stored here.",
				scanned.Item.Reference)
	}
	s.Item, err = b.putAt(ctx, a, location, scanned.Item.ID, place, func(i lost.Item) error {
		s.Before = i.StoragePlace
		if !i.Held() {
			return lost.E(lost.Conflict, "%s is not in storage. Open it and check its status.",
				i.Reference)
		}
		return nil
	})
	return s, err
}

// UndoStoreAt moves an item back to its previous place, unless somebody else has moved it in the meantime.
func (b *Storage) UndoStoreAt(ctx context.Context, a lost.Actor,
	location, id, place, before string) (lost.Item, error) {
	return b.putAt(ctx, a, location, id, before, func(i lost.Item) error {
		if i.StoragePlace != place {
			return lost.E(lost.Conflict, "%s was moved again in the meantime, so this cannot be undone.", i.Reference)
		}
		return nil
	})
}

// putAt sets the storage place of an item unless check returns an error.
func (b *Storage) putAt(ctx context.Context, a lost.Actor, location, id, place string,
	check func(lost.Item) error) (lost.Item, error) {
	return b.change.Item(ctx, a, location, id, func(tx *store.Tx, i *lost.Item) (lost.Entry, error) {
		entry := lost.NewEntry(a, lost.Updated, tx.Now())
		err := check(*i)
		if err == nil {
			entry.Fields, err = i.Update(lost.ItemPatch{StoragePlace: lost.Set(place)}, tx.Now())
		}
		return entry, err
	})
}
