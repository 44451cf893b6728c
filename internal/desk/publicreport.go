package desk

import (
	"context"
	"io"
	"time"

	"homeward/internal/access"
	"homeward/internal/change"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// maxReportsADay limits the requests that a location's public page accepts per day, from all clients and on all
// instances.
const maxReportsADay = 500

// Reported is a report that was filed on a public page.
type Reported struct {
	Item  lost.Item
	Token string // of the claimant's page
	First bool   // false if the same form was sent before
}

// reports limits the reports of one client on public pages: a burst of five, then one every ten minutes.
var reports = access.Limit{
	Kind:   "report",
	Policy: lost.ThrottlePolicy{Free: 4, First: 10 * time.Minute, Most: 10 * time.Minute, Memory: time.Hour},
}

// ThrottleReport counts a report that a client is about to send. The error is TooMany if the client has to wait. undo
// reverses the count if the report fails.
func (s *Requests) ThrottleReport(ctx context.Context, client string) (undo func(context.Context) error, err error) {
	t := reports.NewAttempt(client)
	return func(ctx context.Context) error {
		return s.db.Write(ctx, func(tx *store.Tx) error { return access.Forgive(tx, t) })
	}, access.ThrottleNow(ctx, s.db, t)
}

// Report files a request on a location's public page, with a photo unless it is nil. A form that is submitted twice
// is filed once.
func (s *Requests) Report(ctx context.Context, l lost.Location, p lost.RequestPatch, photo io.Reader,
	o lost.IdempotencyKey) (r Reported, err error) {
	anybody := lost.Actor{Account: l.Account, Kind: lost.ByPublic, ID: l.ID, Locations: []string{l.ID}}
	if _, err := lost.NewRequest(l.Account, l.ID, p, s.now()); err != nil { // before the upload is read
		return r, err
	}
	var createdID string
	file := func(attach func(*store.Tx, *lost.Item) error) error {
		r.Item, err = s.fileRequest(ctx, anybody, l.ID, p, o, func(tx *store.Tx, i *lost.Item) error {
			createdID = i.ID
			if err := checkDailyLimit(tx, l); err != nil {
				return err
			}
			return attach(tx, i)
		})
		return err
	}
	if photo == nil {
		err = file(func(*store.Tx, *lost.Item) error { return nil })
	} else {
		err = s.pictures.upload(ctx, anybody, "photo", photo, MaxImage, &lost.IdempotencyKey{},
			func(image lost.Image, keep func(*store.Tx) error) (bool, error) {
				err := file(func(tx *store.Tx, i *lost.Item) error {
					if err := addImage(tx, i, image); err != nil {
						return err
					}
					return keep(tx)
				})
				return r.Item.ImageFile == image.File, err
			})
	}
	if err != nil {
		return r, err
	}
	r.First = r.Item.ID == createdID
	link, found, err := s.db.LinkForAddress(ctx, r.Item.Account, r.Item.ID, r.Item.Owner.Address())
	if err != nil {
		return r, err
	}
	if !found { // filed earlier and deleted since
		return r, lost.Missing("request")
	}
	r.Token, err = s.db.LinkToken(link)
	return r, err
}

// acknowledge queues a message to the claimant that the request was received. On a public page anybody can enter any
// number and address. Text messages cost money, so none is sent before staff have decided, and the number of mails to
// one address is limited.
func acknowledge(tx *store.Tx, a lost.Actor, i lost.Item) error {
	if a.Kind != lost.ByPublic {
		return change.NotifyNewOwner(tx, i, lost.ReceivedMessage)
	}
	_, same, err := tx.PublicRequestsSince(i.Account, i.LocationID, i.Owner.Email, tx.Now().AddDate(0, 0, -1))
	if err != nil {
		return err
	}
	if i.Owner.Email == "" || same > maxAcknowledged { // same includes this request
		return tx.InsertLink(lost.NewLink(i, tx.Now()))
	}
	return change.NotifyNewOwner(tx, i, lost.ReceivedMessage)
}

// maxAcknowledged limits the messages per day to one address from one public page.
const maxAcknowledged = 5

// checkDailyLimit returns an error if a location's public page accepts no more reports today.
func checkDailyLimit(tx *store.Tx, l lost.Location) error {
	today, _, err := tx.PublicRequestsSince(l.Account, l.ID, "", tx.Now().AddDate(0, 0, -1))
	if err == nil && today >= maxReportsADay {
		err = lost.E(lost.TooMany, "This page has received too many reports today. Please call or write instead.")
	}
	return err
}
