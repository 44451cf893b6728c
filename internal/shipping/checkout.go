package shipping

import (
	"context"
	"slices"
	"time"

	"homeward/internal/access"
	"homeward/internal/change"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// PayBy tells how fees are paid.
func (y *Payments) PayBy() lost.PayBy { return y.provider.Method() }

// How long offers are valid, and how long the answer that there are none: carriers change their prices.
const (
	offersLast   = time.Hour
	nothingLasts = 5 * time.Minute
)

// Bill is what the guest is asked to pay.
type Bill struct {
	change.Visit
	Shipment lost.Shipment // with its offers
}

// Bill gives the guest's bill. It is a Conflict if there is nothing to pay; the visit then has the present state.
func (y *Payments) Bill(ctx context.Context, token string) (b Bill, err error) {
	if b.Visit, err = y.links.Visit(ctx, token); err != nil {
		return b, err
	}
	i := b.Item
	if i.Status != lost.InfoCompleted || i.Parcel.ShipmentID == "" {
		return b, lost.E(lost.Conflict, "There is nothing to pay.")
	}
	if b.Shipment, err = y.db.Shipment(ctx, i.Account, i.Parcel.ShipmentID); err != nil {
		return b, err
	}
	s := b.Shipment
	stands := offersLast
	if len(s.Offers) == 0 {
		stands = nothingLasts
	}
	agreed := s.Checkout.Open(y.now()) // somebody may be paying it at this moment
	if s.Basis == basis(b.Location, i, s.To) && (agreed || y.now().Sub(s.At) < stands) {
		return b, nil
	}
	offers, err := y.quotes.Offers(ctx, b.Location, i, s.To)
	if err != nil {
		return b, err
	}
	b.Item, b.Shipment, err = y.quotes.saveOffers(ctx, s, offers, false)
	return b, err
}

// errOffer says that the chosen offer is no longer valid.
var errOffer = lost.E(lost.Conflict, "The price has changed. Please check it again.")

// Checkout records which offer the guest accepts, and opens the payment page. The shipment of the bill has it; there
// is none if the fee is collected at the desk, or if the page is our own.
func (y *Payments) Checkout(ctx context.Context, token, offer, language string) (b Bill, err error) {
	if b, err = y.Bill(ctx, token); err != nil {
		return b, err
	}
	n := slices.IndexFunc(b.Shipment.Offers, func(q lost.Quote) bool { return q.Key() == offer })
	if n < 0 {
		return b, errOffer
	}
	quote, open := b.Shipment.Offers[n], b.Shipment.Checkout
	if open.ID != "" && b.Shipment.PayBy == y.provider.Method() && b.Shipment.Quote.Key() == quote.Key() &&
		open.Open(y.now()) {
		return b, nil
	}
	if open.ID != "" { // only one page at a time can be paid
		if err := y.closePage(ctx, open.ID); err != nil {
			if lost.CodeOf(err) == lost.Conflict { // it was paid, and the provider has not told us yet
				if err := y.checkPage(ctx, b.Shipment); err != nil {
					return b, err
				}
				return b, err
			}
			return b, err
		}
	}
	if b.Item, b.Shipment, err = y.agree(ctx, b, quote); err != nil || !y.provider.Method().Online() {
		return b, err
	}
	checkout, err := y.provider.Open(ctx, y.bill(b, language))
	if lost.CodeOf(err) == lost.Invalid {
		if err := y.recordUnpayable(ctx, b, access.Reason(err)); err != nil {
			return b, err
		}
		return b, err
	}
	if err != nil {
		return b, err
	}
	return b, y.keepCheckout(ctx, &b.Shipment, checkout)
}

// agree records which offer the guest accepts. The payment page that is opened next has a number of its own.
func (y *Payments) agree(ctx context.Context, b Bill, q lost.Quote) (i lost.Item, s lost.Shipment, err error) {
	i, err = y.change.Item(ctx, b.Link.Guest(), b.Link.LocationID, b.Link.ItemID,
		func(tx *store.Tx, i *lost.Item) (entry lost.Entry, err error) {
			s, err = tx.LockShipment(b.Shipment.Account, b.Shipment.ID)
			switch {
			case err != nil:
				return entry, err
			case s.State != lost.ShipmentOpen || i.Parcel.ShipmentID != s.ID || i.Status != lost.InfoCompleted,
				// another window was faster, and its page is open
				s.Rounds != b.Shipment.Rounds, s.Checkout.ID != b.Shipment.Checkout.ID:
				return entry, lost.E(lost.Conflict, "This was changed in the meantime.")
			}
			before := i.Parcel
			s.ChooseQuote(q, i, tx.Now())
			s.PayBy, i.Parcel.PayBy = y.provider.Method(), y.provider.Method()
			s.Rounds++
			if !i.Parcel.Equal(before) {
				entry = lost.NewEntry(b.Link.Guest(), lost.Updated, tx.Now())
				entry.Fields = []string{"shipping.service", "shipping.price"}
			}
			return entry, tx.SaveShipment(s)
		})
	return i, s, err
}

// recordUnpayable tells the staff that the provider refuses the payment.
func (y *Payments) recordUnpayable(ctx context.Context, b Bill, why string) error {
	_, err := y.change.Item(ctx, access.Service(b.Item.Account), b.Item.LocationID, b.Item.ID,
		func(tx *store.Tx, i *lost.Item) (entry lost.Entry, err error) {
			before := i.Parcel
			if i.Parcel.MarkUnpayable(why); !i.Parcel.Equal(before) {
				entry = lost.NewEntry(access.Service(i.Account), lost.Paid, tx.Now())
				entry.Fields, entry.Note = []string{"shipping"}, "Refused: "+why
			}
			return entry, nil
		})
	return err
}

// maxTitle bounds the title of an item on a payment page.
const maxTitle = 100

// bill gathers the data of a payment page. It does not contain the guest's token: a guest who comes back is
// recognised by a cookie.
func (y *Payments) bill(b Bill, language string) lost.CheckoutRequest {
	return lost.CheckoutRequest{
		Shipment: b.Shipment, Round: b.Shipment.Rounds,
		Title: lost.Shorten(b.Item.Description, maxTitle) + " · " + b.Location.Name, Email: b.Item.Owner.Email,
		Language: language, Done: y.wire.Base + "/g/paid", Back: y.wire.Base + "/g/unpaid",
	}
}

// keepCheckout saves the page that was opened. If another one was opened in the meantime, this one is closed: nobody
// has seen it.
func (y *Payments) keepCheckout(ctx context.Context, s *lost.Shipment, checkout lost.Checkout) error {
	round, kept := s.Rounds, false
	err := y.db.Write(ctx, func(tx *store.Tx) error {
		fresh, err := tx.LockShipment(s.Account, s.ID)
		if err != nil {
			return err
		}
		if kept = fresh.State == lost.ShipmentOpen && fresh.Rounds == round; !kept {
			return nil
		}
		fresh.Checkout, fresh.UpdatedAt = checkout, tx.Now()
		*s = fresh
		if err := tx.SaveShipment(fresh); err != nil {
			return err
		}
		return tx.AddCheckPaymentJob(fresh, tx.Now().Add(lookFirst))
	})
	if err == nil && !kept {
		if err := y.closePage(ctx, checkout.ID); err != nil {
			return err
		}
		return lost.E(lost.Conflict, "This was changed in the meantime.")
	}
	return err
}

// PayTest is the button of the test payment page.
func (y *Payments) PayTest(ctx context.Context, token string) (change.Visit, error) {
	v, err := y.links.Visit(ctx, token)
	if err != nil {
		return v, err
	}
	if y.provider.Method() != lost.PayTest || v.Item.Parcel.ShipmentID == "" {
		return v, lost.Missing("page")
	}
	s, err := y.db.Shipment(ctx, v.Item.Account, v.Item.Parcel.ShipmentID)
	if err != nil {
		return v, err
	}
	if s.State == lost.ShipmentOpen && s.Checkout.ID == "" {
		return v, lost.E(lost.Conflict, "There is nothing to pay.")
	}
	if s.State == lost.ShipmentOpen {
		price := s.Quote.Price
		n := lost.PaymentUpdate{
			By: lost.PayTest, Shipment: s.ID, Checkout: s.Checkout.ID, Reference: s.Checkout.ID,
			State: lost.PaymentPaid, Amount: price.Total(), Currency: price.Currency,
		}
		if v.Item, err = y.applyPaymentTo(ctx, s, n); err != nil {
			return v, err
		}
	}
	return v, nil
}
