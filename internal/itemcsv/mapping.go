package itemcsv

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"homeward/internal/lost"
)

// Importable lists the columns that an import can set, in the order of an export. One of them is the full name of the
// owner, which is not in an export.
func Importable() (names []string) {
	for _, c := range columns {
		if c.set != nil {
			names = append(names, c.name)
		}
		if c.name == lastName {
			names = append(names, fullName)
		}
	}
	return names
}

// Headings returns the headings of a file and a Reader for its rows. The cells of a row have the names of unmapped
// columns until Map is called.
func Headings(content []byte) ([]string, *Reader, error) {
	r, headings, err := open(content)
	if err != nil {
		return nil, nil, err
	}
	r.headings = map[string]string{}
	for n := range headings {
		headings[n] = lost.Shorten(strings.TrimSpace(unguard(headings[n])), lost.MaxShort)
		r.columns = append(r.columns, &column{name: unmapped(n), set: func(*lost.ImportedItemPatch, string) {}})
	}
	return slices.Clone(headings), r, nil
}

// unmapped returns the name of the column at a position until the user says what it contains.
func unmapped(n int) string { return lost.UnmappedColumn + strconv.Itoa(n) }

// Guess returns the field of each heading, or an empty text if it does not know the heading. It knows the heading of
// LocationColumn only if locations is true. known has headings in other languages. If two of them differ only in case
// or punctuation, the one that is equal counts, or else the first in the order of the alphabet. Each field is returned
// once.
func Guess(headings []string, known map[string]string, locations bool) []string {
	fields, english := make([]string, len(headings)), byKey(locations)
	labels, others := make(map[string]string, len(known)), map[string]string{}
	for _, heading := range slices.Sorted(maps.Keys(known)) {
		if known[heading] == LocationColumn && !locations {
			continue
		}
		labels[key(heading)] = cmp.Or(labels[key(heading)], known[heading])
	}
	importable := Importable()
	if locations {
		importable = append(importable, LocationColumn)
	}
	for _, field := range importable {
		for word := range strings.FieldsSeq(otherHeadings[field]) {
			others[word] = cmp.Or(others[word], field)
		}
	}
	for n, heading := range headings {
		field := known[heading]
		if field == LocationColumn && !locations {
			field = ""
		}
		field = cmp.Or(field, labels[key(heading)], others[key(heading)])
		if c := english[key(heading)]; c != nil && (labels[key(heading)] == "" || key(heading) == key(c.name)) {
			field = c.name
		}
		if !slices.ContainsFunc(fields[:n], func(other string) bool { return Overlap(field, other) }) {
			fields[n] = field
		}
	}
	return fields
}

// Map returns a row with the fields of a mapping instead of unmapped columns. It splits full names, and converts dates
// to YYYY-MM-DD; today determines the century of a year with two digits.
func Map(row Row, m lost.ImportMapping, today time.Time) Row {
	cells := map[string]string{}
	for n, field := range m.Fields {
		if field == "" {
			continue
		}
		text, filled := row.Cells[unmapped(n)]
		if !filled {
			continue
		}
		switch {
		case field == fullName:
			setName(cells, text)
		case isDate(field):
			cells[field] = localDate(text, m.Dates, latestYear(field, today))
		default:
			cells[field] = text
		}
	}
	row.Cells = cells
	return row
}

// Sample returns the cells of a column in rows that are not mapped.
func Sample(rows []Row, position int) (cells []string) {
	for _, row := range rows {
		if text := row.Cells[unmapped(position)]; text != "" {
			cells = append(cells, text)
		}
	}
	return cells
}

// CellOf returns the cell with a field in a row that is not mapped. It is empty if no column has the field.
func CellOf(row Row, fields []string, field string) string {
	n := slices.Index(fields, field)
	if n < 0 {
		return ""
	}
	return row.Cells[unmapped(n)]
}

// MappedProblems returns the problems of a row like Reader.Problems, for a file with a mapping.
func MappedProblems(m lost.ImportMapping, row Row, err error) []lost.RowProblem {
	r := &Reader{headings: map[string]string{}}
	for n, field := range m.Fields {
		switch field {
		case "":
		case fullName:
			r.headings[firstName], r.headings[lastName] = m.Headings[n], m.Headings[n]
		default:
			r.headings[field] = m.Headings[n]
		}
	}
	return r.Problems(row, err)
}

// latestYear returns the last year that a year with two digits can mean in a column. Dates of things that have happened
// are not in the future; the others are seldom far in the future.
func latestYear(column string, today time.Time) int {
	const ahead = 20
	if column == "discoveryDate" || column == "handover.at" {
		return today.Year()
	}
	return today.Year() + ahead
}

// isDate reports whether a column has dates.
func isDate(name string) bool {
	return name != "" && slices.ContainsFunc(columns, func(c column) bool { return c.date && c.name == name })
}

