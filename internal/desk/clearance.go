package desk

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"homeward/internal/access"
	"homeward/internal/change"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// DecideOverdue records what should happen to items whose storage time has expired: one decision for each location of
// the items. If location is empty, they may be at any location that the actor can see. A decision is carried out when
// it can no longer be undone. The parameter listed is the time at which the user's list of overdue items was made.
// Items that were not overdue then, or have changed since, are left out, and left is the number of these items. If
// listed is zero, only the current state of the items is checked.
func (b *Storage) DecideOverdue(ctx context.Context, a lost.Actor, location string, ids []string, to lost.Destination,
	listed time.Time) (decisions []lost.Clearance, left int, err error) {
	if err := mayHandle(a, location); err != nil {
		return nil, 0, err
	}
	if !to.Known() {
		var p lost.Problems
		p.Add("destination", "not-allowed", "must be one of %s", lost.Quoted(lost.Destinations()))
		return nil, 0, p.Err()
	}
	if ids, err = distinctIDs(ids); err != nil {
		return nil, 0, err
	}
	err = b.db.Write(ctx, func(tx *store.Tx) error {
		decisions, left = nil, len(ids) // may run twice
		items, err := tx.ItemsByID(ctx, a.Account, location, slices.Sorted(slices.Values(ids)))
		if err != nil {
			return err
		}
		groups, err := accessibleByLocation(tx, a, location, items)
		if err != nil {
			return err
		}
		// Always lock items in the same order, so that concurrent decisions do not deadlock.
		for _, at := range slices.Sorted(maps.Keys(groups)) {
			c, err := insertDecision(tx, lost.NewClearance(at, to, a, tx.Now()), groups[at], listed)
			if err != nil {
				return err
			}
			if c.Items > 0 {
				decisions = append(decisions, c)
				left -= c.Items
			}
		}
		if len(decisions) == 0 {
			return whyUndecided(tx, items, to)
		}
		return nil
	})
	return decisions, left, err
}

// whyUndecided returns the error for items none of which needs a decision now.
func whyUndecided(tx *store.Tx, items []lost.Item, to lost.Destination) error {
	messages, err := claimantMessages(tx.Context(), tx, items, to.Status())
	if err != nil {
		return err
	}
	for _, i := range items {
		if i.MayClear(tx.Now()) != nil {
			continue
		}
		if err := lost.CheckGiveAway(i, messages[i.ID], tx.Now()); err != nil {
			return err
		}
	}
	return lost.E(lost.Conflict, "These items no longer need a decision.")
}

// insertDecision saves a decision about those items that are as listed and can be cleared. If there are none, it saves
// nothing.
func insertDecision(tx *store.Tx, c lost.Clearance, items []lost.Item, listed time.Time) (_ lost.Clearance, err error) {
	if items, err = asListed(tx, items, listed); err != nil {
		return c, err
	}
	if c.Items, err = addToDecision(tx, c, items); err != nil || c.Items == 0 {
		return c, err
	}
	if err := tx.InsertClearance(c); err != nil {
		return c, err
	}
	return c, tx.AddJob(c.Account, store.JobClearItems, c.ID, c.Until)
}

// asListed returns those items that were waiting for a decision when the user's list was made, at the time given by
// listed, and have not been changed since.
func asListed(tx *store.Tx, items []lost.Item, listed time.Time) (same []lost.Item, err error) {
	if listed.IsZero() || len(items) == 0 {
		return items, nil
	}
	waited, err := tx.OverdueSince(tx.Context(), items, listed)
	if err != nil {
		return nil, err
	}
	for _, i := range items {
		var since []lost.Entry
		if i.UpdatedAt.After(listed) {
			if since, err = tx.HistorySince(tx.Context(), i.Account, i.ID, listed); err != nil {
				return nil, err
			}
		}
		if waited[i.ID] && !slices.ContainsFunc(since, lost.Entry.InvalidatesDecision) {
			same = append(same, i)
		}
	}
	return same, nil
}

// addToDecision adds those items that can be cleared to a decision, and returns how many it added.
func addToDecision(tx *store.Tx, c lost.Clearance, items []lost.Item) (n int, err error) {
	messages, err := claimantMessages(tx.Context(), tx, items, c.Destination.Status())
	if err != nil {
		return 0, err
	}
	for _, i := range items {
		if i.MayClear(tx.Now()) != nil || lost.CheckGiveAway(i, messages[i.ID], tx.Now()) != nil {
			continue
		}
		added, err := tx.AddClearanceItem(c, lost.ClearanceItem{ItemID: i.ID, Seen: i.UpdatedAt})
		if err != nil {
			return n, err
		}
		if added {
			n++
		}
	}
	return n, nil
}

