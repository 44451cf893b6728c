package lost

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// CarriedPatch is an item that was recorded elsewhere: what it is, and where it stands already.
type CarriedPatch struct {
	Item           ItemPatch
	Move           MovePatch // its status, with what goes with one; Pending where none is sent
	TrackingNumber Field[string]
	Reference      Field[string]
	Destination    Field[string] // what was done with it when its time was over
	HandedOver     Field[string] // when it was given to somebody at the desk; who that was is not carried
	IDChecked      Field[bool]   // of them
}

// NewCarried makes an item from a record that was kept elsewhere, or says everything that is wrong with it. Nothing happens to it here, so
// nobody is told; it stands where it stood.
func NewCarried(account, location string, p CarriedPatch, t Terms, by ActorKind, now time.Time) (Item, error) {
	it, err := NewItem(account, location, p.Item, now)
	c := &check{slices.Clone(ProblemsOf(err))}
	it.Terms = t
	if it.StoragePlace == t.StoragePlace {
		it.StoragePlace = "" // it follows from the location, and goes on doing so
	}
	if !p.Move.Status.Sent {
		p.Move.Status = Set(string(Pending))
	}
	move, err := p.Move.Move()
	c.Problems = append(c.Problems, ProblemsOf(err)...)
	c.line(p.TrackingNumber, "trackingNumber", MaxShort, &it.Shipping.TrackingNumber)
	var reference string
	c.line(p.Reference, "reference", MaxShort, &reference)
	handover := p.handover(c, t, now)
	to := p.destination(c, move.To)
	if err := c.Err(); err != nil {
		return it, err
	}
	if ours, ok := ParseReference(reference); ok {
		it.Reference = ours
	} else {
		it.Formerly(reference)
	}
	_, err = it.MoveTo(move, by, now)
	it.Destination, it.Handover = to, handover
	return it, err
}

// destination reads what was done with an item, which must go with where it stands.
func (p CarriedPatch) destination(c *check, s Status) (to Destination) {
	oneOf(c, p.Destination, "destination", Destinations(), &to)
	if to != "" && to.Status() != s {
		c.Add("destination", "not-with-status", "goes only with status %s", to.Status())
	}
	return to
}

// handover reads when an item was given to somebody at the desk: a day there, or a moment.
func (p CarriedPatch) handover(c *check, t Terms, now time.Time) (h Handover) {
	if !p.HandedOver.Sent {
		if p.IDChecked.Value {
			c.Add("handover.idChecked", "not-alone", "goes only with handover.at, which says when that was")
		}
		return h
	}
	at, err := time.Parse(time.RFC3339, p.HandedOver.Value)
	if err != nil {
		at, err = time.ParseInLocation(DateForm, p.HandedOver.Value, zone(t.TimeZone))
	}
	switch {
	case err != nil:
		c.Add("handover.at", "invalid-moment", "must be a day or a time, written 2026-11-15 or 2026-11-15T09:30:00Z")
	case at.After(now):
		c.Add("handover.at", "future", "must not lie ahead")
	default:
		h = Handover{At: at.UTC(), IDChecked: p.IDChecked.Value}
	}
	return h
}

// Formerly notes the reference that an item had and cannot keep: it stands on its tag.
func (i *Item) Formerly(reference string) {
	if reference == "" {
		return
	}
	notes := strings.TrimSpace(i.Notes + "\nFormer reference: " + reference)
	if utf8.RuneCountInString(notes) <= MaxNotes {
		i.Notes = notes
	}
}

// Import is a file of items on its way into a location. Its rows are checked and kept before anybody confirms it; they become items in
// pieces, and until the last one has, all of them can be taken back that nobody has acted on.
type Import struct {
	Account    string
	ID         string
	LocationID string
	State      ImportState
	File       string // its name
	Digest     string // of its bytes
	Total      int    // rows that become items
	Done       int    // of these, so far
	Bad        int    // rows that cannot
	Problems   []RowProblem
	Unknown    []string // headings that are not taken over
	Owners     int      // how many of the rows have an owner who can be told
	Tell       bool     // whether they are
	Told       int      // rows whose owners were, so far
	TakenBack  int      // items that are gone again because it was cancelled or failed
	Stayed     int      // items that are not, because somebody had acted on them
	Why        string   // it failed
	By         Actor

	CreatedAt, StartedAt, EndedAt time.Time
}

