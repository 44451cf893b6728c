package lost

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// ImportedItemPatch is an item that was recorded in another system, with its present status.
type ImportedItemPatch struct {
	Item           ItemPatch
	Move           MovePatch // its status; Pending if none is sent
	TrackingNumber Field[string]
	Reference      Field[string]
	Destination    Field[string] // what was done with it after its storage time
	HandedOver     Field[string] // when it was handed over; to whom is not imported
	IDChecked      Field[bool]   // whether their identity was checked
}

// NewImportedItem makes an item from a record of another system, or returns everything that is wrong with it. The item
// keeps its status, and nobody is notified.
func NewImportedItem(account, location string, p ImportedItemPatch, t Terms, by ActorKind,
	now time.Time) (Item, error) {
	it, err := NewItem(account, location, p.Item, now)
	c := &check{slices.Clone(ProblemsOf(err))}
	it.Terms = t
	if it.StoragePlace == t.StoragePlace {
		it.StoragePlace = "" // it is the location's default and follows its changes
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
		it.NoteFormerReference(reference)
	}
	_, err = it.MoveTo(move, by, now)
	it.Destination, it.Handover = to, handover
	return it, err
}

// destination reads what was done with an item, which must match its status.
func (p ImportedItemPatch) destination(c *check, s Status) (to Destination) {
	oneOf(c, p.Destination, "destination", Destinations(), &to)
	if to != "" && to.Status() != s {
		c.Add("destination", "not-with-status", "goes only with status %s", to.Status())
	}
	return to
}

// handover reads when an item was handed over: a day in the location's time zone, or a time.
func (p ImportedItemPatch) handover(c *check, t Terms, now time.Time) (h Handover) {
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
		c.Add("handover.at", "future", "must not be in the future")
	default:
		h = Handover{At: at.UTC(), IDChecked: p.IDChecked.Value}
	}
	return h
}

// NoteFormerReference adds the reference that an item had in another system to its notes, because it is printed on its
// tag.
func (i *Item) NoteFormerReference(reference string) {
	if reference == "" {
		return
	}
	notes := strings.TrimSpace(i.Notes + "\nFormer reference: " + reference)
	if utf8.RuneCountInString(notes) <= MaxNotes {
		i.Notes = notes
	}
}

// Import is a file of items that is imported into a location. Its rows are validated and stored before the user
// confirms it. They become items in batches; until the last batch is done the import can be cancelled, which removes
// the items that nobody has changed.
type Import struct {
	Account    string
	ID         string
	LocationID string
	State      ImportState
	File       string // its name
	Digest     string // of its bytes
	Total      int    // valid rows
	Done       int    // rows imported so far
	Bad        int    // invalid rows
	Problems   []RowProblem
	Unknown    []string // headings that are not imported
	Owners     int      // rows with an owner who can be notified
	Tell       bool     // whether owners are notified
	Told       int      // rows whose owners were notified so far
	TakenBack  int      // items removed because it was cancelled or failed
	Stayed     int      // items kept because somebody had changed them
	Why        string   // why it failed
	By         Actor

	CreatedAt, StartedAt, EndedAt time.Time
}

// RowProblem says what is wrong in a line of a file, and how to fix it.
type RowProblem struct {
	Line   int
	Column string // its heading in the file; empty for the whole line
	FieldError
}

// MaxRowProblems is the most problems that are listed for a file.
const MaxRowProblems = 200

// ImportPiece is the number of rows in a batch.
const ImportPiece = 100

// ImportState is the progress of an import.
type ImportState string

// The states of an import.
const (
	ImportReady     ImportState = "ready"    // it was validated and waits for confirmation
	ImportRunning   ImportState = "running"  // rows become items
	ImportStopping  ImportState = "stopping" // the items are being removed
	ImportTelling   ImportState = "telling"  // all items are imported; their owners are being notified
	ImportDone      ImportState = "done"
	ImportCancelled ImportState = "cancelled" // its items are removed, except those that somebody had changed
	ImportFailed    ImportState = "failed"    // likewise, because of an error
)

// Ended reports whether the import is finished.
func (s ImportState) Ended() bool {
	return s == ImportDone || s == ImportCancelled || s == ImportFailed
}

// Working reports whether the import is in progress.
func (s ImportState) Working() bool { return !s.Ended() && s != ImportReady }

// Start confirms the import. Owners are notified if tell is set.
func (m *Import) Start(tell bool, now time.Time) error {
	switch {
	case m.State == ImportCancelled:
		return E(Conflict, "This import was cancelled. Upload the file again.")
	case m.State != ImportReady:
		return E(Conflict, "This import was already started.")
	case m.Total == 0:
		return E(Conflict, "The file has no rows that can be imported.")
	}
	m.State, m.Tell, m.StartedAt = ImportRunning, tell && m.Owners > 0, now
	return nil
}

// Cancel removes the imported items, unless all of them are imported.
func (m *Import) Cancel(now time.Time) error {
	switch m.State {
	case ImportReady:
		m.end(ImportCancelled, now)
	case ImportRunning:
		m.stop(now)
	case ImportTelling, ImportDone:
		return E(Conflict, "Too late to cancel: all items of this file are imported.")
	case ImportStopping, ImportCancelled, ImportFailed: // already cancelled
	}
	return nil
}

// Fail removes the imported items because of an error.
func (m *Import) Fail(why string, now time.Time) {
	m.Why = why
	m.stop(now)
}

func (m *Import) stop(now time.Time) {
	m.State = ImportStopping
	m.Undo(0, 0, 0, now)
}

// Piece is the number of the next batch to import.
func (m *Import) Piece() int { return m.Done / ImportPiece }

// Advance records that some rows were imported.
func (m *Import) Advance(rows int, now time.Time) {
	if m.Done += rows; m.Done < m.Total {
		return
	}
	m.State = ImportTelling
	if !m.Tell {
		m.end(ImportDone, now)
	}
}

// TellPiece is the number of the next batch whose owners are notified.
func (m *Import) TellPiece() int { return m.Told / ImportPiece }

// AdvanceTold records that the owners of some rows were notified.
func (m *Import) AdvanceTold(rows int, now time.Time) {
	if m.Told += rows; m.Told >= m.Total {
		m.end(ImportDone, now)
	}
}

// LastPiece is the number of the next batch to remove.
func (m *Import) LastPiece() int { return (m.Done - 1) / ImportPiece }

// Undo records that some rows were undone: how many of their items were removed, and how many were kept because
// somebody had changed them.
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
