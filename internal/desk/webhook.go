package desk

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// Hooks judges and calls the addresses of endpoints. It is met outside transactions.
type Hooks interface {
	// Check tells what is wrong with an endpoint's address and headers.
	Check(e lost.Endpoint) lost.Problems
	NewSecret() string
	// Send makes one attempt to deliver a body.
	Send(ctx context.Context, e lost.Endpoint, d lost.Delivery, body []byte) lost.Attempt
}

// CreateEndpoint registers an address, if it answers to a signed check.
func (d *Desk) CreateEndpoint(ctx context.Context, a lost.Actor, p lost.EndpointPatch, o lost.IdempotencyKey) (e lost.Endpoint, err error) {
	if err := mayManage(a, lost.Integrate); err != nil {
		return e, err
	}
	if e, found, err := recall[lost.Endpoint](ctx, d, a, o); found || err != nil {
		return e, err
	}
	if e, err = lost.NewEndpoint(a.Account, p, d.db.Now()); err != nil {
		return e, withProblems(err, d.hooks.Check(e))
	}
	e.Secret = d.hooks.NewSecret()
	if err := d.verify(ctx, e); err != nil {
		return e, err
	}
	made := e
	err = d.db.Write(ctx, func(tx *store.Tx) error {
		e, err = once(tx, a, o, func() (lost.Endpoint, error) {
			if _, err := tx.LockAccount(a.Account); err != nil { // two at once would each count the other out
				return made, err
			}
			all, err := tx.Endpoints(ctx, a.Account)
			if err != nil {
				return made, err
			}
			if len(all) >= lost.MaxEndpoints {
				return made, lost.E(lost.Conflict, "The account has %d webhooks, which is the most it can have. Delete one that nobody needs.", lost.MaxEndpoints)
			}
			return made, cmp.Or(tx.InsertEndpoint(made), audit(tx, a, lost.WebhookCreated, made.ID, made.Host()))
		})
		return err
	})
	return e, err
}

// withProblems adds what else is wrong to an error about fields, each field once.
func withProblems(err error, more lost.Problems) error {
	problems := lost.ProblemsOf(err)
	for _, p := range more {
		if !problems.Has(p.Field) {
			problems = append(problems, p)
		}
	}
	return cmp.Or(problems.Err(), err)
}

// verify checks an address and calls it: only one that answers 200 is registered.
func (d *Desk) verify(ctx context.Context, e lost.Endpoint) error {
	if err := d.hooks.Check(e).Err(); err != nil {
		return err
	}
	body, err := d.wire.EmptyBody(lost.Event{Type: lost.Verification, At: d.db.Now()})
	if err != nil {
		return fmt.Errorf("write a check: %w", err)
	}
	attempt := d.hooks.Send(ctx, e, lost.Delivery{ID: lost.NewID(lost.DeliveryID, d.db.Now())}, body)
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
	p.Add("url", "not-verified", "must answer 200 to the check that was sent to it; %s", said)
	return Unverified{Attempt: attempt, error: p.Err()}
}

// Unverified is the error of an address that did not answer to the check as it must, with what came back.
type Unverified struct {
	Attempt lost.Attempt
	error
}

func (u Unverified) Unwrap() error { return u.error }

// Endpoints lists the account's webhooks, oldest first.
func (d *Desk) Endpoints(ctx context.Context, a lost.Actor, page lost.Page) (list lost.List[lost.Endpoint], err error) {
	if err := mayOversee(a, lost.Integrate); err != nil {
		return list, err
	}
	all, err := d.db.Endpoints(ctx, a.Account)
	list.Page, list.Total = page, lost.TotalOf(len(all))
	from := min(page.Offset(), len(all))
	list.Data = all[from:min(from+page.Limit, len(all))]
	return list, err
}

// Endpoint gives a webhook.
func (d *Desk) Endpoint(ctx context.Context, a lost.Actor, id string) (lost.Endpoint, error) {
	if err := mayOversee(a, lost.Integrate); err != nil {
		return lost.Endpoint{}, err
	}
	return d.db.Endpoint(ctx, a.Account, id)
}

