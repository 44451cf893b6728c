package desk

import (
	"cmp"
	"context"
	"io"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// Visit is what a link leads to: an item or a request, and its location.
type Visit struct {
	Link     lost.Link
	Item     lost.Item
	Location lost.Location
	Now      time.Time
}

// Visit follows a link. A token that leads nowhere is not found; one whose time is over is gone, and the visit then
// tells the location alone.
func (d *Desk) Visit(ctx context.Context, token string) (v Visit, err error) {
	link, err := d.link(ctx, token)
	if err != nil {
		return v, err
	}
	i, err := d.db.Item(ctx, link.Account, link.LocationID, link.ItemID)
	if err != nil {
		return v, err
	}
	l, err := d.db.Location(ctx, link.Account, link.LocationID)
	if err != nil {
		return v, err
	}
	v = Visit{Link: link, Location: l, Now: d.now()}
	if err := link.Opens(i, v.Now); err != nil {
		return v, err
	}
	v.Item = i
	return v, nil
}

// link gives the link that a token belongs to.
func (d *Desk) link(ctx context.Context, token string) (lost.Link, error) {
	e, found, err := d.db.Lookup(ctx, store.GuestEntry, store.DirectoryHash(token))
	if err != nil {
		return lost.Link{}, err
	}
	if !found {
		return lost.Link{}, lost.Missing("link")
	}
	if err := d.enabled(ctx, e.Account, "link"); err != nil {
		return lost.Link{}, err
	}
	return d.db.Link(ctx, e.Account, e.Subject)
}

// Choose carries out what the guest chose.
func (d *Desk) Choose(ctx context.Context, token string, p lost.ChoicePatch) (Visit, error) {
	offers, err := d.offersFor(ctx, token, p)
	if err != nil {
		return Visit{}, err
	}
	return d.visitAnd(ctx, token, func(tx *store.Tx, v Visit, i *lost.Item) (lost.Entry, error) {
		entry := lost.NewEntry(v.Link.Guest(), lost.Updated, tx.Now())
		before := *i
		var err error
		if entry.Fields, err = i.Choose(p, v.Location, tx.Now()); err != nil || len(entry.Fields) == 0 {
			return entry, err
		}
		if i.Status != before.Status {
			entry.Action, entry.From, entry.To = lost.Moved, before.Status, i.Status
		}
		if i.Shipping.Recipient != before.Shipping.Recipient { // it goes elsewhere, or not at all
			if err := endShipment(tx, i); err != nil {
				return entry, err
			}
		}
		if i.Status == lost.InfoCompleted {
			if err := d.refundFormer(tx, i); err != nil {
				return entry, err
			}
			s := lost.NewShipment(i, d.till.By(), tx.Now())
			s.Offer(offers, i, tx.Now())
			err := tx.InsertShipment(s)
			if offers.Basis == "" { // the carrier did not answer, and is asked until it does
				err = cmp.Or(err, tx.AddJob(s.Account, store.JobShip, s.ID, tx.Now()))
			}
			if err != nil {
				return entry, err
			}
		}
		return entry, confirm(tx, *i, lost.ChoiceMessage, "choice "+entry.ID, offers.Quotes...)
	})
}

// offersFor asks what it costs to send an item where the guest wants it, before that is kept: what follows from the choice depends on it. Bad
// input has no price; what is wrong with it is said later.
func (d *Desk) offersFor(ctx context.Context, token string, p lost.ChoicePatch) (o lost.Offers, err error) {
	if p.Choice != lost.ChooseShip {
		return o, nil
	}
	v, err := d.Visit(ctx, token)
	if err != nil {
		return o, err
	}
	i := v.Item
	if _, err := i.Choose(p, v.Location, v.Now); err != nil {
		return o, nil //nolint:nilerr // the transaction says it
	}
	if o, err = d.offers(ctx, v.Location, i, i.Shipping.Recipient); err != nil { // the address is kept all the same
		return lost.Offers{}, nil //nolint:nilerr // likewise
	}
	return o, nil
}

// confirm leaves a message that says what was chosen or done, unless that has changed often enough to be known. Where there is one
// offer, it is named; of several the owner chooses.
func confirm(tx *store.Tx, i lost.Item, kind lost.MessageKind, once string, offers ...lost.Quote) error {
	most := maxMessages
	if kind == lost.ChoiceMessage {
		most = maxConfirmations
	}
	sent, err := tx.Messages(tx.Context(), i.Account, i.ID, lost.FirstPage())
	if err != nil || sent.Count >= most {
		return err
	}
	if len(offers) == 1 {
		return writeOf(tx, i, kind, once, lost.About{Quote: offers[0]})
	}
	return write(tx, i, kind, once)
}

// Disown notes that the item is not the guest's, and has the desk told.
func (d *Desk) Disown(ctx context.Context, token string) (Visit, error) {
	return d.visitAnd(ctx, token, func(tx *store.Tx, v Visit, i *lost.Item) (lost.Entry, error) {
		entry := lost.NewEntry(v.Link.Guest(), lost.Disowned, tx.Now())
		news, err := i.Disown(tx.Now())
		if news {
			entry.Fields = []string{"disownedAt"}
		}
		return entry, err
	})
}

// WithdrawRequest notes that the claimant has it again.
func (d *Desk) WithdrawRequest(ctx context.Context, token string) (Visit, error) {
	return d.visitAnd(ctx, token, func(tx *store.Tx, v Visit, i *lost.Item) (lost.Entry, error) {
		entry := lost.NewEntry(v.Link.Guest(), lost.Withdrawn, tx.Now())
		news, err := i.Withdraw(tx.Now())
		if news {
			entry.Fields = []string{"request"}
		}
		return entry, err
	})
}

// AddToRequest adds a claimant's words to a request, and a photo unless that is nil. One of the two may be missing.
func (d *Desk) AddToRequest(ctx context.Context, token string, details lost.Field[string], photo io.Reader) (v Visit, err error) {
	add := func(attach func(*store.Tx, *lost.Item) error) (Visit, error) {
		return d.visitAnd(ctx, token, func(tx *store.Tx, v Visit, i *lost.Item) (lost.Entry, error) {
			entry := lost.NewEntry(v.Link.Guest(), lost.Updated, tx.Now())
			if details.Value != "" || attach == nil {
				news, err := i.AddDetails(details, tx.Now())
				if err != nil {
					return entry, err
				}
				if news {
					entry.Fields = append(entry.Fields, "description")
				}
			}
			if attach != nil {
				entry.Fields = append(entry.Fields, "images")
				return entry, attach(tx, i)
			}
			return entry, nil
		})
	}
	if photo == nil {
		return add(nil)
	}
	if v, err = d.Visit(ctx, token); err != nil { // before the bytes are taken
		return v, err
	}
	if v.Item.Source != lost.Request || v.Item.Claim.State != lost.RequestPending || len(v.Item.Images) >= lost.MaxClaimImages {
		return v, lost.E(lost.Conflict, "This can no longer be changed here.")
	}
	err = d.upload(ctx, v.Link.Guest(), "photo", photo, MaxImage, &lost.IdempotencyKey{}, func(image lost.Image, keep func(*store.Tx) error) (bool, error) {
		v, err = add(func(tx *store.Tx, i *lost.Item) error { return cmp.Or(addImage(tx, i, image), keep(tx)) })
		return v.Item.ImageFile == image.File, err
	})
	d.nudge()
	return v, err
}

// visitAnd changes the item that a link leads to. The link is judged again once the item is locked: its owner may
// have changed meanwhile.
func (d *Desk) visitAnd(ctx context.Context, token string, change func(*store.Tx, Visit, *lost.Item) (lost.Entry, error)) (Visit, error) {
	v, err := d.Visit(ctx, token)
	if err != nil {
		return v, err
	}
	changed, err := d.changeItem(ctx, v.Link.Guest(), v.Link.LocationID, v.Link.ItemID, func(tx *store.Tx, i *lost.Item) (lost.Entry, error) {
		link, err := tx.Link(ctx, v.Link.Account, v.Link.ID)
		if err := cmp.Or(err, link.Opens(*i, tx.Now())); err != nil {
			return lost.Entry{}, err
		}
		return change(tx, v, i)
	})
	if err == nil {
		v.Item = changed
		d.nudge() // a message may be left
	}
	return v, err
}

// renewEvery is how often an expired link brings a new message.
const renewEvery = time.Hour

// RenewLink writes to whoever an expired link was sent to, with one that works. It does so once an hour at most, and says
// nothing about it: whoever holds an old link learns nothing that its owner would not.
func (d *Desk) RenewLink(ctx context.Context, token string) error {
	link, err := d.link(ctx, token)
	if err != nil {
		return err
	}
	err = d.db.Write(ctx, func(tx *store.Tx) error {
		i, err := tx.LockItem(link.Account, link.LocationID, link.ItemID)
		if err != nil {
			return err
		}
		if err := link.Opens(i, tx.Now()); lost.CodeOf(err) != lost.Gone {
			return err
		}
		sent, err := tx.Correspondence(ctx, i.Account, i.ID)
		if err != nil || len(sent) > 0 && tx.Now().Sub(sent[0].CreatedAt) < renewEvery {
			return err
		}
		_, err = notifyAgain(tx, i)
		return err
	})
	d.nudge()
	return err
}
