package staff

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
)

// numbersPart is how the desk is doing, as the page shows it.
type numbersPart struct {
	Spans    []link
	Stats    []stat
	Charts   []chart
	AsOf     string
	Counting string // what is not in them yet; empty where nothing is missing
	Again    string // the address of the page, to look again
	Empty    bool   // nothing was found in the span
	Note     string
}

// stat is one number, with how it went.
type stat struct {
	Name, Value, Unit string
	Spark             *spark
}

// spanWords name the spans.
var spanWords = map[lost.Span]string{1: "This month", 3: "3 months", lost.DefaultSpan: "12 months", lost.MaxSpan: "3 years"}

// numbersPart shows numbers.
func (c *call) numbersPart(n desk.Numbers, s scope) numbersPart {
	p := numbersPart{Again: c.r.URL.RequestURI(), Empty: n.Found == 0 && n.Counting == 0}
	for _, span := range lost.Spans() {
		value := strconv.Itoa(int(span))
		if span == lost.DefaultSpan {
			value = ""
		}
		p.Spans = append(p.Spans, link{Href: c.withQuery("span", value) + "#numbers", Name: spanWords[span], Current: span == s.span})
	}
	if !n.AsOf.IsZero() {
		p.AsOf = n.AsOf.In(c.clock()).Format(lost.TimeForm)
	}
	if n.Counting > 0 {
		p.Counting = many(n.Counting, "location is", "locations are") + " still being counted."
	}
	if n.More {
		p.Note = fmt.Sprintf("These are the numbers of the first %d locations by name.", lost.MaxPlaces)
	}
	if n.Found == 0 {
		return p
	}
	p.Stats = stats(n.Numbers)
	p.Charts = append(p.Charts, monthChart(n.Numbers), fateChart(n.Counts))
	if len(n.Locations) > 1 {
		p.Charts = append(p.Charts, placeChart(n.Locations))
	}
	return p
}

// clock is the time zone that the page goes by: that of the location where the person works.
func (c *call) clock() *time.Location {
	here, err := c.usual()
	if err != nil {
		return time.UTC
	}
	return here.Zone()
}

// stats are the four numbers that matter, each with how it went by month.
func stats(n lost.Numbers) []stat {
	of := func(value func(lost.Counts) (float64, bool)) *spark {
		var values []float64
		for _, m := range n.Months {
			if v, known := value(m.Counts); known {
				values = append(values, v)
			}
		}
		return drawSpark(values)
	}
	days, unit := medianWords(n.Counts)
	return []stat{
		{Name: "Found", Value: thousands(n.Found), Spark: of(func(c lost.Counts) (float64, bool) { return float64(c.Found), true })},
		{Name: "Returned", Value: thousands(n.Returned), Spark: of(func(c lost.Counts) (float64, bool) { return float64(c.Returned), true })},
		{Name: "Return rate", Value: rateWords(n.Counts), Spark: of(func(c lost.Counts) (float64, bool) { r, known := c.Rate(); return float64(r), known })},
		{Name: "Median way home", Value: days, Unit: unit, Spark: of(lost.Counts.MedianDays)},
	}
}

const unknown = "–"

func rateWords(c lost.Counts) string {
	rate, known := c.Rate()
	if !known {
		return unknown
	}
	return strconv.Itoa(rate) + " %"
}

func medianWords(c lost.Counts) (value, unit string) {
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
	value, unit := medianWords(c)
	return strings.TrimSpace(value + " " + unit)
}

// monthChart draws what was found and returned, by month of the find.
func monthChart(n lost.Numbers) chart {
	c := chart{
		ID: "by-month", Title: "By month", Key: []legendLine{{"found", "Found"}, {"returned", "of these returned"}},
		Table: table{Head: []string{"Month of the find", "Found", "Returned", "Rate", "Median way home"}},
	}
	pairs, titles := make([][2]int, len(n.Months)), make([]string, len(n.Months))
	for k, m := range n.Months {
		name := m.Month.First().Format("January 2006")
		pairs[k] = [2]int{m.Found, m.Returned}
		titles[k] = fmt.Sprintf("%s: %s found, %s returned", name, thousands(m.Found), thousands(m.Returned))
		c.Labels = append(c.Labels, monthLabel(m.Month, k, len(n.Months)))
		c.Table.Rows = append(c.Table.Rows, numberRow(name, m.Counts))
	}
	c.Table.Foot = numberRow("Together", n.Counts)
	var top int
	c.Columns, top = drawColumns(pairs, titles)
	c.Top = thousands(top)
	rate, _ := n.Rate()
	c.Summary = fmt.Sprintf("%s found, %s returned: %d of 100.", many(n.Found, "thing was", "things were"), thousands(n.Returned), rate)
	if busy, ok := n.Busiest(); ok && len(n.Months) > 1 {
		c.Summary += fmt.Sprintf(" Most in %s, with %s.", busy.Month.First().Format("January 2006"), thousands(busy.Found))
	}
	return c
}

