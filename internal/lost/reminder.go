package lost

import (
	"cmp"
	"slices"
	"strconv"
	"time"
)

// ReminderSchedule says when guests are reminded, each step in days.
type ReminderSchedule struct {
	AfterNotice       []int // after the first message, while the owner has not chosen
	BeforeStoreUntil  []int // before the item is no longer kept, likewise
	BeforePickup      []int // before the day of a pick-up
	AfterMissedPickup []int // after the day of a pick-up to which nobody came
}

// DefaultReminderSchedule is that of a location which says nothing.
func DefaultReminderSchedule() ReminderSchedule {
	return ReminderSchedule{AfterNotice: []int{3, 7}, BeforeStoreUntil: []int{3}, BeforePickup: []int{1}, AfterMissedPickup: []int{1}}
}

func (l ReminderSchedule) equal(o ReminderSchedule) bool {
	return slices.Equal(l.AfterNotice, o.AfterNotice) && slices.Equal(l.BeforeStoreUntil, o.BeforeStoreUntil) &&
		slices.Equal(l.BeforePickup, o.BeforePickup) && slices.Equal(l.AfterMissedPickup, o.AfterMissedPickup)
}

// Bounds of a ladder.
const (
	MaxSteps    = 10
	MaxStepDays = 365
)

// ReminderSchedulePatch merges into a Ladder.
type ReminderSchedulePatch struct {
	AfterNotice, BeforeStoreUntil, BeforePickup, AfterMissedPickup Field[[]int]
}

func (p LocationPatch) applyReminders(c *check, l *Location) {
	if !p.Reminders.Sent {
		return
	}
	if p.Reminders.Null {
		l.Reminders = nil
		return
	}
	ladder := DefaultReminderSchedule()
	if l.Reminders != nil {
		ladder = *l.Reminders
	}
	usual, v := DefaultReminderSchedule(), p.Reminders.Value
	c.steps(v.AfterNotice, "reminders.afterNotice", usual.AfterNotice, &ladder.AfterNotice)
	c.steps(v.BeforeStoreUntil, "reminders.beforeStoreUntil", usual.BeforeStoreUntil, &ladder.BeforeStoreUntil)
	c.steps(v.BeforePickup, "reminders.beforePickup", usual.BeforePickup, &ladder.BeforePickup)
	c.steps(v.AfterMissedPickup, "reminders.afterMissedPickup", usual.AfterMissedPickup, &ladder.AfterMissedPickup)
	l.Reminders = &ladder
}

func (c *check) steps(f Field[[]int], field string, usual []int, dst *[]int) {
	switch {
	case !f.Sent || c.Has(field):
	case f.Null:
		*dst = usual
	case len(f.Value) > MaxSteps || slices.ContainsFunc(f.Value, func(d int) bool { return d < 1 || d > MaxStepDays }):
		c.Add(field, "out-of-range", "must be a list of at most %d numbers of days from 1 to %d; an empty one switches these reminders off", MaxSteps, MaxStepDays)
	default:
		days := slices.Clone(f.Value)
		slices.Sort(days)
		*dst = slices.Compact(days)
	}
}

// ReminderSchedule gives when the location's guests are reminded.
func (l Location) ReminderSchedule() ReminderSchedule {
	if l.Reminders == nil {
		return DefaultReminderSchedule()
	}
	return *l.Reminders
}

// The hours at which people are written to, by the location's clock: not at night.
const (
	reminderHour = 10
	digestHour   = 8
)

// Step is one reminder: what, when, and a name by which it is sent once.
type Step struct {
	Kind MessageKind
	Once string
	At   time.Time
}

// waitsForOwner tells whether the owner is still asked to choose.
func (i Item) waitsForOwner(now time.Time) bool {
	until := i.StoreUntil()
	return i.Source == Found && i.Status == Pending && i.DisownedAt.IsZero() && i.Owner.Address() != "" &&
		(until == "" || now.In(zone(i.Terms.TimeZone)).Format(DateForm) <= until)
}

// Steps lists the reminders of an item as it stands, in the order of time. noticed is when its owner was first
// told; zero where that has not happened.
func (i Item) Steps(l ReminderSchedule, noticed, now time.Time) []Step {
	var steps []Step
	where := zone(i.Terms.TimeZone)
	add := func(kind MessageKind, day string, days int, name string) {
		at, err := time.ParseInLocation(DateForm, day, where)
		if err != nil {
			return
		}
		at = at.AddDate(0, 0, days)
		at = time.Date(at.Year(), at.Month(), at.Day(), reminderHour, 0, 0, 0, where)
		steps = append(steps, Step{Kind: kind, Once: stepName(kind, name) + strconv.Itoa(days), At: at})
	}
	if until := i.StoreUntil(); i.waitsForOwner(now) && !noticed.IsZero() {
		for _, d := range l.AfterNotice {
			add(ReminderMessage, noticed.In(where).Format(DateForm), d, i.Owner.Address())
		}
		for _, d := range l.BeforeStoreUntil {
			add(LastCallMessage, until, -d, until)
		}
		steps = slices.DeleteFunc(steps, func(s Step) bool { return s.At.Before(noticed) || until != "" && s.At.Format(DateForm) > until })
	}
	if p := i.Pickup; i.Status == PickUp && p.Planned && i.ClosedAt.IsZero() && i.Owner.Address() != "" {
		for _, d := range l.BeforePickup {
			add(PickupSoonMessage, p.Date, -d, p.Date+" "+p.Time)
		}
		steps = slices.DeleteFunc(steps, func(s Step) bool { return s.At.Before(i.MovedAt) }) // chosen later than that
		for _, d := range l.AfterMissedPickup {
			add(MissedMessage, p.Date, d, p.Date+" "+p.Time)
		}
	}
	slices.SortStableFunc(steps, func(a, b Step) int { return a.At.Compare(b.At) })
	return steps
}

