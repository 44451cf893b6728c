package lost

import (
	"slices"
	"strings"
	"time"
)

// Entry is one entry in an item's history.
type Entry struct {
	ID     string
	At     time.Time
	Actor  Actor
	Action Action
	From   Status   // old status, if it changed
	To     Status   // new status, if it changed
	Fields []string // API names of the changed fields; never their values
	Note   string
}

// Action is a kind of history entry.
type Action string

// The actions.
const (
	Created          Action = "created"
	Updated          Action = "updated"
	Moved            Action = "status-changed"
	ImageAdded       Action = "image-added"
	ImageRemoved     Action = "image-removed"
	Disowned         Action = "not-theirs"         // the notified person says that the item is not theirs
	Accepted         Action = "request-accepted"   // only for requests
	Rejected         Action = "request-rejected"   // only for requests
	Withdrawn        Action = "request-withdrawn"  // only for requests, by the claimant
	Unmatched        Action = "match-refused"      // only for requests; the note names the dismissed item
	Asked            Action = "question-asked"     // only for requests; the note is the question
	Wrote            Action = "message-written"    // in the item's conversation; the text is only there
	Sent             Action = "message-sent"       // the note contains the kind, channel and recipient
	Kept             Action = "message-kept"       // the message was saved, because sending is not set up
	Failed           Action = "message-failed"     // the message was rejected or bounced; the note has the reason
	Revoked          Action = "link-revoked"       // the owner's link no longer works
	Paid             Action = "payment"            // a payment that the desk should know about; see the note
	Refunded         Action = "refund"             // a refund that the desk should know about; see the note
	Labelled         Action = "label"              // the label is ready, or the carrier rejected it; see the note
	HandedOver       Action = "handed-over"        // the collector's name is stored in the item
	GuestDataRemoved Action = "guest-data-removed" // by the account's retention rule or an erasure
)

// Actions lists all actions.
func Actions() []Action {
	return []Action{
		Created, Updated, Moved, ImageAdded, ImageRemoved, Disowned, Accepted, Rejected, Withdrawn, Unmatched, Asked,
		Wrote, Sent, Kept, Failed, Revoked, Paid, Refunded, Labelled, HandedOver, GuestDataRemoved,
	}
}

// NewEntry returns a new history entry.
func NewEntry(a Actor, action Action, now time.Time) Entry {
	return Entry{ID: NewID(HistoryID, now), At: now, Actor: a, Action: action}
}

// InvalidatesMove reports whether a status change that somebody decided on before this entry must be rejected,
// because the entry changed the status, the payment, the hold or the owner.
func (e Entry) InvalidatesMove() bool {
	if e.Action == Paid || e.Action == Refunded {
		return true
	}
	return e.ChangesOwner() || slices.ContainsFunc(e.Fields, func(name string) bool {
		return slices.Contains([]string{"status", "pickup", "closedAt", "handover", "hold", "disownedAt"}, name)
	})
}

// ChangesOwner reports whether the entry changed the owner or one of the owner's details.
func (e Entry) ChangesOwner() bool {
	return slices.ContainsFunc(e.Fields, func(name string) bool { return strings.HasPrefix(name, "owner") })
}

// ConflictsWith reports whether this entry conflicts with a change to some fields by somebody who has not seen the
// entry. An erasure conflicts with every change, so that erased data cannot be written back.
func (e Entry) ConflictsWith(fields []string) bool {
	return e.Action == GuestDataRemoved || slices.ContainsFunc(e.Fields, func(name string) bool {
		return slices.Contains(fields, name)
	})
}

// IsPickup reports whether the entry sets the status to PickUp or changes only the pick-up.
func (e Entry) IsPickup() bool {
	return e.To == PickUp || e.To == "" && slices.Equal(e.Fields, []string{"pickup"})
}

// InvalidatesDecision reports whether the entry invalidates an earlier decision about the item. Every change by a
// person does, except a new storage place. Message deliveries and the account's retention rule do not.
func (e Entry) InvalidatesDecision() bool {
	switch e.Action {
	case Sent, Kept, Failed, GuestDataRemoved:
		return false
	case Updated:
		return !slices.Equal(e.Fields, []string{"storagePlace"})
	default:
		return true
	}
}
