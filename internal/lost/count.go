package lost

import "time"

// Count is a stock-take: what should be at a storage place, or in the whole location, against what people find there. Several may take part
// in it at once; it can be left and gone on with.
type Count struct {
	Account    string
	ID         string
	LocationID string
	Place      string // that is counted; empty for what has no place
	Whole      bool   // all places of the location are
	BegunBy    string // names of people
	ClosedBy   string
	Tally      Tally

	CreatedAt time.Time
	ClosedAt  time.Time // zero while it is open
}

// Open tells whether it goes on.
func (c Count) Open() bool { return c.ClosedAt.IsZero() }

// Bounds of a count.
const (
	MaxExpected = 2000 // items that should be there; more are counted place by place
	MaxStrays   = 2000 // items that should not
	MaxCounts   = 400  // that are kept of one location, the newest
)

// Tally is what a count came to.
type Tally struct {
	Expected  int
	Found     int // where they should be
	Missing   int // while it is open: not found yet
	Elsewhere int // found, and expected elsewhere; Corrected ones are among them
	Gone      int // found, and gone by the books
	Left      int // expected, and rightly taken away while it was counted
}

// Strays is how many items were found that should not be there.
func (t Tally) Strays() int {
	return t.Elsewhere + t.Gone + max(0, t.Found+t.Missing+t.Left-t.Expected)
}

// Finding is what a count says of an item.
type Finding string

// The findings.
const (
	Awaited   Finding = ""          // expected, and not seen yet
	Seen      Finding = "seen"      // where it should be
	Elsewhere Finding = "elsewhere" // by the books it is at another place, or of another location
	Corrected Finding = "corrected" // likewise, and the books were put right
	Departed  Finding = "gone"      // by the books it was sent or given away
	Absent    Finding = "missing"   // expected, and not seen when the count was closed
	Left      Finding = "left"      // expected, and moved or given away before it was
)

// Findings lists them.
func Findings() []Finding {
	return []Finding{Awaited, Seen, Elsewhere, Corrected, Departed, Absent, Left}
}

// CountLine is what a count says of one item, and what the books say at present. Of an item that was deleted only its reference is left.
type CountLine struct {
	ItemID    string
	Reference string
	Expected  bool
	Finding   Finding
	SeenAt    time.Time
	SeenBy    string

	Description string
	LocationID  string // of the item
	KeptAt      string // where it is by the books
	Held        bool   // see Item.Held
}

// NewCount begins a count of a place, or of a whole location.
func NewCount(a Actor, l Location, place string, whole bool, now time.Time) Count {
	switch {
	case whole:
		place = ""
	case place == "":
		place = l.StoragePlace // where what has no place of its own is kept
	}
	return Count{Account: a.Account, ID: NewID(CountID, now), LocationID: l.ID, Place: place, Whole: whole, BegunBy: a.Name, CreatedAt: now}
}

// Covers tells whether an item that is kept somewhere should be found by this count.
func (c Count) Covers(location, keptAt string, held bool) bool {
	return held && location == c.LocationID && (c.Whole || keptAt == c.Place)
}

// See tells what it means that an item was seen.
func (c Count) See(i Item) Finding {
	switch {
	case !i.Held():
		return Departed
	case c.Covers(i.LocationID, i.KeptAt(), true):
		return Seen
	default:
		return Elsewhere
	}
}

// Conclude tells what became of an item that was expected and not seen.
func (c Count) Conclude(line CountLine) Finding {
	if c.Covers(line.LocationID, line.KeptAt, line.Held) {
		return Absent
	}
	return Left
}

// TallyOf adds lines up, by what was found and whether it was expected.
func TallyOf(lines map[Finding]int, expected int) Tally {
	return Tally{
		Expected: expected, Found: lines[Seen], Missing: lines[Awaited] + lines[Absent],
		Elsewhere: lines[Elsewhere] + lines[Corrected], Gone: lines[Departed], Left: lines[Left],
	}
}

// CountReport is what is printed of a count: its numbers, and every item that was not found where it should be.
type CountReport struct {
	Count    Count
	Location Location
	Lines    []CountLine
}
