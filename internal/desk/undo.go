package desk

import (
	"context"
	"slices"
	"time"

	"homeward/internal/access"
	"homeward/internal/change"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// errDecisionFinal is returned if a decision can no longer be undone.
var errDecisionFinal = lost.E(lost.Conflict,
	"The decision can no longer be undone: the time to undo it has ended, or the guest is being notified.")

// errDecidedAgain is returned if a page shows an earlier decision than the current one.
var errDecidedAgain = lost.E(lost.Conflict, "Somebody has decided again since. Open the request again.")

// errItemChanged is returned if the found item of an accepted request is no longer as the decision left it.
var errItemChanged = lost.E(lost.Conflict,
	"The decision can no longer be undone, because the found item was changed. Change its owner instead.")

// Decision is a decision about a request that can still be undone.
type Decision struct {
	ID    string    // the id of the message about it
	Until time.Time // when it can no longer be undone; zero if there is no such decision
}

// OpenDecision returns the decision about a request that the actor can undo, if there is one.
func (s *Requests) OpenDecision(ctx context.Context, a lost.Actor, request lost.Item) (d Decision, err error) {
	if err := access.MayView(a, request.LocationID, "request"); err != nil {
		return d, err
	}
	if d, err = s.openDecision(ctx, request); err != nil || d.ID == "" || request.Claim.State != lost.RequestMatched {
		return d, err
	}
	if _, err := s.items.GetAnywhere(ctx, a, request.Claim.MatchedItemID); err != nil {
		return Decision{}, lost.IgnoreNotFound(err) // the actor cannot access its location
	}
	return d, nil
}

// UndoableMatch returns the request that was accepted for a found item, and the decision. There is none if it cannot be
// undone, or if the actor cannot see the request.
func (s *Requests) UndoableMatch(ctx context.Context, a lost.Actor,
	found lost.Item) (request lost.Item, d Decision, err error) {
	if err := access.MayView(a, found.LocationID, "item"); err != nil {
		return request, d, err
	}
	if found.Status != lost.Pending || found.Owner.Address() == "" {
		return request, d, nil
	}
	all, err := s.db.RecentMessages(ctx, found.Account, found.ID)
	if err != nil {
		return request, d, err
	}
	m, waits := lost.NewestDecision(all, lost.MatchMessage)
	if !waits || !m.MayUndo(s.now()) {
		return request, d, nil
	}
	for _, p := range []lost.Person{{Email: found.Owner.Email}, {Phone: found.Owner.Phone}} {
		if p.Address() == "" {
			continue
		}
		items, err := s.db.ItemsOfPerson(ctx, found.Account, p, "", lost.MaxSelected)
		if err != nil {
			return request, d, err
		}
		for _, i := range items {
			if i.Claim.MatchedItemID == found.ID && a.CanAccess(i.LocationID) {
				return i, Decision{ID: m.ID, Until: m.UndoUntil()}, nil
			}
		}
	}
	return request, d, nil
}

// ClaimAnswer is what the claimant of a request may know about the decision.
type ClaimAnswer string

// The answers.
const (
	AnswerOpen        ClaimAnswer = "open"         // there is no decision, or it can still be undone
	AnswerNotified    ClaimAnswer = "notified"     // the claimant was notified, or is about to be
	AnswerNotNotified ClaimAnswer = "not notified" // the item was found, and no message says so
	AnswerCollected   ClaimAnswer = "collected"    // it was handed over before a message was sent
	AnswerGone        ClaimAnswer = "gone"         // it was donated or discarded before a message was sent
)

// Answer returns what the claimant of a request may know about the decision.
func (s *Requests) Answer(ctx context.Context, request lost.Item) (ClaimAnswer, error) {
	item, kind, decided := decisionMessage(request)
	if !decided {
		return AnswerOpen, nil
	}
	all, err := s.db.RecentMessages(ctx, request.Account, item)
	if err != nil {
		return "", err
	}
	m, found := lost.NewestDecision(all, kind)
	open := found && m.MayUndo(s.now())
	if kind == lost.RejectedMessage {
		if open {
			return AnswerOpen, nil
		}
		return AnswerNotified, nil // the page says all that the message says
	}
	if s.hasNotice(request, all) {
		return AnswerNotified, nil
	}
	i, err := s.db.AccountItem(ctx, request.Account, item)
	switch {
	case lost.CodeOf(err) == lost.NotFound:
		return AnswerGone, nil
	case err != nil:
		return "", err
	case i.Status == lost.Discard || i.Status == lost.Donate:
		return AnswerGone, nil
	case !i.ClosedAt.IsZero() || i.Status == lost.Delivered:
		return AnswerCollected, nil
	case open:
		return AnswerOpen, nil
	case found && m.State == lost.MessageWaiting: // it is due, and still true
		return AnswerNotified, nil
	default:
		return AnswerNotNotified, nil
	}
}

// hasNotice reports whether a message about the found item was sent to the claimant, or is being sent.
func (s *Requests) hasNotice(request lost.Item, messages []lost.Message) bool {
	return slices.ContainsFunc(messages, func(m lost.Message) bool {
		sent := m.State == lost.MessageSent || m.State == lost.MessageWaiting && !m.Provisional()
		return sent && lost.SameAddress(m.To, request.Owner.Address())
	})
}

func (s *Requests) openDecision(ctx context.Context, request lost.Item) (Decision, error) {
	item, kind, decided := decisionMessage(request)
	if !decided {
		return Decision{}, nil
	}
	all, err := s.db.RecentMessages(ctx, request.Account, item)
	if err != nil {
		return Decision{}, err
	}
	if m, found := lost.NewestDecision(all, kind); found && m.MayUndo(s.now()) {
		return Decision{ID: m.ID, Until: m.UndoUntil()}, nil
	}
	return Decision{}, nil
}

// decisionMessage returns the record and the kind of the message about the decision on a request. It returns false if
// the request was not decided.
func decisionMessage(request lost.Item) (item string, kind lost.MessageKind, decided bool) {
	switch request.Claim.State {
	case lost.RequestMatched:
		return request.Claim.MatchedItemID, lost.MatchMessage, true
	case lost.RequestRejected:
		return request.ID, lost.RejectedMessage, true
	default:
		return "", "", false
	}
}

// undoable returns what the message about a decision says: whether the decision can be undone.
func undoable(yes bool) (about lost.About) {
	if yes {
		about.UndoSeconds = int(lost.UndoTime / time.Second)
	}
	return about
}

// Undo undoes a decision about a request before the claimant is told. The request is pending again, and the found item
// of an accepted request has no owner again.
func (s *Requests) Undo(ctx context.Context, a lost.Actor, location, id, decision string) error {
	request, err := s.decided(ctx, a, location, id)
	if err != nil {
		return err
	}
	if request.Claim.State == lost.RequestRejected {
		_, err = s.change.Item(ctx, a, location, id, func(tx *store.Tx, i *lost.Item) (lost.Entry, error) {
			entry := lost.NewEntry(a, lost.Updated, tx.Now())
			entry.Fields, entry.Note = []string{"request"}, lost.Note(lost.NoteRejectionUndone)
			if i.Claim.State != lost.RequestRejected {
				return entry, errDecisionFinal
			}
			i.Claim.Reopen()
			i.UpdatedAt = tx.Now()
			if err := tx.DeleteMatchExamples(i.Account, i.ID, ""); err != nil {
				return entry, err
			}
			if err := cancelDecision(tx, i.Account, i.ID, lost.RejectedMessage, decision); err != nil {
				return entry, err
			}
			return entry, change.TakeBackAnswer(tx, i, i.ID)
		})
	} else {
		err = s.undoMatch(ctx, a, request, decision)
	}
	s.wake()
	return err
}

// undoMatch removes the owner of the found item. The request is then reopened like after every such change.
func (s *Requests) undoMatch(ctx context.Context, a lost.Actor, request lost.Item, decision string) error {
	found, err := s.items.GetAnywhere(ctx, a, request.Claim.MatchedItemID)
	if err != nil {
		return err
	}
	removeOwner := s.items.update(a, lost.ItemPatch{Owner: lost.Clear[lost.OwnerPatch]()})
	_, err = s.change.Item(ctx, a, found.LocationID, found.ID, func(tx *store.Tx, i *lost.Item) (lost.Entry, error) {
		if err := cancelDecision(tx, i.Account, i.ID, lost.MatchMessage, decision); err != nil {
			return lost.Entry{}, err
		}
		if i.Status != lost.Pending || !i.ClosedAt.IsZero() || i.Owner != request.Owner {
			return lost.Entry{}, errItemChanged
		}
		if err := tx.DeleteMatchExamples(request.Account, request.ID, i.ID); err != nil {
			return lost.Entry{}, err
		}
		return removeOwner(tx, i)
	})
	return err
}

// decided returns a request that was accepted or rejected.
func (s *Requests) decided(ctx context.Context, a lost.Actor, location, id string) (lost.Item, error) {
	if err := access.May(a, lost.HandleItems, location, "request"); err != nil {
		return lost.Item{}, err
	}
	i, err := s.reader.Request(ctx, a, location, id)
	if _, _, decided := decisionMessage(i); err == nil && !decided {
		return i, lost.E(lost.Conflict, "The decision was already undone.")
	}
	return i, err
}

// cancelDecision cancels the message about a decision. It returns an error if the message was handed to a provider.
func cancelDecision(tx *store.Tx, account, item string, kind lost.MessageKind, decision string) error {
	m, err := lockDecision(tx, account, item, kind, decision)
	if err != nil {
		return err
	}
	m.State, m.SettledAt = lost.MessageCanceled, tx.Now()
	return tx.SaveMessage(m)
}

// lockDecision returns and locks the message about a decision that can be undone.
func lockDecision(tx *store.Tx, account, item string, kind lost.MessageKind, decision string) (lost.Message, error) {
	all, err := tx.RecentMessages(tx.Context(), account, item)
	if err != nil {
		return lost.Message{}, err
	}
	m, found := lost.NewestDecision(all, kind)
	if !found {
		return m, errDecisionFinal
	}
	if m.ID != decision {
		return m, errDecidedAgain
	}
	if m, err = tx.LockMessage(account, m.ID); err != nil {
		return m, err
	}
	if !m.MayUndo(tx.Now()) {
		return m, errDecisionFinal
	}
	return m, nil
}

// TellNow sends the message about a decision at once. The decision can then no longer be undone.
func (s *Requests) TellNow(ctx context.Context, a lost.Actor, location, id, decision string) error {
	request, err := s.decided(ctx, a, location, id)
	if err != nil {
		return err
	}
	item, kind, _ := decisionMessage(request)
	if _, err := s.items.GetAnywhere(ctx, a, item); err != nil {
		return err
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		i, err := tx.LockAccountItem(a.Account, item)
		if err != nil {
			return err
		}
		m, err := lockDecision(tx, a.Account, item, kind, decision)
		if err != nil || m.State != lost.MessageWaiting {
			return err
		}
		m.State, m.SettledAt = lost.MessageCanceled, tx.Now()
		if err := tx.SaveMessage(m); err != nil {
			return err
		}
		return change.AddMessage(tx, i, kind, m.Once)
	})
	s.wake()
	return err
}
