package lost

import "time"

// Limits of a list. Counting stops at MaxTotal; Total.AtLeast is set if there are more records.
const (
	MinLimit     = 10
	MaxLimit     = 100
	DefaultLimit = 10
	MaxTotal     = 10000

	// Limits of a bounded list (see ItemFilter.Bounded): counting stops at MaxBoundedTotal, and words that are not
	// indexed are searched only in the MaxScanned newest items.
	MaxBoundedTotal = 1000
	MaxScanned      = 3000

	maxPage = 1_000_000_000 // prevents an overflow of the offset
)

// MaxSelected is the maximum number of items that can be selected at once.
const MaxSelected = 500

// Page selects a page of a list.
type Page struct {
	Number, Limit int
	// After is the position after which the page begins: the List.Next of the page before. It is empty for a page that
	// is selected by its number. Counted is the total of the page before, which is not counted again.
	After   string
	Counted Total
}

// Offset returns the number of records to skip before the page.
func (p Page) Offset() int {
	if p.After != "" {
		return 0
	}
	return (min(p.Number, maxPage) - 1) * p.Limit
}

// FirstPage returns the first page with the default limit.
func FirstPage() Page { return Page{Number: 1, Limit: DefaultLimit} }

// Total is the number of records in a list. If AtLeast is set, there are more records that were not counted.
type Total struct {
	Count   int
	AtLeast bool
	Among   int // for a bounded list: number of newest items that were searched; 0 if all items were searched
}

// RoundDown replaces all digits of a number except the first with zeros, for totals that were not counted completely.
func RoundDown(n int) int {
	unit := 1
	for n/unit >= 10 {
		unit *= 10
	}
	return n / unit * unit
}

// TotalOf returns the Total for a count that may exceed MaxTotal.
func TotalOf(count int) Total { return TotalTo(count, MaxTotal) }

// TotalTo returns the Total for a count that may exceed a limit.
func TotalTo(count, limit int) Total {
	if count > limit {
		return Total{Count: limit, AtLeast: true}
	}
	return Total{Count: count}
}

// List is one page of records.
type List[T any] struct {
	Data []T
	Page Page
	Total
	Next    string // the position of the next page; empty at the end, and in a list that has no positions
	Ranked  bool   // sorted by how well records match a query
	Exact   int    // in a ranked list: number of records at its beginning that contain every word as typed
	Capped  bool   // only the counted records can be listed, even if there are more
	Pending bool   // in a list of matches: matches are still being computed, so the list may be incomplete
}

// Pages returns the number of pages for the counted records.
func (l List[T]) Pages() int { return (l.Count + l.Page.Limit - 1) / l.Page.Limit }

// More reports whether there is a next page.
func (l List[T]) More() bool {
	return l.Page.Number < l.Pages() || l.AtLeast && !l.Capped && len(l.Data) == l.Page.Limit
}

// FirstSimilar returns the index in Data of the first record that does not contain every word as typed. It returns -1
// if there is none.
func (l List[T]) FirstSimilar() int {
	first := max(0, l.Exact-l.Page.Offset())
	if !l.Ranked || first >= len(l.Data) {
		return -1
	}
	return first
}

// LocationFilter filters a list of locations.
type LocationFilter struct {
	Term       string
	ExternalID string // exactly this one; empty matches everything
	Page
}

// ItemChange is a change of an item: the item as it is now, or a deleted item, of which only the id, the location and
// the time of the deletion, as UpdatedAt, are known.
type ItemChange struct {
	Item
	Deleted bool
}

// TombstoneRetention is how long it is known that an item was deleted.
const TombstoneRetention = 30 * 24 * time.Hour

// MaxListedLocations is the largest number of locations by which a list can be filtered.
const MaxListedLocations = 100

// ItemFilter filters a list of items. Empty fields match everything.
type ItemFilter struct {
	Term string
	// Query searches for similar words as well, in more fields than Term, and ranks the list. Either Term or Query is
	// set, or neither.
	Query string
	// Color, Place, Owner and Finder are searched like Query, but only in these fields. Without Query, the list is
	// sorted by creation.
	Color, Place, Owner, Finder string
	// Sort is the order of a bounded list without words; by default, the newest come first.
	Sort     ItemSort
	Statuses []Status
	Source   Source
	States   []RequestState // states of requests
	// OwnerState limits the list to pending found items with this state; Source and Statuses need not be set.
	OwnerState OwnerState
	From, To   string // discovery dates, inclusive
	Open       bool   // not closed by the desk
	Categories []Category
	MinValue   ValueFilter
	// ExternalID is the id in the client's own system, compared exactly.
	ExternalID string
	// SerialNumber is compared without spaces, hyphens and upper case; see SerialKey.
	SerialNumber string
	// Report limits the list to the records behind a figure of a report; Source and From need not be set.
	Report ReportFilter
	// Storage limits the list to found items that are at the desk, or to those that are not.
	Storage StorageFilter
	// By is the id of the person who recorded the item, and Since is the earliest time at which it was recorded.
	// Either both or neither are set.
	By    string
	Since time.Time
	// Bounded limits the work for a page that must load fast. If From or To is set, the list is sorted by discovery
	// date instead of by creation. Counting stops at MaxBoundedTotal or earlier, and a word of one or two letters may
	// be searched only in the newest items; see Total.
	Bounded bool
	Page
}

// Searches reports whether a filter searches for similar words.
func (f ItemFilter) Searches() bool { return f.Query+f.Color+f.Place+f.Owner+f.Finder != "" }

// ItemSort is the order of a list of items.
type ItemSort string

// The orders in which a location's items are listed.
const (
	FoundLast   ItemSort = "-found" // by discovery date, the latest first
	FoundFirst  ItemSort = "found"
	StatusFirst ItemSort = "status" // grouped by status
	StatusLast  ItemSort = "-status"
	UntilFirst  ItemSort = "until" // by the last day of storage, the earliest first
	UntilLast   ItemSort = "-until"
)

// ItemSorts lists the orders.
func ItemSorts() []ItemSort {
	return []ItemSort{FoundLast, FoundFirst, StatusFirst, StatusLast, UntilFirst, UntilLast}
}
