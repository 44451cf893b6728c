package desk

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// HearPayment takes what the payment provider tells by itself. What is not about a payment of ours is passed over.
func (d *Desk) HearPayment(ctx context.Context, header http.Header, body []byte) error {
	n, ours, err := d.till.Hear(header, body)
	if err != nil || !ours {
		return err
	}
	return d.hear(ctx, n)
}

// hear finds what news of a payment is about, and judges it.
func (d *Desk) hear(ctx context.Context, n lost.PaymentNews) error {
	e, found, err := d.db.Lookup(ctx, store.ShipmentEntry, store.DirectoryHash(n.Shipment))
	if err != nil || !found { // another service may share the provider's account with us
		return err
	}
	s, err := d.db.Shipment(ctx, e.Account, e.Subject)
	if err == nil {
		_, err = d.hearOf(ctx, s, n)
	}
	if lost.CodeOf(err) == lost.NotFound { // its item was deleted, or its location is being
		return d.giveBackLater(ctx, e.Account, n)
	}
	return err
}

// giveBackLater has money given back that came for an item which is not there any more.
func (d *Desk) giveBackLater(ctx context.Context, account string, n lost.PaymentNews) error {
	if n.State != lost.PaymentPaid {
		return nil
	}
	err := d.db.Write(ctx, func(tx *store.Tx) error { return tx.GiveBackLater(account, n.By, n.Reference) })
	d.nudge()
	return err
}

// shipmentBy finds a shipment by a name that somebody else knows it by.
func (d *Desk) shipmentBy(ctx context.Context, kind store.DirectoryKind, name string) (s lost.Shipment, found bool, err error) {
	e, found, err := d.db.Lookup(ctx, kind, store.DirectoryHash(name))
	if err != nil || !found {
		return s, false, err
	}
	s, err = d.db.Shipment(ctx, e.Account, e.Subject)
	if lost.CodeOf(err) == lost.NotFound {
		return s, false, nil
	}
	return s, err == nil, err
}

// hearOf changes a shipment and its item by what became of a payment.
func (d *Desk) hearOf(ctx context.Context, s lost.Shipment, n lost.PaymentNews) (lost.Item, error) {
	by := service(s.Account)
	by.Name = string(s.PayBy)
	return d.changeItem(ctx, by, s.LocationID, s.ItemID, func(tx *store.Tx, i *lost.Item) (entry lost.Entry, err error) {
		s, err := tx.LockShipment(s.Account, s.ID)
		if err != nil {
			return entry, err
		}
		entry = lost.NewEntry(by, lost.Paid, tx.Now())
		before := i.Parcel
		switch s.Hear(n, i, tx.Now()) {
		case lost.PaidNow:
			if err := d.move(tx, i, lost.FeePaid, &entry); err != nil {
				return entry, err
			}
			err = tx.AddJob(s.Account, store.JobShip, s.ID, tx.Now())
		case lost.StrayMoney:
			entry.Fields, entry.Note = []string{"shipping"}, s.Strays[len(s.Strays)-1].Why+" It is given back."
			err = tx.AddJob(s.Account, store.JobRefund, s.ID, tx.Now())
		case lost.TooMuch:
			return entry, lost.E(lost.Unavailable, "There are more payments for shipment %s than are remembered.", s.ID)
		case lost.Promised:
			entry.Fields, entry.Note = []string{"shipping"}, "A payment was promised, and takes some days."
		case lost.Unpaid:
			if before.Awaited {
				entry.Fields, entry.Note = []string{"shipping"}, "The payment that was promised did not come."
			}
		default:
			return entry, nil
		}
		return entry, cmp.Or(err, tx.SaveShipment(s))
	})
}

// move is an automatic change of status.
func (d *Desk) move(tx *store.Tx, i *lost.Item, to lost.Status, entry *lost.Entry) (err error) {
	from := i.Status
	fields, err := i.MoveTo(lost.Move{To: to}, lost.ByService, tx.Now())
	entry.Fields = append(entry.Fields, fields...)
	if i.Status != from {
		entry.Action, entry.From, entry.To = lost.Moved, from, i.Status
	}
	return err
}

