package desk

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// CreateItem records an item that a location found.
func (d *Desk) CreateItem(ctx context.Context, a lost.Actor, location string, p lost.ItemPatch, o lost.IdempotencyKey) (i lost.Item, err error) {
	if err := may(a, lost.Record, location, "location"); err != nil {
		return i, err
	}
	err = d.db.Write(ctx, func(tx *store.Tx) error {
		i, err = once(tx, a, o, func() (lost.Item, error) {
			i, err := lost.NewItem(a.Account, location, p, tx.Now())
			if err != nil {
				_, gone := tx.Terms(ctx, a.Account, location)
				return i, cmp.Or(gone, err)
			}
			err = cmp.Or(tx.InsertItem(i), tx.AddHistory(i, lost.NewEntry(a, lost.Created, tx.Now())), tellNewOwner(tx, i, lost.NoticeMessage))
			if err != nil || o.Key == "" {
				return i, err
			}
			i.Terms, err = tx.Terms(ctx, a.Account, location) // now, because the answer is kept with the record
			return i, err
		})
		if err == nil && o.Key == "" {
			err = tx.TermsByCommit(a.Account, location, &i.Terms)
		}
		return err
	})
	if err == nil && i.Owner.Address() != "" {
		d.nudgeLetters()
	}
	if err == nil && i.Sought() {
		d.nudgeMatching()
	}
	return i, err
}

// Item gives an item of a location.
func (d *Desk) Item(ctx context.Context, a lost.Actor, location, id string) (lost.Item, error) {
	if err := mayLook(a, location, "item"); err != nil {
		return lost.Item{}, err
	}
	i, err := d.db.Item(ctx, a.Account, location, id)
	if err == nil {
		d.sawItem(a, i)
	}
	return i, err
}

// Items lists a location's items, newest first.
func (d *Desk) Items(ctx context.Context, a lost.Actor, location string, f lost.ItemFilter) (lost.List[lost.Item], error) {
	if err := mayLook(a, location, "location"); err != nil {
		return lost.List[lost.Item]{}, err
	}
	list, err := d.db.Items(ctx, a.Account, location, f)
	if err == nil && len(list.Data) == 0 { // an empty list and a missing location are not the same
		_, err = d.db.Location(ctx, a.Account, location)
	}
	if err == nil {
		d.sawItems(a, location, f, list.Data)
	}
	return list, err
}

// History lists what happened to an item, newest first.
func (d *Desk) History(ctx context.Context, a lost.Actor, location, id string, page lost.Page) (lost.List[lost.Entry], error) {
	if _, err := d.Item(ctx, a, location, id); err != nil {
		return lost.List[lost.Entry]{}, err
	}
	return d.db.History(ctx, a.Account, id, page)
}

// UpdateItem sets what was sent and leaves the rest.
func (d *Desk) UpdateItem(ctx context.Context, a lost.Actor, location, id string, p lost.ItemPatch) (lost.Item, error) {
	return d.changeItem(ctx, a, location, id, func(tx *store.Tx, i *lost.Item) (lost.Entry, error) {
		p := p // may run twice
		d.wire.SettleItem(&p, *i)
		entry := lost.NewEntry(a, lost.Updated, tx.Now())
		var err error
		before := *i
		if entry.Fields, err = i.Update(p, tx.Now()); err != nil {
			return entry, err
		}
		if err := unlessOvertaken(tx, before, p.Seen, entry.Fields); err != nil {
			return entry, err
		}
		aboutShipping := slices.ContainsFunc(entry.Fields, func(name string) bool { return strings.HasPrefix(name, "shipping.") })
		if aboutShipping && i.Status == lost.InfoCompleted && i.Parcel.ShipmentID != "" { // it may have a price now, or another
			i.Parcel.Pricing()
			err = tx.AddJob(i.Account, store.JobShip, i.Parcel.ShipmentID, tx.Now())
		}
		if err != nil || i.Owner.Address() == before.Owner.Address() {
			return entry, err
		}
		return entry, tellOwner(tx, *i)
	})
}

