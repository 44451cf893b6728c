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

// Refund has the fee given back that was paid for an item, and its label with it where the carrier takes it. What was not shipped
// is the owner's to choose about again.
func (d *Desk) Refund(ctx context.Context, a lost.Actor, location, id string, p lost.RefundPatch, o lost.IdempotencyKey) (lost.Item, error) {
	return d.changeItem(ctx, a, location, id, func(tx *store.Tx, i *lost.Item) (entry lost.Entry, err error) {
		entry = lost.NewEntry(a, lost.Refunded, tx.Now())
		*i, err = once(tx, a, o, func() (lost.Item, error) {
			reason, err := p.Reason()
			if err != nil {
				return *i, err
			}
			entry.Fields, entry.Note = []string{"shipping"}, reason
			return *i, d.wantRefund(tx, i, reason, &entry)
		})
		if err != nil {
			return lost.Entry{}, err
		}
		return entry, nil
	})
}

// wantRefund has everything given back that is to be: what could not be before, and the fee that was paid. Each shipment gets one job for all of
// it: two at once would ask for the same money.
func (d *Desk) wantRefund(tx *store.Tx, i *lost.Item, reason string, entry *lost.Entry) error {
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
		if s.Owes() {
			tried = append(tried, s.ID)
			s.TryRefund(i, tx.Now())
			err = cmp.Or(err, tx.SaveShipment(s), tx.AddJob(s.Account, store.JobRefund, s.ID, tx.Now()))
			if s.ID == current.ID {
				current = s
			}
		}
	}
	refused := current.WantRefund(i, reason, tx.Now())
	if err != nil || refused != nil && len(tried) > 0 {
		return err
	}
	if refused != nil {
		return refused
	}
	if i.Status == lost.FeePaid {
		err = d.move(tx, i, lost.Pending, entry)
	}
	err = cmp.Or(err, tx.SaveShipment(current))
	if err != nil || slices.Contains(tried, current.ID) {
		return err
	}
	return tx.AddJob(current.Account, store.JobRefund, current.ID, tx.Now())
}

// refundFormer has a fee given back that was paid for a former shipment of an item which now begins another: nobody pays twice.
func (d *Desk) refundFormer(tx *store.Tx, i *lost.Item) error {
	s, found, err := currentShipment(tx, *i)
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
	return cmp.Or(tx.SaveShipment(s), tx.AddJob(s.Account, store.JobRefund, s.ID, tx.Now()))
}

// GiveBack gives back what is to be given back of a shipment, one thing at a time, and tells whether there is more. Each may be done again:
// the provider and the carrier know what they did before.
func (d *Desk) GiveBack(ctx context.Context, account, id string) (more bool, err error) {
	s, err := d.db.Shipment(ctx, account, id)
	if err != nil {
		return false, lost.UnlessMissing(err)
	}
	for n, stray := range s.Strays {
		if stray.Refund == lost.RefundWanted {
			return d.giveBackStray(ctx, s, n)
		}
	}
	if s.Refund == lost.RefundWanted {
		return d.giveBackFee(ctx, s)
	}
	if s.State == lost.ShipmentOver && s.Postage.TrackingNumber+s.Postage.LabelURL != "" && !s.Voided {
		return false, d.void(ctx, s)
	}
	return false, nil
}

// refund has a payment given back, and says why where that is refused for good.
func (d *Desk) refund(ctx context.Context, by lost.PayBy, reference string) (why string, err error) {
	switch {
	case by == lost.PayDesk:
		return "", nil // the desk has it, and gives it back
	case !d.till.Knows(by):
		return "It was paid by " + cmp.Or(string(by), "nobody knows whom") + ", which is not set up any more. Give it back there.", nil
	}
	if err = d.till.Refund(ctx, reference); lost.CodeOf(err) == lost.Invalid {
		return toldBy(err), nil
	}
	return "", err
}

