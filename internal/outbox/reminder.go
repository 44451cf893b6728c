package outbox

import (
	"cmp"
	"context"
	"slices"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// itemsPerCheck is the maximum number of items that one transaction checks.
const itemsPerCheck = 100

// checkItems checks items when a reminder or a desk task is due, and adds digest e-mails for the desks.
func (o *Outbox) checkItems(ctx context.Context) {
	locked := raceTime // how long to wait for due items that another transaction has locked
	for ctx.Err() == nil {
		wait := poll
		at, ok, err := o.db.NextCheck(ctx)
		if err == nil && ok {
			wait = min(poll, at.Sub(o.db.Now()))
		}
		switch {
		case err != nil:
		case wait > 0:
			locked = raceTime
		default:
			var n int
			n, err = o.checkDueItems(ctx)
			if err == nil && n > 0 {
				locked = raceTime
				continue
			}
			// The items are being changed or checked at this moment, or their location is being deleted.
			wait, locked = locked, min(2*locked, poll)
		}
		if err != nil && ctx.Err() == nil {
			o.log.Error("outbox: checking items failed", "error", err)
		}
		waitOrWake(ctx, o.wakeItems, wait)
	}
}

// CheckItemsOnce checks a batch of due items and digests, and returns how many it checked.
func (o *Outbox) CheckItemsOnce(ctx context.Context) (int, error) {
	at, ok, err := o.db.NextCheck(ctx) // read before writing, because usually nothing is due
	if err != nil || !ok || at.After(o.db.Now()) {
		return 0, err
	}
	return o.checkDueItems(ctx)
}

// checkDueItems checks a batch of due items and digests, and returns how many it checked. The check and its
// consequences are one transaction, so an interruption changes nothing. Instances never check the same item at the
// same time.
func (o *Outbox) checkDueItems(ctx context.Context) (n int, err error) {
	messages := false
	err = o.db.Write(ctx, func(tx *store.Tx) error {
		c := &itemCheck{
			tx: tx, locations: map[string]lost.Location{}, disabled: map[string]bool{}, decided: map[string]bool{},
		}
		items, err := tx.LockDueItems(itemsPerCheck)
		if err != nil {
			return err
		}
		if err := c.checkAll(items); err != nil {
			return err
		}
		desks, err := tx.LockDueDigests(itemsPerCheck)
		if err != nil {
			return err
		}
		for _, d := range desks {
			if err := c.addDigest(d); err != nil {
				return err
			}
		}
		n = len(items) + len(desks)
		messages = c.messages
		return c.scheduleDigests()
	})
	if err == nil && messages {
		o.WakeMessages()
	}
	return n, err
}

// checkAll checks items. It reads what it needs of many items at once.
func (c *itemCheck) checkAll(items []lost.Item) error {
	byAccount := map[string][]string{}
	for _, i := range items {
		byAccount[i.Account] = append(byAccount[i.Account], i.ID)
	}
	sent := map[string]map[string][]lost.Message{}
	threads := map[string]map[string]lost.ThreadState{}
	for account, ids := range byAccount {
		var err error
		if sent[account], err = c.tx.MessagesOfItems(c.tx.Context(), account, ids); err != nil {
			return err
		}
		if threads[account], err = c.tx.ThreadStates(c.tx.Context(), account, ids, c.tx.Now()); err != nil {
			return err
		}
		decided, err := c.tx.ItemsInClearance(account, ids)
		if err != nil {
			return err
		}
		for _, id := range decided {
			c.decided[account+" "+id] = true
		}
	}
	for _, i := range items {
		if err := c.checkItem(i, sent[i.Account][i.ID], threads[i.Account][i.ID]); err != nil {
			return err
		}
	}
	return nil
}

// itemCheck checks items in one transaction.
type itemCheck struct {
	tx        *store.Tx
	locations map[string]lost.Location
	disabled  map[string]bool // a cache, by account
	decided   map[string]bool // items whose clearance is pending, by account and id
	waiting   []lost.Location // locations with open tasks
	messages  bool            // whether a message was added
}

// accountDisabled reports whether an account is disabled. No messages are sent for a disabled account.
func (c *itemCheck) accountDisabled(account string) (bool, error) {
	if disabled, known := c.disabled[account]; known {
		return disabled, nil
	}
	a, err := c.tx.Account(c.tx.Context(), account)
	c.disabled[account] = err == nil && !a.DisabledAt.IsZero()
	return c.disabled[account], lost.IgnoreNotFound(err)
}

// disabledCheck is how long to wait before checking a disabled account's item again.
const disabledCheck = 24 * time.Hour

func (c *itemCheck) location(i lost.Item) (lost.Location, error) {
	if known, ok := c.locations[i.LocationID]; ok {
		return known, nil
	}
	found, err := c.tx.Location(c.tx.Context(), i.Account, i.LocationID)
	if err == nil {
		c.locations[i.LocationID] = found
	}
	return found, err
}

// checkItem adds the reminder that is due, sets the desk's tasks, and schedules the next check. The item's messages are
// sorted newest first.
func (c *itemCheck) checkItem(i lost.Item, sent []lost.Message, thread lost.ThreadState) error {
	if err := c.expireTracker(&i); err != nil {
		return err
	}
	disabled, err := c.accountDisabled(i.Account)
	if err != nil {
		return err
	}
	if disabled {
		return c.tx.ScheduleCheck(i.Account, i.ID, c.tx.Now().Add(disabledCheck))
	}
	where, err := c.location(i)
	if err != nil {
		return err
	}
	if err := c.tellFinder(&i, thread); err != nil {
		return err
	}
	now := c.tx.Now()
	_, unreached := i.Owner.DeliveryProblem(sent)
	nextStep, err := c.remind(i, where.ReminderSchedule(), sent, thread, unreached)
	if err != nil {
		return err
	}
	kinds, nextTask := i.Tasks(unreached, now)
	silentAt := where.ReminderSchedule().GuestSilentAt(i, thread)
	kinds, silentAt = withThreadTasks(kinds, thread, silentAt, unreached, now)
	kinds = c.withoutDecided(i, kinds)
	if kinds, err = c.withLikelyMatch(i, kinds); err != nil {
		return err
	}
	if err := c.tx.SetTasks(i, kinds); err != nil {
		return err
	}
	if slices.ContainsFunc(kinds, lost.TaskKind.IsDue) {
		c.waiting = append(c.waiting, where)
	}
	nextState, err := c.setOwnerState(i, where, sent)
	if err != nil {
		return err
	}
	return c.tx.ScheduleNextCheck(i, lost.EarliestTime(nextStep, nextTask, silentAt, nextState, i.Claim.TrackerUntil))
}

// remind adds the reminders to the guest that are due, and returns when the next one is. A guest whose messages do not
// arrive gets none.
func (c *itemCheck) remind(i lost.Item, schedule lost.ReminderSchedule, sent []lost.Message, thread lost.ThreadState,
	unreached bool) (next time.Time, err error) {
	now := c.tx.Now()
	for _, steps := range [][]lost.ReminderStep{
		schedule.Steps(i, i.Owner.NotifiedAt(sent), now), schedule.ThreadSteps(i, thread),
	} {
		due, later := lost.NextReminder(steps, sent, now)
		next = lost.EarliestTime(next, later)
		if due == nil || unreached {
			continue
		}
		if err := c.addReminder(i, *due); err != nil {
			return next, err
		}
	}
	return next, nil
}

// setOwnerState updates the owner state of an item, and returns when it will change because time passes.
func (c *itemCheck) setOwnerState(i lost.Item, where lost.Location, sent []lost.Message) (time.Time, error) {
	state, next := where.ReminderSchedule().OwnerState(i, sent, c.tx.Now())
	if state == i.OwnerState || !lost.AwaitsOwner(i) {
		return next, nil
	}
	return next, c.tx.SetOwnerState(i, state)
}

// withThreadTasks adds the tasks about a conversation. It returns when the guest becomes a task because they have not
// answered, or zero if they are one already or will not be. A guest whose messages do not arrive is another task.
func withThreadTasks(kinds []lost.TaskKind, thread lost.ThreadState, silentAt time.Time, unreached bool,
	now time.Time) ([]lost.TaskKind, time.Time) {
	if !thread.AwaitsDesk.IsZero() {
		kinds = append(kinds, lost.ReplyTask)
	}
	if silentAt.IsZero() || unreached {
		return kinds, time.Time{}
	}
	if silentAt.After(now) {
		return kinds, silentAt
	}
	return append(kinds, lost.SilentTask), time.Time{}
}

// withoutDecided removes the overdue task if the desk has already decided what to do with the item.
func (c *itemCheck) withoutDecided(i lost.Item, kinds []lost.TaskKind) []lost.TaskKind {
	if !c.decided[i.Account+" "+i.ID] {
		return kinds
	}
	return slices.DeleteFunc(kinds, func(k lost.TaskKind) bool { return k == lost.OverdueTask })
}

// withLikelyMatch replaces an undecided request's answer task with a match task if a found item is probably the one
// that the guest lost.
func (c *itemCheck) withLikelyMatch(i lost.Item, kinds []lost.TaskKind) ([]lost.TaskKind, error) {
	if i.Source != lost.Request || !i.Matchable() {
		return kinds, nil
	}
	found, err := c.tx.HasMatch(c.tx.Context(), i, []lost.Likelihood{lost.Likely})
	if at := slices.Index(kinds, lost.AnswerTask); found && at >= 0 {
		kinds[at] = lost.MatchTask
	}
	return kinds, err
}

// scheduleDigests schedules a digest for each location with open tasks. Locations are locked last and in a fixed
// order, so that instances checking the same locations do not deadlock.
func (c *itemCheck) scheduleDigests() error {
	order := func(a, b lost.Location) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.ID, b.ID))
	}
	slices.SortFunc(c.waiting, order)
	unique := slices.CompactFunc(c.waiting, func(a, b lost.Location) bool { return order(a, b) == 0 })
	for _, where := range unique {
		if err := c.tx.ScheduleDigest(where, where.NextDigest(c.tx.Now())); err != nil {
			return err
		}
	}
	return nil
}

