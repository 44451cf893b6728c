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
	months    []MonthFigures // oldest first
	monthDays []int          // the first day of each month, and the day after the last one
	traits    struct{ categories, colors, places, finders map[string]*spellings }
	storage   map[[2]string]int // items by location and place
	items     [2]ItemFigures    // of the period and of the period before, as in all arrays
	requests  [2]RequestFigures
	values    map[string]*ValueFigures // by currency
	money     [2]map[string]*MoneyFigures
	period    [2]dayRange
	oldest    []int // the first day of each group of ages, except the oldest
}

// dayRange is a period of days, counted from 1970-01-01.
type dayRange struct{ from, to int }

func (p Period) dayRange() dayRange { return dayRange{DayNumber(p.From), DayNumber(p.To)} }

func (d dayRange) contains(day int) bool { return d.from <= day && day <= d.to }

// DayNumber returns the number of days from 1970-01-01 to a date.
func DayNumber(date string) int { return daysBetween("1970-01-01", date) }

// New begins a report about locations, which keep their order.
func New(p Period, locations []lost.LocationName, now time.Time) *Builder {
	b := &Builder{
		r:       Report{Period: p, Before: p.Before(), Today: Today(locations, now), ComputedAt: now},
		storage: map[[2]string]int{}, values: map[string]*ValueFigures{}, money: [2]map[string]*MoneyFigures{{}, {}},
	}
	b.traits.categories, b.traits.finders = map[string]*spellings{}, map[string]*spellings{}
	b.traits.colors, b.traits.places = map[string]*spellings{}, map[string]*spellings{}
	for _, l := range locations {
		b.locations = append(b.locations, LocationFigures{LocationName: l})
	}
	first, last := p.months()
	for m := first; m <= last; m++ {
		b.months = append(b.months, MonthFigures{Month: m})
		b.monthDays = append(b.monthDays, DayNumber(MonthPeriod(m).From))
	}
	b.monthDays = append(b.monthDays, DayNumber(MonthPeriod(last).To)+1)
	b.period = [2]dayRange{p.dayRange(), b.r.Before.dayRange()}
	b.r.Ages = ages(b.r.Today)
	for _, a := range b.r.Ages[:len(b.r.Ages)-1] {
		b.oldest = append(b.oldest, DayNumber(a.From))
	}
	return b
}

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

// Periods returns the period and the period before, in the order of the numbers that other methods take.
func (b *Builder) Periods() [2]Period { return [2]Period{b.r.Period, b.r.Before} }

// Find is a found item.
type Find struct {
	Location               int // its position in the report
	FoundOn                int // the local day, counted from 1970-01-01
	EndedOn                int // when it was returned, donated, discarded or handed to the police
	Outcome                lost.FindOutcome
	Held                   bool
	Category, Color, Place string
	FinderName             string
	StoragePlace           string
	Value                  lost.Value
}

// Text returns the value of a trait.
func (f Find) Text(t lost.ReportTrait) string {
	switch t {
	case lost.CategoryTrait:
		return f.Category
	case lost.ColorTrait:
		return f.Color
	case lost.PlaceTrait:
		return f.Place
	case lost.FinderTrait:
		return f.FinderName
	default:
		return f.StoragePlace
	}
}

// AddFind counts a found item.
func (b *Builder) AddFind(f Find) {
	switch {
	case b.period[0].contains(f.FoundOn):
		b.items[0].Found++
		b.locations[f.Location].Found++
		returned := f.Outcome.Returned()
		countSpelling(b.traits.categories, f.Category, returned)
		countSpelling(b.traits.colors, f.Color, returned)
		countSpelling(b.traits.places, f.Place, returned)
		countSpelling(b.traits.finders, f.FinderName, returned)
	case b.period[1].contains(f.FoundOn):
		b.items[1].Found++
	}
	n, found := slices.BinarySearch(b.monthDays, f.FoundOn)
	if !found {
		n--
	}
	if n >= 0 && n < len(b.months) {
		b.months[n].add(f.Outcome)
	}
	b.addEnded(f)
	if f.Held {
		b.addHeld(f)
	}
	if f.Value.Known() {
		b.addValue(f)
	}
}