// GiveBackAlone gives back a payment of an item that was deleted meanwhile: who has it and its name, as store.JobGiveBack has them. There is
// nobody left to tell; a job that fails is what the operator sees.
func (d *Desk) GiveBackAlone(ctx context.Context, owed []string) error {
	if len(owed) != 2 {
		return lost.E(lost.Invalid, "The job names no payment.")
	}
	why, err := d.refund(ctx, lost.PayBy(owed[0]), owed[1])
	if why != "" {
		return lost.E(lost.Invalid, "%s", why)
	}
	return err
}

func (d *Desk) giveBackStray(ctx context.Context, s lost.Shipment, n int) (more bool, err error) {
	stray := s.Strays[n]
	why, err := d.refund(ctx, stray.By, stray.Reference)
	if err != nil {
		return false, err
	}
	return d.advance(ctx, s, func(tx *store.Tx, s *lost.Shipment, i *lost.Item) (entry lost.Entry, err error) {
		if len(s.Strays) <= n || s.Strays[n].Refund != lost.RefundWanted {
			return entry, nil
		}
		s.StrayRefunded(n, i, why, tx.Now())
		return d.toldRefund(tx, i, stray.By, lost.Price{Postage: stray.Amount, Currency: stray.Currency}, why, "refund "+stray.Reference)
	})
}

func (d *Desk) giveBackFee(ctx context.Context, s lost.Shipment) (more bool, err error) {
	why, err := d.refund(ctx, s.PayBy, s.Reference)
	if err != nil {
		return false, err
	}
	return d.advance(ctx, s, func(tx *store.Tx, s *lost.Shipment, i *lost.Item) (entry lost.Entry, err error) {
		if s.Refund != lost.RefundWanted {
			return entry, nil
		}
		s.Refunded(i, why, tx.Now())
		return d.toldRefund(tx, i, s.PayBy, s.Quote.Price, why, "refund "+s.ID)
	})
}

// toldRefund writes what came of a refund on the item's history and, where it was given back, to the owner.
func (d *Desk) toldRefund(tx *store.Tx, i *lost.Item, by lost.PayBy, price lost.Price, why, once string) (lost.Entry, error) {
	entry := lost.NewEntry(service(i.Account), lost.Refunded, tx.Now())
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
	return entry, writeOf(tx, *i, lost.RefundMessage, once, lost.About{Quote: lost.Quote{Price: price}, PayBy: by})
}

// void gives the label back. Where the carrier does not take it, that is on the history, and nothing else to be done.
func (d *Desk) void(ctx context.Context, s lost.Shipment) error {
	err := d.carrier.Void(ctx, s.Postage)
	if err != nil && lost.CodeOf(err) != lost.Invalid {
		return err
	}
	note := "The label was given back."
	if err != nil {
		note = "The carrier does not take the label back: " + toldBy(err)
	}
	_, err = d.advance(ctx, s, func(tx *store.Tx, s *lost.Shipment, _ *lost.Item) (entry lost.Entry, err error) {
		if s.Voided {
			return entry, nil
		}
		s.Voided, s.UpdatedAt = true, tx.Now()
		entry = lost.NewEntry(service(s.Account), lost.Labelled, tx.Now())
		entry.Fields, entry.Note = []string{"shipping"}, note
		return entry, nil
	})
	return err
}

// CloseCheckout closes a page that is not to be paid on any more. Where it was paid after all, that is heard.
func (d *Desk) CloseCheckout(ctx context.Context, checkout string) error {
	err := d.closePage(ctx, checkout)
	if lost.CodeOf(err) != lost.Conflict {
		return err
	}
	n, err := d.till.Look(ctx, checkout)
	if err != nil || n.State == "" {
		return err
	}
	return d.hear(ctx, n)
}

// closePage closes a page to pay on. One that the provider does not know, because another account of ours had opened it, is as good as closed.
func (d *Desk) closePage(ctx context.Context, checkout string) error {
	err := d.till.Close(ctx, checkout)
	if lost.CodeOf(err) == lost.Invalid {
		return nil
	}
	return err
}

