package lost

import (
	"cmp"
	"slices"
	"time"
)

// PaymentOutcome is the result of a payment update.
type PaymentOutcome string

// The outcomes.
const (
	NothingNew        PaymentOutcome = "nothing"
	PaidNow           PaymentOutcome = "paid"
	PaymentUnexpected PaymentOutcome = "stray"    // the payment must be refunded
	Unpaid            PaymentOutcome = "unpaid"   // the payment page has expired or the payment failed
	PaymentPending    PaymentOutcome = "promised" // the payment can take days
	// UnexpectedPaid means that there are more unexpected payments than a shipment can store. The operator must check
	// them.
	UnexpectedPaid PaymentOutcome = "too-much"
)

// maxStrays is the maximum number of unexpected payments that a shipment stores.
const maxStrays = 20

// ApplyPayment applies an update from a payment provider to the shipment and its item. It is idempotent, and ignores
// the expiry of a payment page that was replaced. A payment of the wrong amount, or one that comes too late, is
// recorded as unexpected and refunded.
func (s *Shipment) ApplyPayment(n PaymentUpdate, i *Item, now time.Time) PaymentOutcome {
	switch n.State {
	case PaymentPaid:
		return s.applyPaid(n, i, now)
	case PaymentFailed, PaymentExpired, PaymentWaiting:
		if s.State != ShipmentOpen || s.Checkout.ID != n.Checkout || i.Parcel.ShipmentID != s.ID {
			return NothingNew
		}
		return s.applyUnpaid(n, i, now)
	default:
		return NothingNew
	}
}

// applyUnpaid applies an update about a payment page without a completed payment.
func (s *Shipment) applyUnpaid(n PaymentUpdate, i *Item, now time.Time) PaymentOutcome {
	waiting := n.State == PaymentWaiting
	if waiting && i.Parcel.Awaited {
		return NothingNew
	}
	i.Parcel.Awaited, s.UpdatedAt = waiting, now
	if waiting {
		return PaymentPending
	}
	s.Checkout = Checkout{}
	return Unpaid
}

func (s *Shipment) applyPaid(n PaymentUpdate, i *Item, now time.Time) PaymentOutcome {
	known := n.Reference == s.Reference && !s.PaidAt.IsZero() ||
		slices.ContainsFunc(s.Strays, func(o UnexpectedPayment) bool { return o.Reference == n.Reference })
	due := s.Quote.Price
	switch {
	case known:
		return NothingNew
	case !s.PaidAt.IsZero():
		return s.recordUnexpected(n, i, Note(NotePaidTwice), now)
	case !due.Known():
		return s.recordUnexpected(n, i, Note(NotePaidOldPrice), now)
	case n.Amount != due.Total() || n.Currency != due.Currency:
		return s.recordUnexpected(n, i,
			Note(NotePaidOtherAmount, Price{Postage: n.Amount, Currency: n.Currency}.String(), due.String()), now)
	case i.Shipping.NotShipped != "":
		return s.recordUnexpected(n, i, Note(NotePaidNotShippable), now)
	case s.State != ShipmentOpen || i.Parcel.ShipmentID != s.ID || !i.Status.CanMoveTo(FeePaid):
		return s.recordUnexpected(n, i, Note(NotePaidLate), now)
	}
	s.Reference = n.Reference
	s.pay(i, now)
	return PaidNow
}

