package lost

import "time"

// Limits of a list. Counting stops at MaxTotal; beyond it a list says "at least".
const (
	MinLimit     = 10
	MaxLimit     = 100
	DefaultLimit = 10
	MaxTotal     = 10000

	// Limits of a bounded list: counting stops earlier, and words that no index has are searched only in the newest
	// items.
	MaxBoundedTotal = 1000
	MaxWalked       = 3000

	maxPage = 1_000_000_000 // beyond the end of every list; keeps the offset from overflowing
)

// MaxSelected is the most items that are selected at once.
const MaxSelected = 500

// Page says which part of a list is wanted.
type Page struct{ Number, Limit int }

// Offset is how many records come before the page.
func (p Page) Offset() int { return (min(p.Number, maxPage) - 1) * p.Limit }

// FirstPage is the first page, with the default limit.
func FirstPage() Page { return Page{Number: 1, Limit: DefaultLimit} }

// Total is how many records a list has; with AtLeast set there are more, uncounted.
type Total struct {
	Count   int
	AtLeast bool
	Among   int // with a bounded list: only this many of the newest items were searched; 0 for all
}

// RoundDown keeps only the first digit of a number, for totals that were not counted to the end.
func RoundDown(n int) int {
	unit := 1
	for n/unit >= 10 {
		unit *= 10
	}
	return n / unit * unit
}

// TotalOf caps a count, which may have stopped just past the cap.
func TotalOf(count int) Total { return TotalTo(count, MaxTotal) }

// TotalTo caps a count at another number.
func TotalTo(count, most int) Total {
	if count > most {
		return Total{Count: most, AtLeast: true}
	}
	return Total{Count: count}
}

// List is one page of records.
type List[T any] struct {
	Data []T
	Page Page
	Total
}

// Pages is how many pages the counted records fill.
func (l List[T]) Pages() int { return (l.Count + l.Page.Limit - 1) / l.Page.Limit }

// More reports whether there is a next page.
func (l List[T]) More() bool {
	return l.Page.Number < l.Pages() || l.AtLeast && len(l.Data) == l.Page.Limit
}

// LocationFilter narrows a list of locations.
type LocationFilter struct {
	Term string
	Page
}

// ItemFilter narrows a list of items. Empty fields do not narrow.
type ItemFilter struct {
	Term     string
	Statuses []Status
	Source   Source
	States   []RequestState // of requests
	From, To string         // discovery dates, inclusive
	Open     bool           // not closed by the desk
	// Whereabouts narrows to found items that are still here, or that are gone.
	Whereabouts StorageFilter
	// By is the person who recorded the item, and Since the earliest time; both are set or none.
	By    string
	Since time.Time
	// Bounded limits the work for a page that must load fast. If dates narrow the list, it is sorted by discovery date
	// instead of by creation. Counting stops at MaxBoundedTotal or earlier, and a word of one or two letters may be
	// searched only in the newest items; see Total.
	Bounded bool
	Page
}
