// Package endpoint implements the use cases of webhooks: endpoints, their secrets, events, deliveries and replays.
// Package webhook sends the requests.
package endpoint

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
	v1 "homeward/internal/v1"
)

// Service manages webhooks, their events and deliveries.
type Service struct {
	db             *store.DB
	wire           v1.Encoder
	now            func() time.Time
	log            access.Log
	hooks          Hooks
	wakeDeliveries func(...store.EndpointQueue)
}

// Options are the dependencies of a Service.
type Options struct {
	DB             *store.DB
	Wire           v1.Encoder
	Now            func() time.Time
	Log            access.Log
	Hooks          Hooks
	WakeDeliveries func(...store.EndpointQueue)
}

// New creates a Service.
func New(o Options) *Service {
	return &Service{
		db: o.DB, wire: o.Wire, now: o.Now, log: o.Log, hooks: o.Hooks, wakeDeliveries: o.WakeDeliveries,
	}
}

// Hooks validates webhook URLs and sends requests to them. It is called outside transactions.
type Hooks interface {
	// Check returns the problems with a webhook's URL and headers.
	Check(e lost.Endpoint) lost.Problems
	NewSecret() string
	// Send makes one attempt to deliver a body.
	Send(ctx context.Context, e lost.Endpoint, d lost.Delivery, body []byte) lost.Attempt
}

// CreateEndpoint registers a webhook. It returns an error unless the URL responds with 200 to a signed verification
// request. A repeated request returns the webhook with its secret again, because the client may not have received it,
// but not after the webhook was deleted or got another secret.
func (w *Service) CreateEndpoint(ctx context.Context, a lost.Actor, p lost.EndpointPatch,
	o lost.IdempotencyKey) (e lost.Endpoint, err error) {
	if err := access.MayManage(a, lost.ManageIntegrations); err != nil {
		return e, err
	}
	if e, found, err := access.FindCreated[lost.Endpoint](ctx, w.db, a, o); err != nil {
		return e, err
	} else if found {
		now, err := w.db.Endpoint(ctx, a.Account, e.ID)
		return returnAgain(e, now, err)
	}
	e, err = lost.NewEndpoint(a.Account, p, w.db.Now())
	missing, failure := w.missingLocations(ctx, e, lost.Endpoint{})
	if failure != nil {
		return e, failure
	}
	if err != nil || len(missing) > 0 {
		return e, withProblems(err, append(missing, w.hooks.Check(e)...))
	}
	e.Secret = w.hooks.NewSecret()
	if err := w.verify(ctx, e); err != nil {
		return e, err
	}
	created := e
	err = w.db.Write(ctx, func(tx *store.Tx) error {
		repeated := true
		e, err = access.CreateOnce(tx, a, o, func() (lost.Endpoint, error) {
			repeated = false
			if _, err := tx.LockAccount(a.Account); err != nil { // otherwise concurrent calls could exceed the limit
				return created, err
			}
			all, err := tx.Endpoints(ctx, a.Account)
			if err != nil {
				return created, err
			}
			if len(all) >= lost.MaxEndpoints {
				return created,
					lost.E(lost.LimitReached,
						"The account has %d webhooks, which is the maximum. Delete one first.",
						lost.MaxEndpoints)
			}
			if err := tx.InsertEndpoint(created); err != nil {
				return created, err
			}
			return created, access.Audit(tx, a, lost.WebhookCreated, created.ID, created.Host())
		})
		if err != nil || !repeated {
			return err
		}
		now, err := tx.Endpoint(ctx, a.Account, e.ID)
		e, err = returnAgain(e, now, err)
		return err
	})
	return e, err
}

// returnAgain returns a webhook as it was created or rotated, for a repeated request. now is the stored webhook, and
// err is the error of reading it. The result is a Conflict if the webhook was deleted, or has another secret now.
func returnAgain(first, now lost.Endpoint, err error) (lost.Endpoint, error) {
	switch {
	case lost.CodeOf(err) == lost.NotFound:
		err = lost.E(lost.ResponseGone, "This request was already processed, and its webhook has been deleted. "+
			"To create another webhook, send the request with a new Idempotency-Key.")
	case err == nil && now.Secret != first.Secret:
		err = lost.E(lost.ResponseGone, "This request was already processed, and its webhook has a new secret. "+
			"Retrieve the webhook's secret instead.")
	}
	if err != nil {
		return lost.Endpoint{}, err
	}
	return first, nil
}

