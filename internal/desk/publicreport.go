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

// maxReportsADay is the maximum number of reports per day that a location's public page accepts, from all clients and
// on all instances together.
const maxReportsADay = 500

// Reported is a request that was filed on a public page.
type Reported struct {
	Item  lost.Item
	Token string // the token in the URL of the claimant's page
	First bool   // false if the same form was already submitted
}

// reports limits how many reports one client can send on public pages: five at once, then one every ten minutes.
var reports = access.Limit{
	Kind:   "report",
	Policy: lost.ThrottlePolicy{Free: 4, First: 10 * time.Minute, Most: 10 * time.Minute, Memory: time.Hour},
}

// ThrottleReport counts a report that a client is about to send. The error is TooMany if the client has to wait. If
// the report fails, the caller calls undo so that it is not counted.
func (s *Requests) ThrottleReport(ctx context.Context, client string) (undo func(context.Context) error, err error) {
	t := reports.NewAttempt(client)
	return func(ctx context.Context) error {
		return s.db.Write(ctx, func(tx *store.Tx) error { return access.Forgive(tx, t) })
	}, access.ThrottleNow(ctx, s.db, t)
}

// Report files a request on a location's public page. photo may be nil. If a form is submitted twice, only one
// request is filed.
func (s *Requests) Report(ctx context.Context, l lost.Location, p lost.RequestPatch, photo io.Reader,
	o lost.IdempotencyKey) (r Reported, err error) {
	anybody := lost.Actor{Account: l.Account, Kind: lost.ByPublic, ID: l.ID, Locations: []string{l.ID}}
	if _, err := lost.NewRequest(l.Account, l.ID, p, s.now()); err != nil { // validate before reading the upload
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
	if !found { // the request was filed earlier and has been deleted since
		return r, lost.Missing("request")
	}
	r.Token, err = s.db.LinkToken(link)
	return r, err
}

// acknowledge queues a message that tells the claimant that the request was received. On a public page, anybody can
// enter any phone number and address. Text messages cost money, so none is sent before staff have decided about the
// request. The number of e-mails to one address is limited.
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

// maxAcknowledged is the maximum number of messages per day that one public page sends to one address.
const maxAcknowledged = 5

// checkDailyLimit returns an error if a location's public page has reached the limit of reports per day.
func checkDailyLimit(tx *store.Tx, l lost.Location) error {
	today, _, err := tx.PublicRequestsSince(l.Account, l.ID, "", tx.Now().AddDate(0, 0, -1))
	if err == nil && today >= maxReportsADay {
		err = lost.E(lost.TooMany, "This page has received too many reports today. Please call or write instead.")
	}
	return err
}
