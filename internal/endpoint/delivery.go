package endpoint

import (
	"context"
	"fmt"
	"time"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
	v1 "homeward/internal/v1"
)

// TestEndpoint sends a test event to a webhook, regardless of which events the webhook subscribes to. It has the body
// of a sample of the given type, or an empty payload if the type is lost.TestEvent. It is stored as a test event, so
// that nobody mistakes the sample for an event that happened.
func (w *Service) TestEndpoint(ctx context.Context, a lost.Actor, id string, sample lost.EventType,
	o lost.IdempotencyKey) (lost.Delivery, error) {
	return w.deliver(ctx, a, id, o, func(tx *store.Tx) (lost.Delivery, error) {
		e := lost.Event{Account: a.Account, ID: lost.NewID(lost.EventID, tx.Now()), Type: lost.TestEvent, At: tx.Now()}
		var err error
		if sample == lost.TestEvent {
			e.Body, err = w.wire.EmptyBody(e)
		} else {
			e.Body, err = v1.SampleEvent(sample)
		}
		if err != nil {
			return lost.Delivery{}, fmt.Errorf("encode a test event: %w", err)
		}
		if err := access.Audit(tx, a, lost.WebhookTested, id, ""); err != nil {
			return lost.Delivery{}, err
		}
		return tx.AddEventForEndpoint(e, id)
	})
}

// Replay repeats deliveries to a webhook: one event, or all deliveries that have failed since a given time. It
// returns the number of repeated deliveries.
func (w *Service) Replay(ctx context.Context, a lost.Actor, id string, p lost.ReplayPatch,
	o lost.IdempotencyKey) (int, error) {
	if err := p.Check(); err != nil {
		return 0, err
	}
	if p.Event.Sent && !p.Event.Null {
		_, err := w.ReplayEvent(ctx, a, id, p.Event.Value, o)
		return 1, err
	}
	return w.ReplayFailed(ctx, a, id, p.Since.Value, o)
}

// ReplayEvent sends an event to a webhook, whether or not it was sent before.
func (w *Service) ReplayEvent(ctx context.Context, a lost.Actor, id, event string,
	o lost.IdempotencyKey) (lost.Delivery, error) {
	return w.deliver(ctx, a, id, o, func(tx *store.Tx) (lost.Delivery, error) {
		e, err := tx.Event(ctx, a.Account, event)
		if err != nil {
			return lost.Delivery{}, err
		}
		if err := access.Audit(tx, a, lost.Replayed, id, "event "+e.ID); err != nil {
			return lost.Delivery{}, err
		}
		return tx.AddDelivery(e, id)
	})
}

// deliver adds a delivery to a webhook and wakes the outbox. It returns an error if the webhook is disabled.
func (w *Service) deliver(ctx context.Context, a lost.Actor, id string, o lost.IdempotencyKey,
	add func(*store.Tx) (lost.Delivery, error)) (v lost.Delivery, err error) {
	if err := access.MayManage(a, lost.ManageIntegrations); err != nil {
		return v, err
	}
	err = w.db.Write(ctx, func(tx *store.Tx) error {
		v, err = access.CreateOnce(tx, a, o, func() (v lost.Delivery, err error) {
			if err := checkEnabled(tx.LockEndpoint(a.Account, id)); err != nil {
				return v, err
			}
			return add(tx)
		})
		return err
	})
	if err == nil {
		w.wakeDeliveries(store.EndpointQueue{Account: a.Account, Endpoint: id})
	}
	return v, err
}

// checkEnabled returns err, or an error if the webhook is disabled.
func checkEnabled(e lost.Endpoint, err error) error {
	if err == nil && !e.Enabled {
		return lost.E(lost.WrongState, "This webhook is switched off. Switch it on first.")
	}
	return err
}

// ReplayDelivery repeats a delivery that has succeeded, failed or been cancelled.
func (w *Service) ReplayDelivery(ctx context.Context, a lost.Actor, id string,
	o lost.IdempotencyKey) (v lost.Delivery, err error) {
	if err := access.MayManage(a, lost.ManageIntegrations); err != nil {
		return v, err
	}
	err = w.db.Write(ctx, func(tx *store.Tx) error {
		v, err = access.CreateOnce(tx, a, o, func() (lost.Delivery, error) { return replay(ctx, tx, a, id) })
		return err
	})
	if err == nil {
		w.wakeDeliveries(store.EndpointQueue{Account: a.Account, Endpoint: v.EndpointID})
	}
	return v, err
}