func (s *Shipment) recordUnexpected(n PaymentUpdate, i *Item, why string, now time.Time) PaymentOutcome {
	if len(s.Strays) >= maxStrays {
		return UnexpectedPaid
	}
	s.Strays = append(s.Strays,
		UnexpectedPayment{
			By: n.By, Reference: n.Reference, Amount: n.Amount, Currency: n.Currency, Why: why, Refund: RefundWanted,
		})
	s.UpdatedAt, i.UpdatedAt = now, now
	if s.Checkout.ID == n.Checkout { // this page cannot be used again
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

// PayAtDesk records that the desk has collected the fee. The desk confirms this by setting the status. If the owner
// has not chosen an offer, PayAtDesk chooses the first one.
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
	i.Parcel.clearRefundTask()
}

// RequestRefund requests a refund of the fee, or returns an error if that is not possible. If the item was not
// shipped yet, the shipment is cancelled.
func (s *Shipment) RequestRefund(i *Item, reason string, now time.Time) error {
	switch {
	case s.PaidAt.IsZero():
		return E(WrongState, "This item has no payment to refund.")
	case s.Refund == RefundWanted:
		return E(AlreadyRefunded, "The fee is already being refunded.")
	case s.Refund == RefundDone:
		return E(AlreadyRefunded, "The fee was already refunded.")
	}
	s.Refund, s.Reason = RefundWanted, reason
	s.UpdatedAt, i.UpdatedAt = now, now
	i.Parcel.clearRefundTask()
	i.Parcel.Refund = RefundWanted
	if i.Status != Shipped && i.Status != Delivered {
		s.Cancel(i, now)
	}
	return nil
}

// AwaitsDeskRefund reports whether the desk has to pay the fee back to the owner, and has not confirmed it yet.
func (s *Shipment) AwaitsDeskRefund() bool { return s.Refund == RefundWanted && s.PayBy == PayDesk }

// RemindDesk adds a task for the desk to pay the fee back. It reports whether the task is new.
func (s *Shipment) RemindDesk(i *Item, now time.Time) bool {
	why := Note(NotePayBack)
	if s.Quote.Price.Known() {
		why = Note(NoteDeskCollected, s.Quote.Price.String()) + " " + why
	}
	if i.Parcel.Problem(RefundTask) == why {
		return false
	}
	i.Parcel.note(RefundTask, why)
	i.Parcel.Troubles[len(i.Parcel.Troubles)-1].AtDesk = true
	i.UpdatedAt = now
	return true
}

// DeskRefundDue reports whether the desk has to pay a fee back, for this shipment or an earlier one.
func (p Parcel) DeskRefundDue() bool {
	return slices.ContainsFunc(p.Troubles, func(t ParcelProblem) bool { return t.Kind == RefundTask && t.AtDesk })
}

// clearRefundTask removes a problem with a refund. A fee that the desk has to pay back stays until it is confirmed.
func (p *Parcel) clearRefundTask() {
	if !p.DeskRefundDue() {
		p.clear(RefundTask)
	}
}

// ConfirmDeskRefund records that the desk has paid the fee back.
func (s *Shipment) ConfirmDeskRefund(i *Item, now time.Time) {
	s.RecordRefund(i, "", now)
	i.Parcel.clear(RefundTask)
}

// MayRefund returns an error if nothing can be refunded. It only checks the item, not the shipment.
func (i Item) MayRefund() error {
	switch p := i.Parcel; {
	case p.Problem(RefundTask) != "", p.Refund == RefundFailed: // a refund of this or another shipment failed
		return nil
	case p.Refund == RefundWanted:
		return E(AlreadyRefunded, "The fee is already being refunded.")
	case p.Refund == RefundDone:
		return E(AlreadyRefunded, "The fee was already refunded.")
	case !p.Paid:
		return E(WrongState, "This item has no payment to refund.")
	default:
		return nil
	}
}

// IsShipping reports whether items with the status have paid shipping.
func (s Status) IsShipping() bool { return s == FeePaid || s == Shipped || s == Delivered }

// Cancel cancels the shipment and removes the parcel from the item. Problems with refunds stay.
func (s *Shipment) Cancel(i *Item, now time.Time) {
	s.State, s.UpdatedAt = ShipmentCancelled, now
	if i.Parcel.ShipmentID == s.ID {
		former := i.Parcel
		i.Parcel = Parcel{
			ShipmentID: s.ID, ByGuest: former.ByGuest, PayBy: former.PayBy, Refund: former.Refund,
			Troubles: former.Troubles,
		}
		if former.Paid { // the payment and its invoice stay visible
			i.Parcel.Service, i.Parcel.Price, i.Parcel.Documents = former.Service, former.Price, former.Documents
		}
		i.Parcel.clear(LabelTask, ParcelTask)
	}
}

// SetOffers sets the offers for shipping the item. If the chosen offer is no longer available, it is cleared and its
// payment page is returned, so that the caller can close the page.
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

// AwaitPrice marks a parcel without a price as waiting for one. A parcel with a price keeps the price until there is
// a new one.
func (p *Parcel) AwaitPrice() {
	if !p.Offered {
		p.Unpriced = PriceAwaited
	}
}

// MarkUnpayable records that the payment provider rejected the payment. The desk must then collect the fee.
func (p *Parcel) MarkUnpayable(why string) {
	p.note(ShippingTask, Note(NoteNotPayable, why))
}

// ChooseQuote records the offer that the owner has chosen, before its payment page is opened.
func (s *Shipment) ChooseQuote(q Quote, i *Item, now time.Time) {
	s.Quote, s.Checkout, s.UpdatedAt = q, Checkout{}, now
	i.Parcel.SetQuote(q)
}

// SetQuote sets the parcel's service, price and delivery time to those of an offer.
func (p *Parcel) SetQuote(q Quote) {
	p.Service, p.Price = q.Service, q.Price
	p.FromDays, p.ToDays = q.FromDays, q.ToDays
}

// AwaitsLabel reports whether the fee was paid and the documents are not ready yet. API clients are notified when
// the documents are ready.
func AwaitsLabel(i Item) bool {
	return i.Parcel.Paid && len(i.Parcel.Documents) == 0 && i.Parcel.Problem(LabelTask) == ""
}

// RecordRefund records the result of a refund. If the refund failed, why is the reason; otherwise why is empty.
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

// RecordUnexpectedRefund records the result of refunding the unexpected payment with index n. If the refund failed,
// why is the reason; otherwise why is empty.
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
		i.Parcel.clearRefundTask()
	}
}

