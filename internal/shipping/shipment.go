package shipping

import (
	"context"

	"homeward/internal/access"
	"homeward/internal/change"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// shipments reads shipments, and changes them together with their items.
type shipments struct {
	db     *store.DB
	change *change.Items
}

// shipmentBy returns the shipment that an external id belongs to, such as a tracker's. found is false if there is
// none.
func (h *shipments) shipmentBy(ctx context.Context, kind store.DirectoryKind,
	name string) (s lost.Shipment, found bool, err error) {
	e, found, err := h.db.Lookup(ctx, kind, store.DirectoryHash(name))
	if err != nil || !found {
		return s, false, err
	}
	s, err = h.db.Shipment(ctx, e.Account, e.Subject)
	if lost.CodeOf(err) == lost.NotFound {
		return s, false, nil
	}
	return s, err == nil, err
}

// move sets the status of an item on behalf of the service, and adds the change to the history entry.
func move(tx *store.Tx, i *lost.Item, to lost.Status, entry *lost.Entry) (err error) {
	from := i.Status
	fields, err := i.MoveTo(lost.Move{To: to}, lost.ByService, tx.Now())
	entry.Fields = append(entry.Fields, fields...)
	if i.Status != from {
		entry.Action, entry.From, entry.To = lost.Moved, from, i.Status
	}
	return err
}

// parcelOrder returns the data about a shipment that the carrier and the printer need.
func (h *shipments) parcelOrder(ctx context.Context, s lost.Shipment) (c lost.ParcelOrder, err error) {
	i, err := h.db.Item(ctx, s.Account, s.LocationID, s.ItemID)
	if err != nil {
		return c, err
	}
	l, err := h.db.Location(ctx, s.Account, s.LocationID)
	c, _ = lost.NewParcelOrder(i, l, s.To)
	return c, err
}

// advance changes a shipment and its item in one transaction, and writes the history entry that change returns, if
// any. done is false if another worker has changed the shipment's state in the meantime, or if the item was deleted.
func (h *shipments) advance(ctx context.Context, s lost.Shipment, change func(*store.Tx, *lost.Shipment,
	*lost.Item) (lost.Entry, error)) (done bool, err error) {
	from := s.State
	_, err = h.change.Item(ctx, access.Service(s.Account), s.LocationID, s.ItemID,
		func(tx *store.Tx, i *lost.Item) (entry lost.Entry, err error) {
			s, err := tx.LockShipment(s.Account, s.ID)
			if done = err == nil && s.State == from; !done {
				return entry, err
			}
			if entry, err = change(tx, &s, i); err != nil {
				return entry, err
			}
			return entry, tx.SaveShipment(s)
		})
	return done && err == nil, lost.IgnoreNotFound(err)
}
