// Package reports prepares the statistics section of the dashboard's start page, with its charts. It has no page of its
// own.
package reports

import (
	"cmp"
	"embed"
	"fmt"
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

// spanText are the names of the periods.
var spanText = map[lost.Span]string{
	1: "This month", 3: "3 months", lost.DefaultSpan: "12 months", lost.MaxSpan: "3 years",
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
			frame.Link{Href: c.WithQuery("span", value) + "#numbers", Name: spanText[span], Current: span == chosen})
	}
	if !n.AsOf.IsZero() {
		p.AsOf = n.AsOf.In(c.Clock()).Format(lost.TimeLayout)
	}
	if n.Counting > 0 {
		p.Counting = frame.Plural(n.Counting, "location is", "locations are") +
			" not included yet; counting is in progress."
	}
	if n.More {
		p.Note = fmt.Sprintf("These numbers cover only the first %d locations by name.", lost.MaxStatisticsLocations)
	}
	if n.Found == 0 {
		return p
	}
	p.Stats = stats(n.Statistics)
	p.Charts = append(p.Charts, monthChart(n.Statistics), outcomeChart(n.Counts))
	if len(n.Locations) > 1 {
		p.Charts = append(p.Charts, placeChart(n.Locations))
	}
	return p
}

// stats returns the four main numbers, each with its values by month.
func stats(n lost.Statistics) []stat {
	of := func(value func(lost.Counts) (float64, bool)) *spark {
		var values []float64
		for _, m := range n.Months {
			if v, known := value(m.Counts); known {
				values = append(values, v)
			}
		}
		return drawSpark(values)
	}
	days, unit := medianParts(n.Counts)
	return []stat{
		{Name: "Found", Value: frame.Thousands(n.Found), Spark: of(func(c lost.Counts) (float64, bool) {
			return float64(c.Found), true
		})},
		{Name: "Returned", Value: frame.Thousands(n.Returned), Spark: of(func(c lost.Counts) (float64, bool) {
			return float64(c.Returned), true
		})},
		{Name: "Return rate", Value: rateText(n.Counts), Spark: of(func(c lost.Counts) (float64, bool) {
			r, known := c.Rate()
			return float64(r), known
		})},
		{Name: "Median days to return", Value: days, Unit: unit, Spark: of(lost.Counts.MedianDays)},
	}
}

const unknown = "–"

func rateText(c lost.Counts) string {
	rate, known := c.Rate()
	if !known {
		return unknown
	}
	return strconv.Itoa(rate) + " %"
}

func medianParts(c lost.Counts) (value, unit string) {
	days, known := c.MedianDays()
	switch {
	case !known:
		return unknown, ""
	case days == 1:
		return "1", "day"
	default:
		return strconv.FormatFloat(days, 'f', -1, 64), "days"
	}
}

func medianText(c lost.Counts) string {
	value, unit := medianParts(c)
	return strings.TrimSpace(value + " " + unit)
}

// monthChart draws found and returned items by month.
func monthChart(n lost.Statistics) chart {
	c := chart{
		ID: "by-month", Title: "By month", Key: []legendLine{{"found", "Found"}, {"returned", "of these returned"}},
		Table: table{Head: []string{"Month found", "Found", "Returned", "Rate", "Median days to return"}},
	}
	pairs, titles := make([][2]int, len(n.Months)), make([]string, len(n.Months))
	for k, m := range n.Months {
		name := m.Month.FirstDay().Format("January 2006")
		pairs[k] = [2]int{m.Found, m.Returned}
		titles[k] = fmt.Sprintf("%s: %s found, %s returned", name, frame.Thousands(m.Found),
			frame.Thousands(m.Returned))
		c.Labels = append(c.Labels, monthLabel(m.Month, k, len(n.Months)))
		c.Table.Rows = append(c.Table.Rows, numberRow(name, m.Counts))
	}
	c.Table.Foot = numberRow("Total", n.Counts)
	var top int
	c.Columns, top = drawColumns(pairs, titles)
	c.Top = frame.Thousands(top)
	rate, _ := n.Rate()
	c.Summary = fmt.Sprintf("%s found, %s returned (%d %%).", frame.Plural(n.Found, "item was", "items were"),
		frame.Thousands(n.Returned), rate)
	if busy, ok := n.Busiest(); ok && len(n.Months) > 1 {
		c.Summary += fmt.Sprintf(" Most in %s: %s.", busy.Month.FirstDay().Format("January 2006"),
			frame.Thousands(busy.Found))
	}
	return c
}

