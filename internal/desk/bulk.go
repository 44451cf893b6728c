package desk

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"homeward/internal/access"
	"homeward/internal/change"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// BulkOutcome is the outcome of a bulk action for one item.
type BulkOutcome string

// The outcomes of a bulk action for one item.
const (
	ItemDone      BulkOutcome = "done"
	ItemUnchanged BulkOutcome = "unchanged" // the item already had the status or place
	ItemRefused   BulkOutcome = "refused"
)

// Outcome is the outcome of a bulk action for one item. If the action was rejected, it contains the reason.
type Outcome struct {
	Item    lost.Item // if the item was not found, only its ID is set
	Result  BulkOutcome
	Why     string // why the action was rejected; empty otherwise
	Refused error  // the error behind Why
}

// Outcomes are the outcomes of a bulk action, in the order of the ids passed to it.
type Outcomes []Outcome

// Count returns how many items had the given outcome.
func (o Outcomes) Count(became BulkOutcome) (n int) {
	for _, one := range o {
		if one.Result == became {
			n++
		}
	}
	return n
}

// ListByID returns the location's items with the given ids, in the order of the ids and without duplicates. If location
// is empty, they may be at any location that the actor can see. Ids of missing items are ignored.
func (s *Items) ListByID(ctx context.Context, a lost.Actor, location string, ids []string) ([]lost.Item, error) {
	return chosenItems(ctx, s.db, s.reader, a, location, ids)
}

func chosenItems(
	ctx context.Context, db *store.DB, reader *access.Reader, a lost.Actor, location string, ids []string,
) ([]lost.Item, error) {
	if _, err := viewableLocations(a, location); err != nil {
		return nil, err
	}
	if location != "" {
		if _, err := db.Location(ctx, a.Account, location); err != nil {
			return nil, err
		}
	}
	ids, err := distinctIDs(ids)
	if err != nil {
		return nil, err
	}
	items, err := db.ItemsByID(ctx, a.Account, location, ids)
	items = slices.DeleteFunc(items, func(i lost.Item) bool { return !a.CanAccess(i.LocationID) })
	for at, seen := range byLocation(items) {
		reader.SawList(a, at, lost.ItemFilter{}, seen)
	}
	return items, err
}

// mayHandle returns an error if the actor may not change the items of a location or, if location is empty, any items.
func mayHandle(a lost.Actor, location string) error {
	if location != "" {
		return access.May(a, lost.HandleItems, location, "location")
	}
	if err := a.MayWrite(); err != nil {
		return err
	}
	return a.May(lost.HandleItems)
}

// distinctIDs removes duplicate ids. It returns an error if ids is empty or has too many ids for one action.
func distinctIDs(ids []string) ([]string, error) {
	seen := map[string]bool{"": true}
	distinct := slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		duplicate := seen[id]
		seen[id] = true
		return duplicate
	})
	var p lost.Problems
	switch n := len(distinct); {
	case n == 0:
		p.Add("items", "required", "select at least one")
		return nil, &lost.Error{Code: lost.Invalid, Detail: "No item is selected. Select at least one.", Fields: p}
	case n > lost.MaxSelected:
		p.Add("items", "too-many", "select at most %d at a time", lost.MaxSelected)
		return nil,
			&lost.Error{
				Code:   lost.Invalid,
				Detail: fmt.Sprintf("%d items are selected. Select at most %d at a time.", n, lost.MaxSelected),
				Fields: p,
			}
	}
	return distinct, nil
}

// StatusPlan describes what BulkStatus would do.
type StatusPlan struct {
	To      lost.Status
	Items   []lost.Item    // in the order of the given ids
	Moves   int            // number of items that would change
	Stay    int            // number of items that already have the status
	Refuse  int            // number of items that were deleted or are requests, which have no status to set
	Skipped int            // number of items whose owner or address is unknown; see Item.CheckMove
	Claimed int            // number of items whose claimant must be notified first; see lost.CheckGiveAway
	Owners  int            // number of owners who would get a message
	Event   lost.EventType // sent to webhooks for each item that changes; empty if no event is sent
}