// shipOut sends an item on its way that the desk says is paid for, where an address is known.
func (d *Desk) shipOut(tx *store.Tx, i *lost.Item) error {
	if i.Shipping.NotShipped != "" || !i.Shipping.Recipient.Known() {
		return cmp.Or(endShipment(tx, i), d.announceAlone(tx, i)) // whoever has its page open does not pay a second time
	}
	s, found, err := currentShipment(tx, *i)
	if err != nil {
		return err
	}
	if !found || s.State == lost.ShipmentOver {
		s = lost.NewShipment(i, lost.PayDesk, tx.Now())
		if err := tx.InsertShipment(s); err != nil {
			return err
		}
	}
	switch s.State {
	case lost.ShipmentOpen:
		if err := tx.CloseCheckoutLater(s.Account, s.Checkout); err != nil {
			return err
		}
		s.PayAtDesk(i, tx.Now())
	case lost.ShipmentRefused:
		if err := s.Retry(tx.Now()); err != nil {
			return err
		}
		s.Announced = false // this is another change to that status
	case lost.ShipmentPaid, lost.ShipmentBought: // it was left where it was while the item stood elsewhere
		if !s.Announced { // its label is announced with an earlier change
			err = d.announceAlone(tx, i)
		}
		s.Announced = false
	default: // done, and announced with the papers that are there
		return nil
	}
	return cmp.Or(err, tx.SaveShipment(s), tx.AddJob(s.Account, store.JobShip, s.ID, tx.Now()))
}

// announceAlone announces a change to FEE PAID of an item for which no label comes, though it looks as if one did.
func (d *Desk) announceAlone(tx *store.Tx, i *lost.Item) error {
	if !i.AwaitsLabel() { // then it is announced anyhow
		return nil
	}
	return d.announce(tx, lost.LabelEvent, *i)
}

// announceLeft announces a change to FEE PAID of an item that leaves this status before its label is there, and is not sent: it was a change.
func (d *Desk) announceLeft(tx *store.Tx, before lost.Item) error {
	s, found, err := currentShipment(tx, before)
	if err != nil || !found || s.Announced {
		return err
	}
	s.Announced = true
	return cmp.Or(d.announce(tx, lost.LabelEvent, before), tx.SaveShipment(s))
}

// currentShipment gives the shipment that an item tells of, locked.
func currentShipment(tx *store.Tx, i lost.Item) (s lost.Shipment, found bool, err error) {
	if i.Parcel.ShipmentID == "" {
		return s, false, nil
	}
	s, err = tx.LockShipment(i.Account, i.Parcel.ShipmentID)
	if lost.CodeOf(err) == lost.NotFound {
		return s, false, nil
	}
	return s, err == nil, err
}

// endShipment ends the shipment of an item that goes another way, if it was not paid yet.
func endShipment(tx *store.Tx, i *lost.Item) error {
	s, found, err := currentShipment(tx, *i)
	if err != nil || !found || s.State != lost.ShipmentOpen {
		return err
	}
	if err := tx.CloseCheckoutLater(s.Account, s.Checkout); err != nil {
		return err
	}
	s.End(i, tx.Now())
	return tx.SaveShipment(s)
}

// Ship takes a shipment one step further, and tells whether there is another: from the fee that was paid to the label in the desk's hands. Each
// step may be done again; what it did before is then found done.
func (d *Desk) Ship(ctx context.Context, account, id string) (more bool, err error) {
	s, err := d.db.Shipment(ctx, account, id)
	if err != nil {
		return false, lost.UnlessMissing(err)
	}
	c, err := d.consignment(ctx, s)
	if err != nil {
		return false, lost.UnlessMissing(err)
	}
	switch {
	case s.State == lost.ShipmentOpen:
		offers, err := d.offers(ctx, c.From, c.Item, s.To)
		if err != nil {
			return false, err
		}
		_, _, err = d.offer(ctx, s, offers, true)
		return false, err
	case (s.State == lost.ShipmentPaid || s.State == lost.ShipmentBought) && !c.Item.Status.Travels(): // the desk has decided otherwise; it can change its mind
		return false, nil
	case s.State == lost.ShipmentPaid && s.Postage.Shipment == "":
		err = d.prepare(ctx, s, c)
	case s.State == lost.ShipmentPaid:
		err = d.buy(ctx, s, c)
	case s.State == lost.ShipmentBought:
		return false, d.orRefused(ctx, s, d.print(ctx, s, c))
	case s.State == lost.ShipmentOver && s.Postage.Shipment != "" && !s.Voided: // it may have been bought, and nobody heard of it
		return false, d.void(ctx, s)
	default:
		return false, nil
	}
	return err == nil, d.orRefused(ctx, s, err)
}

