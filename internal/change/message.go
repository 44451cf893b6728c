package change

import (
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// MaxMessages is the maximum number of messages about one item that staff and the guest can cause.
const MaxMessages = 100

// maxConfirmations is the number of messages about one item after which choices are no longer confirmed.
const maxConfirmations = 30

// Confirm queues a message that confirms a guest's choice or reports progress, unless the item has reached its limit
// of messages. If there is exactly one offer, the message states its price; otherwise the owner chooses an offer
// later.
func Confirm(tx *store.Tx, i lost.Item, kind lost.MessageKind, once string, offers ...lost.Quote) error {
	limit := MaxMessages
	if kind == lost.ChoiceMessage {
		limit = maxConfirmations
	}
	sent, err := tx.Messages(tx.Context(), i.Account, i.ID, lost.FirstPage())
	if err != nil || sent.Count >= limit {
		return err
	}
	if len(offers) == 1 {
		return AddMessageAbout(tx, i, kind, once, lost.About{Quote: offers[0]})
	}
	return AddMessage(tx, i, kind, once)
}

// NotifyNewOwner queues the first message to the owner of an item that the transaction inserts, to be sent after the
// given time. It does nothing if the owner has no address. The caller adds the returned entries to the item's history.
func NotifyNewOwner(tx *store.Tx, i lost.Item, kind lost.MessageKind, wait time.Duration) ([]lost.Entry, error) {
	if i.Owner.Address() == "" {
		return nil, nil
	}
	m := lost.NewMessage(kind, i, noticeKey(i), tx.Now())
	m.NotBefore = tx.Now().Add(wait)
	return tx.AddFirstMessage(lost.NewLink(i, tx.Now()), m)
}

// noticeKey returns the deduplication key of a notification. It does not contain the message kind, so each address is
// notified only once.
func noticeKey(i lost.Item) string { return "notice " + lost.AddressKey(i.Owner.Address()) }

// NotifyOwner queues a message to the owner of an item or the claimant of a request, once per address. It does
// nothing if the owner can no longer act on the message.
func NotifyOwner(tx *store.Tx, i lost.Item) error {
	switch {
	case !i.NotifiesOwner():
		return nil
	case i.Source == lost.Request:
		return AddMessage(tx, i, lost.ReceivedMessage, noticeKey(i))
	default:
		return AddMessage(tx, i, lost.NoticeMessage, noticeKey(i))
	}
}

// AddMessage queues a message to the owner of an item. The message contains a valid link.
func AddMessage(tx *store.Tx, i lost.Item, kind lost.MessageKind, once string) error {
	return AddMessageAbout(tx, i, kind, once, lost.About{})
}

// AddMessageAbout is AddMessage for a message that states a price or asks a question, or whose decision can be undone.
// Such a message is sent when the time to undo it has ended.
func AddMessageAbout(tx *store.Tx, i lost.Item, kind lost.MessageKind, once string, about lost.About) error {
	link, err := WorkingLink(tx, i)
	if err != nil {
		return err
	}
	m := lost.NewMessage(kind, i, once, tx.Now())
	m.LinkID = link.ID
	about.Status, about.Pickup = m.About.Status, m.About.Pickup
	m.About = about
	m.NotBefore = m.UndoUntil()
	return tx.AddMessage(m)
}

// TellFinder queues a message to the finder of an item: lost.FinderReward or lost.FinderItem. Each is sent at most
// once. It returns the entry for the item's history; the caller saves the item.
func TellFinder(tx *store.Tx, a lost.Actor, i *lost.Item, kind lost.MessageKind) (lost.Entry, error) {
	entry := lost.NewEntry(a, lost.Updated, tx.Now())
	entry.Fields = []string{"finderTold"}
	m, err := i.TellFinder(kind, tx.Now())
	if err != nil {
		return entry, err
	}
	return entry, tx.AddMessage(m)
}

// WorkingLink returns a valid link for the owner of an item. It extends the existing link or creates one. A revoked
// or expired link gets a new token, so the old token stays invalid.
func WorkingLink(tx *store.Tx, i lost.Item) (lost.Link, error) {
	link, found, err := tx.LinkForAddress(tx.Context(), i.Account, i.ID, i.Owner.Address())
	if err != nil {
		return link, err
	}
	if !found {
		link = lost.NewLink(i, tx.Now())
		return link, tx.InsertLink(link)
	}
	before := link
	if !link.RevokedAt.IsZero() || !tx.Now().Before(link.ExpiresAt) {
		link.Version++
		link.RevokedAt = time.Time{}
	}
	link.ExpiresAt = tx.Now().Add(lost.LinkLife)
	return link, tx.SaveLink(before, link)
}
