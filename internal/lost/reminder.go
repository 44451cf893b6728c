package lost

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ReminderSchedule specifies when guests are sent reminders. All intervals are in days.
type ReminderSchedule struct {
	AfterNotice       []int // after the first message, while the owner has not chosen
	BeforeStoreUntil  []int // before the storage time ends, while the owner has not chosen
	BeforePickup      []int // before the day of a pick-up
	AfterMissedPickup []int // after the day of a missed pick-up
}

// DefaultReminderSchedule returns the schedule for locations that have not set one.
func DefaultReminderSchedule() ReminderSchedule {
	return ReminderSchedule{
		AfterNotice: []int{3, 7}, BeforeStoreUntil: []int{3}, BeforePickup: []int{1}, AfterMissedPickup: []int{1},
	}
}

func (l ReminderSchedule) equal(o ReminderSchedule) bool {
	return slices.Equal(l.AfterNotice, o.AfterNotice) && slices.Equal(l.BeforeStoreUntil, o.BeforeStoreUntil) &&
		slices.Equal(l.BeforePickup, o.BeforePickup) && slices.Equal(l.AfterMissedPickup, o.AfterMissedPickup)
}

// Limits on a reminder schedule.
const (
	MaxSteps    = 10
	MaxStepDays = 365
)

// ReminderSchedulePatch changes some fields of a ReminderSchedule.
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
	schedule := DefaultReminderSchedule()
	if l.Reminders != nil {
		schedule = *l.Reminders
	}
	standard, v := DefaultReminderSchedule(), p.Reminders.Value
	c.steps(v.AfterNotice, "reminders.afterNotice", standard.AfterNotice, &schedule.AfterNotice)
	c.steps(v.BeforeStoreUntil, "reminders.beforeStoreUntil", standard.BeforeStoreUntil, &schedule.BeforeStoreUntil)
	c.steps(v.BeforePickup, "reminders.beforePickup", standard.BeforePickup, &schedule.BeforePickup)
	c.steps(v.AfterMissedPickup, "reminders.afterMissedPickup", standard.AfterMissedPickup, &schedule.AfterMissedPickup)
	l.Reminders = &schedule
}

func (c *check) steps(f Field[[]int], field string, standard []int, dst *[]int) {
	switch {
	case !f.Sent || c.Has(field):
	case f.Null:
		*dst = standard
	case len(f.Value) > MaxSteps || slices.ContainsFunc(f.Value, func(d int) bool { return d < 1 || d > MaxStepDays }):
		c.Add(field, "out-of-range",
			"must be a list of at most %d numbers of days from 1 to %d; an empty list disables these reminders",
			MaxSteps, MaxStepDays)
	default:
		days := slices.Clone(f.Value)
		slices.Sort(days)
		*dst = slices.Compact(days)
	}
}

// ReminderSchedule returns the reminder schedule of the location.
func (l Location) ReminderSchedule() ReminderSchedule {
	if l.Reminders == nil {
		return DefaultReminderSchedule()
	}
	return *l.Reminders
}

// The hours at which reminders and digests are sent, in the location's time zone.
const (
	reminderHour = 10
	digestHour   = 8
)

// ReminderStep is one reminder, with its kind, time and unique name.
type ReminderStep struct {
	Kind MessageKind
	Once string
	At   time.Time
	// Until is the last day of storage that a last reminder names, unless the desk has chosen that day.
	Until string
}

// renewedAfter is the number of days by which the end of storage must move before a guest who got a last reminder gets
// it again. A last reminder names the day, and a guest should not get several for small changes of a location's rules.
const renewedAfter = 30

// sentAs reports whether a message is the reminder. A last reminder for another day also counts, if the day has moved
// by less than renewedAfter and the desk has not chosen it for the item.
func (s ReminderStep) sentAs(m Message) bool {
	once := onceKey(m.Once)
	if once == s.Once {
		return true
	}
	words, wanted := strings.Fields(once), strings.Fields(s.Once)
	if s.Until == "" || m.Kind != LastCallMessage || len(words) != len(wanted) {
		return false
	}
	last := len(words) - 1 // the number of days before the end
	return words[last] == wanted[last] && s.Until < AddDays(words[last-1], renewedAfter)
}

// waitsForOwner reports whether an owner who can be notified has not chosen yet, and the storage time has not ended.
func waitsForOwner(i Item, now time.Time) bool {
	until := i.StoreUntil()
	return i.Source == Found && i.Status == Pending && i.DisownedAt.IsZero() && i.Owner.Address() != "" &&
		(until == "" || now.In(i.Terms.Zone()).Format(DateLayout) <= until)
}