func replay(ctx context.Context, tx *store.Tx, a lost.Actor, id string) (v lost.Delivery, err error) {
	account := a.Account
	if v, err = tx.LockDelivery(account, id); err != nil {
		return v, err
	}
	switch err := checkEnabled(tx.LockEndpoint(account, v.EndpointID)); {
	case lost.CodeOf(err) == lost.NotFound:
		return v, lost.E(lost.WrongState, "The webhook of this delivery was deleted.")
	case err != nil:
		return v, err
	}
	if _, err := tx.Event(ctx, account, v.EventID); lost.CodeOf(err) == lost.NotFound {
		return v, lost.E(lost.WrongState, "The event of this delivery was deleted.")
	} else if err != nil {
		return v, err
	}
	if err := v.Replay(tx.Now()); err != nil {
		return v, err
	}
	if err := tx.ReplayDelivery(v); err != nil {
		return v, err
	}
	return v, access.Audit(tx, a, lost.Replayed, v.EndpointID, "delivery "+v.ID)
}

// ReplayFailed repeats all failed deliveries to a webhook that were created since a given time. It returns the number
// of repeated deliveries.
func (w *Service) ReplayFailed(ctx context.Context, a lost.Actor, id string, since time.Time,
	o lost.IdempotencyKey) (n int, err error) {
	if err := access.MayManage(a, lost.ManageIntegrations); err != nil {
		return 0, err
	}
	if n, found, err := access.FindCreated[int](ctx, w.db, a, o); found || err != nil {
		return n, err
	}
	n, err = w.replayPieces(ctx, store.EndpointQueue{Account: a.Account, Endpoint: id}, since)
	if err != nil {
		return n, err
	}
	all := n
	err = w.db.Write(ctx, func(tx *store.Tx) error {
		n, err = access.CreateOnce(tx, a, o, func() (int, error) {
			return all, access.Audit(tx, a, lost.Replayed, id, fmt.Sprintf("%d that failed", all))
		})
		return err
	})
	return n, err
}

func (w *Service) replayPieces(ctx context.Context, l store.EndpointQueue, since time.Time) (n int, err error) {
	const piece = 500
	defer w.wakeDeliveries(l)
	until, after, replayed := w.db.Now(), "", piece
	for replayed == piece {
		var last string
		err = w.db.Write(ctx, func(tx *store.Tx) error { // may run twice, so n is updated after the commit
			if err := checkEnabled(tx.Endpoint(ctx, l.Account, l.Endpoint)); err != nil {
				return err
			}
			last, replayed, err = tx.ReplayFailedDeliveries(l, since, until, after, piece)
			return err
		})
		if err != nil {
			return n, err
		}
		after, n = last, n+replayed
	}
	return n, nil
}

// Deliveries lists the deliveries to a webhook, newest first.
func (w *Service) Deliveries(ctx context.Context, a lost.Actor,
	f lost.DeliveryFilter) (list lost.List[lost.Delivery], err error) {
	if _, err := w.Endpoint(ctx, a, f.Endpoint); err != nil {
		return list, err
	}
	return w.db.Deliveries(ctx, a.Account, f)
}

// Delivery returns one delivery.
func (w *Service) Delivery(ctx context.Context, a lost.Actor, id string) (lost.Delivery, error) {
	if err := access.MayViewAccount(a, lost.ManageIntegrations); err != nil {
		return lost.Delivery{}, err
	}
	return w.db.Delivery(ctx, a.Account, id)
}

// EventDeliveries lists the newest deliveries of an event, newest first. The list has no further pages.
func (w *Service) EventDeliveries(ctx context.Context, a lost.Actor, event string) ([]lost.Delivery, error) {
	if err := access.MayViewAccount(a, lost.ManageIntegrations); err != nil {
		return nil, err
	}
	return w.db.EventDeliveries(ctx, a.Account, event)
}

// Events lists the account's events, newest first.
func (w *Service) Events(ctx context.Context, a lost.Actor,
	f lost.EventFilter) (list lost.List[lost.Event], err error) {
	if err := access.MayViewAccount(a, lost.ManageIntegrations); err != nil {
		return list, err
	}
	if list, err = w.db.Events(ctx, a.Account, f); len(list.Data) > 0 {
		w.log.Note(a, lost.EventsSeen, "", f.Item, w.now())
	}
	return list, err
}

// EventsSince lists events since a time, oldest first.
func (w *Service) EventsSince(ctx context.Context, a lost.Actor, f lost.EventFilter,
	since time.Time) (list lost.List[lost.Event], err error) {
	if err := access.MayViewAccount(a, lost.ManageIntegrations); err != nil {
		return list, err
	}
	if list, err = w.db.EventChanges(ctx, a.Account, f, since); len(list.Data) > 0 {
		w.log.Note(a, lost.EventsSeen, "", f.Item, w.now())
	}
	return list, err
}

// Event returns one event.
func (w *Service) Event(ctx context.Context, a lost.Actor, id string) (lost.Event, error) {
	if err := access.MayViewAccount(a, lost.ManageIntegrations); err != nil {
		return lost.Event{}, err
	}
	e, err := w.db.Event(ctx, a.Account, id)
	if err == nil {
		w.log.Note(a, lost.EventsSeen, e.LocationID, e.ItemID, w.now())
	}
	return e, err
}
