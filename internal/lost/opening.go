package lost

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Limits of the opening hours of a location.
const (
	MaxOpeningHours = 28
	MinSlotMinutes  = 5
	MaxSlotMinutes  = 480
	MaxSlotCapacity = 1000
	endOfDay        = "24:00"
	minutesPerHour  = 60
	minutesPerDay   = 24 * minutesPerHour
)

// Weekdays lists the names of the days of the week, Monday first.
func Weekdays() []string { return []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"} }

// OpeningHours are the hours in which guests can pick up items on some days of the week, in the location's time zone.
// To is always later than From, and 24:00 at the end of the day.
type OpeningHours struct {
	Days     []string // a subset of Weekdays
	From, To string
}

// Slots divide the opening hours, so that only a number of guests come at the same time. The zero value means that
// guests choose any time.
type Slots struct {
	Minutes  int
	Capacity int // how many items can be picked up in a slot
}

// SlotsPatch changes some fields of Slots.
type SlotsPatch struct{ Minutes, Capacity Field[int] }

// Slot is a part of the opening hours that guests can choose. Its times are those on the clock at the location.
type Slot struct {
	Date, Time, End  string // End is 24:00 at the end of the day
	Capacity, Booked int
}

// Free returns how many more items can be picked up in the slot.
func (s Slot) Free() int { return max(0, s.Capacity-s.Booked) }

// Bookings counts the planned pick-ups of a location, by day and time as in "2026-11-20 10:30".
type Bookings map[string]int

// On returns the number of pick-ups on a day.
func (b Bookings) On(day string) (n int) {
	for at, count := range b {
		if strings.HasPrefix(at, day+" ") {
			n += count
		}
	}
	return n
}

// HoursOn returns the hours in which guests can pick up items on a day, in order. It returns none if the location is
// closed. A location without opening hours has the pick-up window on every day.
func (l Location) HoursOn(day string) []PickupWindow {
	date, err := time.Parse(DateLayout, day)
	if err != nil || l.ClosureOn(day) != nil {
		return nil
	}
	if len(l.OpeningHours) == 0 {
		return []PickupWindow{l.Pickup}
	}
	return l.HoursOfWeekday(Weekdays()[(int(date.Weekday())+6)%7])
}

// HoursOfWeekday returns the opening hours of a day of the week, in order.
func (l Location) HoursOfWeekday(weekday string) (hours []PickupWindow) {
	for _, h := range l.OpeningHours {
		if slices.Contains(h.Days, weekday) {
			hours = append(hours, PickupWindow{h.From, h.To})
		}
	}
	slices.SortFunc(hours, func(a, b PickupWindow) int { return cmp.Compare(a.From, b.From) })
	return hours
}

// OpenAt reports whether guests can pick up items on a day at a time. A pick-up without a time only needs a day that is
// not closed. Nobody can come at a time that the clock at the location skips.
func (l Location) OpenAt(day, at string) bool {
	hours := l.HoursOn(day)
	if at == "" {
		return len(hours) > 0
	}
	open := slices.ContainsFunc(hours, func(w PickupWindow) bool { return w.includes(at) })
	return open && !clockSkips(l.Zone(), day, at)
}

// SlotsOn returns the slots of a day in order. A time that the clock at the location skips has no slot. A time that it
// shows twice has one. Bookings count in the slot that their time is in, also if they were made before the slots
// changed.
func (l Location) SlotsOn(day string, booked Bookings) (slots []Slot) {
	if l.Slots.Minutes == 0 {
		return nil
	}
	for _, w := range l.HoursOn(day) {
		last := clockMinutes(w.To) - l.Slots.Minutes
		for at := clockMinutes(w.From); at <= last; at += l.Slots.Minutes {
			s := Slot{
				Date: day, Time: clockTime(at), End: clockTime(at + l.Slots.Minutes), Capacity: l.Slots.Capacity,
			}
			if clockSkips(l.Zone(), day, s.Time) {
				continue
			}
			for n := at; n < at+l.Slots.Minutes && len(booked) > 0; n++ {
				s.Booked += booked[day+" "+clockTime(n)]
			}
			slots = append(slots, s)
		}
	}
	return slots
}

// SlotsBetween returns the slots of some days that are in the future, in order. It returns those of at most MaxSlotDays
// days.
func (l Location) SlotsBetween(from, to string, booked Bookings, now time.Time) (slots []Slot) {
	here := now.In(l.Zone()).Format(DateLayout + " " + TimeLayout)
	day := max(from, here[:len(DateLayout)])
	for range MaxSlotDays {
		if day > to {
			break
		}
		for _, s := range l.SlotsOn(day, booked) {
			if s.Date+" "+s.Time > here {
				slots = append(slots, s)
			}
		}
		next := AddDays(day, 1)
		if next == day {
			break
		}
		day = next
	}
	return slots
}

// SlotAt returns the slot of a day that begins at a time.
func (l Location) SlotAt(day, at string, booked Bookings) (s Slot, found bool) {
	slots := l.SlotsOn(day, booked)
	n := slices.IndexFunc(slots, func(s Slot) bool { return s.Time == at })
	if n < 0 {
		return s, false
	}
	return slots[n], true
}

// CheckSlot returns an error if the slot of an item's pick-up is fully booked. The bookings must not contain the item's
// own. The error names the next free slots.
func (l Location) CheckSlot(i Item, booked Bookings, now time.Time) error {
	if i.Status != PickUp || l.Slots.Minutes == 0 {
		return nil
	}
	if s, found := l.SlotAt(i.Pickup.Date, i.Pickup.Time, booked); !found || s.Free() > 0 {
		return nil
	}
	_, last := i.PickupDays(l, now)
	last = min(last, AddDays(i.Pickup.Date, SlotLookahead))
	free := slices.DeleteFunc(l.SlotsBetween(i.Pickup.Date, last, booked, now),
		func(s Slot) bool { return s.Free() == 0 || s.Date == i.Pickup.Date && s.Time < i.Pickup.Time })
	var names []string
	for _, s := range free[:min(len(free), maxNamedSlots)] {
		names = append(names, s.Date+" "+s.Time)
	}
	var c check
	if len(names) == 0 {
		c.Add("pickupTime", "slot-full", "is fully booked, and so are the next %d days; choose a later day",
			SlotLookahead)
	} else {
		c.Add("pickupTime", "slot-full", "is fully booked; the next free times are %s", strings.Join(names, ", "))
	}
	return c.Err()
}

// SlotLookahead is the number of days after a fully booked slot in which free slots are searched. maxNamedSlots is how
// many of them an error names.
const (
	SlotLookahead = 14
	maxNamedSlots = 3
)

// MaxSlotDays is the maximum number of days whose slots are listed at once.
const MaxSlotDays = 31

// SlotPeriod returns the first and the last day of a list of slots. A day that is not set has its default: the list is
// about a week from today.
func (l Location) SlotPeriod(first, last string, now time.Time) (from, to string, err error) {
	const week = 7
	var c check
	from = cmp.Or(first, l.Day(now))
	to = cmp.Or(last, AddDays(from, week-1))
	switch {
	case to < from:
		c.Add("to", "before-from", "must be the same day as from, or a later one")
	case to > AddDays(from, MaxSlotDays-1):
		c.Add("to", "too-far", "must be at most %d days after from; ask for later days in another request",
			MaxSlotDays-1)
	}
	return from, to, c.Err()
}

// AwaitsPickup reports whether a pick-up of an item is planned, and has not been recorded.
func AwaitsPickup(i Item) bool {
	return i.Status == PickUp && i.Pickup.Planned && i.ClosedAt.IsZero()
}

// PickupPeriod returns when the planned pick-up of an item begins and ends. Without slots it takes half an hour. It
// reports false if no time is planned.
func (l Location) PickupPeriod(i Item) (start, end time.Time, planned bool) {
	const usual = 30
	if !AwaitsPickup(i) || i.Pickup.Time == "" {
		return start, end, false
	}
	start, err := time.ParseInLocation(DateLayout+" "+TimeLayout, i.Pickup.Date+" "+i.Pickup.Time, l.Zone())
	return start, start.Add(time.Duration(cmp.Or(l.Slots.Minutes, usual)) * time.Minute), err == nil
}

// ShownFrom returns the first time of a day, from the given one on in steps of half an hour, that the clock at the
// location shows.
func (l Location) ShownFrom(day, at string) string {
	const step, most = 30, 6 // no clock goes forward by more than three hours, unless it leaves out the day
	for range most {
		if at == "" || !clockSkips(l.Zone(), day, at) {
			break
		}
		at = clockTime((clockMinutes(at) + step) % minutesPerDay)
	}
	return at
}

// clockSkips reports whether the clock in a time zone never shows a time on a day, because it goes forward.
func clockSkips(zone *time.Location, day, at string) bool {
	t, err := time.ParseInLocation(DateLayout+" "+TimeLayout, day+" "+at, zone)
	return err != nil || t.Format(DateLayout+" "+TimeLayout) != day+" "+at
}

// clockMinutes returns the minutes from midnight to a time of day.
func clockMinutes(at string) (n int) {
	if at == endOfDay {
		return minutesPerDay
	}
	t, err := time.Parse(TimeLayout, at)
	if err != nil {
		return 0
	}
	return t.Hour()*minutesPerHour + t.Minute()
}

// clockTime returns the time of day that is a number of minutes after midnight.
func clockTime(n int) string { return fmt.Sprintf("%02d:%02d", n/minutesPerHour, n%minutesPerHour) }

func (p LocationPatch) applyOpeningHours(c *check, l *Location) {
	const field = "openingHours"
	switch {
	case !p.OpeningHours.Sent || c.Has(field):
		return
	case len(p.OpeningHours.Value) > MaxOpeningHours:
		c.Add(field, "too-many", "must have at most %d elements", MaxOpeningHours)
		return
	}
	before := len(c.Problems)
	var hours []OpeningHours
	for n, sent := range p.OpeningHours.Value {
		h := c.openingHours(sent, fmt.Sprintf("%s[%d]", field, n))
		for m, other := range hours {
			if len(c.Problems) == before && h.overlaps(other) {
				c.Add(fmt.Sprintf("%s[%d]", field, n), "overlaps",
					"overlaps with %s[%d] on the same day; combine the two or change their times", field, m)
			}
		}
		hours = append(hours, h)
	}
	if len(c.Problems) == before {
		l.OpeningHours = hours
	}
}

// openingHours returns valid opening hours with the days in order, or adds problems.
func (c *check) openingHours(sent OpeningHours, field string) (h OpeningHours) {
	for _, day := range Weekdays() {
		if slices.Contains(sent.Days, day) {
			h.Days = append(h.Days, day)
		}
	}
	switch {
	case len(sent.Days) == 0:
		c.Add(field+".days", "required", "is required and must be a list of %s", Quoted(Weekdays()))
	case len(h.Days) != len(sent.Days):
		c.Add(field+".days", "not-allowed", "must be a list of %s, each at most once", Quoted(Weekdays()))
	}
	c.Require(field+".from", sent.From)
	c.Require(field+".to", sent.To)
	c.timeOfDay(Set(sent.From), field+".from", &h.From)
	if to := strings.TrimSpace(sent.To); to == endOfDay || to == "00:00" {
		h.To = endOfDay
	} else {
		c.timeOfDay(Set(sent.To), field+".to", &h.To)
	}
	if h.From != "" && h.To != "" && h.From >= h.To {
		c.Add(field+".from", "not-before-to",
			"must be earlier than to; enter hours that pass midnight as two elements, one until 24:00")
	}
	return h
}

// ValidHours reports whether hours are times of one day, and their start is before their end.
func ValidHours(w PickupWindow) bool {
	var c check
	c.openingHours(OpeningHours{Days: Weekdays(), From: w.From, To: w.To}, "")
	return len(c.Problems) == 0
}

func (h OpeningHours) overlaps(o OpeningHours) bool {
	sameDay := slices.ContainsFunc(h.Days, func(d string) bool { return slices.Contains(o.Days, d) })
	return sameDay && h.From < o.To && o.From < h.To
}

func (p LocationPatch) applySlots(c *check, l *Location) {
	applyObject(p.Slots, &l.Slots, func(p SlotsPatch, dst *Slots) {
		c.between(p.Minutes, "slots.minutes", MinSlotMinutes, MaxSlotMinutes, &dst.Minutes)
		c.between(p.Capacity, "slots.capacity", 1, MaxSlotCapacity, &dst.Capacity)
		if dst.Minutes == 0 && dst.Capacity == 0 {
			return
		}
		if dst.Minutes == 0 && !c.Has("slots.minutes") {
			c.Add("slots.minutes", "required", "is required together with slots.capacity")
		}
		if dst.Capacity == 0 && !c.Has("slots.capacity") {
			c.Add("slots.capacity", "required", "is required together with slots.minutes")
		}
	})
	if (p.Slots.Sent || p.OpeningHours.Sent) && !c.Has("slots.minutes") && l.hasShortHours() {
		c.Add("slots.minutes", "out-of-range", "must be at most as long as the shortest opening hours")
	}
	hours := len(l.OpeningHours) > 0 || len(p.OpeningHours.Value) > 0 // invalid ones have a problem already
	if (p.Slots.Sent || p.OpeningHours.Sent) && l.Slots != (Slots{}) && !hours && !c.Has("openingHours") {
		c.Add("openingHours", "required", "is required for slots; add the hours, or send null for slots")
	}
}

// hasShortHours reports whether some opening hours are shorter than a slot, so that nobody could choose them.
func (l *Location) hasShortHours() bool {
	isShort := func(h OpeningHours) bool { return clockMinutes(h.To)-clockMinutes(h.From) < l.Slots.Minutes }
	return slices.ContainsFunc(l.OpeningHours, isShort)
}