// numbered matches a date whose day and month come before the year, and yearLed one in which they follow it. japanese
// matches a date as written in Japan and China, and reiwa one in the Japanese era that began in 2019. named and nameLed
// match a date with the name of the month after or before the day.
var (
	numbered = regexp.MustCompile(`^(\d{1,2})([./-])[\s\p{Zs}]*(\d{1,2})([./-])[\s\p{Zs}]*(\d{4}|\d{2})$`)
	yearLed  = regexp.MustCompile(`^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$`)
	japanese = regexp.MustCompile(`^(\d{4}) ?年 ?(\d{1,2}) ?月 ?(\d{1,2}) ?日$`)
	reiwa    = regexp.MustCompile(`^令和 ?(\d{1,2}|元) ?年 ?(\d{1,2}) ?月 ?(\d{1,2}) ?日$`)
	named    = regexp.MustCompile(`^(\d{1,2})(?:\.|er|º|st|nd|rd|th)? (?:de )?(\p{L}+)\.?(?: de)?,? (\d{4})$`)
	nameLed  = regexp.MustCompile(`^(\p{L}+)\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$`)
	clock    = regexp.MustCompile(`[ T,]+\d{1,2}[:.]\d{2}([:.]\d{2})?( ?[AaPp][Mm])?$`)
)

// reiwaBegan is the year 1 of the Japanese era.
const reiwaBegan = 2019

// localDate converts a date as people write it in spreadsheets to YYYY-MM-DD. It returns other text unchanged, and also
// a date such as 3/4/2026 if the order is not known. A time after the date is ignored. A year with two digits is the
// last one up to latest.
func localDate(text string, order lost.DateOrder, latest int) string {
	if day, ok := ParseDate(withoutClock(text), order, latest); ok {
		return day
	}
	return text
}

// withoutClock returns a date without the time that follows it. The end of a date such as 3. 4.26 looks like a time.
func withoutClock(text string) string {
	if numbered.MatchString(text) {
		return text
	}
	return clock.ReplaceAllString(text, "")
}

// ParseDate converts a date as people write it to YYYY-MM-DD. It reports false for other text, and also for a date such
// as 3/4/2026 if the order is not known. A year with two digits is the last one up to latest.
func ParseDate(date string, order lost.DateOrder, latest int) (day string, ok bool) {
	for _, order := range []*regexp.Regexp{yearLed, japanese} {
		if m := order.FindStringSubmatch(date); m != nil {
			return isoDate(m[1], m[2], m[3])
		}
	}
	if m := reiwa.FindStringSubmatch(date); m != nil {
		return isoDate(strconv.Itoa(reiwaBegan-1+max(digits(m[1]), 1)), m[2], m[3])
	}
	if m := named.FindStringSubmatch(date); m != nil && months()[strings.ToLower(m[2])] != "" {
		return isoDate(m[3], months()[strings.ToLower(m[2])], m[1])
	}
	if m := nameLed.FindStringSubmatch(date); m != nil && months()[strings.ToLower(m[1])] != "" {
		return isoDate(m[3], months()[strings.ToLower(m[1])], m[2])
	}
	first, second, year, point, isDate := numberedDate(date)
	if !isDate {
		return "", false
	}
	if len(year) == 2 {
		year = strconv.Itoa(latest - (latest-digits(year))%100)
	}
	switch {
	case point || order == lost.DayFirst || order == "" && digits(first) > 12:
		return isoDate(year, second, first)
	case order == lost.MonthFirst || digits(second) > 12:
		return isoDate(year, first, second)
	default:
		return "", false
	}
}

// numberedDate splits a date such as 3/4/2026. point reports whether it has points, which means that the day is first.
func numberedDate(date string) (first, second, year string, point, ok bool) {
	m := numbered.FindStringSubmatch(date)
	if m == nil || m[2] != m[4] {
		return "", "", "", false, false
	}
	return m[1], m[3], m[5], m[2] == ".", true
}

func digits(text string) int {
	n, _ := strconv.Atoi(text) // only called for one or two digits
	return n
}

func isoDate(year, month, day string) (date string, ok bool) {
	at, err := time.Parse("2006-1-2", year+"-"+strings.TrimPrefix(month, "0")+"-"+strings.TrimPrefix(day, "0"))
	if err != nil {
		return "", false
	}
	return at.Format(lost.DateLayout), true
}

// Dates finds out in which order the dates of a file are written.
type Dates struct{ dayFirst, monthFirst, unclear bool }

// Add considers the dates in a row that is not mapped.
func (d *Dates) Add(row Row, fields []string) {
	for n, field := range fields {
		if !isDate(field) {
			continue
		}
		first, second, _, point, ok := numberedDate(withoutClock(row.Cells[unmapped(n)]))
		if !ok || point {
			continue
		}
		d.dayFirst = d.dayFirst || digits(first) > 12
		d.monthFirst = d.monthFirst || digits(second) > 12
		d.unclear = d.unclear || first != second && digits(first) <= 12 && digits(second) <= 12
	}
}

// HasDates reports whether any of the columns of a file has dates.
func HasDates(fields []string) bool { return slices.ContainsFunc(fields, isDate) }

// Order returns the order that the dates show. It is empty if they do not show one.
func (d *Dates) Order() lost.DateOrder {
	switch {
	case d.dayFirst && !d.monthFirst:
		return lost.DayFirst
	case d.monthFirst && !d.dayFirst:
		return lost.MonthFirst
	default:
		return ""
	}
}

// Ambiguous reports whether there is a date that could mean two days, and no other date shows which one.
func (d *Dates) Ambiguous() bool { return d.unclear && d.Order() == "" }

// EachRow calls do for every row that r reads.
func EachRow(r *Reader, do func(Row) error) error {
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = do(row)
		}
		if err != nil {
			return err
		}
	}
}
