package shipping

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"homeward/internal/access"
	"homeward/internal/change"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// PayBy returns how fees are paid.
func (y *Payments) PayBy() lost.PayBy { return y.provider.Method() }

// How long offers are used before they are requested again, because carriers change their prices. An empty list of
// offers is used for a shorter time.
const (
	offersLast   = time.Hour
	noOffersLast = 5 * time.Minute
)

// Bill is what the guest has to pay for a shipment.
type Bill struct {
	change.Visit
	Shipment lost.Shipment // contains the offers
}

// Bill returns the guest's bill. The error is Conflict if there is nothing to pay; the returned bill then still
// contains the item.
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
	maxAge := offersLast
	if len(s.Offers) == 0 {
		maxAge = noOffersLast
	}
	agreed := s.Checkout.Open(y.now()) // do not change the price while somebody may be paying
	if s.Basis == basis(b.Location, i, s.To) && (agreed || y.now().Sub(s.At) < maxAge) {
		return b, nil
	}
	offers, err := y.quotes.Offers(ctx, b.Location, i, s.To)
	if err != nil {
		return b, err
	}
	b.Item, b.Shipment, err = y.quotes.saveOffers(ctx, s, offers, false)
	return b, err
}

// errOffer is returned if the guest accepts an offer that is no longer valid.
var errOffer = lost.E(lost.Conflict, "The price has changed. Please check it again.")

// errOvertaken is returned by checkoutOnce if the guest submitted the form again, or in another browser window, while
// it was being processed.
var errOvertaken = lost.E(lost.Conflict, "The shipment was changed in the meantime. Reload the page.")

// Checkout records the offer that the guest accepts, and opens the payment page. The shipment of the returned bill
// contains the URL of the page, unless the fee is collected at the desk or the page is the built-in test page. If the
// guest submits the form twice, both calls return the same page.
func (y *Payments) Checkout(ctx context.Context, token, offer, language string) (b Bill, err error) {
	const maxAttempts = 8
	for attempt := 1; ; attempt++ {
		b, err = y.checkoutOnce(ctx, token, offer, language)
		if !errors.Is(err, errOvertaken) || attempt == maxAttempts {
			return b, err
		}
		if err := letOthersFinish(ctx, attempt); err != nil {
			return b, err
		}
	}
}

// letOthersFinish waits a random time, which doubles with each attempt. Calls that overtake each other without waiting
// could all fail.
func letOthersFinish(ctx context.Context, attempt int) error {
	longest := 10 * time.Millisecond << attempt
	select {
	case <-time.After(longest/2 + rand.N(longest/2)): //nolint:gosec // it need not be unpredictable
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (y *Payments) checkoutOnce(ctx context.Context, token, offer, language string) (b Bill, err error) {
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
	if open.ID != "" { // a shipment must have only one open page
		if err := y.closePage(ctx, open.ID); err != nil {
			if lost.CodeOf(err) == lost.Conflict { // the page was paid, but the provider has not notified us yet
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
	return b, y.saveCheckout(ctx, &b.Shipment, checkout)
}

// agree records the offer that the guest accepts, and increments the number of the shipment's payment pages.
func (y *Payments) agree(ctx context.Context, b Bill, q lost.Quote) (i lost.Item, s lost.Shipment, err error) {
	i, err = y.change.Item(ctx, b.Link.Guest(), b.Link.LocationID, b.Link.ItemID,
		func(tx *store.Tx, i *lost.Item) (entry lost.Entry, err error) {
			s, err = tx.LockShipment(b.Shipment.Account, b.Shipment.ID)
			switch {
			case err != nil:
				return entry, err
			case s.State != lost.ShipmentOpen || i.Parcel.ShipmentID != s.ID || i.Status != lost.InfoCompleted:
				return entry, lost.E(lost.Conflict, "The shipment was changed in the meantime. Reload the page.")
			case y.provider.Method().Online() &&
				(s.Rounds != b.Shipment.Rounds || s.Checkout.ID != b.Shipment.Checkout.ID):
				return entry, errOvertaken // another call opens a page, or has opened one
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

// recordUnpayable records that the provider refuses the payment, and why, so that staff can see it.
func (y *Payments) recordUnpayable(ctx context.Context, b Bill, why string) error {
	_, err := y.change.Item(ctx, access.Service(b.Item.Account), b.Item.LocationID, b.Item.ID,
		func(tx *store.Tx, i *lost.Item) (entry lost.Entry, err error) {
			before := i.Parcel
			if i.Parcel.MarkUnpayable(why); !i.Parcel.Equal(before) {
				entry = lost.NewEntry(access.Service(i.Account), lost.Paid, tx.Now())
				entry.Fields, entry.Note = []string{"shipping"}, lost.Note(lost.NoteRefused, why)
			}
			return entry, nil
		})
	return err
}

// maxTitle is the maximum length of an item's description on a payment page, in characters.
const maxTitle = 100

// bill returns the data for a payment page. The provider must not learn the guest's token, so it is not included.
// When the guest returns from the page, a cookie identifies them.
func (y *Payments) bill(b Bill, language string) lost.CheckoutRequest {
	return lost.CheckoutRequest{
		Shipment: b.Shipment, Round: b.Shipment.Rounds,
		Title: lost.Shorten(b.Item.Description, maxTitle) + " · " + b.Location.Name, Email: b.Item.Owner.Email,
		Language: language, Done: y.wire.Base + "/g/paid", Back: y.wire.Base + "/g/unpaid",
	}
}

// saveCheckout saves the payment page that was opened. If another page was opened in the meantime, it instead closes
// this page, which nobody has seen yet, and returns errOvertaken.
func (y *Payments) saveCheckout(ctx context.Context, s *lost.Shipment, checkout lost.Checkout) error {
	round, saved := s.Rounds, false
	err := y.db.Write(ctx, func(tx *store.Tx) error {
		fresh, err := tx.LockShipment(s.Account, s.ID)
		if err != nil {
			return err
		}
		if saved = fresh.State == lost.ShipmentOpen && fresh.Rounds == round; !saved {
			return nil
		}
		fresh.Checkout, fresh.UpdatedAt = checkout, tx.Now()
		*s = fresh
		if err := tx.SaveShipment(fresh); err != nil {
			return err
		}
		return tx.AddCheckPaymentJob(fresh, tx.Now().Add(pollFirst))
	})
	if err == nil && !saved {
		if err := y.closePage(ctx, checkout.ID); err != nil {
			return err
		}
		return errOvertaken
	}
	return err
}

// PayTest simulates a payment on the test payment page.
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
