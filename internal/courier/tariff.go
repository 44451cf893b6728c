package courier

import (
	"context"
	"net/http"
	"time"

	"homeward/internal/lost"
)

// Tariff is the built-in carrier, for locations that set their own prices and take parcels to the post office.
type Tariff struct {
	Now func() time.Time // nil for time.Now
}

func (t Tariff) now() time.Time {
	if t.Now == nil {
		return time.Now()
	}
	return t.Now()
}

// Quotes returns the price from the location's tariff. If there is none, it returns an error that explains why.
func (t Tariff) Quotes(_ context.Context, c lost.ParcelOrder) ([]lost.Quote, error) {
	q, err := c.TariffQuote()
	if err != nil {
		return nil, err
	}
	return []lost.Quote{q}, nil
}

// NeedsAddress returns false, because the price only depends on the country.
func (Tariff) NeedsAddress() bool { return false }

// Prepare returns the shipment's quote, or computes one if the shipment has none.
func (t Tariff) Prepare(_ context.Context, s lost.Shipment, c lost.ParcelOrder) (lost.Quote, lost.Postage, error) {
	q := s.Quote
	if q == (lost.Quote{}) {
		var err error
		if q, err = c.TariffQuote(); err != nil {
			return lost.Quote{}, lost.Postage{}, err
		}
	}
	return q, t.postage(s, c), nil
}

// Buy returns the prepared postage. It buys nothing, because staff buy the stamp.
func (t Tariff) Buy(_ context.Context, s lost.Shipment, c lost.ParcelOrder) (lost.Postage, error) {
	return t.postage(s, c), nil
}

// postage returns the shipment's stored postage if there is one, so that the result does not change on later days.
// Otherwise it returns a new postage.
func (t Tariff) postage(s lost.Shipment, c lost.ParcelOrder) lost.Postage {
	p := s.Postage
	p.Shipment = s.ID
	if p.ShippingDate == "" {
		p.ShippingDate = c.From.ShipDay(t.now())
	}
	return p
}

// Label returns no label, because the service prints the label itself.
func (Tariff) Label(context.Context, lost.Postage) (content []byte, paper string, err error) {
	return nil, "", nil
}

// Void does nothing, because nothing was bought.
func (Tariff) Void(context.Context, lost.Postage) error { return nil }

// Track always returns the state ParcelWaiting, because parcels are not tracked and staff set the status.
func (Tariff) Track(context.Context, lost.Postage) (lost.ParcelUpdate, error) {
	return lost.ParcelUpdate{State: lost.ParcelWaiting}, nil
}

// HasTracking returns false, because parcels are not tracked.
func (Tariff) HasTracking() bool { return false }

// ParseEvent returns an error, because the tariff has no events.
func (Tariff) ParseEvent(http.Header, []byte) (update lost.ParcelUpdate, ok bool, err error) {
	return lost.ParcelUpdate{}, false, lost.E(lost.NotFound, "No carrier with tracking events is set up.")
}
