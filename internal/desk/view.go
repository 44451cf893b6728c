package desk

import (
	"context"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// Views manages saved views: list filters that users save under a name.
type Views struct {
	db *store.DB
}

// ViewsOptions are the dependencies of Views.
type ViewsOptions struct {
	DB *store.DB
}

// NewViews creates Views.
func NewViews(o ViewsOptions) *Views {
	return &Views{
		db: o.DB,
	}
}

// shownViews is the maximum number of listed views that belong to other users.
const shownViews = 50

// List lists the user's own views, and views that other users share.
func (s *Views) List(ctx context.Context, a lost.Actor) ([]lost.View, error) {
	if err := mayView(a); err != nil {
		return nil, err
	}
	return s.db.Views(ctx, a.Account, a.ID, shownViews)
}

// Create saves a list filter under a name.
func (s *Views) Create(ctx context.Context, a lost.Actor, p lost.ViewPatch) (v lost.View, err error) {
	if err := mayView(a); err != nil {
		return v, err
	}
	if p.Shared.Value {
		if err := a.May(lost.HandleItems); err != nil {
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
			return lost.E(lost.Conflict, "You have %d views, which is the maximum. Delete one first.",
				lost.MaxViews)
		}
		return tx.InsertView(v)
	})
	return v, err
}

// Update sets the view's fields that are present in the patch.
func (s *Views) Update(ctx context.Context, a lost.Actor, id string, p lost.ViewPatch) (v lost.View, err error) {
	err = s.changeView(ctx, a, id, func(tx *store.Tx, found lost.View) error {
		v = found
		if p.Shared.Sent && p.Shared.Value != v.Shared {
			if err := a.May(lost.HandleItems); err != nil {
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

// Delete removes a view.
func (s *Views) Delete(ctx context.Context, a lost.Actor, id string) error {
	return s.changeView(ctx, a, id, func(tx *store.Tx, v lost.View) error { return tx.DeleteView(v.Account, v.ID) })
}

// changeView changes a view. Users may change their own views, and shared views if they may handle items.
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
		if err := a.May(lost.HandleItems); err != nil {
			return err
		}
		return change(tx, v)
	})
}

// mayView returns an error unless the actor is a user who may view items. Other actors cannot have views.
func mayView(a lost.Actor) error {
	if a.Kind != lost.ByUser {
		return lost.E(lost.Forbidden, "Only users can have views.")
	}
	return a.May(lost.ViewItems)
}
