package change

import (
	"homeward/internal/lost"
	"homeward/internal/store"
)

// announceWithoutLabel announces that the fee was paid for an item that leaves FEE PAID before its label is there and
// is not shipped: client programs must hear of every change of status.
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

// CurrentShipment locks and gives the shipment that an item refers to.
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

// EndShipment ends the shipment of an item that is not shipped after all, unless it was paid.
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
