package shipping

import (
	"cmp"
	"context"
	"slices"

	"homeward/internal/access"
	"homeward/internal/change"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// Refunds refunds fees and voids labels.
type Refunds struct {
	shipments *shipments
	db        *store.DB
	change    *change.Items
	labels    *Labels
	provider  PaymentProvider
}

// RefundsOptions are the dependencies of Refunds.
type RefundsOptions struct {
	DB       *store.DB
	Change   *change.Items
	Labels   *Labels
	Provider PaymentProvider
}

// NewRefunds creates Refunds.
func NewRefunds(o RefundsOptions) *Refunds {
	return &Refunds{
		shipments: &shipments{db: o.DB, change: o.Change},
		db:        o.DB, change: o.Change, labels: o.Labels, provider: o.Provider,
	}
}

// Refund requests the refund of the fee that was paid for an item. The label is voided if the carrier allows this. If
// the item was not shipped, the owner can choose again what to do with it. If the desk collected the fee, it gets a
// task to pay it back, and confirms that by calling Refund again.
func (r *Refunds) Refund(ctx context.Context, a lost.Actor, location, id string, p lost.RefundPatch,
	o lost.IdempotencyKey) (lost.Item, error) {
	return r.change.Item(ctx, a, location, id, func(tx *store.Tx, i *lost.Item) (entry lost.Entry, err error) {
		entry = lost.NewEntry(a, lost.Refunded, tx.Now())
		reason, err := p.ValidReason()
		if err != nil {
			return entry, err
		}
		entry.Fields, entry.Note = []string{"shipping"}, reason
		return entry, r.requestRefunds(tx, i, reason, &entry)
	}, o)
}

// requestRefunds requests all refunds that are due: refunds that failed before, and the refund of the fee. It adds
// only one job for each shipment, because two concurrent jobs could refund the same payment. If the desk had to pay a
// fee back, it records only that.
func (r *Refunds) requestRefunds(tx *store.Tx, i *lost.Item, reason string, entry *lost.Entry) error {
	all, err := tx.LockShipments(i.Account, i.ID)
	if err != nil {
		return err
	}
	if n := slices.IndexFunc(all, func(s lost.Shipment) bool { return s.AwaitsDeskRefund() }); n >= 0 &&
		i.Parcel.DeskRefundDue() {
		s := all[n]
		s.ConfirmDeskRefund(i, tx.Now())
		entry.Note = cmp.Or(reason, lost.Note(lost.NoteDeskPaidBack, s.Quote.Price.String()))
		return tx.SaveShipment(s)
	}
	var retried []string
	var current lost.Shipment
	for _, s := range all {
		if s.ID == i.Parcel.ShipmentID {
			current = s
		}
		if s.HasFailedRefund() {
			retried = append(retried, s.ID)
			s.RetryRefund(i, tx.Now())
			if err := tx.SaveShipment(s); err != nil {
				return err
			}
			if err := tx.AddJob(s.Account, store.JobRefund, s.ID, tx.Now()); err != nil {
				return err
			}
			if s.ID == current.ID {
				current = s
			}
		}
	}
	refused := current.RequestRefund(i, reason, tx.Now())
	if refused != nil && len(retried) > 0 {
		return nil
	}
	if refused != nil {
		return refused
	}
	if i.Status == lost.FeePaid {
		if err := move(tx, i, lost.Pending, entry); err != nil {
			return err
		}
	}
	err = tx.SaveShipment(current)
	if err != nil || slices.Contains(retried, current.ID) {
		return err
	}
	return tx.AddJob(current.Account, store.JobRefund, current.ID, tx.Now())
}

// RefundShipment makes the next refund that is due for a shipment, or voids its label, and reports whether there may
// be more to refund. Each of these steps is idempotent.
func (r *Refunds) RefundShipment(ctx context.Context, account, id string) (more bool, err error) {
	s, err := r.db.Shipment(ctx, account, id)
	if err != nil {
		return false, lost.IgnoreNotFound(err)
	}
	for n, unexpected := range s.Strays {
		if unexpected.Refund == lost.RefundWanted {
			return r.refundUnexpected(ctx, s, n)
		}
	}
	switch {
	case s.AwaitsDeskRefund():
		if err := r.remindDesk(ctx, s); err != nil {
			return false, err
		}
	case s.Refund == lost.RefundWanted:
		return r.refundFee(ctx, s)
	}
	if s.State == lost.ShipmentCancelled && s.Postage.TrackingNumber+s.Postage.LabelURL != "" && !s.Voided {
		return false, r.labels.void(ctx, s)
	}
	return false, nil
}

// refund refunds a payment. If the provider refuses, why is the reason and err is nil.
func (r *Refunds) refund(ctx context.Context, by lost.PayBy, reference string) (why string, err error) {
	switch {
	case by == lost.PayDesk:
		return "", nil // staff pay it back in person
	case !r.provider.Handles(by):
		return "It was paid by " + cmp.Or(string(by), "an unknown method") +
			", which is no longer set up. Refund it with that provider.", nil
	}
	if err = r.provider.Refund(ctx, reference); lost.CodeOf(err) == lost.Invalid {
		return access.Reason(err), nil
	}
	return "", err
}

// RefundPayment refunds a payment for a deleted item. payment contains the kind and reference of the payment, as in
// store.JobRefundPayment. Nobody is notified. If the refund fails, the operator sees a failed job.
func (r *Refunds) RefundPayment(ctx context.Context, payment []string) error {
	if len(payment) != 2 {
		return lost.E(lost.Invalid, "The job has no payment.")
	}
	why, err := r.refund(ctx, lost.PayBy(payment[0]), payment[1])
	if why != "" {
		return lost.E(lost.Invalid, "%s", why)
	}
	return err
}

func (r *Refunds) refundUnexpected(ctx context.Context, s lost.Shipment, n int) (more bool, err error) {
	unexpected := s.Strays[n]
	why, err := r.refund(ctx, unexpected.By, unexpected.Reference)
	if err != nil {
		return false, err
	}
	return r.shipments.advance(ctx, s,
		func(tx *store.Tx, s *lost.Shipment, i *lost.Item) (entry lost.Entry, err error) {
			if len(s.Strays) <= n || s.Strays[n].Refund != lost.RefundWanted {
				return entry, nil
			}
			s.RecordUnexpectedRefund(n, i, why, tx.Now())
			price := lost.Price{Postage: unexpected.Amount, Currency: unexpected.Currency}
			return r.recordRefund(tx, *s, i, unexpected.By, price, why, "refund "+unexpected.Reference)
		})
}

func (r *Refunds) refundFee(ctx context.Context, s lost.Shipment) (more bool, err error) {
	why, err := r.refund(ctx, s.PayBy, s.Reference)
	if err != nil {
		return false, err
	}
	return r.shipments.advance(ctx, s,
		func(tx *store.Tx, s *lost.Shipment, i *lost.Item) (entry lost.Entry, err error) {
			if s.Refund != lost.RefundWanted {
				return entry, nil
			}
			s.RecordRefund(i, why, tx.Now())
			return r.recordRefund(tx, *s, i, s.PayBy, s.Quote.Price, why, "refund "+s.ID)
		})
}

// remindDesk adds the task to pay a fee back that the desk collected, and tells the owner. It is idempotent.
func (r *Refunds) remindDesk(ctx context.Context, s lost.Shipment) error {
	_, err := r.shipments.advance(ctx, s,
		func(tx *store.Tx, s *lost.Shipment, i *lost.Item) (entry lost.Entry, err error) {
			if !s.AwaitsDeskRefund() || !s.RemindDesk(i, tx.Now()) {
				return entry, nil
			}
			return r.recordRefund(tx, *s, i, s.PayBy, s.Quote.Price, "", "refund "+s.ID)
		})
	return err
}

// recordRefund records the result of a refund in the item's history. If the refund succeeded, it also queues a
// message to the owner, unless the item has another owner now.
func (r *Refunds) recordRefund(tx *store.Tx, s lost.Shipment, i *lost.Item, by lost.PayBy, price lost.Price,
	why, once string) (lost.Entry, error) {
	entry := lost.NewEntry(access.Service(i.Account), lost.Refunded, tx.Now())
	entry.Fields = []string{"shipping"}
	switch {
	case why != "":
		entry.Note = lost.Note(lost.NoteRefused, why)
		return entry, nil
	case by.Online():
		entry.Note = lost.Note(lost.NoteRefunded, price.String())
	default:
		entry.Note = lost.Note(lost.NoteDeskRefunds, price.String())
	}
	if i.Owner.Address() == "" || s.Guest.Known() && !i.Owner.Reads(s.Guest.Email) && !i.Owner.Reads(s.Guest.Phone) {
		return entry, nil
	}
	return entry,
		change.AddMessageAbout(tx, *i, lost.RefundMessage, once, lost.About{Quote: lost.Quote{Price: price}, PayBy: by})
}
