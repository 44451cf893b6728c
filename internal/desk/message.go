package desk

import (
	"context"
	"time"

	"homeward/internal/access"
	"homeward/internal/change"
	"homeward/internal/lost"
	"homeward/internal/store"
	v1 "homeward/internal/v1"
)

// Messages lists messages to guests, and queues new ones.
type Messages struct {
	db        *store.DB
	wire      v1.Encoder
	now       func() time.Time
	reader    *access.Reader
	log       access.Log
	change    *change.Items
	messenger Messenger
	wake      func()
}

// MessagesOptions are the dependencies of Messages.
type MessagesOptions struct {
	DB        *store.DB
	Wire      v1.Encoder
	Now       func() time.Time
	Reader    *access.Reader
	Log       access.Log
	Change    *change.Items
	Messenger Messenger
	Wake      func()
}

// NewMessages creates Messages.
func NewMessages(o MessagesOptions) *Messages {
	return &Messages{
		db: o.DB, wire: o.Wire, now: o.Now, reader: o.Reader, log: o.Log, change: o.Change,
		messenger: o.Messenger, wake: o.Wake,
	}
}

// Messenger composes messages. The outbox sends them.
type Messenger interface {
	// Compose returns the subject and text of a message, in the recipient's language. The subject of an SMS is empty.
	Compose(l lost.MessageData) (subject, text string, err error)
	// Sends reports whether messages are sent through a channel. Otherwise they are only saved.
	Sends(by lost.Channel) bool
}

// SendsTo reports whether messages to an owner are sent. Otherwise they are only saved.
func (s *Messages) SendsTo(o lost.Owner) bool {
	return o.Address() != "" && s.messenger.Sends(o.Channel())
}

// Notify sends the notification about an item to its owner again.
func (s *Messages) Notify(ctx context.Context, a lost.Actor, location, id string,
	o lost.IdempotencyKey) (m lost.Message, err error) {
	if err := access.May(a, lost.HandleItems, location, "item"); err != nil {
		return m, err
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		m, err = access.CreateOnce(tx, a, o, func() (lost.Message, error) {
			i, err := tx.LockItem(a.Account, location, id)
			if err != nil {
				return m, err
			}
			return notifyAgain(tx, i)
		})
		return err
	})
	s.wake()
	return m, err
}

// notifyAgain queues another notification to the owner or claimant of an item.
func notifyAgain(tx *store.Tx, i lost.Item) (m lost.Message, err error) {
	if err := lost.CheckReminder(i); err != nil {
		return m, err
	}
	sent, err := tx.Messages(tx.Context(), i.Account, i.ID, lost.FirstPage())
	if err != nil {
		return m, err
	}
	if sent.Count >= change.MaxMessages {
		return m,
			lost.E(lost.LimitReached, "This item has %d messages, which is the maximum. Contact the owner another way.",
				change.MaxMessages)
	}
	link, err := change.WorkingLink(tx, i)
	if err != nil {
		return m, err
	}
	matched, err := change.CancelProvisional(tx, i) // the owner is told now
	if err != nil {
		return m, err
	}
	kind := lost.NoticeMessage
	switch {
	case i.Source == lost.Request:
		kind = lost.ReceivedMessage
	case matched:
		kind = lost.MatchMessage
	}
	m = lost.NewMessage(kind, i, "", tx.Now())
	m.Once, m.LinkID = lost.ResendName(m.ID), link.ID
	return m, tx.AddMessage(m)
}

// TellFinder sends a message to the person who handed an item in: lost.FinderReward says that the item is back with
// its owner, lost.FinderItem that it is theirs now. Each is sent at most once.
func (s *Messages) TellFinder(ctx context.Context, a lost.Actor, location, id string, kind lost.MessageKind,
	o lost.IdempotencyKey) (lost.Item, error) {
	i, err := s.change.Item(ctx, a, location, id, func(tx *store.Tx, i *lost.Item) (lost.Entry, error) {
		return change.TellFinder(tx, a, i, kind)
	}, o)
	s.wake()
	return i, err
}

// RevokeLink revokes the owner's link to an item. The next message to the owner contains a new link.
func (s *Messages) RevokeLink(ctx context.Context, a lost.Actor, location, id string,
	o lost.IdempotencyKey) (lost.Item, error) {
	return s.change.Item(ctx, a, location, id, func(tx *store.Tx, i *lost.Item) (entry lost.Entry, err error) {
		entry = lost.NewEntry(a, lost.Revoked, tx.Now())
		link, found, err := tx.LinkForAddress(ctx, i.Account, i.ID, i.Owner.Address())
		if err != nil || !found || !link.RevokedAt.IsZero() {
			return entry, err
		}
		entry.Fields = []string{"link"}
		before := link
		link.RevokedAt = tx.Now()
		return entry, tx.SaveLink(before, link)
	}, o)
}

// MessageWithText is a message with its text. The text is only set for actors who may write, because it contains the
// guest's link.
type MessageWithText struct {
	lost.Message
	Subject, Text string
}

// ListOfItem lists the messages about an item, newest first.
func (s *Messages) ListOfItem(ctx context.Context, a lost.Actor, location, id string,
	page lost.Page) (list lost.List[MessageWithText], err error) {
	i, err := s.reader.Item(ctx, a, location, id)
	if err != nil {
		return list, err
	}
	l, err := s.db.Location(ctx, a.Account, location)
	if err != nil {
		return list, err
	}
	return s.itemMessages(ctx, a, i, l, page)
}

// itemMessages lists the messages about an item, with their texts if the actor may see them.
func (s *Messages) itemMessages(ctx context.Context, a lost.Actor, i lost.Item, l lost.Location,
	page lost.Page) (list lost.List[MessageWithText], err error) {
	found, err := s.db.Messages(ctx, a.Account, i.ID, page)
	list.Page, list.Total, list.Next = found.Page, found.Total, found.Next
	if err != nil {
		return list, err
	}
	if len(found.Data) == 0 {
		return list, nil
	}
	url, err := s.guestURL(ctx, i)
	if err != nil {
		return list, err
	}
	notice, err := s.privacyNotice(ctx, l)
	for _, m := range found.Data {
		c := MessageWithText{Message: m}
		if access.May(a, lost.HandleItems, l.ID, "item") == nil && err == nil {
			data := lost.NewMessageData(m, i, l, "")
			data.Privacy = notice
			if lost.SameAddress(m.To, i.Owner.Address()) {
				data.URL = url
			}
			c.Subject, c.Text, err = s.messenger.Compose(data)
		}
		list.Data = append(list.Data, c)
	}
	return list, err
}

// privacyNotice returns the privacy notice in messages of a location.
func (s *Messages) privacyNotice(ctx context.Context, l lost.Location) (lost.PrivacyNotice, error) {
	if l.HasPrivacyNotice() { // the account is not needed
		return l.PrivacyNotice(lost.Account{}), nil
	}
	account, err := s.db.Account(ctx, l.Account)
	return l.PrivacyNotice(account), err
}

// guestURL returns the URL of the owner's page for an item, or "" if there is no valid link.
func (s *Messages) guestURL(ctx context.Context, i lost.Item) (string, error) {
	link, found, err := s.db.LinkForAddress(ctx, i.Account, i.ID, i.Owner.Address())
	if err != nil || !found || link.CheckAccess(i, s.now()) != nil {
		return "", err
	}
	token, err := s.db.LinkToken(link)
	return s.wire.Base + "/g/" + token, err
}
