package desk

import (
	"context"
	"slices"

	"homeward/internal/access"
	"homeward/internal/lost"
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
	return slices.DeleteFunc(items, func(i lost.Item) bool { return l.OpenAt(i.Pickup.Date, i.Pickup.Time) }), err
}
