// Package reports prepares the statistics section of the dashboard's start page, with its charts. It has no page of its
// own.
package reports

import (
	"cmp"
	"embed"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

//go:embed templates
var templates embed.FS

// Templates returns the templates that draw a NumbersPart.
func Templates() fs.FS { return templates }

// NumbersPart is the statistics section of a page.
type NumbersPart struct {
	Spans    []frame.Link
	Stats    []stat
	Charts   []chart
	AsOf     string
	Counting string // the notice that some data is still being counted; empty if all is counted
	Again    string // the URL to refresh the page
	Empty    bool   // no items were found in the period
	Note     string
}

// stat is one number with its sparkline.
type stat struct {
	Name, Value, Unit string
	Spark             *spark
}

// spanText returns the name of a period.
func spanText(lang frame.Locale, span lost.Span) string {
	const year = 12
	switch months := int(span); {
	case months == 1:
		return lang.Say("reports.span.month")
	case months > year && months%year == 0:
		return lang.Say("reports.span.years", "n", months/year)
	default:
		return lang.Say("reports.span.months", "n", months)
	}
}

// NewNumbersPart prepares the statistics of a period.
func NewNumbersPart(c *frame.Call, n desk.Numbers, chosen lost.Span) NumbersPart {
	p := NumbersPart{Again: c.Request.URL.RequestURI(), Empty: n.Found == 0 && n.Counting == 0}
	for _, span := range lost.Spans() {
		value := strconv.Itoa(int(span))
		if span == lost.DefaultSpan {
			value = ""
		}
		p.Spans = append(p.Spans,
			frame.Link{
				Href: c.WithQuery("span", value) + "#numbers", Name: spanText(c.Locale, span), Current: span == chosen,
			})
	}
	if !n.AsOf.IsZero() {
		p.AsOf = n.AsOf.In(c.Clock()).Format(lost.TimeLayout)
	}
	if n.Counting > 0 {
		p.Counting = c.Say("reports.counting", "n", n.Counting)
	}
	if n.More {
		p.Note = c.Say("reports.first", "n", lost.MaxStatisticsLocations)
	}
	if n.Found == 0 {
		return p
	}
	p.Stats = stats(c.Locale, n.Statistics)
	p.Charts = append(p.Charts, monthChart(c.Locale, n.Statistics), outcomeChart(c.Locale, n.Counts))
	if len(n.Locations) > 1 {
		p.Charts = append(p.Charts, placeChart(c.Locale, n.Locations))
	}
	return p
}

// stats returns the four main numbers, each with its values by month.
func stats(lang frame.Locale, n lost.Statistics) []stat {
	of := func(value func(lost.Counts) (float64, bool)) *spark {
		var values []float64
		for _, m := range n.Months {
			if v, known := value(m.Counts); known {
				values = append(values, v)
			}
		}
		return drawSpark(values)
	}
	days, unit := medianParts(lang, n.Counts)
	return []stat{
		{
			Name: lang.Say("reports.found"), Value: lang.Number(n.Found),
			Spark: of(func(c lost.Counts) (float64, bool) { return float64(c.Found), true }),
		},
		{
			Name: lang.Say("reports.returned"), Value: lang.Number(n.Returned),
			Spark: of(func(c lost.Counts) (float64, bool) { return float64(c.Returned), true }),
		},
		{
			Name: lang.Say("reports.rate"), Value: rateText(lang, n.Counts),
			Spark: of(func(c lost.Counts) (float64, bool) { r, known := c.Rate(); return float64(r), known }),
		},
		{Name: lang.Say("reports.median"), Value: days, Unit: unit, Spark: of(lost.Counts.MedianDays)},
	}
}

const unknown = "–"

func rateText(lang frame.Locale, c lost.Counts) string {
	rate, known := c.Rate()
	if !known {
		return unknown
	}
	return lang.Say("reports.percent", "n", rate)
}

// medianParts returns the median, which is a whole number of days or a half, and its unit.
func medianParts(lang frame.Locale, c lost.Counts) (value, unit string) {
	days, known := c.MedianDays()
	if !known {
		return unknown, ""
	}
	if whole := int(days); float64(whole) == days {
		return lang.Number(whole), lang.Say("reports.days", "n", whole)
	}
	return lang.Decimal(days, 1), lang.Say("reports.days.half")
}

func medianText(lang frame.Locale, c lost.Counts) string {
	value, unit := medianParts(lang, c)
	return strings.TrimSpace(value + " " + unit)
}

// monthChart draws found and returned items by month.
func monthChart(lang frame.Locale, n lost.Statistics) chart {
	c := chart{
		ID: "by-month", Title: lang.Say("reports.by-month"), Key: legend(lang),
		Table: table{Head: numberHead(lang, "reports.month")},
	}
	pairs, titles := make([][2]int, len(n.Months)), make([]string, len(n.Months))
	for k, m := range n.Months {
		name := monthName(lang, m.Month)
		pairs[k] = [2]int{m.Found, m.Returned}
		titles[k] = lang.Say("reports.column", "month", name, "found", m.Found, "returned", m.Returned)
		c.Labels = append(c.Labels, monthLabel(lang, m.Month, k, len(n.Months)))
		c.Table.Rows = append(c.Table.Rows, numberRow(lang, name, m.Counts))
	}
	c.Table.Foot = numberRow(lang, lang.Say("reports.total"), n.Counts)
	var top int
	c.Columns, top = drawColumns(pairs, titles)
	c.Top = lang.Number(top)
	rate, _ := n.Rate()
	c.Summary = lang.Say("reports.summary", "n", n.Found, "returned", n.Returned, "rate", rate)
	if busy, ok := n.Busiest(); ok && len(n.Months) > 1 {
		c.Summary = lang.Sentences(c.Summary,
			lang.Say("reports.busiest", "month", monthName(lang, busy.Month), "count", busy.Found))
	}
	return c
}

// legend explains the shades of a chart with found and returned items.
func legend(lang frame.Locale) []legendLine {
	return []legendLine{{"found", lang.Say("reports.found")}, {"returned", lang.Say("reports.of-these")}}
}

// numberHead returns the head of a table with a row for each month or location.
func numberHead(lang frame.Locale, first string) []string {
	return []string{
		lang.Say(first), lang.Say("reports.found"), lang.Say("reports.returned"), lang.Say("reports.rate.short"),
		lang.Say("reports.median"),
	}
}

// monthName returns the name of a month with its year.
func monthName(lang frame.Locale, m lost.Month) string {
	first := m.FirstDay()
	return lang.Say("reports.month."+strconv.Itoa(int(first.Month())), "year", first.Format("2006"))
}

// monthLabel returns the label of a month's column. It is empty if there is no room for it.
func monthLabel(lang frame.Locale, m lost.Month, n, of int) string {
	first := m.FirstDay()
	switch {
	case of == 1:
		return monthName(lang, m)
	case of <= int(lost.DefaultSpan):
		return lang.Say("common.month.short." + strconv.Itoa(int(first.Month())))
	case n == 0 && first.Month() < time.November || first.Month() == time.January:
		return first.Format("2006")
	default:
		return ""
	}
}

func numberRow(lang frame.Locale, name string, c lost.Counts) []string {
	return []string{name, lang.Number(c.Found), lang.Number(c.Returned), rateText(lang, c), medianText(lang, c)}
}

// outcomeText contains the keys of the names of outcomes and their shades in charts.
var outcomeText = map[lost.FindOutcome]struct{ name, shade string }{
	lost.OutcomeCollected: {"reports.outcome.collected", "returned"},
	lost.OutcomeDelivered: {"reports.outcome.delivered", "returned"},
	lost.OutcomeInTransit: {"reports.outcome.in-transit", "open"},
	lost.OutcomeDonated:   {"reports.outcome.donated", "found"},
	lost.OutcomeDiscarded: {"reports.outcome.discarded", "found"},
	lost.OutcomePolice:    {"reports.outcome.police", "found"},
	lost.OutcomeOpen:      {"reports.outcome.open", "open"},
}

// outcomeChart draws the outcomes of found items.
func outcomeChart(lang frame.Locale, n lost.Counts) chart {
	c := chart{ID: "by-outcome", Title: lang.Say("reports.outcomes"), Table: table{Head: []string{
		lang.Say("reports.outcome"), lang.Say("reports.items"), lang.Say("reports.percent.title"),
	}}}
	most := 0
	for _, many := range n.Outcomes {
		most = max(most, many)
	}
	for _, f := range lost.FindOutcomes() {
		many, w := n.Outcomes[f], outcomeText[f]
		name, part := lang.Say(w.name), lang.Decimal(100*float64(many)/float64(n.Found), 1)
		c.Strips = append(c.Strips,
			strip{Name: name, Value: lang.Number(many), Width: share(many, most), Shade: w.shade})
		c.Table.Rows = append(c.Table.Rows, []string{name, lang.Number(many), part})
	}
	disposed := n.Outcomes[lost.OutcomeDonated] + n.Outcomes[lost.OutcomeDiscarded] + n.Outcomes[lost.OutcomePolice]
	c.Summary = lang.Say("reports.outcomes.summary", "returned", n.Returned, "disposed", disposed, "n",
		n.Found-n.Returned-disposed)
	return c
}

// drawnPlaces is the maximum number of locations in the chart. The table lists all of them.
const drawnPlaces = 10

// placeChart draws found and returned items by location.
func placeChart(lang frame.Locale, places []desk.LocationNumbers) chart {
	c := chart{
		ID: "by-location", Title: lang.Say("reports.by-location"), Key: legend(lang),
		Table: table{Head: numberHead(lang, "reports.location")},
	}
	for _, l := range places {
		row := numberRow(lang, l.Name, l.Counts)
		if l.Counting {
			row = []string{l.Name, lang.Say("reports.counting.row"), unknown, unknown, unknown}
		}
		c.Table.Rows = append(c.Table.Rows, row)
	}
	busy := slices.Clone(places)
	slices.SortStableFunc(busy, func(a, b desk.LocationNumbers) int { return cmp.Compare(b.Found, a.Found) })
	most := busy[0].Found
	for _, l := range busy[:min(len(busy), drawnPlaces)] {
		value := lang.Say("reports.strip.none")
		if l.Found > 0 {
			value = lang.Say("reports.strip", "found", l.Found, "rate", rateText(lang, l.Counts))
		}
		c.Strips = append(c.Strips, strip{
			Name: l.Name, Value: value, Width: share(l.Found, most), Inner: share(l.Returned, most), Shade: "found",
		})
	}
	c.Summary = lang.Say("reports.most", "location", busy[0].Name, "n", most)
	if len(busy) > drawnPlaces {
		c.Summary = lang.Sentences(c.Summary, lang.Say("reports.drawn", "drawn", drawnPlaces, "n", len(busy)))
	}
	return c
}