// Secret gives a webhook with the secrets that sign, to an actor who may change it, and writes down who saw them.
func (d *Desk) Secret(ctx context.Context, a lost.Actor, id string) (e lost.Endpoint, err error) {
	if err := mayManage(a, lost.Integrate); err != nil {
		return e, err
	}
	err = d.db.Write(ctx, func(tx *store.Tx) error {
		if e, err = tx.Endpoint(ctx, a.Account, id); err != nil {
			return err
		}
		e.ForgetOldSecrets(tx.Now())
		return audit(tx, a, lost.SecretRevealed, e.ID, e.Host())
	})
	return e, err
}

// UpdateEndpoint sets what was sent and leaves the rest. A new address is checked as at registration. Switching the
// webhook off cancels what waits for it.
func (d *Desk) UpdateEndpoint(ctx context.Context, a lost.Actor, id string, p lost.EndpointPatch) (e lost.Endpoint, err error) {
	if err := mayManage(a, lost.Integrate); err != nil {
		return e, err
	}
	before, err := d.db.Endpoint(ctx, a.Account, id)
	if err != nil {
		return e, err
	}
	change := func(e *lost.Endpoint, now time.Time) error {
		p := p // it is applied twice
		p.Problems = slices.Clone(p.Problems)
		d.wire.SettleWebhook(&p, *e)
		return e.Update(p, now)
	}
	after := before
	err = change(&after, d.db.Now())
	if err := withProblems(err, slices.DeleteFunc(d.hooks.Check(after), func(f lost.FieldError) bool {
		return f.Field == "url" && after.URL == before.URL || f.Field != "url" && !p.Headers.Sent // it was taken before
	})); err != nil {
		return e, err
	}
	if after.URL != before.URL {
		if err := d.verify(ctx, after); err != nil {
			return e, err
		}
	}
	return d.changeEndpoint(ctx, a, id, change)
}

// changeEndpoint changes a webhook, and settles what waits for one that is off.
func (d *Desk) changeEndpoint(ctx context.Context, a lost.Actor, id string, change func(*lost.Endpoint, time.Time) error) (e lost.Endpoint, err error) {
	err = d.db.Write(ctx, func(tx *store.Tx) error {
		if e, err = tx.LockEndpoint(a.Account, id); err != nil {
			return err
		}
		before := e
		if err := change(&e, tx.Now()); err != nil {
			return err
		}
		if changed := e.Changes(before); len(changed) > 0 {
			if err := audit(tx, a, lost.WebhookChanged, e.ID, e.Host()+": "+strings.Join(changed, ", ")); err != nil {
				return err
			}
		}
		if err := tx.SaveEndpoint(e); err != nil || e.Enabled {
			return err
		}
		return settle(tx, a.Account, id)
	})
	if err == nil && !e.Enabled {
		d.nudgeLanes(store.Lane{Account: a.Account, Endpoint: id})
	}
	return e, err
}

// settle cancels what waits for a webhook that is off or gone. Of a long queue the rest follows: its lane finds it so.
func settle(tx *store.Tx, account, id string) error {
	const atOnce = 500
	_, err := tx.CancelSome(store.Lane{Account: account, Endpoint: id}, atOnce)
	return err
}

// RotateSecret gives a webhook a new secret; the old one signs beside it for a day.
func (d *Desk) RotateSecret(ctx context.Context, a lost.Actor, id string, o lost.IdempotencyKey) (e lost.Endpoint, err error) {
	if err := mayManage(a, lost.Integrate); err != nil {
		return e, err
	}
	err = d.db.Write(ctx, func(tx *store.Tx) error {
		e, err = once(tx, a, o, func() (lost.Endpoint, error) {
			e, err := tx.LockEndpoint(a.Account, id)
			if err != nil {
				return e, err
			}
			e.Rotate(d.hooks.NewSecret(), tx.Now())
			return e, cmp.Or(tx.SaveEndpoint(e), audit(tx, a, lost.SecretRotated, e.ID, e.Host()))
		})
		return err
	})
	return e, err
}

// DeleteEndpoint removes a webhook and cancels what waits for it.
func (d *Desk) DeleteEndpoint(ctx context.Context, a lost.Actor, id string) error {
	if err := mayManage(a, lost.Integrate); err != nil {
		return err
	}
	err := d.db.Write(ctx, func(tx *store.Tx) error {
		e, err := tx.LockEndpoint(a.Account, id)
		if err != nil {
			return err
		}
		if err := cmp.Or(tx.DeleteEndpoint(a.Account, id), audit(tx, a, lost.WebhookDeleted, e.ID, e.Host())); err != nil {
			return err
		}
		return settle(tx, a.Account, id)
	})
	if err == nil {
		d.nudgeLanes(store.Lane{Account: a.Account, Endpoint: id})
	}
	return err
}