// UndoDecision undoes a decision or a hand-over of several items. It returns an error if the undo period has ended. It
// is idempotent.
func (b *Storage) UndoDecision(ctx context.Context, a lost.Actor, location, id string) (c lost.Clearance, err error) {
	if err := access.May(a, lost.HandleItems, location, "decision"); err != nil {
		return c, err
	}
	err = b.db.Write(ctx, func(tx *store.Tx) error {
		if c, err = tx.LockClearance(a.Account, id); err != nil {
			return err
		}
		if c.LocationID != location {
			return lost.Missing("decision")
		}
		if c.State == lost.ClearanceHanded {
			return nil
		}
		if err := c.Undo(tx.Now()); err != nil {
			return err
		}
		if err := tx.UndoClearance(c); err != nil {
			return err
		}
		return tx.SaveClearance(c)
	})
	if err == nil && c.State == lost.ClearanceHanded {
		return b.undoTransfer(ctx, a, c)
	}
	return c, err
}

// Limits of the list of decisions: how many are listed, and how long a decision is listed after it was carried out.
const (
	recentClearances = 50
	recentlyCleared  = 24 * time.Hour
)

// ListClearances lists a location's decisions, newest first: pending decisions, then recent ones. If location is empty,
// it lists those of all locations that the actor can see.
func (b *Storage) ListClearances(ctx context.Context, a lost.Actor, location string) ([]lost.Clearance, error) {
	only, err := viewableLocations(a, location)
	if err != nil {
		return nil, err
	}
	list, err := b.db.Clearances(ctx, a.Account, only, b.now().Add(-recentlyCleared), recentClearances)
	if err == nil && len(list) == 0 && location != "" {
		_, err = b.db.Location(ctx, a.Account, location)
	}
	return list, err
}

// PendingDecision returns the pending decision about an item, if there is one.
func (b *Storage) PendingDecision(ctx context.Context, a lost.Actor,
	location, item string) (c lost.Clearance, waits bool, err error) {
	if err := access.MayView(a, location, "item"); err != nil {
		return c, false, err
	}
	c, waits, err = b.db.ClearanceOf(ctx, a.Account, item)
	return c, waits && c.LocationID == location, err
}

// LeftOut is an item to which a decision was not applied, with the reason.
type LeftOut struct {
	Item lost.Item
	Why  string
}

// Clearance returns a decision with one page of its items. Items that were left out are on the first pages and are
// returned in left. The total number of items includes them.
func (b *Storage) Clearance(ctx context.Context, a lost.Actor, location, id string,
	page lost.Page) (c lost.Clearance, items lost.List[lost.Item], left []LeftOut, err error) {
	items.Page = page
	if err := access.MayView(a, location, "decision"); err != nil {
		return c, items, nil, err
	}
	if c, err = b.db.Clearance(ctx, a.Account, location, id); err != nil {
		return c, items, nil, err
	}
	all, err := b.db.ClearanceItems(ctx, a.Account, id)
	if err != nil {
		return c, items, nil, err
	}
	items.Total = lost.TotalOf(len(all))
	slices.SortStableFunc(all, func(x, y lost.ClearanceItem) int { return cmp.Compare(clearedRank(x), clearedRank(y)) })
	from := min(page.Offset(), len(all))
	ids, why := []string{}, map[string]string{}
	for _, one := range all[from:min(from+page.Limit, len(all))] {
		ids = append(ids, one.ItemID)
		if one.Outcome == lost.ClearedLeft {
			why[one.ItemID] = one.Why
		}
	}
	found, err := b.db.ItemsByID(ctx, a.Account, location, ids)
	for _, i := range found {
		if reason, skipped := why[i.ID]; skipped {
			left = append(left, LeftOut{Item: i, Why: reason})
			continue
		}
		items.Data = append(items.Data, i)
	}
	return c, items, left, err
}

// clearedRank returns a sort key that puts items that were left out first.
func clearedRank(c lost.ClearanceItem) int {
	if c.Outcome == lost.ClearedLeft {
		return 0
	}
	return 1
}

// PickList prints a PDF list of items to collect from storage: the items of a decision, or the items with the given
// ids if clearance is empty.
func (b *Storage) PickList(ctx context.Context, a lost.Actor, location string, ids []string,
	clearance string) ([]byte, error) {
	if err := access.MayView(a, location, "location"); err != nil {
		return nil, err
	}
	l, err := b.db.Location(ctx, a.Account, location)
	if err != nil {
		return nil, err
	}
	list := lost.PickList{Location: l, At: b.now(), By: a.Name}
	if clearance != "" {
		c, items, _, err := b.Clearance(ctx, a, location, clearance, lost.Page{Number: 1, Limit: lost.MaxSelected})
		if err != nil {
			return nil, err
		}
		list.Items, list.Destination = items.Data, c.Destination
		list.At, list.By = c.CreatedAt, c.By.Name
	} else {
		if ids, err = distinctIDs(ids); err != nil {
			return nil, err
		}
		slices.Sort(ids)
		if list.Items, err = b.db.ItemsByID(ctx, a.Account, location, ids); err != nil {
			return nil, err
		}
	}
	return b.forms.PickList(list)
}

