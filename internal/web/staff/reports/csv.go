package reports

import (
	"strconv"
	"time"

	"homeward/internal/itemcsv"
	"homeward/internal/lost/report"
	"homeward/internal/web/staff/frame"
)

// download sends the figures of a report as CSV. Each row has the section, the figure, its subject, its value in the
// period, and its value in the period before.
func (c *call) download() error {
	_, r, err := c.read()
	if err != nil {
		return err
	}
	name := "reports-" + r.Period.From + "-" + r.Period.To + ".csv"
	return c.WriteFile(name, func(d *frame.Download) error {
		if _, err := d.Write([]byte("\ufeff")); err != nil { // Excel needs it to recognise UTF-8
			return err
		}
		t, err := itemcsv.NewTable(d, "section", "figure", "subject", "value", "before")
		if err != nil {
			return err
		}
		for _, row := range csvRows(r) {
			if err := t.Row(row...); err != nil {
				return err
			}
		}
		return t.Flush()
	})
}

// csvRows returns the rows of a report.
func csvRows(r report.Report) (rows [][]string) {
	add := func(section, figure, subject, value, before string) {
		rows = append(rows, []string{section, figure, subject, value, before})
	}
	number := strconv.Itoa
	add("period", "from", "", r.Period.From, r.Before.From)
	add("period", "to", "", r.Period.To, r.Before.To)
	before := csvItems(r.ItemsBefore)
	for n, f := range csvItems(r.Items) {
		add("items", f[0], "", f[1], before[n][1])
	}
	for _, l := range r.Locations {
		for _, f := range csvItems(l.ItemFigures)[:5] {
			add("locations", f[0], l.Name, f[1], "")
		}
	}
	for _, m := range r.Months {
		month := m.Month.FirstDay().Format("2006-01")
		add("months", "found", month, number(m.Found), "")
		add("months", "returned", month, number(m.Returned), "")
		add("months", "other", month, number(m.Other), "")
		add("months", "open", month, number(m.Open), "")
	}
	for _, kind := range []struct {
		name   string
		groups []report.Group
	}{{"colors", r.Colors}, {"places", r.Places}} {
		for _, g := range kind.groups {
			add(kind.name, "found", g.Name, number(g.Found), "")
			add(kind.name, "returned", g.Name, number(g.Returned), "")
		}
	}
	for _, a := range r.Ages {
		add("ages", "items", number(a.MinDays)+"+", number(a.Items), "")
	}
	for _, p := range r.Storage {
		add("storage", "items", p.Place, number(p.Items), "")
	}
	return append(rows, csvOthers(r)...)
}

// csvItems returns the names and values of figures.
func csvItems(f report.ItemFigures) [][2]string {
	return [][2]string{
		{"found", strconv.Itoa(f.Found)}, {"returned", strconv.Itoa(f.Returned)},
		{"donated", strconv.Itoa(f.Donated)}, {"discarded", strconv.Itoa(f.Discarded)},
		{"police", strconv.Itoa(f.Police)}, {"medianDays", csvKnown(f.MedianDays())},
		{"p90Days", csvKnown(f.MostDays())},
	}
}

func csvKnown(value int, known bool) string {
	if !known {
		return ""
	}
	return strconv.Itoa(value)
}

// csvOthers returns the rows of requests and money.
func csvOthers(r report.Report) (rows [][]string) {
	minutes := func(d time.Duration, known bool) string { return csvKnown(int(d/time.Minute), known) }
	now, before := r.Requests, r.RequestsBefore
	rows = append(rows,
		[]string{"requests", "filed", "", strconv.Itoa(now.Filed), strconv.Itoa(before.Filed)},
		[]string{"requests", "answered", "", strconv.Itoa(now.Answered), strconv.Itoa(before.Answered)},
		[]string{"requests", "open", "", strconv.Itoa(now.Open), strconv.Itoa(before.Open)},
		[]string{"requests", "medianMinutes", "", minutes(now.MedianAnswer()), minutes(before.MedianAnswer())},
		[]string{"requests", "p90Minutes", "", minutes(now.MostAnswers()), minutes(before.MostAnswers())})
	for _, m := range report.MoneyPairs(r) {
		for _, f := range []struct {
			name  string
			value func(report.MoneyFigures) int64
		}{
			{"handling", func(m report.MoneyFigures) int64 { return m.Handling }},
			{"shipping", func(m report.MoneyFigures) int64 { return m.Shipping }},
			{"refunded", func(m report.MoneyFigures) int64 { return m.Refunded }},
		} {
			rows = append(rows, []string{
				"money", f.name, m[0].Currency, strconv.FormatInt(f.value(m[0]), 10),
				strconv.FormatInt(f.value(m[1]), 10),
			})
		}
	}
	return rows
}
