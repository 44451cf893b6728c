package lost

import (
	"slices"
	"time"
)

// Provisional reports whether the message waits until the decision in it can no longer be undone.
func (m Message) Provisional() bool { return m.State == MessageWaiting && m.About.UndoSeconds > 0 }

// MayUndo reports whether the message was not sent, and the time to undo the decision in it has not ended.
func (m Message) MayUndo(now time.Time) bool {
	unsent := m.State == MessageWaiting && m.Handovers == 0 || m.State == MessageSaved
	return m.About.UndoSeconds > 0 && unsent && now.Before(m.UndoUntil())
}

// NewestDecision returns the newest message of a kind. It returns false if a later message has told the guest. The list
// is sorted, the newest first.
func NewestDecision(all []Message, kind MessageKind) (Message, bool) {
	var later []Message
	for _, m := range all {
		switch {
		case m.State == MessageCanceled:
		case m.Kind == kind:
			told := slices.ContainsFunc(later, func(l Message) bool { return SameAddress(l.To, m.To) })
			return m, !told
		default:
			later = append(later, m)
		}
	}
	return Message{}, false
}

// CheckGiveAway returns an error if a request was accepted for the item, and the claimant has not been notified yet: the
// decision can still be undone, or its message is still to be sent. The claimant would be told of an item that is gone,
// or never hear of it. The list contains the item's messages, newest first.
func CheckGiveAway(i Item, all []Message, now time.Time) error {
	m, found := NewestDecision(all, MatchMessage)
	if !found || !SameAddress(m.To, i.Owner.Address()) || !m.MayUndo(now) && (!m.Provisional() || m.Handovers > 0) {
		return nil
	}
	return E(ClaimantNotNotified, "%s", Note(NoteClaimantNotNotified))
}

// UndoUntil returns when the time to undo the decision in the message ends.
func (m Message) UndoUntil() time.Time {
	return m.CreatedAt.Add(time.Duration(m.About.UndoSeconds) * time.Second)
}