// consignment gathers what is sent, and where.
func (d *Desk) consignment(ctx context.Context, s lost.Shipment) (c lost.Consignment, err error) {
	i, err := d.db.Item(ctx, s.Account, s.LocationID, s.ItemID)
	if err != nil {
		return c, err
	}
	l, err := d.db.Location(ctx, s.Account, s.LocationID)
	c, _ = i.Consign(l, s.To)
	return c, err
}

// advance changes a shipment that is in a state, with its item, and writes a line of history where the change has something to say. One that is in
// another state by now was taken further by somebody else, and one whose item is gone goes nowhere: then it is not done.
func (d *Desk) advance(ctx context.Context, s lost.Shipment, change func(*store.Tx, *lost.Shipment, *lost.Item) (lost.Entry, error)) (done bool, err error) {
	from := s.State
	_, err = d.changeItem(ctx, service(s.Account), s.LocationID, s.ItemID, func(tx *store.Tx, i *lost.Item) (entry lost.Entry, err error) {
		s, err := tx.LockShipment(s.Account, s.ID)
		if done = err == nil && s.State == from; !done {
			return entry, err
		}
		if entry, err = change(tx, &s, i); err != nil {
			return entry, err
		}
		return entry, tx.SaveShipment(s)
	})
	return done && err == nil, lost.UnlessMissing(err)
}

// prepare agrees with the carrier on what is bought next, and keeps its name: whoever buys after a crash buys the same.
func (d *Desk) prepare(ctx context.Context, s lost.Shipment, c lost.Consignment) error {
	quote, postage, err := d.carrier.Prepare(ctx, s, c)
	if err != nil {
		return err
	}
	_, err = d.advance(ctx, s, func(tx *store.Tx, s *lost.Shipment, i *lost.Item) (entry lost.Entry, err error) {
		if s.Postage.Shipment != "" { // somebody else has agreed already, and may have bought it
			return entry, nil
		}
		s.Postage, s.UpdatedAt = postage, tx.Now()
		if !s.Quote.Price.Known() {
			s.Quote = quote
			i.Parcel.Take(quote)
			entry = lost.NewEntry(service(s.Account), lost.Updated, tx.Now())
			entry.Fields = []string{"shipping.service", "shipping.price"}
		}
		return entry, nil
	})
	return err
}

// trackFirst is when a parcel is first asked for.
const trackFirst = time.Hour

// buy buys the label and gives the invoice its number and the papers their names.
func (d *Desk) buy(ctx context.Context, s lost.Shipment, c lost.Consignment) error {
	postage, err := d.carrier.Buy(ctx, s, c)
	if err != nil {
		return err
	}
	names := map[lost.DocumentKind]string{}
	for _, kind := range c.Papers() {
		names[kind] = d.cabinet.NewName()
	}
	bought, err := d.advance(ctx, s, func(tx *store.Tx, s *lost.Shipment, _ *lost.Item) (entry lost.Entry, err error) {
		s.State, s.Postage, s.UpdatedAt, s.Documents, s.Sweeps = lost.ShipmentBought, postage, tx.Now(), nil, nil
		for _, kind := range c.Papers() {
			s.Documents = append(s.Documents, lost.Document{Kind: kind, File: names[kind]})
			job, err := tx.SweepFileLater(s.Account, names[kind], tx.Now().Add(sweepAfter))
			if err != nil {
				return entry, err
			}
			s.Sweeps = append(s.Sweeps, job)
		}
		s.TaxRate = c.From.Rules().TaxRate
		if s.Invoice, err = tx.NumberInvoice(*s); err != nil || postage.Tracker == "" {
			return entry, err
		}
		return entry, cmp.Or(tx.AddTracker(*s), tx.AddJob(s.Account, store.JobTrack, s.ID, tx.Now().Add(trackFirst)))
	})
	if err != nil || bought {
		return err
	}
	return d.unbuy(ctx, s, postage)
}

// sweepAfter is when papers are removed that were printed and that no item got, because it was deleted meanwhile. Printing is tried for less.
const sweepAfter = 30 * 24 * time.Hour

// unbuy keeps a label that was bought while the fee was given back, to be given back too.
func (d *Desk) unbuy(ctx context.Context, s lost.Shipment, p lost.Postage) error {
	return d.db.Write(ctx, func(tx *store.Tx) error {
		s, err := tx.LockShipment(s.Account, s.ID)
		if err != nil || s.State != lost.ShipmentOver {
			return lost.UnlessMissing(err)
		}
		s.Postage, s.UpdatedAt = p, tx.Now()
		return cmp.Or(tx.SaveShipment(s), tx.AddJob(s.Account, store.JobRefund, s.ID, tx.Now()))
	})
}

