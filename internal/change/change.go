// Package change contains what use cases share when they change an existing item. Items runs a change in one
// transaction: it locks and saves the item and writes its history, an event if the status or the pick-up is new, and an
// audit entry if guest data changed. In that transaction, a use case can add messages to the owner, create guest links,
// end the current shipment, and lock the item that a request is compared with. GuestLinks finds the item of a guest's
// link.
//
// Other changes have their own transactions: new and imported items, decisions about requests, holds, overdue items
// and erasure.
package change

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
	v1 "homeward/internal/v1"
)

// Items changes single items.
type Items struct {
	db   *store.DB
	wire v1.Encoder
	wake func()
}

// Options are the dependencies of Items.
type Options struct {
	DB   *store.DB
	Wire v1.Encoder
	// Wake is called after a commit that may have added a job.
	Wake func()
}

// NewItems creates Items.
func NewItems(o Options) *Items {
	return &Items{db: o.DB, wire: o.Wire, wake: o.Wake}
}

// Func changes a locked item and returns the history entry that describes the change. An entry that has neither fields
// nor a note means that nothing changed. A Func may run more than once, because a transaction that conflicts with
// another is retried.
type Func func(*store.Tx, *lost.Item) (lost.Entry, error)

// Item changes an item in one transaction. If something changed, it also writes the history entry and, for a new
// status or pick-up, the event. It returns an error if the actor may not handle the item. A change with an idempotency
// key that was used before is not made again: the item is returned as it was after the first change.
func (c *Items) Item(ctx context.Context, a lost.Actor, location, id string, change Func,
	once ...lost.IdempotencyKey) (lost.Item, error) {
	if err := access.May(a, lost.HandleItems, location, "item"); err != nil {
		return lost.Item{}, err
	}
	return c.ItemUnchecked(ctx, a, location, id, change, once...)
}

// ItemUnchecked is Item without the permission check.
func (c *Items) ItemUnchecked(
	ctx context.Context, a lost.Actor, location, id string, change Func, once ...lost.IdempotencyKey,
) (i lost.Item, err error) {
	var key lost.IdempotencyKey
	if len(once) > 0 {
		key = once[0]
	}
	added := false
	err = c.db.Write(ctx, func(tx *store.Tx) error {
		added = false // may run twice
		if i, err = tx.LockItem(a.Account, location, id); err != nil {
			return err
		}
		apply := func() (lost.Item, error) {
			before := i
			entry, err := change(tx, &i)
			if err == nil {
				err = CheckGiveAway(tx, before, i)
			}
			if err == nil {
				err = c.save(tx, a, before, &i, entry, &added)
			}
			return i, err
		}
		i, err = access.CreateOnce(tx, a, key, apply)
		return err
	})
	if err == nil && added {
		c.wake()
	}
	return i, err
}

// Outcome is what became of one of several items.
type Outcome struct {
	Item    lost.Item // as it is now; only its ID is set if there is no such item
	Changed bool
	Refused error // why the item was not changed; nil if nothing was refused
}

// maxAtOnce is the maximum number of items that are changed in one transaction.
const maxAtOnce = 100

