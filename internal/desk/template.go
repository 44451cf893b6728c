package desk

import (
	"context"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// Templates manages the texts that desks use again in messages to guests.
type Templates struct{ db *store.DB }

// TemplatesOptions are the dependencies of Templates.
type TemplatesOptions struct{ DB *store.DB }

// NewTemplates creates Templates.
func NewTemplates(o TemplatesOptions) *Templates { return &Templates{db: o.DB} }

// List lists the account's templates, oldest first.
func (s *Templates) List(ctx context.Context, a lost.Actor) ([]lost.MessageTemplate, error) {
	if err := a.May(lost.HandleItems); err != nil {
		return nil, err
	}
	return s.db.MessageTemplates(ctx, a.Account)
}

// ListForChange is List for somebody who wants to change the templates.
func (s *Templates) ListForChange(ctx context.Context, a lost.Actor) ([]lost.MessageTemplate, error) {
	if err := access.MayManage(a, lost.ManageAccount); err != nil {
		return nil, err
	}
	return s.db.MessageTemplates(ctx, a.Account)
}

// Get returns a template.
func (s *Templates) Get(ctx context.Context, a lost.Actor, id string) (t lost.MessageTemplate, err error) {
	if err := a.May(lost.HandleItems); err != nil {
		return t, err
	}
	return s.db.MessageTemplate(ctx, a.Account, id)
}

// Save creates a template, or updates the one with the given id.
func (s *Templates) Save(ctx context.Context, a lost.Actor, id string,
	p lost.TemplatePatch) (t lost.MessageTemplate, err error) {
	err = s.change(ctx, a, func(tx *store.Tx) (name string, err error) {
		if t, err = applyTemplate(tx, id, a.Account, p); err != nil {
			return "", err
		}
		return t.Name, tx.SaveMessageTemplate(t)
	})
	return t, err
}

// applyTemplate returns the new or changed template.
func applyTemplate(tx *store.Tx, id, account string, p lost.TemplatePatch) (t lost.MessageTemplate, err error) {
	if id != "" {
		if t, err = tx.MessageTemplate(tx.Context(), account, id); err != nil {
			return t, err
		}
		return t, t.Update(p)
	}
	if t, err = lost.NewMessageTemplate(account, p, tx.Now()); err != nil {
		return t, err
	}
	all, err := tx.MessageTemplates(tx.Context(), account)
	if err == nil && len(all) >= lost.MaxTemplates {
		err = lost.E(lost.LimitReached, "There are %d templates, which is the maximum. Delete one first.",
			lost.MaxTemplates)
	}
	return t, err
}

// Delete deletes a template.
func (s *Templates) Delete(ctx context.Context, a lost.Actor, id string) error {
	return s.change(ctx, a, func(tx *store.Tx) (name string, err error) {
		t, err := tx.MessageTemplate(ctx, a.Account, id)
		if err != nil {
			return "", err
		}
		return t.Name, tx.DeleteMessageTemplate(a.Account, id)
	})
}

// change changes a template, and adds its name to the audit log. It locks the account, so that the number of templates
// stays within the limit.
func (s *Templates) change(ctx context.Context, a lost.Actor, change func(*store.Tx) (name string, err error)) error {
	if err := access.MayManage(a, lost.ManageAccount); err != nil {
		return err
	}
	return s.db.Write(ctx, func(tx *store.Tx) error {
		if _, err := tx.LockAccount(a.Account); err != nil {
			return err
		}
		name, err := change(tx)
		if err != nil {
			return err
		}
		return access.Audit(tx, a, lost.AccountChanged, a.Account, "message template: "+name)
	})
}
