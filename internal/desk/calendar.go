package desk

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// MaxPickups is the maximum number of planned pick-ups that are listed at once.
const MaxPickups = 500

// Pickups lists the items of a location that will be picked up on some days, by day and time. It lists at most
// MaxPickups.
func (s *Items) Pickups(ctx context.Context, a lost.Actor, location, from, to string) ([]lost.Item, error) {
	if err := access.MayView(a, location, "location"); err != nil {
		return nil, err
	}
	items, err := s.db.PlannedPickups(ctx, a.Account, location, from, to, MaxPickups)
	if err != nil {
		return nil, err
	}
	s.reader.SawList(a, location, lost.ItemFilter{}, items)
	return items, nil
}

// PickupsWhileClosed lists the planned pick-ups of a location from today on that are outside its opening hours, for
// example because a closure was added later. It considers at most MaxPickups.
func (s *Items) PickupsWhileClosed(ctx context.Context, a lost.Actor, l lost.Location) ([]lost.Item, error) {
	if len(l.OpeningHours) == 0 && len(l.Closures) == 0 {
		return nil, nil
	}
	today := l.Day(s.db.Now())
	items, err := s.Pickups(ctx, a, l.ID, today, lost.AddDays(today, lost.MaxPickupAhead))
	return slices.DeleteFunc(items, func(i lost.Item) bool { return !l.ClosedAt(i.Pickup) }), err
}

// The days before and after today that a location's feed contains.
const (
	feedPast   = 7
	feedFuture = 90
)

// Feed is a location's planned pick-ups, for a calendar program that knows a secret token.
type Feed struct {
	Location lost.Location
	Items    []lost.Item
}

// NewFeed creates the token of a location's feed, and revokes the one before. Only its hash is stored.
func (s *Locations) NewFeed(ctx context.Context, a lost.Actor, location string) (token string, err error) {
	err = s.changeFeed(ctx, a, location, func(tx *store.Tx, e store.DirectoryEntry) error {
		token = strings.ToLower(rand.Text()) // may run twice
		return tx.AddEntry(store.CalendarEntry, store.DirectoryHash(token), e)
	})
	return token, err
}

// RevokeFeed revokes the token of a location's feed, if there is one.
func (s *Locations) RevokeFeed(ctx context.Context, a lost.Actor, location string) error {
	return s.changeFeed(ctx, a, location, func(*store.Tx, store.DirectoryEntry) error { return nil })
}

// changeFeed removes the token of a location's feed, and calls add.
func (s *Locations) changeFeed(ctx context.Context, a lost.Actor, location string,
	add func(*store.Tx, store.DirectoryEntry) error) error {
	if err := access.May(a, lost.ManageLocations, location, "location"); err != nil {
		return err
	}
	return s.db.Write(ctx, func(tx *store.Tx) error {
		l, err := tx.LockLocation(a.Account, location)
		if err != nil {
			return err
		}
		e := store.DirectoryEntry{Account: l.Account, Subject: l.ID}
		if err := tx.RemoveEntry(store.CalendarEntry, e); err != nil {
			return err
		}
		if err := add(tx, e); err != nil {
			return err
		}
		return access.Audit(tx, a, lost.LocationChanged, l.ID, l.Name)
	})
}

// HasFeed reports whether a location's feed has a token.
func (s *Locations) HasFeed(ctx context.Context, a lost.Actor, location string) (bool, error) {
	if err := access.May(a, lost.ManageLocations, location, "location"); err != nil {
		return false, err
	}
	return s.db.HasEntry(ctx, store.CalendarEntry, store.DirectoryEntry{Account: a.Account, Subject: location})
}

// Feed returns the feed with a token. It needs no permission.
func (s *Locations) Feed(ctx context.Context, token string) (f Feed, err error) {
	e, found, err := s.db.Lookup(ctx, store.CalendarEntry, store.DirectoryHash(token))
	if err != nil {
		return f, err
	}
	if !found {
		return f, lost.Missing("calendar")
	}
	if _, err := access.EnabledAccount(ctx, s.db, e.Account, "calendar"); err != nil {
		return f, err
	}
	if f.Location, err = s.db.Location(ctx, e.Account, e.Subject); err != nil {
		return f, err
	}
	today := f.Location.Day(s.db.Now())
	f.Items, err = s.db.PlannedPickups(ctx, e.Account, e.Subject, lost.AddDays(today, -feedPast),
		lost.AddDays(today, feedFuture), MaxPickups)
	return f, err
}
