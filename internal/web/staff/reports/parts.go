package reports

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/report"
	"homeward/internal/web/staff/frame"
)

// items returns the part about found items and what became of them.
func (v view) items() part {
	now, before := v.Items, v.ItemsBefore
	p := part{
		ID: "items", Title: v.Say("reports.items"), Lead: v.Say("reports.lead"),
		Stats: []stat{
			v.count(lost.FigureFound, now.Found, before.Found),
			v.count(lost.FigureReturned, now.Returned, before.Returned),
			v.count(lost.FigureDonated, now.Donated, before.Donated),
			v.count(lost.FigureDiscarded, now.Discarded, before.Discarded),
			v.count(lost.FigurePolice, now.Police, before.Police),
			v.count(lost.FigureAuthority, now.Authority, before.Authority),
			v.count(lost.FigureAuctioned, now.Auctioned, before.Auctioned),
			v.count(lost.FigureFinder, now.Finder, before.Finder),
			v.days("reports.median", now.MedianDays, before.MedianDays),
			v.days("reports.p90-days", now.P90Days, before.P90Days),
		},
		Charts: []chart{v.monthChart()},
	}
	if len(v.Locations) > 1 {
		p.Charts = append(p.Charts, v.locationChart())
	}
	if now.Found > 0 {
		for _, t := range v.traits() {
			p.Charts = append(p.Charts, v.groupChart(t))
		}
	}
	return p
}

// trait is a field by which a report groups found items.
type trait struct {
	lost.ReportTrait
	groups []report.Group
}

// traits returns the groups of a report, with their names in the language of the user.
func (v view) traits() []trait {
	categories := slices.Clone(v.Categories)
	for n, g := range categories {
		if slices.Contains(lost.Categories(), lost.Category(g.Key)) {
			categories[n].Name = v.CategoryName(lost.Category(g.Key))
		}
	}
	return []trait{
		{lost.CategoryTrait, categories}, {lost.ColorTrait, v.Colors}, {lost.PlaceTrait, v.Places},
		{lost.FinderTrait, v.Finders},
	}
}

// monthChart draws what became of the items found in each month.
func (v view) monthChart() chart {
	c := chart{
		ID: "by-month", Title: v.Say("reports.by-month"), Summary: v.Say("reports.by-month.lead"),
		Key: []legendLine{
			{"returned", v.Say("reports.figure.returned")}, {"found", v.Say("reports.other")},
			{"open", v.Say("reports.open")},
		},
		Table: table{Head: []string{
			v.Say("reports.month"), v.Say("reports.figure.found"), v.Say("reports.figure.returned"),
			v.Say("reports.other"), v.Say("reports.open"), v.Say("reports.rate"),
		}},
	}
	top := 1
	for _, m := range v.Months {
		top = max(top, m.Found)
	}
	top = roundUp(top)
	for n, m := range v.Months {
		name, days := monthName(v.Locale, m.Month), report.MonthPeriod(m.Month)
		c.Columns = append(c.Columns, drawColumn(n, top, v.Say("reports.column", "month", name, "found", m.Found,
			"returned", m.Returned, "open", m.Open), m.Returned, m.Other, m.Open))
		c.Labels = append(c.Labels, monthLabel(v.Locale, m.Month, n, len(v.Months)))
		c.Table.Rows = append(c.Table.Rows, []cell{
			{Text: name},
			v.cell(lost.FigureFound, days, m.Found), v.cell(lost.FigureFoundReturned, days, m.Returned),
			v.cell(lost.FigureFoundOther, days, m.Other), v.cell(lost.FigureFoundOpen, days, m.Open),
			{Text: v.percent(m.Rate()), Href: v.list(lost.FigureFound, days, "")},
		})
	}
	c.Top = v.Number(top)
	return c
}

func (v view) percent(rate int, known bool) string {
	if !known {
		return unknown
	}
	return v.Say("reports.percent", "n", rate)
}

// cell returns a number that leads to its list.
func (v view) cell(f lost.ReportFigure, p report.Period, n int) cell {
	return cell{Text: v.Number(n), Href: v.list(f, p, "")}
}

// monthLabel returns the label of a month's column. It is empty if there is no room for it.
func monthLabel(lang frame.Locale, m lost.Month, n, of int) string {
	const year = 12
	first := m.FirstDay()
	switch {
	case of <= year:
		return lang.Say("common.month.short." + strconv.Itoa(int(first.Month())))
	case n == 0 && first.Month() < time.November || first.Month() == time.January:
		return first.Format("2006")
	default:
		return ""
	}
}

// drawnPlaces is the maximum number of locations in the chart. The table lists all of them.
const drawnPlaces = 10