// stepName is how the name of a step begins.
func stepName(kind MessageKind, about string) string { return string(kind) + " " + about + " " }

// NextSteps gives the reminder that is due, if it is not among the messages, and when the one after it is; zero where there is
// none. Of several that are due only the last goes out: nobody wants a week's reminders in one hour.
func NextSteps(steps []Step, messages []Message, now time.Time) (due *Step, next time.Time) {
	for _, s := range steps {
		switch {
		case s.At.After(now):
			if next.IsZero() || s.At.Before(next) {
				next = s.At
			}
		case slices.ContainsFunc(messages, func(m Message) bool { return m.Once == s.Once }):
			due = nil // whatever came before it is overtaken
		default:
			due = &s
		}
	}
	return due, next
}

// Noticed is when the present owner of the item was first told of it, by its messages, newest first; zero where that has not happened.
func (i Item) Noticed(messages []Message) (at time.Time) {
	for _, m := range messages {
		told := m.State == MessageSent || m.State == MessageKept
		if told && m.To == i.Owner.Address() && (m.Kind == NoticeMessage || m.Kind == MatchMessage) {
			at = m.SettledAt
		}
	}
	return at
}

// Unreached tells whether the last message to the present owner came to nothing, and why, by the item's messages, newest first. One that is still on
// its way says nothing yet.
func (i Item) Unreached(messages []Message) (why string, is bool) {
	n := slices.IndexFunc(messages, func(m Message) bool {
		return m.To == i.Owner.Address() && m.State != MessageWaiting && m.State != MessageCanceled
	})
	if n < 0 || messages[n].State != MessageFailed {
		return "", false
	}
	return cmp.Or(messages[n].Error, "Nobody knows why."), true
}

// NextDigest is when a location's desk is next written to.
func (l Location) NextDigest(now time.Time) time.Time {
	here := now.In(zone(l.TimeZone))
	at := time.Date(here.Year(), here.Month(), here.Day(), digestHour, 0, 0, 0, here.Location())
	if !at.After(now) {
		at = time.Date(here.Year(), here.Month(), here.Day()+1, digestHour, 0, 0, 0, here.Location())
	}
	return at
}

// Zone is the location's time zone; UTC where it says none.
func (l Location) Zone() *time.Location { return zone(l.TimeZone) }

// Day is the date of a moment by the location's clock.
func (l Location) Day(at time.Time) string { return at.In(zone(l.TimeZone)).Format(DateForm) }

// LatestFind is the last day on which something can have been found there: tomorrow, because not every location says in which time zone it is.
func (l Location) LatestFind(now time.Time) string { return l.Day(now.AddDate(0, 0, 1)) }

// TaskKind says what waits for the desk.
type TaskKind string

// The kinds of task.
const (
	AnswerTask      TaskKind = "answer-request"  // a request is not decided
	MatchTask       TaskKind = "confirm-match"   // something was found that is likely what a request is about
	PickupTask      TaskKind = "pickup-today"    // the owner comes today
	NextPickupTask  TaskKind = "pickup-next"     // the owner comes within some days: nothing waits yet, so that neither programs nor mails tell of it
	MissedTask      TaskKind = "pickup-missed"   // the day of a pick-up has passed, and the desk has not said that it was collected
	ShipTask        TaskKind = "ship"            // paid for, not shipped
	ShippingTask    TaskKind = "shipping-wanted" // the owner gave an address; what it costs is the desk's to say
	OverdueTask     TaskKind = "store-until"     // kept for longer than the location keeps things
	DisownedTask    TaskKind = "not-theirs"      // the person who was told says that it is not theirs
	UnreachableTask TaskKind = "unreachable"     // the message to the owner was refused or came back
	LabelTask       TaskKind = "label-refused"   // paid for, and the carrier does not take it as it is
	ParcelTask      TaskKind = "parcel-trouble"  // the carrier says that it comes back, or is lost
	RefundTask      TaskKind = "refund-due"      // money could not be given back, or a fee was paid for what is not sent
)

// TaskKinds lists those that wait, the most urgent first: somebody stands at the desk, somebody waits for an answer, somebody has paid, and last
// what only takes up room.
func TaskKinds() []TaskKind {
	return []TaskKind{PickupTask, MatchTask, AnswerTask, ShipTask, LabelTask, ParcelTask, RefundTask, ShippingTask, MissedTask, UnreachableTask, DisownedTask, OverdueTask}
}

