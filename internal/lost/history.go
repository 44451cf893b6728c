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
	Fields []string // what changed, as the API spells it; never the values
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
	ImageTaken Action = "image-removed"      // taken away
	Disowned   Action = "not-theirs"         // the person who was told says so
	Accepted   Action = "request-accepted"   // on a request
	Rejected   Action = "request-rejected"   // likewise
	Withdrawn  Action = "request-withdrawn"  // likewise, by the claimant
	Unmatched  Action = "match-refused"      // likewise; the note says which find it is not
	Asked      Action = "question-asked"     // likewise; the note is the question
	Sent       Action = "message-sent"       // the note says what, how and to whom
	Kept       Action = "message-kept"       // there is nothing to send it with
	Failed     Action = "message-failed"     // it was refused or came back; the note says why
	Revoked    Action = "link-revoked"       // the owner's link works no more
	Paid       Action = "payment"            // with what the desk should know of one; the note says it
	Refunded   Action = "refund"             // likewise
	Labelled   Action = "label"              // label and invoice are there, or the carrier refused; the note says which
	HandedOver Action = "handed-over"        // to whom, the item says
	Forgot     Action = "guest-data-removed" // by the account's rule of how long it is kept, or because the guest is erased
)

// Actions lists them.
func Actions() []Action {
	return []Action{Created, Updated, Moved, ImageAdded, ImageTaken, Disowned, Accepted, Rejected, Withdrawn, Unmatched, Asked, Sent, Kept, Failed, Revoked, Paid, Refunded, Labelled, HandedOver, Forgot}
}

// NewEntry makes a line of history.
func NewEntry(a Actor, action Action, now time.Time) Entry {
	return Entry{ID: NewID(HistoryID, now), At: now, Actor: a, Action: action}
}

// Unsettles tells whether a change of status that somebody thought of before has to be thought of again: the item went another way since, was
// paid for, is on hold, or belongs to somebody else.
func (e Entry) Unsettles() bool {
	if e.Action == Paid || e.Action == Refunded {
		return true
	}
	return slices.ContainsFunc(e.Fields, func(name string) bool {
		return slices.Contains([]string{"status", "pickup", "closedAt", "handover", "hold", "disownedAt"}, name) || strings.HasPrefix(name, "owner")
	})
}

// Overtakes tells whether whoever changes some fields of an item must have seen it. What was removed of a guest must not come back, whichever field it stood in.
func (e Entry) Overtakes(fields []string) bool {
	return e.Action == Forgot || slices.ContainsFunc(e.Fields, func(name string) bool { return slices.Contains(fields, name) })
}

// Collects tells whether it is nothing but that the owner comes for the item, or when.
func (e Entry) Collects() bool {
	return e.To == PickUp || e.To == "" && slices.Equal(e.Fields, []string{"pickup"})
}

// Acts tells whether a decision on the item must heed what was done since: all that somebody did to it, but for putting it elsewhere. What became of
// messages is nobody's act, nor what the account's rules have done.
func (e Entry) Acts() bool {
	switch e.Action {
	case Sent, Kept, Failed, Forgot:
		return false
	case Updated:
		return !slices.Equal(e.Fields, []string{"storagePlace"})
	default:
		return true
	}
}
