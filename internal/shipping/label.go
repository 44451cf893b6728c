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

// Labels buys and prints the labels of paid shipments.
type Labels struct {
	shipments *shipments
	db        *store.DB
	change    *change.Items
	quotes    *Quotes
	carrier   Carrier
	printer   DocumentPrinter
	files     Files
}

// LabelsOptions are the dependencies of Labels.
type LabelsOptions struct {
	DB      *store.DB
	Change  *change.Items
	Quotes  *Quotes
	Carrier Carrier
	Printer DocumentPrinter
	Files   Files
}

// NewLabels makes Labels.
func NewLabels(o LabelsOptions) *Labels {
	return &Labels{
		shipments: &shipments{db: o.DB, change: o.Change},
		db:        o.DB, change: o.Change, quotes: o.Quotes, carrier: o.Carrier, printer: o.Printer, files: o.Files,
	}
}

// ShipOut begins the shipment of an item that staff marked as paid, if its address is known.
func (l *Labels) ShipOut(tx *store.Tx, i *lost.Item) error {
	if i.Shipping.NotShipped != "" || !i.Shipping.Recipient.Known() {
		if err := change.EndShipment(tx, i); err != nil { // so that nobody pays again on an open page
			return err
		}
		return l.announceAlone(tx, i)
	}
	s, found, err := change.CurrentShipment(tx, *i)
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
		if err := tx.AddCloseCheckoutJob(s.Account, s.Checkout); err != nil {
			return err
		}
		s.PayAtDesk(i, tx.Now())
	case lost.ShipmentRefused:
		if err := s.RetryLabel(tx.Now()); err != nil {
			return err
		}
		s.Announced = false // this is another change to that status
	case lost.ShipmentPaid, lost.ShipmentBought: // it was paid before the item had another status
		if !s.Announced { // its label is announced with an earlier change
			err = l.announceAlone(tx, i)
		}
		s.Announced = false
	default: // done, and announced with the existing documents
		return nil
	}
	if err != nil {
		return err
	}
	if err := tx.SaveShipment(s); err != nil {
		return err
	}
	return tx.AddJob(s.Account, store.JobShip, s.ID, tx.Now())
}

// announceAlone announces that the fee was paid for an item that gets no label, though it looks as if it did.
func (l *Labels) announceAlone(tx *store.Tx, i *lost.Item) error {
	if !i.AwaitsLabel() { // then it is announced anyway
		return nil
	}
	return l.change.Announce(tx, lost.LabelEvent, *i)
}

// Ship takes a paid shipment one step further towards its label, and tells whether there is another step. Each step
// can be repeated: what was done before is found done.
func (l *Labels) Ship(ctx context.Context, account, id string) (more bool, err error) {
	s, err := l.db.Shipment(ctx, account, id)
	if err != nil {
		return false, lost.IgnoreNotFound(err)
	}
	c, err := l.shipments.consignment(ctx, s)
	if err != nil {
		return false, lost.IgnoreNotFound(err)
	}
	switch {
	case s.State == lost.ShipmentOpen:
		offers, err := l.quotes.Offers(ctx, c.From, c.Item, s.To)
		if err != nil {
			return false, err
		}
		_, _, err = l.quotes.saveOffers(ctx, s, offers, true)
		return false, err
	case (s.State == lost.ShipmentPaid || s.State == lost.ShipmentBought) && !c.Item.Status.IsShipping():
		// staff decided otherwise, and can change their mind
		return false, nil
	case s.State == lost.ShipmentPaid && s.Postage.Shipment == "":
		err = l.prepare(ctx, s, c)
	case s.State == lost.ShipmentPaid:
		err = l.buy(ctx, s, c)
	case s.State == lost.ShipmentBought:
		return false, l.recordRefusal(ctx, s, l.print(ctx, s, c))
	case s.State == lost.ShipmentOver && s.Postage.Shipment != "" && !s.Voided:
		// it may have been bought without our knowing
		return false, l.void(ctx, s)
	default:
		return false, nil
	}
	return err == nil, l.recordRefusal(ctx, s, err)
}

