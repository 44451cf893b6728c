package shipping

import (
	"context"

	"homeward/internal/change"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// SetAddress records the shipping address that the owner of an item gave to staff. It has the same effect as if the
// owner had entered the address: the carrier quotes a price, and the owner gets a message.
func (y *Payments) SetAddress(ctx context.Context, a lost.Actor, location, id string,
	p lost.RecipientPatch) (lost.Item, error) {
	i, err := y.change.Item(ctx, a, location, id, func(tx *store.Tx, i *lost.Item) (entry lost.Entry, err error) {
		entry = lost.NewEntry(a, lost.Updated, tx.Now())
		from := i.Status
		if entry.Fields, err = i.SendTo(p, a.Kind, tx.Now()); err != nil || len(entry.Fields) == 0 {
			return entry, err
		}
		if i.Status == lost.FeePaid {
			return entry, redirect(tx, *i)
		}
		if i.Status != from {
			entry.Action, entry.From, entry.To = lost.Moved, from, i.Status
		}
		if err := change.EndShipment(tx, i); err != nil {
			return entry, err
		}
		if err := y.RefundFormer(tx, i); err != nil {
			return entry, err
		}
		s := lost.NewShipment(i, y.provider.Method(), tx.Now())
		i.Parcel.AwaitPrice()
		if err := tx.InsertShipment(s); err != nil {
			return entry, err
		}
		return entry, tx.AddJob(s.Account, store.JobShip, s.ID, tx.Now())
	})
	y.wake()
	return i, err
}

// redirect changes the address of a paid shipment that has no label because the carrier refused it.
func redirect(tx *store.Tx, i lost.Item) error {
	s, found, err := change.CurrentShipment(tx, i)
	if err != nil || !found {
		return err
	}
	s.To, s.UpdatedAt = i.Shipping.Recipient, tx.Now()
	return tx.SaveShipment(s)
}