// When a provider is asked what became of a page, should it not tell by itself: first, and then every while until nothing can come any more.
const (
	lookFirst = 15 * time.Minute
	lookEvery = time.Hour
	lookFor   = 15 * 24 * time.Hour // payments may be promised
)

// LookPayment asks the provider what became of a page, if it is still the one to pay a shipment on, and tells when to ask again; zero for
// no more. about is the shipment and the page, as store.JobPayment has them.
func (d *Desk) LookPayment(ctx context.Context, account string, about []string) (again time.Duration, err error) {
	if len(about) != 2 {
		return 0, lost.E(lost.Invalid, "The job names no page.")
	}
	s, err := d.db.Shipment(ctx, account, about[0])
	if err != nil || s.State != lost.ShipmentOpen || s.Checkout.ID != about[1] || d.now().Sub(s.CreatedAt) > lookFor {
		return 0, lost.UnlessMissing(err)
	}
	if err := d.look(ctx, s); err != nil && lost.CodeOf(err) != lost.Invalid {
		return 0, err
	}
	return lookEvery, nil // until the shipment has another page, or none
}

// look asks the provider what became of the page that is open for a shipment, and believes it.
func (d *Desk) look(ctx context.Context, s lost.Shipment) error {
	n, err := d.till.Look(ctx, s.Checkout.ID)
	if err != nil || n.State == "" {
		return err
	}
	n.Shipment = s.ID
	_, err = d.hearOf(ctx, s, n)
	return lost.UnlessMissing(err)
}

// How often and for how long a parcel is asked for.
const (
	trackEvery = time.Hour
	trackFor   = 90 * 24 * time.Hour
)

// Track asks the carrier where a parcel is, and tells when to ask again; zero for no more.
func (d *Desk) Track(ctx context.Context, account, id string) (again time.Duration, err error) {
	s, err := d.db.Shipment(ctx, account, id)
	if err != nil || s.State == lost.ShipmentOver || s.Postage.Tracker == "" || !d.carrier.Tracks() || d.now().Sub(s.CreatedAt) > trackFor {
		return 0, lost.UnlessMissing(err)
	}
	news, err := d.carrier.Track(ctx, s.Postage)
	if err != nil && lost.CodeOf(err) != lost.Invalid {
		return 0, err
	}
	i, err := d.follow(ctx, s, news)
	if err != nil || i.Status != lost.FeePaid && i.Status != lost.Shipped {
		return 0, lost.UnlessMissing(err)
	}
	return trackEvery, nil
}

// HearParcel takes what the carrier tells of a parcel by itself.
func (d *Desk) HearParcel(ctx context.Context, header http.Header, body []byte) error {
	n, ours, err := d.carrier.Hear(header, body)
	if err != nil || !ours {
		return err
	}
	s, found, err := d.shipmentBy(ctx, store.TrackerEntry, n.Tracker)
	if err != nil || !found {
		return err
	}
	_, err = d.follow(ctx, s, n)
	return lost.UnlessMissing(err)
}

// follow changes an item by where its parcel is.
func (d *Desk) follow(ctx context.Context, s lost.Shipment, n lost.ParcelNews) (lost.Item, error) {
	by := service(s.Account)
	return d.changeItem(ctx, by, s.LocationID, s.ItemID, func(tx *store.Tx, i *lost.Item) (entry lost.Entry, err error) {
		entry = lost.NewEntry(by, lost.Updated, tx.Now())
		s, err := tx.LockShipment(s.Account, s.ID)
		if err != nil || i.Parcel.ShipmentID != s.ID || s.State == lost.ShipmentOver {
			return entry, err
		}
		from := i.Status
		entry.Fields, err = i.Follow(n, tx.Now())
		switch {
		case i.Status != from:
			entry.Action, entry.From, entry.To = lost.Moved, from, i.Status
		case n.State == lost.ParcelTrouble && len(entry.Fields) > 0: // else it was heard before
			entry.Note = n.Why
		}
		return entry, err
	})
}

// toldBy is what an error says to people.
func toldBy(err error) string { return cmp.Or(lost.Detail(err), "No reason was given.") }
