package lost

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// ImportedItemPatch is an item from another system, with its current status.
type ImportedItemPatch struct {
	Item           ItemPatch
	Move           MovePatch // its status; Pending if not sent
	TrackingNumber Field[string]
	Reference      Field[string]
	Destination    Field[string] // what happened to the item after its storage time
	HandedOver     Field[string] // when it was handed over; the collector's name is not imported
	IDChecked      Field[bool]   // whether the collector's identity was checked
	Value          Field[string] // what the item is worth, such as 45.00 or 45.00 EUR
}

// NewImportedItem returns an item at a location for a record from another system. The error lists all problems. The
// item keeps its status, and nobody is notified.
func NewImportedItem(l Location, p ImportedItemPatch, by ActorKind, now time.Time) (Item, error) {
	p.Item.Country, p.Item.Currency, p.Item.Latest = l.Country, l.Currency(), l.LatestDiscovery(now)
	if p.Value.Sent {
		v, ok := ParseValue(p.Value.Value, p.Item.Currency)
		if !ok {
			p.Item.Problems.Add("value", "not-an-amount", "must be an amount of money, such as 45.00 or 45.00 EUR")
		}
		p.Item.Value = v.Patch()
	}
	it, err := NewItem(l.Account, l.ID, p.Item, now)
	c := &check{slices.Clone(ProblemsOf(err))}
	t := l.Terms()
	it.Terms = t
	if it.StoragePlace == t.StoragePlace {
		it.StoragePlace = "" // use the location's default, even if it changes later
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
	if parsed, ok := ParseReference(reference); ok {
		it.Reference = parsed
	} else {
		NoteFormerReference(&it, reference)
	}
	_, err = it.MoveTo(move, by, now)
	it.Destination, it.Handover = to, handover
	return it, err
}

// destination validates the destination of an item, which must match its status.
func (p ImportedItemPatch) destination(c *check, s Status) (to Destination) {
	oneOf(c, p.Destination, "destination", ItemDestinations(), &to)
	if to != "" && to.Status() != s {
		c.Add("destination", "not-with-status", "is only allowed with status %s", to.Status())
	}
	return to
}

// handover parses the time of a hand-over: a date in the location's time zone, or a timestamp.
func (p ImportedItemPatch) handover(c *check, t Terms, now time.Time) (h Handover) {
	if !p.HandedOver.Sent {
		if p.IDChecked.Value {
			c.Add("handover.idChecked", "not-alone",
				"is only allowed together with handover.at, the time of the hand-over")
		}
		return h
	}
	at, err := time.Parse(time.RFC3339, p.HandedOver.Value)
	if err != nil {
		at, err = time.ParseInLocation(DateLayout, p.HandedOver.Value, zone(t.TimeZone))
	}
	switch {
	case err != nil:
		c.Add("handover.at", "invalid-moment", "must be a date or a time, such as 2026-11-15 or 2026-11-15T09:30:00Z")
	case at.After(now):
		c.Add("handover.at", "future", "must not be in the future")
	default:
		h = Handover{At: at.UTC(), IDChecked: p.IDChecked.Value}
	}
	return h
}

// NoteFormerReference adds the reference that an item had in another system to its notes, because that reference
// is printed on the item's tag.
func NoteFormerReference(i *Item, reference string) {
	if reference == "" {
		return
	}
	notes := strings.TrimSpace(i.Notes + "\nFormer reference: " + reference)
	if utf8.RuneCountInString(notes) <= MaxNotes {
		i.Notes = notes
	}
}

// Import is a file of items that is imported into one location, or into several that its rows name. Its rows are
// validated and stored before the user confirms the import. They are imported in batches. The import can be cancelled
// until the last batch is done; this removes the imported items that nobody has changed.
type Import struct {
	Account    string
	ID         string
	LocationID string   // empty if each row has its own location
	Locations  []string // in an import without LocationID, the locations of its valid rows
	State      ImportState
	File       string // file name
	Digest     string // digest of the file's content
	Total      int    // valid rows
	Done       int    // rows imported so far
	Bad        int    // invalid rows
	Problems   []RowProblem
	Unknown    []string // column headings that are not imported
	Mapping    ImportMapping
	Owners     int    // rows with an owner who can be notified
	Notify     bool   // whether owners are notified
	Notified   int    // rows processed so far while notifying owners
	Removed    int    // items removed because the import was cancelled or failed
	Remaining  int    // items kept because somebody had changed them
	Why        string // why the import failed
	By         Actor

	CreatedAt, StartedAt, EndedAt time.Time
}

// ImportMapping says which fields the columns of a file contain. It is empty for imports that know the headings.
type ImportMapping struct {
	Headings []string  // of the file, in its order
	Fields   []string  // the field of each column; empty for a column that is not imported
	Dates    DateOrder // of dates such as 3/4/2026
	Location string    // id of the location of rows that name none, in an import without LocationID
}

// UnmappedColumn begins the names of columns until the user says what they contain. The column's position follows.
const UnmappedColumn = "#"

// DateOrder is the order of day and month in a date such as 3/4/2026.
type DateOrder string

// The orders of a date. If the order is not known, such a date is invalid.
const (
	DayFirst   DateOrder = "dmy"
	MonthFirst DateOrder = "mdy"
)

// FieldOf returns the field of the column with this heading, and whether the file had such a column.
func (m ImportMapping) FieldOf(heading string) (field string, known bool) {
	n := slices.Index(m.Headings, heading)
	if n < 0 || n >= len(m.Fields) {
		return "", false
	}
	return m.Fields[n], true
}

// RowProblem describes a problem in a line of a file and how to fix it.
type RowProblem struct {
	Line   int
	Column string // heading of the column; empty if the whole line is affected
	FieldError
}

// MaxRowProblems is the maximum number of problems that are listed for a file.
const MaxRowProblems = 200

// ImportBatchSize is the number of rows in a batch.
const ImportBatchSize = 100

// ImportState is the progress of an import.
type ImportState string

// The states of an import.
const (
	ImportUnmapped  ImportState = "mapping"  // uploaded, waiting for the user to say what its columns contain
	ImportReady     ImportState = "ready"    // validated, waiting for confirmation
	ImportRunning   ImportState = "running"  // rows are being imported
	ImportStopping  ImportState = "stopping" // the imported items are being removed
	ImportNotifying ImportState = "telling"  // all items are imported; their owners are being notified
	ImportDone      ImportState = "done"
	ImportCancelled ImportState = "cancelled" // imported items were removed, except those that somebody had changed
	ImportFailed    ImportState = "failed"    // stopped by an error; imported items were removed as after Cancel
)

// Ended reports whether the import is finished.
func (s ImportState) Ended() bool {
	return s == ImportDone || s == ImportCancelled || s == ImportFailed
}

// Working reports whether the import is in progress.
func (s ImportState) Working() bool { return !s.Ended() && s != ImportReady && s != ImportUnmapped }

// Start confirms the import. Owners are notified if tell is set. It returns an error if the import cannot be started.
func (m *Import) Start(tell bool, now time.Time) error {
	switch {
	case m.State == ImportCancelled:
		return E(Conflict, "This import was cancelled. Upload the file again.")
	case m.State == ImportUnmapped:
		return E(Conflict, "Choose what the columns of the file contain first.")
	case m.State != ImportReady:
		return E(Conflict, "This import has already been started.")
	case m.Total == 0:
		return E(Conflict, "The file has no rows that can be imported.")
	}
	m.State, m.Notify, m.StartedAt = ImportRunning, tell && m.Owners > 0, now
	return nil
}

// Cancel cancels the import and removes the imported items. It returns an error if all items are imported.
func (m *Import) Cancel(now time.Time) error {
	switch m.State {
	case ImportReady, ImportUnmapped:
		m.end(ImportCancelled, now)
	case ImportRunning:
		m.stop(now)
	case ImportNotifying, ImportDone:
		return E(Conflict, "Too late to cancel: all items in this file have been imported.")
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

// Batch returns the number of the next batch to import.
func (m *Import) Batch() int { return m.Done / ImportBatchSize }

// Advance records that some rows were imported.
func (m *Import) Advance(rows int, now time.Time) {
	if m.Done += rows; m.Done < m.Total {
		return
	}
	m.State = ImportNotifying
	if !m.Notify {
		m.end(ImportDone, now)
	}
}

// NotifyBatch returns the number of the next batch of owners to notify.
func (m *Import) NotifyBatch() int { return m.Notified / ImportBatchSize }

// AdvanceNotified records that the owners of some rows were notified.
func (m *Import) AdvanceNotified(rows int, now time.Time) {
	if m.Notified += rows; m.Notified >= m.Total {
		m.end(ImportDone, now)
	}
}

// LastBatch returns the number of the next batch to remove, which is the last one that was imported.
func (m *Import) LastBatch() int { return (m.Done - 1) / ImportBatchSize }

// Undo records that some rows were undone. The parameter removed is the number of removed items, and stayed is the
// number of items that were kept because somebody had changed them.
func (m *Import) Undo(rows, removed, stayed int, now time.Time) {
	m.Done, m.Removed, m.Remaining = m.Done-rows, m.Removed+removed, m.Remaining+stayed
	switch {
	case m.Done > 0:
	case m.Why != "":
		m.end(ImportFailed, now)
	default:
		m.end(ImportCancelled, now)
	}
}

func (m *Import) end(s ImportState, now time.Time) { m.State, m.EndedAt = s, now }
