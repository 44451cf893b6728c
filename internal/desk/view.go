package desk

import (
	"context"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// Views saves the filters of lists under names.
type Views struct {
	db *store.DB
}

// ViewsOptions are the dependencies of Views.
type ViewsOptions struct {
	DB *store.DB
}

// NewViews makes Views.
func NewViews(o ViewsOptions) *Views {
	return &Views{
		db: o.DB,
	}
}

// shownViews is how many views of others a list is offered with.
const shownViews = 50

// Views lists the views that a person sees: their own, and those that others share.
func (s *Views) Views(ctx context.Context, a lost.Actor) ([]lost.View, error) {
	if err := mayView(a); err != nil {
		return nil, err
	}
	return s.db.Views(ctx, a.Account, a.ID, shownViews)
}

// CreateView keeps what narrows a list, under a name.
func (s *Views) CreateView(ctx context.Context, a lost.Actor, p lost.ViewPatch) (v lost.View, err error) {
	if err := mayView(a); err != nil {
		return v, err
	}
	if p.Shared.Value {
		if err := a.May(lost.Handle); err != nil {
			return v, err
		}
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		if v, err = lost.NewView(a.Account, a.ID, p, tx.Now()); err != nil {
			return err
		}
		n, err := tx.CountViews(ctx, a.Account, a.ID)
		if err != nil {
			return err
		}
		if n >= lost.MaxViews {
			return lost.E(lost.Conflict, "You have %d views, which is the most there can be. Delete one first.",
				lost.MaxViews)
		}
		return tx.InsertView(v)
	})
	return v, err
}

// UpdateView sets what was sent and leaves the rest.
func (s *Views) UpdateView(ctx context.Context, a lost.Actor, id string, p lost.ViewPatch) (v lost.View, err error) {
	err = s.changeView(ctx, a, id, func(tx *store.Tx, found lost.View) error {
		v = found
		if p.Shared.Sent && p.Shared.Value != v.Shared {
			if err := a.May(lost.Handle); err != nil {
				return err
			}
		}
		if err := v.Update(p); err != nil {
			return err
		}
		return tx.SaveView(v)
	})
	return v, err
}

// DeleteView removes a view.
func (s *Views) DeleteView(ctx context.Context, a lost.Actor, id string) error {
	return s.changeView(ctx, a, id, func(tx *store.Tx, v lost.View) error { return tx.DeleteView(v.Account, v.ID) })
}

// changeView changes a view of the person's own, or one that is shared, which is everybody's who handles items.
func (s *Views) changeView(ctx context.Context, a lost.Actor, id string, change func(*store.Tx,
	lost.View) error) error {
	if err := mayView(a); err != nil {
		return err
	}
	return s.db.Write(ctx, func(tx *store.Tx) error {
		v, err := tx.LockView(a.Account, id)
		switch {
		case err != nil:
			return err
		case v.UserID == a.ID:
			return change(tx, v)
		case !v.Shared:
			return lost.Missing("view")
		}
		if err := a.May(lost.Handle); err != nil {
			return err
		}
		return change(tx, v)
	})
}

// mayView is nil, or why the actor has no views: they are of people who see items.
func mayView(a lost.Actor) error {
	if a.Kind != lost.ByUser {
		return lost.E(lost.Forbidden, "Views belong to people.")
	}
	return a.May(lost.Look)
}
