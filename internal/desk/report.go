package desk

import (
	"context"
	"io"
	"slices"
	"time"

	"homeward/internal/access"
	"homeward/internal/change"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// Reports tells what waits for the staff, and how locations are doing.
type Reports struct {
	stats *statsCache
	db    *store.DB
	now   func() time.Time
}

// ReportsOptions are the dependencies of Reports.
type ReportsOptions struct {
	DB  *store.DB
	Now func() time.Time
}

// NewReports makes Reports.
func NewReports(o ReportsOptions) *Reports {
	r := &Reports{db: o.DB, now: o.Now}
	r.stats = newStatsCache(r.now, r.tally)
	return r
}

// Tasks lists the tasks of a location, oldest first.
func (r *Reports) Tasks(ctx context.Context, a lost.Actor, location string,
	page lost.Page) (lost.List[lost.Task], error) {
	if err := access.MayLook(a, location, "location"); err != nil {
		return lost.List[lost.Task]{}, err
	}
	if _, err := r.db.Location(ctx, a.Account, location); err != nil {
		return lost.List[lost.Task]{}, err
	}
	return r.db.Tasks(ctx, a.Account, location, page)
}

// maxReportsADay bounds the requests that one location's public page accepts in a day, from all clients and on all
// copies of the service.
const maxReportsADay = 500

// Reported is a report that was filed on a public page.
type Reported struct {
	Item  lost.Item
	Token string // of the claimant's page
	First bool   // false if the same form was sent before
}

// reports limits what one client reports on public pages: five at once, and then one every ten minutes.
var reports = access.Limit{
	Kind:   "report",
	Policy: lost.ThrottlePolicy{Free: 4, First: 10 * time.Minute, Most: 10 * time.Minute, Memory: time.Hour},
}

// TakeReport counts a report that a client is about to send. It is TooMany if the client has to wait. undo takes the
// count back if the report fails.
func (s *Requests) TakeReport(ctx context.Context, client string) (undo func(context.Context) error, err error) {
	t := reports.Of(client)
	return func(ctx context.Context) error {
		return s.db.Write(ctx, func(tx *store.Tx) error { return access.Forgive(tx, t) })
	}, access.ThrottleNow(ctx, s.db, t)
}

// Report files a request on a location's public page, with a photo unless it is nil. The same form sent twice is
// filed once.
func (s *Requests) Report(ctx context.Context, l lost.Location, p lost.RequestPatch, photo io.Reader,
	o lost.IdempotencyKey) (r Reported, err error) {
	anybody := lost.Actor{Account: l.Account, Kind: lost.ByPublic, ID: l.ID, Locations: []string{l.ID}}
	if _, err := lost.NewRequest(l.Account, l.ID, p, s.now()); err != nil { // before the upload is read
		return r, err
	}
	var made string
	file := func(attach func(*store.Tx, *lost.Item) error) error {
		r.Item, err = s.fileRequest(ctx, anybody, l.ID, p, o, func(tx *store.Tx, i *lost.Item) error {
			made = i.ID
			if err := bounded(tx, l); err != nil {
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
	r.First = r.Item.ID == made
	link, found, err := s.db.LinkTo(ctx, r.Item.Account, r.Item.ID, r.Item.Owner.Address())
	if err != nil || !found {
		if err != nil {
			return r, err
		}
		return r, lost.Missing("request")
		// filed before, and deleted since
	}
	r.Token, err = s.db.Token(link)
	return r, err
}

// acknowledge leaves a message to the claimant that the request was received. On a public page anybody can enter any
// number and address: text messages, which cost money, are not sent before staff have decided, and nobody's mailbox
// is flooded.
func acknowledge(tx *store.Tx, a lost.Actor, i lost.Item) error {
	if a.Kind != lost.ByPublic {
		return change.NotifyNewOwner(tx, i, lost.ReceivedMessage)
	}
	_, same, err := tx.ReportsSince(i.Account, i.LocationID, i.Owner.Email, tx.Now().AddDate(0, 0, -1))
	if err != nil {
		return err
	}
	if i.Owner.Email == "" || same > maxAcknowledged { // includes this one
		return tx.InsertLink(lost.NewLink(i, tx.Now()))
	}
	return change.NotifyNewOwner(tx, i, lost.ReceivedMessage)
}

// maxAcknowledged bounds the messages per day to an address that is entered on one public page.
const maxAcknowledged = 5

// bounded is nil while a location's public page accepts more reports today.
func bounded(tx *store.Tx, l lost.Location) error {
	today, _, err := tx.ReportsSince(l.Account, l.ID, "", tx.Now().AddDate(0, 0, -1))
	if err == nil && today >= maxReportsADay {
		err = lost.E(lost.TooMany, "This page has taken many reports today. Please call or write instead.")
	}
	return err
}

// Bounds of the tasks of one kind: in a list of all kinds, and in a list of their own.
const (
	shownTasks = 5
	MaxTasks   = 50
)

// Today gives the tasks by kind, most urgent first: of one location, or of all that the actor can see. Kinds without
// tasks are left out.
func (r *Reports) Today(ctx context.Context, a lost.Actor, location string) ([]lost.TaskGroup, error) {
	only, err := r.lookAt(ctx, a, location)
	if err != nil {
		return nil, err
	}
	groups, err := r.db.WaitingTasks(ctx, a.Account, only, shownKinds(), shownTasks)
	waiting := make([]lost.TaskGroup, 0, len(groups))
	for _, g := range groups {
		if len(g.Tasks) > 0 {
			waiting = append(waiting, g)
		}
	}
	return waiting, err
}

// shownKinds are the kinds of tasks that people see, with the coming pickups at the end.
func shownKinds() []lost.TaskKind { return append(lost.TaskKinds(), lost.NextPickupTask) }

// Waiting gives the first MaxTasks tasks of one kind, otherwise like Today.
func (r *Reports) Waiting(ctx context.Context, a lost.Actor, location string,
	kind lost.TaskKind) (lost.TaskGroup, error) {
	only, err := r.lookAt(ctx, a, location)
	if err != nil {
		return lost.TaskGroup{}, err
	}
	if !slices.Contains(shownKinds(), kind) {
		return lost.TaskGroup{}, lost.Missing("kind of task")
	}
	groups, err := r.db.WaitingTasks(ctx, a.Account, only, []lost.TaskKind{kind}, MaxTasks)
	if err != nil {
		return lost.TaskGroup{}, err
	}
	return groups[0], nil
}

// AnyItems tells whether anything was ever recorded at a location, or at any that the actor can see.
func (r *Reports) AnyItems(ctx context.Context, a lost.Actor, location string) (bool, error) {
	only, err := r.lookAt(ctx, a, location)
	if err != nil {
		return false, err
	}
	return r.db.AnyItems(ctx, a.Account, only)
}

// lookAt gives the locations that the actor asks for, nil for all of the account, or the reason why they may not see
// them.
func (r *Reports) lookAt(ctx context.Context, a lost.Actor, location string) ([]string, error) {
	if location == "" {
		return a.Locations, a.May(lost.Look)
	}
	if err := access.MayLook(a, location, "location"); err != nil {
		return nil, err
	}
	_, err := r.db.Terms(ctx, a.Account, location) // whether it exists
	return []string{location}, err
}

// Numbers are the statistics of one location or several.
type Numbers struct {
	lost.Numbers
	Locations []LocationNumbers // by name
	AsOf      time.Time         // of the oldest of the counts
	Counting  int               // locations that are not counted yet
	More      bool              // there are more locations than one report can have
}

// LocationNumbers are the statistics of one location.
type LocationNumbers struct {
	lost.Site
	lost.Counts
	Counting bool // it is not counted yet
}

// Numbers gives the statistics of a location, or of all that the actor can see, about items that were found in the
// months of a span. They may be some minutes old, see AsOf. Locations that are being counted for the first time may
// be missing, see Counting.
func (r *Reports) Numbers(ctx context.Context, a lost.Actor, location string, span lost.Span) (n Numbers, err error) {
	only, err := r.lookAt(ctx, a, location)
	if err != nil {
		return n, err
	}
	places, err := r.db.Sites(ctx, a.Account, only, lost.MaxPlaces+1)
	if err != nil {
		return n, err
	}
	if n.More = len(places) > lost.MaxPlaces; n.More {
		places = places[:lost.MaxPlaces]
	}
	c, err := r.stats.get(ctx, a.Account, places)
	if err != nil {
		return n, err
	}
	all := slices.DeleteFunc(slices.Clone(c.tallies), func(t *lost.Ledger) bool { return t == nil })
	last := lost.LastMonth(r.now(), all...)
	for k, p := range places {
		each := LocationNumbers{Site: p, Counting: c.tallies[k] == nil}
		if !each.Counting {
			each.Counts = c.tallies[k].Total(span, last)
		}
		n.Locations = append(n.Locations, each)
	}
	n.Numbers, n.AsOf, n.Counting = lost.SumUp(span, last, all...), c.asOf, c.missing
	return n, nil
}

// Close ends the counting of stats in the background.
func (r *Reports) Close() { r.stats.close() }

// CacheUse tells how well the cache of stats works.
func (r *Reports) CacheUse() store.CacheUse { return r.stats.used.Use("tallies") }

// tally counts what was found at a location.
func (r *Reports) tally(ctx context.Context, of tallyKey) (*lost.Ledger, error) {
	t := lost.NewLedger(of.zone, r.now())
	err := r.db.Findings(ctx, of.account, of.location, lost.MaxCounted, t.Add)
	if err != nil {
		return t.Done(), err
	}
	return t.Done(), ctx.Err()
}
