package lost

import (
	"slices"
	"time"
)

// Clearance is a decision on items whose time is over. It is carried out when it can no longer be undone, so that nobody is told of
// what was undone.
type Clearance struct {
	Account     string
	ID          string
	LocationID  string
	Destination Destination
	By          Actor // who decided
	State       ClearanceState
	CreatedAt   time.Time
	Until       time.Time // until when it can be undone
	EndedAt     time.Time // when it was undone, or all of it carried out
	Items       int       // how many it is about
	LeftOut     int       // how many of them were left as they are, because somebody had acted on them
}

// ClearanceState is how far a clearance is.
type ClearanceState string

// The states of a clearance.
const (
	ClearanceOpen   ClearanceState = "open"   // it can be undone
	ClearanceEnding ClearanceState = "ending" // it is being carried out
	ClearanceDone   ClearanceState = "done"
	ClearanceUndone ClearanceState = "undone"
)

// UndoTime is how long a clearance can be undone.
const UndoTime = 15 * time.Minute

// Cleared is an item of a clearance.
type Cleared struct {
	ItemID  string
	Seen    time.Time // when the item had last changed, as whoever decided saw it
	Outcome ClearedOutcome
	Why     string // it was left out
}

// ClearedOutcome is what became of an item of a clearance.
type ClearedOutcome string

// The outcomes.
const (
	ClearedWaiting ClearedOutcome = ""        // nothing yet
	ClearedAway    ClearedOutcome = "cleared" // it went where it was decided
	ClearedLeft    ClearedOutcome = "left"    // it was left as it is
	ClearedUndone  ClearedOutcome = "undone"
)

// NewClearance makes a decision on a location's items.
func NewClearance(location string, to Destination, by Actor, now time.Time) Clearance {
	return Clearance{
		Account: by.Account, ID: NewID(ClearanceID, now), LocationID: location, Destination: to, By: by, State: ClearanceOpen,
		CreatedAt: now, Until: now.Add(UndoTime),
	}
}

// Undo takes a decision back, while it can be.
func (c *Clearance) Undo(now time.Time) error {
	switch {
	case c.State == ClearanceUndone:
		return nil
	case c.State != ClearanceOpen || !now.Before(c.Until):
		return E(Conflict, "The time to undo this is over. Change the items one by one.")
	default:
		c.State, c.EndedAt = ClearanceUndone, now
		return nil
	}
}

// Undoable tells whether the decision can be taken back.
func (c Clearance) Undoable(now time.Time) bool {
	return c.State == ClearanceOpen && now.Before(c.Until)
}

// Over tells whether the item is no longer kept: the last day for that has passed, by the location's clock.
func (i Item) Over(now time.Time) bool {
	until := i.StoreUntil()
	return until != "" && until < now.In(zone(i.Terms.TimeZone)).Format(DateForm)
}

// Clears is nil, or why the item is not to be cleared away as it stands.
func (i Item) Clears(now time.Time) error {
	switch {
	case i.Source == Request || i.Status != Pending && i.Status != InfoCompleted:
		return E(Conflict, "It does not wait for its owner any more.")
	case i.Hold != "":
		return E(Conflict, "It is on hold.")
	case !i.Over(now):
		return E(Conflict, "It is still kept.")
	case i.Parcel.Awaited:
		return E(Conflict, "A payment for sending it is under way.")
	default:
		return nil
	}
}

// ClearAway sends an item where the desk decided, unless somebody has acted on it since: also who put everything back as it was has had a look at it.
func (i *Item) ClearAway(to Destination, since []Entry, by ActorKind, now time.Time) (changed []string, err error) {
	if err := i.Clears(now); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(since, Entry.Acts) {
		return nil, E(Conflict, "Somebody has acted on it meanwhile.")
	}
	changed, err = i.MoveTo(Move{To: to.Status(), Closed: Set(true)}, by, now)
	if err == nil {
		i.Destination = to
		changed = append(changed, "destination")
	}
	return changed, err
}

// KeepPatch is how much longer items are kept, as it was sent: for some days from today, or until a date.
type KeepPatch struct {
	Days  int
	Until string
}

// MaxKeepDays bounds how much longer an item is kept by one decision.
const MaxKeepDays = 3660

// Read checks what was sent and gives the last day, or says what is wrong with it.
func (p KeepPatch) Read(l Location, now time.Time) (until string, err error) {
	c := &check{}
	here := now.In(l.Zone())
	last := here.AddDate(0, 0, MaxKeepDays).Format(DateForm)
	if p.Days != 0 {
		if p.Days < 1 || p.Days > MaxKeepDays {
			c.Add("days", "out-of-range", "must be from 1 to %d", MaxKeepDays)
		}
		return here.AddDate(0, 0, min(max(p.Days, 1), MaxKeepDays)).Format(DateForm), c.Err()
	}
	c.date(Set(p.Until), "until", &until)
	switch {
	case c.Has("until"):
	case until < here.Format(DateForm):
		c.Add("until", "past", "has passed; choose today or a later day")
	case until > last:
		c.Add("until", "too-far", "is too far away; choose a day until %s", last)
	}
	return until, c.Err()
}

// PickList is a list of items to be taken from their places.
type PickList struct {
	Location    Location
	Items       []Item
	Destination Destination // where they go; empty where that is open
	By          string      // who decided
	At          time.Time
}

// HandoverReceipt is what a receipt is printed from. Where the hand-over has no time, it is a form to be filled in by hand.
type HandoverReceipt struct {
	Location  Location
	Item      Item
	Handover  Handover
	By        string // who handed it over
	Signature []byte // a PNG; nil where nobody signed on the screen
}
