package lost

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// PaymentOutcome is the result of a payment update.
type PaymentOutcome string

// The outcomes.
const (
	NothingNew        PaymentOutcome = "nothing"
	PaidNow           PaymentOutcome = "paid"
	PaymentUnexpected PaymentOutcome = "stray"    // it must be refunded
	Unpaid            PaymentOutcome = "unpaid"   // the payment page can no longer be used
	Promised          PaymentOutcome = "promised" // the payment takes days
	// more unexpected payments than one shipment stores: a person must check
	TooMuch PaymentOutcome = "too-much"
)

// maxStrays is the most unexpected payments that one shipment stores.
const maxStrays = 20

// ApplyPayment applies an update from a payment provider to the shipment and its item. It is idempotent, and ignores
// the expiry of a payment page that was replaced. A payment of another amount, or one that comes too late, is recorded
// as unexpected and refunded.
func (s *Shipment) ApplyPayment(n PaymentUpdate, i *Item, now time.Time) PaymentOutcome {
	switch n.State {
	case PaymentPaid:
		return s.hearPaid(n, i, now)
	case PaymentFailed, PaymentExpired, PaymentWaiting:
		if s.State != ShipmentOpen || s.Checkout.ID != n.Checkout || i.Parcel.ShipmentID != s.ID {
			return NothingNew
		}
		return s.hearUnpaid(n, i, now)
	default:
		return NothingNew
	}
}

// hearUnpaid applies an update about a page on which nothing is paid yet.
func (s *Shipment) hearUnpaid(n PaymentUpdate, i *Item, now time.Time) PaymentOutcome {
	waiting := n.State == PaymentWaiting
	if waiting && i.Parcel.Awaited {
		return NothingNew
	}
	i.Parcel.Awaited, s.UpdatedAt = waiting, now
	if waiting {
		return Promised
	}
	s.Checkout = Checkout{}
	return Unpaid
}

func (s *Shipment) hearPaid(n PaymentUpdate, i *Item, now time.Time) PaymentOutcome {
	known := n.Reference == s.Reference && !s.PaidAt.IsZero() ||
		slices.ContainsFunc(s.Strays, func(o UnexpectedPayment) bool { return o.Reference == n.Reference })
	due := s.Quote.Price
	switch {
	case known:
		return NothingNew
	case !s.PaidAt.IsZero():
		return s.stray(n, i, "It was paid twice.", now)
	case !due.Known():
		return s.stray(n, i, "The payment came after the price had changed.", now)
	case n.Amount != due.Total() || n.Currency != due.Currency:
		return s.stray(n, i,
			fmt.Sprintf("%s was paid instead of %s.", Price{Postage: n.Amount, Currency: n.Currency}, due), now)
	case i.Shipping.NotShipped != "":
		return s.stray(n, i, "The payment came after the desk had marked the item as not shippable.", now)
	case s.State != ShipmentOpen || i.Parcel.ShipmentID != s.ID || !i.Status.CanMoveTo(FeePaid):
		return s.stray(n, i, "The payment came after the owner or the desk had chosen something else.", now)
	}
	s.Reference = n.Reference
	s.pay(i, now)
	return PaidNow
}

func (s *Shipment) stray(n PaymentUpdate, i *Item, why string, now time.Time) PaymentOutcome {
	if len(s.Strays) >= maxStrays {
		return TooMuch
	}
	s.Strays = append(s.Strays,
		UnexpectedPayment{
			By: n.By, Reference: n.Reference, Amount: n.Amount, Currency: n.Currency, Why: why, Refund: RefundWanted,
		})
	s.UpdatedAt, i.UpdatedAt = now, now
	if s.Checkout.ID == n.Checkout { // it can no longer be paid
		s.Checkout = Checkout{}
	}
	return PaymentUnexpected
}

// pay records that the fee was paid.
func (s *Shipment) pay(i *Item, now time.Time) {
	s.State, s.Checkout = ShipmentPaid, Checkout{}
	s.PaidAt, s.UpdatedAt = now, now
	i.Parcel.Paid, i.Parcel.PayBy = true, s.PayBy
	i.Parcel.Awaited, i.Parcel.Unpriced = false, ""
	i.Parcel.SetQuote(s.Quote)
}

// PayAtDesk records that the desk has collected the fee, which it says by setting the status. If no offer was chosen,
// the first one is.
func (s *Shipment) PayAtDesk(i *Item, now time.Time) {
	if s.Quote == (Quote{}) && len(s.Offers) > 0 {
		s.Quote = s.Offers[0]
	}
	s.PayBy = PayDesk
	s.pay(i, now)
}

// HasFailedRefund reports whether a refund has failed.
func (s *Shipment) HasFailedRefund() bool {
	return s.Refund == RefundFailed || slices.ContainsFunc(s.Strays, func(o UnexpectedPayment) bool {
		return o.Refund == RefundFailed
	})
}

