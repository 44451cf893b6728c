package desk

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// PayBy tells how fees are paid.
func (d *Desk) PayBy() lost.PayBy { return d.till.By() }

// PricedByAddress tells whether a price can be told only once the whole address is known.
func (d *Desk) PricedByAddress() bool { return d.carrier.NeedsAddress() }

// Estimate tells the guest what sending the item to a country would cost, the cheapest way first. There is none where no price can be told yet.
func (d *Desk) Estimate(ctx context.Context, v Visit, country string) ([]lost.Quote, error) {
	to := v.Item.Shipping.Recipient
	if to.Country != country {
		to = lost.Recipient{Country: country}
	}
	o, err := d.offers(ctx, v.Location, v.Item, to)
	return o.Quotes, err
}

// QuoteItem tells the desk what sending an item would cost: to a country, or to where its owner wants it.
func (d *Desk) QuoteItem(ctx context.Context, a lost.Actor, location, id, country string) (o lost.Offers, err error) {
	i, err := d.Item(ctx, a, location, id)
	if err != nil {
		return o, err
	}
	l, err := d.db.Location(ctx, a.Account, location)
	if err != nil {
		return o, err
	}
	to := i.Shipping.Recipient
	if country != "" && to.Country != country {
		to = lost.Recipient{Country: country}
	}
	if to.Country == "" {
		var p lost.Problems
		p.Add("country", "required", "is required while the owner has given no address")
		return o, p.Err()
	}
	return d.offers(ctx, l, i, to)
}

// offers asks the carrier. Where it refuses there is no price; the desk then reads why.
func (d *Desk) offers(ctx context.Context, l lost.Location, i lost.Item, to lost.Recipient) (o lost.Offers, err error) {
	o.Basis = basis(l, i, to)
	c, known := i.Consign(l, to)
	switch why, ships := i.Ships(l); {
	case !ships:
		o.Why = cmp.Or(why, "The location sends nothing.")
		return o, nil
	case !known:
		o.Why = "Neither weight nor box of the item is known: set one of them."
		return o, nil
	}
	o.Quotes, err = d.carrier.Quotes(ctx, c)
	if lost.CodeOf(err) == lost.Invalid {
		o.Quotes, o.Why = nil, toldBy(err)
		return o, nil
	}
	o.Quotes = o.Quotes[:min(len(o.Quotes), lost.MaxOffers)]
	return o, err
}

