package lost

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// FindOutcome is the outcome of a found item, for statistics.
type FindOutcome string

// The outcomes.
const (
	CollectedFate FindOutcome = "collected" // the owner, or somebody for them, picked it up
	PostedFate    FindOutcome = "posted"    // delivered by parcel
	TravelsFate   FindOutcome = "travels"   // the parcel is in transit
	DonatedFate   FindOutcome = "donated"
	LeftFate      FindOutcome = "left"    // the owner does not want it back, or it was discarded
	PoliceFate    FindOutcome = "police"  // handed to the police
	WaitingFate   FindOutcome = "waiting" // not decided, or not carried out yet
)

// FindOutcomes lists them, the best first.
func FindOutcomes() []FindOutcome {
	return []FindOutcome{CollectedFate, PostedFate, TravelsFate, DonatedFate, LeftFate, PoliceFate, WaitingFate}
}

// Returned reports whether the owner has the item.
func (o FindOutcome) Returned() bool { return o == CollectedFate || o == PostedFate }

// FindFacts is what statistics need to know about a found item.
type FindFacts struct {
	Status        Status
	Destination   Destination
	DiscoveryDate string
	CreatedAt     time.Time
	MovedAt       time.Time
	ClosedAt      time.Time
}

// FindFacts returns the facts about the item for statistics.
func (i Item) FindFacts() FindFacts {
	return FindFacts{
		Status: i.Status, Destination: i.Destination, DiscoveryDate: i.DiscoveryDate, CreatedAt: i.CreatedAt,
		MovedAt: i.MovedAt, ClosedAt: i.ClosedAt,
	}
}

// Outcome returns the outcome. A pick-up counts once the desk has closed it.
func (f FindFacts) Outcome() FindOutcome {
	switch {
	case f.Status == Delivered:
		return PostedFate
	case f.Status == PickUp && !f.ClosedAt.IsZero():
		return CollectedFate
	case f.Status == Shipped:
		return TravelsFate
	case f.Status == Donate:
		return DonatedFate
	case f.Status == Discard && f.Destination == Police:
		return PoliceFate
	case f.Status == Discard:
		return LeftFate
	default:
		return WaitingFate
	}
}

// returnedAt is when the owner got it back; zero if they did not, or the time is not known.
func (f FindFacts) returnedAt() time.Time {
	switch f.Outcome() {
	case CollectedFate:
		return f.ClosedAt
	case PostedFate:
		return f.MovedAt
	default:
		return time.Time{}
	}
}

// Month is a month of a year, counted from the year 0.
type Month int

// MonthOf is the month of a time in its time zone.
func MonthOf(t time.Time) Month { return Month(t.Year()*monthsInYear + int(t.Month()) - 1) }

// FirstDay is the first day of the month.
func (m Month) FirstDay() time.Time {
	return time.Date(int(m)/monthsInYear, time.Month(int(m)%monthsInYear+1), 1, 0, 0, 0, 0, time.UTC)
}

const (
	monthsInYear = 12
	day          = 24 * time.Hour
)

// Limits of statistics.
const (
	MaxSpan    = 36      // months that statistics cover
	MaxCounted = 500_000 // of a location's newest items
	// maxReturnDays is the longest time to return that is counted; longer ones count as this.
	maxReturnDays = 3 * 366
)

// Span is how many months statistics cover, including the present one.
type Span int

// DefaultSpan is the default.
const DefaultSpan Span = 12

// Spans lists those that are offered.
func Spans() []Span { return []Span{1, 3, DefaultSpan, MaxSpan} }

// SpanOf returns the span with a number of months if it is offered, otherwise the default.
func SpanOf(months int) Span {
	if s := Span(months); slices.Contains(Spans(), s) {
		return s
	}
	return DefaultSpan
}

// MonthlyCounts counts a location's found items by month and outcome. Make one with NewMonthlyCounts.
type MonthlyCounts struct {
	zone   *time.Location
	last   Month
	months []monthLedger // the last one is that of the month last
	dates  map[string]time.Time
}

type monthLedger struct {
	fates map[FindOutcome]int
	days  map[int]int // number of returned items by days to return
}

// NewMonthlyCounts makes an empty count for a location.
func NewMonthlyCounts(timeZone string, now time.Time) *MonthlyCounts {
	where := zone(timeZone)
	return &MonthlyCounts{
		zone: where, last: MonthOf(now.In(where)), months: make([]monthLedger, MaxSpan), dates: map[string]time.Time{},
	}
}

// Add counts a found item. Items outside the counted months are ignored.
func (t *MonthlyCounts) Add(f FindFacts) {
	found := t.foundOn(f)
	m := t.at(MonthOf(found))
	if m == nil {
		return
	}
	if m.fates == nil {
		m.fates, m.days = map[FindOutcome]int{}, map[int]int{}
	}
	m.fates[f.Outcome()]++
	if home := f.returnedAt(); !home.IsZero() {
		home = home.In(t.zone)
		home = time.Date(home.Year(), home.Month(), home.Day(), 0, 0, 0, 0, time.UTC)
		m.days[min(maxReturnDays, max(0, int(home.Sub(found)/day)))]++
	}
}