// PlanStatus returns what BulkStatus would do. It changes nothing.
func (s *Items) PlanStatus(ctx context.Context, a lost.Actor, location string, ids []string,
	to lost.Status) (p StatusPlan, err error) {
	if err := mayHandle(a, location); err != nil {
		return p, err
	}
	if _, err := (lost.MovePatch{Status: lost.Set(string(to))}).Move(); err != nil {
		return p, err
	}
	p.To = to
	if p.Items, err = s.ListByID(ctx, a, location, ids); err != nil {
		return p, err
	}
	ids, _ = distinctIDs(ids)
	p.Refuse = len(ids) - len(p.Items)
	messages, err := claimantMessages(ctx, s.db, p.Items, to)
	if err != nil {
		return p, err
	}
	for _, i := range p.Items {
		if err := p.add(i, checkMove(i, to, messages, s.now())); err != nil {
			return p, err
		}
	}
	p.Event, _ = to.EventType()
	return p, nil
}

// add adds to a plan what would happen to an item, for which checkMove returned an error or nil.
func (p *StatusPlan) add(i lost.Item, err error) error {
	switch {
	case i.Source == lost.Request:
		p.Refuse++
		return nil
	case i.Status == p.To:
		p.Stay++
		return nil
	}
	switch {
	case lost.ReasonOf(err) == lost.ClaimantNotNotified:
		p.Claimed++
	case lost.CodeOf(err) == lost.Conflict:
		p.Skipped++
	case err != nil:
		return err
	default:
		p.Moves++
		if lost.NotifiesOnMove(i, p.To) {
			p.Owners++
		}
	}
	return nil
}

// BulkStatus sets the status of items like SetStatus. If location is empty, they may be at any location that the actor
// can see. It rejects items that somebody else has changed since the actor
// read them: seen maps each item id to the UpdatedAt time that the actor read. Items that are not in seen are not
// checked. It also rejects items for which Item.CheckMove returns an error.
func (s *Items) BulkStatus(ctx context.Context, a lost.Actor, location string, ids []string, to lost.Status,
	seen map[string]time.Time) (Outcomes, error) {
	patch := lost.MovePatch{Status: lost.Set(string(to)), Advised: true}
	if _, err := patch.Move(); err != nil {
		return nil, err
	}
	return s.applyToEach(ctx, a, location, ids, func(tx *store.Tx, i *lost.Item) (lost.Entry, error) {
		patch := patch
		patch.Seen = seen[i.ID]
		return s.move(a, patch)(tx, i)
	})
}

// BulkPlace sets the storage place of items, like BulkStatus. An empty place means the location's usual storage place.
func (s *Items) BulkPlace(ctx context.Context, a lost.Actor, location string, ids []string,
	place string) (Outcomes, error) {
	patch := lost.ItemPatch{StoragePlace: lost.Set(place)}
	if place == "" {
		patch.StoragePlace = lost.Clear[string]()
	}
	trial := lost.Item{Description: "-"}
	if _, err := trial.Update(patch, s.now()); err != nil {
		return nil, err
	}
	return s.applyToEach(ctx, a, location, ids, s.update(a, patch))
}

// BulkCategory sets the category of items, like BulkStatus. An empty category clears it.
func (s *Items) BulkCategory(ctx context.Context, a lost.Actor, location string, ids []string,
	category string) (Outcomes, error) {
	patch := lost.ItemPatch{Category: lost.Set(category)}
	trial := lost.Item{Description: "-"}
	if _, err := trial.Update(patch, s.now()); err != nil {
		return nil, err
	}
	return s.applyToEach(ctx, a, location, ids, s.update(a, patch))
}

