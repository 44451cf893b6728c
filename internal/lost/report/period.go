// Package report computes the figures of reports: how many items were found and what became of them, how long that
// took, what is in storage, how fast claimants were answered, and the money. It is pure. Its caller reads the facts.
package report

import (
	"time"

	"homeward/internal/lost"
)

// Period is a range of days, in the time zone of each location. Both days are included.
type Period struct{ From, To string }

// Limits of periods.
const (
	DefaultDays = 30
	MaxDays     = 3 * 366
	cohorts     = 12 // months of discovery that a report shows at least
)

// Last returns the period of a number of days that ends with the given day.
func Last(days int, today string) Period {
	return Period{From: lost.AddDays(today, 1-days), To: today}
}

// NewPeriod returns the period from one day to another. If both are empty, it is the last DefaultDays days until
// today. If only one is empty, the period has DefaultDays days or, without to, ends at most today.
func NewPeriod(from, to, today string) (Period, error) {
	var problems lost.Problems
	for _, f := range [][2]string{{"from", from}, {"to", to}} {
		if _, ok := lost.ParseDate(f[1]); f[1] != "" && !ok {
			problems.Add(f[0], "invalid-date", "must be a valid date in the format YYYY-MM-DD")
		}
	}
	if len(problems) > 0 {
		return Period{}, problems.Err()
	}
	p := Period{From: from, To: to}
	if p.To == "" {
		p.To = max(today, from)
	}
	if p.From == "" {
		p.From = lost.AddDays(p.To, 1-DefaultDays)
	}
	switch {
	case p.From > p.To:
		problems.Add("to", "before-from", "must not be before from")
	case p.Days() > MaxDays:
		problems.Add("from", "out-of-range", "is too early: a period has at most %d days", MaxDays)
	}
	return p, problems.Err()
}

// Days returns the number of days.
func (p Period) Days() int { return daysBetween(p.From, p.To) + 1 }

// Before returns the period before this one. Whole calendar months are compared with as many months; other periods with
// as many days.
func (p Period) Before() Period {
	to := lost.AddDays(p.From, -1)
	first, next := parse(p.From), parse(p.To).AddDate(0, 0, 1)
	if first.Day() != 1 || next.Day() != 1 {
		return Period{From: lost.AddDays(p.From, -p.Days()), To: to}
	}
	months := int(lost.MonthOf(next) - lost.MonthOf(first))
	return Period{From: first.AddDate(0, -months, 0).Format(lost.DateLayout), To: to}
}

// Bounds returns when the period begins and ends in a time zone. The end is not included.
func (p Period) Bounds(zone *time.Location) (begin, end time.Time) {
	return startOf(p.From, zone), startOf(lost.AddDays(p.To, 1), zone)
}

// Bounds returns when a range of days begins and ends in a time zone. A day that is empty does not limit it.
func Bounds(from, to string, zone *time.Location) (b lost.ReportBounds) {
	if from != "" {
		b.Begin = startOf(from, zone)
	}
	if to != "" {
		b.End = startOf(lost.AddDays(to, 1), zone)
	}
	return b
}

// startOf returns when a day begins. If the clocks skip midnight, it begins when they are changed.
func startOf(day string, zone *time.Location) time.Time {
	d := parse(day)
	begin := time.Date(d.Year(), d.Month(), d.Day(), 0, 0, 0, 0, zone)
	if begin.Day() != d.Day() {
		_, begin = begin.ZoneBounds()
	}
	return begin
}

// months returns the months of discovery that a report of the period shows: those of the period, and at least as many
// as cohorts.
func (p Period) months() (first, last lost.Month) {
	last = lost.MonthOf(parse(p.To))
	return min(lost.MonthOf(parse(p.From)), last-cohorts+1), last
}

// MonthPeriod returns the days of a month.
func MonthPeriod(m lost.Month) Period {
	first := m.FirstDay()
	return Period{From: first.Format(lost.DateLayout), To: first.AddDate(0, 1, -1).Format(lost.DateLayout)}
}

func parse(day string) time.Time {
	t, _ := time.Parse(lost.DateLayout, day)
	return t
}

func daysBetween(from, to string) int {
	const day = 24 * 60 * 60
	return int((parse(to).Unix() - parse(from).Unix()) / day) // a time.Duration has at most 292 years
}
