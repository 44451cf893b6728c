package notify

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/notice"
	"homeward/internal/store"
)

const (
	accountsPerPage  = 100
	locationsPerPage = 100
	peoplePerPage    = 1000
	maxNotices       = 1000 // in one transaction
	matchesPerPage   = 200
	itemsPerPage     = 500
	// matchMargin is how long ago a match may have been found that was not visible before: longer than transactions
	// last.
	matchMargin   = 5 * time.Minute
	storeEvery    = time.Minute // how often a cursor is stored while nothing is found
	storageEvery  = 15 * time.Minute
	maxMissedDays = 7
)

// collect writes the notices of all accounts in which anybody wants notices. An error in one account does not affect
// the others.
func (n *Notices) collect(ctx context.Context) (failed error) {
	for after := ""; ctx.Err() == nil; {
		cursors, err := n.db.NoticeCursors(ctx, after, accountsPerPage)
		if err != nil {
			return err
		}
		for _, c := range cursors {
			if err := n.collectAccount(ctx, c); err != nil && !errors.Is(err, errMoved) {
				failed = err
			}
			after = c.Account
		}
		if len(cursors) < accountsPerPage {
			break
		}
	}
	return failed
}

// errMoved means that another worker has written the notices of an account, or that nobody wants any.
var errMoved = errors.New("the cursor of the notices has moved")

// subscribers are the people of an account who want notices, and the ids of their push subscriptions.
type subscribers struct {
	Settings []notice.Settings
	browsers map[string][]string
}

// readSubscribers reads all people of an account who want notices.
func (n *Notices) readSubscribers(ctx context.Context, account string) (p subscribers, err error) {
	for after := ""; ; {
		page, err := n.db.ActiveNoticeSettings(ctx, account, after, peoplePerPage)
		if err != nil {
			return p, err
		}
		p.Settings = append(p.Settings, page...)
		if len(page) < peoplePerPage {
			break
		}
		after = page[len(page)-1].UserID
	}
	p.browsers = map[string][]string{}
	for after := (store.PushTarget{}); p.wantPush(); {
		page, err := n.db.PushTargets(ctx, account, after, peoplePerPage)
		if err != nil {
			return p, err
		}
		for _, t := range page {
			p.browsers[t.UserID] = append(p.browsers[t.UserID], t.ID)
			after = t
		}
		if len(page) < peoplePerPage {
			break
		}
	}
	return p, nil
}

// wantPush reports whether anybody wants push messages.
func (p subscribers) wantPush() bool {
	return slices.ContainsFunc(p.Settings, func(s notice.Settings) bool {
		return slices.ContainsFunc(notice.Kinds(), func(k notice.Kind) bool { return s.Kinds[k].Push })
	})
}

// want reports whether anybody wants notices of one of the kinds.
func (p subscribers) want(kinds ...notice.Kind) bool {
	return slices.ContainsFunc(p.Settings, func(s notice.Settings) bool {
		return slices.ContainsFunc(kinds, func(k notice.Kind) bool { return s.Kinds[k].Active() })
	})
}

// collectAccount writes the notices of one account, in several transactions if there are many. The cursor moves with
// the last of them: what a crash repeats has been added before.
func (n *Notices) collectAccount(ctx context.Context, c store.NoticeCursor) error {
	people, err := n.readSubscribers(ctx, c.Account)
	if err != nil {
		return err
	}
	next := c
	for more := true; more; {
		var found []notice.Happening
		if found, more, err = n.readEvents(ctx, &next, people); err != nil {
			return err
		}
		if len(found) == 0 && !more {
			break
		}
		if err := n.write(ctx, c, next, people, found); err != nil {
			return err
		}
		c = next
	}
	add := func(found []notice.Happening) error { return n.write(ctx, c, c, people, found) }
	if err := n.readOthers(ctx, &next, people, add); err != nil {
		return err
	}
	if next.MatchesAt.Sub(c.MatchesAt) < storeEvery && next.StorageAt.Equal(c.StorageAt) {
		return nil
	}
	return n.write(ctx, c, next, people, nil)
}

