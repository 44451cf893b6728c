package reports

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"homeward/internal/desk"
	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/lost/report"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// reportsPage shows the figures of a period, and of the period before.
type reportsPage struct {
	frame.Page
	Where   string   // the path of the page, without a period
	Chosen  []string // the locations that the report is limited to; nil for those of the path
	Only    string   // the names of these locations
	Presets []frame.Link
	From    frame.Input
	To      frame.Input
	Known   bool // whether there is a report; without one, the period is not valid
	Range   string
	AsOf    string
	CSV     string
	Note    string
	Parts   []part
}

// part is a section of the page.
type part struct {
	ID, Title string
	Lead      string
	Stats     []stat
	Charts    []chart
	Tables    []table
}

// stat is one number and its value in the period before. It leads to the list of what it counts.
type stat struct{ Name, Value, Unit, Href, Before, BeforeHref string }

func (c *call) show() error {
	s, r, err := c.read()
	if lost.CodeOf(err) == lost.Invalid {
		p := c.newPage(s, c.Request.URL.Query().Get("from"), c.Request.URL.Query().Get("to"))
		p.Problems, _ = c.MarkErrors([]*frame.Input{&p.From, &p.To}, err)
		return c.Render(respond.RecordError(c.Writer, err), "reports", p)
	}
	if err != nil {
		return err
	}
	p := c.newPage(s, r.Period.From, r.Period.To)
	p.Known = true
	p.Range = c.Say("reports.compared", "range", rangeText(c.Locale, r.Period), "before",
		rangeText(c.Locale, r.Before))
	p.AsOf = r.ComputedAt.In(s.At.Zone()).Format(lost.TimeLayout)
	p.CSV = s.Path("/reports.csv") + "?" + c.query(r.Period).Encode()
	if r.MoreLocations > 0 {
		p.Note = c.Sentences(c.Say("reports.first", "n", len(r.Locations)),
			c.Say("reports.left-out", "n", r.MoreLocations))
	}
	if p.Chosen != nil {
		var names []string
		for _, l := range r.Locations {
			names = append(names, l.Name)
		}
		p.Only = c.Say("frame.labelled", "label", c.Say("reports.location"), "text", strings.Join(names, ", "))
	}
	v := view{Locale: c.Locale, Report: r, scope: s, chosen: p.Chosen}
	p.Parts = []part{v.items(), v.storage()}
	if len(r.Values) > 0 {
		p.Parts = append(p.Parts, v.values())
	}
	p.Parts = append(p.Parts, v.requests(), v.money())
	return c.Render(http.StatusOK, "reports", p)
}

// read returns the report that the URL selects. If its period is not valid, it returns an error with the problems.
func (c *call) read() (s frame.Scope, r report.Report, err error) {
	if s, err = frame.ReadListScope(c.Call); err != nil {
		return s, r, err
	}
	values := c.Request.URL.Query()
	q := desk.ReportQuery{From: values.Get("from"), To: values.Get("to")}
	if !s.All {
		q.Locations = []string{s.At.ID}
	} else if chosen := c.chosen(); chosen != nil {
		q.Locations = chosen
	}
	r, err = c.Services.Reports.Report(c.Context(), c.Actor(), q)
	r.Locations = i18n.SortByName(c.Language, r.Locations, func(l report.LocationFigures) string { return l.Name })
	return s, r, err
}

// chosen returns the locations that the URL limits a report on all locations to, or nil. The report leaves out those
// that the user cannot see.
func (c *call) chosen() []string {
	if c.Request.PathValue("location") != frame.AllLocations {
		return nil
	}
	return c.Request.URL.Query()["location"]
}

// query returns the query of the page about a period at the same locations.
func (c *call) query(p report.Period) url.Values {
	q := periodQuery(p)
	if chosen := c.chosen(); chosen != nil {
		q["location"] = chosen
	}
	return q
}

