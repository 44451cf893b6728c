package desk

import (
	"cmp"
	"context"
	"io"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// FileRequest records that a claimant lost something at a location, tells client programs, and writes to the claimant.
func (d *Desk) FileRequest(ctx context.Context, a lost.Actor, location string, p lost.RequestPatch, o lost.IdempotencyKey) (lost.Item, error) {
	if err := may(a, lost.Handle, location, "location"); err != nil {
		return lost.Item{}, err
	}
	return d.fileRequest(ctx, a, location, p, o, nil)
}

// fileRequest is one transaction: the request, its photo if it has one, its history, the event and the acknowledgement.
func (d *Desk) fileRequest(ctx context.Context, a lost.Actor, location string, p lost.RequestPatch, o lost.IdempotencyKey, attach func(*store.Tx, *lost.Item) error) (i lost.Item, err error) {
	var lanes []store.Lane
	err = d.db.Write(ctx, func(tx *store.Tx) error {
		i, err = once(tx, a, o, func() (lost.Item, error) {
			terms, gone := tx.Terms(ctx, a.Account, location)
			if gone != nil {
				return lost.Item{}, gone
			}
			i, err := lost.NewRequest(a.Account, location, p, tx.Now())
			if err != nil {
				return i, err
			}
			i.Terms, i.MovedBy, i.MovedAt = terms, a.Kind, tx.Now()
			if attach != nil {
				if err := attach(tx, &i); err != nil {
					return i, err
				}
			}
			err = cmp.Or(tx.InsertItem(i), tx.AddHistory(i, lost.NewEntry(a, lost.Created, tx.Now())), acknowledge(tx, a, i))
			if err != nil {
				return i, err
			}
			return i, d.announce(tx, lost.RequestEvent, i)
		})
		lanes = tx.Lanes()
		return err
	})
	if err == nil {
		d.nudge()
		d.nudgeLanes(lanes...)
	}
	return i, err
}

// Request gives a request of a location.
func (d *Desk) Request(ctx context.Context, a lost.Actor, location, id string) (lost.Item, error) {
	i, err := d.Item(ctx, a, location, id)
	if lost.CodeOf(err) == lost.NotFound || err == nil && i.Source != lost.Request {
		return lost.Item{}, lost.Missing("request")
	}
	return i, err
}

// Requests lists a location's requests, newest first.
func (d *Desk) Requests(ctx context.Context, a lost.Actor, location string, f lost.ItemFilter) (lost.List[lost.Item], error) {
	f.Source = lost.Request
	return d.Items(ctx, a, location, f)
}

// DecideRequest answers a request. Accepting one makes the claimant the owner of a found item, who is told; rejecting one
// sends a kind answer.
func (d *Desk) DecideRequest(ctx context.Context, a lost.Actor, location, id string, p lost.DecisionPatch) (i lost.Item, err error) {
	if err := may(a, lost.Handle, location, "request"); err != nil {
		return i, err
	}
	decision, invalid := p.Decision()
	err = d.db.Write(ctx, func(tx *store.Tx) error {
		if i, err = tx.LockItem(a.Account, location, id); err != nil || i.Source != lost.Request {
			return cmp.Or(lost.UnlessMissing(err), error(lost.Missing("request")))
		}
		if invalid != nil {
			return invalid
		}
		before, entry := i, lost.NewEntry(a, lost.Rejected, tx.Now())
		if decision.Accept {
			entry.Action = lost.Accepted
			if err := d.match(tx, a, &i, decision.ItemID); err != nil {
				return err
			}
		} else {
			if err := i.Reject(decision.Reason, tx.Now()); err != nil {
				return err
			}
			if err := write(tx, i, lost.RejectedMessage, "rejected"); err != nil {
				return err
			}
		}
		entry.Fields = []string{"request"}
		return cmp.Or(tx.SaveItem(before, i), tx.AddHistory(i, entry))
	})
	d.nudge()
	return i, err
}

// AskClaimant writes to the claimant of a request that the desk wants to know more. They answer on the page of their request.
func (d *Desk) AskClaimant(ctx context.Context, a lost.Actor, location, id string, question lost.Field[string], o lost.IdempotencyKey) (lost.Item, error) {
	i, err := d.changeItem(ctx, a, location, id, func(tx *store.Tx, i *lost.Item) (lost.Entry, error) {
		entry := lost.NewEntry(a, lost.Asked, tx.Now())
		_, err := once(tx, a, o, func() (lost.Item, error) {
			if err := i.Ask(question, tx.Now()); err != nil {
				return *i, err
			}
			entry.Fields, entry.Note = []string{"request"}, i.Claim.Question
			return *i, writeOf(tx, *i, lost.QuestionMessage, "question "+entry.ID, lost.About{Question: i.Claim.Question})
		})
		return entry, err
	})
	d.nudge()
	return i, err
}

// match puts the claimant of a request on a found item, and has them told.
func (d *Desk) match(tx *store.Tx, a lost.Actor, request *lost.Item, item string) error {
	found, err := lockFind(tx, a, *request, item)
	if err != nil {
		return err
	}
	before := found
	if err := request.Match(&found, tx.Now()); err != nil {
		return err
	}
	entry := lost.NewEntry(a, lost.Updated, tx.Now())
	entry.Fields, entry.Note = []string{"owner"}, "Request "+request.Reference+" was accepted"
	return cmp.Or(tx.SaveItem(before, found), tx.AddHistory(found, entry), write(tx, found, lost.MatchMessage, "match "+request.ID))
}

// lockFind gives the item that a request is to be answered with: one of its location, or of a sister where the actor may do the same.
func lockFind(tx *store.Tx, a lost.Actor, request lost.Item, item string) (lost.Item, error) {
	found, err := lockPartner(tx, a, request, item)
	if lost.CodeOf(err) == lost.NotFound {
		var p lost.Problems
		p.Add("itemId", "not-found", "must be the id of a found item of this location, or of a sister location")
		return found, p.Err()
	}
	return found, err
}

// lockPartner gives an item that a request can be compared with.
func lockPartner(tx *store.Tx, a lost.Actor, request lost.Item, item string) (lost.Item, error) {
	found, err := tx.LockAnyItem(a.Account, item)
	if err == nil && found.LocationID != request.LocationID {
		err = sisters(tx.Context(), tx, a, request, found)
	}
	return found, err
}

// MayAnswer is nil, or why somebody cannot answer a request with an item as both stand.
func (d *Desk) MayAnswer(ctx context.Context, a lost.Actor, request, found lost.Item) error {
	if err := request.MayMatch(found); err != nil || found.LocationID == request.LocationID {
		return err
	}
	err := sisters(ctx, d.db, a, request, found)
	if lost.CodeOf(err) == lost.NotFound {
		return lost.E(lost.Conflict, "The found item is at a location that is no sister of this one. Locations become sisters under Locations, About.")
	}
	return err
}

// locations is where locations are read.
type locations interface {
	Location(ctx context.Context, account, id string) (lost.Location, error)
}

// sisters is nil where two items are at locations that are compared with each other, and the actor may handle both.
func sisters(ctx context.Context, from locations, a lost.Actor, x, y lost.Item) error {
	for _, location := range []string{x.LocationID, y.LocationID} {
		if err := may(a, lost.Handle, location, "item"); err != nil {
			return err
		}
		l, err := from.Location(ctx, a.Account, location)
		if err == nil && !l.Matching.Sisters {
			err = lost.Missing("item")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// PublicLocation gives a location by its permalink, to anybody.
func (d *Desk) PublicLocation(ctx context.Context, permalink string) (lost.Location, error) {
	e, found, err := d.db.Lookup(ctx, store.PermalinkEntry, store.DirectoryHash(permalink))
	if err != nil {
		return lost.Location{}, err
	}
	if !found {
		return lost.Location{}, lost.Missing("location")
	}
	if err := d.enabled(ctx, e.Account, "location"); err != nil {
		return lost.Location{}, err
	}
	return d.db.Location(ctx, e.Account, e.Subject)
}

// enabled is nil, or the answer for what belongs to an account that was disabled.
func (d *Desk) enabled(ctx context.Context, account, what string) error {
	a, err := d.db.Account(ctx, account)
	if err == nil && !a.DisabledAt.IsZero() {
		err = lost.Missing(what)
	}
	return err
}

// maxReportsADay bounds the requests that one location's public page takes in a day, whoever sends them and to
// whichever copy of the service.
const maxReportsADay = 500

// Reported is a report that was filed on a public page.
type Reported struct {
	Item  lost.Item
	Token string // of the page on which the claimant follows it
	First bool   // false where the same form was filed before
}

// TakeReport counts what a client is about to report; TooMany where it has to wait. What then comes to nothing is given back.
func (d *Desk) TakeReport(ctx context.Context, client string) (undo func(context.Context) error, err error) {
	t := reports.of(client)
	return func(ctx context.Context) error {
		return d.db.Write(ctx, func(tx *store.Tx) error { return giveBack(tx, t) })
	}, d.take(ctx, t)
}

// Report files a request on a location's public page, with a photo unless that is nil. The same form sent twice is filed once.
func (d *Desk) Report(ctx context.Context, l lost.Location, p lost.RequestPatch, photo io.Reader, o lost.IdempotencyKey) (r Reported, err error) {
	anybody := lost.Actor{Account: l.Account, Kind: lost.ByPublic, ID: l.ID, Locations: []string{l.ID}}
	if _, err := lost.NewRequest(l.Account, l.ID, p, d.now()); err != nil { // before the bytes are taken
		return r, err
	}
	var made string
	file := func(attach func(*store.Tx, *lost.Item) error) error {
		r.Item, err = d.fileRequest(ctx, anybody, l.ID, p, o, func(tx *store.Tx, i *lost.Item) error {
			made = i.ID
			return cmp.Or(bounded(tx, l), attach(tx, i))
		})
		return err
	}
	if photo == nil {
		err = file(func(*store.Tx, *lost.Item) error { return nil })
	} else {
		err = d.upload(ctx, anybody, "photo", photo, MaxImage, &lost.IdempotencyKey{}, func(image lost.Image, keep func(*store.Tx) error) (bool, error) {
			err := file(func(tx *store.Tx, i *lost.Item) error { return cmp.Or(addImage(tx, i, image), keep(tx)) })
			return r.Item.ImageFile == image.File, err
		})
	}
	if err != nil {
		return r, err
	}
	r.First = r.Item.ID == made
	link, found, err := d.db.LinkTo(ctx, r.Item.Account, r.Item.ID, r.Item.Owner.Address())
	if err != nil || !found {
		return r, cmp.Or(err, error(lost.Missing("request"))) // filed before, and deleted since
	}
	r.Token, err = d.db.Token(link)
	return r, err
}

// acknowledge has a claimant told that the request is there. Somebody on a public page can name any number and any address: a text message,
// which costs money, is not sent before the desk has decided, and nobody's mailbox is filled.
func acknowledge(tx *store.Tx, a lost.Actor, i lost.Item) error {
	if a.Kind != lost.ByPublic {
		return tellNewOwner(tx, i, lost.ReceivedMessage)
	}
	_, same, err := tx.ReportsSince(i.Account, i.LocationID, i.Owner.Email, tx.Now().AddDate(0, 0, -1))
	if err != nil {
		return err
	}
	if i.Owner.Email == "" || same > maxAcknowledged { // this one among them
		return tx.InsertLink(lost.NewLink(i, tx.Now()))
	}
	return tellNewOwner(tx, i, lost.ReceivedMessage)
}

// maxAcknowledged bounds the messages a day to an address that is named on one public page.
const maxAcknowledged = 5

// bounded is nil while a location's public page takes reports today.
func bounded(tx *store.Tx, l lost.Location) error {
	today, _, err := tx.ReportsSince(l.Account, l.ID, "", tx.Now().AddDate(0, 0, -1))
	if err == nil && today >= maxReportsADay {
		err = lost.E(lost.TooMany, "This page has taken many reports today. Please call or write instead.")
	}
	return err
}

// addImage puts an image on an item and has its small version made.
func addImage(tx *store.Tx, i *lost.Item, image lost.Image) error {
	if err := i.AddImage(image, tx.Now()); err != nil || image.Thumbnail == image.File {
		return err
	}
	return tx.AddJob(i.Account, store.JobThumbnail, image.File, tx.Now())
}
