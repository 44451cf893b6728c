package report

import (
	"maps"
	"slices"
	"strings"
	"time"

	"homeward/internal/lost"
)

// Builder adds up the facts of a report. Methods that add facts of different kinds may be called at the same time.
type Builder struct {
	r         Report
	locations []LocationFigures
	places    map[string]int           // positions in locations, by id
	months    map[string]*MonthFigures // by the first seven characters of a date
	traits    struct{ colors, places map[string]*spellings }
	storage   map[[2]string]int // items by location and place
	items     [2]ItemFigures    // of the period and of the period before, as in all arrays
	requests  [2]RequestFigures
	money     [2]map[string]*MoneyFigures
	days      map[string]int // numbers of days, see dayNumber
}

// New begins a report about locations, which keep their order.
func New(p Period, locations []lost.LocationName, now time.Time) *Builder {
	b := &Builder{
		r:      Report{Period: p, Before: p.Before(), Today: Today(locations, now), ComputedAt: now},
		places: map[string]int{}, months: map[string]*MonthFigures{}, days: map[string]int{},
		money: [2]map[string]*MoneyFigures{{}, {}},
	}
	b.traits.colors, b.traits.places = map[string]*spellings{}, map[string]*spellings{}
	for n, l := range locations {
		b.locations, b.places[l.ID] = append(b.locations, LocationFigures{LocationName: l}), n
	}
	for first, last := p.months(); first <= last; first++ {
		b.months[monthKey(first)] = &MonthFigures{Month: first}
	}
	b.r.Ages = ages(b.r.Today)
	return b
}

func monthKey(m lost.Month) string { return m.FirstDay().Format("2006-01") }

// Today returns the current day or, if it differs between the locations, the latest one.
func Today(locations []lost.LocationName, now time.Time) string {
	today := ""
	for _, l := range locations {
		today = max(today, now.In(l.Zone()).Format(lost.DateLayout))
	}
	if today == "" {
		today = now.UTC().Format(lost.DateLayout)
	}
	return today
}

// ages returns the groups of ages, with the days on which their items were found.
func ages(today string) (all []Age) {
	from := 0
	for _, to := range []int{7, 30, 90, 180, -1} {
		a := Age{MinDays: from, MaxDays: to, To: lost.AddDays(today, -from)}
		if to >= 0 {
			a.From = lost.AddDays(today, -to)
		}
		if from == 0 {
			a.To = ""
		}
		all = append(all, a)
		from = to + 1
	}
	return all
}

// OtherFoundPeriods returns the days of discovery outside the period that AddFound needs: those of the months and of
// the period before.
func (b *Builder) OtherFoundPeriods() (all []Period) {
	first, last := b.r.Period.months()
	before := Period{From: min(b.r.Before.From, MonthPeriod(first).From), To: b.r.Before.To}
	after := Period{From: lost.AddDays(b.r.Period.To, 1), To: MonthPeriod(last).To}
	for _, p := range []Period{before, after} {
		if p.From <= p.To {
			all = append(all, p)
		}
	}
	return all
}

// Periods returns the period and the period before, in the order of the numbers that other methods take.
func (b *Builder) Periods() [2]Period { return [2]Period{b.r.Period, b.r.Before} }

// AddFound counts items that were found on the same day.
func (b *Builder) AddFound(c lost.FoundCount, zone *time.Location) {
	found := c.FoundOn(zone)
	if m := b.months[found[:len("2006-01")]]; m != nil {
		m.Found += c.Items
		m.Returned += c.Returned
		m.Other += c.Other
		m.Open += c.Items - c.Returned - c.Other
	}
	switch {
	case b.r.Period.contains(found):
		b.items[0].Found += c.Items
		b.locations[b.places[c.LocationID]].Found += c.Items
	case b.r.Before.contains(found):
		b.items[1].Found += c.Items
	}
}

// GroupKey returns the key of a color or place, which is the same for all spellings.
func GroupKey(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }

// AddTraits counts the color and place of an item that was found during the period.
func (b *Builder) AddTraits(color, place string, returned bool) {
	countSpelling(b.traits.colors, color, returned)
	countSpelling(b.traits.places, place, returned)
}

