package desk

import (
	"cmp"
	"context"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// Messenger writes the words of messages. Sending them is the outbox's.
type Messenger interface {
	// Compose gives a letter's subject (empty for an SMS) and text, in its reader's language.
	Compose(l lost.Letter) (subject, text string, err error)
	// Sends tells whether messages go out by a channel. Where they do not they are kept, to be shown.
	Sends(by lost.Channel) bool
}

// Writes tells whether messages to an owner go out.
func (d *Desk) Writes(o lost.Owner) bool { return o.Address() != "" && d.post.Sends(o.Channel()) }

// tellNewOwner has the owner of an item that was just made told of it.
func tellNewOwner(tx *store.Tx, i lost.Item, kind lost.MessageKind) error {
	if i.Owner.Address() == "" {
		return nil
	}
	link := lost.NewLink(i, tx.Now())
	m := lost.NewMessage(kind, i, noticeOnce(i), tx.Now())
	m.LinkID = link.ID
	return cmp.Or(tx.InsertLink(link), tx.AddMessage(m))
}

// noticeOnce names the one notification of an address. Whatever kind it is, there is no second.
func noticeOnce(i lost.Item) string { return "notice " + i.Owner.Address() }

// tellOwner has the owner of an item told of it, or the claimant of a request, once per address. One who could do nothing about
// it any more is not.
func tellOwner(tx *store.Tx, i lost.Item) error {
	switch {
	case !i.Tells():
		return nil
	case i.Source == lost.Request:
		return write(tx, i, lost.ReceivedMessage, noticeOnce(i))
	default:
		return write(tx, i, lost.NoticeMessage, noticeOnce(i))
	}
}

// write leaves a message to the owner of an item, with a link that works from now on.
func write(tx *store.Tx, i lost.Item, kind lost.MessageKind, once string) error {
	return writeOf(tx, i, kind, once, lost.About{})
}

// writeOf is write for a message that names a price or asks something.
func writeOf(tx *store.Tx, i lost.Item, kind lost.MessageKind, once string, about lost.About) error {
	link, err := workingLink(tx, i)
	if err != nil {
		return err
	}
	m := lost.NewMessage(kind, i, once, tx.Now())
	m.LinkID, m.About.Quote, m.About.PayBy, m.About.Question = link.ID, about.Quote, about.PayBy, about.Question
	return tx.AddMessage(m)
}

// workingLink gives the link that leads the owner to an item: the one there is, or a new one. One that was revoked or has expired
// gets a new token: whoever still has the old one does not get in with it.
func workingLink(tx *store.Tx, i lost.Item) (lost.Link, error) {
	link, found, err := tx.LinkTo(tx.Context(), i.Account, i.ID, i.Owner.Address())
	if err != nil {
		return link, err
	}
	if !found {
		link = lost.NewLink(i, tx.Now())
		return link, tx.InsertLink(link)
	}
	before := link
	if !link.RevokedAt.IsZero() || !tx.Now().Before(link.ExpiresAt) {
		link.Version, link.RevokedAt = link.Version+1, time.Time{}
	}
	link.ExpiresAt = tx.Now().Add(lost.LinkLife)
	return link, tx.SaveLink(before, link)
}

// Notify has the owner of an item told again, as often as the desk wants.
func (d *Desk) Notify(ctx context.Context, a lost.Actor, location, id string, o lost.IdempotencyKey) (m lost.Message, err error) {
	if err := may(a, lost.Handle, location, "item"); err != nil {
		return m, err
	}
	err = d.db.Write(ctx, func(tx *store.Tx) error {
		m, err = once(tx, a, o, func() (lost.Message, error) {
			i, err := tx.LockItem(a.Account, location, id)
			if err != nil {
				return m, err
			}
			return notifyAgain(tx, i)
		})
		return err
	})
	d.nudge()
	return m, err
}

// The most messages about one item that the desk and the guest cause; nobody is helped by more.
const (
	maxMessages      = 100
	maxConfirmations = 30
)

// notifyAgain has the owner or claimant of an item written to once more.
func notifyAgain(tx *store.Tx, i lost.Item) (m lost.Message, err error) {
	if err := i.Reminds(); err != nil {
		return m, err
	}
	sent, err := tx.Messages(tx.Context(), i.Account, i.ID, lost.FirstPage())
	if err != nil {
		return m, err
	}
	if sent.Count >= maxMessages {
		return m, lost.E(lost.Conflict, "There are %d messages about this item, which is the most there can be.", maxMessages)
	}
	link, err := workingLink(tx, i)
	if err != nil {
		return m, err
	}
	kind := lost.NoticeMessage
	if i.Source == lost.Request {
		kind = lost.ReceivedMessage
	}
	m = lost.NewMessage(kind, i, "", tx.Now())
	m.Once, m.LinkID = lost.AgainOnce(m.ID), link.ID
	return m, tx.AddMessage(m)
}

// RevokeLink makes the owner's link to an item lead nowhere. Another message brings another link.
func (d *Desk) RevokeLink(ctx context.Context, a lost.Actor, location, id string, o lost.IdempotencyKey) (lost.Item, error) {
	return d.changeItem(ctx, a, location, id, func(tx *store.Tx, i *lost.Item) (entry lost.Entry, err error) {
		entry = lost.NewEntry(a, lost.Revoked, tx.Now())
		*i, err = once(tx, a, o, func() (lost.Item, error) {
			link, found, err := tx.LinkTo(ctx, i.Account, i.ID, i.Owner.Address())
			if err != nil || !found || !link.RevokedAt.IsZero() {
				return *i, err
			}
			entry.Fields, i.UpdatedAt = []string{"link"}, tx.Now()
			before := link
			link.RevokedAt = tx.Now()
			return *i, tx.SaveLink(before, link)
		})
		return entry, err
	})
}

// Correspondence is a message with its words, which an actor gets who may write: they hold the guest's link.
type Correspondence struct {
	lost.Message
	Subject, Text string
}

// Messages lists the messages about an item, newest first.
func (d *Desk) Messages(ctx context.Context, a lost.Actor, location, id string, page lost.Page) (list lost.List[Correspondence], err error) {
	i, err := d.Item(ctx, a, location, id)
	if err != nil {
		return list, err
	}
	l, err := d.db.Location(ctx, a.Account, location)
	if err != nil {
		return list, err
	}
	return d.letters(ctx, a, i, l, page)
}

// letters lists the messages about an item, with their words for whom those are.
func (d *Desk) letters(ctx context.Context, a lost.Actor, i lost.Item, l lost.Location, page lost.Page) (list lost.List[Correspondence], err error) {
	found, err := d.db.Messages(ctx, a.Account, i.ID, page)
	list.Page, list.Total = found.Page, found.Total
	if err != nil {
		return list, err
	}
	url, err := d.guestURL(ctx, i)
	for _, m := range found.Data {
		c := Correspondence{Message: m}
		if may(a, lost.Handle, l.ID, "item") == nil && err == nil {
			letter := lost.NewLetter(m, i, l, "")
			if m.To == i.Owner.Address() {
				letter.URL = url
			}
			c.Subject, c.Text, err = d.post.Compose(letter)
		}
		list.Data = append(list.Data, c)
	}
	return list, err
}

// guestURL is the address of the page of an item's owner; empty where there is none, or it does not open.
func (d *Desk) guestURL(ctx context.Context, i lost.Item) (string, error) {
	link, found, err := d.db.LinkTo(ctx, i.Account, i.ID, i.Owner.Address())
	if err != nil || !found || link.Opens(i, d.now()) != nil {
		return "", err
	}
	token, err := d.db.Token(link)
	return d.wire.Base + "/g/" + token, err
}

// Tasks lists what waits for a location's desk, oldest first.
func (d *Desk) Tasks(ctx context.Context, a lost.Actor, location string, page lost.Page) (lost.List[lost.Task], error) {
	if err := mayLook(a, location, "location"); err != nil {
		return lost.List[lost.Task]{}, err
	}
	if _, err := d.Location(ctx, a, location); err != nil {
		return lost.List[lost.Task]{}, err
	}
	return d.db.Tasks(ctx, a.Account, location, page)
}