// foresight is for how many days before a pick-up the desk sees it coming: for tomorrow and the week that follows.
const foresight = 8

// TaskReason tells why a task is there, where there is more to say than its kind does.
func (i Item) TaskReason(kind TaskKind) string {
	switch p := i.Parcel; {
	case p.Trouble(kind) != "":
		return p.Trouble(kind)
	case kind == RefundTask:
		return "The fee was paid, and the item is not sent: give it back, or send it."
	case kind != ShippingTask:
		return ""
	case p.PayBy == PayDesk && p.Price.Known():
		return "The owner agrees to " + p.Price.String() + "."
	default:
		return p.Unpriced
	}
}

// Task is something that waits for a location's desk. It goes away when it is done, by itself.
type Task struct {
	Account    string
	LocationID string
	ItemID     string
	Kind       TaskKind
	Since      time.Time
	Item       Item // as it is now
	// LocationName is there where tasks of several locations stand together.
	LocationName string
}

// Waits tells whether a task is to be done now.
func (k TaskKind) Waits() bool { return k != NextPickupTask }

// Comes tells whether a task is that somebody comes, at a time that they said and may change.
func (k TaskKind) Comes() bool { return k == PickupTask || k == NextPickupTask }

// Turn is when it is the turn of a task that is there since a time: the oldest are seen to first, and of those who come whoever comes first. Who did
// not say when may come at any time.
func (i Item) Turn(kind TaskKind, since time.Time) time.Time {
	if !kind.Comes() {
		return since
	}
	if at, err := time.ParseInLocation(DateForm+" "+TimeForm, i.Pickup.Date+" "+cmp.Or(i.Pickup.Time, "00:00"), zone(i.Terms.TimeZone)); err == nil {
		return at
	}
	return since
}

// TaskGroup is what waits of one kind: the first few, and how many there are.
type TaskGroup struct {
	Kind  TaskKind
	Tasks []Task // in their turn: see Turn
	Total
}

// Tasks lists what an item has waiting for the desk, and when that changes by itself; zero where it does not. unreachable says
// that the last message to the owner came to nothing.
func (i Item) Tasks(unreachable bool, now time.Time) (kinds []TaskKind, next time.Time) {
	where := zone(i.Terms.TimeZone)
	from := func(day string, days int, kind TaskKind) { // from so many days after
		at, err := time.ParseInLocation(DateForm, day, where)
		if err != nil {
			return
		}
		if at = at.AddDate(0, 0, days); at.After(now) {
			next = at
			return
		}
		kinds = append(kinds, kind)
	}
	if i.Source == Request {
		if i.Claim.State == RequestPending {
			kinds = append(kinds, AnswerTask)
		}
		if unreachable && i.Claim.State != RequestWithdrawn {
			kinds = append(kinds, UnreachableTask)
		}
		return kinds, next
	}
	switch i.Status {
	case PickUp:
		if i.Pickup.Planned && i.ClosedAt.IsZero() {
			from(i.Pickup.Date, 1, MissedTask)
			from(i.Pickup.Date, 0, PickupTask)
			from(i.Pickup.Date, -foresight, NextPickupTask)
			kinds = kinds[:min(len(kinds), 1)] // the last of them that has begun
		}
	case FeePaid:
		kinds = append(kinds, ShipTask)
	case InfoCompleted:
		from(i.StoreUntil(), 1, OverdueTask)
		if !i.Parcel.PayBy.Online() || !i.Parcel.Offered { // else it is the owner's turn
			kinds = append(kinds, ShippingTask)
		}
	case Pending:
		from(i.StoreUntil(), 1, OverdueTask)
		if !i.DisownedAt.IsZero() {
			kinds = append(kinds, DisownedTask)
		}
	}
	kinds = append(kinds, i.Parcel.tasks(i.Status)...)
	if unreachable && (i.Status == Pending || i.Status == PickUp) {
		kinds = append(kinds, UnreachableTask)
	}
	slices.Sort(kinds)
	return slices.Compact(kinds), next
}

// WorthALook tells whether a change may bring a reminder or a task, or take one away.
func (i Item) WorthALook(before Item) bool {
	return i.Status != before.Status || i.Pickup != before.Pickup || i.DiscoveryDate != before.DiscoveryDate || i.Claim.State != before.Claim.State ||
		i.Owner.Address() != before.Owner.Address() || !i.ClosedAt.Equal(before.ClosedAt) || !i.DisownedAt.Equal(before.DisownedAt) ||
		!i.Parcel.Equal(before.Parcel) || i.StoreUntil() != before.StoreUntil()
}

// Earliest is the first of some moments, passing over those that never come.
func Earliest(times ...time.Time) time.Time {
	times = slices.DeleteFunc(slices.Clone(times), time.Time.IsZero)
	if len(times) == 0 {
		return time.Time{}
	}
	return slices.MinFunc(times, func(a, b time.Time) int { return cmp.Compare(a.UnixNano(), b.UnixNano()) })
}
