package desk

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	v1 "homeward/internal/v1"
)

const (
	eraseAtOnce   = 25    // items in one transaction: others write between
	exportRecords = 10000 // the most of one person

	arrivals = 12 * time.Hour // between two looks at whether a parcel has arrived whose address is to go
)

// ExportPerson writes all that is kept of a person in the account as JSON, record by record. Nothing is written where the actor may not see it.
func (d *Desk) ExportPerson(ctx context.Context, a lost.Actor, of lost.PersonPatch, w io.Writer) error {
	if err := mayOversee(a, lost.Staff); err != nil {
		return err
	}
	p, err := of.Person()
	if err != nil {
		return err
	}
	if err := d.db.Write(ctx, func(tx *store.Tx) error { return audit(tx, a, lost.PersonExported, "", "") }); err != nil {
		return err
	}
	head, err := v1.Encode(d.wire.Person(p))
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, `{"person":%s,"exportedAt":%q,"records":[`, head, d.db.Now().Format("2006-01-02T15:04:05.000Z")); err != nil {
		return err
	}
	n, more := 0, true
	for after := ""; more && n < exportRecords; {
		items, err := d.db.ItemsOf(ctx, a.Account, p, after, eraseAtOnce)
		if err != nil {
			return err
		}
		for _, i := range items {
			if err := d.exportRecord(ctx, i, n > 0, w); err != nil {
				return err
			}
			after, n = i.ID, n+1
		}
		more = len(items) == eraseAtOnce
	}
	_, err = fmt.Fprintf(w, `],"complete":%t}`+"\n", !more)
	return err
}