// basis is what quotes follow from. It tells whether they are still what they were, and is short: nobody reads it.
func basis(l lost.Location, i lost.Item, to lost.Recipient) string {
	load, _ := i.Load()
	why, ships := i.Ships(l)
	text, _ := json.Marshal([]any{load, to, why, ships, l.Rules(), l.Address1, l.City, l.State, l.ZipCode, l.Country}) // plain values: it cannot fail
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// How long offers stand, and how long there are none: what a carrier asks changes.
const (
	offersLast   = time.Hour
	nothingLasts = 5 * time.Minute
)

// Bill is what the guest is asked to pay, and for what.
type Bill struct {
	Visit
	Shipment lost.Shipment // with its offers
}

// Bill tells the guest what there is to pay. Where there is nothing, it is a Conflict: the visit tells how things stand.
func (d *Desk) Bill(ctx context.Context, token string) (b Bill, err error) {
	if b.Visit, err = d.Visit(ctx, token); err != nil {
		return b, err
	}
	i := b.Item
	if i.Status != lost.InfoCompleted || i.Parcel.ShipmentID == "" {
		return b, lost.E(lost.Conflict, "There is nothing to pay.")
	}
	if b.Shipment, err = d.db.Shipment(ctx, i.Account, i.Parcel.ShipmentID); err != nil {
		return b, err
	}
	s := b.Shipment
	stands := offersLast
	if len(s.Offers) == 0 {
		stands = nothingLasts
	}
	agreed := s.Checkout.Open(d.now()) // what somebody may be paying this moment stands
	if s.Basis == basis(b.Location, i, s.To) && (agreed || d.now().Sub(s.At) < stands) {
		return b, nil
	}
	offers, err := d.offers(ctx, b.Location, i, s.To)
	if err != nil {
		return b, err
	}
	b.Item, b.Shipment, err = d.offer(ctx, s, offers, false)
	return b, err
}

// offer keeps the offers of a shipment that is not paid. With tell, the owner is written to when that is news: a price could not be told before.
func (d *Desk) offer(ctx context.Context, s lost.Shipment, o lost.Offers, tell bool) (i lost.Item, _ lost.Shipment, err error) {
	i, err = d.changeItem(ctx, service(s.Account), s.LocationID, s.ItemID, func(tx *store.Tx, i *lost.Item) (entry lost.Entry, err error) {
		if s, err = tx.LockShipment(s.Account, s.ID); err != nil || s.State != lost.ShipmentOpen {
			return entry, err
		}
		before := i.Parcel
		page := s.Offer(o, i, tx.Now())
		err = cmp.Or(tx.CloseCheckoutLater(s.Account, page), tx.SaveShipment(s))
		if err != nil || i.Parcel.Equal(before) {
			return entry, err
		}
		entry = lost.NewEntry(service(s.Account), lost.Updated, tx.Now())
		entry.Fields = []string{"shipping"}
		if !tell || before.Offered || !i.Parcel.Offered || i.Owner.Address() == "" {
			return entry, nil
		}
		return entry, confirm(tx, *i, lost.PriceMessage, "price "+entry.ID, o.Quotes...)
	})
	return i, s, err
}

// service is who acts where nobody does.
func service(account string) lost.Actor { return lost.Actor{Account: account, Kind: lost.ByService} }

// errOffer says that what was chosen is no longer offered.
var errOffer = lost.E(lost.Conflict, "The price has changed. Look at it once more.")

// Checkout notes which offer the guest takes, and opens the page to pay it on. The shipment of the bill says which; there is none where
// the desk collects the fee, or where the page is our own.
func (d *Desk) Checkout(ctx context.Context, token, offer, language string) (b Bill, err error) {
	if b, err = d.Bill(ctx, token); err != nil {
		return b, err
	}
	n := slices.IndexFunc(b.Shipment.Offers, func(q lost.Quote) bool { return q.Key() == offer })
	if n < 0 {
		return b, errOffer
	}
	quote, open := b.Shipment.Offers[n], b.Shipment.Checkout
	if open.ID != "" && b.Shipment.PayBy == d.till.By() && b.Shipment.Quote.Key() == quote.Key() && open.Open(d.now()) {
		return b, nil
	}
	if open.ID != "" { // only one page at a time can be paid on
		if err := d.closePage(ctx, open.ID); err != nil {
			if lost.CodeOf(err) == lost.Conflict { // it was paid, and nobody has told us yet
				return b, cmp.Or(d.look(ctx, b.Shipment), err)
			}
			return b, err
		}
	}
	if b.Item, b.Shipment, err = d.agree(ctx, b, quote); err != nil || !d.till.By().Online() {
		return b, err
	}
	checkout, err := d.till.Open(ctx, d.bill(b, language))
	if lost.CodeOf(err) == lost.Invalid {
		return b, cmp.Or(d.unpayable(ctx, b, toldBy(err)), err)
	}
	if err != nil {
		return b, err
	}
	return b, d.keepCheckout(ctx, &b.Shipment, checkout)
}

// agree notes which offer the guest takes. The page that is opened next has a number of its own.
func (d *Desk) agree(ctx context.Context, b Bill, q lost.Quote) (i lost.Item, s lost.Shipment, err error) {
	i, err = d.changeItem(ctx, b.Link.Guest(), b.Link.LocationID, b.Link.ItemID, func(tx *store.Tx, i *lost.Item) (entry lost.Entry, err error) {
		s, err = tx.LockShipment(b.Shipment.Account, b.Shipment.ID)
		switch {
		case err != nil:
			return entry, err
		case s.State != lost.ShipmentOpen || i.Parcel.ShipmentID != s.ID || i.Status != lost.InfoCompleted,
			s.Rounds != b.Shipment.Rounds, s.Checkout.ID != b.Shipment.Checkout.ID: // another window was quicker, and its page is open
			return entry, lost.E(lost.Conflict, "This was changed in the meantime.")
		}
		before := i.Parcel
		s.Agree(q, i, tx.Now())
		s.PayBy, i.Parcel.PayBy = d.till.By(), d.till.By()
		s.Rounds++
		if !i.Parcel.Equal(before) {
			entry = lost.NewEntry(b.Link.Guest(), lost.Updated, tx.Now())
			entry.Fields = []string{"shipping.service", "shipping.price"}
		}
		return entry, tx.SaveShipment(s)
	})
	return i, s, err
}

// unpayable has the desk told that the provider does not take what the guest agreed to.
func (d *Desk) unpayable(ctx context.Context, b Bill, why string) error {
	_, err := d.changeItem(ctx, service(b.Item.Account), b.Item.LocationID, b.Item.ID, func(tx *store.Tx, i *lost.Item) (entry lost.Entry, err error) {
		before := i.Parcel
		if i.Parcel.Unpayable(why); !i.Parcel.Equal(before) {
			entry = lost.NewEntry(service(i.Account), lost.Paid, tx.Now())
			entry.Fields, entry.Note = []string{"shipping"}, "Refused: "+why
		}
		return entry, nil
	})
	return err
}

// maxTitle bounds what a page to pay on says of an item.
const maxTitle = 100

// bill gathers what the page says on which a shipment is paid. The guest's token does not go there: whoever comes back is known by a cookie.
func (d *Desk) bill(b Bill, language string) lost.Bill {
	return lost.Bill{
		Shipment: b.Shipment, Round: b.Shipment.Rounds, Title: lost.Shorten(b.Item.Description, maxTitle) + " · " + b.Location.Name, Email: b.Item.Owner.Email,
		Language: language, Done: d.wire.Base + "/g/paid", Back: d.wire.Base + "/g/unpaid",
	}
}

// keepCheckout keeps the page that was opened. If another was meanwhile, this one is closed: nobody has seen it.
func (d *Desk) keepCheckout(ctx context.Context, s *lost.Shipment, checkout lost.Checkout) error {
	round, kept := s.Rounds, false
	err := d.db.Write(ctx, func(tx *store.Tx) error {
		fresh, err := tx.LockShipment(s.Account, s.ID)
		if err != nil {
			return err
		}
		if kept = fresh.State == lost.ShipmentOpen && fresh.Rounds == round; !kept {
			return nil
		}
		fresh.Checkout, fresh.UpdatedAt = checkout, tx.Now()
		*s = fresh
		return cmp.Or(tx.SaveShipment(fresh), tx.LookPaymentLater(fresh, tx.Now().Add(lookFirst)))
	})
	if err == nil && !kept {
		return cmp.Or(d.closePage(ctx, checkout.ID), error(lost.E(lost.Conflict, "This was changed in the meantime.")))
	}
	return err
}

// PayTest is the button of the page that is only a test.
func (d *Desk) PayTest(ctx context.Context, token string) (Visit, error) {
	v, err := d.Visit(ctx, token)
	if err != nil {
		return v, err
	}
	if d.till.By() != lost.PayTest || v.Item.Parcel.ShipmentID == "" {
		return v, lost.Missing("page")
	}
	s, err := d.db.Shipment(ctx, v.Item.Account, v.Item.Parcel.ShipmentID)
	if err != nil {
		return v, err
	}
	if s.State == lost.ShipmentOpen && s.Checkout.ID == "" {
		return v, lost.E(lost.Conflict, "There is nothing to pay.")
	}
	if s.State == lost.ShipmentOpen {
		price := s.Quote.Price
		n := lost.PaymentNews{By: lost.PayTest, Shipment: s.ID, Checkout: s.Checkout.ID, Reference: s.Checkout.ID, State: lost.PaymentPaid, Amount: price.Total(), Currency: price.Currency}
		if v.Item, err = d.hearOf(ctx, s, n); err != nil {
			return v, err
		}
	}
	return v, nil
}