// prepare agrees with the carrier on what is bought, and saves its identifier, so that the same is bought after a
// crash.
func (l *Labels) prepare(ctx context.Context, s lost.Shipment, c lost.ParcelOrder) error {
	quote, postage, err := l.carrier.Prepare(ctx, s, c)
	if err != nil {
		return err
	}
	_, err = l.shipments.advance(ctx, s,
		func(tx *store.Tx, s *lost.Shipment, i *lost.Item) (entry lost.Entry, err error) {
			if s.Postage.Shipment != "" { // another worker has agreed already, and may have bought it
				return entry, nil
			}
			s.Postage, s.UpdatedAt = postage, tx.Now()
			if !s.Quote.Price.Known() {
				s.Quote = quote
				i.Parcel.SetQuote(quote)
				entry = lost.NewEntry(access.Service(s.Account), lost.Updated, tx.Now())
				entry.Fields = []string{"shipping.service", "shipping.price"}
			}
			return entry, nil
		})
	return err
}

// trackFirst is when a parcel is first tracked.
const trackFirst = time.Hour

// buy buys the label, numbers the invoice and names the documents.
func (l *Labels) buy(ctx context.Context, s lost.Shipment, c lost.ParcelOrder) error {
	postage, err := l.carrier.Buy(ctx, s, c)
	if err != nil {
		return err
	}
	names := map[lost.DocumentKind]string{}
	for _, kind := range c.DocumentKinds() {
		names[kind] = l.files.NewName()
	}
	bought, err := l.shipments.advance(ctx, s,
		func(tx *store.Tx, s *lost.Shipment, _ *lost.Item) (entry lost.Entry, err error) {
			s.State, s.Postage, s.UpdatedAt = lost.ShipmentBought, postage, tx.Now()
			s.Documents, s.Sweeps = nil, nil
			for _, kind := range c.DocumentKinds() {
				s.Documents = append(s.Documents, lost.Document{Kind: kind, File: names[kind]})
				job, err := tx.AddDeleteFileJob(s.Account, names[kind], tx.Now().Add(sweepAfter))
				if err != nil {
					return entry, err
				}
				s.Sweeps = append(s.Sweeps, job)
			}
			s.TaxRate = c.From.Rules().TaxRate
			if s.Invoice, err = tx.AssignInvoiceNumber(*s); err != nil || postage.Tracker == "" {
				return entry, err
			}
			if err := tx.AddTracker(*s); err != nil {
				return entry, err
			}
			return entry, tx.AddJob(s.Account, store.JobTrack, s.ID, tx.Now().Add(trackFirst))
		})
	if err != nil || bought {
		return err
	}
	return l.saveUnusedLabel(ctx, s, postage)
}

// sweepAfter is when printed documents are deleted whose item was deleted in the meantime. Printing is retried for a
// shorter time.
const sweepAfter = 30 * 24 * time.Hour

// saveUnusedLabel saves a label that was bought while the fee was refunded, so that it is voided too.
func (l *Labels) saveUnusedLabel(ctx context.Context, s lost.Shipment, p lost.Postage) error {
	return l.db.Write(ctx, func(tx *store.Tx) error {
		s, err := tx.LockShipment(s.Account, s.ID)
		if err != nil || s.State != lost.ShipmentOver {
			return lost.IgnoreNotFound(err)
		}
		s.Postage, s.UpdatedAt = p, tx.Now()
		if err := tx.SaveShipment(s); err != nil {
			return err
		}
		return tx.AddJob(s.Account, store.JobRefund, s.ID, tx.Now())
	})
}

// print makes and stores the documents, and then announces them in one transaction: on the item, to client programs,
// to staff and to the owner.
func (l *Labels) print(ctx context.Context, s lost.Shipment, c lost.ParcelOrder) error {
	papers := slices.Clone(s.Documents)
	for n, doc := range papers {
		content, paper, err := l.document(ctx, doc.Kind, s, c)
		if err == nil {
			err = l.files.Keep(ctx, doc.File, content)
		}
		if err != nil {
			return err
		}
		papers[n].Paper = paper
	}
	_, err := l.shipments.advance(ctx, s, func(tx *store.Tx, s *lost.Shipment, i *lost.Item) (lost.Entry, error) {
		entry := lost.NewEntry(access.Service(s.Account), lost.Labelled, tx.Now())
		entry.Fields = []string{"shipping.documents"}
		for _, job := range s.Sweeps {
			if err := tx.DeleteJob(s.Account, job); err != nil {
				return entry, err
			}
		}
		s.Documents, s.Sweeps = papers, nil
		s.MarkReady(i, tx.Now())
		if m, wanted := lost.NewLabelMessage(*i, c.From, "label "+s.ID, tx.Now()); wanted {
			if err := tx.AddMessage(m); err != nil {
				return entry, err
			}
		}
		return entry, l.announcePaid(tx, s, i, "receipt "+s.ID)
	})
	return err
}