// countSpelling counts an item. The spellings are joined to groups in the end, because there are fewer spellings than
// items.
func countSpelling(groups map[string]*spellings, text string, returned bool) {
	s := groups[text]
	if s == nil {
		s = &spellings{}
		groups[text] = s
	}
	s.found++
	if returned {
		s.returned++
	}
}

// AddEnded counts an item that was returned, donated, discarded or handed to the police during one of both periods, and
// its time to return.
func (b *Builder) AddEnded(zone *time.Location, e lost.EndedFacts) {
	period := 0
	if e.EndedOn < b.dayNumber(b.r.Period.From) {
		period = 1
	}
	f := &b.items[period]
	f.add(e.Outcome)
	if period == 0 {
		b.locations[b.places[e.LocationID]].add(e.Outcome)
	}
	if !e.Outcome.Returned() {
		return
	}
	day := e.Date
	if day == "" {
		day = e.CreatedAt.In(zone).Format(lost.DateLayout)
	}
	if f.days == nil {
		f.days = counts{}
	}
	f.days[max(0, e.EndedOn-b.dayNumber(day))]++
}

// dayNumber returns the number of a day, counted from 1970-01-01.
func (b *Builder) dayNumber(day string) int {
	n, ok := b.days[day]
	if !ok {
		n = daysBetween("1970-01-01", day)
		b.days[day] = n
	}
	return n
}

// add counts an item.
func (f *ItemFigures) add(o lost.FindOutcome) {
	switch {
	case o.Returned():
		f.Returned++
	case o == lost.OutcomeDonated:
		f.Donated++
	case o == lost.OutcomePolice:
		f.Police++
	default:
		f.Discarded++
	}
}

// AgeLimits returns the first days of discovery of the groups of ages, except of the oldest, in a time zone.
func (b *Builder) AgeLimits(zone *time.Location) (days []lost.Day) {
	for _, a := range b.r.Ages[:len(b.r.Ages)-1] {
		days = append(days, lost.Day{Date: a.From, Begin: startOf(a.From, zone)})
	}
	return days
}

// AddHeld counts the items at a storage place of a location, which are grouped by age.
func (b *Builder) AddHeld(location, place string, byAge []int) {
	if b.storage == nil {
		b.storage = map[[2]string]int{}
	}
	for n, items := range byAge {
		b.r.Ages[n].Items += items
		b.storage[[2]string{location, place}] += items
	}
}

// AddRequest counts a request that was filed during a period.
func (b *Builder) AddRequest(period int, f lost.RequestFacts) {
	r := &b.requests[period]
	r.Filed++
	switch {
	case !f.AnsweredAt.IsZero():
		r.Answered++
		if r.minutes == nil {
			r.minutes = counts{}
		}
		r.minutes[max(0, int(f.AnsweredAt.Sub(f.CreatedAt)/time.Minute))]++
	case f.State == lost.RequestPending:
		r.Open++
	}
}

// AddPayments adds payments or refunds during a period.
func (b *Builder) AddPayments(period int, f lost.PaymentFacts, number int) {
	m := b.money[period][f.Currency]
	if m == nil {
		m = &MoneyFigures{Currency: f.Currency}
		b.money[period][f.Currency] = m
	}
	if f.Refund {
		m.Refunds += number
		m.Refunded += f.Total()
		return
	}
	m.Payments += number
	m.Handling += f.Handling
	m.Shipping += f.Postage
}

// Report returns the report. Nothing can be added afterwards.
func (b *Builder) Report() Report {
	for first, last := b.r.Period.months(); first <= last; first++ {
		b.r.Months = append(b.r.Months, *b.months[monthKey(first)])
	}
	b.r.Colors, b.r.Places = topGroups(b.traits.colors), topGroups(b.traits.places)
	b.r.Storage, b.r.Locations = topPlaces(b.storage), b.locations
	b.r.Items, b.r.ItemsBefore = b.items[0], b.items[1]
	b.r.Requests, b.r.RequestsBefore = b.requests[0], b.requests[1]
	b.r.Money, b.r.MoneyBefore = sortedMoney(b.money[0]), sortedMoney(b.money[1])
	return b.r
}

func sortedMoney(all map[string]*MoneyFigures) (sorted []MoneyFigures) {
	for _, currency := range slices.Sorted(maps.Keys(all)) {
		sorted = append(sorted, *all[currency])
	}
	return sorted
}
