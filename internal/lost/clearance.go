package lost

import (
	"slices"
	"time"
)

// Clearance is a decision about items after their storage time has ended. It is carried out when it can no longer be
// undone, so that nobody is notified of a decision that is undone later.
type Clearance struct {
	Account     string
	ID          string
	LocationID  string
	Destination Destination
	By          Actor // who decided
	State       ClearanceState
	CreatedAt   time.Time
	Until       time.Time // when it can no longer be undone
	EndedAt     time.Time // when it was undone or completed
	Items       int       // number of items
	LeftOut     int       // number of items skipped because somebody had changed them
}

// ClearanceState is the progress of a clearance.
type ClearanceState string

// The states of a clearance.
const (
	ClearanceOpen   ClearanceState = "open"   // it can be undone
	ClearanceEnding ClearanceState = "ending" // it is being carried out
	ClearanceDone   ClearanceState = "done"
	ClearanceUndone ClearanceState = "undone"
	ClearanceHanded ClearanceState = "handed" // the items were handed over together; it can be undone for a while
)

// UndoTime is how long a clearance, a hand-over or a decision about a request can be undone.
const UndoTime = 15 * time.Minute

// ClearanceItem is one item in a clearance.
type ClearanceItem struct {
	ItemID  string
	Seen    time.Time // the item's UpdatedAt when the decision was made
	Outcome ClearedOutcome
	Why     string // why the item was skipped
}

// ClearedOutcome is the result for one item in a clearance.
type ClearedOutcome string

// The outcomes.
const (
	ClearedWaiting ClearedOutcome = "" // not carried out yet
	ClearedAway    ClearedOutcome = "cleared"
	ClearedLeft    ClearedOutcome = "left" // skipped
	ClearedUndone  ClearedOutcome = "undone"
)

// NewClearance returns a new clearance of a location's items. The caller adds the items.
func NewClearance(location string, to Destination, by Actor, now time.Time) Clearance {
	return Clearance{
		Account: by.Account, ID: NewID(ClearanceID, now), LocationID: location, Destination: to, By: by,
		State:     ClearanceOpen,
		CreatedAt: now, Until: now.Add(UndoTime),
	}
}

// NewTransfer returns the record of a hand-over of a location's items to one recipient. It is carried out at once.
func NewTransfer(location string, to Destination, by Actor, items int, now time.Time) Clearance {
	c := NewClearance(location, to, by, now)
	c.State, c.EndedAt, c.Items = ClearanceHanded, now, items
	return c
}

// Undo cancels the clearance. It returns an error if it is too late.
func (c *Clearance) Undo(now time.Time) error {
	switch {
	case c.State == ClearanceUndone:
		return nil
	case !c.Undoable(now):
		return E(WrongState, "It is too late to undo this. Change the items one by one.")
	default:
		c.State, c.EndedAt = ClearanceUndone, now
		return nil
	}
}

// Undoable reports whether the clearance can be undone.
func (c Clearance) Undoable(now time.Time) bool {
	return (c.State == ClearanceOpen || c.State == ClearanceHanded) && now.Before(c.Until)
}

// StorageEnded reports whether the last day of the item's storage has passed in the location's time zone.
func (i Item) StorageEnded(now time.Time) bool {
	until := i.StoreUntil()
	return until != "" && until < now.In(i.Zone()).Format(DateLayout)
}

// MayClear returns an error if the item cannot be cleared.
func (i Item) MayClear(now time.Time) error {
	switch {
	case i.Source == Request || i.Status != Pending && i.Status != InfoCompleted:
		return E(WrongState, "%s", Note(NoteNotWaiting))
	case i.Hold != "":
		return E(WrongState, "%s", Note(NoteOnHold))
	case !i.StorageEnded(now):
		return E(WrongState, "%s", Note(NoteStillStored))
	case i.Parcel.Awaited:
		return E(WrongState, "%s", Note(NotePaymentInProgress))
	default:
		return nil
	}
}

// Clear moves an item to a destination, unless somebody has changed the item since the decision; since contains the
// history entries after it. A change that was reverted also counts, because somebody has dealt with the item.
func (i *Item) Clear(to Destination, since []Entry, by ActorKind, now time.Time) (changed []string, err error) {
	if err := i.MayClear(now); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(since, Entry.InvalidatesDecision) {
		return nil, E(Conflict, "%s", Note(NoteItemChanged))
	}
	changed, err = i.MoveTo(Move{To: to.Status(), Closed: Set(true)}, by, now)
	if err == nil {
		i.Destination = to
		changed = append(changed, "destination")
	}
	return changed, err
}

// KeepPatch extends the storage of items, by a number of days from today or until a date.
type KeepPatch struct {
	Days  int
	Until string
}

// MaxKeepDays is the maximum number of days by which storage can be extended.
const MaxKeepDays = 3660

// Read validates the patch and returns the last day of storage.
func (p KeepPatch) Read(l Location, now time.Time) (until string, err error) {
	c := &check{}
	here := now.In(l.Zone())
	last := here.AddDate(0, 0, MaxKeepDays).Format(DateLayout)
	if p.Days != 0 {
		if p.Days < 1 || p.Days > MaxKeepDays {
			c.Add("days", "out-of-range", "must be from 1 to %d", MaxKeepDays)
		}
		return here.AddDate(0, 0, min(max(p.Days, 1), MaxKeepDays)).Format(DateLayout), c.Err()
	}
	c.date(Set(p.Until), "until", &until)
	switch {
	case c.Has("until"):
	case until < here.Format(DateLayout):
		c.Add("until", "past", "has passed; choose today or a later day")
	case until > last:
		c.Add("until", "too-far", "is too far in the future; choose %s or an earlier day", last)
	}
	return until, c.Err()
}

// PickList is a list of items to collect from their storage places.
type PickList struct {
	Location    Location
	Items       []Item
	Destination Destination // empty if not decided yet
	By          string      // who decided
	At          time.Time
}

// HandoverReceipt is the data for a printed receipt. If the hand-over has no time, the receipt is a form to fill in
// by hand.
type HandoverReceipt struct {
	Location  Location
	Item      Item
	Handover  Handover
	By        string // who handed the item over
	Signature []byte // a PNG; nil if nobody signed on the screen
}