// unlessOvertaken refuses a change of fields that somebody else has changed since whoever makes it was looking at the item. Changes of
// other fields get on with each other.
func unlessOvertaken(tx *store.Tx, i lost.Item, seen time.Time, fields []string) error {
	if len(fields) == 0 {
		return nil
	}
	return unlessSince(tx, i, seen, func(e lost.Entry) bool { return e.Overtakes(fields) })
}

// unlessSince refuses what somebody else has overtaken: something that matters has happened to the item since whoever asks was looking at it.
func unlessSince(tx *store.Tx, i lost.Item, seen time.Time, matters func(lost.Entry) bool) error {
	if seen.IsZero() || i.UpdatedAt.Equal(seen) {
		return nil
	}
	if seen.After(i.UpdatedAt) { // nobody can have seen that
		return lost.E(lost.Conflict, "This was changed while it could not be followed. Look at it as it is now.")
	}
	since, err := tx.HistorySince(tx.Context(), i.Account, i.ID, seen)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(since, matters) || len(since) == store.MaxSince { // who knows what came after so much
		return errOvertaken
	}
	return nil
}

// Overtaken lists what happened to an item after somebody had seen it, the last first: that by which the desk judges whether they may still save.
func (d *Desk) Overtaken(ctx context.Context, a lost.Actor, location, id string, seen time.Time) ([]lost.Entry, error) {
	if _, err := d.Item(ctx, a, location, id); err != nil {
		return nil, err
	}
	since, err := d.db.HistorySince(ctx, a.Account, id, seen)
	slices.Reverse(since)
	return since, err
}

// SetStatus moves an item to a status. Who sees it as it was before somebody else moved it is refused, unless it is there already.
func (d *Desk) SetStatus(ctx context.Context, a lost.Actor, location, id string, p lost.MovePatch) (lost.Item, error) {
	return d.changeItem(ctx, a, location, id, func(tx *store.Tx, i *lost.Item) (lost.Entry, error) {
		entry := lost.NewEntry(a, lost.Updated, tx.Now())
		move, err := p.Move()
		if err != nil {
			return entry, err
		}
		if p.Advised {
			if err := i.Advises(move.To); err != nil {
				return entry, err
			}
		}
		before, from := *i, i.Status
		if entry.Fields, err = i.MoveTo(move, a.Kind, tx.Now()); err != nil {
			return entry, err
		}
		if len(entry.Fields) > 0 {
			if err := unlessSince(tx, before, p.Seen, lost.Entry.Unsettles); err != nil {
				return entry, err
			}
		}
		if i.Status != from {
			entry.Action, entry.From, entry.To = lost.Moved, from, i.Status
		}
		entry.Note = move.Note
		if slices.Contains(entry.Fields, "shipping.trackingNumber") {
			l, err := tx.Location(ctx, i.Account, i.LocationID)
			if err != nil {
				return entry, err
			}
			i.Parcel.TrackingURL = l.Rules().TrackingURL(i.Shipping.TrackingNumber)
		}
		if i.Status != from && i.Status == lost.FeePaid {
			err = d.shipOut(tx, i)
		}
		return entry, err
	})
}

// Finish notes that the desk has done what the owner chose, as it stood when the item was looked at. Who notes it twice changes nothing.
func (d *Desk) Finish(ctx context.Context, a lost.Actor, location, id string, seen time.Time) (lost.Item, error) {
	return d.changeItem(ctx, a, location, id, func(tx *store.Tx, i *lost.Item) (lost.Entry, error) {
		entry, matters := lost.NewEntry(a, lost.Updated, tx.Now()), lost.Entry.Unsettles
		if !i.ClosedAt.IsZero() {
			matters = func(e lost.Entry) bool { return e.To != "" } // it may be the other thing that is done
		}
		if err := unlessSince(tx, *i, seen, matters); err != nil {
			return entry, err
		}
		move, err := lost.MovePatch{Status: lost.Set(string(i.Status)), Closed: lost.Set(true)}.Move()
		if err != nil {
			return entry, lost.E(lost.Conflict, "The owner has not chosen anything that could be done by now.").Because(err)
		}
		entry.Fields, err = i.MoveTo(move, a.Kind, tx.Now())
		return entry, err
	})
}

