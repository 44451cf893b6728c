package desk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"time"

	"homeward/internal/access"
	"homeward/internal/change"
	"homeward/internal/lost"
	"homeward/internal/store"
)

const (
	// maxReportsADay is the maximum number of reports per day that a location's public page accepts, from all clients
	// and on all instances together.
	maxReportsADay = 500
	// maxNetworkReportsADay is the maximum number of reports per day that a location's public page accepts from one
	// network. It is a small part of maxReportsADay, so that one network cannot close the page for everybody.
	maxNetworkReportsADay = 25
)

// Reported is a request that was filed on a public page.
type Reported struct {
	Item    lost.Item
	Token   string // the token in the URL of the claimant's page
	First   bool   // false if the same form was already submitted
	Decoded bool   // a photo was decoded, even if nothing was filed
}

// The limits for reports on public pages.
var (
	// reports limits how many reports one client can send: five at once, then one every ten minutes.
	reports = access.Limit{
		Kind:   "report",
		Policy: lost.ThrottlePolicy{Free: 4, First: 10 * time.Minute, Most: 10 * time.Minute, Memory: time.Hour},
	}
	networkReports = access.Limit{
		Kind:   "report network",
		Policy: lost.ThrottlePolicy{Free: maxNetworkReportsADay, Window: 24 * time.Hour},
	}
)

// Reporter identifies who sends a report on a public page.
type Reporter struct {
	Client  string // one household or office
	Network string // the larger network that the client belongs to
}

// ThrottleReport counts a report that a client is about to send. The error is TooMany if the client has to wait. If
// the report fails, the caller calls undo so that it is not counted.
func (s *Requests) ThrottleReport(ctx context.Context, l lost.Location,
	from Reporter) (undo func(context.Context) error, err error) {
	attempts := []access.Attempt{
		reports.NewAttempt(from.Client), networkReports.NewAttempt(l.Account, l.ID, from.Network),
	}
	return func(ctx context.Context) error {
		return s.db.Write(ctx, func(tx *store.Tx) error { return access.Forgive(tx, attempts...) })
	}, access.ThrottleNow(ctx, s.db, attempts...)
}

// publicActor returns the actor for a person on a location's public page.
func publicActor(l lost.Location) lost.Actor {
	return lost.Actor{Account: l.Account, Kind: lost.ByPublic, ID: l.ID, Locations: []string{l.ID}}
}

// Report files a request on a location's public page. photo may be nil. If a form is submitted twice, only one
// request is filed, and the second call returns it. If the second form has other content, the error is a Conflict.
func (s *Requests) Report(ctx context.Context, l lost.Location, p lost.RequestPatch, photo io.Reader,
	o lost.IdempotencyKey) (r Reported, err error) {
	r, err = s.FindReport(ctx, l, photo, o)
	if err != nil || r.Token != "" {
		return r, err
	}
	p.Country = l.Country
	if err := s.checkClaim(ctx, l, &p); err != nil {
		return r, err
	}
	if _, err := lost.NewRequest(l.Account, l.ID, p, s.now()); err != nil { // validate before reading the upload
		return r, err
	}
	if err := checkDailyLimit(ctx, s.db, l); err != nil {
		return r, err
	}
	var createdID string
	file := func(o lost.IdempotencyKey, attach func(*store.Tx, *lost.Item) error) error {
		r.Item, err = s.fileRequest(ctx, publicActor(l), l.ID, p, o, func(tx *store.Tx, i *lost.Item) error {
			createdID = i.ID
			if err := checkDailyLimit(ctx, tx, l); err != nil {
				return err
			}
			return attach(tx, i)
		})
		return err
	}
	if photo == nil {
		err = file(o, func(*store.Tx, *lost.Item) error { return nil })
	} else {
		err = s.reportWithPhoto(ctx, l, photo, o, &r, file)
	}
	if err != nil {
		return r, err
	}
	r.First = r.Item.ID == createdID
	r.Token, err = s.reportToken(ctx, r.Item)
	return r, err
}

