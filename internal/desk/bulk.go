package desk

import (
	"context"
	"fmt"
	"slices"
	"time"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// BulkOutcome is the outcome of a bulk action for one item.
type BulkOutcome string

// The outcomes.
const (
	ItemDone      BulkOutcome = "done"
	ItemUnchanged BulkOutcome = "unchanged" // the item already had the status or place
	ItemRefused   BulkOutcome = "refused"
)

// Outcome is the outcome of a bulk action for one item, with its reason.
type Outcome struct {
	Item   lost.Item // only its ID is set if it was not found
	Result BulkOutcome
	Why    string // reason of a refusal
}

// Outcomes are the outcomes of a bulk action, in the order of the ids.
type Outcomes []Outcome

// Count returns the number of items with an outcome.
func (o Outcomes) Count(became BulkOutcome) (n int) {
	for _, one := range o {
		if one.Result == became {
			n++
		}
	}
	return n
}

// ListByID returns items of a location by their ids, in that order and each once. Missing items are left out.
func (s *Items) ListByID(ctx context.Context, a lost.Actor, location string, ids []string) ([]lost.Item, error) {
	return chosenItems(ctx, s.db, s.reader, a, location, ids)
}

func chosenItems(
	ctx context.Context, db *store.DB, reader *access.Reader, a lost.Actor, location string, ids []string,
) ([]lost.Item, error) {
	if err := access.MayView(a, location, "location"); err != nil {
		return nil, err
	}
	if _, err := db.Location(ctx, a.Account, location); err != nil {
		return nil, err
	}
	ids, err := distinctIDs(ids)
	if err != nil {
		return nil, err
	}
	items, err := db.ItemsByID(ctx, a.Account, location, ids)
	reader.SawList(a, location, lost.ItemFilter{}, items)
	return items, err
}

// distinctIDs removes duplicate ids. It fails if there are none, or too many for one action.
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

// StatusPlan is a preview of BulkStatus.
type StatusPlan struct {
	To      lost.Status
	Items   []lost.Item    // in the order of the ids
	Moves   int            // items that would change
	Stay    int            // items that already have the status
	Refuse  int            // items that are requests, which have no status to set, or were deleted
	Skipped int            // items that stay because their owner or address is unknown; see Item.CheckMove
	Owners  int            // owners who would get a message
	Event   lost.EventType // sent to webhooks for each item that changes; empty for none
}

// PlanStatus returns a preview of BulkStatus. It changes nothing.
func (s *Items) PlanStatus(ctx context.Context, a lost.Actor, location string, ids []string,
	to lost.Status) (p StatusPlan, err error) {
	if err := access.May(a, lost.HandleItems, location, "location"); err != nil {
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
	for _, i := range p.Items {
		switch {
		case i.Source == lost.Request:
			p.Refuse++
		case i.Status == to:
			p.Stay++
		case i.CheckMove(to) != nil:
			p.Skipped++
		default:
			p.Moves++
			if i.NotifiesOnMove(to) {
				p.Owners++
			}
		}
	}
	p.Event, _ = to.EventType()
	return p, nil
}

// BulkStatus sets the status of items like SetStatus, each in its own transaction. It skips items that somebody else
// has changed since the actor read them: seen maps item ids to the UpdatedAt that was read, and items without an
// entry are not checked. It also skips items for which Item.CheckMove returns an error.
func (s *Items) BulkStatus(ctx context.Context, a lost.Actor, location string, ids []string, to lost.Status,
	seen map[string]time.Time) (Outcomes, error) {
	patch := lost.MovePatch{Status: lost.Set(string(to)), Advised: true}
	if _, err := patch.Move(); err != nil {
		return nil, err
	}
	return s.applyToEach(ctx, a, location, ids, func(id string) (lost.Item, error) {
		patch.Seen = seen[id]
		return s.SetStatus(ctx, a, location, id, patch)
	})
}

// BulkPlace sets the storage place of items. An empty place means the usual place of the location.
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
	return s.applyToEach(ctx, a, location, ids, func(id string) (lost.Item, error) {
		return s.Update(ctx, a, location, id, patch)
	})
}

// applyToEach calls do for each item and collects the outcomes. A refusal for one item does not stop the others. An
// internal error does, and is returned with the outcomes so far.
func (s *Items) applyToEach(ctx context.Context, a lost.Actor, location string, ids []string,
	do func(id string) (lost.Item, error)) (done Outcomes, err error) {
	if err := access.May(a, lost.HandleItems, location, "location"); err != nil {
		return nil, err
	}
	items, err := s.ListByID(ctx, a, location, ids)
	if err != nil {
		return nil, err
	}
	before := make(map[string]lost.Item, len(items))
	for _, i := range items {
		before[i.ID] = i
	}
	ids, _ = distinctIDs(ids)
	for _, id := range ids {
		o := Outcome{Item: before[id], Result: ItemDone}
		i, err := do(id)
		switch {
		case err == nil && i.UpdatedAt.Equal(o.Item.UpdatedAt):
			o.Result = ItemUnchanged
		case err == nil:
			o.Item = i
		case lost.CodeOf(err) == lost.Internal:
			return done, err
		default:
			o.Result, o.Why = ItemRefused, access.Reason(err)
		}
		o.Item.ID = id
		done = append(done, o)
	}
	return done, nil
}
