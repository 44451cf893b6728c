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
	OutcomeCollected FindOutcome = "collected" // picked up by the owner or somebody on their behalf
	OutcomeDelivered FindOutcome = "posted"    // delivered by parcel
	OutcomeInTransit FindOutcome = "travels"   // the parcel is in transit
	OutcomeDonated   FindOutcome = "donated"
	OutcomeDiscarded FindOutcome = "left"    // the owner does not want it back, or it was discarded
	OutcomePolice    FindOutcome = "police"  // handed to the police
	OutcomeOpen      FindOutcome = "waiting" // not decided, or not carried out yet
)

// FindOutcomes lists all outcomes, best first.
func FindOutcomes() []FindOutcome {
	return []FindOutcome{
		OutcomeCollected, OutcomeDelivered, OutcomeInTransit, OutcomeDonated, OutcomeDiscarded, OutcomePolice,
		OutcomeOpen,
	}
}

// Returned reports whether the owner has the item.
func (o FindOutcome) Returned() bool { return o == OutcomeCollected || o == OutcomeDelivered }

// FindFacts is the data about a found item that statistics need.
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

// Outcome returns the outcome of the item. A pick-up counts as collected only after the desk has closed it.
func (f FindFacts) Outcome() FindOutcome {
	switch {
	case f.Status == Delivered:
		return OutcomeDelivered
	case f.Status == PickUp && !f.ClosedAt.IsZero():
		return OutcomeCollected
	case f.Status == Shipped:
		return OutcomeInTransit
	case f.Status == Donate:
		return OutcomeDonated
	case f.Status == Discard && f.Destination == Police:
		return OutcomePolice
	case f.Status == Discard:
		return OutcomeDiscarded
	default:
		return OutcomeOpen
	}
}

// returnedAt returns when the owner got the item back. It is zero if the owner did not, or if the time is not known.
func (f FindFacts) returnedAt() time.Time {
	switch f.Outcome() {
	case OutcomeCollected:
		return f.ClosedAt
	case OutcomeDelivered:
		return f.MovedAt
	default:
		return time.Time{}
	}
}

// Month is a calendar month, numbered from January of the year 0.
type Month int

// MonthOf returns the month of a time in its time zone.
func MonthOf(t time.Time) Month { return Month(t.Year()*monthsInYear + int(t.Month()) - 1) }

// FirstDay returns the first day of the month.
func (m Month) FirstDay() time.Time {
	return time.Date(int(m)/monthsInYear, time.Month(int(m)%monthsInYear+1), 1, 0, 0, 0, 0, time.UTC)
}

const (
	monthsInYear = 12
	day          = 24 * time.Hour
)

// Limits of statistics.
const (
	MaxSpan    = 36      // maximum number of months that statistics cover
	MaxCounted = 500_000 // maximum number of items counted per location, the newest first
	// maxReturnDays is the largest number of days from discovery to return. Longer times are counted as this number.
	maxReturnDays = 3 * 366
)

// Span is the number of months that statistics cover, including the current month.
type Span int

// DefaultSpan is the span that is used if none is selected.
const DefaultSpan Span = 12

// Spans lists the spans that users can select.
func Spans() []Span { return []Span{1, 3, DefaultSpan, MaxSpan} }

// SpanOf returns the span with this number of months, or DefaultSpan if users cannot select that span.
func SpanOf(months int) Span {
	if s := Span(months); slices.Contains(Spans(), s) {
		return s
	}
	return DefaultSpan
}

// MonthlyCounts counts a location's found items by month and outcome. Use NewMonthlyCounts to create one.
type MonthlyCounts struct {
	zone   *time.Location
	last   Month
	months []monthCounts // consecutive months; the field last is the month of the final element
	dates  map[string]time.Time
}

type monthCounts struct {
	outcomes map[FindOutcome]int
	days     map[int]int // number of returned items by days to return
}

// NewMonthlyCounts returns empty counts for a location.
func NewMonthlyCounts(timeZone string, now time.Time) *MonthlyCounts {
	location := zone(timeZone)
	return &MonthlyCounts{
		zone: location, last: MonthOf(now.In(location)), months: make([]monthCounts, MaxSpan),
		dates: map[string]time.Time{},
	}
}

// Add counts a found item. Items outside the counted months are ignored.
func (t *MonthlyCounts) Add(f FindFacts) {
	found := t.foundOn(f)
	m := t.at(MonthOf(found))
	if m == nil {
		return
	}
	if m.outcomes == nil {
		m.outcomes, m.days = map[FindOutcome]int{}, map[int]int{}
	}
	m.outcomes[f.Outcome()]++
	if returned := f.returnedAt(); !returned.IsZero() {
		returned = returned.In(t.zone)
		returned = time.Date(returned.Year(), returned.Month(), returned.Day(), 0, 0, 0, 0, time.UTC)
		m.days[min(maxReturnDays, max(0, int(returned.Sub(found)/day)))]++
	}
}

