package shipping

import (
	"context"
	"net/http"
	"time"

	"homeward/internal/access"
	"homeward/internal/change"
	"homeward/internal/lost"
	"homeward/internal/store"
	v1 "homeward/internal/v1"
)

// Payments takes the fees for shipments.
type Payments struct {
	db       *store.DB
	wire     v1.Wire
	now      func() time.Time
	change   *change.Items
	links    *change.GuestLinks
	quotes   *Quotes
	provider PaymentProvider
	wake     func()
}

// PaymentsOptions are the dependencies of Payments.
type PaymentsOptions struct {
	DB       *store.DB
	Wire     v1.Wire
	Now      func() time.Time
	Change   *change.Items
	Links    *change.GuestLinks
	Quotes   *Quotes
	Provider PaymentProvider
	Wake     func()
}

// NewPayments makes Payments.
func NewPayments(o PaymentsOptions) *Payments {
	return &Payments{
		db: o.DB, wire: o.Wire, now: o.Now, change: o.Change, links: o.Links, quotes: o.Quotes,
		provider: o.Provider, wake: o.Wake,
	}
}

// HearPayment takes what the payment provider tells by itself. What is not about a payment of ours is passed over.
func (y *Payments) HearPayment(ctx context.Context, header http.Header, body []byte) error {
	n, ours, err := y.provider.Hear(header, body)
	if err != nil || !ours {
		return err
	}
	return y.hear(ctx, n)
}

// hear finds what news of a payment is about, and judges it.
func (y *Payments) hear(ctx context.Context, n lost.PaymentNews) error {
	e, found, err := y.db.Lookup(ctx, store.ShipmentEntry, store.DirectoryHash(n.Shipment))
	if err != nil || !found { // another service may share the provider's account with us
		return err
	}
	s, err := y.db.Shipment(ctx, e.Account, e.Subject)
	if err == nil {
		_, err = y.hearOf(ctx, s, n)
	}
	if lost.CodeOf(err) == lost.NotFound { // its item was deleted, or its location is being
		return y.giveBackLater(ctx, e.Account, n)
	}
	return err
}

// giveBackLater has money given back that came for an item which is not there any more.
func (y *Payments) giveBackLater(ctx context.Context, account string, n lost.PaymentNews) error {
	if n.State != lost.PaymentPaid {
		return nil
	}
	err := y.db.Write(ctx, func(tx *store.Tx) error { return tx.GiveBackLater(account, n.By, n.Reference) })
	y.wake()
	return err
}

// hearOf changes a shipment and its item by what became of a payment.
func (y *Payments) hearOf(ctx context.Context, s lost.Shipment, n lost.PaymentNews) (lost.Item, error) {
	by := access.Service(s.Account)
	by.Name = string(s.PayBy)
	return y.change.Item(ctx, by, s.LocationID, s.ItemID,
		func(tx *store.Tx, i *lost.Item) (entry lost.Entry, err error) {
			s, err := tx.LockShipment(s.Account, s.ID)
			if err != nil {
				return entry, err
			}
			entry = lost.NewEntry(by, lost.Paid, tx.Now())
			before := i.Parcel
			switch s.Hear(n, i, tx.Now()) {
			case lost.PaidNow:
				if err := move(tx, i, lost.FeePaid, &entry); err != nil {
					return entry, err
				}
				err = tx.AddJob(s.Account, store.JobShip, s.ID, tx.Now())
			case lost.StrayMoney:
				entry.Fields, entry.Note = []string{"shipping"}, s.Strays[len(s.Strays)-1].Why+" It is given back."
				err = tx.AddJob(s.Account, store.JobRefund, s.ID, tx.Now())
			case lost.TooMuch:
				return entry,
					lost.E(lost.Unavailable, "There are more payments for shipment %s than are remembered.", s.ID)
			case lost.Promised:
				entry.Fields, entry.Note = []string{"shipping"}, "A payment was promised, and takes some days."
			case lost.Unpaid:
				if before.Awaited {
					entry.Fields, entry.Note = []string{"shipping"}, "The payment that was promised did not come."
				}
			default:
				return entry, nil
			}
			if err != nil {
				return entry, err
			}
			return entry, tx.SaveShipment(s)
		})
}

// refundFormer has a fee given back that was paid for a former shipment of an item which now begins another: nobody
// pays twice.
func (y *Payments) RefundFormer(tx *store.Tx, i *lost.Item) error {
	s, found, err := change.CurrentShipment(tx, *i)
	if err != nil || !found || s.PaidAt.IsZero() || s.State == lost.ShipmentOver {
		return err
	}
	if s.Refund != "" {
		s.End(i, tx.Now())
		return tx.SaveShipment(s)
	}
	if err := s.WantRefund(i, "It is paid for anew.", tx.Now()); err != nil {
		return err
	}
	if err := tx.SaveShipment(s); err != nil {
		return err
	}
	return tx.AddJob(s.Account, store.JobRefund, s.ID, tx.Now())
}

// CloseCheckout closes a page that is not to be paid on any more. Where it was paid after all, that is heard.
func (y *Payments) CloseCheckout(ctx context.Context, checkout string) error {
	err := y.closePage(ctx, checkout)
	if lost.CodeOf(err) != lost.Conflict {
		return err
	}
	n, err := y.provider.Look(ctx, checkout)
	if err != nil || n.State == "" {
		return err
	}
	return y.hear(ctx, n)
}

// closePage closes a page to pay on. One that the provider does not know, because another account of ours had opened
// it, is as good as closed.
func (y *Payments) closePage(ctx context.Context, checkout string) error {
	err := y.provider.Close(ctx, checkout)
	if lost.CodeOf(err) == lost.Invalid {
		return nil
	}
	return err
}

// When a provider is asked what became of a page, should it not tell by itself: first, and then every while until
// nothing can come any more.
const (
	lookFirst = 15 * time.Minute
	lookEvery = time.Hour
	lookFor   = 15 * 24 * time.Hour // payments may be promised
)

// LookPayment asks the provider what became of a page, if it is still the one to pay a shipment on, and tells when to
// ask again; zero for no more. about is the shipment and the page, as store.JobPayment has them.
func (y *Payments) LookPayment(ctx context.Context, account string, about []string) (again time.Duration, err error) {
	if len(about) != 2 {
		return 0, lost.E(lost.Invalid, "The job names no page.")
	}
	s, err := y.db.Shipment(ctx, account, about[0])
	if err != nil || s.State != lost.ShipmentOpen || s.Checkout.ID != about[1] || y.now().Sub(s.CreatedAt) > lookFor {
		return 0, lost.UnlessMissing(err)
	}
	if err := y.look(ctx, s); err != nil && lost.CodeOf(err) != lost.Invalid {
		return 0, err
	}
	return lookEvery, nil // until the shipment has another page, or none
}

// look asks the provider what became of the page that is open for a shipment, and believes it.
func (y *Payments) look(ctx context.Context, s lost.Shipment) error {
	n, err := y.provider.Look(ctx, s.Checkout.ID)
	if err != nil || n.State == "" {
		return err
	}
	n.Shipment = s.ID
	_, err = y.hearOf(ctx, s, n)
	return lost.UnlessMissing(err)
}