// RetryRefund retries the refunds that failed.
func (s *Shipment) RetryRefund(i *Item, now time.Time) {
	for n := range s.Strays {
		if s.Strays[n].Refund == RefundFailed {
			s.Strays[n].Refund = RefundWanted
		}
	}
	if s.Refund == RefundFailed {
		s.Refund = RefundWanted
		if i.Parcel.ShipmentID == s.ID {
			i.Parcel.Refund = RefundWanted
		}
	}
	s.UpdatedAt, i.UpdatedAt = now, now
	i.Parcel.settle(RefundTask)
}

// RequestRefund requests a refund of the fee, or returns why that is not possible. An item that was not shipped yet is
// no longer shipped.
func (s *Shipment) RequestRefund(i *Item, reason string, now time.Time) error {
	switch {
	case s.PaidAt.IsZero():
		return E(Conflict, "This item has no payment to refund.")
	case s.Refund == RefundWanted:
		return E(Conflict, "The fee is being refunded already.")
	case s.Refund == RefundDone:
		return E(Conflict, "The fee was refunded already.")
	}
	s.Refund, s.Reason = RefundWanted, reason
	s.UpdatedAt, i.UpdatedAt = now, now
	i.Parcel.settle(RefundTask)
	i.Parcel.Refund = RefundWanted
	if i.Status != Shipped && i.Status != Delivered {
		s.Cancel(i, now)
	}
	return nil
}

// MayRefund returns nil, or why nothing can be refunded, as far as the item itself shows.
func (i Item) MayRefund() error {
	switch p := i.Parcel; {
	case p.Problem(RefundTask) != "", p.Refund == RefundFailed: // of this shipment or another one
		return nil
	case p.Refund == RefundWanted:
		return E(Conflict, "The fee is being refunded already.")
	case p.Refund == RefundDone:
		return E(Conflict, "The fee was refunded already.")
	case !p.Paid:
		return E(Conflict, "This item has no payment to refund.")
	default:
		return nil
	}
}

// IsShipping reports whether an item with this status is paid for and is shipped to its owner.
func (s Status) IsShipping() bool { return s == FeePaid || s == Shipped || s == Delivered }

// Cancel cancels the shipment and removes the parcel from the item, except for open problems.
func (s *Shipment) Cancel(i *Item, now time.Time) {
	s.State, s.UpdatedAt = ShipmentOver, now
	if i.Parcel.ShipmentID == s.ID {
		former := i.Parcel
		i.Parcel = Parcel{ShipmentID: s.ID, PayBy: former.PayBy, Refund: former.Refund, Troubles: former.Troubles}
		if former.Paid { // the payment and its invoice can still be looked up
			i.Parcel.Service, i.Parcel.Price, i.Parcel.Documents = former.Service, former.Price, former.Documents
		}
		i.Parcel.settle(LabelTask, ParcelTask)
	}
}

// SetOffers sets the ways in which the item can be shipped. A chosen offer that is no longer available is dropped; its
// payment page is returned, to be closed.
func (s *Shipment) SetOffers(o Offers, i *Item, now time.Time) (page Checkout) {
	s.Offers, s.Basis = o.Quotes, o.Basis
	s.At, s.UpdatedAt = now, now
	i.Parcel.Offered, i.Parcel.Unpriced = len(o.Quotes) > 0, o.Why
	still := slices.ContainsFunc(o.Quotes, func(q Quote) bool { return q.Key() == s.Quote.Key() })
	if s.Quote == (Quote{}) || still {
		return page
	}
	page, s.Quote, s.Checkout = s.Checkout, Quote{}, Checkout{}
	i.Parcel.SetQuote(Quote{})
	return page
}

// AwaitPrice marks a parcel without a price as waiting for one. A parcel with a price keeps it meanwhile.
func (p *Parcel) AwaitPrice() {
	if !p.Offered {
		p.Unpriced = "The price is being calculated."
	}
}

// MarkUnpayable records that the payment provider refuses the payment, so that the desk must collect it.
func (p *Parcel) MarkUnpayable(why string) { p.note(ShippingTask, "It cannot be paid online: "+why) }

// ChooseQuote records the offer that the owner has chosen, before its payment page is opened.
func (s *Shipment) ChooseQuote(q Quote, i *Item, now time.Time) {
	s.Quote, s.Checkout, s.UpdatedAt = q, Checkout{}, now
	i.Parcel.SetQuote(q)
}

// SetQuote sets service, price and duration of an offer on the parcel.
func (p *Parcel) SetQuote(q Quote) {
	p.Service, p.Price = q.Service, q.Price
	p.FromDays, p.ToDays = q.FromDays, q.ToDays
}

