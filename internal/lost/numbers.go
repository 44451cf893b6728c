package lost

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Fate is what became of something that was found, as far as numbers tell.
type Fate string

// The fates.
const (
	CollectedFate Fate = "collected" // the owner, or somebody for them, came for it
	PostedFate    Fate = "posted"    // a parcel brought it home
	TravelsFate   Fate = "travels"   // the parcel is on its way
	DonatedFate   Fate = "donated"
	LeftFate      Fate = "left"    // the owner does not want it back, or it was discarded
	PoliceFate    Fate = "police"  // it was handed to the police
	WaitingFate   Fate = "waiting" // nothing is decided, or what was decided is not done yet
)

// Fates lists them, from the happiest.
func Fates() []Fate {
	return []Fate{CollectedFate, PostedFate, TravelsFate, DonatedFate, LeftFate, PoliceFate, WaitingFate}
}

// Returned tells whether it is with its owner again.
func (o Fate) Returned() bool { return o == CollectedFate || o == PostedFate }

// FindFacts is what numbers need to know of something that was found.
type FindFacts struct {
	Status        Status
	Destination   Destination
	DiscoveryDate string
	CreatedAt     time.Time
	MovedAt       time.Time
	ClosedAt      time.Time
}

// FindFacts is the item as numbers see it.
func (i Item) FindFacts() FindFacts {
	return FindFacts{Status: i.Status, Destination: i.Destination, DiscoveryDate: i.DiscoveryDate, CreatedAt: i.CreatedAt, MovedAt: i.MovedAt, ClosedAt: i.ClosedAt}
}

