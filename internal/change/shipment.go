package change

import (
	"homeward/internal/lost"
	"homeward/internal/store"
)

// announceWithoutLabel saves the event for a paid fee if the item's status changes from FEE PAID before there is a
// label and the item is not shipped. API clients must receive an event for every status change.
func (c *Items) announceWithoutLabel(tx *store.Tx, before lost.Item) error {
	s, found, err := CurrentShipment(tx, before)
	if err != nil || !found || s.Announced {
		return err
	}
	s.Announced = true
	if err := c.Announce(tx, lost.LabelEvent, before); err != nil {
		return err
	}
	return tx.SaveShipment(s)
}

// CurrentShipment locks and returns the shipment that an item refers to.
func CurrentShipment(tx *store.Tx, i lost.Item) (s lost.Shipment, found bool, err error) {
	if i.Parcel.ShipmentID == "" {
		return s, false, nil
	}
	s, err = tx.LockShipment(i.Account, i.Parcel.ShipmentID)
	if lost.CodeOf(err) == lost.NotFound {
		return s, false, nil
	}
	return s, err == nil, err
}

// EndShipment cancels the shipment of an item that will not be shipped, unless the shipment was paid.
func EndShipment(tx *store.Tx, i *lost.Item) error {
	s, found, err := CurrentShipment(tx, *i)
	if err != nil || !found || s.State != lost.ShipmentOpen {
		return err
	}
	if err := tx.AddCloseCheckoutJob(s.Account, s.Checkout); err != nil {
		return err
	}
	s.Cancel(i, tx.Now())
	return tx.SaveShipment(s)
}