// clearBatch is the number of items that one job clears before it lets other jobs run.
const clearBatch = 50

// CarryOutDecision carries out one batch of a decision that can no longer be undone, and reports whether items
// remain. Each item is cleared in its own transaction, which also records the outcome, so an item is never cleared
// twice, even after a crash or by concurrent workers.
func (b *Storage) CarryOutDecision(ctx context.Context, account, id string) (more bool, err error) {
	c, err := b.beginEnd(ctx, account, id)
	if err != nil || c.State != lost.ClearanceEnding {
		return false, lost.IgnoreNotFound(err)
	}
	batch, err := b.db.ClearanceItemsByOutcome(ctx, account, id, lost.ClearedWaiting, clearBatch)
	if err != nil {
		return false, err
	}
	for _, one := range batch {
		if err := b.clearItem(ctx, c, one); err != nil {
			return false, err
		}
	}
	if len(batch) == clearBatch {
		return true, nil
	}
	return false, b.db.Write(ctx, func(tx *store.Tx) error {
		c, err := tx.LockClearance(account, id)
		if err != nil || c.State != lost.ClearanceEnding {
			return lost.IgnoreNotFound(err)
		}
		c.State, c.EndedAt = lost.ClearanceDone, tx.Now()
		if c.LeftOut, err = tx.CountClearanceItems(ctx, account, id, lost.ClearedLeft); err != nil {
			return err
		}
		return tx.SaveClearance(c)
	})
}

// beginEnd marks a decision as final. It returns an error while the decision can still be undone.
func (b *Storage) beginEnd(ctx context.Context, account, id string) (c lost.Clearance, err error) {
	err = b.db.Write(ctx, func(tx *store.Tx) error {
		if c, err = tx.LockClearance(account, id); err != nil || c.State != lost.ClearanceOpen {
			return err
		}
		if tx.Now().Before(c.Until) { // the clock of the instance that started the job may be ahead
			return lost.E(lost.Unavailable, "The decision %s can still be undone.", id)
		}
		c.State = lost.ClearanceEnding
		return tx.SaveClearance(c)
	})
	return c, err
}

// clearItem carries out a decision for one item, or records why the item is left out.
func (b *Storage) clearItem(ctx context.Context, c lost.Clearance, one lost.ClearanceItem) error {
	_, err := b.change.ItemUnchecked(ctx, c.By, c.LocationID, one.ItemID,
		func(tx *store.Tx, i *lost.Item) (lost.Entry, error) {
			entry, from, one := lost.NewEntry(c.By, lost.Moved, tx.Now()), i.Status, one
			changed := *i
			since, err := tx.HistorySince(ctx, i.Account, i.ID, one.Seen)
			if err != nil {
				return entry, err
			}
			if entry.Fields, err = changed.Clear(c.Destination, since, c.By.Kind, tx.Now()); err == nil {
				err = change.CheckGiveAway(tx, *i, changed)
			}
			one.Outcome = lost.ClearedAway
			if err != nil {
				if lost.CodeOf(err) != lost.Conflict {
					return entry, err
				}
				one.Outcome, one.Why, entry.Fields = lost.ClearedLeft, access.Reason(err), nil
			}
			first, err := tx.SetClearanceOutcome(c.Account, c.ID, one)
			if err == nil && one.Outcome == lost.ClearedLeft { // staff may have to decide about the item again
				err = tx.ScheduleCheck(i.Account, i.ID, tx.Now())
			}
			if err != nil || !first || one.Outcome == lost.ClearedLeft {
				return lost.Entry{}, err
			}
			if c.Destination == lost.ToFinder && changed.CheckTellFinder(lost.FinderItem, tx.Now()) == nil {
				told, err := change.TellFinder(tx, c.By, &changed, lost.FinderItem)
				if err != nil {
					return entry, err
				}
				entry.Fields = append(entry.Fields, told.Fields...)
			}
			*i = changed
			entry.From, entry.To, entry.Note = from, i.Status, clearedNote(c)
			return entry, nil
		})
	if lost.CodeOf(err) == lost.NotFound { // the item and its row in the decision were deleted in the meantime
		return nil
	}
	return err
}

// clearedNote returns the history note for an item that was cleared.
func clearedNote(c lost.Clearance) string {
	switch c.Destination {
	case lost.Donated:
		return lost.Note(lost.NoteDonated)
	case lost.Police:
		return lost.Note(lost.NotePolice)
	case lost.ToAuthority:
		return lost.Note(lost.NoteAuthority)
	case lost.Auctioned:
		return lost.Note(lost.NoteAuctioned)
	case lost.ToFinder:
		return lost.Note(lost.NoteFinder)
	default:
		return lost.Note(lost.NoteDiscarded)
	}
}