// RecordRefusal records that the carrier rejected the parcel.
func (s *Shipment) RecordRefusal(i *Item, why string, now time.Time) {
	s.State, s.UpdatedAt, i.UpdatedAt = ShipmentRefused, now, now
	i.Parcel.note(LabelTask, why)
}

// RetryLabel schedules another attempt to get a label that was rejected. It returns an error if none was rejected.
func (s *Shipment) RetryLabel(now time.Time) error {
	if s.State != ShipmentRefused {
		return E(WrongState, "No label for this item was rejected.")
	}
	s.UpdatedAt = now
	if s.Invoice > 0 { // the label was bought; only creating the documents failed
		s.State = ShipmentBought
		return nil
	}
	s.State, s.Postage = ShipmentPaid, Postage{} // the carrier rejected the previous rate
	return nil
}

// MarkReady records that the label and the invoice are ready, and adds them to the item.
func (s *Shipment) MarkReady(i *Item, now time.Time) {
	s.State, s.UpdatedAt, i.UpdatedAt = ShipmentReady, now, now
	p := &i.Parcel
	p.SetQuote(s.Quote)
	p.ShippingDate, p.Documents = s.Postage.ShippingDate, s.Documents
	p.TrackingURL = cmp.Or(s.Postage.TrackingURL, p.TrackingURL) // keep the URL of a number that the desk entered
	if s.Postage.TrackingNumber != "" {
		i.Shipping.TrackingNumber = s.Postage.TrackingNumber
	}
	p.clear(LabelTask)
}

// ApplyParcelUpdate updates an item with the state of its parcel. It ignores states that would move the item
// backwards.
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

// ClearLabelProblem removes the problem of a rejected label, for another attempt to buy it.
func (p *Parcel) ClearLabelProblem() { p.clear(LabelTask) }

// RefundPatch is a request for a refund.
type RefundPatch struct {
	Reason Field[string]
	DecodeResult
}

// ValidReason returns the reason, or an error if it is not valid.
func (p RefundPatch) ValidReason() (reason string, err error) {
	c := &check{slices.Clone(p.Problems)}
	c.line(p.Reason, "reason", MaxPlace, &reason)
	return reason, c.Err()
}

// tasks lists the open tasks of a shipment: its problems, and a refund if the fee was paid but the item's status is
// not a shipping status.
func (p Parcel) tasks(s Status) (kinds []TaskKind) {
	for _, t := range p.Troubles {
		kinds = append(kinds, t.Kind)
	}
	if p.Paid && p.Refund == "" && !s.IsShipping() {
		kinds = append(kinds, RefundTask)
	}
	return kinds
}
