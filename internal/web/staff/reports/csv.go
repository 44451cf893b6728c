package reports

import (
	"slices"
	"strconv"
	"time"

	"homeward/internal/i18n"
	"homeward/internal/itemcsv"
	"homeward/internal/lost"
	"homeward/internal/lost/report"
	"homeward/internal/web/staff/frame"
)

// download sends the figures of a report as CSV, in the language of the user. Numbers have the same form in all
// languages.
func (c *call) download() error {
	s, r, err := c.read()
	if err != nil {
		return err
	}
	rows := csvRows(view{Locale: c.Locale, Report: r, scope: s})
	name := "reports-" + r.Period.From + "-" + r.Period.To + ".csv"
	return c.WriteFile(name, func(d *frame.Download) error {
		if _, err := d.Write([]byte("\ufeff")); err != nil { // Excel needs it to recognise UTF-8
			return err
		}
		t, err := itemcsv.NewTable(d, c.Say("reports.csv.section"), c.Say("reports.csv.figure"),
			c.Say("reports.location"), c.Say("reports.csv.group"), c.Say("reports.this-period"),
			c.Say("reports.period-before"))
		if err != nil {
			return err
		}
		for _, row := range rows {
			if err := t.Row(row.section, row.figure, row.location, row.group, row.value, row.before); err != nil {
				return err
			}
		}
		return t.Flush()
	})
}

// csvRow is one figure. Many figures have no location, group or value in the period before.
type csvRow struct{ section, figure, location, group, value, before string }

// csvRows returns the rows of a report.
func csvRows(v view) (rows []csvRow) {
	period := v.Say("reports.period")
	rows = append(rows,
		csvRow{section: period, figure: v.Say("reports.from"), value: v.Period.From, before: v.Before.From},
		csvRow{section: period, figure: v.Say("reports.to"), value: v.Period.To, before: v.Before.To})
	before := v.csvItems(v.ItemsBefore)
	for n, row := range v.csvItems(v.Items) {
		row.section, row.before = v.Say("reports.items"), before[n].value
		rows = append(rows, row)
	}
	for _, l := range v.Locations {
		for _, row := range v.csvItems(l.ItemFigures)[:8] { // a report has no times to return by location
			row.section, row.location = v.Say("reports.by-location"), l.Name
			rows = append(rows, row)
		}
	}
	if v.MoreLocations > 0 {
		rows = append(rows, csvRow{
			section: v.Say("reports.by-location"), figure: v.Say("reports.left-out", "n", v.MoreLocations),
		})
	}
	return slices.Concat(rows, v.csvGroups(), v.csvStorage(), v.csvValues(), v.csvOthers())
}

// csvItems returns the figures of items.
func (v view) csvItems(f report.ItemFigures) []csvRow {
	count := func(f lost.ReportFigure, n int) csvRow {
		return csvRow{figure: v.figureText(f), value: strconv.Itoa(n)}
	}
	return []csvRow{
		count(lost.FigureFound, f.Found), count(lost.FigureReturned, f.Returned), count(lost.FigureDonated, f.Donated),
		count(lost.FigureDiscarded, f.Discarded), count(lost.FigurePolice, f.Police),
		count(lost.FigureAuthority, f.Authority), count(lost.FigureAuctioned, f.Auctioned),
		count(lost.FigureFinder, f.Finder),
		{figure: v.csvUnit("reports.csv.days", "reports.median"), value: csvKnown(f.MedianDays())},
		{figure: v.csvUnit("reports.csv.days", "reports.p90-days"), value: csvKnown(f.P90Days())},
	}
}

// csvUnit returns the name of a figure with its unit.
func (v view) csvUnit(unit, figure string) string { return v.Say(unit, "figure", v.Say(figure)) }

func csvKnown(value int, known bool) string {
	if !known {
		return ""
	}
	return strconv.Itoa(value)
}