// TestEndpoint sends a test event to a webhook alone, whatever events it wants.
func (d *Desk) TestEndpoint(ctx context.Context, a lost.Actor, id string, o lost.IdempotencyKey) (lost.Delivery, error) {
	return d.deliver(ctx, a, id, o, func(tx *store.Tx) (lost.Delivery, error) {
		e := lost.Event{Account: a.Account, ID: lost.NewID(lost.EventID, tx.Now()), Type: lost.TestEvent, At: tx.Now()}
		var err error
		if e.Body, err = d.wire.EmptyBody(e); err != nil {
			return lost.Delivery{}, fmt.Errorf("write a test event: %w", err)
		}
		if err := audit(tx, a, lost.WebhookTested, id, ""); err != nil {
			return lost.Delivery{}, err
		}
		return tx.AddEventFor(e, id)
	})
}

// Replay makes deliveries to a webhook once more, as asked: all that failed since a time, or one event. It tells how many.
func (d *Desk) Replay(ctx context.Context, a lost.Actor, id string, p lost.ReplayPatch, o lost.IdempotencyKey) (int, error) {
	if err := p.Check(); err != nil {
		return 0, err
	}
	if p.Event.Sent && !p.Event.Null {
		_, err := d.ReplayEvent(ctx, a, id, p.Event.Value, o)
		return 1, err
	}
	return d.ReplayFailed(ctx, a, id, p.Since.Value, o)
}

// ReplayEvent sends an event to a webhook once more, or for the first time.
func (d *Desk) ReplayEvent(ctx context.Context, a lost.Actor, id, event string, o lost.IdempotencyKey) (lost.Delivery, error) {
	return d.deliver(ctx, a, id, o, func(tx *store.Tx) (lost.Delivery, error) {
		e, err := tx.Event(ctx, a.Account, event)
		if err != nil {
			return lost.Delivery{}, err
		}
		if err := audit(tx, a, lost.Replayed, id, "event "+e.ID); err != nil {
			return lost.Delivery{}, err
		}
		return tx.AddDelivery(e, id)
	})
}

// deliver makes a delivery to a webhook that is on, and has it attempted at once.
func (d *Desk) deliver(ctx context.Context, a lost.Actor, id string, o lost.IdempotencyKey, add func(*store.Tx) (lost.Delivery, error)) (v lost.Delivery, err error) {
	if err := mayManage(a, lost.Integrate); err != nil {
		return v, err
	}
	err = d.db.Write(ctx, func(tx *store.Tx) error {
		v, err = once(tx, a, o, func() (v lost.Delivery, err error) {
			if err := isOn(tx.LockEndpoint(a.Account, id)); err != nil {
				return v, err
			}
			return add(tx)
		})
		return err
	})
	if err == nil {
		d.nudgeLanes(store.Lane{Account: a.Account, Endpoint: id})
	}
	return v, err
}

// isOn is nil for a webhook that is switched on.
func isOn(e lost.Endpoint, err error) error {
	if err == nil && !e.Enabled {
		return lost.E(lost.Conflict, "This webhook is switched off. Switch it on first.")
	}
	return err
}

// ReplayDelivery makes a settled delivery once more.
func (d *Desk) ReplayDelivery(ctx context.Context, a lost.Actor, id string, o lost.IdempotencyKey) (v lost.Delivery, err error) {
	if err := mayManage(a, lost.Integrate); err != nil {
		return v, err
	}
	err = d.db.Write(ctx, func(tx *store.Tx) error {
		v, err = once(tx, a, o, func() (lost.Delivery, error) { return replay(ctx, tx, a, id) })
		return err
	})
	if err == nil {
		d.nudgeLanes(store.Lane{Account: a.Account, Endpoint: v.EndpointID})
	}
	return v, err
}

func replay(ctx context.Context, tx *store.Tx, a lost.Actor, id string) (v lost.Delivery, err error) {
	account := a.Account
	if v, err = tx.LockDelivery(account, id); err != nil {
		return v, err
	}
	switch err := isOn(tx.LockEndpoint(account, v.EndpointID)); {
	case lost.CodeOf(err) == lost.NotFound:
		return v, lost.E(lost.Conflict, "The webhook of this delivery was deleted.")
	case err != nil:
		return v, err
	}
	if _, err := tx.Event(ctx, account, v.EventID); lost.CodeOf(err) == lost.NotFound {
		return v, lost.E(lost.Conflict, "The event of this delivery is no longer kept.")
	} else if err != nil {
		return v, err
	}
	if err := v.Replay(tx.Now()); err != nil {
		return v, err
	}
	return v, cmp.Or(tx.SaveReplayed(v), audit(tx, a, lost.Replayed, v.EndpointID, "delivery "+v.ID))
}