// ChangeItems changes items of a location like Item, but up to maxAtOnce of them in one transaction. An item that
// change refuses keeps its state and does not affect the others, so change must not write anything before it returns
// an error. The outcomes are in the order of the ids, which must be distinct. If the service fails, ChangeItems returns
// the error with the outcomes of earlier transactions.
func (c *Items) ChangeItems(ctx context.Context, a lost.Actor, location string, ids []string,
	change Func) (done []Outcome, err error) {
	if err := access.May(a, lost.HandleItems, location, "location"); err != nil {
		return nil, err
	}
	for batch := range slices.Chunk(ids, maxAtOnce) {
		var outcomes map[string]Outcome
		added := false
		err = c.db.Write(ctx, func(tx *store.Tx) error {
			outcomes, added = map[string]Outcome{}, false // may run twice
			items, err := tx.LockItems(a.Account, location, batch)
			if err != nil {
				return err
			}
			for _, i := range items {
				if outcomes[i.ID], err = c.changeOne(tx, a, i, change, &added); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return done, err
		}
		if added {
			c.wake()
		}
		for _, id := range batch {
			o, found := outcomes[id]
			if !found {
				o = Outcome{Item: lost.Item{ID: id}, Refused: lost.Missing("item")}
			}
			done = append(done, o)
		}
	}
	return done, nil
}

// ChangeTogether changes items of a location in one transaction: all of them or, if one is missing or cannot be
// changed, none. It changes at most 100 items. Finish is called in the same transaction with the changed items.
func (c *Items) ChangeTogether(ctx context.Context, a lost.Actor, location string, ids []string, change Func,
	finish func(*store.Tx, []lost.Item) error) (items []lost.Item, err error) {
	if err := access.May(a, lost.HandleItems, location, "location"); err != nil {
		return nil, err
	}
	if len(ids) > maxAtOnce {
		return nil, fmt.Errorf("%d items at once", len(ids))
	}
	added := false
	err = c.db.Write(ctx, func(tx *store.Tx) error {
		if items, err = tx.LockItems(a.Account, location, ids); err != nil {
			return err
		}
		if len(items) < len(ids) {
			return lost.Missing("item")
		}
		for n := range items {
			before := items[n]
			entry, err := change(tx, &items[n])
			if err != nil {
				return err
			}
			if err := CheckGiveAway(tx, before, items[n]); err != nil {
				return err
			}
			if err := c.save(tx, a, before, &items[n], entry, &added); err != nil {
				return err
			}
		}
		return finish(tx, items)
	})
	if err == nil {
		c.wake()
	}
	return items, err
}

// changeOne changes a locked item, unless change refuses it.
func (c *Items) changeOne(tx *store.Tx, a lost.Actor, i lost.Item, change Func, added *bool) (Outcome, error) {
	before := i
	entry, refused := change(tx, &i)
	if refused == nil {
		refused = CheckGiveAway(tx, before, i)
	}
	switch {
	case refused != nil && !isRefusal(refused):
		return Outcome{}, refused
	case refused != nil:
		return Outcome{Item: before, Refused: refused}, nil //nolint:nilerr // the outcome reports it
	}
	err := c.save(tx, a, before, &i, entry, added)
	return Outcome{Item: i, Changed: !i.UpdatedAt.Equal(before.UpdatedAt)}, err
}

// isRefusal reports whether an error is about the item or the change, and not about the service.
func isRefusal(err error) bool {
	switch lost.CodeOf(err).Kind() {
	case lost.Invalid, lost.Conflict, lost.NotFound, lost.Forbidden, lost.PreconditionFailed:
		return true
	default:
		return false
	}
}

// save saves a changed item with everything that follows from the change. It does nothing if the entry says that
// nothing changed. It sets added if jobs may have been added.
func (c *Items) save(tx *store.Tx, a lost.Actor, before lost.Item, i *lost.Item, entry lost.Entry, added *bool) error {
	if len(entry.Fields) == 0 && entry.Note == "" {
		return nil
	}
	if err := c.leaveStatus(tx, before, i); err != nil {
		return err
	}
	if err := reopenAfter(tx, a, before, *i); err != nil {
		return err
	}
	*added = *added || lost.MayChangeTasks(before, *i) || lost.NeedsMatching(before, *i)
	i.UpdatedAt = tx.Now() // also if only a note was added: the next change must be later than this entry
	if err := tx.SaveItem(before, *i); err != nil {
		return err
	}
	return c.record(tx, a, before, *i, entry)
}

// leaveStatus handles an item whose status changes: it cancels an unpaid shipment, and announces a paid shipment that
// never got a label.
func (c *Items) leaveStatus(tx *store.Tx, before lost.Item, i *lost.Item) error {
	if before.Status == lost.InfoCompleted && i.Status != lost.InfoCompleted && i.Status != lost.FeePaid {
		if err := EndShipment(tx, i); err != nil {
			return err
		}
	}
	if before.Status == lost.FeePaid && !i.Status.IsShipping() && lost.AwaitsLabel(before) {
		return c.announceWithoutLabel(tx, before)
	}
	return nil
}

// record writes the history entry and, if guest data changed, an audit entry. If the status or the time of the pick-up
// changed, it also announces that.
func (c *Items) record(tx *store.Tx, a lost.Actor, before, i lost.Item, entry lost.Entry) error {
	if err := tx.AddHistory(i, entry); err != nil {
		return err
	}
	if private := lost.PersonalFields(entry.Fields); len(private) > 0 {
		if err := access.Audit(tx, a, lost.GuestChanged, i.ID, strings.Join(private, ", ")); err != nil {
			return err
		}
	}
	switch {
	case entry.To != "":
		return c.announceStatus(tx, i, entry)
	case lost.MovesPickup(before, i):
		return c.Announce(tx, lost.PickupEvent, i)
	default:
		return nil
	}
}

// announceStatus saves the event for a new status, and notifies the owner if the parcel is on its way or has arrived.
// The event for a paid fee is only saved once the shipping label exists.
func (c *Items) announceStatus(tx *store.Tx, i lost.Item, entry lost.Entry) error {
	if event, is := i.Status.EventType(); is && (event != lost.LabelEvent || !lost.AwaitsLabel(i)) {
		if err := c.Announce(tx, event, i); err != nil {
			return err
		}
	}
	switch {
	case i.Owner.Address() == "":
		return nil
	case i.Status == lost.Shipped:
		return Confirm(tx, i, lost.ShippedMessage, "shipped "+entry.ID)
	case i.Status == lost.Delivered:
		return Confirm(tx, i, lost.DeliveredMessage, "delivered "+entry.ID)
	default:
		return nil
	}
}

// Announce saves an event about an item, and its deliveries to webhooks.
func (c *Items) Announce(tx *store.Tx, t lost.EventType, i lost.Item) (err error) {
	e := lost.NewEvent(t, i, tx.Now())
	if e.Body, err = c.wire.EventBody(e, i); err != nil {
		return fmt.Errorf("encode an event: %w", err)
	}
	return tx.AddEvent(e)
}