// newPage returns the page without figures.
func (c *call) newPage(s frame.Scope, from, to string) *reportsPage {
	p := &reportsPage{
		Page: c.NewPage(c.Say("reports.title")), Where: s.Path("/reports"), Chosen: c.chosen(),
		From: frame.Input{Name: "from", Label: c.Say("reports.from"), Type: "date", Value: from},
		To:   frame.Input{Name: "to", Label: c.Say("reports.to"), Type: "date", Value: to},
	}
	p.Wide = true
	now := c.Now().In(s.At.Zone())
	month := lost.MonthOf(now)
	year := report.Period{From: report.MonthPeriod(month - 12).From, To: report.MonthPeriod(month - 1).To}
	today := now.Format(lost.DateLayout)
	for _, preset := range []struct {
		name string
		report.Period
	}{
		{c.Say("reports.last-days", "n", report.DefaultDays), report.Last(report.DefaultDays, today)},
		{monthName(c.Locale, month-1), report.MonthPeriod(month - 1)},
		{monthName(c.Locale, month-2), report.MonthPeriod(month - 2)},
		{c.Say("reports.last-months", "n", 12), year},
	} {
		p.Presets = append(p.Presets, frame.Link{
			Name: preset.name, Href: p.Where + "?" + c.query(preset.Period).Encode(),
			Current: preset.From == from && preset.To == to,
		})
	}
	return p
}

func periodQuery(p report.Period) url.Values { return url.Values{"from": {p.From}, "to": {p.To}} }

func rangeText(lang frame.Locale, p report.Period) string {
	if p.From == p.To {
		return lang.Day(p.From)
	}
	return lang.Say("reports.range", "from", lang.Day(p.From), "to", lang.Day(p.To))
}

// monthName returns the name of a month with its year.
func monthName(lang frame.Locale, m lost.Month) string {
	first := m.FirstDay()
	return lang.Say("reports.month."+strconv.Itoa(int(first.Month())), "year", first.Format("2006"))
}

// view prepares a report for the page.
type view struct {
	frame.Locale
	report.Report
	scope  frame.Scope
	chosen []string // the locations that the report is limited to; lists of their items do not exist
}

const unknown = "–"

// list returns the URL of the list behind a figure. It is empty for chosen locations.
func (v view) list(f lost.ReportFigure, p report.Period, group string) string {
	if v.chosen != nil {
		return ""
	}
	return frame.ItemFilter{Report: f, From: p.From, To: p.To, Group: group}.At(v.scope.Path("/items"), 1)
}

// count returns a stat for a number of records.
func (v view) count(f lost.ReportFigure, now, before int) stat {
	return stat{
		Name: v.figureText(f), Value: v.Number(now), Href: v.list(f, v.Period, ""),
		Before: v.Say("reports.before", "value", v.Number(before)), BeforeHref: v.list(f, v.Before, ""),
	}
}

// days returns a stat for a number of days.
func (v view) days(key string, now, before func() (int, bool)) stat {
	value, unit := v.dayParts(now())
	earlier := unknown
	if days, known := before(); known {
		earlier = v.Say("reports.time.days", "n", days)
	}
	return stat{
		Name: v.Say(key), Value: value, Unit: unit, Before: v.Say("reports.before", "value", earlier),
		Href: v.list(lost.FigureReturned, v.Period, ""), BeforeHref: v.list(lost.FigureReturned, v.Before, ""),
	}
}

func (v view) dayParts(days int, known bool) (value, unit string) {
	if !known {
		return unknown, ""
	}
	return v.Number(days), v.Say("reports.days", "n", days)
}

// wait returns a stat for a time to answer.
func (v view) wait(key string, now, before func() (time.Duration, bool)) stat {
	return stat{
		Name: v.Say(key), Value: v.duration(now()), Href: v.list(lost.FigureAnswered, v.Period, ""),
		Before:     v.Say("reports.before", "value", v.duration(before())),
		BeforeHref: v.list(lost.FigureAnswered, v.Before, ""),
	}
}

// duration formats a time in minutes, hours or days, whichever is short and exact enough.
func (v view) duration(d time.Duration, known bool) string {
	const day = 24 * time.Hour
	switch {
	case !known:
		return unknown
	case d < 2*time.Hour:
		return v.Say("reports.time.minutes", "n", int(d/time.Minute))
	case d < 3*day:
		return v.Say("reports.time.hours", "n", int(d/time.Hour))
	default:
		return v.Say("reports.time.days", "n", int(d/day))
	}
}
