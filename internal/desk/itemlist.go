package desk

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// List lists a location's items, newest first or, with a query, best first.
func (s *Items) List(ctx context.Context, a lost.Actor, location string,
	f lost.ItemFilter) (lost.List[lost.Item], error) {
	if err := access.MayView(a, location, "location"); err != nil {
		return lost.List[lost.Item]{}, err
	}
	if err := resolveFilter(ctx, s.db, s.finds, a.Account, []string{location}, &f); err != nil {
		return lost.List[lost.Item]{}, err
	}
	list, err := s.listAt(ctx, a.Account, location, f)
	if err == nil && len(list.Data) == 0 { // return an error if the location does not exist
		_, err = s.db.Location(ctx, a.Account, location)
	}
	if err == nil {
		s.reader.SawList(a, location, f, list.Data)
	}
	return list, err
}

func (s *Items) listAt(ctx context.Context, account, location string,
	f lost.ItemFilter) (lost.List[lost.Item], error) {
	if f.Searches() {
		return s.search.List(ctx, account, []string{location}, f)
	}
	return s.db.Items(ctx, account, location, f)
}

// ListAll lists the items of all locations that the actor can see, in the same order as List. If locations is not
// empty, it lists only theirs; locations that do not exist or that the actor cannot see have no items.
func (s *Items) ListAll(ctx context.Context, a lost.Actor, locations []string,
	f lost.ItemFilter) (lost.List[lost.Item], error) {
	if err := a.May(lost.ViewItems); err != nil {
		return lost.List[lost.Item]{}, err
	}
	visible := visibleLocations(a, locations)
	var list lost.List[lost.Item]
	err := resolveFilter(ctx, s.db, s.finds, a.Account, visible, &f)
	if err != nil {
		return list, err
	}
	if f.Searches() {
		list, err = s.search.List(ctx, a.Account, visible, f)
	} else {
		list, err = s.db.AccountItems(ctx, a.Account, visible, f)
	}
	if err == nil {
		s.sawItems(a, f, list.Data)
	}
	return list, err
}

// Search searches the items, requests and guests of all locations that the actor can see, best first, and returns at
// most limit of each. If locations is not empty, it searches only them.
func (s *Items) Search(ctx context.Context, a lost.Actor, locations []string, query string,
	limit int) (lost.SearchResults, error) {
	if err := a.May(lost.ViewItems); err != nil {
		return lost.SearchResults{}, err
	}
	results, err := s.search.All(ctx, a.Account, visibleLocations(a, locations), query, limit)
	seen := slices.Concat(results.Items, results.Requests)
	for _, g := range results.Guests {
		seen = append(seen, g.Records...)
	}
	s.sawItems(a, lost.ItemFilter{Query: query}, seen)
	return results, err
}

// Changes lists the changes of items since a time, oldest first, at one location, or at those that ListAll lists.
func (s *Items) Changes(ctx context.Context, a lost.Actor, location string, locations []string, f lost.ItemFilter,
	since time.Time) (list lost.List[lost.ItemChange], err error) {
	if location != "" {
		if err := access.MayView(a, location, "location"); err != nil {
			return list, err
		}
		if _, err := s.db.Location(ctx, a.Account, location); err != nil {
			return list, err
		}
		locations = []string{location}
	} else if err := a.May(lost.ViewItems); err != nil {
		return list, err
	}
	visible := visibleLocations(a, locations)
	if err := resolveFilter(ctx, s.db, s.finds, a.Account, visible, &f); err != nil {
		return list, err
	}
	list, err = s.db.ItemChanges(ctx, a.Account, visible, f, since)
	var seen []lost.Item
	for _, c := range list.Data {
		seen = append(seen, c.Item)
	}
	s.sawItems(a, f, seen)
	return list, err
}

// visibleLocations returns the locations that the actor can see and, if chosen is not empty, has chosen. It returns nil
// for all locations of the account.
func visibleLocations(a lost.Actor, chosen []string) []string {
	if len(chosen) == 0 {
		return a.Locations
	}
	return slices.DeleteFunc(slices.Clone(chosen), func(id string) bool { return !a.CanAccess(id) })
}

// sawItems records that the actor saw items at several locations.
func (s *Items) sawItems(a lost.Actor, f lost.ItemFilter, items []lost.Item) {
	for _, sameLocation := range byLocation(items) {
		s.reader.SawList(a, sameLocation[0].LocationID, f, sameLocation)
	}
}

// byLocation groups items by their location.
func byLocation(items []lost.Item) map[string][]lost.Item {
	groups := map[string][]lost.Item{}
	for _, i := range items {
		groups[i.LocationID] = append(groups[i.LocationID], i)
	}
	return groups
}

// GetByIdempotencyKey returns the item that was created when an idempotency key was first used. It does not check
// that the request is the same. The error is NotFound if the key is unknown or the item was deleted.
func (s *Items) GetByIdempotencyKey(ctx context.Context, a lost.Actor, location string,
	o lost.IdempotencyKey) (lost.Item, error) {
	var first lost.Item
	err := s.db.Write(ctx, func(tx *store.Tx) error {
		response, found, err := tx.FindResponse(a.Account, access.IdempotencyHash(a, o))
		if err != nil {
			return err
		}
		if !found {
			return lost.Missing("item")
		}
		return json.Unmarshal([]byte(response.Body), &first)
	})
	if err != nil {
		return lost.Item{}, err
	}
	return s.GetRecorded(ctx, a, location, first.ID)
}

// GetRecorded returns an item to actors who may view items, and to the actor who recorded it.
func (s *Items) GetRecorded(ctx context.Context, a lost.Actor, location, id string) (lost.Item, error) {
	if err := access.CheckAccess(a, location, "item"); err != nil {
		return lost.Item{}, err
	}
	if err := s.mayRead(ctx, a, id); err != nil {
		return lost.Item{}, err
	}
	return s.db.Item(ctx, a.Account, location, id)
}

// mayRead returns an error unless the actor may view items or recorded this item.
func (s *Items) mayRead(ctx context.Context, a lost.Actor, item string) error {
	if a.May(lost.ViewItems) == nil {
		return nil
	}
	mine, err := s.db.IsRecordedBy(ctx, a, item)
	if err == nil && !mine {
		err = lost.Missing("item")
	}
	return err
}