// applyToEach changes items and returns the outcomes. If the service fails, it returns the error with the outcomes so
// far.
func (s *Items) applyToEach(ctx context.Context, a lost.Actor, location string, ids []string,
	apply change.Func) (done Outcomes, err error) {
	if err := mayHandle(a, location); err != nil {
		return nil, err
	}
	items, err := s.ListByID(ctx, a, location, ids) // records that the actor saw the items
	if err != nil {
		return nil, err
	}
	ids, _ = distinctIDs(ids)
	var outcomes []change.Outcome
	if location != "" {
		outcomes, err = s.change.ChangeItems(ctx, a, location, ids, apply)
	} else {
		outcomes, err = s.changeAnywhere(ctx, a, items, ids, apply)
	}
	for _, o := range outcomes {
		one := Outcome{Item: o.Item, Result: ItemDone}
		switch {
		case o.Refused != nil:
			one.Result, one.Why, one.Refused = ItemRefused, access.Reason(o.Refused), o.Refused
		case !o.Changed:
			one.Result = ItemUnchanged
		}
		done = append(done, one)
	}
	return done, err
}

// changeAnywhere changes items at several locations. Ids that are not among the items are refused.
func (s *Items) changeAnywhere(ctx context.Context, a lost.Actor, items []lost.Item, ids []string,
	apply change.Func) (outcomes []change.Outcome, err error) {
	groups := byLocation(items)
	for _, at := range slices.Sorted(maps.Keys(groups)) {
		var here []string
		for _, i := range groups[at] {
			here = append(here, i.ID)
			ids = slices.DeleteFunc(ids, func(id string) bool { return id == i.ID })
		}
		done, err := s.change.ChangeItems(ctx, a, at, here, apply)
		outcomes = append(outcomes, done...)
		if err != nil {
			return outcomes, err
		}
	}
	for _, id := range ids {
		outcomes = append(outcomes, change.Outcome{Item: lost.Item{ID: id}, Refused: lost.Missing("item")})
	}
	return outcomes, nil
}

// CreateItems creates items like Create, in one transaction. An invalid item is refused and does not affect the
// others.
func (s *Items) CreateItems(ctx context.Context, a lost.Actor, location string, p lost.BulkPatch,
	o lost.IdempotencyKey) (results lost.BulkResults, err error) {
	if err := access.May(a, lost.RecordItems, location, "location"); err != nil {
		return nil, err
	}
	patches, invalid := p.Read()
	var created []lost.Item
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		created = nil // may run twice
		results, err = access.CreateOnce(tx, a, o, func() (lost.BulkResults, error) {
			terms, err := tx.Terms(ctx, a.Account, location)
			if err != nil {
				return nil, err
			}
			if invalid != nil {
				return nil, invalid
			}
			results := make(lost.BulkResults, len(patches))
			for n, patch := range patches {
				if patch, err = withLocation(tx, a.Account, location, patch); err != nil {
					return nil, err
				}
				i, err := lost.NewItem(a.Account, location, patch, tx.Now())
				if refusal, refused := errors.AsType[*lost.Error](err); refused {
					results[n].Refused = refusal
					continue
				}
				i.Terms = terms
				if err := insertItem(tx, a, i, 0); err != nil {
					return nil, err
				}
				results[n].Item = i
				created = append(created, i)
			}
			return results, nil
		})
		return err
	})
	if err == nil {
		s.startWork(created...)
	}
	return results, err
}

// SetStatuses sets the status of items like SetStatus, in one transaction. An item whose status cannot be set does not
// affect the others.
func (s *Items) SetStatuses(ctx context.Context, a lost.Actor, location string,
	p lost.BulkMovePatch) (lost.BulkResults, error) {
	if err := access.May(a, lost.HandleItems, location, "location"); err != nil {
		return nil, err
	}
	if _, err := s.db.Location(ctx, a.Account, location); err != nil {
		return nil, err
	}
	ids, patch, err := p.Read()
	if err != nil {
		return nil, err
	}
	distinct := slices.Compact(slices.Sorted(slices.Values(ids)))
	outcomes, err := s.change.ChangeItems(ctx, a, location, distinct, s.move(a, patch))
	if err != nil {
		return nil, err
	}
	results := make(lost.BulkResults, len(ids))
	for n, id := range ids {
		at, _ := slices.BinarySearch(distinct, id)
		results[n].Item = outcomes[at].Item
		results[n].Refused, _ = errors.AsType[*lost.Error](outcomes[at].Refused)
	}
	return results, nil
}
