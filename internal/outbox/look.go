package outbox

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// lookAtOnce is how many items one transaction looks at.
const lookAtOnce = 100

// watch looks at items when it is time to remind somebody or to tell the desk, and writes the desks' digests.
func (o *Outbox) watch(ctx context.Context) {
	for ctx.Err() == nil {
		wait := poll
		at, ok, err := o.db.NextLook(ctx)
		if err == nil && ok {
			wait = min(poll, at.Sub(o.db.Now()))
		}
		if err == nil && wait <= 0 {
			var n int
			if n, err = o.lookNow(ctx); err == nil && n > 0 {
				continue
			}
			wait = poll // another copy has them, or their location is being deleted
		}
		if err != nil && ctx.Err() == nil {
			o.log.Error("outbox: looking at items failed", "error", err)
		}
		rest(ctx, o.look, wait)
	}
}

// LookOnce looks at some items that are due and some desks, and tells how many.
func (o *Outbox) LookOnce(ctx context.Context) (int, error) {
	at, ok, err := o.db.NextLook(ctx) // a read: most of the time there is nothing
	if err != nil || !ok || at.After(o.db.Now()) {
		return 0, err
	}
	return o.lookNow(ctx)
}

// lookNow looks at some items that are due and some desks, and tells how many. Looking and what follows from it are one
// transaction: whoever dies on the way has done nothing, and of two copies each looks at its own.
func (o *Outbox) lookNow(ctx context.Context) (n int, err error) {
	letters := false
	err = o.db.Write(ctx, func(tx *store.Tx) error {
		l := &lookout{tx: tx, locations: map[string]lost.Location{}, disabled: map[string]bool{}}
		items, err := tx.DueItems(lookAtOnce)
		for _, i := range items {
			err = cmp.Or(err, l.item(i))
		}
		if err != nil {
			return err
		}
		desks, err := tx.DueDigests(lookAtOnce)
		for _, d := range desks {
			err = cmp.Or(err, l.desk(d))
		}
		err = cmp.Or(err, l.scheduleDigests())
		n, letters = len(items)+len(desks), l.letters
		return err
	})
	if err == nil && letters {
		o.NudgeLetters()
	}
	return n, err
}

// lookout looks at items in one transaction.
type lookout struct {
	tx        *store.Tx
	locations map[string]lost.Location
	disabled  map[string]bool // accounts, as far as they are known
	waiting   []lost.Location // whose desks have something to do
	letters   bool            // whether any was left to send
}

// idle tells whether an account is disabled: nobody is written to in its name.
func (l *lookout) idle(account string) (bool, error) {
	if disabled, known := l.disabled[account]; known {
		return disabled, nil
	}
	a, err := l.tx.Account(l.tx.Context(), account)
	l.disabled[account] = err == nil && !a.DisabledAt.IsZero()
	return l.disabled[account], lost.UnlessMissing(err)
}

// idleLook is when what belongs to a disabled account is looked at again.
const idleLook = 24 * time.Hour

func (l *lookout) location(i lost.Item) (lost.Location, error) {
	if known, ok := l.locations[i.LocationID]; ok {
		return known, nil
	}
	found, err := l.tx.Location(l.tx.Context(), i.Account, i.LocationID)
	if err == nil {
		l.locations[i.LocationID] = found
	}
	return found, err
}

// item sends the reminder that is due, sets what waits for the desk, and plans the next look.
func (l *lookout) item(i lost.Item) error {
	if idle, err := l.idle(i.Account); err != nil || idle {
		return cmp.Or(err, l.tx.LookAt(i.Account, i.ID, l.tx.Now().Add(idleLook)))
	}
	where, err := l.location(i)
	if err != nil {
		return err
	}
	var sent []lost.Message
	if i.Owner.Address() != "" {
		if sent, err = l.tx.Correspondence(l.tx.Context(), i.Account, i.ID); err != nil {
			return err
		}
	}
	now := l.tx.Now()
	steps := i.Steps(where.ReminderSchedule(), i.Noticed(sent), now)
	due, nextStep := lost.NextSteps(steps, sent, now)
	if due != nil {
		if err := l.remind(i, *due); err != nil {
			return err
		}
	}
	_, unreached := i.Unreached(sent)
	kinds, nextTask := i.Tasks(unreached, now)
	if kinds, err = l.undecided(i, kinds); err != nil {
		return err
	}
	if kinds, err = l.likelyFound(i, kinds); err != nil {
		return err
	}
	if err := l.tx.SetTasks(i, kinds); err != nil {
		return err
	}
	if slices.ContainsFunc(kinds, lost.TaskKind.Waits) {
		l.waiting = append(l.waiting, where)
	}
	return l.tx.LookAt(i.Account, i.ID, lost.Earliest(nextStep, nextTask))
}

