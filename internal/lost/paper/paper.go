// Package paper describes the papers that a lost-property office prints about its items: the register of finds, lists
// for the authorities, hand-over protocols, certificates of destruction, auction lists and labels for the safe.
package paper

import (
	"slices"
	"strings"
	"time"

	"homeward/internal/lost"
)

// Kind is a kind of paper.
type Kind string

// The kinds of papers.
const (
	Register    Kind = "register"    // all finds of a period
	List        Kind = "list"        // items for the police or another authority
	Protocol    Kind = "protocol"    // a hand-over of several items with one signature
	Destruction Kind = "destruction" // a certificate that data carriers and identity papers were destroyed
	Auction     Kind = "auction"     // items to be sold, with room for the price
	Safe        Kind = "safe"        // labels for the safe, one page for each item
)

// Kinds lists all kinds of papers.
func Kinds() []Kind { return append([]Kind{Register}, SelectionKinds()...) }

// SelectionKinds lists the kinds of papers about selected items, in the order in which they are offered.
func SelectionKinds() []Kind { return []Kind{List, Auction, Safe, Protocol, Destruction} }

// Known reports whether the kind is valid.
func (k Kind) Known() bool { return slices.Contains(Kinds(), k) }

// Personal reports whether the paper can contain personal data, so that printing it is recorded in the audit log.
func (k Kind) Personal() bool { return k != Auction && k != Safe }

// The largest numbers of items on one paper.
const (
	MaxRegister = 5000 // in a PDF; a CSV file has no limit
	MaxItems    = 100  // selected items
)

// Paper is a paper to print.
type Paper struct {
	Kind      Kind
	Location  lost.Location
	Items     []lost.Item
	By        string // who prints it
	At        time.Time
	Period    Period // of a register
	Finders   bool   // a list names the finders
	Handover  Handover
	Destroyed Destroyed
	Base      string // the URL of the service, for the codes on labels
}

// SerialNumber returns an item's serial number as the paper shows it.
func (p Paper) SerialNumber(i lost.Item) string {
	if p.Kind == Destruction || i.Category.IsIdentity() {
		return lost.MaskNumber(i.SerialNumber)
	}
	return i.SerialNumber
}

// Sort sorts the items by the day on which they were found, and then by when they were recorded.
func (p *Paper) Sort() {
	p.Items = slices.Clone(p.Items)
	slices.SortStableFunc(p.Items, func(a, b lost.Item) int {
		if c := strings.Compare(Day(a), Day(b)); c != 0 {
			return c
		}
		return a.CreatedAt.Compare(b.CreatedAt)
	})
}

// Day returns the day on which an item was found or, if it is unknown, on which it was recorded.
func Day(i lost.Item) string {
	if i.DiscoveryDate != "" {
		return i.DiscoveryDate
	}
	return i.CreatedAt.In(i.Terms.Zone()).Format(lost.DateLayout)
}

// Ended returns the day on which an item left the desk, in the time zone of its location, or an empty string.
func Ended(i lost.Item) string {
	at := i.ClosedAt
	if at.IsZero() {
		at = i.FindFacts().EndedAt()
	}
	if at.IsZero() {
		return ""
	}
	return at.In(i.Terms.Zone()).Format(lost.DateLayout)
}

// OutcomeKey returns the key of the text that says what happened to an item.
func OutcomeKey(i lost.Item) string {
	outcome := i.FindFacts().Outcome()
	switch {
	case i.Destination != "":
		return "paper.items.outcome." + string(i.Destination)
	case outcome == lost.OutcomeDiscarded:
		return "paper.items.outcome." + string(lost.Discarded)
	default:
		return "paper.items.outcome." + string(outcome)
	}
}

// Period is the first and the last day of a register.
type Period struct{ From, To string }

// MaxDays is the longest period of a register, in days.
const MaxDays = 3660

// ReadPeriod validates a period. The error lists all problems.
func ReadPeriod(from, to string) (p Period, err error) {
	var wrong lost.Problems
	first, last := readDay(&wrong, "from", from), readDay(&wrong, "to", to)
	switch {
	case len(wrong) > 0:
	case last.Before(first):
		wrong.Add("to", "too-early", "must not be before the first day")
	case last.Sub(first) > MaxDays*24*time.Hour:
		wrong.Add("to", "too-far", "must be at most %d days after the first day", MaxDays)
	}
	return Period{from, to}, wrong.Err()
}

func readDay(wrong *lost.Problems, field, text string) time.Time {
	if text == "" {
		wrong.Add(field, "required", "is required")
		return time.Time{}
	}
	day, err := time.Parse(lost.DateLayout, text)
	if err != nil {
		wrong.Add(field, "invalid-date", "must be a date such as 2026-11-14")
	}
	return day
}

// Total returns the sums of the values of items, one for each currency, in the order in which the currencies appear.
func Total(items []lost.Item) (sums []lost.Value) {
	for _, i := range items {
		if !i.Value.Known() {
			continue
		}
		n := slices.IndexFunc(sums, func(s lost.Value) bool { return s.Currency == i.Value.Currency })
		if n < 0 {
			sums, n = append(sums, lost.Value{Currency: i.Value.Currency}), len(sums)
		}
		sums[n].Amount += i.Value.Amount
	}
	return sums
}
