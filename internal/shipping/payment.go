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

// Payments collects the fees for shipments.
type Payments struct {
	db       *store.DB
	wire     v1.Encoder
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
	Wire     v1.Encoder
	Now      func() time.Time
	Change   *change.Items
	Links    *change.GuestLinks
	Quotes   *Quotes
	Provider PaymentProvider
	Wake     func()
}

// NewPayments creates Payments.
func NewPayments(o PaymentsOptions) *Payments {
	return &Payments{
		db: o.DB, wire: o.Wire, now: o.Now, change: o.Change, links: o.Links, quotes: o.Quotes,
		provider: o.Provider, wake: o.Wake,
	}
}

// HandleCallback handles a callback from the payment provider. It ignores callbacks about payments to other services.
func (y *Payments) HandleCallback(ctx context.Context, header http.Header, body []byte) error {
	n, ours, err := y.provider.ParseEvent(header, body)
	if err != nil || !ours {
		return err
	}
	return y.applyPayment(ctx, n)
}

// applyPayment finds the shipment that a payment update is about, and applies the update.
func (y *Payments) applyPayment(ctx context.Context, n lost.PaymentUpdate) error {
	e, found, err := y.db.Lookup(ctx, store.ShipmentEntry, store.DirectoryHash(n.Shipment))
	if err != nil || !found { // the payment may belong to another service with the same provider account
		return err
	}
	s, err := y.db.Shipment(ctx, e.Account, e.Subject)
	if err == nil {
		_, err = y.applyPaymentTo(ctx, s, n)
	}
	if lost.CodeOf(err) == lost.NotFound { // the item was deleted, or its location is being deleted
		return y.refundLater(ctx, e.Account, n)
	}
	return err
}

// refundLater adds a job that refunds a payment for a deleted item.
func (y *Payments) refundLater(ctx context.Context, account string, n lost.PaymentUpdate) error {
	if n.State != lost.PaymentPaid {
		return nil
	}
	err := y.db.Write(ctx, func(tx *store.Tx) error { return tx.AddRefundJob(account, n.By, n.Reference) })
	y.wake()
	return err
}

// applyPaymentTo applies a payment update to a shipment and its item.
func (y *Payments) applyPaymentTo(ctx context.Context, s lost.Shipment, n lost.PaymentUpdate) (lost.Item, error) {
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
			switch s.ApplyPayment(n, i, tx.Now()) {
			case lost.PaidNow:
				if err := move(tx, i, lost.FeePaid, &entry); err != nil {
					return entry, err
				}
				err = tx.AddJob(s.Account, store.JobShip, s.ID, tx.Now())
			case lost.PaymentUnexpected:
				why := s.Strays[len(s.Strays)-1].Why
				entry.Fields, entry.Note = []string{"shipping"}, why+" "+lost.Note(lost.NoteWillBeRefunded)
				err = tx.AddJob(s.Account, store.JobRefund, s.ID, tx.Now())
			case lost.UnexpectedPaid:
				return entry,
					lost.E(lost.Unavailable, "There are too many payments for shipment %s.", s.ID)
			case lost.PaymentPending:
				entry.Fields, entry.Note = []string{"shipping"}, lost.Note(lost.NotePaymentStarted)
			case lost.Unpaid:
				if before.Awaited {
					entry.Fields, entry.Note = []string{"shipping"}, lost.Note(lost.NotePaymentFailed)
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

// RefundFormer refunds the fee of an item's earlier shipment when a new one starts, so that nobody pays twice.
func (y *Payments) RefundFormer(tx *store.Tx, i *lost.Item) error {
	s, found, err := change.CurrentShipment(tx, *i)
	if err != nil || !found || s.PaidAt.IsZero() || s.State == lost.ShipmentCancelled {
		return err
	}
	if s.Refund != "" {
		s.Cancel(i, tx.Now())
		return tx.SaveShipment(s)
	}
	if err := s.RequestRefund(i, "Replaced by a new shipment.", tx.Now()); err != nil {
		return err
	}
	if err := tx.SaveShipment(s); err != nil {
		return err
	}
	return tx.AddJob(s.Account, store.JobRefund, s.ID, tx.Now())
}

// CloseCheckout closes a payment page. If the page turns out to be paid, it applies the payment.
func (y *Payments) CloseCheckout(ctx context.Context, checkout string) error {
	err := y.closePage(ctx, checkout)
	if lost.CodeOf(err) != lost.Conflict {
		return err
	}
	n, err := y.provider.CheckoutState(ctx, checkout)
	if err != nil || n.State == "" {
		return err
	}
	return y.applyPayment(ctx, n)
}

// closePage closes a payment page. It returns nil if the provider does not know the page, because it was opened with
// an account that is no longer configured.
func (y *Payments) closePage(ctx context.Context, checkout string) error {
	err := y.provider.Close(ctx, checkout)
	if lost.CodeOf(err) == lost.Invalid {
		return nil
	}
	return err
}

// How long after a payment page is opened the provider is first polled about it, how often it is then polled, and for
// how long, in case the callback is lost.
const (
	pollFirst = 15 * time.Minute
	pollEvery = time.Hour
	pollFor   = 15 * 24 * time.Hour // some payment methods take days
)

// CheckPayment polls the provider about a payment page, if the shipment still uses that page. It returns how long to
// wait before polling again, or zero to stop. about contains the ids of the shipment and the page, as in
// store.JobCheckPayment.
func (y *Payments) CheckPayment(ctx context.Context, account string, about []string) (again time.Duration, err error) {
	if len(about) != 2 {
		return 0, lost.E(lost.Invalid, "The job has no payment page.")
	}
	s, err := y.db.Shipment(ctx, account, about[0])
	if err != nil || s.State != lost.ShipmentOpen || s.Checkout.ID != about[1] || y.now().Sub(s.CreatedAt) > pollFor {
		return 0, lost.IgnoreNotFound(err)
	}
	if err := y.checkPage(ctx, s); err != nil && lost.CodeOf(err) != lost.Invalid {
		return 0, err
	}
	return pollEvery, nil // until the shipment no longer uses this page
}

// checkPage requests the state of a shipment's payment page from the provider, and applies it.
func (y *Payments) checkPage(ctx context.Context, s lost.Shipment) error {
	n, err := y.provider.CheckoutState(ctx, s.Checkout.ID)
	if err != nil || n.State == "" {
		return err
	}
	n.Shipment = s.ID
	_, err = y.applyPaymentTo(ctx, s, n)
	return lost.IgnoreNotFound(err)
}