// foundOn returns the day on which an item was found, as midnight UTC. If it is not known, foundOn returns the day on
// which the item was recorded.
func (t *MonthlyCounts) foundOn(f FindFacts) time.Time {
	if known, ok := t.dates[f.DiscoveryDate]; ok {
		return known
	}
	if date, err := time.Parse(DateLayout, f.DiscoveryDate); err == nil {
		if len(t.dates) < maxReturnDays { // limits the size of the cache; many items have the same date
			t.dates[f.DiscoveryDate] = date
		}
		return date
	}
	created := f.CreatedAt.In(t.zone)
	return time.Date(created.Year(), created.Month(), created.Day(), 0, 0, 0, 0, time.UTC)
}

// at returns the counts of a month, or nil if the month is not counted.
func (t *MonthlyCounts) at(m Month) *monthCounts {
	n := int(m-t.last) + len(t.months) - 1
	if n < 0 || n >= len(t.months) {
		return nil
	}
	return &t.months[n]
}

// Finish ends the counting and frees the memory that only Add needs.
func (t *MonthlyCounts) Finish() *MonthlyCounts {
	t.dates = nil
	return t
}

// Empty reports whether nothing was counted.
func (t *MonthlyCounts) Empty() bool {
	return !slices.ContainsFunc(t.months, func(m monthCounts) bool { return len(m.outcomes) > 0 })
}

// Statistics contains the outcomes so far of the items that were found during some months.
type Statistics struct {
	Counts
	Months []MonthStatistics // the oldest first
}

// MonthStatistics contains the outcomes so far of the items that were found during one month.
type MonthStatistics struct {
	Month Month
	Counts
}

// Counts contains the number of found items and their outcomes.
type Counts struct {
	Found    int
	Returned int
	Outcomes map[FindOutcome]int
	days     map[int]int
}

// Rate returns the percentage of found items that were returned, rounded. If nothing was found, known is false.
func (c Counts) Rate() (percent int, known bool) {
	if c.Found == 0 {
		return 0, false
	}
	return (200*c.Returned + c.Found) / (2 * c.Found), true
}

// MedianDays returns the median number of days from discovery to return. If nothing was returned, known is false.
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

func (c *Counts) add(m monthCounts) {
	if c.Outcomes == nil {
		c.Outcomes, c.days = map[FindOutcome]int{}, map[int]int{}
	}
	for o, n := range m.outcomes {
		c.Found += n
		c.Outcomes[o] += n
		if o.Returned() {
			c.Returned += n
		}
	}
	for d, n := range m.days {
		c.days[d] += n
	}
}

// LastMonth returns the current month. If it differs between the time zones of the locations, it is the latest one.
func LastMonth(now time.Time, counts ...*MonthlyCounts) Month {
	last := MonthOf(now.UTC())
	for _, t := range counts {
		last = max(last, MonthOf(now.In(t.zone)))
	}
	return last
}

// SumMonths adds up the counts of some locations, for the months of the span that end with last.
func SumMonths(span Span, last Month, counts ...*MonthlyCounts) Statistics {
	n := Statistics{Months: make([]MonthStatistics, span)}
	for k := range n.Months {
		month := &n.Months[k]
		month.Month = last - Month(int(span)-1-k)
		for _, t := range counts {
			if counted := t.at(month.Month); counted != nil {
				n.add(*counted)
				month.add(*counted)
			}
		}
	}
	return n
}

// Total adds up the counts of one location, for the months of the span that end with last.
func (t *MonthlyCounts) Total(span Span, last Month) (c Counts) {
	for m := last - Month(span) + 1; m <= last; m++ {
		if counted := t.at(m); counted != nil {
			c.add(*counted)
		}
	}
	return c
}

// Busiest returns the month with the most found items; if there are several, the earliest. It returns false if
// nothing was found.
func (n Statistics) Busiest() (MonthStatistics, bool) {
	if n.Found == 0 {
		return MonthStatistics{}, false
	}
	return slices.MaxFunc(n.Months, func(a, b MonthStatistics) int {
		return cmp.Or(cmp.Compare(a.Found, b.Found), cmp.Compare(b.Month, a.Month))
	}), true
}

// LocationName is the id, name and time zone of a location.
type LocationName struct{ ID, Name, TimeZone string }

// MaxStatisticsLocations is the maximum number of locations that are included in statistics for several locations.
const MaxStatisticsLocations = 200
