package lost

import "time"

// StockTake compares the items that are recorded at a storage place, or at a whole location, with the items that
// people find there. Several people can count at the same time. The count can be interrupted and continued.
type StockTake struct {
	Account    string
	ID         string
	LocationID string
	Place      string // the counted place; empty for items without a place
	Whole      bool   // all places of the location are counted
	StartedBy  string // a person's name
	ClosedBy   string
	Totals     StockTakeTotals

	CreatedAt time.Time
	ClosedAt  time.Time // zero while it is open
}

// Open reports whether the count is in progress.
func (c StockTake) Open() bool { return c.ClosedAt.IsZero() }

// Limits on counts.
const (
	MaxExpected   = 2000 // maximum number of expected items in a count; larger stocks are counted place by place
	MaxUnexpected = 2000 // maximum number of unexpected items in a count
	MaxCounts     = 400  // maximum number of stored counts for a location; older ones are deleted
)

// StockTakeTotals is the result of a count.
type StockTakeTotals struct {
	Expected  int
	Found     int // found where they should be
	Missing   int // not found; while the count is open, not found yet
	Elsewhere int // found, but recorded at another place; includes corrected items
	Gone      int // found, but recorded as sent or given away
	Left      int // expected, but moved or given away during the count
}

// Unexpected returns the number of items that were found but not expected.
func (t StockTakeTotals) Unexpected() int {
	return t.Elsewhere + t.Gone + max(0, t.Found+t.Missing+t.Left-t.Expected)
}

// Finding is the result of a count for one item.
type Finding string

// The findings.
const (
	Awaited    Finding = ""          // expected, but not seen yet
	Seen       Finding = "seen"      // where it should be
	Elsewhere  Finding = "elsewhere" // recorded at another place or location
	Corrected  Finding = "corrected" // was recorded at another place or location, but the record was corrected
	NotInStock Finding = "gone"      // recorded as sent or given away
	Absent     Finding = "missing"   // expected, but not seen before the count was closed
	Left       Finding = "left"      // expected, but moved or given away during the count
)

// Findings lists all findings.
func Findings() []Finding {
	return []Finding{Awaited, Seen, Elsewhere, Corrected, NotInStock, Absent, Left}
}

// StockTakeLine is the result for one item, with its current data. A deleted item has only its reference.
type StockTakeLine struct {
	ItemID    string
	Reference string
	Expected  bool
	Finding   Finding
	SeenAt    time.Time
	SeenBy    string

	Description string
	LocationID  string // the item's location
	KeptAt      string // the recorded storage place
	Held        bool   // see Item.Held
}

// NewStockTake returns a new count of a place, or of a whole location. If place is empty, the location's default
// place is counted.
func NewStockTake(a Actor, l Location, place string, whole bool, now time.Time) StockTake {
	switch {
	case whole:
		place = ""
	case place == "":
		place = l.StoragePlace // the default place of items
	}
	return StockTake{
		Account: a.Account, ID: NewID(CountID, now), LocationID: l.ID, Place: place, Whole: whole, StartedBy: a.Name,
		CreatedAt: now,
	}
}

// Covers reports whether an item with these properties is part of the count.
func (c StockTake) Covers(location, keptAt string, held bool) bool {
	return held && location == c.LocationID && (c.Whole || keptAt == c.Place)
}

// FindingFor returns the finding for an item that was seen.
func (c StockTake) FindingFor(i Item) Finding {
	switch {
	case !i.Held():
		return NotInStock
	case c.Covers(i.LocationID, i.StoredAt(), true):
		return Seen
	default:
		return Elsewhere
	}
}

// FindingIfUnseen returns the finding for an expected item that was not seen.
func (c StockTake) FindingIfUnseen(line StockTakeLine) Finding {
	if c.Covers(line.LocationID, line.KeptAt, line.Held) {
		return Absent
	}
	return Left
}

// StockTakeTotalsOf returns the totals of a count from the number of items with each finding.
func StockTakeTotalsOf(lines map[Finding]int, expected int) StockTakeTotals {
	return StockTakeTotals{
		Expected: expected, Found: lines[Seen], Missing: lines[Awaited] + lines[Absent],
		Elsewhere: lines[Elsewhere] + lines[Corrected], Gone: lines[NotInStock], Left: lines[Left],
	}
}

// StockTakeReport is the printed report of a count: its totals, and every item that is missing or in the wrong place.
type StockTakeReport struct {
	Count    StockTake
	Location Location
	Lines    []StockTakeLine
}

// Held reports whether the item is recorded as being at the desk: it was found, and was not sent or given away.
func (i Item) Held() bool { return i.Source != Request && held(i.Status, i.ClosedAt) }

func held(status Status, closedAt time.Time) bool {
	switch status {
	case Shipped, Delivered:
		return false
	case PickUp, Discard, Donate:
		return closedAt.IsZero()
	default:
		return true
	}
}

// StorageFilter limits a list of found items to those that are at the desk, or to those that are not.
type StorageFilter string

// The values of StorageFilter. Empty means both.
const (
	InStorage    StorageFilter = "here"
	OutOfStorage StorageFilter = "gone"
)

// StoragePlace is a place where a location stores items, or its default place. The empty name stands for items
// without a place.
type StoragePlace struct {
	Name  string
	Items Total // items at the place, counted up to MaxShown
}

// MaxShown is the maximum number of items that are counted at each place in a list of places. The page for a single
// place uses the limit of a stock-take instead.
const MaxShown = 200