// ReportFrom files a request that a program on a website sends for a stranger. The limits are those of the location's
// public page. Only client programs with a secret key may set their own ids and data.
func (s *Requests) ReportFrom(ctx context.Context, l lost.Location, p lost.RequestPatch, o lost.IdempotencyKey,
	from Reporter) (lost.Item, error) {
	const notAllowed = "cannot be set with a publishable key; leave it out"
	if p.ExternalID.Sent {
		p.Problems.Add("externalId", "not-allowed", notAllowed)
	}
	if p.Metadata.Sent {
		p.Problems.Add("metadata", "not-allowed", notAllowed)
	}
	undo, err := s.ThrottleReport(ctx, l, from)
	if err != nil {
		return lost.Item{}, err
	}
	r, err := s.Report(ctx, l, p, nil, o)
	if !r.First { // nothing was filed, so it must not count; if this fails, the client only has to wait longer
		_ = undo(context.WithoutCancel(ctx))
	}
	return r.Item, err
}

// reportWithPhoto receives a photo and calls file, which files the request. It fills r if the form was already
// submitted while the photo was being received.
func (s *Requests) reportWithPhoto(ctx context.Context, l lost.Location, photo io.Reader, o lost.IdempotencyKey,
	r *Reported, file func(o lost.IdempotencyKey, attach func(*store.Tx, *lost.Item) error) error) error {
	in := IncomingPicture{Field: "photo", Content: photo, Limit: MaxImage, Deferred: true}
	check := func(digest string) (err error) {
		o.Request = withPhoto(o.Request, digest)
		if r.Item, err = findRepeated[lost.Item](ctx, s.db, publicActor(l), o); err != nil {
			return err
		}
		err = checkDailyLimit(ctx, s.db, l)
		r.Decoded = err == nil
		return err
	}
	return s.pictures.upload(ctx, publicActor(l), in, check,
		func(image lost.Image, keep func(*store.Tx) error) (bool, error) {
			err := file(o, func(tx *store.Tx, i *lost.Item) error {
				if err := addImage(tx, publicActor(l), i, image); err != nil {
					return err
				}
				return keep(tx)
			})
			return r.Item.ImageFile == image.File, err
		})
}

// FindReport returns the request that was filed with a form. If there is none, the result has no token, and the photo
// has not been read. The error is a Conflict if the form was filed with other content, or if its request is gone.
func (s *Requests) FindReport(ctx context.Context, l lost.Location, photo io.Reader,
	o lost.IdempotencyKey) (r Reported, err error) {
	first, found, err := access.FindCreated[lost.Item](ctx, s.db, publicActor(l), o)
	if used := found || lost.CodeOf(err) == lost.Conflict; used && photo != nil {
		if o.Request, err = addPhotoDigest(o.Request, photo); err != nil {
			return r, err
		}
		if first, found, err = access.FindCreated[lost.Item](ctx, s.db, publicActor(l), o); err == nil && !found {
			err = errUsedForm // its response has expired since, and the photo has been read
		}
	}
	if err != nil || !found {
		return r, err
	}
	token, err := s.reportToken(ctx, first)
	if lost.CodeOf(err) == lost.NotFound {
		err = errUsedForm
	}
	return Reported{Item: first, Token: token}, err
}

// errUsedForm means that a form was already filed, and that its request cannot be shown.
var errUsedForm = lost.E(lost.Conflict, "You have already sent a report with this form.")

// withPhoto adds the digest of a form's photo to the digest of its fields.
func withPhoto(request, digest string) string { return request + " " + digest }

