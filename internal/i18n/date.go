package i18n

import (
	"strconv"
	"time"
)

// Date formats a date in the format YYYY-MM-DD with its weekday: "Friday 20 November 2026". It returns any other text
// unchanged, because a page with an unformatted date is better than an error.
func (l *Language) Date(day string) string { return l.date("common.date.full", day) }

// WorkingDays formats a range of working days. It returns an empty string if the range is unknown.
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

// Service returns the name of a shipping service. Names in the built-in tariff are translated; names that locations
// or carriers have chosen are not.
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

// DayMonth formats a date in the format YYYY-MM-DD without weekday and year: "20 November".
func (l *Language) DayMonth(day string) string { return l.date("common.date.short", day) }

// ShortDate formats a date in the format YYYY-MM-DD with abbreviated names and without the year: "Fri 20 Nov".
func (l *Language) ShortDate(day string) string { return l.date("common.date.brief", day) }

// ShortDateYear formats a date in the format YYYY-MM-DD with an abbreviated month: "20 Nov 2026".
func (l *Language) ShortDateYear(day string) string { return l.date("common.date.year", day) }

// Moment formats a date, in the form that another method returned, and a time of day: "Friday 20 November 2026, 14:30".
func (l *Language) Moment(date, clock string) string {
	return l.Say("common.date.moment", "date", date, "time", l.Time(clock))
}

// Time formats a time of day in the format HH:mm. It is returned unchanged, because the 24-hour clock is used in all
// languages.
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
		"shortWeekday", l.Say("common.weekday.short."+strconv.Itoa(weekday)),
		"month", l.Say("common.month."+strconv.Itoa(int(t.Month()))),
		"shortMonth", l.Say("common.month.short."+strconv.Itoa(int(t.Month()))),
		"year", strconv.Itoa(t.Year())) // without a thousands separator
}

// dayOfMonth formats a day of the month. Some languages use an ordinal number for the first day only.
func (l *Language) dayOfMonth(day int) string {
	if day == 1 {
		return l.Say("common.date.first")
	}
	return strconv.Itoa(day)
}