// write adds the notices about what was found, and then moves the cursor.
func (n *Notices) write(ctx context.Context, before, after store.NoticeCursor, people subscribers,
	found []notice.Happening) error {
	var batch []notice.Notice
	save := func(to store.NoticeCursor) error {
		return n.db.Write(ctx, func(tx *store.Tx) error {
			moved, err := tx.AdvanceNotices(before, to)
			if err != nil {
				return err
			}
			if !moved {
				return errMoved
			}
			return tx.AddNotices(batch)
		})
	}
	for added := range people.notices(found, n.db.Now()) {
		if len(batch) == maxNotices {
			if err := save(before); err != nil {
				return err
			}
			batch = batch[:0]
		}
		batch = append(batch, added)
	}
	if len(batch) == 0 && before == after {
		return nil
	}
	return save(after)
}

// notices returns the notices of the people who want to know what was found.
func (p subscribers) notices(found []notice.Happening, now time.Time) iter.Seq[notice.Notice] {
	return func(yield func(notice.Notice) bool) {
		at := now // a later one for each notice, so that ids keep the order
		for _, s := range p.Settings {
			for _, h := range found {
				for target, due := range p.targets(s, h, now) {
					at = at.Add(time.Microsecond)
					if !yield(notice.Notice{
						Account: s.Account, ID: lost.NewID(lost.NoticeID, at), UserID: s.UserID, Target: target,
						Kind: h.Kind, LocationID: h.LocationID, ItemID: h.ItemID, Subject: h.Subject,
						DueAt: due, CreatedAt: now,
					}) {
						return
					}
				}
			}
		}
	}
}

// targets returns where a person wants a notice about something, and when it is due there.
func (p subscribers) targets(s notice.Settings, h notice.Happening, now time.Time) iter.Seq2[string, time.Time] {
	return func(yield func(string, time.Time) bool) {
		c := s.Kinds[h.Kind]
		if !c.Active() || h.At.Before(c.Since) || !s.Includes(h.LocationID) {
			return
		}
		if c.Email != notice.Off && !yield(notice.Email, s.Due(c.Email, now)) {
			return
		}
		if !c.Push {
			return
		}
		for _, browser := range p.browsers[s.UserID] {
			if !yield(browser, s.AfterQuiet(now)) {
				return
			}
		}
	}
}

// eventKinds maps the events that notices are about to their kinds. A payment is a change of the status, because the
// event about a paid fee waits for the label, and so for the carrier.
var eventKinds = map[lost.EventType]notice.Kind{
	lost.RequestEvent: notice.Report, lost.StatusChangedEvent: notice.Payment, lost.MessageReceivedEvent: notice.Answer,
}

// readEvents reads a page of events and moves the cursor to its end.
func (n *Notices) readEvents(ctx context.Context, c *store.NoticeCursor,
	people subscribers) (found []notice.Happening, more bool, err error) {
	var types []lost.EventType
	for t, kind := range eventKinds {
		if people.want(kind) {
			types = append(types, t)
		}
	}
	if len(types) == 0 {
		c.Events, c.Since = "", n.db.Now()
		return nil, false, nil
	}
	f := lost.EventFilter{Types: types, Page: lost.Page{Number: 1, Limit: lost.MaxLimit, After: c.Events}}
	since := c.Since
	if c.Events != "" {
		since = time.Time{}
	}
	list, err := n.db.EventChanges(ctx, c.Account, f, since)
	if lost.CodeOf(err) == lost.InvalidCursor { // the database was restored from an earlier backup
		c.Events, c.Since = "", n.db.Now()
		return nil, false, nil
	}
	for _, e := range list.Data {
		if e.Type == lost.StatusChangedEvent && !isPayment(e) {
			continue
		}
		h := notice.Happening{
			Kind: eventKinds[e.Type], LocationID: e.LocationID, ItemID: e.ItemID, Subject: e.ID, At: e.At,
		}
		if h.Kind == notice.Report {
			h.Subject = e.ItemID
		}
		found = append(found, h)
	}
	c.Events = list.Next
	return found, len(list.Data) == lost.MaxLimit, err
}

// isPayment reports whether an event about a changed status says that the fee was paid. The desk may also correct the
// status of a parcel that was shipped by mistake.
func isPayment(e lost.Event) bool {
	var body struct {
		Payload struct {
			Item           struct{ Status lost.Status }
			PreviousStatus lost.Status
		}
	}
	if err := json.Unmarshal(e.Body, &body); err != nil {
		return false
	}
	p := body.Payload
	return p.Item.Status == lost.FeePaid && !p.PreviousStatus.IsShipping()
}