// ReplayFailed makes every delivery to a webhook once more that failed and was made since a time. It tells how many.
func (d *Desk) ReplayFailed(ctx context.Context, a lost.Actor, id string, since time.Time, o lost.IdempotencyKey) (n int, err error) {
	if err := mayManage(a, lost.Integrate); err != nil {
		return 0, err
	}
	if n, found, err := recall[int](ctx, d, a, o); found || err != nil {
		return n, err
	}
	n, err = d.replayPieces(ctx, store.Lane{Account: a.Account, Endpoint: id}, since)
	if err != nil {
		return n, err
	}
	all := n
	err = d.db.Write(ctx, func(tx *store.Tx) error {
		n, err = once(tx, a, o, func() (int, error) {
			return all, audit(tx, a, lost.Replayed, id, fmt.Sprintf("%d that failed", all))
		})
		return err
	})
	return n, err
}

func (d *Desk) replayPieces(ctx context.Context, l store.Lane, since time.Time) (n int, err error) {
	const piece = 500
	defer d.nudgeLanes(l)
	until, after, replayed := d.db.Now(), "", piece
	for replayed == piece {
		var last string
		err = d.db.Write(ctx, func(tx *store.Tx) error { // may run twice: what it found counts after the commit
			if err := isOn(tx.Endpoint(ctx, l.Account, l.Endpoint)); err != nil {
				return err
			}
			last, replayed, err = tx.ReplayFailed(l, since, until, after, piece)
			return err
		})
		if err != nil {
			return n, err
		}
		after, n = last, n+replayed
	}
	return n, nil
}

// Deliveries lists what was sent to a webhook, newest first.
func (d *Desk) Deliveries(ctx context.Context, a lost.Actor, f lost.DeliveryFilter) (list lost.List[lost.Delivery], err error) {
	if _, err := d.Endpoint(ctx, a, f.Endpoint); err != nil {
		return list, err
	}
	return d.db.Deliveries(ctx, a.Account, f)
}

// Delivery gives one delivery.
func (d *Desk) Delivery(ctx context.Context, a lost.Actor, id string) (lost.Delivery, error) {
	if err := mayOversee(a, lost.Integrate); err != nil {
		return lost.Delivery{}, err
	}
	return d.db.Delivery(ctx, a.Account, id)
}

// EventDeliveries lists what was sent of an event, newest first; there are few.
func (d *Desk) EventDeliveries(ctx context.Context, a lost.Actor, event string) ([]lost.Delivery, error) {
	if err := mayOversee(a, lost.Integrate); err != nil {
		return nil, err
	}
	return d.db.DeliveriesOf(ctx, a.Account, event)
}

// Events lists what happened, newest first.
func (d *Desk) Events(ctx context.Context, a lost.Actor, f lost.EventFilter) (list lost.List[lost.Event], err error) {
	if err := mayOversee(a, lost.Integrate); err != nil {
		return list, err
	}
	if list, err = d.db.Events(ctx, a.Account, f); len(list.Data) > 0 {
		d.sightings.note(a, lost.EventsSeen, "", f.Item, d.now())
	}
	return list, err
}

// Event gives one event.
func (d *Desk) Event(ctx context.Context, a lost.Actor, id string) (lost.Event, error) {
	if err := mayOversee(a, lost.Integrate); err != nil {
		return lost.Event{}, err
	}
	e, err := d.db.Event(ctx, a.Account, id)
	if err == nil {
		d.sightings.note(a, lost.EventsSeen, e.LocationID, e.ItemID, d.now())
	}
	return e, err
}

// announce keeps the event that a change of an item is, and its deliveries.
func (d *Desk) announce(tx *store.Tx, t lost.EventType, i lost.Item) (err error) {
	e := lost.NewEvent(t, i, tx.Now())
	if e.Body, err = d.wire.EventBody(e, i); err != nil {
		return fmt.Errorf("write an event: %w", err)
	}
	return tx.AddEvent(e)
}
