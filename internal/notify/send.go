package notify

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/notice"
	"homeward/internal/lost/report"
	"homeward/internal/store"
)

const (
	groupsPerRound = 100
	sendersAtOnce  = 4
	maxCombined    = 500 // notices in one message
	maxRounds      = 50  // of one pass; the next pass continues

	sendTime   = time.Minute // for one message
	recordTime = 30 * time.Second
	// claimTime is how long nobody else sends a message: longer than sending and recording it take.
	claimTime = 2 * time.Minute
)

// sendDue sends the notices that are due, several people at a time. Each round ends or postpones the notices that it
// reads.
func (n *Notices) sendDue(ctx context.Context) error {
	for range maxRounds {
		groups, err := n.db.DueNoticeGroups(ctx, n.db.Now(), groupsPerRound)
		if err != nil || len(groups) == 0 {
			return err
		}
		if err := n.sendGroups(ctx, groups); err != nil {
			return err
		}
	}
	return nil
}

// sendGroups sends the notices of several groups, and returns the errors of the database.
func (n *Notices) sendGroups(ctx context.Context, groups []store.NoticeGroup) (err error) {
	var running sync.WaitGroup
	var mu sync.Mutex
	turns := make(chan struct{}, sendersAtOnce)
	for _, g := range groups {
		turns <- struct{}{}
		running.Go(func() {
			defer func() { <-turns }()
			if failed := n.sendGroup(ctx, g); failed != nil {
				mu.Lock()
				defer mu.Unlock()
				err = errors.Join(err, failed)
			}
		})
	}
	running.Wait()
	return err
}

// batch are claimed notices to one person, and what becomes of them.
type batch struct {
	store.NoticeClaim
	user     lost.User
	settings notice.Settings
	lines    []notice.Line // of the notices that may be sent
	send     []notice.Notice
	dropped  []string
}

// sendGroup sends the notices of a group that are due, in one message. They are claimed first, so that no other
// instance sends them too, and a crash repeats at most this message.
func (n *Notices) sendGroup(ctx context.Context, g store.NoticeGroup) error {
	b := &batch{}
	err := n.db.Write(ctx, func(tx *store.Tx) (err error) {
		b.NoticeClaim, err = tx.ClaimNotices(g, maxCombined, claimTime)
		return err
	})
	if err != nil || len(b.Notices) == 0 {
		return err
	}
	wait, failure := n.send(ctx, b)
	// What has begun ends even if the service is stopping. Otherwise a message that was sent would be sent again.
	recording, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer cancel()
	if failure != nil && ctx.Err() != nil { // the service is stopping
		return errors.Join(ctx.Err(), n.release(recording, b, n.db.Now()))
	}
	if !wait.IsZero() {
		return n.release(recording, b, wait)
	}
	if errors.Is(failure, errGone) {
		b.dropped, b.send, failure = append(b.dropped, listIDs(b.send)...), nil, nil
	}
	return n.record(recording, b, failure)
}

// release makes claimed notices due at another time.
func (n *Notices) release(ctx context.Context, b *batch, due time.Time) error {
	return n.db.Write(ctx, func(tx *store.Tx) error {
		return tx.ReleaseNotices(b.NoticeClaim, listIDs(b.Notices), due)
	})
}

// send decides which of the claimed notices are sent, and sends them. During quiet hours, it returns the time until
// which they wait. A panic counts as a failed attempt; otherwise it would end the messages to everybody.
func (n *Notices) send(ctx context.Context, b *batch) (wait time.Time, failure error) {
	filtered := false
	defer func() {
		if p := recover(); p != nil {
			n.log.Error("sending a notice panicked; it will be retried", "account", b.Account, "user", b.UserID,
				"panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			failure = errors.New("an internal error prevented the attempt")
		}
		if !filtered {
			b.send, b.dropped = b.Notices, nil
		}
	}()
	sending, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTime)
	defer cancel()
	if err := n.filter(sending, b); err != nil {
		return wait, err
	}
	filtered = true
	if len(b.send) == 0 {
		return wait, nil
	}
	now := n.db.Now()
	if after := b.settings.AfterQuiet(now); after.After(now) {
		return after, nil
	}
	if ctx.Err() != nil {
		return wait, ctx.Err()
	}
	return wait, n.deliver(sending, b)
}