// print makes and keeps the papers and then, all at once, says that they are there: on the item, to client programs, to the desk and to the
// owner.
func (d *Desk) print(ctx context.Context, s lost.Shipment, c lost.Consignment) error {
	papers := slices.Clone(s.Documents)
	for n, doc := range papers {
		content, paper, err := d.paper(ctx, doc.Kind, s, c)
		if err == nil {
			err = d.cabinet.Keep(ctx, doc.File, content)
		}
		if err != nil {
			return err
		}
		papers[n].Paper = paper
	}
	_, err := d.advance(ctx, s, func(tx *store.Tx, s *lost.Shipment, i *lost.Item) (lost.Entry, error) {
		entry := lost.NewEntry(service(s.Account), lost.Labelled, tx.Now())
		entry.Fields = []string{"shipping.documents"}
		for _, job := range s.Sweeps {
			if err := tx.DropJob(s.Account, job); err != nil {
				return entry, err
			}
		}
		s.Documents, s.Sweeps = papers, nil
		s.Finish(i, tx.Now())
		if m, wanted := lost.NewLabelMessage(*i, c.From, "label "+s.ID, tx.Now()); wanted {
			if err := tx.AddMessage(m); err != nil {
				return entry, err
			}
		}
		return entry, d.tellPaid(tx, s, i, "receipt "+s.ID)
	})
	return err
}

// paper makes one paper, or fetches the carrier's own.
func (d *Desk) paper(ctx context.Context, kind lost.DocumentKind, s lost.Shipment, c lost.Consignment) ([]byte, string, error) {
	if kind == lost.LabelPaper {
		content, paper, err := d.carrier.Label(ctx, s.Postage)
		if err != nil || content != nil {
			return content, paper, err
		}
	}
	content, paper, err := d.papers.Print(kind, s, c)
	if err != nil { // and would not the next time either
		return nil, "", lost.E(lost.Invalid, "The papers could not be printed.").Because(err)
	}
	return content, paper, nil
}

// tellPaid tells client programs that the fee was paid, once for each time, and the owner that it has arrived, once for each receipt.
func (d *Desk) tellPaid(tx *store.Tx, s *lost.Shipment, i *lost.Item, receipt string) error {
	if !s.Announced {
		if err := d.announce(tx, lost.LabelEvent, *i); err != nil {
			return err
		}
		s.Announced = true
	}
	if i.Owner.Address() == "" {
		return nil
	}
	return write(tx, *i, lost.ReceiptMessage, receipt)
}

// orRefused makes a refusal of the carrier, or of the printer, a task for the desk. Nothing else changes: the fee stays paid.
func (d *Desk) orRefused(ctx context.Context, s lost.Shipment, err error) error {
	if lost.CodeOf(err) != lost.Invalid {
		return err
	}
	why := toldBy(err)
	_, err = d.advance(ctx, s, func(tx *store.Tx, s *lost.Shipment, i *lost.Item) (lost.Entry, error) {
		entry := lost.NewEntry(service(s.Account), lost.Labelled, tx.Now())
		entry.Fields, entry.Note = []string{"shipping"}, "Refused: "+why
		s.Refuse(i, why, tx.Now())
		return entry, d.tellPaid(tx, s, i, "receipt before the label "+s.ID) // the one with the invoice is still to come
	})
	return err
}

// RetryLabel has a label bought once more that the carrier refused.
func (d *Desk) RetryLabel(ctx context.Context, a lost.Actor, location, id string, o lost.IdempotencyKey) (lost.Item, error) {
	return d.changeItem(ctx, a, location, id, func(tx *store.Tx, i *lost.Item) (entry lost.Entry, err error) {
		entry = lost.NewEntry(a, lost.Labelled, tx.Now())
		*i, err = once(tx, a, o, func() (lost.Item, error) {
			s, found, err := currentShipment(tx, *i)
			if err != nil {
				return *i, err
			}
			if !found {
				s.State = lost.ShipmentOver
			}
			if err := s.Retry(tx.Now()); err != nil {
				return *i, err
			}
			entry.Fields, entry.Note = []string{"shipping"}, "Tried again."
			i.Parcel.Retried()
			return *i, cmp.Or(tx.SaveShipment(s), tx.AddJob(s.Account, store.JobShip, s.ID, tx.Now()))
		})
		return entry, err
	})
}
