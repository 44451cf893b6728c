package change

import (
	"slices"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// reopenAfter reopens the request that a found item was matched with, if a change undid the match: the item has another
// owner, or the owner said that it is not theirs.
func reopenAfter(tx *store.Tx, a lost.Actor, before, i lost.Item) error {
	disowned := before.DisownedAt.IsZero() && !i.DisownedAt.IsZero()
	if !disowned && !lost.ReplacesGuest(before, i) {
		return nil
	}
	return ReopenRequests(tx, a, before)
}

// ReopenRequests makes the accepted requests for a found item pending again, so that they can be decided once more. The
// item belongs, or belonged, to their claimant.
func ReopenRequests(tx *store.Tx, a lost.Actor, found lost.Item) error {
	if found.Source != lost.Found {
		return nil
	}
	for _, p := range []lost.Person{{Email: found.Owner.Email}, {Phone: found.Owner.Phone}} {
		if p.Address() == "" {
			continue
		}
		const limit = 1000 // more requests of one person are not searched
		items, err := tx.ItemsOfPerson(tx.Context(), found.Account, p, "", limit)
		if err != nil {
			return err
		}
		for _, i := range items {
			if i.Claim.MatchedItemID != found.ID {
				continue
			}
			if err := reopen(tx, a, i, found.Reference); err != nil {
				return err
			}
		}
	}
	_, err := CancelProvisional(tx, found)
	return err
}

// CheckGiveAway returns an error if the desk gives an item away, and lost.CheckGiveAway does not allow it. It writes
// nothing.
func CheckGiveAway(tx *store.Tx, before, i lost.Item) error {
	if !i.Status.GivesAway() || i.Status == before.Status || i.MovedBy == lost.ByGuest || before.Owner.Address() == "" {
		return nil
	}
	all, err := tx.RecentMessages(tx.Context(), i.Account, i.ID)
	if err != nil {
		return err
	}
	return lost.CheckGiveAway(before, all, tx.Now())
}

// CancelProvisional cancels the message about the match of a found item whose decision can still be undone. It reports
// whether there was one.
func CancelProvisional(tx *store.Tx, found lost.Item) (canceled bool, err error) {
	return cancelUnsent(tx, found, func(m lost.Message) bool {
		return m.Kind == lost.MatchMessage && m.Provisional()
	})
}

// CancelNotice cancels the unsent notice to the owner of a found item, because another message says the same.
func CancelNotice(tx *store.Tx, found lost.Item) error {
	_, err := cancelUnsent(tx, found, func(m lost.Message) bool {
		return m.Kind == lost.NoticeMessage && m.State == lost.MessageWaiting && !m.IsResend() &&
			lost.SameAddress(m.To, found.Owner.Address())
	})
	return err
}

// cancelUnsent cancels the messages about an item that are selected, except for those that are being sent. It reports
// whether there were any.
func cancelUnsent(tx *store.Tx, i lost.Item, selected func(lost.Message) bool) (canceled bool, err error) {
	all, err := tx.RecentMessages(tx.Context(), i.Account, i.ID)
	if err != nil {
		return false, err
	}
	for _, m := range all {
		if !selected(m) {
			continue
		}
		if m, err = tx.LockMessage(m.Account, m.ID); err != nil {
			return false, err
		}
		if !selected(m) || m.Handovers > 0 { // it is being sent
			continue
		}
		m.State, m.SettledAt = lost.MessageCanceled, tx.Now()
		if err := tx.SaveMessage(m); err != nil {
			return false, err
		}
		canceled = true
	}
	return canceled, nil
}

// TakeBackAnswer removes the time of a request's answer if it is that of a decision of which the claimant was not told.
// The messages about the decision belong to the given item.
func TakeBackAnswer(tx *store.Tx, request *lost.Item, item string) error {
	all, err := tx.RecentMessages(tx.Context(), request.Account, item)
	if err != nil {
		return err
	}
	decision := slices.IndexFunc(all, func(m lost.Message) bool {
		return (m.Kind == lost.MatchMessage || m.Kind == lost.RejectedMessage) &&
			m.CreatedAt.Equal(request.Claim.AnsweredAt)
	})
	told := slices.ContainsFunc(all[:decision+1], func(m lost.Message) bool { // newest first
		unsent := m.State == lost.MessageCanceled || m.Provisional() && m.Handovers == 0
		return !unsent && lost.SameAddress(m.To, request.Owner.Address())
	})
	if decision < 0 || told {
		return nil
	}
	request.Claim.AnsweredAt, err = tx.FirstDeskMessage(tx.Context(), request.Account, request.ID)
	return err
}

// reopen makes an accepted request pending again.
func reopen(tx *store.Tx, a lost.Actor, i lost.Item, reference string) error {
	i, err := tx.LockItem(i.Account, i.LocationID, i.ID)
	if err != nil {
		return err
	}
	before := i
	if err := TakeBackAnswer(tx, &i, i.Claim.MatchedItemID); err != nil {
		return err
	}
	if !i.Claim.Reopen() {
		return nil
	}
	i.UpdatedAt = tx.Now()
	if err := tx.SaveItem(before, i); err != nil {
		return err
	}
	entry := lost.NewEntry(a, lost.Updated, tx.Now())
	entry.Fields, entry.Note = []string{"request"}, lost.Note(lost.NoteMatchUndone, reference)
	return tx.AddHistory(i, entry)
}
