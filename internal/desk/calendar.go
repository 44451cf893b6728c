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

// Bookings counts the planned pick-ups of a location on some days. Unlike Pickups, it counts all of them.
func (s *Items) Bookings(ctx context.Context, a lost.Actor, location, from, to string) (lost.Bookings, error) {
	if err := access.MayView(a, location, "location"); err != nil {
		return nil, err
	}
	return s.db.Bookings(ctx, a.Account, location, from, to, "")
}

// SlotsFor lists the slots of a day that are in the future, for a change of an item's pick-up. The item's own booking
// does not count.
func (s *Items) SlotsFor(ctx context.Context, a lost.Actor, i lost.Item, day string) ([]lost.Slot, error) {
	if err := access.MayView(a, i.LocationID, "location"); err != nil {
		return nil, err
	}
	l, err := s.db.Location(ctx, a.Account, i.LocationID)
	if err != nil {
		return nil, err
	}
	booked, err := s.db.Bookings(ctx, a.Account, l.ID, day, day, i.ID)
	return l.SlotsBetween(day, day, booked, s.db.Now()), err
}

// maxClosedPickups is the maximum number of pick-ups that ClosedPickups lists.
const maxClosedPickups = 100

// ClosedPickups are the planned pick-ups of a location that are outside its opening hours.
type ClosedPickups struct {
	Total int
	Items []lost.Item // the first of them
}

// PickupsWhileClosed returns the planned pick-ups of a location from today on that are outside its opening hours, for
// example because a closure was added later.
func (s *Items) PickupsWhileClosed(ctx context.Context, a lost.Actor, l lost.Location) (c ClosedPickups, err error) {
	if len(l.OpeningHours) == 0 && len(l.Closures) == 0 {
		return c, nil
	}
	today := l.Day(s.db.Now())
	booked, err := s.Bookings(ctx, a, l.ID, today, lost.AddDays(today, lost.MaxPickupAhead))
	if err != nil {
		return c, err
	}
	var times []string
	for at, n := range booked {
		if day, clock, _ := strings.Cut(at, " "); l.ClosedAt(lost.Pickup{Date: day, Time: clock}) {
			times = append(times, at)
			c.Total += n
		}
	}
	slices.Sort(times)
	times = times[:min(len(times), maxClosedPickups)] // each has at least one item
	c.Items, err = s.db.PickupsAt(ctx, a.Account, l.ID, times, maxClosedPickups)
	s.reader.SawList(a, l.ID, lost.ItemFilter{}, c.Items)
	return c, err
}

// The days before and after today that a location's feed contains, and its maximum number of pick-ups.
const (
	feedPast   = 7
	feedFuture = 90
	maxFeed    = 5000
)

// Feed is a location's planned pick-ups and its closures, for a calendar program that knows a secret token.
type Feed struct {
	Location lost.Location
	Items    []lost.Item
	Closures []lost.Closure // by their first day
}

// NewFeed creates the token of a location's feed, and revokes the one before. Only its hash is stored.
func (s *Locations) NewFeed(ctx context.Context, a lost.Actor, location string) (token string, err error) {
	err = s.changeFeed(ctx, a, location, lost.CalendarCreated, func(tx *store.Tx, e store.DirectoryEntry) error {
		token = strings.ToLower(rand.Text()) // may run twice
		return tx.AddEntry(store.CalendarEntry, store.DirectoryHash(token), e)
	})
	return token, err
}

// RevokeFeed revokes the token of a location's feed, if there is one.
func (s *Locations) RevokeFeed(ctx context.Context, a lost.Actor, location string) error {
	return s.changeFeed(ctx, a, location, lost.CalendarRevoked, nil)
}

// changeFeed removes the token of a location's feed, and calls add, which may be nil.
func (s *Locations) changeFeed(ctx context.Context, a lost.Actor, location string, action lost.AuditAction,
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
		found, err := tx.HasEntry(ctx, store.CalendarEntry, e)
		if err != nil || !found && add == nil {
			return err
		}
		if err := tx.RemoveEntry(store.CalendarEntry, e); err != nil {
			return err
		}
		if add != nil {
			if err := add(tx, e); err != nil {
				return err
			}
		}
		return access.Audit(tx, a, action, l.ID, l.Name)
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
	from, to := lost.AddDays(today, -feedPast), lost.AddDays(today, feedFuture)
	f.Closures = f.Location.ClosuresBetween(from, to)
	f.Items, err = s.db.PlannedPickups(ctx, e.Account, e.Subject, from, to, maxFeed)
	return f, err
}