// addPhotoDigest is withPhoto for a photo that has not been read. It reads no more than a photo may have: a longer one
// was never filed, and the digest of its beginning differs from that of every photo that was.
func addPhotoDigest(request string, photo io.Reader) (string, error) {
	sum := sha256.New()
	if _, err := io.Copy(sum, io.LimitReader(photo, MaxImage+1)); err != nil {
		return "", fmt.Errorf("read the photo of a form that was already sent: %w", err)
	}
	return withPhoto(request, hex.EncodeToString(sum.Sum(nil))), nil
}

// reportToken returns the token in the URL of the claimant's page.
func (s *Requests) reportToken(ctx context.Context, i lost.Item) (string, error) {
	link, found, err := s.db.LinkForAddress(ctx, i.Account, i.ID, i.Owner.Address())
	if err != nil {
		return "", err
	}
	if !found { // the request was filed earlier and has been deleted since
		return "", lost.Missing("request")
	}
	return s.db.LinkToken(link)
}

// acknowledge queues a message that tells the claimant that the request was received. On a public page, anybody can
// enter any phone number and address. Text messages cost money, so none is sent before staff have decided about the
// request. The number of e-mails to one address is limited. It returns entries for the request's history, as
// NotifyNewOwner does.
func acknowledge(tx *store.Tx, a lost.Actor, i lost.Item) ([]lost.Entry, error) {
	if a.Kind != lost.ByPublic {
		return change.NotifyNewOwner(tx, i, lost.ReceivedMessage, 0)
	}
	_, same, err := tx.PublicRequestsSince(tx.Context(), i.Account, i.LocationID, i.Owner.Email,
		tx.Now().AddDate(0, 0, -1))
	if err != nil {
		return nil, err
	}
	if i.Owner.Email == "" || same > maxAcknowledged { // same includes this request
		return nil, tx.InsertLink(lost.NewLink(i, tx.Now()))
	}
	return change.NotifyNewOwner(tx, i, lost.ReceivedMessage, 0)
}

// maxAcknowledged is the maximum number of messages per day that one public page sends to one address.
const maxAcknowledged = 5

// checkDailyLimit returns an error if a location's public page has reached the limit of reports per day.
func checkDailyLimit(ctx context.Context, db publicRequests, l lost.Location) error {
	today, _, err := db.PublicRequestsSince(ctx, l.Account, l.ID, "", db.Now().AddDate(0, 0, -1))
	if err == nil && today >= maxReportsADay {
		err = lost.E(lost.TooMany, "This page has received too many reports today. Please call or write instead.")
	}
	return err
}

// publicRequests is a *store.DB or a *store.Tx.
type publicRequests interface {
	Now() time.Time
	PublicRequestsSince(ctx context.Context, account, location, email string,
		since time.Time) (all, same int, err error)
}

// Register returns the public register of a location: what anybody may know about its newest finds that nobody has
// claimed, and whether it has as many as are listed at most. It needs no permission. The error is NotFound if the
// location has no public register.
func (s *Locations) Register(ctx context.Context, l lost.Location) (_ []lost.RegisterEntry, full bool, err error) {
	if !l.PublicRegister {
		return nil, false, lost.Missing("page")
	}
	now := s.db.Now()
	finds, err := s.db.RegisterFinds(ctx, l.Account, l.ID, lost.PublicCategories(), l.RegisterBefore(now),
		lost.MaxRegister)
	if err != nil {
		return nil, false, err
	}
	return l.Register(finds, now), len(finds) >= lost.MaxRegister, nil
}

// checkClaim removes the find that a claimant chose in a location's public register from a request, unless the location
// has a register and the find.
func (s *Requests) checkClaim(ctx context.Context, l lost.Location, p *lost.RequestPatch) error {
	if p.RegisterItemID == "" {
		return nil
	}
	i, err := s.db.Item(ctx, l.Account, l.ID, p.RegisterItemID)
	if err == nil && l.PublicRegister && i.Source == lost.Found {
		return nil
	}
	p.RegisterItemID = ""
	return lost.IgnoreNotFound(err)
}