// foundOn is the day on which an item was found, otherwise recorded, as midnight UTC.
func (t *MonthlyCounts) foundOn(f FindFacts) time.Time {
	if known, ok := t.dates[f.DiscoveryDate]; ok {
		return known
	}
	if date, err := time.Parse(DateForm, f.DiscoveryDate); err == nil {
		if len(t.dates) < maxReturnDays { // most items share a few days
			t.dates[f.DiscoveryDate] = date
		}
		return date
	}
	made := f.CreatedAt.In(t.zone)
	return time.Date(made.Year(), made.Month(), made.Day(), 0, 0, 0, 0, time.UTC)
}

// at returns the counts of a month; nil if it is not counted.
func (t *MonthlyCounts) at(m Month) *monthLedger {
	n := int(m-t.last) + len(t.months) - 1
	if n < 0 || n >= len(t.months) {
		return nil
	}
	return &t.months[n]
}

// Finish ends the counting and frees what only counting needs.
func (t *MonthlyCounts) Finish() *MonthlyCounts {
	t.dates = nil
	return t
}

// Empty reports whether nothing was counted.
func (t *MonthlyCounts) Empty() bool {
	return !slices.ContainsFunc(t.months, func(m monthLedger) bool { return len(m.fates) > 0 })
}

// Statistics are the statistics of a desk: the outcomes so far of the items found in some months.
type Statistics struct {
	Counts
	Months []MonthStatistics // each of them, the oldest first
}

// MonthStatistics are the statistics of the items found in one month.
type MonthStatistics struct {
	Month Month
	Counts
}

// Counts are how many items were found, and their outcomes.
type Counts struct {
	Found    int
	Returned int
	Fates    map[FindOutcome]int
	days     map[int]int
}

// Rate is the percentage of found items that were returned, rounded. Known is false if nothing was found.
func (c Counts) Rate() (percent int, known bool) {
	if c.Found == 0 {
		return 0, false
	}
	return (200*c.Returned + c.Found) / (2 * c.Found), true
}

// MedianDays is the median number of days from discovery to return. Known is false if nothing was returned.
func (c Counts) MedianDays() (days float64, known bool) {
	taken, returned := slices.Sorted(maps.Keys(c.days)), 0
	for _, n := range c.days {
		returned += n
	}
	if returned == 0 {
		return 0, false
	}
	nth := func(n int) int {
		at := slices.IndexFunc(taken, func(d int) bool { n -= c.days[d]; return n < 0 })
		return taken[at]
	}
	return float64(nth((returned-1)/2)+nth(returned/2)) / 2, true
}

func (c *Counts) add(m monthLedger) {
	if c.Fates == nil {
		c.Fates, c.days = map[FindOutcome]int{}, map[int]int{}
	}
	for o, n := range m.fates {
		c.Found += n
		c.Fates[o] += n
		if o.Returned() {
			c.Returned += n
		}
	}
	for d, n := range m.days {
		c.days[d] += n
	}
}

// LastMonth is the present month at some locations. If they differ because of their time zones, it is the later one.
func LastMonth(now time.Time, tallies ...*MonthlyCounts) Month {
	last := MonthOf(now.UTC())
	for _, t := range tallies {
		last = max(last, MonthOf(now.In(t.zone)))
	}
	return last
}

// SumMonths adds up the counts of some locations, for the months of the span that end with last.
func SumMonths(span Span, last Month, tallies ...*MonthlyCounts) Statistics {
	n := Statistics{Months: make([]MonthStatistics, span)}
	for k := range n.Months {
		month := &n.Months[k]
		month.Month = last - Month(int(span)-1-k)
		for _, t := range tallies {
			if counted := t.at(month.Month); counted != nil {
				n.add(*counted)
				month.add(*counted)
			}
		}
	}
	return n
}

// Total adds up the counts of one location in the same way.
func (t *MonthlyCounts) Total(span Span, last Month) (c Counts) {
	for m := last - Month(span) + 1; m <= last; m++ {
		if counted := t.at(m); counted != nil {
			c.add(*counted)
		}
	}
	return c
}

// Busiest returns the month in which most was found, the first of several, and whether anything was.
func (n Statistics) Busiest() (MonthStatistics, bool) {
	if n.Found == 0 {
		return MonthStatistics{}, false
	}
	return slices.MaxFunc(n.Months, func(a, b MonthStatistics) int {
		return cmp.Or(cmp.Compare(a.Found, b.Found), cmp.Compare(b.Month, a.Month))
	}), true
}

// LocationName is a location with only its name and time zone.
type LocationName struct{ ID, Name, TimeZone string }

// MaxPlaces is the most locations that statistics combine.
const MaxPlaces = 200