// locationChart draws found and returned items by location.
func (v view) locationChart() chart {
	c := chart{
		ID: "by-location", Title: v.Say("reports.by-location"),
		Table: table{Head: []string{
			v.Say("reports.location"), v.Say("reports.figure.found"), v.Say("reports.figure.returned"),
			v.Say("reports.figure.donated"), v.Say("reports.figure.discarded"), v.Say("reports.figure.police"),
			v.Say("reports.figure.authority"), v.Say("reports.figure.auctioned"), v.Say("reports.figure.finder"),
		}},
	}
	for _, l := range v.Locations {
		at := v
		at.scope, at.chosen = frame.Scope{At: lost.Location{ID: l.ID}}, nil
		c.Table.Rows = append(c.Table.Rows, []cell{
			{Text: l.Name, Href: at.scope.Path("/reports") + "?" + periodQuery(v.Period).Encode()},
			at.cell(lost.FigureFound, v.Period, l.Found), at.cell(lost.FigureReturned, v.Period, l.Returned),
			at.cell(lost.FigureDonated, v.Period, l.Donated), at.cell(lost.FigureDiscarded, v.Period, l.Discarded),
			at.cell(lost.FigurePolice, v.Period, l.Police), at.cell(lost.FigureAuthority, v.Period, l.Authority),
			at.cell(lost.FigureAuctioned, v.Period, l.Auctioned), at.cell(lost.FigureFinder, v.Period, l.Finder),
		})
	}
	busy := slices.Clone(v.Locations)
	slices.SortStableFunc(busy, func(a, b report.LocationFigures) int { return cmp.Compare(b.Found, a.Found) })
	for _, l := range busy[:min(len(busy), drawnPlaces)] {
		c.Strips = append(c.Strips,
			strip{Name: l.Name, Value: v.Number(l.Found), Width: share(l.Found, busy[0].Found), Shade: "found"})
	}
	c.Summary = v.Say("reports.none-found")
	if busy[0].Found > 0 {
		c.Summary = v.Say("reports.most", "location", busy[0].Name, "n", busy[0].Found)
	}
	if len(busy) > drawnPlaces {
		c.Summary = v.Sentences(c.Summary, v.Say("reports.drawn", "drawn", drawnPlaces, "n", len(busy)))
	}
	return c
}

// groupChart draws found and returned items by a trait. The table lists all groups.
func (v view) groupChart(t trait) chart {
	id := "by-" + string(t.ReportTrait)
	c := chart{
		ID: id, Title: v.Say("reports.by-trait." + string(t.ReportTrait)), Summary: v.Say("reports.groups.lead"),
		Key: []legendLine{{"found", v.Say("reports.figure.found")}, {"returned", v.Say("reports.of-these")}},
		Table: table{Head: []string{
			v.Say("reports.trait." + string(t.ReportTrait)), v.Say("reports.figure.found"), v.Say("reports.of-these"),
		}},
	}
	if t.ReportTrait == lost.FinderTrait {
		c.Summary = v.Sentences(c.Summary, v.Say("reports.finders.lead", "least", report.MinFinds))
	}
	drawn, most := report.TopGroups(t.groups), 0
	for _, g := range drawn {
		most = max(most, g.Found)
	}
	for _, g := range drawn {
		c.Strips = append(c.Strips, strip{
			Name: v.groupName(g.Name, g.Rest), Value: v.Say("reports.strip", "found", g.Found, "returned", g.Returned),
			Width: share(g.Found, most), Inner: share(g.Returned, most), Shade: "found",
		})
	}
	for _, g := range t.groups {
		group := frame.TraitGroup(t.ReportTrait, g.Key)
		if g.Rest > 0 {
			group = frame.RestGroup(t.ReportTrait)
		}
		c.Table.Rows = append(c.Table.Rows, []cell{
			{Text: v.groupName(g.Name, g.Rest)},
			{Text: v.Number(g.Found), Href: v.list(lost.FigureFound, v.Period, group)},
			{Text: v.Number(g.Returned), Href: v.list(lost.FigureFoundReturned, v.Period, group)},
		})
	}
	return c
}

// groupName returns the name of a group, of the rest, or of items for which it is not known.
func (v view) groupName(name string, rest int) string {
	switch {
	case rest > 0:
		return v.Say("reports.rest", "n", rest)
	case name == "":
		return v.Say("reports.unknown")
	default:
		return name
	}
}

// storage returns the part about the items in storage.
func (v view) storage() part {
	ages := chart{
		ID: "ages", Title: v.Say("reports.ages"), Summary: v.Say("reports.ages.lead"),
		Table: table{Head: []string{v.Say("reports.age"), v.Say("reports.items")}},
	}
	most, here := 0, 0
	for _, a := range v.Ages {
		most, here = max(most, a.Items), here+a.Items
	}
	for _, a := range v.Ages {
		name := v.ageName(a)
		ages.Strips = append(ages.Strips,
			strip{Name: name, Value: v.Number(a.Items), Width: share(a.Items, most), Shade: "open"})
		ages.Table.Rows = append(ages.Table.Rows,
			[]cell{{Text: name}, v.cell(lost.FigureHere, report.Period{From: a.From, To: a.To}, a.Items)})
	}
	p := part{
		ID: "storage", Title: v.Say("reports.storage"),
		Stats: []stat{{
			Name: v.Say("reports.figure.here"), Value: v.Number(here),
			Href: v.list(lost.FigureHere, report.Period{}, ""),
		}},
		Charts: []chart{ages},
	}
	if len(v.Storage) > 0 {
		p.Charts = append(p.Charts, v.placeChart())
	}
	return p
}

