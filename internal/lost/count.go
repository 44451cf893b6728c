package lost

import "time"

// StockTake is a stock-take: it compares what should be at a storage place, or in the whole location, with what people
// find there. Several people can count at once, and the count can be interrupted and continued.
type StockTake struct {
	Account    string
	ID         string
	LocationID string
	Place      string // that is counted; empty for items without a place
	Whole      bool   // all places of the location are counted
	BegunBy    string // names of people
	ClosedBy   string
	Tally      StockTakeTotals

	CreatedAt time.Time
	ClosedAt  time.Time // zero while it is open
}

// Open reports whether the count is in progress.
func (c StockTake) Open() bool { return c.ClosedAt.IsZero() }

// Bounds of a count.
const (
	MaxExpected = 2000 // expected items; larger stocks are counted place by place
	MaxStrays   = 2000 // unexpected items
	MaxCounts   = 400  // kept for one location, the newest
)

// StockTakeTotals is the result of a count.
type StockTakeTotals struct {
	Expected  int
	Found     int // where they should be
	Missing   int // not found yet, while it is open
	Elsewhere int // found, but expected elsewhere; includes corrected ones
	Gone      int // found, but recorded as gone
	Left      int // expected, but moved or given away during the count
}

// Strays is how many items were found that should not be there.
func (t StockTakeTotals) Strays() int {
	return t.Elsewhere + t.Gone + max(0, t.Found+t.Missing+t.Left-t.Expected)
}

// Finding is the result of a count for one item.
type Finding string

// The findings.
const (
	Awaited   Finding = ""          // expected, and not seen yet
	Seen      Finding = "seen"      // where it should be
	Elsewhere Finding = "elsewhere" // recorded at another place or location
	Corrected Finding = "corrected" // likewise, and the record was corrected
	Departed  Finding = "gone"      // recorded as sent or given away
	Absent    Finding = "missing"   // expected, and not seen when the count was closed
	Left      Finding = "left"      // expected, but moved or given away during the count
)

// Findings lists them.
func Findings() []Finding {
	return []Finding{Awaited, Seen, Elsewhere, Corrected, Departed, Absent, Left}
}

// StockTakeLine is the result for one item with its present record. A deleted item has only its reference.
type StockTakeLine struct {
	ItemID    string
	Reference string
	Expected  bool
	Finding   Finding
	SeenAt    time.Time
	SeenBy    string

	Description string
	LocationID  string // of the item
	KeptAt      string // where it is recorded
	Held        bool   // see Item.Held
}

// NewStockTake starts a count of a place, or of a whole location.
func NewStockTake(a Actor, l Location, place string, whole bool, now time.Time) StockTake {
	switch {
	case whole:
		place = ""
	case place == "":
		place = l.StoragePlace // items without a place of their own are kept there
	}
	return StockTake{
		Account: a.Account, ID: NewID(CountID, now), LocationID: l.ID, Place: place, Whole: whole, BegunBy: a.Name,
		CreatedAt: now,
	}
}

// Covers reports whether this count should find an item with these properties.
func (c StockTake) Covers(location, keptAt string, held bool) bool {
	return held && location == c.LocationID && (c.Whole || keptAt == c.Place)
}

// FindingFor returns the finding for an item that was seen.
func (c StockTake) FindingFor(i Item) Finding {
	switch {
	case !i.Held():
		return Departed
	case c.Covers(i.LocationID, i.KeptAt(), true):
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

// StockTakeTotalsOf sums up the findings of a count.
func StockTakeTotalsOf(lines map[Finding]int, expected int) StockTakeTotals {
	return StockTakeTotals{
		Expected: expected, Found: lines[Seen], Missing: lines[Awaited] + lines[Absent],
		Elsewhere: lines[Elsewhere] + lines[Corrected], Gone: lines[Departed], Left: lines[Left],
	}
}

// StockTakeReport is the printed report of a count: its totals, and every item that was not found where it should be.
type StockTakeReport struct {
	Count    StockTake
	Location Location
	Lines    []StockTakeLine
}
