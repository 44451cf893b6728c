package desk

import (
	"context"
	"io"
	"strings"
	"time"
	"unicode"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// Reply is a message that a guest sent by e-mail or from a phone.
type Reply struct {
	Token string // from the address that it was sent to; it alone decides to which conversation the message belongs
	From  string // the address or number that it came from
	// ExternalID identifies the message, such as its Message-ID. A message that is received again is not added again.
	ExternalID string
	Text       string
	Photos     []io.Reader
	Via        lost.ThreadChannel
}

// ReceiveReply adds a guest's reply to the conversation of its token. A NotFound error means that there is no such
// conversation, or it is no longer the guest's. A Conflict error means that the conversation is closed or full. In both
// cases, it is useless to try again. Photos that cannot be used are left out, and a text that is too long is cut.
func (s *Threads) ReceiveReply(ctx context.Context, r Reply) error {
	link, err := s.links.ReplyLink(ctx, strings.ToLower(r.Token))
	if err != nil {
		return err
	}
	d := Draft{Via: r.Via, SkipBadPhotos: true, NextPhoto: photosOf(r.Photos)}
	d.ExternalID, d.Text = r.ExternalID, lost.Set(cleanReply(r.Text))
	if !lost.SameAddress(r.From, link.Address) {
		d.Sender = cleanReply(r.From)
	}
	return s.receive(ctx, link, d, func(l lost.Link, i lost.Item, _ time.Time) error { return l.CheckReply(i) })
}

// photosOf returns a function that returns some photos one after the other, and then nil.
func photosOf(photos []io.Reader) func() (io.Reader, error) {
	return func() (photo io.Reader, _ error) {
		if len(photos) > 0 {
			photo, photos = photos[0], photos[1:]
		}
		return photo, nil
	}
}

// cleanReply removes control characters from a received text, and cuts it to the length of a message.
func cleanReply(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
	if runes := []rune(strings.TrimSpace(text)); len(runes) > lost.MaxThreadText {
		return string(runes[:lost.MaxThreadText-1]) + "…"
	}
	return text
}

// ReceiveBounce records that the messages to a guest do not arrive. The token is that of a reply address, which the
// message that came back contains. The desk gets a task, and no reminders are sent until it uses another address or
// sends a message again.
func (s *Threads) ReceiveBounce(ctx context.Context, token, why string) error {
	link, err := s.links.ReplyLink(ctx, strings.ToLower(token))
	if err != nil {
		return err
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		i, err := tx.LockItem(link.Account, link.LocationID, link.ItemID)
		if err != nil {
			return err
		}
		if err := link.CheckReply(i); err != nil {
			return err
		}
		sent, err := tx.RecentMessages(ctx, i.Account, i.ID)
		if err != nil {
			return err
		}
		for _, m := range sent { // newest first
			if m.State == lost.MessageSent && lost.SameAddress(m.To, link.Address) {
				return failMessage(tx, m, why)
			}
		}
		return nil
	})
	s.wake()
	return err
}

// failMessage records that a message that was sent did not arrive.
func failMessage(tx *store.Tx, m lost.Message, why string) error {
	m.State, m.SettledAt = lost.MessageFailed, tx.Now()
	m.Error = cleanReply(why)
	if err := tx.SaveMessage(m); err != nil {
		return err
	}
	if entry, ok := m.OutcomeEntry(tx.Now()); ok {
		i := lost.Item{Account: m.Account, ID: m.ItemID, LocationID: m.LocationID}
		if err := tx.AddHistory(i, entry); err != nil {
			return err
		}
	}
	return tx.ScheduleCheck(m.Account, m.ItemID, tx.Now())
}
