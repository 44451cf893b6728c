package report

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"homeward/internal/lost"
)

// Report contains the figures of a period, and of the period before for comparison.
type Report struct {
	Period, Before           Period
	Today                    string // the day from which ages are counted
	ComputedAt               time.Time
	Items, ItemsBefore       ItemFigures
	Locations                []LocationFigures // by name
	Months                   []MonthFigures    // oldest first
	Categories               []Group           // most frequent first, with the category as the key
	Colors, Places, Finders  []Group           // most frequent first
	Ages                     []Age
	Storage                  []PlaceUse // fullest first
	Requests, RequestsBefore RequestFigures
	Values                   []ValueFigures // the currencies of most items first
	Money, MoneyBefore       []MoneyFigures // by currency
	MoreLocations            int            // locations that the report leaves out, because there are too many
	MoreCurrencies           int            // currencies that Values leaves out
}

// ItemFigures are the numbers of items that were found or left during a period.
type ItemFigures struct {
	Found                                int // found during the period
	Returned, Donated, Discarded, Police int // returned, donated … during the period, whenever they were found
	Authority, Auctioned, Finder         int // handed to an authority, auctioned, left to the finder
	days                                 counts
}

// LocationFigures are the figures of one location.
type LocationFigures struct {
	lost.LocationName
	ItemFigures
}

// MonthFigures tell what became of the items that were found during a month.
type MonthFigures struct {
	Month    lost.Month
	Found    int
	Returned int
	Other    int // donated, discarded, or given to somebody else
	Open     int // still here, or on the way to the owner
}

// Rate returns the percentage of returned items among those that are not open, rounded. If all are open, known is
// false.
func (m MonthFigures) Rate() (percent int, known bool) {
	closed := m.Found - m.Open
	if closed == 0 {
		return 0, false
	}
	return (200*m.Returned + closed) / (2 * closed), true
}

// Group counts the items that were found during the period and have the same category, color, place or finder.
type Group struct {
	Key      string // the same for all spellings; empty if the value is unknown
	Name     string // the most frequent spelling
	Found    int
	Returned int // of those, returned so far
	Rest     int // if not 0, the group stands for this number of further groups, and has no key
}

// Age counts the items in storage by the days since they were found.
type Age struct {
	MinDays, MaxDays int // MaxDays is -1 for the oldest items
	From, To         string
	Items            int
}

// PlaceUse is the number of items at a storage place.
type PlaceUse struct {
	LocationID, Place string
	Items             int
	Rest              int // as in Group
}

// RequestFigures are about the requests that were filed during a period.
type RequestFigures struct {
	Filed    int
	Answered int // with a message or a decision of the desk
	Open     int // pending, without an answer
	minutes  counts
}

// ValueFigures add up what items are worth in one currency, in minor units. Items without a value are not counted.
type ValueFigures struct {
	Currency string
	Stored   int64    // in storage now
	Found    [2]int64 // found during the period, and during the period before
	Returned [2]int64 // returned during each of the periods, whenever they were found
	items    int
}

// add adds the figures of one item.
func (v *ValueFigures) add(o ValueFigures) {
	v.Stored += o.Stored
	for n := range v.Found {
		v.Found[n] += o.Found[n]
		v.Returned[n] += o.Returned[n]
	}
	v.items++
}

// topValues returns the figures in the currencies of most items, at most MaxGroups, and the number of other currencies.
func topValues(all map[string]*ValueFigures) (top []ValueFigures, more int) {
	for _, v := range all {
		top = append(top, *v)
	}
	slices.SortFunc(top, func(a, b ValueFigures) int {
		return cmp.Or(cmp.Compare(b.items, a.items), cmp.Compare(a.Currency, b.Currency))
	})
	more = max(0, len(top)-MaxGroups)
	return top[:len(top)-more], more
}

// MoneyFigures are the payments and refunds of a period in one currency, in minor units.
type MoneyFigures struct {
	Currency           string
	Payments, Refunds  int // their numbers
	Handling, Shipping int64
	Refunded           int64
}

// Balance returns what was paid and not refunded.
func (m MoneyFigures) Balance() int64 { return m.Handling + m.Shipping - m.Refunded }

// counts is a histogram: how often each value occurs.
type counts map[int]int

// quantile returns the smallest value that at least a share of all values do not exceed.
func (c counts) quantile(percent int) (value int, known bool) {
	all := 0
	for _, n := range c {
		all += n
	}
	rank := (all*percent + 99) / 100
	for _, v := range slices.Sorted(maps.Keys(c)) {
		if rank -= c[v]; rank <= 0 {
			return v, true
		}
	}
	return 0, false
}

// The quantiles that reports show, in per cent.
const (
	median = 50
	p90    = 90
)

// MedianDays returns within how many days after discovery half of the returned items were returned.
func (f ItemFigures) MedianDays() (days int, known bool) { return f.days.quantile(median) }

// P90Days returns within how many days nine of ten returned items were returned.
func (f ItemFigures) P90Days() (days int, known bool) { return f.days.quantile(p90) }

