package locations

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"homeward/internal/itemcsv"
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// closuresField and yearlyField are the names of the inputs with the closures of one year, and those of every year.
const (
	closuresField = "closures"
	yearlyField   = "closures.yearly"
)

// setClosures sets the inputs with the closures.
func setClosures(values url.Values, closures []lost.Closure, format func(day string) string) {
	var once, yearly []lost.Closure
	for _, c := range closures {
		if c.Yearly {
			yearly = append(yearly, c)
		} else {
			once = append(once, c)
		}
	}
	values.Set(closuresField, closureLines(once, format))
	values.Set(yearlyField, closureLines(yearly, format))
}

// closureLines writes one closure on each line, with the dates in the given format.
func closureLines(closures []lost.Closure, format func(day string) string) string {
	var lines []string
	for _, c := range closures {
		line := format(c.From)
		if c.To != c.From {
			line += " – " + format(c.To)
		}
		lines = append(lines, strings.TrimSpace(line+" "+c.Reason))
	}
	return strings.Join(lines, "\n")
}

// readClosures reads one closure from each line of an input that is not empty. It reports the first invalid line as a
// problem. The number of the line is the first number in the message, so that other languages can name it.
func readClosures(lang frame.Locale, values url.Values, field string, problems *lost.Problems) []lost.Closure {
	var closures []lost.Closure
	for n, line := range strings.Split(values.Get(field), "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		c, ok := readClosure(line, dateOrder(lang))
		c.Yearly = field == yearlyField
		if !ok || !lost.ValidClosure(c) {
			problems.Add(field, "invalid-closure", "line %d must have the first day, the last day and a reason, "+
				"such as 24 Dec 2026 – 26 Dec 2026 Christmas; check “%s”", n+1, lost.Shorten(line, lost.MaxName))
			return nil
		}
		if closures = append(closures, c); len(closures) > lost.MaxClosures { // the domain rejects them
			break
		}
	}
	return closures
}

// dateOrder returns the order of day and month in a date such as 3/4/2026. It is not known in English, which is written
// in both orders, and in languages that begin with the year.
func dateOrder(lang frame.Locale) lost.DateOrder {
	if slices.Contains([]string{"en", "ja", "zh"}, lang.Tag()) {
		return ""
	}
	return lost.DayFirst
}

// separator is what can be between the first and the last day of a closure. shortStart is a first day whose year, and
// perhaps its month, are only in the last day, as in 24.–26.12.2026 and 24.12.–2.1.2027.
var (
	separator = regexp.MustCompile(
		`^\s*(-|–|—|/|\.\.|~|～|〜|至|から|(?:to|until|bis|au|al|a|à|hasta|tot|t/m|do|até)\s)?\s*`)
	shortStart = regexp.MustCompile(`^(\d{1,2})\.?(?:(\d{1,2})\.?)?\s*(?:-|–|—)\s*`)
)

// readClosure reads a closure such as "24.12.2026 – 26.12.2026 Christmas".
func readClosure(line string, order lost.DateOrder) (c lost.Closure, ok bool) {
	from, rest := cutDate(line, order)
	c.From = from
	if from == "" {
		m := shortStart.FindStringSubmatch(line)
		if m == nil {
			return c, false
		}
		if c.To, rest = cutDate(line[len(m[0]):], order); c.To == "" {
			return c, false
		}
		c.From = dayBefore(c.To, m[1], m[2])
	} else if m := separator.FindStringSubmatch(rest); len(m[0]) < len(rest) {
		after := rest[len(m[0]):]
		to, behind := cutDate(after, order)
		if to == "" && m[1] != "" && unicode.IsDigit(rune(after[0])) { // an invalid last day must not become the reason
			return c, false
		}
		if to != "" {
			c.To, rest = to, behind
		}
	}
	c.Reason = lost.Truncate(strings.TrimLeft(rest, " \t,;:.–—-"), lost.MaxShort)
	return c, true
}

// dayBefore returns the last date with a day and a month, which may be empty, that is not after another date.
func dayBefore(last, day, month string) string {
	year, _ := strconv.Atoi(last[:4])
	first, _ := itemcsv.ParseDate(last[:4]+"-"+cmp.Or(month, last[5:7])+"-"+day, "", lastYear)
	if first > last && month != "" {
		first, _ = itemcsv.ParseDate(strconv.Itoa(year-1)+"-"+month+"-"+day, "", lastYear)
	}
	return first
}

// lastYear is the last year that two digits can mean.
const lastYear = 2099

// cutDate returns the longest date at the beginning of a text, and what follows it. It returns an empty date if there
// is none.
func cutDate(text string, order lost.DateOrder) (date, rest string) {
	const longest = 40 // bytes
	for end := min(len(text), longest); end > 0; end-- {
		isEnd := end == len(text) || strings.ContainsRune(" \t-–—/.,;:~～〜至か", []rune(text[end:])[0]) ||
			strings.HasSuffix(text[:end], "日")
		if !isEnd {
			continue
		}
		if day, ok := itemcsv.ParseDate(text[:end], order, lastYear); ok {
			return day, text[end:]
		}
	}
	return "", text
}

// repeatClosures adds the closures of this and the last year to the form again, one year later, if the user pressed the
// button for it. It leaves out those that have passed and those that are there already. It reports false if there is
// nothing to do, or if a closure is invalid.
func (c *call) repeatClosures(l lost.Location, values url.Values) bool {
	if !values.Has("repeat") {
		return false
	}
	var problems lost.Problems
	closures := readClosures(c.Locale, values, closuresField, &problems)
	if len(problems) > 0 {
		return false
	}
	today := l.Day(c.Now())
	last := lost.AddDays(today[:4]+"-01-01", -1)[:4]
	for _, old := range slices.Clone(closures) {
		again := lost.Closure{From: nextYear(old.From), To: nextYear(cmp.Or(old.To, old.From)), Reason: old.Reason}
		exists := slices.ContainsFunc(closures, func(o lost.Closure) bool {
			return o.From == again.From || o.Reason != "" && o.Reason == again.Reason && o.From[:4] == again.From[:4]
		})
		if old.From >= last && old.From[:4] <= today[:4] && again.To >= today && !exists {
			closures = append(closures, again)
		}
	}
	for n := range closures {
		closures[n].To = cmp.Or(closures[n].To, closures[n].From)
	}
	slices.SortStableFunc(closures, func(a, b lost.Closure) int { return cmp.Compare(a.From, b.From) })
	values.Set(closuresField, closureLines(closures, c.ShortDateYear))
	return true
}

// nextYear returns the same day of the next year, and 28 February for 29 February.
func nextYear(day string) string {
	year, _ := strconv.Atoi(day[:4])
	next, ok := lost.ParseDate(strconv.Itoa(year+1) + day[4:])
	if !ok {
		return strconv.Itoa(year+1) + "-02-28"
	}
	return next
}
