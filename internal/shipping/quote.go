package shipping

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"homeward/internal/access"
	"homeward/internal/change"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// Quotes requests shipping prices from the carrier.
type Quotes struct {
	db      *store.DB
	reader  *access.Reader
	change  *change.Items
	carrier Carrier
}

// QuotesOptions are the dependencies of Quotes.
type QuotesOptions struct {
	DB      *store.DB
	Reader  *access.Reader
	Change  *change.Items
	Carrier Carrier
}

// NewQuotes creates Quotes.
func NewQuotes(o QuotesOptions) *Quotes {
	return &Quotes{
		db: o.DB, reader: o.Reader, change: o.Change, carrier: o.Carrier,
	}
}

// PricedByAddress reports whether the price depends on the full address. Otherwise it depends only on the country.
func (q *Quotes) PricedByAddress() bool { return q.carrier.NeedsAddress() }

// Estimate returns the prices for shipping the guest's item to a country, cheapest first. The list may be empty.
func (q *Quotes) Estimate(ctx context.Context, v change.Visit, country string) ([]lost.Quote, error) {
	to := v.Item.Shipping.Recipient
	if to.Country != country {
		to = lost.Recipient{Country: country}
	}
	o, err := q.Offers(ctx, v.Location, v.Item, to)
	return o.Quotes, err
}

// QuoteItem returns the prices for shipping an item, for staff: to a country or, if country is empty, to the owner's
// address.
func (q *Quotes) QuoteItem(ctx context.Context, a lost.Actor, location, id, country string) (o lost.Offers, err error) {
	i, err := q.reader.Item(ctx, a, location, id)
	if err != nil {
		return o, err
	}
	l, err := q.db.Location(ctx, a.Account, location)
	if err != nil {
		return o, err
	}
	to := i.Shipping.Recipient
	if country != "" && to.Country != country {
		to = lost.Recipient{Country: country}
	}
	if to.Country == "" {
		var p lost.Problems
		p.Add("country", "required", "is required until the owner has given an address")
		return o, p.Err()
	}
	return q.Offers(ctx, l, i, to)
}

// Example returns what a parcel of this weight to a country would cost if the location had the settings in p, which are
// not saved. It uses the location's tariff, even if prices come from another carrier. If there is no price, the list is
// empty and Why is the reason.
func (q *Quotes) Example(ctx context.Context, a lost.Actor, location string, p lost.LocationPatch, grams int64,
	country string) (o lost.Offers, err error) {
	if err := access.May(a, lost.ManageLocations, location, "location"); err != nil {
		return o, err
	}
	l, err := q.db.Location(ctx, a.Account, location)
	if err != nil {
		return o, err
	}
	if _, err := l.Update(p, l.UpdatedAt); err != nil {
		return o, err
	}
	c := lost.ParcelOrder{From: l, To: lost.Recipient{Country: country}, Load: lost.ParcelSize{Grams: grams}}
	quote, err := c.TariffQuote()
	if err != nil {
		o.Why = access.Reason(err)
		return o, nil
	}
	o.Quotes = []lost.Quote{quote}
	return o, nil
}

// Offers returns the carrier's prices. If the carrier refuses the parcel, Why is set to the reason, which is shown to
// staff.
func (q *Quotes) Offers(ctx context.Context, l lost.Location, i lost.Item,
	to lost.Recipient) (o lost.Offers, err error) {
	o.Basis = basis(l, i, to)
	c, known := lost.NewParcelOrder(i, l, to)
	switch why, ships := i.CanShip(l); {
	case !ships:
		o.Why = cmp.Or(why, lost.NotOffered)
		return o, nil
	case !known:
		o.Why = lost.NoWeight
		return o, nil
	}
	o.Quotes, err = q.carrier.Quotes(ctx, c)
	if lost.CodeOf(err) == lost.Invalid {
		o.Quotes, o.Why = nil, access.Reason(err)
		return o, nil
	}
	o.Quotes = o.Quotes[:min(len(o.Quotes), lost.MaxOffers)]
	return o, err
}

// basis returns a hash of all data that quotes depend on. If it has changed, saved quotes are no longer valid.
func basis(l lost.Location, i lost.Item, to lost.Recipient) string {
	load, _ := i.Shipping.ParcelSize()
	why, ships := i.CanShip(l)
	// Marshal cannot fail for these types.
	text, _ := json.Marshal([]any{load, to, why, ships, l.Rules(), l.Address1, l.City, l.State, l.ZipCode, l.Country})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// saveOffers saves the offers for an unpaid shipment. If notify is true and there was no price before, the owner gets
// a message with the price.
func (q *Quotes) saveOffers(ctx context.Context, s lost.Shipment, o lost.Offers,
	notify bool) (i lost.Item, _ lost.Shipment, err error) {
	i, err = q.change.Item(ctx, access.Service(s.Account), s.LocationID, s.ItemID,
		func(tx *store.Tx, i *lost.Item) (entry lost.Entry, err error) {
			if s, err = tx.LockShipment(s.Account, s.ID); err != nil || s.State != lost.ShipmentOpen {
				return entry, err
			}
			before := i.Parcel
			page := s.SetOffers(o, i, tx.Now())
			if err := tx.AddCloseCheckoutJob(s.Account, page); err != nil {
				return entry, err
			}
			err = tx.SaveShipment(s)
			if err != nil || i.Parcel.Equal(before) {
				return entry, err
			}
			entry = lost.NewEntry(access.Service(s.Account), lost.Updated, tx.Now())
			entry.Fields = []string{"shipping"}
			if !notify || before.Offered || !i.Parcel.Offered || i.Owner.Address() == "" {
				return entry, nil
			}
			return entry, change.Confirm(tx, *i, lost.PriceMessage, "price "+entry.ID, o.Quotes...)
		})
	return i, s, err
}