// Steps lists the reminders for an item in chronological order. The parameter noticed is the time of the first
// notification; it is zero if the owner was not notified.
func (l ReminderSchedule) Steps(i Item, noticed, now time.Time) []ReminderStep {
	var steps []ReminderStep
	location := i.Terms.Zone()
	add := func(kind MessageKind, day string, days int, name string) {
		at, err := time.ParseInLocation(DateLayout, day, location)
		if err != nil {
			return
		}
		at = at.AddDate(0, 0, days)
		at = time.Date(at.Year(), at.Month(), at.Day(), reminderHour, 0, 0, 0, location)
		steps = append(steps, ReminderStep{Kind: kind, Once: stepName(kind, name) + strconv.Itoa(days), At: at})
	}
	if waitsForOwner(i, now) && !noticed.IsZero() {
		until := i.StoreUntil()
		for _, d := range l.AfterNotice {
			add(ReminderMessage, noticed.In(location).Format(DateLayout), d, AddressKey(i.Owner.Address()))
		}
		for _, d := range l.BeforeStoreUntil {
			add(LastCallMessage, until, -d, until)
			if n := len(steps) - 1; n >= 0 && steps[n].Kind == LastCallMessage && until != i.KeepUntil {
				steps[n].Until = until
			}
		}
		steps = slices.DeleteFunc(steps, func(s ReminderStep) bool {
			return s.At.Before(noticed) || until != "" && s.At.Format(DateLayout) > until
		})
	}
	if AwaitsPickup(i) && i.Owner.Address() != "" {
		p := i.Pickup
		for _, d := range l.BeforePickup {
			add(PickupSoonMessage, p.Date, -d, p.Date+" "+p.Time)
		}
		// Skip reminders for times before the pick-up was chosen.
		steps = slices.DeleteFunc(steps, func(s ReminderStep) bool { return s.At.Before(i.MovedAt) })
		for _, d := range l.AfterMissedPickup {
			add(MissedMessage, p.Date, d, p.Date+" "+p.Time)
		}
	}
	slices.SortStableFunc(steps, func(a, b ReminderStep) int { return a.At.Compare(b.At) })
	return steps
}

// FirstCheck returns when an item, whose owner is notified now for the first time, must be checked for reminders and
// tasks. It returns the zero time if no check is needed.
func (l ReminderSchedule) FirstCheck(i Item, now time.Time) time.Time {
	due, next := NextReminder(l.Steps(i, now, now), nil, now)
	tasks, nextTask := i.Tasks(false, now)
	if due != nil || len(tasks) > 0 {
		return now
	}
	return EarliestTime(next, nextTask, l.answerUntil(i, now))
}

// stepName returns the prefix of a step's name.
func stepName(kind MessageKind, about string) string { return string(kind) + " " + about + " " }

// onceKey returns the deduplication key of a message. Earlier versions stored the address in it as it was written.
func onceKey(once string) string {
	words := strings.Split(once, " ")
	for n := range words {
		words[n] = AddressKey(words[n])
	}
	return strings.Join(words, " ")
}

// NextReminder returns the reminder that is due, or nil if there is none or it is already among the messages. It also
// returns the time of the next reminder, or zero if there is none. If several reminders are due, only the last one is
// returned, so that a guest does not get several reminders at the same time.
func NextReminder(steps []ReminderStep, messages []Message, now time.Time) (due *ReminderStep, next time.Time) {
	for _, s := range steps {
		switch {
		case s.At.After(now):
			if next.IsZero() || s.At.Before(next) {
				next = s.At
			}
		case slices.ContainsFunc(messages, s.sentAs):
			due = nil // earlier reminders are obsolete
		default:
			due = &s
		}
	}
	return due, next
}

// NotifiedAt returns when the owner of an item was first notified, or zero if they were not. The item's messages are
// sorted newest first.
func (o Owner) NotifiedAt(messages []Message) (at time.Time) {
	for _, m := range messages {
		done := m.State == MessageSent || m.State == MessageSaved
		if done && SameAddress(m.To, o.Address()) && (m.Kind == NoticeMessage || m.Kind == MatchMessage) {
			at = m.SettledAt
		}
	}
	return at
}

// DeliveryProblem reports whether and why the last message to the owner of an item failed. The item's messages are
// sorted newest first. Messages that are not sent yet are ignored.
func (o Owner) DeliveryProblem(messages []Message) (why string, is bool) {
	n := slices.IndexFunc(messages, func(m Message) bool {
		return SameAddress(m.To, o.Address()) && m.State != MessageWaiting && m.State != MessageCanceled
	})
	if n < 0 || messages[n].State != MessageFailed {
		return "", false
	}
	return cmp.Or(messages[n].Error, "The reason is not known."), true
}

// NextDigest returns when the next digest is sent to the location's desk.
func (l Location) NextDigest(now time.Time) time.Time {
	here := now.In(zone(l.TimeZone))
	at := time.Date(here.Year(), here.Month(), here.Day(), digestHour, 0, 0, 0, here.Location())
	if !at.After(now) {
		at = time.Date(here.Year(), here.Month(), here.Day()+1, digestHour, 0, 0, 0, here.Location())
	}
	return at
}

// Zone returns the location's time zone, or UTC if it has none.
func (l Location) Zone() *time.Location { return zone(l.TimeZone) }

// Day returns the date of a time in the location's time zone.
func (l Location) Day(at time.Time) string { return at.In(zone(l.TimeZone)).Format(DateLayout) }

// LatestDiscovery returns the last possible discovery date. It is tomorrow, because not every location has set its
// time zone.
func (l Location) LatestDiscovery(now time.Time) string { return l.Day(now.AddDate(0, 0, 1)) }

// EarliestTime returns the earliest of some times, ignoring zero times. It returns the zero time if there are no
// others.
func EarliestTime(times ...time.Time) time.Time {
	times = slices.DeleteFunc(slices.Clone(times), time.Time.IsZero)
	if len(times) == 0 {
		return time.Time{}
	}
	return slices.MinFunc(times, func(a, b time.Time) int { return cmp.Compare(a.UnixNano(), b.UnixNano()) })
}