// add counts an item that was found during the month.
func (m *MonthFigures) add(o lost.FindOutcome) {
	m.Found++
	switch {
	case o.Returned():
		m.Returned++
	case o == lost.OutcomeOpen || o == lost.OutcomeInTransit:
		m.Open++
	default:
		m.Other++
	}
}

// GroupKey returns the key of a color, place or finder, which is the same for all spellings.
func GroupKey(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }

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

// addEnded counts an item that was returned, donated, discarded or handed to the police during one of the periods, and
// its time to return.
func (b *Builder) addEnded(f Find) {
	if f.Outcome == lost.OutcomeOpen || f.Outcome == lost.OutcomeInTransit {
		return
	}
	for n, p := range b.period {
		if !p.contains(f.EndedOn) {
			continue
		}
		figures := &b.items[n]
		figures.add(f.Outcome)
		if n == 0 {
			b.locations[f.Location].add(f.Outcome)
		}
		if f.Outcome.Returned() {
			if figures.days == nil {
				figures.days = counts{}
			}
			figures.days[max(0, f.EndedOn-f.FoundOn)]++
		}
	}
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
	case o == lost.OutcomeAuthority:
		f.Authority++
	case o == lost.OutcomeAuctioned:
		f.Auctioned++
	case o == lost.OutcomeFinder:
		f.Finder++
	default:
		f.Discarded++
	}
}

// addHeld counts an item in storage.
func (b *Builder) addHeld(f Find) {
	age := 0
	for age < len(b.oldest) && f.FoundOn < b.oldest[age] {
		age++
	}
	b.r.Ages[age].Items++
	l := &b.locations[f.Location]
	place := f.StoragePlace
	if place == "" {
		place = l.StoragePlace
	}
	b.storage[[2]string{l.ID, place}]++
}

// addValue adds up what an item is worth, unless no figure counts the item.
func (b *Builder) addValue(f Find) {
	var worth ValueFigures
	if f.Held {
		worth.Stored = f.Value.Amount
	}
	for n, p := range b.period {
		if p.contains(f.FoundOn) {
			worth.Found[n] = f.Value.Amount
		}
		if f.Outcome.Returned() && p.contains(f.EndedOn) {
			worth.Returned[n] = f.Value.Amount
		}
	}
	if worth == (ValueFigures{}) {
		return
	}
	v := b.values[f.Value.Currency]
	if v == nil {
		v = &ValueFigures{Currency: f.Value.Currency}
		b.values[f.Value.Currency] = v
	}
	v.add(worth)
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
func (b *Builder) AddPayments(period int, f lost.PaymentFacts) {
	m := b.money[period][f.Currency]
	if m == nil {
		m = &MoneyFigures{Currency: f.Currency}
		b.money[period][f.Currency] = m
	}
	if f.Refund {
		m.Refunds += f.Number
		m.Refunded += f.Total()
		return
	}
	m.Payments += f.Number
	m.Handling += f.Handling
	m.Shipping += f.Postage
}

// Report returns the report. Nothing can be added afterwards.
func (b *Builder) Report() Report {
	b.r.Months = b.months
	b.r.Categories = joinSpellings(b.traits.categories)
	b.r.Colors, b.r.Places = TopGroups(joinSpellings(b.traits.colors)), TopGroups(joinSpellings(b.traits.places))
	b.r.Finders = topFinders(joinSpellings(b.traits.finders))
	b.r.Storage, b.r.Locations = topPlaces(b.storage), b.locations
	b.r.Items, b.r.ItemsBefore = b.items[0], b.items[1]
	b.r.Requests, b.r.RequestsBefore = b.requests[0], b.requests[1]
	b.r.Values, b.r.MoreCurrencies = topValues(b.values)
	b.r.Money, b.r.MoneyBefore = sortedMoney(b.money[0]), sortedMoney(b.money[1])
	return b.r
}

func sortedMoney(all map[string]*MoneyFigures) (sorted []MoneyFigures) {
	for _, currency := range slices.Sorted(maps.Keys(all)) {
		sorted = append(sorted, *all[currency])
	}
	return sorted
}
