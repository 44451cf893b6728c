package shipping

import (
	"context"

	"homeward/internal/access"
	"homeward/internal/change"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// shipments reads and changes shipments together with their items.
type shipments struct {
	db     *store.DB
	change *change.Items
}

// shipmentBy finds a shipment by an external identifier.
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

// move changes the status of an item on behalf of the service.
func move(tx *store.Tx, i *lost.Item, to lost.Status, entry *lost.Entry) (err error) {
	from := i.Status
	fields, err := i.MoveTo(lost.Move{To: to}, lost.ByService, tx.Now())
	entry.Fields = append(entry.Fields, fields...)
	if i.Status != from {
		entry.Action, entry.From, entry.To = lost.Moved, from, i.Status
	}
	return err
}

// parcelOrder returns the parcel order of a shipment.
func (h *shipments) parcelOrder(ctx context.Context, s lost.Shipment) (c lost.ParcelOrder, err error) {
	i, err := h.db.Item(ctx, s.Account, s.LocationID, s.ItemID)
	if err != nil {
		return c, err
	}
	l, err := h.db.Location(ctx, s.Account, s.LocationID)
	c, _ = lost.NewParcelOrder(i, l, s.To)
	return c, err
}

// advance changes a shipment together with its item, and writes a history entry if the change returns one. done is
// false if another worker has changed the state of the shipment in the meantime, or if its item was deleted.
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