// csvGroups returns the figures by month and by trait.
func (v view) csvGroups() (rows []csvRow) {
	add := func(section, figure, group, value string) {
		rows = append(rows, csvRow{section: v.Say(section), figure: v.Say(figure), group: group, value: value})
	}
	for _, m := range v.Months {
		month := m.Month.FirstDay().Format("2006-01")
		add("reports.by-month", "reports.figure.found", month, strconv.Itoa(m.Found))
		add("reports.by-month", "reports.figure.returned", month, strconv.Itoa(m.Returned))
		add("reports.by-month", "reports.other", month, strconv.Itoa(m.Other))
		add("reports.by-month", "reports.open", month, strconv.Itoa(m.Open))
		rows = append(rows, csvRow{
			section: v.Say("reports.by-month"), figure: v.csvUnit("reports.csv.percent", "reports.rate"), group: month,
			value: csvKnown(m.Rate()),
		})
	}
	for _, t := range v.traits() {
		section := "reports.by-trait." + string(t.ReportTrait)
		for _, g := range t.groups {
			name := v.groupName(g.Name, g.Rest)
			add(section, "reports.figure.found", name, strconv.Itoa(g.Found))
			add(section, "reports.figure.found-returned", name, strconv.Itoa(g.Returned))
		}
	}
	return rows
}

// csvStorage returns the figures of what is in storage.
func (v view) csvStorage() (rows []csvRow) {
	items, here := v.Say("reports.items"), 0
	for _, a := range v.Ages {
		here += a.Items
		rows = append(rows, csvRow{
			section: v.Say("reports.ages"), figure: items, group: v.ageName(a), value: strconv.Itoa(a.Items),
		})
	}
	rows = append(rows, csvRow{
		section: v.Say("reports.storage"), figure: v.Say("reports.figure.here"), value: strconv.Itoa(here),
	})
	names := v.locationNames()
	for _, p := range v.Storage {
		rows = append(rows, csvRow{
			section: v.Say("reports.places"), figure: items, location: names[p.LocationID],
			group: v.groupName(p.Place, p.Rest), value: strconv.Itoa(p.Items),
		})
	}
	return rows
}

// csvValues returns what items are worth. Amounts are as in csvOthers.
func (v view) csvValues() (rows []csvRow) {
	section := v.Say("reports.values")
	for _, f := range v.Values {
		add := func(figure lost.ReportFigure, value, before string) {
			rows = append(rows, csvRow{
				section: section, figure: v.figureText(figure), group: f.Currency, value: value, before: before,
			})
		}
		amount := func(n int64) string { return i18n.PlainAmount(n, f.Currency) }
		add(lost.FigureHere, amount(f.Stored), "")
		add(lost.FigureFound, amount(f.Found[0]), amount(f.Found[1]))
		add(lost.FigureReturned, amount(f.Returned[0]), amount(f.Returned[1]))
	}
	if v.MoreCurrencies > 0 {
		rows = append(rows, csvRow{section: section, figure: v.Say("reports.values.more", "n", v.MoreCurrencies)})
	}
	return rows
}

// csvOthers returns the figures of requests and money. Amounts are in the currency's usual unit, with a decimal point.
func (v view) csvOthers() (rows []csvRow) {
	requests := v.Say("frame.menu.requests")
	add := func(figure, value, before string) {
		rows = append(rows, csvRow{section: requests, figure: figure, value: value, before: before})
	}
	count := func(f lost.ReportFigure, now, before int) {
		add(v.Say("reports.figure."+string(f)), strconv.Itoa(now), strconv.Itoa(before))
	}
	minutes := func(d time.Duration, known bool) string { return csvKnown(int(d/time.Minute), known) }
	now, before := v.Requests, v.RequestsBefore
	count(lost.FigureFiled, now.Filed, before.Filed)
	count(lost.FigureAnswered, now.Answered, before.Answered)
	count(lost.FigureUnanswered, now.Open, before.Open)
	add(v.csvUnit("reports.csv.minutes", "reports.answer.median"), minutes(now.MedianAnswer()),
		minutes(before.MedianAnswer()))
	add(v.csvUnit("reports.csv.minutes", "reports.answer.p90"), minutes(now.P90Answer()), minutes(before.P90Answer()))
	for _, m := range report.MoneyPairs(v.Report) {
		for _, f := range append(moneyFigures(), totalFigure()) {
			value := func(m report.MoneyFigures) string {
				if f.count {
					return strconv.FormatInt(f.value(m), 10)
				}
				return i18n.PlainAmount(f.value(m), m.Currency)
			}
			rows = append(rows, csvRow{
				section: v.Say("reports.money"), figure: v.Say(f.key), group: m[0].Currency, value: value(m[0]),
				before: value(m[1]),
			})
		}
	}
	return rows
}