// changeItem changes an item in one transaction and writes its history, if anything changed, with the event that
// a new status is.
func (d *Desk) changeItem(ctx context.Context, a lost.Actor, location, id string, change func(*store.Tx, *lost.Item) (lost.Entry, error)) (lost.Item, error) {
	if err := may(a, lost.Handle, location, "item"); err != nil {
		return lost.Item{}, err
	}
	return d.alterItem(ctx, a, location, id, change)
}

// alterItem is changeItem for an actor of whom is known that they may.
func (d *Desk) alterItem(ctx context.Context, a lost.Actor, location, id string, change func(*store.Tx, *lost.Item) (lost.Entry, error)) (i lost.Item, err error) {
	var lanes []store.Lane
	worth := false
	err = d.db.Write(ctx, func(tx *store.Tx) error {
		worth = false // may run twice
		if i, err = tx.LockItem(a.Account, location, id); err != nil {
			return err
		}
		before := i
		entry, err := change(tx, &i)
		if err != nil || len(entry.Fields) == 0 && entry.Note == "" {
			return err
		}
		if before.Status == lost.InfoCompleted && i.Status != lost.InfoCompleted && i.Status != lost.FeePaid {
			if err := endShipment(tx, &i); err != nil {
				return err
			}
		}
		if before.Status == lost.FeePaid && !i.Status.Travels() && before.AwaitsLabel() {
			if err := d.announceLeft(tx, before); err != nil {
				return err
			}
		}
		worth = i.WorthALook(before) || i.MatchAnew(before)
		i.UpdatedAt = tx.Now() // also for a remark alone: the next change is then later than this line of history
		if err := tx.SaveItem(before, i); err != nil {
			return err
		}
		err = tx.AddHistory(i, entry)
		if private := lost.PrivateFields(entry.Fields); len(private) > 0 {
			err = cmp.Or(err, audit(tx, a, lost.GuestChanged, i.ID, strings.Join(private, ", ")))
		}
		if entry.To != "" {
			err = cmp.Or(err, d.tellMoved(tx, i, entry))
		}
		lanes = tx.Lanes()
		return err
	})
	if err == nil && worth {
		d.nudge()
		d.nudgeLanes(lanes...)
	}
	return i, err
}

// tellMoved tells client programs of a new status, and the owner of a parcel that gets somewhere. Of a fee that was paid they are told when the
// label is there.
func (d *Desk) tellMoved(tx *store.Tx, i lost.Item, entry lost.Entry) error {
	if event, is := i.Status.Announces(); is && (event != lost.LabelEvent || !i.AwaitsLabel()) {
		if err := d.announce(tx, event, i); err != nil {
			return err
		}
	}
	switch {
	case i.Owner.Address() == "":
		return nil
	case i.Status == lost.Shipped:
		return confirm(tx, i, lost.ShippedMessage, "shipped "+entry.ID)
	case i.Status == lost.Delivered:
		return confirm(tx, i, lost.DeliveredMessage, "delivered "+entry.ID)
	default:
		return nil
	}
}

// DeleteItem removes an item for good, with its history and files.
func (d *Desk) DeleteItem(ctx context.Context, a lost.Actor, location, id string) error {
	if err := may(a, lost.Remove, location, "item"); err != nil {
		return err
	}
	err := d.db.Write(ctx, func(tx *store.Tx) error {
		i, err := tx.LockItem(a.Account, location, id)
		if err != nil {
			return err
		}
		return cmp.Or(removeItem(tx, i), audit(tx, a, lost.ItemDeleted, i.ID, i.Reference))
	})
	d.nudge()
	return err
}

// removeItem removes an item with all that belongs to it.
func removeItem(tx *store.Tx, i lost.Item) error {
	papers, err := tx.DropShipments(i.Account, []string{i.ID})
	if err := cmp.Or(err, tx.DeleteItem(i)); err != nil {
		return err
	}
	return tx.DeleteFilesLater(i.Account, append(papers, i.Files()...)...)
}
