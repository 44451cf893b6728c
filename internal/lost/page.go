package lost

import "time"

// Bounds of a list. Counting stops at MaxTotal: past it a list says "at least".
const (
	MinLimit     = 10
	MaxLimit     = 100
	DefaultLimit = 10
	MaxTotal     = 10000

	// Of a list that is only glanced at, counting stops sooner, and words that no index knows are looked for in so many of the newest items.
	MaxGlanced = 1000
	MaxWalked  = 3000

	maxPage = 1_000_000_000 // past every list's end; keeps the offset a number
)

// MaxChosen bounds how many items are acted on at once: changed, or decided on.
const MaxChosen = 500

// Page says which part of a list is wanted.
type Page struct{ Number, Limit int }

// Offset is how many records come before the page.
func (p Page) Offset() int { return (min(p.Number, maxPage) - 1) * p.Limit }

// FirstPage is what a list shows unless told otherwise.
func FirstPage() Page { return Page{Number: 1, Limit: DefaultLimit} }

// Total is how many records a list has; with AtLeast set there are more, uncounted.
type Total struct {
	Count   int
	AtLeast bool
	Among   int // with a list that is only glanced at: so many of the newest were looked through, and no others; 0 for all
}

// RoundDown leaves only the first digit of a number: of more than were counted, nobody needs to know the others.
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

// More tells whether a page follows this one.
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
	Open     bool           // the desk has not yet said that it is done
	// Whereabouts narrows to what was found and is still here, or is gone.
	Whereabouts Whereabouts
	// By is the person who recorded it, and Since when that was at the earliest; one does not come without the other.
	By    string
	Since time.Time
	// Glance is for somebody who looks at a page and does not want to wait. Where days narrow the list, it goes by the day of discovery, the last first, and not by
	// that of recording. Counting stops at MaxGlanced or before, and a word of one or two letters may be looked for only in the newest items; see Total.
	Glance bool
	Page
}
