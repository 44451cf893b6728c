package lost

import (
	"slices"
	"strings"
	"time"
)

// Entry is one line of an item's history: who did what, when.
type Entry struct {
	ID     string
	At     time.Time
	Actor  Actor
	Action Action
	From   Status   // where the status changed
	To     Status   // likewise
	Fields []string // what changed, by the names in the API; never the values
	Note   string
}

// Action says what was done to an item.
type Action string

// The actions.
const (
	Created    Action = "created"
	Updated    Action = "updated"
	Moved      Action = "status-changed"
	ImageAdded Action = "image-added"
	ImageTaken Action = "image-removed"      // removed
	Disowned   Action = "not-theirs"         // the notified person says so
	Accepted   Action = "request-accepted"   // on a request
	Rejected   Action = "request-rejected"   // likewise
	Withdrawn  Action = "request-withdrawn"  // likewise, by the claimant
	Unmatched  Action = "match-refused"      // likewise; the note names the item that was dismissed
	Asked      Action = "question-asked"     // likewise; the note is the question
	Sent       Action = "message-sent"       // the note says what, how and to whom
	Kept       Action = "message-kept"       // no way to send it is set up
	Failed     Action = "message-failed"     // it was refused or bounced; the note says why
	Revoked    Action = "link-revoked"       // the owner's link no longer works
	Paid       Action = "payment"            // something the desk should know about one; see the note
	Refunded   Action = "refund"             // likewise
	Labelled   Action = "label"              // label and invoice are ready, or the carrier refused; see the note
	HandedOver Action = "handed-over"        // the item says to whom
	Forgot     Action = "guest-data-removed" // by the account's retention rule, or because the guest was erased
)

// Actions lists them.
func Actions() []Action {
	return []Action{
		Created, Updated, Moved, ImageAdded, ImageTaken, Disowned, Accepted, Rejected, Withdrawn, Unmatched, Asked,
		Sent, Kept, Failed, Revoked, Paid, Refunded, Labelled, HandedOver, Forgot,
	}
}

// NewEntry makes a line of history.
func NewEntry(a Actor, action Action, now time.Time) Entry {
	return Entry{ID: NewID(HistoryID, now), At: now, Actor: a, Action: action}
}

// InvalidatesMove reports whether a change of status that was decided before this entry must be decided again: the item
// has moved since, was paid for, is on hold, or has another owner.
func (e Entry) InvalidatesMove() bool {
	if e.Action == Paid || e.Action == Refunded {
		return true
	}
	return slices.ContainsFunc(e.Fields, func(name string) bool {
		return slices.Contains([]string{"status", "pickup", "closedAt", "handover", "hold", "disownedAt"}, name) ||
			strings.HasPrefix(name, "owner")
	})
}

// ConflictsWith reports whether a change of some fields is refused if it was made without having seen this entry. After
// an erasure that holds for all fields, so that erased data cannot be written back.
func (e Entry) ConflictsWith(fields []string) bool {
	return e.Action == Forgot || slices.ContainsFunc(e.Fields, func(name string) bool {
		return slices.Contains(fields, name)
	})
}

// IsPickup reports whether the entry is only about the owner's pick-up.
func (e Entry) IsPickup() bool {
	return e.To == PickUp || e.To == "" && slices.Equal(e.Fields, []string{"pickup"})
}

// InvalidatesDecision reports whether the entry invalidates a decision about the item that was made before it. Every
// change by a person does, except a new storage place. The delivery of messages and the account's retention rule do
// not.
func (e Entry) InvalidatesDecision() bool {
	switch e.Action {
	case Sent, Kept, Failed, Forgot:
		return false
	case Updated:
		return !slices.Equal(e.Fields, []string{"storagePlace"})
	default:
		return true
	}
}