func (d *Desk) exportRecord(ctx context.Context, i lost.Item, next bool, w io.Writer) error {
	const lines = 1000
	history, err := d.db.History(ctx, i.Account, i.ID, lost.Page{Number: 1, Limit: lines})
	if err != nil {
		return err
	}
	messages, err := d.db.Correspondence(ctx, i.Account, i.ID)
	if err != nil {
		return err
	}
	shipments, err := d.db.ShipmentsOf(ctx, i.Account, i.ID)
	if err != nil {
		return err
	}
	text, err := v1.Encode(d.wire.PersonItem(i, history.Data, messages, shipments))
	if next {
		text = append([]byte(",\n"), text...)
	}
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

// CountPerson tells how many items and requests a person has in the account, no further than people need to be warned.
func (d *Desk) CountPerson(ctx context.Context, a lost.Actor, of lost.PersonPatch) (lost.Total, error) {
	const most = 1000
	if err := mayOversee(a, lost.Staff); err != nil {
		return lost.Total{}, err
	}
	p, err := of.Person()
	if err != nil {
		return lost.Total{}, err
	}
	items, err := d.db.ItemsOf(ctx, a.Account, p, "", most+1)
	return lost.Total{Count: min(len(items), most), AtLeast: len(items) > most}, err
}

// ErasePerson has a person removed from the account, for good and everywhere. It waits a little for that to be done; Erasure tells of it later. What has to wait for a parcel is done when that has arrived.
func (d *Desk) ErasePerson(ctx context.Context, a lost.Actor, of lost.PersonPatch, o lost.Once) (e lost.Erasure, err error) {
	if e, _, err = d.beginErasure(ctx, a, of, o); err != nil {
		return e, err
	}
	d.nudge()
	const look = 50 * time.Millisecond
	e, err = d.db.Erasure(ctx, a.Account, e.ID) // as it is now, where this is asked once more
	for waited := time.Duration(0); waited < d.patience && e.DoneAt.IsZero() && e.Erased.UnderWay == 0 && err == nil; waited += look {
		select {
		case <-ctx.Done():
			return e, nil
		case <-time.After(look):
		}
		e, err = d.db.Erasure(ctx, a.Account, e.ID)
	}
	return e, err
}

// ErasePersonHere is ErasePerson for a command, which does it itself: there may be no service to do it. What has to wait is left to one.
func (d *Desk) ErasePersonHere(ctx context.Context, a lost.Actor, of lost.PersonPatch) (e lost.Erasure, err error) {
	e, p, err := d.beginErasure(ctx, a, of, lost.Once{})
	if err != nil {
		return e, err
	}
	if _, err := d.RunErasure(ctx, a.Account, e.ID, p); err != nil {
		return e, err
	}
	return d.db.Erasure(ctx, a.Account, e.ID)
}

func (d *Desk) beginErasure(ctx context.Context, a lost.Actor, of lost.PersonPatch, o lost.Once) (e lost.Erasure, p lost.Person, err error) {
	if err := mayManage(a, lost.Staff); err != nil {
		return e, p, err
	}
	if p, err = of.Person(); err != nil {
		return e, p, err
	}
	err = d.db.Write(ctx, func(tx *store.Tx) error {
		e, err = once(tx, a, o, func() (lost.Erasure, error) {
			e := lost.NewErasure(a, tx.Now())
			return e, tx.InsertErasure(e, p)
		})
		return err
	})
	return e, p, err
}

// Erasure tells how far an erasure has come.
func (d *Desk) Erasure(ctx context.Context, a lost.Actor, id string) (lost.Erasure, error) {
	if err := mayOversee(a, lost.Staff); err != nil {
		return lost.Erasure{}, err
	}
	return d.db.Erasure(ctx, a.Account, id)
}

// Erasures lists the newest ones.
func (d *Desk) Erasures(ctx context.Context, a lost.Actor) ([]lost.Erasure, error) {
	const listed = 20
	if err := mayOversee(a, lost.Staff); err != nil {
		return nil, err
	}
	return d.db.Erasures(ctx, a.Account, listed)
}

// RunErasure removes a person, in pieces that are a transaction each. Whoever is stopped begins again and finds less: what is gone is known by not being there. Of
// two that work at once, each finds what the other has left. Where a parcel of theirs is under way it says when to look again.
func (d *Desk) RunErasure(ctx context.Context, account, id string, p lost.Person) (again time.Duration, err error) {
	e, err := d.db.Erasure(ctx, account, id)
	if lost.CodeOf(err) == lost.NotFound || err == nil && !e.DoneAt.IsZero() {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	r := &eraser{desk: d, of: e, person: p}
	for _, step := range []func(context.Context) error{r.items, r.letters, r.namedItems, r.events, r.rows, r.mentions} {
		if err := step(ctx); err != nil {
			return 0, err
		}
	}
	if err := d.db.Scrub(ctx); err != nil {
		return 0, err
	}
	err = d.db.Write(ctx, func(tx *store.Tx) error {
		e, err := tx.LockErasure(account, id)
		if err != nil || !e.DoneAt.IsZero() {
			return err
		}
		if e.Erased.UnderWay = len(r.stay); e.Erased.UnderWay > 0 {
			again = arrivals
			return tx.SaveErasure(e)
		}
		e.DoneAt = tx.Now()
		return cmp.Or(tx.SaveErasure(e), audit(tx, e.By, lost.PersonErased, e.ID, e.Erased.String()))
	})
	if err != nil {
		return 0, err
	}
	d.nudge() // files are to be deleted
	return again, d.db.Scrub(ctx)
}

// eraser removes one person.
type eraser struct {
	desk   *Desk
	of     lost.Erasure
	person lost.Person
	stay   []string // ids of items whose parcels are under way
}

// add counts what a piece has removed, with it.
func (r *eraser) add(tx *store.Tx, e lost.Erased) error {
	if e == (lost.Erased{}) {
		return nil
	}
	kept, err := tx.LockErasure(r.of.Account, r.of.ID)
	if err != nil {
		return err
	}
	kept.Erased.Add(e)
	return tx.SaveErasure(kept)
}

// items removes the person from what is theirs.
func (r *eraser) items(ctx context.Context) error {
	for after, more := "", true; more; {
		var stay []string
		err := r.desk.db.Write(ctx, func(tx *store.Tx) error {
			items, err := tx.LockItemsOf(r.of.Account, r.person, after, eraseAtOnce)
			if err != nil {
				return err
			}
			stay, more = nil, len(items) == eraseAtOnce
			for _, i := range items {
				after = i.ID
			}
			stay, err = r.forget(tx, items)
			return err
		})
		if err != nil {
			return err
		}
		r.stay = append(r.stay, stay...)
	}
	return nil
}

// forget removes the guests of some items, but of those whose parcels are under way: their address is needed.
func (r *eraser) forget(tx *store.Tx, items []lost.Item) (stay []string, err error) {
	var sum lost.Erased
	for _, i := range items {
		if i.UnderWay() {
			stay = append(stay, i.ID)
			continue
		}
		if err := letGo(tx, &i); err != nil {
			return nil, err
		}
		_, e, err := tx.ForgetItem(i, r.of.By, v1.WithoutGuest)
		if err != nil {
			return nil, err
		}
		sum.Add(e)
	}
	return stay, r.add(tx, sum)
}

// letGo ends what somebody has under way who is about to be unknown: a request that waits for an answer, and a parcel that is not paid.
func letGo(tx *store.Tx, i *lost.Item) error {
	before := *i
	if i.Source == lost.Request && i.Claim.State == lost.RequestPending {
		if _, err := i.Withdraw(tx.Now()); err != nil {
			return err
		}
	}
	if i.Status == lost.InfoCompleted {
		if err := endShipment(tx, i); err != nil {
			return err
		}
		if _, err := i.MoveTo(lost.Move{To: lost.Pending}, lost.ByService, tx.Now()); err != nil {
			return err
		}
	}
	if i.Status == before.Status && i.Claim == before.Claim {
		return nil
	}
	return tx.SaveItem(before, *i)
}

// letters removes what was written to the person, also about what is somebody else's by now.
func (r *eraser) letters(ctx context.Context) error {
	return r.desk.db.Write(ctx, func(tx *store.Tx) error {
		e, err := tx.EraseLetters(r.of.Account, r.person, r.stay)
		return cmp.Or(err, r.add(tx, e))
	})
}

// namedItems takes the person out of the words of other items.
func (r *eraser) namedItems(ctx context.Context) error {
	for after := ""; ; {
		ids, err := r.desk.db.ItemsNaming(ctx, r.of.Account, r.person, after, eraseAtOnce)
		if err != nil || len(ids) == 0 {
			return err
		}
		after = ids[len(ids)-1]
		ids = slices.DeleteFunc(ids, func(id string) bool { return slices.Contains(r.stay, id) })
		if len(ids) == 0 {
			continue
		}
		err = r.desk.db.Write(ctx, func(tx *store.Tx) error {
			items, err := tx.LockItemsAnywhere(r.of.Account, ids)
			if err != nil {
				return err
			}
			theirs := slices.DeleteFunc(slices.Clone(items), func(i lost.Item) bool { return !r.person.Owns(i) })
			if _, err := r.forget(tx, theirs); err != nil {
				return err
			}
			return r.unname(tx, slices.DeleteFunc(items, r.person.Owns))
		})
		if err != nil {
			return err
		}
	}
}

func (r *eraser) unname(tx *store.Tx, items []lost.Item) error {
	var sum lost.Erased
	for _, i := range items {
		before := i
		if !i.Unname(r.person.Address()) {
			continue
		}
		i.UpdatedAt, sum.Mentions = tx.Now(), sum.Mentions+1
		if err := cmp.Or(tx.SaveItem(before, i), tx.AddHistory(i, lost.NewEntry(r.of.By, lost.Forgot, tx.Now()))); err != nil {
			return err
		}
	}
	return r.add(tx, sum)
}

// events takes the person out of events of what is deleted, or somebody else's by now.
func (r *eraser) events(ctx context.Context) error {
	for after, more := "", true; more; {
		err := r.desk.db.Write(ctx, func(tx *store.Tx) error {
			e, last, err := tx.EraseEvents(r.of.Account, r.person, v1.WithoutGuest, r.stay, after)
			if err = cmp.Or(err, r.add(tx, e)); err == nil {
				after, more = last, last != ""
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// rows takes the person out of files that were imported.
func (r *eraser) rows(ctx context.Context) error {
	for at, more := (store.RowsAt{}), true; more; {
		err := r.desk.db.Write(ctx, func(tx *store.Tx) error {
			e, last, left, err := tx.EraseRows(r.of.Account, r.person, at)
			if err = cmp.Or(err, r.add(tx, e)); err == nil {
				at, more = last, left
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// mentions takes the person out of words elsewhere.
func (r *eraser) mentions(ctx context.Context) error {
	return r.desk.db.EraseMentions(ctx, r.of.Account, r.person, r.add)
}