// monthLabel names a month below its column, as far as there is room.
func monthLabel(m lost.Month, n, of int) string {
	first := m.First()
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
	return []string{name, thousands(c.Found), thousands(c.Returned), rateWords(c), medianText(c)}
}

// fateWords name what became of things, with the shade that they have in charts.
var fateWords = map[lost.Fate]struct{ name, shade string }{
	lost.CollectedFate: {"Collected by the owner", "returned"},
	lost.PostedFate:    {"Delivered by post", "returned"},
	lost.TravelsFate:   {"On the way by post", "open"},
	lost.DonatedFate:   {"Donated", "found"},
	lost.LeftFate:      {"Left behind or discarded", "found"},
	lost.PoliceFate:    {"Handed to the police", "found"},
	lost.WaitingFate:   {"Still here", "open"},
}

// fateChart draws what became of what was found.
func fateChart(n lost.Counts) chart {
	c := chart{ID: "by-outcome", Title: "What became of it", Table: table{Head: []string{"Outcome", "Things", "Of 100"}}}
	most := 0
	for _, many := range n.Fates {
		most = max(most, many)
	}
	for _, f := range lost.Fates() {
		many, w := n.Fates[f], fateWords[f]
		part := strconv.FormatFloat(100*float64(many)/float64(n.Found), 'f', 1, 64)
		c.Strips = append(c.Strips, strip{Name: w.name, Value: thousands(many), Width: share(many, most), Shade: w.shade})
		c.Table.Rows = append(c.Table.Rows, []string{w.name, thousands(many), part})
	}
	gone := n.Fates[lost.DonatedFate] + n.Fates[lost.LeftFate] + n.Fates[lost.PoliceFate]
	c.Summary = fmt.Sprintf("%s came home, %s went elsewhere, and %s on the way or still here.", thousands(n.Returned), thousands(gone), many(n.Found-n.Returned-gone, "is", "are"))
	return c
}

// drawnPlaces is how many locations a chart shows. The table has them all.
const drawnPlaces = 10

// placeChart draws what each location found and returned.
func placeChart(places []desk.LocationNumbers) chart {
	c := chart{
		ID: "by-location", Title: "By location", Key: []legendLine{{"found", "Found"}, {"returned", "of these returned"}},
		Table: table{Head: []string{"Location", "Found", "Returned", "Rate", "Median way home"}},
	}
	for _, l := range places {
		row := numberRow(l.Name, l.Counts)
		if l.Counting {
			row = []string{l.Name, "being counted", unknown, unknown, unknown}
		}
		c.Table.Rows = append(c.Table.Rows, row)
	}
	busy := slices.Clone(places)
	slices.SortStableFunc(busy, func(a, b desk.LocationNumbers) int { return cmp.Compare(b.Found, a.Found) })
	most := busy[0].Found
	for _, l := range busy[:min(len(busy), drawnPlaces)] {
		value := "nothing found"
		if l.Found > 0 {
			value = thousands(l.Found) + ", " + rateWords(l.Counts) + " returned"
		}
		c.Strips = append(c.Strips, strip{
			Name: l.Name, Value: value, Width: share(l.Found, most), Inner: share(l.Returned, most), Shade: "found",
		})
	}
	c.Summary = fmt.Sprintf("%s found most, %s.", busy[0].Name, many(most, "thing", "things"))
	if len(busy) > drawnPlaces {
		c.Summary += fmt.Sprintf(" The chart shows the first %d of %d locations; the table has them all.", drawnPlaces, len(busy))
	}
	return c
}