// record stores what became of the notices.
func (n *Notices) record(ctx context.Context, b *batch, failure error) error {
	channel, outcome := b.channel(), notice.Sent
	if failure != nil {
		outcome = notice.Failed
		n.log.Warn("notice for staff was not sent", "channel", channel, "account", b.Account, "user", b.UserID,
			"error", failure)
	}
	retried, ended, delay := b.plan(failure)
	err := n.db.Write(ctx, func(tx *store.Tx) error {
		return errors.Join(
			tx.EndNotices(b.NoticeClaim, notice.Dropped, b.dropped),
			tx.EndNotices(b.NoticeClaim, outcome, ended),
			tx.RetryNotices(b.NoticeClaim, retried, tx.Now().Add(delay)))
	})
	switch {
	case len(retried) > 0:
		n.observe(channel, "retry")
	case len(b.send) > 0:
		n.observe(channel, outcome)
	default:
		n.observe(channel, notice.Dropped)
	}
	return err
}

// plan decides which of the notices are sent again after a failure, and when. A notice for which this was the last
// attempt does not end newer ones that were in the same message.
func (b *batch) plan(failure error) (retried, ended []string, delay time.Duration) {
	for _, d := range b.send {
		wait, again := d.RetryDelay()
		if failure == nil || !again || lost.CodeOf(failure) == lost.Invalid {
			ended = append(ended, d.ID)
			continue
		}
		retried, delay = append(retried, d.ID), max(delay, wait)
	}
	return retried, ended, delay
}

func (b *batch) channel() string {
	switch {
	case b.Target == notice.ReportEmail:
		return "report"
	case b.isPush():
		return "push"
	default:
		return "email"
	}
}

// isPush reports whether the target is a browser.
func (b *batch) isPush() bool { return b.Target != notice.Email && b.Target != notice.ReportEmail }

func listIDs(all []notice.Notice) (ids []string) {
	for _, n := range all {
		ids = append(ids, n.ID)
	}
	return ids
}

// filter decides which notices are sent: those that the person still wants, about what they may still see.
func (n *Notices) filter(ctx context.Context, b *batch) (err error) {
	b.dropped = listIDs(b.Notices)
	active, err := n.readPerson(ctx, b)
	if err != nil || !active {
		return err
	}
	if b.Target == notice.ReportEmail {
		wanted := b.settings.Kinds[notice.Monthly].Email != notice.Off
		if wanted && !slices.ContainsFunc(b.Notices, notice.Notice.GivenUp) {
			b.send, b.dropped = b.Notices, nil
		}
		return nil
	}
	items := map[string]lost.Item{}
	var wanted []string
	for _, d := range b.Notices {
		wanted = append(wanted, d.ItemID)
	}
	slices.Sort(wanted)
	found, err := n.db.ItemsAnywhere(ctx, b.Account, slices.Compact(wanted))
	if err != nil {
		return err
	}
	for _, i := range found {
		items[i.ID] = i
	}
	names, err := n.locationNames(ctx, b.Account, found)
	if err != nil {
		return err
	}
	b.dropped = nil
	matched := map[string]bool{}
	for _, d := range b.Notices {
		i, exists := items[d.ItemID]
		if !exists || !b.allows(d, i) {
			b.dropped = append(b.dropped, d.ID)
			continue
		}
		b.send = append(b.send, d)
		if d.Kind != notice.Match || !matched[d.ItemID] { // one line for all matches for a request
			b.lines = append(b.lines, notice.Line{Kind: d.Kind, Item: i, LocationName: names[i.LocationID]})
		}
		matched[d.ItemID] = matched[d.ItemID] || d.Kind == notice.Match
	}
	return nil
}

// readPerson reads the person and what they want. It reports false if the person gets no notices.
func (n *Notices) readPerson(ctx context.Context, b *batch) (active bool, err error) {
	account, err := n.db.Account(ctx, b.Account)
	if err != nil || !account.DisabledAt.IsZero() {
		return false, lost.IgnoreNotFound(err)
	}
	if b.user, err = n.db.User(ctx, b.Account, b.UserID); err != nil {
		return false, lost.IgnoreNotFound(err)
	}
	if b.settings, err = n.Settings(ctx, b.user); err != nil {
		return false, err
	}
	return b.user.Active() && b.user.Role.Has(lost.ViewItems) && (b.isPush() || n.SendsMail()), nil
}