// readOthers finds what is not an event, and adds it page by page: likely matches, and items whose storage ends soon.
func (n *Notices) readOthers(ctx context.Context, c *store.NoticeCursor, people subscribers,
	add func([]notice.Happening) error) error {
	now := n.db.Now()
	if people.want(notice.Match) {
		if err := n.readMatches(ctx, *c, add); err != nil {
			return err
		}
	}
	c.MatchesAt = pickLater(c.MatchesAt, now.Add(-matchMargin))
	if now.Sub(c.StorageAt) < storageEvery {
		return nil
	}
	if people.want(notice.Storage) {
		if err := n.readStorage(ctx, *c, now, add); err != nil {
			return err
		}
	}
	c.StorageAt = now
	return nil
}

// readMatches finds requests with a new likely match. The subject names the found item, because people are told of each
// match once, whatever else is found for the request later.
func (n *Notices) readMatches(ctx context.Context, c store.NoticeCursor, add func([]notice.Happening) error) error {
	for after := (store.NewMatch{At: c.MatchesAt}); ; {
		page, err := n.db.NewMatches(ctx, c.Account, after, matchesPerPage)
		if err != nil {
			return err
		}
		var found []notice.Happening
		for _, m := range page {
			after = m
			found = append(found, notice.Happening{
				Kind: notice.Match, LocationID: m.LocationID, ItemID: m.RequestID, At: m.At,
				Subject: m.RequestID + " " + m.ItemID,
			})
		}
		if err := add(found); err != nil || len(page) < matchesPerPage {
			return err
		}
	}
}

// storageAhead is how many days before the last day of storage people are told, so that they can still act on it even
// if they chose one e-mail a day.
const storageAhead = 1

// readStorage finds items whose last day of storage is near, on each day that has begun since the last check, at the
// location's own time. Items that were recorded or moved too late for a notice ahead cause one on the last day.
func (n *Notices) readStorage(ctx context.Context, c store.NoticeCursor, now time.Time,
	add func([]notice.Happening) error) error {
	last := pickLater(c.StorageAt, now.AddDate(0, 0, -maxMissedDays))
	for after := ""; ; {
		page, err := n.db.StoragePeriods(ctx, c.Account, after, locationsPerPage)
		if err != nil {
			return err
		}
		for _, p := range page {
			after = p.Location.ID
			zone := p.Location.Zone()
			today := now.In(zone).Format(lost.DateLayout)
			p.From, p.To = last.In(zone).AddDate(0, 0, 1).Format(lost.DateLayout), lost.AddDays(today, storageAhead)
			if p.From > today {
				continue
			}
			if err := n.readExpiring(ctx, c.Account, p, now, add); err != nil {
				return err
			}
		}
		if len(page) < locationsPerPage {
			return nil
		}
	}
}

// readExpiring finds the items of one location whose last day of storage is in a period.
func (n *Notices) readExpiring(ctx context.Context, account string, p store.StoragePeriod, now time.Time,
	add func([]notice.Happening) error) error {
	for after := ""; ; {
		page, err := n.db.ExpiringItems(ctx, account, p, after, itemsPerPage)
		if err != nil {
			return err
		}
		ids := make([]string, len(page))
		for n, i := range page {
			ids[n] = i.ID
		}
		told, err := n.db.StorageNotices(ctx, account, ids)
		if err != nil {
			return err
		}
		if err := add(selectExpiring(page, told, p, now)); err != nil || len(page) < itemsPerPage {
			return err
		}
		after = page[len(page)-1].ID
	}
}

// selectExpiring returns those items whose last day of storage is in the period and that still wait for their owner.
// It leaves out those about which there is a notice with another last day, if only the location's rules have moved it.
func selectExpiring(items []lost.Item, told map[string]string, p store.StoragePeriod,
	now time.Time) (found []notice.Happening) {
	for _, i := range items {
		until := i.StoreUntil()
		if until < p.From || until > p.To || !storageMayEnd(i) {
			continue
		}
		if day := told[i.ID]; day != "" && day != until && !i.AnnouncesAgain(day) {
			continue
		}
		found = append(found, notice.Happening{
			Kind: notice.Storage, LocationID: i.LocationID, ItemID: i.ID, Subject: i.ID + " " + until, At: now,
		})
	}
	return found
}

// storageMayEnd reports whether an item still waits for its owner.
func storageMayEnd(i lost.Item) bool {
	return i.Status == lost.Pending || i.Status == lost.InfoCompleted
}

// pickLater returns the later of two times.
func pickLater(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