// RowProblem says what is wrong in a line of a file, and how to mend it.
type RowProblem struct {
	Line   int
	Column string // as it is headed in the file; empty where it is about the whole line
	FieldError
}

// MaxRowProblems bounds what is listed of what is wrong with a file.
const MaxRowProblems = 200

// ImportPiece is how many rows become items at once.
const ImportPiece = 100

// ImportState is how far an import has come.
type ImportState string

// The states of an import.
const (
	ImportReady     ImportState = "ready"    // it was checked and waits for a yes
	ImportRunning   ImportState = "running"  // rows become items
	ImportStopping  ImportState = "stopping" // the items are taken back
	ImportTelling   ImportState = "telling"  // all are there; their owners are told
	ImportDone      ImportState = "done"
	ImportCancelled ImportState = "cancelled" // and nothing is left of it but what somebody had acted on
	ImportFailed    ImportState = "failed"    // likewise, not because anybody wanted it
)

// Ended tells whether nothing more happens to the import.
func (s ImportState) Ended() bool {
	return s == ImportDone || s == ImportCancelled || s == ImportFailed
}

// Working tells whether somebody is at work on the import.
func (s ImportState) Working() bool { return !s.Ended() && s != ImportReady }

// Start is the yes. Owners are told where tell is set.
func (m *Import) Start(tell bool, now time.Time) error {
	switch {
	case m.State == ImportCancelled:
		return E(Conflict, "This import was cancelled. Upload the file again.")
	case m.State != ImportReady:
		return E(Conflict, "This import was started already.")
	case m.Total == 0:
		return E(Conflict, "There is no row in the file that can be imported.")
	}
	m.State, m.Tell, m.StartedAt = ImportRunning, tell && m.Owners > 0, now
	return nil
}

// Cancel takes everything back, unless all of it is there.
func (m *Import) Cancel(now time.Time) error {
	switch m.State {
	case ImportReady:
		m.end(ImportCancelled, now)
	case ImportRunning:
		m.stop(now)
	case ImportTelling, ImportDone:
		return E(Conflict, "Too late to cancel: all items of this file are imported.")
	case ImportStopping, ImportCancelled, ImportFailed: // as it was wanted
	}
	return nil
}

// Fail takes everything back because it cannot go on.
func (m *Import) Fail(why string, now time.Time) {
	m.Why = why
	m.stop(now)
}

func (m *Import) stop(now time.Time) {
	m.State = ImportStopping
	m.Undo(0, 0, 0, now)
}

// Piece is the number of the piece that is to become items next.
func (m *Import) Piece() int { return m.Done / ImportPiece }

// Advance notes that so many rows have become items.
func (m *Import) Advance(rows int, now time.Time) {
	if m.Done += rows; m.Done < m.Total {
		return
	}
	m.State = ImportTelling
	if !m.Tell {
		m.end(ImportDone, now)
	}
}

// TellPiece is the number of the piece whose owners are to be told next.
func (m *Import) TellPiece() int { return m.Told / ImportPiece }

// AdvanceTold notes that the owners of so many rows were told.
func (m *Import) AdvanceTold(rows int, now time.Time) {
	if m.Told += rows; m.Told >= m.Total {
		m.end(ImportDone, now)
	}
}

// LastPiece is the number of the piece that is to be taken back next.
func (m *Import) LastPiece() int { return (m.Done - 1) / ImportPiece }

// Undo notes that so many rows were looked at again: which of their items are gone by that, and which stayed because somebody had acted on them.
func (m *Import) Undo(rows, gone, stayed int, now time.Time) {
	m.Done, m.TakenBack, m.Stayed = m.Done-rows, m.TakenBack+gone, m.Stayed+stayed
	switch {
	case m.Done > 0:
	case m.Why != "":
		m.end(ImportFailed, now)
	default:
		m.end(ImportCancelled, now)
	}
}

func (m *Import) end(s ImportState, now time.Time) { m.State, m.EndedAt = s, now }