// undecided leaves out that an item's time is over where the desk has decided what becomes of it.
func (l *lookout) undecided(i lost.Item, kinds []lost.TaskKind) ([]lost.TaskKind, error) {
	if !slices.Contains(kinds, lost.OverdueTask) {
		return kinds, nil
	}
	_, decided, err := l.tx.ClearanceOf(l.tx.Context(), i.Account, i.ID)
	if !decided {
		return kinds, err
	}
	return slices.DeleteFunc(kinds, func(k lost.TaskKind) bool { return k == lost.OverdueTask }), err
}

// likelyFound says of an undecided request, instead of that it waits for an answer, that something was found which is likely what it is about.
func (l *lookout) likelyFound(i lost.Item, kinds []lost.TaskKind) ([]lost.TaskKind, error) {
	if i.Source != lost.Request || !i.Sought() {
		return kinds, nil
	}
	found, err := l.tx.LikelyFound(l.tx.Context(), i)
	if at := slices.Index(kinds, lost.AnswerTask); found && at >= 0 {
		kinds[at] = lost.MatchTask
	}
	return kinds, err
}

// scheduleDigests has the desks written to that have something to do. They are locked last and in one order, so that copies which look at the
// same locations do not wait for each other.
func (l *lookout) scheduleDigests() error {
	order := func(a, b lost.Location) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.ID, b.ID))
	}
	slices.SortFunc(l.waiting, order)
	for _, where := range slices.CompactFunc(l.waiting, func(a, b lost.Location) bool { return order(a, b) == 0 }) {
		if err := l.tx.ScheduleDigest(where, where.NextDigest(l.tx.Now())); err != nil {
			return err
		}
	}
	return nil
}

func (l *lookout) remind(i lost.Item, s lost.Step) error {
	link, found, err := l.tx.LinkTo(l.tx.Context(), i.Account, i.ID, i.Owner.Address())
	if err != nil || !found || !link.RevokedAt.IsZero() { // the desk took the link away: nobody is led to it
		return err
	}
	before := link
	link.ExpiresAt = l.tx.Now().Add(lost.LinkLife)
	m := lost.NewMessage(s.Kind, i, s.Once, l.tx.Now())
	m.LinkID = link.ID
	l.letters = true
	return cmp.Or(l.tx.SaveLink(before, link), l.tx.AddMessage(m))
}

// desk writes to a location's contact of what waits, once a day for as long as anything does.
func (l *lookout) desk(where lost.Location) error {
	now := l.tx.Now()
	waiting, err := l.tx.Tasks(l.tx.Context(), where.Account, where.ID, lost.FirstPage())
	if err != nil {
		return err
	}
	idle, err := l.idle(where.Account)
	if err != nil {
		return err
	}
	if len(waiting.Data) == 0 {
		return l.tx.SetDigest(where, time.Time{})
	}
	if to := where.Contact.Email; to != "" && !idle {
		l.letters = true
		err = l.tx.AddDigest(lost.Message{
			Account: where.Account, ID: lost.NewID(lost.MessageID, now), LocationID: where.ID, Kind: lost.DigestMessage, Once: "digest " + where.Day(now),
			Channel: lost.ByEmail, To: to, State: lost.MessageWaiting, CreatedAt: now,
		})
	}
	return cmp.Or(err, l.tx.SetDigest(where, where.NextDigest(now)))
}

// goThrough sees to some items of a location, because what they follow from there changed, and leaves the rest to another job.
func (o *Outbox) goThrough(ctx context.Context, job store.Job, some func(tx *store.Tx, account, location string, after int64, limit int) (last int64, err error),
	rest func(tx *store.Tx, account, location string, after int64) error,
) error {
	const atOnce = 500
	names, err := job.Names()
	if err != nil || len(names) != 2 {
		return lost.E(lost.Invalid, "The job names no location.").Because(err)
	}
	last, err := strconv.ParseInt(names[1], 10, 64)
	if err != nil {
		return lost.E(lost.Invalid, "The job names no item.").Because(err)
	}
	err = o.db.Write(ctx, func(tx *store.Tx) error {
		next, err := some(tx, job.Account, names[0], last, atOnce)
		if err != nil || next == 0 {
			return err
		}
		return rest(tx, job.Account, names[0], next)
	})
	o.Nudge()
	return err
}