// monthLabel returns the label of a month's column. It is empty if there is no room for it.
func monthLabel(m lost.Month, n, of int) string {
	first := m.FirstDay()
	switch {
	case of == 1:
		return first.Format("January 2006")
	case of <= int(lost.DefaultSpan):
		return first.Format("Jan")
	case n == 0 && first.Month() < time.November || first.Month() == time.January:
		return first.Format("2006")
	default:
		return ""
	}
}

func numberRow(name string, c lost.Counts) []string {
	return []string{name, frame.Thousands(c.Found), frame.Thousands(c.Returned), rateText(c), medianText(c)}
}

// outcomeText contains the names of outcomes and their shades in charts.
var outcomeText = map[lost.FindOutcome]struct{ name, shade string }{
	lost.OutcomeCollected: {"Collected by the owner", "returned"},
	lost.OutcomeDelivered: {"Delivered by parcel", "returned"},
	lost.OutcomeInTransit: {"In transit", "open"},
	lost.OutcomeDonated:   {"Donated", "found"},
	lost.OutcomeDiscarded: {"Left behind or discarded", "found"},
	lost.OutcomePolice:    {"Handed to the police", "found"},
	lost.OutcomeOpen:      {"Still here", "open"},
}

// outcomeChart draws the outcomes of found items.
func outcomeChart(n lost.Counts) chart {
	c := chart{ID: "by-outcome", Title: "Outcomes", Table: table{Head: []string{"Outcome", "Items", "Percent"}}}
	most := 0
	for _, many := range n.Outcomes {
		most = max(most, many)
	}
	for _, f := range lost.FindOutcomes() {
		many, w := n.Outcomes[f], outcomeText[f]
		part := strconv.FormatFloat(100*float64(many)/float64(n.Found), 'f', 1, 64)
		c.Strips = append(c.Strips,
			strip{Name: w.name, Value: frame.Thousands(many), Width: share(many, most), Shade: w.shade})
		c.Table.Rows = append(c.Table.Rows, []string{w.name, frame.Thousands(many), part})
	}
	disposed := n.Outcomes[lost.OutcomeDonated] + n.Outcomes[lost.OutcomeDiscarded] + n.Outcomes[lost.OutcomePolice]
	c.Summary = fmt.Sprintf("%s returned, %s disposed of, and %s in transit or still here.",
		frame.Thousands(n.Returned), frame.Thousands(disposed), frame.Plural(n.Found-n.Returned-disposed, "is", "are"))
	return c
}

// drawnPlaces is the maximum number of locations in the chart. The table lists all of them.
const drawnPlaces = 10

// placeChart draws found and returned items by location.
func placeChart(places []desk.LocationNumbers) chart {
	c := chart{
		ID: "by-location", Title: "By location",
		Key:   []legendLine{{"found", "Found"}, {"returned", "of these returned"}},
		Table: table{Head: []string{"Location", "Found", "Returned", "Rate", "Median days to return"}},
	}
	for _, l := range places {
		row := numberRow(l.Name, l.Counts)
		if l.Counting {
			row = []string{l.Name, "counting", unknown, unknown, unknown}
		}
		c.Table.Rows = append(c.Table.Rows, row)
	}
	busy := slices.Clone(places)
	slices.SortStableFunc(busy, func(a, b desk.LocationNumbers) int { return cmp.Compare(b.Found, a.Found) })
	most := busy[0].Found
	for _, l := range busy[:min(len(busy), drawnPlaces)] {
		value := "nothing found"
		if l.Found > 0 {
			value = frame.Thousands(l.Found) + ", " + rateText(l.Counts) + " returned"
		}
		c.Strips = append(c.Strips, strip{
			Name: l.Name, Value: value, Width: share(l.Found, most), Inner: share(l.Returned, most), Shade: "found",
		})
	}
	c.Summary = fmt.Sprintf("%s found the most: %s.", busy[0].Name, frame.Plural(most, "item", "items"))
	if len(busy) > drawnPlaces {
		c.Summary += fmt.Sprintf(" The chart shows the first %d of %d locations. The table shows all.", drawnPlaces,
			len(busy))
	}
	return c
}
