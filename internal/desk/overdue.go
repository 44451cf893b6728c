package desk

import (
	"context"
	"slices"
	"strings"
	"time"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// Overdue lists a location's items whose storage time has expired and that have no decision yet, oldest first. If
// location is empty, it lists those of all locations that the actor can see.
func (b *Storage) Overdue(ctx context.Context, a lost.Actor, location string,
	page lost.Page) (lost.List[lost.Item], error) {
	only, err := viewableLocations(a, location)
	if err != nil {
		return lost.List[lost.Item]{}, err
	}
	return b.withLocation(ctx, a, location)(b.db.Overdue(ctx, a.Account, only, page))
}

// OverdueIDs returns the ids of overdue items in the same order as Overdue, at most as many as one decision can have.
func (b *Storage) OverdueIDs(ctx context.Context, a lost.Actor, location string) ([]string, error) {
	only, err := viewableLocations(a, location)
	if err != nil {
		return nil, err
	}
	return b.db.OverdueIDs(ctx, a.Account, only, lost.MaxSelected)
}

// Held lists a location's items that are on hold, newest first. If location is empty, it lists those of all locations
// that the actor can see.
func (b *Storage) Held(ctx context.Context, a lost.Actor, location string,
	page lost.Page) (lost.List[lost.Item], error) {
	only, err := viewableLocations(a, location)
	if err != nil {
		return lost.List[lost.Item]{}, err
	}
	return b.withLocation(ctx, a, location)(b.db.ItemsOnHold(ctx, a.Account, only, page))
}

// viewableLocations returns the given location or, if location is empty, all locations that the actor can see. A nil
// slice means all locations of the account. It returns an error if the actor may not view the items.
func viewableLocations(a lost.Actor, location string) ([]string, error) {
	if location == "" {
		return a.Locations, a.May(lost.ViewItems)
	}
	return []string{location}, access.MayView(a, location, "location")
}

// withLocation returns a function that checks a list of items after it was read. The function returns an error if the
// list is empty because the location does not exist, and records that the actor saw the items.
func (b *Storage) withLocation(ctx context.Context, a lost.Actor, location string) func(lost.List[lost.Item],
	error) (lost.List[lost.Item], error) {
	return func(list lost.List[lost.Item], err error) (lost.List[lost.Item], error) {
		if err == nil && len(list.Data) == 0 && location != "" {
			_, err = b.db.Location(ctx, a.Account, location)
		}
		for at, items := range byLocation(list.Data) {
			b.reader.SawList(a, at, lost.ItemFilter{}, items)
		}
		return list, err
	}
}

// accessibleByLocation groups items of a location or, if location is empty, of the locations that the actor can see. It
// returns an error if there is no such location or item.
func accessibleByLocation(tx *store.Tx, a lost.Actor, location string,
	items []lost.Item) (map[string][]lost.Item, error) {
	if location != "" {
		_, err := tx.Location(tx.Context(), a.Account, location)
		return map[string][]lost.Item{location: items}, err
	}
	groups := byLocation(slices.DeleteFunc(items, func(i lost.Item) bool { return !a.CanAccess(i.LocationID) }))
	if len(groups) == 0 {
		return nil, lost.Missing("item")
	}
	return groups, nil
}

// Hold puts items on hold, so that they are not cleared, and returns how many changed. It is idempotent. If location is
// empty, the items may be at any location that the actor can see; so also in Release and KeepLonger.
func (b *Storage) Hold(ctx context.Context, a lost.Actor, location string, ids []string, reason string) (int, error) {
	var p lost.Problems
	if reason = strings.TrimSpace(reason); reason == "" {
		p.Add("reason", "required", "enter a reason, so that colleagues know why it is kept")
	}
	if err := p.Err(); err != nil {
		if err := mayHandle(a, location); err != nil {
			return 0, err
		}
		return 0, err
	}
	return b.patchItems(ctx, a, location, ids, func(lost.Location, time.Time) (lost.ItemPatch, string, error) {
		return lost.ItemPatch{Hold: lost.Set(reason)}, reason, nil
	})
}

// Release takes items off hold, and returns how many changed. If their storage time has expired, they need a decision
// again.
func (b *Storage) Release(ctx context.Context, a lost.Actor, location string, ids []string) (int, error) {
	return b.patchItems(ctx, a, location, ids, func(lost.Location, time.Time) (lost.ItemPatch, string, error) {
		return lost.ItemPatch{Hold: lost.Clear[string]()}, "", nil
	})
}

// KeepLonger extends the storage time of items. It returns the new last day of storage, and how many items changed. If
// the day differs among locations because of their time zones, it returns the earliest one.
func (b *Storage) KeepLonger(ctx context.Context, a lost.Actor, location string, ids []string,
	p lost.KeepPatch) (until string, n int, err error) {
	n, err = b.patchItems(ctx, a, location, ids, func(l lost.Location, now time.Time) (lost.ItemPatch, string, error) {
		day, err := p.Read(l, now)
		if until == "" || day < until {
			until = day
		}
		return lost.ItemPatch{KeepUntil: lost.Set(day)}, "", err
	})
	return until, n, err
}

// patchFunc returns the patch for the items of a location, and a note for their history.
type patchFunc func(l lost.Location, now time.Time) (p lost.ItemPatch, note string, err error)

// patchItems changes several items in one transaction, and returns how many changed. Missing items are skipped.
func (b *Storage) patchItems(ctx context.Context, a lost.Actor, location string, ids []string,
	patch patchFunc) (n int, err error) {
	if err := mayHandle(a, location); err != nil {
		return 0, err
	}
	if ids, err = distinctIDs(ids); err != nil {
		return 0, err
	}
	err = b.db.Write(ctx, func(tx *store.Tx) error {
		n = 0 // may run twice
		items, err := tx.LockItems(a.Account, location, ids)
		if err != nil {
			return err
		}
		groups, err := accessibleByLocation(tx, a, location, items)
		if err != nil {
			return err
		}
		for at, here := range groups {
			changed, err := patchAtLocation(tx, a, at, here, patch)
			if err != nil {
				return err
			}
			n += changed
		}
		return nil
	})
	b.wake() // some tasks may no longer be needed
	return n, err
}

// patchAtLocation changes items of one location, and returns how many changed.
func patchAtLocation(tx *store.Tx, a lost.Actor, location string, items []lost.Item,
	patch patchFunc) (n int, err error) {
	l, err := tx.Location(tx.Context(), a.Account, location)
	if err != nil {
		return 0, err
	}
	p, note, err := patch(l, tx.Now())
	if err != nil {
		return 0, err
	}
	for _, i := range items {
		changed, err := patchItem(tx, a, i, p, note)
		if err != nil {
			return n, err
		}
		n += changed
	}
	return n, nil
}

// patchItem applies a patch to one item. It returns 1 if the item changed, and 0 otherwise.
func patchItem(tx *store.Tx, a lost.Actor, before lost.Item, p lost.ItemPatch, note string) (int, error) {
	i, entry := before, lost.NewEntry(a, lost.Updated, tx.Now())
	var err error
	entry.Fields, err = i.Update(p, tx.Now())
	if lost.ProblemsOf(err).Has("hold") {
		return 0,
			lost.E(lost.Conflict,
				"%s cannot be put on hold. Only found items in storage can be put on hold. Nothing was changed.",
				i.Reference)
	}
	if err != nil || len(entry.Fields) == 0 {
		return 0, err
	}
	entry.Note = note
	if err := tx.SaveItem(before, i); err != nil {
		return 1, err
	}
	return 1, tx.AddHistory(i, entry)
}
