package courier

import (
	"context"
	"net/http"
	"time"

	"homeward/internal/lost"
)

// Tariff sends what a location takes to the post itself, for the prices that the location has set.
type Tariff struct {
	Now func() time.Time // nil for the clock
}

func (t Tariff) now() time.Time {
	if t.Now == nil {
		return time.Now()
	}
	return t.Now()
}

// Quotes gives the one price there is, or says why there is none.
func (t Tariff) Quotes(_ context.Context, c lost.Consignment) ([]lost.Quote, error) {
	q, err := quote(c)
	if err != nil {
		return nil, err
	}
	return []lost.Quote{q}, nil
}

func quote(c lost.Consignment) (lost.Quote, error) {
	if why := c.NoPrice(); why != "" {
		return lost.Quote{}, lost.E(lost.Invalid, "%s", why)
	}
	rules := c.From.Rules()
	zone := rules.Zone(c.From.Country, c.To.Country)
	price, _ := zone.Price(c.Load)
	return lost.Quote{
		Service:  service(rules, zone, c.Load),
		Price:    lost.Price{Postage: price, Handling: rules.Handling, Currency: rules.Currency},
		FromDays: zone.FromDays, ToDays: zone.ToDays,
	}, nil
}

// service names how it is sent: as the location does, or by what the post makes of it.
func service(rules lost.ShippingRules, zone lost.Zone, load lost.Load) string {
	if rules.Service != "" {
		return rules.Service
	}
	letters := lost.Zone{Document: zone.Document} // has a price for nothing else
	if _, isLetter := letters.Price(load); isLetter {
		return "Standard letter"
	}
	return "Standard parcel"
}

// NeedsAddress tells that a country is enough.
func (Tariff) NeedsAddress() bool { return false }

// Prepare finds the price of a shipment that has none yet. There is nobody to agree with.
func (t Tariff) Prepare(_ context.Context, s lost.Shipment, c lost.Consignment) (lost.Quote, lost.Postage, error) {
	q := s.Quote
	if q == (lost.Quote{}) {
		var err error
		if q, err = quote(c); err != nil {
			return lost.Quote{}, lost.Postage{}, err
		}
	}
	return q, t.postage(s, c), nil
}

// Buy gives what was prepared: the desk buys the stamp.
func (t Tariff) Buy(_ context.Context, s lost.Shipment, c lost.Consignment) (lost.Postage, error) {
	return t.postage(s, c), nil
}

// postage is the same each time, also on the days after it was first asked for.
func (t Tariff) postage(s lost.Shipment, c lost.Consignment) lost.Postage {
	p := s.Postage
	p.Shipment = s.ID
	if p.ShippingDate == "" {
		p.ShippingDate = c.From.ShipDay(t.now())
	}
	return p
}

// Label gives nothing: the label is ours to print.
func (Tariff) Label(context.Context, lost.Postage) (content []byte, paper string, err error) {
	return nil, "", nil
}

// Void has nothing to give back.
func (Tariff) Void(context.Context, lost.Postage) error { return nil }

// Track knows nothing: the desk sets the status itself.
func (Tariff) Track(context.Context, lost.Postage) (lost.ParcelNews, error) {
	return lost.ParcelNews{State: lost.ParcelWaiting}, nil
}

// Tracks tells that it does not.
func (Tariff) Tracks() bool { return false }

// Hear takes no news: there is nobody to send any.
func (Tariff) Hear(http.Header, []byte) (news lost.ParcelNews, ours bool, err error) {
	return lost.ParcelNews{}, false, lost.E(lost.NotFound, "No carrier is set up here that could tell anything.")
}