// document prints one document, or fetches the carrier's own.
func (l *Labels) document(ctx context.Context, kind lost.DocumentKind, s lost.Shipment,
	c lost.ParcelOrder) ([]byte, string, error) {
	if kind == lost.LabelPaper {
		content, paper, err := l.carrier.Label(ctx, s.Postage)
		if err != nil || content != nil {
			return content, paper, err
		}
	}
	content, paper, err := l.printer.Print(kind, s, c)
	if err != nil { // and would not work the next time either
		return nil, "", lost.E(lost.Invalid, "The documents could not be printed.").WithCause(err)
	}
	return content, paper, nil
}

// announcePaid sends the event that the fee was paid, once per payment, and a message to the owner, once per receipt.
func (l *Labels) announcePaid(tx *store.Tx, s *lost.Shipment, i *lost.Item, receipt string) error {
	if !s.Announced {
		if err := l.change.Announce(tx, lost.LabelEvent, *i); err != nil {
			return err
		}
		s.Announced = true
	}
	if i.Owner.Address() == "" {
		return nil
	}
	return change.AddMessage(tx, *i, lost.ReceiptMessage, receipt)
}

// recordRefusal makes a refusal by the carrier or the printer a task for staff. Nothing else changes: the fee stays
// paid.
func (l *Labels) recordRefusal(ctx context.Context, s lost.Shipment, err error) error {
	if lost.CodeOf(err) != lost.Invalid {
		return err
	}
	why := access.Reason(err)
	_, err = l.shipments.advance(ctx, s, func(tx *store.Tx, s *lost.Shipment, i *lost.Item) (lost.Entry, error) {
		entry := lost.NewEntry(access.Service(s.Account), lost.Labelled, tx.Now())
		entry.Fields, entry.Note = []string{"shipping"}, "Refused: "+why
		s.RecordRefusal(i, why, tx.Now())
		// the one with the invoice follows
		return entry, l.announcePaid(tx, s, i, "receipt before the label "+s.ID)
	})
	return err
}

// RetryLabel buys a label again that the carrier refused.
func (l *Labels) RetryLabel(ctx context.Context, a lost.Actor, location, id string,
	o lost.IdempotencyKey) (lost.Item, error) {
	return l.change.Item(ctx, a, location, id, func(tx *store.Tx, i *lost.Item) (entry lost.Entry, err error) {
		entry = lost.NewEntry(a, lost.Labelled, tx.Now())
		*i, err = access.CreateOnce(tx, a, o, func() (lost.Item, error) {
			s, found, err := change.CurrentShipment(tx, *i)
			if err != nil {
				return *i, err
			}
			if !found {
				s.State = lost.ShipmentOver
			}
			if err := s.RetryLabel(tx.Now()); err != nil {
				return *i, err
			}
			entry.Fields, entry.Note = []string{"shipping"}, "Tried again."
			i.Parcel.ClearLabelProblem()
			if err := tx.SaveShipment(s); err != nil {
				return *i, err
			}
			return *i, tx.AddJob(s.Account, store.JobShip, s.ID, tx.Now())
		})
		return entry, err
	})
}

// void returns the label to the carrier. If the carrier refuses it, that is recorded in the history.
func (l *Labels) void(ctx context.Context, s lost.Shipment) error {
	err := l.carrier.Void(ctx, s.Postage)
	if err != nil && lost.CodeOf(err) != lost.Invalid {
		return err
	}
	note := "The label was given back."
	if err != nil {
		note = "The carrier does not take the label back: " + access.Reason(err)
	}
	_, err = l.shipments.advance(ctx, s,
		func(tx *store.Tx, s *lost.Shipment, _ *lost.Item) (entry lost.Entry, err error) {
			if s.Voided {
				return entry, nil
			}
			s.Voided, s.UpdatedAt = true, tx.Now()
			entry = lost.NewEntry(access.Service(s.Account), lost.Labelled, tx.Now())
			entry.Fields, entry.Note = []string{"shipping"}, note
			return entry, nil
		})
	return err
}