// addReminder adds a reminder and makes its link valid for the full period again.
func (c *itemCheck) addReminder(i lost.Item, s lost.ReminderStep) error {
	link, found, err := c.tx.LinkForAddress(c.tx.Context(), i.Account, i.ID, i.Owner.Address())
	if err != nil || !found || !link.RevokedAt.IsZero() { // do not send a revoked link
		return err
	}
	before := link
	link.ExpiresAt = c.tx.Now().Add(lost.LinkLife)
	m := lost.NewMessage(s.Kind, i, s.Once, c.tx.Now())
	m.LinkID = link.ID
	c.messages = true
	if err := c.tx.SaveLink(before, link); err != nil {
		return err
	}
	if s.Kind == lost.ThreadReminder {
		if err := c.tx.AddReplyToken(link); err != nil {
			return err
		}
	}
	return c.tx.AddMessage(m)
}

// addDigest adds a digest of the open tasks, which is e-mailed to the location's contact. A digest is sent once a day
// while there are open tasks.
func (c *itemCheck) addDigest(where lost.Location) error {
	now := c.tx.Now()
	waiting, err := c.tx.Tasks(c.tx.Context(), where.Account, where.ID, lost.FirstPage())
	if err != nil {
		return err
	}
	disabled, err := c.accountDisabled(where.Account)
	if err != nil {
		return err
	}
	if len(waiting.Data) == 0 {
		return c.tx.SetDigestTime(where, time.Time{})
	}
	if to := where.Contact.Email; to != "" && !disabled {
		c.messages = true
		err := c.tx.AddDigest(lost.Message{
			Account: where.Account, ID: lost.NewID(lost.MessageID, now), LocationID: where.ID,
			Kind: lost.DigestMessage, Once: "digest " + where.Day(now),
			Channel: lost.ByEmail, To: to, State: lost.MessageWaiting, CreatedAt: now,
		})
		if err != nil {
			return err
		}
	}
	return c.tx.SetDigestTime(where, where.NextDigest(now))
}