// Fate tells what became of it. A pick-up counts once the desk has closed it.
func (f FindFacts) Fate() Fate {
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

// returnedAt is when it was with its owner again; zero where it is not, or nobody noted when.
func (f FindFacts) returnedAt() time.Time {
	switch f.Fate() {
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

// MonthOf is the month of a moment, by the clock of its zone.
func MonthOf(t time.Time) Month { return Month(t.Year()*monthsInYear + int(t.Month()) - 1) }

// First is the first day of the month.
func (m Month) First() time.Time {
	return time.Date(int(m)/monthsInYear, time.Month(int(m)%monthsInYear+1), 1, 0, 0, 0, 0, time.UTC)
}

const (
	monthsInYear = 12
	day          = 24 * time.Hour
)

// Bounds of what is counted.
const (
	MaxSpan    = 36      // months that numbers look back
	MaxCounted = 500_000 // of a location's newest items
	// maxReturnDays is the longest way home that is told apart: whatever takes longer counts as this.
	maxReturnDays = 3 * 366
)

// Span is how many months numbers tell of, the present one included.
type Span int

// DefaultSpan is what is shown unless told otherwise.
const DefaultSpan Span = 12

// Spans lists those that are offered.
func Spans() []Span { return []Span{1, 3, DefaultSpan, MaxSpan} }

// SpanOf is the span of so many months, if it is offered; else the usual one.
func SpanOf(months int) Span {
	if s := Span(months); slices.Contains(Spans(), s) {
		return s
	}
	return DefaultSpan
}

// Ledger counts what a location found, by month, and what became of it. Make one with NewLedger.
type Ledger struct {
	zone   *time.Location
	last   Month
	months []monthLedger // the last one is of the month last
	dates  map[string]time.Time
}

type monthLedger struct {
	fates map[Fate]int
	days  map[int]int // how many were returned, by the days that it took
}

// NewLedger begins to count for a location.
func NewLedger(timeZone string, now time.Time) *Ledger {
	where := zone(timeZone)
	return &Ledger{zone: where, last: MonthOf(now.In(where)), months: make([]monthLedger, MaxSpan), dates: map[string]time.Time{}}
}

// Add counts something that was found. What was found before the months that are counted, or is said to be found after
// them, is passed over.
func (t *Ledger) Add(f FindFacts) {
	found := t.foundOn(f)
	m := t.at(MonthOf(found))
	if m == nil {
		return
	}
	if m.fates == nil {
		m.fates, m.days = map[Fate]int{}, map[int]int{}
	}
	m.fates[f.Fate()]++
	if home := f.returnedAt(); !home.IsZero() {
		home = home.In(t.zone)
		home = time.Date(home.Year(), home.Month(), home.Day(), 0, 0, 0, 0, time.UTC)
		m.days[min(maxReturnDays, max(0, int(home.Sub(found)/day)))]++
	}
}

// foundOn is the day on which something was found, else recorded, as midnight in Greenwich.
func (t *Ledger) foundOn(f FindFacts) time.Time {
	if known, ok := t.dates[f.DiscoveryDate]; ok {
		return known
	}
	if date, err := time.Parse(DateForm, f.DiscoveryDate); err == nil {
		if len(t.dates) < maxReturnDays { // most share a few days
			t.dates[f.DiscoveryDate] = date
		}
		return date
	}
	made := f.CreatedAt.In(t.zone)
	return time.Date(made.Year(), made.Month(), made.Day(), 0, 0, 0, 0, time.UTC)
}

// at gives the counts of a month; nil where it is not counted.
func (t *Ledger) at(m Month) *monthLedger {
	n := int(m-t.last) + len(t.months) - 1
	if n < 0 || n >= len(t.months) {
		return nil
	}
	return &t.months[n]
}

// Done ends the counting, and lets go of what only that needs.
func (t *Ledger) Done() *Ledger {
	t.dates = nil
	return t
}

// Empty tells whether nothing was counted.
func (t *Ledger) Empty() bool {
	return !slices.ContainsFunc(t.months, func(m monthLedger) bool { return len(m.fates) > 0 })
}

// Numbers tell how a desk is doing: of what was found in some months, what became of it until now.
type Numbers struct {
	Counts
	Months []MonthNumbers // each of them, the oldest first
}

// MonthNumbers are the numbers of what was found in one month.
type MonthNumbers struct {
	Month Month
	Counts
}

// Counts are how many things were found, and what became of them.
type Counts struct {
	Found    int
	Returned int
	Fates    map[Fate]int
	days     map[int]int
}

// Rate is how many of a hundred found things were returned, rounded; and whether anything was found at all.
func (c Counts) Rate() (percent int, known bool) {
	if c.Found == 0 {
		return 0, false
	}
	return (200*c.Returned + c.Found) / (2 * c.Found), true
}

// MedianDays is how many days it took from the find to its owner: for one half of what was returned it was at most as long,
// for the other half at least. Known only where something was returned.
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
		c.Fates, c.days = map[Fate]int{}, map[int]int{}
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

// LastMonth is the present month at some locations: where one has begun it already, the new one.
func LastMonth(now time.Time, tallies ...*Ledger) Month {
	last := MonthOf(now.UTC())
	for _, t := range tallies {
		last = max(last, MonthOf(now.In(t.zone)))
	}
	return last
}

// SumUp adds up what some locations counted, for as many months as end with the last.
func SumUp(span Span, last Month, tallies ...*Ledger) Numbers {
	n := Numbers{Months: make([]MonthNumbers, span)}
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

// Total adds up what one location counted, likewise.
func (t *Ledger) Total(span Span, last Month) (c Counts) {
	for m := last - Month(span) + 1; m <= last; m++ {
		if counted := t.at(m); counted != nil {
			c.add(*counted)
		}
	}
	return c
}

// Busiest is the month in which most was found, the first of several; and whether anything was.
func (n Numbers) Busiest() (MonthNumbers, bool) {
	if n.Found == 0 {
		return MonthNumbers{}, false
	}
	return slices.MaxFunc(n.Months, func(a, b MonthNumbers) int {
		return cmp.Or(cmp.Compare(a.Found, b.Found), cmp.Compare(b.Month, a.Month))
	}), true
}

// Site is a location by its name, where that is all that matters.
type Site struct{ ID, Name, TimeZone string }

// MaxPlaces is how many locations numbers are told of together.
const MaxPlaces = 200