// AwaitsLabel reports whether the fee was paid and the documents are not ready yet; client programs are notified once
// they are.
func (i Item) AwaitsLabel() bool {
	return i.Parcel.Paid && len(i.Parcel.Documents) == 0 && i.Parcel.Problem(LabelTask) == ""
}

// RecordRefund records the result of a refund: done if why is empty.
func (s *Shipment) RecordRefund(i *Item, why string, now time.Time) {
	s.Refund, s.UpdatedAt, i.UpdatedAt = RefundDone, now, now
	if why != "" {
		s.Refund = RefundFailed
		i.Parcel.note(RefundTask, why)
	}
	if i.Parcel.ShipmentID == s.ID { // otherwise the item already has another shipment
		i.Parcel.Refund = s.Refund
	}
}

// RecordUnexpectedRefund records the result of refunding an unexpected payment.
func (s *Shipment) RecordUnexpectedRefund(n int, i *Item, why string, now time.Time) {
	s.Strays[n].Refund, s.UpdatedAt = RefundDone, now
	if why != "" {
		s.Strays[n].Refund = RefundFailed
		i.Parcel.note(RefundTask, why)
		return
	}
	if s.Refund != RefundFailed && !slices.ContainsFunc(s.Strays, func(o UnexpectedPayment) bool {
		return o.Refund != RefundDone
	}) {
		i.Parcel.settle(RefundTask)
	}
}

// RecordRefusal records that the carrier refuses the parcel.
func (s *Shipment) RecordRefusal(i *Item, why string, now time.Time) {
	s.State, s.UpdatedAt, i.UpdatedAt = ShipmentRefused, now, now
	i.Parcel.note(LabelTask, why)
}

// RetryLabel buys a refused label again.
func (s *Shipment) RetryLabel(now time.Time) error {
	if s.State != ShipmentRefused {
		return E(Conflict, "No label of this item was refused.")
	}
	s.UpdatedAt = now
	if s.Invoice > 0 { // the label is bought; only printing the documents failed
		s.State = ShipmentBought
		return nil
	}
	s.State, s.Postage = ShipmentPaid, Postage{} // the carrier refused what was agreed on
	return nil
}

// MarkReady records that label and invoice are ready, and adds them to the item.
func (s *Shipment) MarkReady(i *Item, now time.Time) {
	s.State, s.UpdatedAt, i.UpdatedAt = ShipmentReady, now, now
	p := &i.Parcel
	p.SetQuote(s.Quote)
	p.ShippingDate, p.Documents = s.Postage.ShippingDate, s.Documents
	p.TrackingURL = cmp.Or(s.Postage.TrackingURL, p.TrackingURL) // a number that the desk has entered stays
	if s.Postage.TrackingNumber != "" {
		i.Shipping.TrackingNumber = s.Postage.TrackingNumber
	}
	p.settle(LabelTask)
}

// ApplyParcelUpdate updates an item by the state of its parcel. An earlier state changes nothing.
func (i *Item) ApplyParcelUpdate(n ParcelUpdate, now time.Time) (changed []string, err error) {
	if n.URL != "" && i.Parcel.TrackingURL == "" {
		i.Parcel.TrackingURL, i.UpdatedAt = n.URL, now
		changed = append(changed, "shipping.trackingUrl")
	}
	if next := n.State.Status(); next != "" && i.Status.CanMoveTo(next) {
		moved, err := i.MoveTo(Move{To: next}, ByService, now)
		return append(moved, changed...), err
	}
	if n.State == ParcelTrouble && (i.Status == FeePaid || i.Status == Shipped) && i.Parcel.Problem(ParcelTask) == "" {
		i.Parcel.note(ParcelTask, n.Why)
		i.UpdatedAt = now
		changed = append(changed, "shipping")
	}
	return changed, nil
}

// ClearLabelProblem records that a refused label is bought again.
func (p *Parcel) ClearLabelProblem() { p.settle(LabelTask) }

// RefundPatch asks for a refund.
type RefundPatch struct {
	Because Field[string]
	DecodeResult
}

// Reason returns the reason that was sent, or what is wrong with it.
func (p RefundPatch) Reason() (reason string, err error) {
	c := &check{slices.Clone(p.Problems)}
	c.line(p.Because, "reason", MaxPlace, &reason)
	return reason, c.Err()
}

// tasks lists the open tasks of a shipment by the status of its item: problems, and a fee that was paid for an item
// that is not shipped.
func (p Parcel) tasks(s Status) (kinds []TaskKind) {
	for _, t := range p.Troubles {
		kinds = append(kinds, t.Kind)
	}
	if p.Paid && p.Refund == "" && !s.IsShipping() {
		kinds = append(kinds, RefundTask)
	}
	return kinds
}
