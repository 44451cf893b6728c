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

// Labels buys labels for paid shipments, and prints their documents.
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

// NewLabels creates Labels.
func NewLabels(o LabelsOptions) *Labels {
	return &Labels{
		shipments: &shipments{db: o.DB, change: o.Change},
		db:        o.DB, change: o.Change, quotes: o.Quotes, carrier: o.Carrier, printer: o.Printer, files: o.Files,
	}
}

// ShipOut starts the shipment of an item that staff marked as paid. If the item has no address or cannot be shipped,
// it only saves the event for the paid fee.
func (l *Labels) ShipOut(tx *store.Tx, i *lost.Item) error {
	if i.Shipping.NotShipped != "" || !i.Shipping.Recipient.Known() {
		if err := change.EndShipment(tx, i); err != nil { // otherwise the guest could also pay on an open page
			return err
		}
		return l.announceAlone(tx, i)
	}
	s, found, err := change.CurrentShipment(tx, *i)
	if err != nil {
		return err
	}
	if !found || s.State == lost.ShipmentCancelled {
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
		s.Announced = false // this status change needs its own event
	case lost.ShipmentPaid, lost.ShipmentBought: // it was already paid
		if !s.Announced { // the earlier status change has no event yet
			err = l.announceAlone(tx, i)
		}
		s.Announced = false
	default: // the label exists, so the status change itself saves the event with the documents
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

// announceAlone saves the event for a paid fee without waiting for a label.
func (l *Labels) announceAlone(tx *store.Tx, i *lost.Item) error {
	if !lost.AwaitsLabel(*i) { // the event was saved when the status changed
		return nil
	}
	return l.change.Announce(tx, lost.LabelEvent, *i)
}

// Ship performs the next step of a shipment, and reports whether there is another one. For an unpaid shipment, it
// requests offers. For a paid shipment, the steps are to prepare, buy and print the label. Each step is idempotent.
func (l *Labels) Ship(ctx context.Context, account, id string) (more bool, err error) {
	s, err := l.db.Shipment(ctx, account, id)
	if err != nil {
		return false, lost.IgnoreNotFound(err)
	}
	c, err := l.shipments.parcelOrder(ctx, s)
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
		// Staff have changed the status. If they change it back, ShipOut adds a new job.
		return false, nil
	case s.State == lost.ShipmentPaid && s.Postage.Shipment == "":
		err = l.prepare(ctx, s, c)
	case s.State == lost.ShipmentPaid:
		err = l.buy(ctx, s, c)
	case s.State == lost.ShipmentBought:
		return false, l.recordRefusal(ctx, s, l.print(ctx, s, c))
	case s.State == lost.ShipmentCancelled && s.Postage.Shipment != "" && !s.Voided:
		// A call to Buy that returned an error may still have bought the label.
		return false, l.void(ctx, s)
	default:
		return false, nil
	}
	return err == nil, l.recordRefusal(ctx, s, err)
}

// prepare creates the shipment at the carrier and saves the carrier's id for it, so that a retry after a crash buys
// the same shipment.
func (l *Labels) prepare(ctx context.Context, s lost.Shipment, c lost.ParcelOrder) error {
	quote, postage, err := l.carrier.Prepare(ctx, s, c)
	if err != nil {
		return err
	}
	_, err = l.shipments.advance(ctx, s,
		func(tx *store.Tx, s *lost.Shipment, i *lost.Item) (entry lost.Entry, err error) {
			if s.Postage.Shipment != "" { // another worker has prepared the shipment, and may have bought it
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

// trackFirst is how long after the label is bought the parcel is first tracked.
const trackFirst = time.Hour

// buy buys the label, and assigns the invoice number and the documents' file names.
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

// sweepAfter is the time between the purchase of a label and the deletion of its documents, if no item refers to them
// because the item was deleted during printing. It must be longer than the time for which printing is retried.
const sweepAfter = 30 * 24 * time.Hour

// saveUnusedLabel saves a label that was bought while the fee was being refunded, so that the label is voided.
func (l *Labels) saveUnusedLabel(ctx context.Context, s lost.Shipment, p lost.Postage) error {
	return l.db.Write(ctx, func(tx *store.Tx) error {
		s, err := tx.LockShipment(s.Account, s.ID)
		if err != nil || s.State != lost.ShipmentCancelled {
			return lost.IgnoreNotFound(err)
		}
		s.Postage, s.UpdatedAt = p, tx.Now()
		if err := tx.SaveShipment(s); err != nil {
			return err
		}
		return tx.AddJob(s.Account, store.JobRefund, s.ID, tx.Now())
	})
}

// print prints and stores the documents. Then, in one transaction, it updates the item, saves the event, and queues
// messages to staff and the owner.
func (l *Labels) print(ctx context.Context, s lost.Shipment, c lost.ParcelOrder) error {
	documents := slices.Clone(s.Documents)
	for n, doc := range documents {
		content, paper, err := l.document(ctx, doc.Kind, s, c)
		if err == nil {
			err = l.files.Save(ctx, doc.File, content)
		}
		if err != nil {
			return err
		}
		documents[n].Paper = paper
	}
	_, err := l.shipments.advance(ctx, s, func(tx *store.Tx, s *lost.Shipment, i *lost.Item) (lost.Entry, error) {
		entry := lost.NewEntry(access.Service(s.Account), lost.Labelled, tx.Now())
		entry.Fields = []string{"shipping.documents"}
		for _, job := range s.Sweeps {
			if err := tx.DeleteJob(s.Account, job); err != nil {
				return entry, err
			}
		}
		s.Documents, s.Sweeps = documents, nil
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

// document prints one document, or fetches it from the carrier.
func (l *Labels) document(ctx context.Context, kind lost.DocumentKind, s lost.Shipment,
	c lost.ParcelOrder) ([]byte, string, error) {
	if kind == lost.LabelPaper {
		content, paper, err := l.carrier.Label(ctx, s.Postage)
		if err != nil || content != nil {
			return content, paper, err
		}
	}
	content, paper, err := l.printer.Print(kind, s, c)
	if err != nil { // not temporary: a retry would fail too
		return nil, "", lost.E(lost.Invalid, "The documents could not be printed.").WithCause(err)
	}
	return content, paper, nil
}

// announcePaid saves the event for a paid fee, once per payment, and queues a message to the owner, once for each
// value of receipt.
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

// recordRefusal records an Invalid error from the carrier or the printer as a task for staff, and returns nil. It
// returns other errors unchanged. The fee stays paid.
func (l *Labels) recordRefusal(ctx context.Context, s lost.Shipment, err error) error {
	if lost.CodeOf(err) != lost.Invalid {
		return err
	}
	why := access.Reason(err)
	_, err = l.shipments.advance(ctx, s, func(tx *store.Tx, s *lost.Shipment, i *lost.Item) (lost.Entry, error) {
		entry := lost.NewEntry(access.Service(s.Account), lost.Labelled, tx.Now())
		entry.Fields, entry.Note = []string{"shipping"}, lost.Note(lost.NoteRefused, why)
		s.RecordRefusal(i, why, tx.Now())
		// The owner gets another receipt, with the invoice, when the label has been printed.
		return entry, l.announcePaid(tx, s, i, "receipt before the label "+s.ID)
	})
	return err
}

// RetryLabel retries buying and printing a label after the carrier or the printer has refused it.
func (l *Labels) RetryLabel(ctx context.Context, a lost.Actor, location, id string,
	o lost.IdempotencyKey) (lost.Item, error) {
	return l.change.Item(ctx, a, location, id, func(tx *store.Tx, i *lost.Item) (entry lost.Entry, err error) {
		entry = lost.NewEntry(a, lost.Labelled, tx.Now())
		s, found, err := change.CurrentShipment(tx, *i)
		if err != nil {
			return entry, err
		}
		if !found {
			s.State = lost.ShipmentCancelled
		}
		if err := s.RetryLabel(tx.Now()); err != nil {
			return entry, err
		}
		entry.Fields, entry.Note = []string{"shipping"}, lost.Note(lost.NoteRetried)
		i.Parcel.ClearLabelProblem()
		if err := tx.SaveShipment(s); err != nil {
			return entry, err
		}
		return entry, tx.AddJob(s.Account, store.JobShip, s.ID, tx.Now())
	}, o)
}

// void voids the label at the carrier. If the carrier refuses, this is recorded in the item's history.
func (l *Labels) void(ctx context.Context, s lost.Shipment) error {
	err := l.carrier.Void(ctx, s.Postage)
	if err != nil && lost.CodeOf(err) != lost.Invalid {
		return err
	}
	note := lost.Note(lost.NoteLabelVoided)
	if err != nil {
		note = lost.Note(lost.NoteVoidRefused, access.Reason(err))
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
