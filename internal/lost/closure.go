package lost

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// MaxClosures is the maximum number of closures of a location.
const MaxClosures = 200

// Closure is a period in which a location is closed, from its first to its last day. If it is yearly, these are the
// days of the first year, and the location is closed on the same days of all later years.
type Closure struct {
	From, To, Reason string
	Yearly           bool
}

// addYears returns a yearly closure as it is a number of years after the first one. Instead of 29 February, it begins
// or ends on 28 February in years that do not have that day.
func (c Closure) addYears(years int) Closure {
	c.From, c.To = addYears(c.From, years), addYears(c.To, years)
	return c
}

func addYears(day string, n int) string {
	year := yearOf(day) + n
	if year > maxYear {
		return lastDate
	}
	const leapDay = "-02-29"
	date := fmt.Sprintf("%04d%s", year, day[len("2006"):])
	if _, ok := ParseDate(date); !ok && day[len("2006"):] == leapDay {
		return fmt.Sprintf("%04d-02-28", year)
	}
	return date
}

// The last year and the last day of dates.
const (
	maxYear  = 9999
	lastDate = "9999-12-31"
)

// yearOf returns the year of a date, or 0 if it is not valid.
func yearOf(day string) int {
	year, _ := strconv.Atoi(day[:min(len(day), len("2006"))])
	return year
}

// between returns the closure if it includes days of a period. A yearly one is returned for each year that does.
func (c Closure) between(from, to string) (all []Closure) {
	first, last := 0, 0
	if c.Yearly {
		first, last = max(0, yearOf(from)-yearOf(c.To)), yearOf(to)-yearOf(c.From)
	}
	for years := first; years <= last; years++ {
		if now := c.addYears(years); now.From <= to && from <= now.To {
			all = append(all, now)
		}
	}
	return all
}

// ClosureOn returns the closure that includes a day, or nil if there is none. A yearly closure is returned with the
// days of that year.
func (l Location) ClosureOn(day string) *Closure {
	for _, c := range l.Closures {
		if found := c.between(day, day); len(found) > 0 {
			return &found[0]
		}
	}
	return nil
}

// ClosuresBetween returns the closures that include days of a period of at most a few years, by their first day. Yearly
// ones are returned for each year, with the days of that year.
func (l Location) ClosuresBetween(from, to string) (all []Closure) {
	for _, c := range l.Closures {
		all = append(all, c.between(from, to)...)
	}
	slices.SortStableFunc(all, func(a, b Closure) int { return cmp.Compare(a.From, b.From) })
	return all
}

// NextClosures returns the closures that have not passed on a day, by their first day. Yearly ones are returned once.
func (l Location) NextClosures(day string) (next []Closure) {
	for _, c := range l.Closures {
		if c.Yearly {
			start := max(day, c.From)
			if found := c.between(start, addYears(start, 1)); len(found) > 0 {
				next = append(next, found[0])
			}
		} else if c.To >= day {
			next = append(next, c)
		}
	}
	slices.SortStableFunc(next, func(a, b Closure) int { return cmp.Compare(a.From, b.From) })
	return next
}

// ValidClosure reports whether a closure has a real first day, and a last day that is empty or that can follow it.
func ValidClosure(sent Closure) bool {
	var c check
	c.closure(sent, "")
	return len(c.Problems) == 0
}

func (p LocationPatch) applyClosures(c *check, l *Location) {
	const field = "closures"
	switch {
	case !p.Closures.Sent || c.Has(field):
		return
	case len(p.Closures.Value) > MaxClosures:
		c.Add(field, "too-many", "must have at most %d elements; remove those that have passed", MaxClosures)
		return
	}
	before := len(c.Problems)
	var closures []Closure
	for n, sent := range p.Closures.Value {
		closures = append(closures, c.closure(sent, fmt.Sprintf("%s[%d]", field, n)))
	}
	slices.SortStableFunc(closures, func(a, b Closure) int { return cmp.Compare(a.From, b.From) })
	if len(c.Problems) == before {
		l.Closures = closures
	}
}

// closure returns a valid closure, or adds problems.
func (c *check) closure(sent Closure, field string) (out Closure) {
	before := len(c.Problems)
	out.Yearly = sent.Yearly
	c.Require(field+".from", sent.From)
	c.date(Set(sent.From), field+".from", &out.From)
	c.date(Set(sent.To), field+".to", &out.To)
	c.line(Set(sent.Reason), field+".reason", MaxShort, &out.Reason)
	if out.To != "" && out.To < out.From {
		c.Add(field+".to", "before-from", "must be the same day as from, or a later one")
	}
	out.To = cmp.Or(out.To, out.From)
	if len(c.Problems) == before && out.Yearly && out.To >= out.addYears(1).From {
		c.Add(field+".to", "too-far", "must be less than a year after from, because the closure is yearly")
	}
	return out
}
