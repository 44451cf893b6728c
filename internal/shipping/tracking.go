package shipping

import (
	"context"
	"net/http"
	"time"

	"homeward/internal/access"
	"homeward/internal/change"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// Tracking tracks parcels.
type Tracking struct {
	shipments *shipments
	db        *store.DB
	now       func() time.Time
	change    *change.Items
	carrier   Carrier
}

// TrackingOptions are the dependencies of Tracking.
type TrackingOptions struct {
	DB      *store.DB
	Now     func() time.Time
	Change  *change.Items
	Carrier Carrier
}

// NewTracking creates Tracking.
func NewTracking(o TrackingOptions) *Tracking {
	return &Tracking{
		shipments: &shipments{db: o.DB, change: o.Change},
		db:        o.DB, now: o.Now, change: o.Change, carrier: o.Carrier,
	}
}

// How often, and for how long after the shipment was created, a parcel is tracked.
const (
	trackEvery = time.Hour
	trackFor   = 90 * 24 * time.Hour
)

// Track requests a parcel's tracking state from the carrier and updates the item. It returns how long to wait before
// polling again, or zero to stop.
func (t *Tracking) Track(ctx context.Context, account, id string) (again time.Duration, err error) {
	s, err := t.db.Shipment(ctx, account, id)
	if err != nil || s.State == lost.ShipmentCancelled || s.Postage.Tracker == "" || !t.carrier.HasTracking() ||
		t.now().Sub(s.CreatedAt) > trackFor {
		return 0, lost.IgnoreNotFound(err)
	}
	update, err := t.carrier.Track(ctx, s.Postage)
	if err != nil && lost.CodeOf(err) != lost.Invalid {
		return 0, err
	}
	i, err := t.applyTracking(ctx, s, update)
	if err != nil || i.Status != lost.FeePaid && i.Status != lost.Shipped {
		return 0, lost.IgnoreNotFound(err)
	}
	return trackEvery, nil
}

// HandleCallback handles a callback from the carrier.
func (t *Tracking) HandleCallback(ctx context.Context, header http.Header, body []byte) error {
	n, ours, err := t.carrier.ParseEvent(header, body)
	if err != nil || !ours {
		return err
	}
	s, found, err := t.shipments.shipmentBy(ctx, store.TrackerEntry, n.Tracker)
	if err != nil || !found {
		return err
	}
	_, err = t.applyTracking(ctx, s, n)
	return lost.IgnoreNotFound(err)
}

// applyTracking updates an item according to the tracking state of its parcel.
func (t *Tracking) applyTracking(ctx context.Context, s lost.Shipment, n lost.ParcelUpdate) (lost.Item, error) {
	by := access.Service(s.Account)
	return t.change.Item(ctx, by, s.LocationID, s.ItemID,
		func(tx *store.Tx, i *lost.Item) (entry lost.Entry, err error) {
			entry = lost.NewEntry(by, lost.Updated, tx.Now())
			s, err := tx.LockShipment(s.Account, s.ID)
			if err != nil || i.Parcel.ShipmentID != s.ID || s.State == lost.ShipmentCancelled {
				return entry, err
			}
			from := i.Status
			entry.Fields, err = i.ApplyParcelUpdate(n, tx.Now())
			switch {
			case i.Status != from:
				entry.Action, entry.From, entry.To = lost.Moved, from, i.Status
			case n.State == lost.ParcelTrouble && len(entry.Fields) > 0: // the problem was not recorded before
				entry.Note = n.Why
			}
			return entry, err
		})
}
