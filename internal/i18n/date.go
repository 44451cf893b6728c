package i18n

import (
	"strconv"
	"time"
)

// Date writes a day, YYYY-MM-DD, with its weekday: "Friday 20 November 2026". What
// is not a day comes back as it is: a page with an odd date is better than no page.
func (l *Language) Date(day string) string { return l.date("common.date.full", day) }

// WorkingDays says how long something takes, in working days; empty where nobody knows.
func (l *Language) WorkingDays(from, to int) string {
	to = max(from, to)
	switch {
	case to <= 0:
		return ""
	case from <= 0:
		return l.Say("common.days.most", "n", to)
	case from == to:
		return l.Say("common.days", "n", to)
	default:
		return l.Say("common.days.range", "from", from, "to", to)
	}
}

// Service names how a parcel is sent. What the built-in tariff calls it has a word in each language; what a location or a carrier
// calls it is a name.
func (l *Language) Service(name string) string {
	switch name {
	case "Standard parcel":
		return l.Say("common.service.parcel")
	case "Standard letter":
		return l.Say("common.service.letter")
	default:
		return name
	}
}

// DayMonth writes a day, YYYY-MM-DD, where there is little room: "20 November".
func (l *Language) DayMonth(day string) string { return l.date("common.date.short", day) }

// Time writes a time of day, HH:mm. All our languages read the 24-hour clock that way.
func (*Language) Time(clock string) string { return clock }

func (l *Language) date(pattern, day string) string {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day
	}
	weekday := (int(t.Weekday())+6)%7 + 1 // Monday is the first, as in ISO 8601
	return l.Say(pattern,
		"weekday", l.Say("common.weekday."+strconv.Itoa(weekday)),
		"day", l.dayOfMonth(t.Day()),
		"month", l.Say("common.month."+strconv.Itoa(int(t.Month()))),
		"year", strconv.Itoa(t.Year())) // no number with thousands
}

// dayOfMonth knows that some languages call the first day the first, and count the others.
func (l *Language) dayOfMonth(day int) string {
	if day == 1 {
		return l.Say("common.date.first")
	}
	return strconv.Itoa(day)
}
