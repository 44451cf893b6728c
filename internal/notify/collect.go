package notify

import (
	"context"
	"errors"
	"slices"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/notice"
	"homeward/internal/store"
)

const (
	accountsPerPage = 100
	maxPeople       = 5000 // in one account
	maxNotices      = 2000 // about how many notices one transaction adds
	matchesPerPage  = 200
	itemsPerQuery   = 1000
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
			if err := n.collectAccount(ctx, c); err != nil {
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

// subscribers are the people of an account who want notices, and the ids of their push subscriptions.
type subscribers struct {
	Settings []notice.Settings
	browsers map[string][]string
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

// collectAccount writes the notices of one account, in several transactions if there are many.
func (n *Notices) collectAccount(ctx context.Context, c store.NoticeCursor) error {
	settings, err := n.db.ActiveNoticeSettings(ctx, c.Account, maxPeople)
	if err != nil {
		return err
	}
	people := subscribers{Settings: settings}
	if people.wantPush() {
		if people.browsers, err = n.db.PushTargets(ctx, c.Account, maxPeople); err != nil {
			return err
		}
	}
	for more := true; more; {
		next := c
		var found []notice.Happening
		if found, more, err = n.readEvents(ctx, &next, people); err != nil {
			return err
		}
		if !more {
			others, err := n.readOthers(ctx, &next, people)
			if err != nil {
				return err
			}
			found = append(found, others...)
		}
		current := next.MatchesAt.Sub(c.MatchesAt) < storeEvery && next.StorageAt.Equal(c.StorageAt)
		if len(found) == 0 && !more && current {
			return nil
		}
		if moved, err := n.write(ctx, c, next, people, found); err != nil || !moved {
			return err
		}
		c = next
	}
	return nil
}

// write adds the notices about what was found, and moves the cursor. It reports false if another worker has moved it.
func (n *Notices) write(ctx context.Context, before, after store.NoticeCursor, people subscribers,
	found []notice.Happening) (moved bool, err error) {
	err = n.db.Write(ctx, func(tx *store.Tx) error {
		if moved, err = tx.AdvanceNotices(before, after); err != nil || !moved {
			return err
		}
		return tx.AddNotices(people.notices(found, tx.Now()))
	})
	return moved, err
}

// notices returns the notices of the people who want to know what was found.
func (p subscribers) notices(found []notice.Happening, now time.Time) (notices []notice.Notice) {
	for _, s := range p.Settings {
		for _, h := range found {
			c := s.Kinds[h.Kind]
			if !c.Active() || h.At.Before(c.Since) || !s.Includes(h.LocationID) {
				continue
			}
			add := func(target string, due time.Time) {
				at := now.Add(time.Duration(len(notices)) * time.Microsecond) // ids keep the order
				notices = append(notices, notice.Notice{
					Account: s.Account, ID: lost.NewID(lost.NoticeID, at), UserID: s.UserID, Target: target,
					Kind: h.Kind, LocationID: h.LocationID, ItemID: h.ItemID, Subject: h.Subject,
					DueAt: due, CreatedAt: now,
				})
			}
			if c.Email != notice.Off {
				add(notice.Email, s.Due(c.Email, now))
			}
			if !c.Push {
				continue
			}
			for _, browser := range p.browsers[s.UserID] {
				add(browser, s.AfterQuiet(now))
			}
		}
	}
	return notices
}

// eventKinds maps the events that notices are about to their kinds.
var eventKinds = map[lost.EventType]notice.Kind{
	lost.RequestEvent: notice.Report, lost.LabelEvent: notice.Payment, lost.MessageReceivedEvent: notice.Answer,
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
	limit := max(lost.MinLimit, min(lost.MaxLimit, maxNotices/max(1, len(people.Settings))))
	f := lost.EventFilter{Types: types, Page: lost.Page{Number: 1, Limit: limit, After: c.Events}}
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
		h := notice.Happening{
			Kind: eventKinds[e.Type], LocationID: e.LocationID, ItemID: e.ItemID, Subject: e.ID, At: e.At,
		}
		if h.Kind == notice.Report {
			h.Subject = e.ItemID
		}
		found = append(found, h)
	}
	c.Events = list.Next
	return found, len(list.Data) == limit, err
}

// readOthers finds what is not an event: likely matches, and items whose last day of storage has begun.
func (n *Notices) readOthers(ctx context.Context, c *store.NoticeCursor,
	people subscribers) (found []notice.Happening, err error) {
	now := n.db.Now()
	if people.want(notice.Match) {
		if found, err = n.readMatches(ctx, *c); err != nil {
			return nil, err
		}
	}
	c.MatchesAt = latest(c.MatchesAt, now.Add(-matchMargin))
	if now.Sub(c.StorageAt) < storageEvery {
		return found, nil
	}
	if people.want(notice.Storage) {
		expiring, err := n.readStorage(ctx, *c, now)
		if err != nil {
			return nil, err
		}
		found = append(found, expiring...)
	}
	c.StorageAt = now
	return found, nil
}

// readMatches finds requests with a new likely match.
func (n *Notices) readMatches(ctx context.Context, c store.NoticeCursor) (found []notice.Happening, err error) {
	since, item := c.MatchesAt, ""
	for {
		page, err := n.db.NewMatches(ctx, c.Account, since, item, matchesPerPage)
		if err != nil {
			return nil, err
		}
		for _, t := range page {
			since, item = t.Since, t.ItemID
			found = append(found, notice.Happening{
				Kind: notice.Match, LocationID: t.LocationID, ItemID: t.ItemID, At: t.Since,
				Subject: t.ItemID + " " + t.Since.UTC().Format(time.RFC3339Nano),
			})
		}
		if len(page) < matchesPerPage {
			return found, nil
		}
	}
}

// readStorage finds items whose last day of storage has begun since the last check, at the location's own time.
func (n *Notices) readStorage(ctx context.Context, c store.NoticeCursor,
	now time.Time) (found []notice.Happening, err error) {
	last := latest(c.StorageAt, now.AddDate(0, 0, -maxMissedDays))
	for after := ""; ; {
		page, err := n.db.StoragePeriods(ctx, c.Account, after, accountsPerPage)
		if err != nil {
			return nil, err
		}
		for _, p := range page {
			after = p.Location.ID
			zone := p.Location.Zone()
			p.From = last.In(zone).AddDate(0, 0, 1).Format(lost.DateLayout)
			if p.To = now.In(zone).Format(lost.DateLayout); p.From > p.To {
				continue
			}
			items, err := n.db.ExpiringItems(ctx, c.Account, p, itemsPerQuery)
			if err != nil {
				return nil, err
			}
			found = append(found, expiring(items, p, now)...)
		}
		if len(page) < accountsPerPage {
			return found, nil
		}
	}
}

// expiring returns those items whose last day of storage is in the period and that still wait for their owner.
func expiring(items []lost.Item, p store.StoragePeriod, now time.Time) (found []notice.Happening) {
	for _, i := range items {
		until := i.StoreUntil()
		if until < p.From || until > p.To || i.Status != lost.Pending && i.Status != lost.InfoCompleted {
			continue
		}
		found = append(found, notice.Happening{
			Kind: notice.Storage, LocationID: i.LocationID, ItemID: i.ID, Subject: i.ID + " " + until, At: now,
		})
	}
	return found
}

// planReports writes the notices of monthly reports that are due, and plans the next ones.
func (n *Notices) planReports(ctx context.Context) error {
	for range maxRounds {
		due, err := n.db.DueReports(ctx, n.db.Now(), accountsPerPage)
		if err != nil || len(due) == 0 {
			return err
		}
		for _, d := range due { // an account may be deleted now
			err = errors.Join(err, lost.IgnoreNotFound(n.planReport(ctx, d)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (n *Notices) planReport(ctx context.Context, due notice.Settings) error {
	return n.db.Write(ctx, func(tx *store.Tx) error {
		if _, err := tx.LockUser(due.Account, due.UserID); err != nil {
			return err
		}
		s, found, err := tx.NoticeSettings(ctx, due.Account, due.UserID)
		if err != nil || !found || s.ReportAt.IsZero() || s.ReportAt.After(tx.Now()) {
			return err
		}
		if err := tx.AddNotices([]notice.Notice{s.NewReport(tx.Now())}); err != nil {
			return err
		}
		return tx.SaveNoticeSettings(s)
	})
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
