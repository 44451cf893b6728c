package desk

import (
	"context"

	"homeward/internal/lost"
	"homeward/internal/lost/category"
	"homeward/internal/store"
)

// Categories gives existing items their suggested categories, in the background.
type Categories struct {
	db   *store.DB
	wake func()
}

// CategoriesOptions are the dependencies of Categories.
type CategoriesOptions struct {
	DB   *store.DB
	Wake func() // called after a commit that added a job
}

// NewCategories creates Categories.
func NewCategories(o CategoriesOptions) *Categories { return &Categories{db: o.DB, wake: o.Wake} }

// categoryBatch is the number of items that one transaction reads or changes, so that it holds nobody up.
const categoryBatch = 100

// mayRun returns an error if the actor may not change the items of all locations at once.
func (s *Categories) mayRun(a lost.Actor) error {
	if err := a.MayWrite(); err != nil {
		return err
	}
	if err := a.May(lost.ManageLocations); err != nil {
		return err
	}
	only, err := viewableLocations(a, "")
	if err == nil && only != nil {
		err = lost.E(lost.Forbidden, "Only somebody who sees all locations may do this.")
	}
	return err
}

// State returns the last run, if there is one, and the number of items without a category up to MaxBoundedTotal.
func (s *Categories) State(ctx context.Context, a lost.Actor) (last lost.CategoryRun, without lost.Total, err error) {
	if err := s.mayRun(a); err != nil {
		return last, without, err
	}
	if last, _, err = s.db.LastCategoryRun(ctx, a.Account); err != nil {
		return last, without, err
	}
	n, err := s.db.CountWithoutCategory(ctx, a.Account, lost.MaxBoundedTotal+1)
	return last, lost.TotalTo(n, lost.MaxBoundedTotal), err
}

// Start begins a run that sets the category of all items that have none. It returns a Conflict error if another run is
// in progress. Earlier runs can no longer be undone.
func (s *Categories) Start(ctx context.Context, a lost.Actor) (r lost.CategoryRun, err error) {
	if err := s.mayRun(a); err != nil {
		return r, err
	}
	total, err := s.db.CountWithoutCategory(ctx, a.Account, lost.MaxBoundedTotal)
	if err != nil {
		return r, err
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		r = lost.NewCategoryRun(a, total, tx.Now())
		added, err := tx.InsertCategoryRun(r)
		if err == nil && !added {
			err = lost.E(lost.Conflict, "Categories are already being suggested.")
		}
		if err != nil {
			return err
		}
		return tx.AddCategoryJob(r)
	})
	if err == nil {
		s.wake()
	}
	return r, err
}

// Undo removes the categories that the last run has set, except from items whose category was changed since.
func (s *Categories) Undo(ctx context.Context, a lost.Actor, id string) (r lost.CategoryRun, err error) {
	if err := s.mayRun(a); err != nil {
		return r, err
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		if r, err = tx.LockCategoryRun(a.Account, id); err != nil {
			return err
		}
		ran := r.State == lost.CategoriesRunning // its job goes on, and undoes
		if err := r.Undo(); err != nil {
			return err
		}
		if err := tx.SaveCategoryRun(r); err != nil || ran {
			return err
		}
		return tx.AddCategoryJob(r)
	})
	if err == nil {
		s.wake()
	}
	return r, err
}

// Continue performs one batch of a run and reports whether more remains. Each batch is one transaction with its
// progress, so that nothing is repeated after a crash.
func (s *Categories) Continue(ctx context.Context, account, id string) (more bool, err error) {
	last, found, err := s.db.LastCategoryRun(ctx, account)
	if err != nil || !found || last.ID != id {
		return false, err
	}
	var items []lost.Item
	if last.State == lost.CategoriesRunning {
		if items, err = s.db.ItemsAfter(ctx, account, last.Position, categoryBatch); err != nil {
			return false, err
		}
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		r, err := tx.LockCategoryRun(account, id)
		if err != nil {
			return err
		}
		switch {
		case r.State == lost.CategoriesUndoing:
			err = undoCategories(tx, &r)
		case r.State == lost.CategoriesRunning && r.Position == last.Position:
			err = setCategories(tx, &r, items)
		}
		more = r.Active()
		if err == nil {
			err = tx.SaveCategoryRun(r)
		}
		return err
	})
	return more, lost.IgnoreNotFound(err)
}

// setCategories sets the categories of a batch of items, as far as they have none and their words name the thing. It
// does nothing that no undo restores. An item with a serial number does not become an identity paper, because its
// number would be masked. An item stays as it is if a keeping rule for the category would have consequences at once:
// its owner or finder might be told, or the desk might dispose of it.
func setCategories(tx *store.Tx, r *lost.CategoryRun, items []lost.Item) error {
	schedules := map[string]lost.ReminderSchedule{}
	for _, i := range items {
		r.Position = i.ID
		if i.Category != "" {
			continue
		}
		r.Checked++
		suggested := category.SuggestFor(i)
		if suggested == "" || suggested.IsIdentity() && i.SerialNumber != "" {
			continue
		}
		schedule, known := schedules[i.LocationID]
		if !known {
			where, err := tx.Location(tx.Context(), i.Account, i.LocationID)
			if err := lost.IgnoreNotFound(err); err != nil {
				return err
			}
			schedule = where.ReminderSchedule()
			schedules[i.LocationID] = schedule
		}
		if schedule.ActsOnCategory(i, suggested, tx.Now()) {
			continue
		}
		set, err := tx.SuggestCategory(r.ID, i, suggested)
		if err != nil {
			return err
		}
		if !set { // somebody changed the item meanwhile, and saw the form with its category
			continue
		}
		r.Changed++
		if err := addCategoryNote(tx, *r, i, lost.NoteCategory); err != nil {
			return err
		}
	}
	if len(items) < categoryBatch {
		r.State, r.EndedAt = lost.CategoriesSet, tx.Now()
	}
	return nil
}

func undoCategories(tx *store.Tx, r *lost.CategoryRun) error {
	set, err := tx.SuggestedCategories(*r, categoryBatch)
	if err != nil {
		return err
	}
	items := make(map[string]lost.Item, len(set))
	ids := make([]string, len(set))
	for n, one := range set {
		ids[n] = one.Item
		items[one.Item] = lost.Item{Account: r.Account, ID: one.Item} // its location may be deleted
	}
	found, err := tx.ItemsAnywhere(tx.Context(), r.Account, ids)
	if err != nil {
		return err
	}
	for _, i := range found {
		items[i.ID] = i
	}
	for _, one := range set {
		undone, err := tx.UndoCategory(*r, one)
		if err != nil {
			return err
		}
		if !undone {
			continue
		}
		r.Undone++
		if err := addCategoryNote(tx, *r, items[one.Item], lost.NoteCategoryUndone); err != nil {
			return err
		}
	}
	if len(set) < categoryBatch {
		r.State, r.EndedAt = lost.CategoriesUndone, tx.Now()
	}
	return nil
}

// addCategoryNote writes into an item's history that the service set or removed its category.
func addCategoryNote(tx *store.Tx, r lost.CategoryRun, i lost.Item, note lost.NoteKind) error {
	e := lost.NewEntry(lost.Actor{Kind: lost.ByService, Account: r.Account}, lost.Updated, tx.Now())
	e.Fields, e.Note = []string{"category"}, lost.Note(note)
	return tx.AddHistory(i, e)
}