// allows reports whether the person wants a notice about an item, and may see the item. A later version of the program
// may have written notices of other kinds.
func (b *batch) allows(n notice.Notice, i lost.Item) bool {
	if n.GivenUp() || !slices.Contains(notice.Kinds(), n.Kind) {
		return false
	}
	if isOutdated(n.Kind, i) {
		return false
	}
	c := b.settings.Kinds[n.Kind]
	wanted := b.isPush() && c.Push || !b.isPush() && c.Email != notice.Off
	return wanted && b.settings.Includes(i.LocationID) && b.user.Actor().CanAccess(i.LocationID)
}

// isOutdated reports whether there is nothing left to do about what a notice says, for example because a colleague has
// done it during the quiet hours.
func isOutdated(k notice.Kind, i lost.Item) bool {
	switch k {
	case notice.Match:
		return i.Claim.State != lost.RequestPending
	case notice.Storage:
		return !storageMayEnd(i)
	default:
		return false
	}
}

// locationNames returns the names of the locations of items.
func (n *Notices) locationNames(ctx context.Context, account string, items []lost.Item) (map[string]string, error) {
	names := map[string]string{}
	for _, i := range items {
		names[i.LocationID] = ""
	}
	var wanted []string
	for id := range names {
		wanted = append(wanted, id)
	}
	if len(wanted) == 0 {
		return names, nil
	}
	found, err := n.db.LocationNames(ctx, account, wanted, len(wanted))
	for _, l := range found {
		names[l.ID] = l.Name
	}
	return names, err
}

// deliver sends the message.
func (n *Notices) deliver(ctx context.Context, b *batch) error {
	if b.isPush() {
		return n.push(ctx, b)
	}
	token, err := n.db.NoticeToken(b.Account, b.UserID)
	if err != nil {
		return err
	}
	m := b.message()
	m.StopURL = n.base + "/notices/stop/" + token + "?" + stopQuery(m.Kinds)
	if b.Target == notice.ReportEmail {
		if err := n.addReport(ctx, b, &m); err != nil {
			return err
		}
	}
	return n.messenger.MailNotices(ctx, m)
}

// message returns the message without its links.
func (b *batch) message() notice.Message {
	m := notice.Message{ID: b.send[0].ID, User: b.user, Lines: b.lines, Path: "/"}
	if len(b.lines) == 1 {
		m.Path = itemPath(b.lines[0].Item)
	}
	if more := len(m.Lines) - notice.MaxLines; more > 0 {
		m.Lines, m.More = m.Lines[:notice.MaxLines], more
	}
	for _, k := range notice.Kinds() {
		if slices.ContainsFunc(b.send, func(n notice.Notice) bool { return n.Kind == k }) {
			m.Kinds = append(m.Kinds, k)
		}
	}
	return m
}

// itemPath returns the path of an item's or request's page in the dashboard.
func itemPath(i lost.Item) string {
	list := "/items/"
	if i.Source == lost.Request {
		list = "/requests/"
	}
	return "/at/" + i.LocationID + list + i.ID
}

// stopQuery returns the query of a link that stops e-mails about some kinds.
func stopQuery(kinds []notice.Kind) string {
	query := url.Values{}
	for _, k := range kinds {
		query.Add("kind", string(k))
	}
	return query.Encode()
}

// addReport adds the figures of the month that the report is about.
func (n *Notices) addReport(ctx context.Context, b *batch, m *notice.Message) error {
	month, ok := b.send[len(b.send)-1].Month()
	if !ok {
		return lost.E(lost.Invalid, "The notice does not name a month.")
	}
	p := report.MonthPeriod(month)
	figures, err := n.report(ctx, b.user.Actor(), b.settings.Locations, p)
	if err != nil {
		return err
	}
	if len(figures.Locations) == 0 { // they were deleted, or the person can no longer see them
		return errGone
	}
	m.Reported = &figures
	m.Path = "/at/all/reports?"
	query := url.Values{"from": {p.From}, "to": {p.To}}
	for _, l := range figures.Locations {
		if b.settings.Locations != nil {
			m.Where = append(m.Where, l.Name)
			query.Add("location", l.ID)
		}
	}
	if len(m.Where) == 1 {
		m.Path = "/at/" + query.Get("location") + "/reports?"
		query.Del("location")
	}
	m.Path += query.Encode()
	return nil
}