// withProblems adds problems to a validation error, unless their field already has one.
func withProblems(err error, more lost.Problems) error {
	problems := lost.ProblemsOf(err)
	for _, p := range more {
		if !problems.Has(p.Field) {
			problems = append(problems, p)
		}
	}
	if err := problems.Err(); err != nil {
		return err
	}
	return err
}

// missingLocations returns a problem for each location that a webhook is newly limited to and that does not exist. A
// location that was deleted later can stay.
func (w *Service) missingLocations(ctx context.Context, e, before lost.Endpoint) (p lost.Problems, err error) {
	for _, id := range e.Locations {
		if slices.Contains(before.Locations, id) {
			continue
		}
		_, err := w.db.Location(ctx, e.Account, id)
		if lost.CodeOf(err) == lost.NotFound {
			p.Add("locations", "not-found", "must contain only locations of this account; there is no location %s", id)
			return p, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// verify sends a verification request to a webhook. It returns an error unless the response is 200.
func (w *Service) verify(ctx context.Context, e lost.Endpoint) error {
	if err := w.hooks.Check(e).Err(); err != nil {
		return err
	}
	body, err := w.wire.EmptyBody(lost.Event{Type: lost.Verification, At: w.db.Now()})
	if err != nil {
		return fmt.Errorf("encode a verification request: %w", err)
	}
	attempt := w.hooks.Send(ctx, e, lost.Delivery{ID: lost.NewID(lost.DeliveryID, w.db.Now())}, body)
	if attempt.Delivered() {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	said := attempt.Error
	if attempt.Response != "" {
		said += ", and said: " + lost.Shorten(attempt.Response, 200)
	}
	var p lost.Problems
	p.Add("url", "not-verified", "must answer the verification request with 200; %s", said)
	return Unverified{Attempt: attempt, error: p.Err()}
}

// Unverified is the error for a URL that failed verification. It contains the URL's response.
type Unverified struct {
	Attempt lost.Attempt
	error
}

func (u Unverified) Unwrap() error { return u.error }

// Endpoints lists the account's webhooks, oldest first.
func (w *Service) Endpoints(ctx context.Context, a lost.Actor,
	page lost.Page) (list lost.List[lost.Endpoint], err error) {
	if err := access.MayViewAccount(a, lost.ManageIntegrations); err != nil {
		return list, err
	}
	all, err := w.db.Endpoints(ctx, a.Account)
	list.Page, list.Total = page, lost.TotalOf(len(all))
	from := min(page.Offset(), len(all))
	list.Data = all[from:min(from+page.Limit, len(all))]
	return list, err
}

// Endpoint returns a webhook.
func (w *Service) Endpoint(ctx context.Context, a lost.Actor, id string) (lost.Endpoint, error) {
	if err := access.MayViewAccount(a, lost.ManageIntegrations); err != nil {
		return lost.Endpoint{}, err
	}
	return w.db.Endpoint(ctx, a.Account, id)
}

// Secret returns a webhook with its signing secrets, and writes an audit entry. It returns an error if the actor may
// not change the webhook.
func (w *Service) Secret(ctx context.Context, a lost.Actor, id string) (e lost.Endpoint, err error) {
	if err := access.MayManage(a, lost.ManageIntegrations); err != nil {
		return e, err
	}
	err = w.db.Write(ctx, func(tx *store.Tx) error {
		if e, err = tx.Endpoint(ctx, a.Account, id); err != nil {
			return err
		}
		e.ForgetOldSecrets(tx.Now())
		return access.Audit(tx, a, lost.SecretRevealed, e.ID, e.Host())
	})
	return e, err
}

// UpdateEndpoint sets the webhook's fields that are present in the patch. A new URL is verified as in CreateEndpoint.
// Disabling the webhook cancels its pending deliveries.
func (w *Service) UpdateEndpoint(ctx context.Context, a lost.Actor, id string, p lost.EndpointPatch,
	conditions ...lost.Condition[lost.Endpoint]) (e lost.Endpoint, err error) {
	if err := access.MayManage(a, lost.ManageIntegrations); err != nil {
		return e, err
	}
	before, err := w.db.Endpoint(ctx, a.Account, id)
	if err != nil {
		return e, err
	}
	change := func(e *lost.Endpoint, now time.Time) error {
		if err := lost.CheckConditions(*e, conditions); err != nil {
			return err
		}
		p := p // change is called twice and must not modify the caller's patch
		p.Problems = slices.Clone(p.Problems)
		if err := w.wire.CheckReadOnlyWebhook(&p, *e); err != nil {
			return err
		}
		return e.Update(p, now)
	}
	after := before
	err = change(&after, w.db.Now())
	missing, failure := w.missingLocations(ctx, after, before)
	if failure != nil {
		return e, failure
	}
	if err := withProblems(err, append(missing, slices.DeleteFunc(w.hooks.Check(after), func(f lost.FieldError) bool {
		// Values that do not change were accepted before, so they are not checked again.
		return f.Field == "url" && after.URL == before.URL || f.Field != "url" && !p.Headers.Sent
	})...)); err != nil {
		return e, err
	}
	if after.URL != before.URL {
		if err := w.verify(ctx, after); err != nil {
			return e, err
		}
	}
	return w.changeEndpoint(ctx, a, id, change)
}

// changeEndpoint changes a webhook. If the change disables the webhook, its pending deliveries are cancelled.
func (w *Service) changeEndpoint(ctx context.Context, a lost.Actor, id string, change func(*lost.Endpoint,
	time.Time) error) (e lost.Endpoint, err error) {
	err = w.db.Write(ctx, func(tx *store.Tx) error {
		if e, err = tx.LockEndpoint(a.Account, id); err != nil {
			return err
		}
		before := e
		if err := change(&e, tx.Now()); err != nil {
			return err
		}
		if changed := e.Changes(before); len(changed) > 0 {
			if err := access.Audit(tx, a, lost.WebhookChanged, e.ID,
				e.Host()+": "+strings.Join(changed, ", ")); err != nil {
				return err
			}
		}
		if err := tx.SaveEndpoint(e); err != nil || e.Enabled {
			return err
		}
		return cancelWaiting(tx, a.Account, id)
	})
	if err == nil && !e.Enabled {
		w.wakeDeliveries(store.EndpointQueue{Account: a.Account, Endpoint: id})
	}
	return e, err
}

// cancelWaiting cancels pending deliveries to a disabled or deleted webhook. If there are many, the delivery worker
// cancels the rest.
func cancelWaiting(tx *store.Tx, account, id string) error {
	const atOnce = 500
	_, err := tx.CancelDeliveryBatch(store.EndpointQueue{Account: account, Endpoint: id}, atOnce)
	return err
}

// RotateSecret replaces the secret of a webhook. For one more day, deliveries are signed with both the old and the
// new secret. A repeated request returns the new secret again, as in CreateEndpoint.
func (w *Service) RotateSecret(ctx context.Context, a lost.Actor, id string,
	o lost.IdempotencyKey) (e lost.Endpoint, err error) {
	if err := access.MayManage(a, lost.ManageIntegrations); err != nil {
		return e, err
	}
	err = w.db.Write(ctx, func(tx *store.Tx) error {
		repeated := true
		e, err = access.CreateOnce(tx, a, o, func() (lost.Endpoint, error) {
			repeated = false
			e, err := tx.LockEndpoint(a.Account, id)
			if err != nil {
				return e, err
			}
			e.Rotate(w.hooks.NewSecret(), tx.Now())
			if err := tx.SaveEndpoint(e); err != nil {
				return e, err
			}
			return e, access.Audit(tx, a, lost.SecretRotated, e.ID, e.Host())
		})
		if err != nil || !repeated {
			return err
		}
		now, err := tx.Endpoint(ctx, a.Account, e.ID)
		e, err = returnAgain(e, now, err)
		return err
	})
	return e, err
}

// DeleteEndpoint deletes a webhook and cancels its pending deliveries.
func (w *Service) DeleteEndpoint(ctx context.Context, a lost.Actor, id string,
	conditions ...lost.Condition[lost.Endpoint]) error {
	if err := access.MayManage(a, lost.ManageIntegrations); err != nil {
		return err
	}
	err := w.db.Write(ctx, func(tx *store.Tx) error {
		e, err := tx.LockEndpoint(a.Account, id)
		if err != nil {
			return err
		}
		if err := lost.CheckConditions(e, conditions); err != nil {
			return err
		}
		if err := tx.DeleteEndpoint(a.Account, id); err != nil {
			return err
		}
		if err := access.Audit(tx, a, lost.WebhookDeleted, e.ID, e.Host()); err != nil {
			return err
		}
		return cancelWaiting(tx, a.Account, id)
	})
	if err == nil {
		w.wakeDeliveries(store.EndpointQueue{Account: a.Account, Endpoint: id})
	}
	return err
}
