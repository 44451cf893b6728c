package lost

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Outcome is what news of a payment came to.
type Outcome string

// The outcomes.
const (
	NothingNew Outcome = "nothing"
	PaidNow    Outcome = "paid"
	StrayMoney Outcome = "stray"    // it is to be given back
	Unpaid     Outcome = "unpaid"   // the page is of no use any more
	Promised   Outcome = "promised" // it takes days
	TooMuch    Outcome = "too-much" // more strays than one shipment remembers: somebody has to look
)

// maxStrays bounds what one shipment remembers.
const maxStrays = 20

// Hear judges what a payment provider says of a shipment and changes shipment and item by it. News that was heard before changes nothing,
// nor does the end of a page that was replaced; money that is not what was agreed on, or comes too late, is a stray, to be given back.
func (s *Shipment) Hear(n PaymentNews, i *Item, now time.Time) Outcome {
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

// hearUnpaid judges news of a page on which nothing was paid, or not yet.
func (s *Shipment) hearUnpaid(n PaymentNews, i *Item, now time.Time) Outcome {
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

func (s *Shipment) hearPaid(n PaymentNews, i *Item, now time.Time) Outcome {
	known := n.Reference == s.Reference && !s.PaidAt.IsZero() ||
		slices.ContainsFunc(s.Strays, func(o Stray) bool { return o.Reference == n.Reference })
	due := s.Quote.Price
	switch {
	case known:
		return NothingNew
	case !s.PaidAt.IsZero():
		return s.stray(n, i, "It was paid a second time.", now)
	case !due.Known():
		return s.stray(n, i, "The payment came after the price had changed.", now)
	case n.Amount != due.Total() || n.Currency != due.Currency:
		return s.stray(n, i, fmt.Sprintf("%s was paid instead of %s.", Price{Postage: n.Amount, Currency: n.Currency}, due), now)
	case i.Shipping.NotShipped != "":
		return s.stray(n, i, "The payment came after the desk had said that this is not sent.", now)
	case s.State != ShipmentOpen || i.Parcel.ShipmentID != s.ID || !i.Status.Leads(FeePaid):
		return s.stray(n, i, "The payment came after the owner or the desk had decided otherwise.", now)
	}
	s.Reference = n.Reference
	s.pay(i, now)
	return PaidNow
}

func (s *Shipment) stray(n PaymentNews, i *Item, why string, now time.Time) Outcome {
	if len(s.Strays) >= maxStrays {
		return TooMuch
	}
	s.Strays = append(s.Strays, Stray{By: n.By, Reference: n.Reference, Amount: n.Amount, Currency: n.Currency, Why: why, Refund: RefundWanted})
	s.UpdatedAt, i.UpdatedAt = now, now
	if s.Checkout.ID == n.Checkout { // nobody can pay on it any more
		s.Checkout = Checkout{}
	}
	return StrayMoney
}

// pay notes that the fee was paid, and how much it was.
func (s *Shipment) pay(i *Item, now time.Time) {
	s.State, s.PaidAt, s.Checkout, s.UpdatedAt = ShipmentPaid, now, Checkout{}, now
	i.Parcel.Paid, i.Parcel.PayBy, i.Parcel.Awaited, i.Parcel.Unpriced = true, s.PayBy, false, ""
	i.Parcel.Take(s.Quote)
}

// PayAtDesk notes that the desk has the fee: it says so by the status it sets. An offer that was not chosen yet is the first one.
func (s *Shipment) PayAtDesk(i *Item, now time.Time) {
	if s.Quote == (Quote{}) && len(s.Offers) > 0 {
		s.Quote = s.Offers[0]
	}
	s.PayBy = PayDesk
	s.pay(i, now)
}

// Owes tells whether money that is to be given back could not be.
func (s *Shipment) Owes() bool {
	return s.Refund == RefundFailed || slices.ContainsFunc(s.Strays, func(o Stray) bool { return o.Refund == RefundFailed })
}

// TryRefund has what could not be given back tried once more.
func (s *Shipment) TryRefund(i *Item, now time.Time) {
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

// WantRefund has the fee given back, or says why that cannot be. What was not shipped yet does not go this way any more.
func (s *Shipment) WantRefund(i *Item, reason string, now time.Time) error {
	switch {
	case s.PaidAt.IsZero():
		return E(Conflict, "Nothing was paid for this item that could be given back.")
	case s.Refund == RefundWanted:
		return E(Conflict, "The fee is being given back already.")
	case s.Refund == RefundDone:
		return E(Conflict, "The fee was given back already.")
	}
	s.Refund, s.Reason, s.UpdatedAt, i.UpdatedAt = RefundWanted, reason, now, now
	i.Parcel.settle(RefundTask)
	i.Parcel.Refund = RefundWanted
	if i.Status != Shipped && i.Status != Delivered {
		s.End(i, now)
	}
	return nil
}

// MayRefund is nil, or why nothing can be given back of what was paid for an item, as far as the item itself tells.
func (i Item) MayRefund() error {
	switch p := i.Parcel; {
	case p.Trouble(RefundTask) != "", p.Refund == RefundFailed: // of this shipment, or of another
		return nil
	case p.Refund == RefundWanted:
		return E(Conflict, "The fee is being given back already.")
	case p.Refund == RefundDone:
		return E(Conflict, "The fee was given back already.")
	case !p.Paid:
		return E(Conflict, "Nothing was paid for this item that could be given back.")
	default:
		return nil
	}
}

// Travels tells whether an item of this status has its fee paid, and goes to its owner.
func (s Status) Travels() bool { return s == FeePaid || s == Shipped || s == Delivered }

// End notes that the item does not go this way, and has it tell of no parcel any more, but of what is left to see to.
func (s *Shipment) End(i *Item, now time.Time) {
	s.State, s.UpdatedAt = ShipmentOver, now
	if i.Parcel.ShipmentID == s.ID {
		former := i.Parcel
		i.Parcel = Parcel{ShipmentID: s.ID, PayBy: former.PayBy, Refund: former.Refund, Troubles: former.Troubles}
		if former.Paid { // what was paid, and the invoice of it, can still be looked up
			i.Parcel.Service, i.Parcel.Price, i.Parcel.Documents = former.Service, former.Price, former.Documents
		}
		i.Parcel.settle(LabelTask, ParcelTask)
	}
}

// Offer keeps the ways in which the item can be sent. What was agreed on and is no longer offered is void; the page that was open to pay it
// is given back, to be closed.
func (s *Shipment) Offer(o Offers, i *Item, now time.Time) (page Checkout) {
	s.Offers, s.Basis, s.At, s.UpdatedAt = o.Quotes, o.Basis, now, now
	i.Parcel.Offered, i.Parcel.Unpriced = len(o.Quotes) > 0, o.Why
	still := slices.ContainsFunc(o.Quotes, func(q Quote) bool { return q.Key() == s.Quote.Key() })
	if s.Quote == (Quote{}) || still {
		return page
	}
	page, s.Quote, s.Checkout = s.Checkout, Quote{}, Checkout{}
	i.Parcel.Take(Quote{})
	return page
}

// Pricing says of a parcel that has none that its price is being asked for. One that has stays as it is meanwhile.
func (p *Parcel) Pricing() {
	if !p.Offered {
		p.Unpriced = "The price is being worked out."
	}
}

// Unpayable notes that the provider does not take what was agreed on: the desk has to.
func (p *Parcel) Unpayable(why string) { p.note(ShippingTask, "It cannot be paid online: "+why) }

// Agree notes which of the offers the owner has chosen, and that a page for paying it is about to be opened.
func (s *Shipment) Agree(q Quote, i *Item, now time.Time) {
	s.Quote, s.Checkout, s.UpdatedAt = q, Checkout{}, now
	i.Parcel.Take(q)
}

// Take has an item tell by what it is sent, for how much and how fast.
func (p *Parcel) Take(q Quote) {
	p.Service, p.Price, p.FromDays, p.ToDays = q.Service, q.Price, q.FromDays, q.ToDays
}

// AwaitsLabel tells whether the fee was paid and the papers are still being made: client programs are told when they are there.
func (i Item) AwaitsLabel() bool {
	return i.Parcel.Paid && len(i.Parcel.Documents) == 0 && i.Parcel.Trouble(LabelTask) == ""
}

// Refunded notes what came of a refund: done where why is empty.
func (s *Shipment) Refunded(i *Item, why string, now time.Time) {
	s.Refund, s.UpdatedAt, i.UpdatedAt = RefundDone, now, now
	if why != "" {
		s.Refund = RefundFailed
		i.Parcel.note(RefundTask, why)
	}
	if i.Parcel.ShipmentID == s.ID { // else the item tells of the next one by now
		i.Parcel.Refund = s.Refund
	}
}

// StrayRefunded notes what came of giving a stray payment back.
func (s *Shipment) StrayRefunded(n int, i *Item, why string, now time.Time) {
	s.Strays[n].Refund, s.UpdatedAt = RefundDone, now
	if why != "" {
		s.Strays[n].Refund = RefundFailed
		i.Parcel.note(RefundTask, why)
		return
	}
	if s.Refund != RefundFailed && !slices.ContainsFunc(s.Strays, func(o Stray) bool { return o.Refund != RefundDone }) {
		i.Parcel.settle(RefundTask)
	}
}

// Refuse notes that the carrier does not take the parcel as it is.
func (s *Shipment) Refuse(i *Item, why string, now time.Time) {
	s.State, s.UpdatedAt, i.UpdatedAt = ShipmentRefused, now, now
	i.Parcel.note(LabelTask, why)
}

// Retry has a label bought once more that was refused.
func (s *Shipment) Retry(now time.Time) error {
	if s.State != ShipmentRefused {
		return E(Conflict, "There is no label of this item that was refused.")
	}
	s.UpdatedAt = now
	if s.Invoice > 0 { // the label is bought; it is the papers that could not be made
		s.State = ShipmentBought
		return nil
	}
	s.State, s.Postage = ShipmentPaid, Postage{} // what was agreed on with the carrier is what it refused
	return nil
}

// Finish notes that label and invoice are there, and has the item tell of them.
func (s *Shipment) Finish(i *Item, now time.Time) {
	s.State, s.UpdatedAt, i.UpdatedAt = ShipmentReady, now, now
	p := &i.Parcel
	p.Take(s.Quote)
	p.ShippingDate, p.Documents = s.Postage.ShippingDate, s.Documents
	p.TrackingURL = cmp.Or(s.Postage.TrackingURL, p.TrackingURL) // what the desk has typed stays
	if s.Postage.TrackingNumber != "" {
		i.Shipping.TrackingNumber = s.Postage.TrackingNumber
	}
	p.settle(LabelTask)
}

// Follow changes an item by where its parcel is. What the item has behind it already changes nothing.
func (i *Item) Follow(n ParcelNews, now time.Time) (changed []string, err error) {
	if n.URL != "" && i.Parcel.TrackingURL == "" {
		i.Parcel.TrackingURL, i.UpdatedAt = n.URL, now
		changed = append(changed, "shipping.trackingUrl")
	}
	if next := n.State.Status(); next != "" && i.Status.Leads(next) {
		moved, err := i.MoveTo(Move{To: next}, ByService, now)
		return append(moved, changed...), err
	}
	if n.State == ParcelTrouble && (i.Status == FeePaid || i.Status == Shipped) && i.Parcel.Trouble(ParcelTask) == "" {
		i.Parcel.note(ParcelTask, n.Why)
		i.UpdatedAt = now
		changed = append(changed, "shipping")
	}
	return changed, nil
}

// Retried notes that a label which was refused is bought once more.
func (p *Parcel) Retried() { p.settle(LabelTask) }

// RefundPatch asks for a fee to be given back.
type RefundPatch struct {
	Because Field[string]
	Received
}

// Reason checks what was sent.
func (p RefundPatch) Reason() (reason string, err error) {
	c := &check{slices.Clone(p.Problems)}
	c.line(p.Because, "reason", MaxPlace, &reason)
	return reason, c.Err()
}

// tasks lists what a shipment has waiting for the desk, by the status of its item: what went wrong, and a fee that was paid for what is
// not sent after all.
func (p Parcel) tasks(s Status) (kinds []TaskKind) {
	for _, t := range p.Troubles {
		kinds = append(kinds, t.Kind)
	}
	if p.Paid && p.Refund == "" && !s.Travels() {
		kinds = append(kinds, RefundTask)
	}
	return kinds
}