// MedianAnswer returns within which time half of the answered requests got their first answer, in minutes.
func (f RequestFigures) MedianAnswer() (time.Duration, bool) { return f.answer(median) }

// P90Answer returns within which time nine of ten answered requests got their first answer.
func (f RequestFigures) P90Answer() (time.Duration, bool) { return f.answer(p90) }

func (f RequestFigures) answer(percent int) (time.Duration, bool) {
	minutes, known := f.minutes.quantile(percent)
	return time.Duration(minutes) * time.Minute, known
}

// MaxGroups is the number of groups in each list of a report. A further group counts the rest.
const MaxGroups = 12

// MinFinds is the number of items from which a report names a finder. The rest counts those who handed in fewer,
// because their names are personal data that tell nothing about how the desk is doing.
const MinFinds = 3

// joinSpellings joins spellings to groups, and returns them, largest first.
func joinSpellings(all map[string]*spellings) []Group {
	groups := map[string]*Group{}
	for _, text := range slices.Sorted(maps.Keys(all)) {
		key, s := GroupKey(text), all[text]
		g := groups[key]
		if g == nil {
			g = &Group{Key: key, Name: text}
			groups[key] = g
		}
		if s.found > all[g.Name].found {
			g.Name = text
		}
		g.Found += s.found
		g.Returned += s.returned
	}
	sorted := make([]Group, 0, len(groups))
	for _, g := range groups {
		sorted = append(sorted, *g)
	}
	slices.SortFunc(sorted, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Found, a.Found), cmp.Compare(a.Key, b.Key))
	})
	return sorted
}

// TopGroups returns the first groups, and the rest as one.
func TopGroups(sorted []Group) []Group {
	if len(sorted) <= MaxGroups {
		return sorted
	}
	var rest Group
	for _, g := range sorted[MaxGroups:] {
		rest.add(g)
	}
	return append(sorted[:MaxGroups:MaxGroups], rest)
}

// add adds a group to the rest.
func (g *Group) add(o Group) {
	g.Found, g.Returned, g.Rest = g.Found+o.Found, g.Returned+o.Returned, g.Rest+max(1, o.Rest)
}

// topFinders returns the first groups like TopGroups, but of the named ones only those with at least MinFinds items.
func topFinders(sorted []Group) (top []Group) {
	var rest Group
	for _, g := range sorted {
		if len(top) < MaxGroups && (g.Found >= MinFinds || g.Key == "") {
			top = append(top, g)
		} else {
			rest.add(g)
		}
	}
	if rest.Rest > 0 {
		top = append(top, rest)
	}
	return top
}

// NamedTexts returns the texts of the groups that a report names, given how many items were found with each text.
func NamedTexts(t lost.ReportTrait, found map[string]int) (named []string) {
	all := map[string]*spellings{}
	for text, n := range found {
		all[text] = &spellings{found: n}
	}
	groups := joinSpellings(all)
	if t == lost.FinderTrait {
		groups = topFinders(groups)
	} else {
		groups = TopGroups(groups)
	}
	for _, text := range slices.Sorted(maps.Keys(found)) {
		key := GroupKey(text)
		if slices.ContainsFunc(groups, func(g Group) bool { return g.Rest == 0 && g.Key == key }) {
			named = append(named, text)
		}
	}
	return named
}

// NamedPlaces returns the storage places that a report names, given how many items are at each place of a location.
func NamedPlaces(items map[[2]string]int) []PlaceUse {
	return slices.DeleteFunc(topPlaces(items), func(p PlaceUse) bool { return p.Rest > 0 })
}

// topPlaces returns the fullest places, and the rest as one.
func topPlaces(items map[[2]string]int) []PlaceUse {
	all := make([]PlaceUse, 0, len(items))
	for at, n := range items {
		all = append(all, PlaceUse{LocationID: at[0], Place: at[1], Items: n})
	}
	slices.SortFunc(all, func(a, b PlaceUse) int {
		return cmp.Or(cmp.Compare(b.Items, a.Items), cmp.Compare(a.Place, b.Place),
			cmp.Compare(a.LocationID, b.LocationID))
	})
	if len(all) <= MaxGroups {
		return all
	}
	var rest PlaceUse
	for _, p := range all[MaxGroups:] {
		rest.Items, rest.Rest = rest.Items+p.Items, rest.Rest+1
	}
	return append(all[:MaxGroups:MaxGroups], rest)
}

// spellings counts the items with the same spelling of a value.
type spellings struct{ found, returned int }

// MoneyPairs returns the figures of the period and of the period before for each currency.
func MoneyPairs(r Report) (pairs [][2]MoneyFigures) {
	all := map[string]*[2]MoneyFigures{}
	for n, figures := range [][]MoneyFigures{r.Money, r.MoneyBefore} {
		for _, m := range figures {
			if all[m.Currency] == nil {
				all[m.Currency] = &[2]MoneyFigures{{Currency: m.Currency}, {Currency: m.Currency}}
			}
			all[m.Currency][n] = m
		}
	}
	for _, currency := range slices.Sorted(maps.Keys(all)) {
		pairs = append(pairs, *all[currency])
	}
	return pairs
}
