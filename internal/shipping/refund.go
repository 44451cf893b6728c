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

// Refunds gives fees and labels back.
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

// NewRefunds makes Refunds.
func NewRefunds(o RefundsOptions) *Refunds {
	return &Refunds{
		shipments: &shipments{db: o.DB, change: o.Change},
		db:        o.DB, change: o.Change, labels: o.Labels, provider: o.Provider,
	}
}

// Refund refunds the fee that was paid for an item, and voids its label if the carrier allows it. If the item was not
// shipped, the owner can choose again.
func (r *Refunds) Refund(ctx context.Context, a lost.Actor, location, id string, p lost.RefundPatch,
	o lost.IdempotencyKey) (lost.Item, error) {
	return r.change.Item(ctx, a, location, id, func(tx *store.Tx, i *lost.Item) (entry lost.Entry, err error) {
		entry = lost.NewEntry(a, lost.Refunded, tx.Now())
		*i, err = access.CreateOnce(tx, a, o, func() (lost.Item, error) {
			reason, err := p.Reason()
			if err != nil {
				return *i, err
			}
			entry.Fields, entry.Note = []string{"shipping"}, reason
			return *i, r.requestRefunds(tx, i, reason, &entry)
		})
		if err != nil {
			return lost.Entry{}, err
		}
		return entry, nil
	})
}

// requestRefunds refunds everything that is due: what could not be refunded before, and the fee. Each shipment gets one
// job for all of it, because two at once would refund the same money.
func (r *Refunds) requestRefunds(tx *store.Tx, i *lost.Item, reason string, entry *lost.Entry) error {
	all, err := tx.LockShipments(i.Account, i.ID)
	if err != nil {
		return err
	}
	var tried []string
	var current lost.Shipment
	for _, s := range all {
		if s.ID == i.Parcel.ShipmentID {
			current = s
		}
		if s.HasFailedRefund() {
			tried = append(tried, s.ID)
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
	if refused != nil && len(tried) > 0 {
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
	if err != nil || slices.Contains(tried, current.ID) {
		return err
	}
	return tx.AddJob(current.Account, store.JobRefund, current.ID, tx.Now())
}

// RefundShipment refunds what is due for a shipment, one thing at a time, and tells whether there is more. Each can be
// repeated: the provider and the carrier know what they did before.
func (r *Refunds) RefundShipment(ctx context.Context, account, id string) (more bool, err error) {
	s, err := r.db.Shipment(ctx, account, id)
	if err != nil {
		return false, lost.IgnoreNotFound(err)
	}
	for n, stray := range s.Strays {
		if stray.Refund == lost.RefundWanted {
			return r.refundStray(ctx, s, n)
		}
	}
	if s.Refund == lost.RefundWanted {
		return r.refundFee(ctx, s)
	}
	if s.State == lost.ShipmentOver && s.Postage.TrackingNumber+s.Postage.LabelURL != "" && !s.Voided {
		return false, r.labels.void(ctx, s)
	}
	return false, nil
}

// refund refunds a payment, and says why if that is refused.
func (r *Refunds) refund(ctx context.Context, by lost.PayBy, reference string) (why string, err error) {
	switch {
	case by == lost.PayDesk:
		return "", nil // the desk has it, and gives it back
	case !r.provider.Handles(by):
		return "It was paid by " + cmp.Or(string(by), "nobody knows whom") +
			", which is not set up any more. Give it back there.", nil
	}
	if err = r.provider.Refund(ctx, reference); lost.CodeOf(err) == lost.Invalid {
		return access.Reason(err), nil
	}
	return "", err
}

// RefundPayment refunds a payment of a deleted item; owed is its kind and reference, as in store.JobRefundPayment.
// Nobody is notified; the operator sees a failing job.
func (r *Refunds) RefundPayment(ctx context.Context, owed []string) error {
	if len(owed) != 2 {
		return lost.E(lost.Invalid, "The job names no payment.")
	}
	why, err := r.refund(ctx, lost.PayBy(owed[0]), owed[1])
	if why != "" {
		return lost.E(lost.Invalid, "%s", why)
	}
	return err
}

func (r *Refunds) refundStray(ctx context.Context, s lost.Shipment, n int) (more bool, err error) {
	stray := s.Strays[n]
	why, err := r.refund(ctx, stray.By, stray.Reference)
	if err != nil {
		return false, err
	}
	return r.shipments.advance(ctx, s,
		func(tx *store.Tx, s *lost.Shipment, i *lost.Item) (entry lost.Entry, err error) {
			if len(s.Strays) <= n || s.Strays[n].Refund != lost.RefundWanted {
				return entry, nil
			}
			s.RecordUnexpectedRefund(n, i, why, tx.Now())
			return r.recordRefund(tx, i, stray.By, lost.Price{Postage: stray.Amount, Currency: stray.Currency}, why,
				"refund "+stray.Reference)
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
			return r.recordRefund(tx, i, s.PayBy, s.Quote.Price, why, "refund "+s.ID)
		})
}

// recordRefund records the result of a refund in the history and, if it succeeded, leaves a message to the owner.
func (r *Refunds) recordRefund(tx *store.Tx, i *lost.Item, by lost.PayBy, price lost.Price,
	why, once string) (lost.Entry, error) {
	entry := lost.NewEntry(access.Service(i.Account), lost.Refunded, tx.Now())
	entry.Fields = []string{"shipping"}
	switch {
	case why != "":
		entry.Note = "Refused: " + why
		return entry, nil
	case by.Online():
		entry.Note = price.String() + " was given back."
	default:
		entry.Note = "The desk gives " + price.String() + " back."
	}
	if i.Owner.Address() == "" {
		return entry, nil
	}
	return entry,
		change.AddMessageAbout(tx, *i, lost.RefundMessage, once, lost.About{Quote: lost.Quote{Price: price}, PayBy: by})
}