// ageName returns the name of a group of ages.
func (v view) ageName(a report.Age) string {
	if a.MaxDays < 0 {
		return v.Say("reports.age.over", "n", a.MinDays-1)
	}
	return v.Say("reports.age.range", "from", a.MinDays, "to", a.MaxDays)
}

// locationNames returns the names of the locations by id.
func (v view) locationNames() map[string]string {
	names := map[string]string{}
	for _, l := range v.Locations {
		names[l.ID] = l.Name
	}
	return names
}

// placeChart draws how many items are at each storage place.
func (v view) placeChart() chart {
	c := chart{
		ID: "storage-places", Title: v.Say("reports.places"), Summary: v.Say("reports.places.lead"),
		Table: table{Head: []string{v.Say("reports.storage-place"), v.Say("reports.items")}},
	}
	names := v.locationNames()
	for _, u := range v.Storage {
		name := v.groupName(u.Place, u.Rest)
		items := cell{
			Text: v.Number(u.Items),
			Href: v.list(lost.FigureHere, report.Period{}, frame.RestGroup(lost.StorageTrait)),
		}
		if u.Rest == 0 {
			items.Href = frame.LocationPath(u.LocationID, "/place") + "?" + url.Values{"name": {u.Place}}.Encode()
			if len(v.Locations) > 1 {
				name = v.Say("frame.labelled", "label", names[u.LocationID], "text", name)
			}
		}
		c.Strips = append(c.Strips,
			strip{Name: name, Value: v.Number(u.Items), Width: share(u.Items, v.Storage[0].Items), Shade: "open"})
		c.Table.Rows = append(c.Table.Rows, []cell{{Text: name}, items})
	}
	return c
}

// values returns the part about what items are worth.
func (v view) values() part {
	before := func(f lost.ReportFigure) string {
		return v.Say("frame.labelled", "label", v.figureText(f), "text", v.Say("reports.period-before"))
	}
	t := table{Head: []string{
		v.Say("reports.payments.currency"), v.figureText(lost.FigureHere),
		v.figureText(lost.FigureFound), before(lost.FigureFound),
		v.figureText(lost.FigureReturned), before(lost.FigureReturned),
	}}
	for _, f := range v.Values {
		amount := func(figure lost.ReportFigure, p report.Period, n int64) cell {
			return cell{
				Text: v.Locale.Money(n, f.Currency), Href: v.list(figure, p, frame.CurrencyGroup(f.Currency)),
			}
		}
		t.Rows = append(t.Rows, []cell{
			{Text: f.Currency}, amount(lost.FigureHere, report.Period{}, f.Stored),
			amount(lost.FigureFound, v.Period, f.Found[0]), amount(lost.FigureFound, v.Before, f.Found[1]),
			amount(lost.FigureReturned, v.Period, f.Returned[0]), amount(lost.FigureReturned, v.Before, f.Returned[1]),
		})
	}
	p := part{
		ID: "values", Title: v.Say("reports.values"), Lead: v.Say("reports.values.lead"), Tables: []table{t},
	}
	if v.MoreCurrencies > 0 {
		p.Lead = v.Sentences(p.Lead, v.Say("reports.values.more", "n", v.MoreCurrencies))
	}
	return p
}

// figureText returns the name of a figure that counts records.
func (v view) figureText(f lost.ReportFigure) string { return v.Say("reports.figure." + string(f)) }

// requests returns the part about requests and how fast they were answered.
func (v view) requests() part {
	now, before := v.Requests, v.RequestsBefore
	return part{
		ID: "requests", Title: v.Say("frame.menu.requests"), Lead: v.Say("reports.requests.lead"),
		Stats: []stat{
			v.count(lost.FigureFiled, now.Filed, before.Filed),
			v.count(lost.FigureAnswered, now.Answered, before.Answered),
			v.count(lost.FigureUnanswered, now.Open, before.Open),
			v.wait("reports.answer.median", now.MedianAnswer, before.MedianAnswer),
			v.wait("reports.answer.p90", now.P90Answer, before.P90Answer),
		},
	}
}

// money returns the part about payments and refunds.
func (v view) money() part {
	p := part{ID: "money", Title: v.Say("reports.money"), Lead: v.Say("reports.money.lead")}
	if len(v.Money)+len(v.MoneyBefore) == 0 {
		p.Lead = v.Say("reports.money.none")
		return p
	}
	for _, m := range report.MoneyPairs(v.Report) {
		row := func(f moneyFigure) []cell {
			return []cell{
				{Text: v.Say(f.key)},
				{Text: v.amount(f, m[0]), Href: v.payments(f, v.Period, m[0].Currency)},
				{Text: v.amount(f, m[1]), Href: v.payments(f, v.Before, m[0].Currency)},
			}
		}
		t := table{
			Head: []string{m[0].Currency, v.Say("reports.this-period"), v.Say("reports.period-before")},
			Foot: row(totalFigure()),
		}
		for _, f := range moneyFigures() {
			t.Rows = append(t.Rows, row(f))
		}
		p.Tables = append(p.Tables, t)
	}
	return p
}
