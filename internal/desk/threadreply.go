package desk

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// Reply is a message that a guest sent by e-mail or from a phone.
type Reply struct {
	Token string // from the address that it was sent to; it alone decides to which conversation the message belongs
	From  string // the address or number that it came from
	// Answers lists our messages that it refers to, by their lost.MessageID, newest first.
	Answers []string
	// ExternalID identifies the message, such as its Message-ID. A message that is received again is not added again.
	ExternalID string
	Text       string
	// NextPhoto returns the photos one after the other, and nil after the last one; see Draft. It is called only if the
	// conversation is known and accepts the message.
	NextPhoto func() (io.Reader, error)
	Via       lost.ThreadChannel
}

// ReceiveReply adds a guest's reply to the conversation of its token. A NotFound error means that there is no such
// conversation, or it is no longer the guest's. A Conflict error means that the conversation is closed or full. In both
// cases, it is useless to try again. Photos that cannot be used are left out, and a text that is too long is cut.
func (s *Threads) ReceiveReply(ctx context.Context, r Reply) error {
	link, err := s.links.ReplyLink(ctx, strings.ToLower(r.Token))
	if err != nil {
		return err
	}
	if err := s.checkAnswers(ctx, link, r.Answers); err != nil {
		return err
	}
	return s.receiveReply(ctx, link, r)
}

// receiveReply adds a guest's reply to the conversation of a link. It looks at the photos only if the conversation
// accepts the message.
func (s *Threads) receiveReply(ctx context.Context, link lost.Link, r Reply) error {
	_, received, err := s.db.ReceivedThreadMessage(ctx, link.Account, link.ItemID, r.ExternalID)
	if err != nil || received {
		return err
	}
	if err := s.checkReply(ctx, link); err != nil {
		return err
	}
	d := Draft{Via: r.Via, SkipBadPhotos: true, NextPhoto: r.NextPhoto}
	d.ExternalID, d.Text = r.ExternalID, lost.Set(cleanReply(r.Text))
	if !lost.SameAddress(r.From, link.Address) {
		d.Sender = cleanReply(r.From)
	}
	return s.receive(ctx, link, d, func(l lost.Link, i lost.Item, _ time.Time) error { return l.CheckReply(i) })
}

// checkReply returns an error if the conversation of a link does not accept a reply now.
func (s *Threads) checkReply(ctx context.Context, link lost.Link) error {
	i, err := s.db.Item(ctx, link.Account, link.LocationID, link.ItemID)
	if err != nil {
		return err
	}
	if err := link.CheckReply(i); err != nil {
		return err
	}
	states, err := s.db.ThreadStates(ctx, i.Account, []string{i.ID}, s.db.Now())
	if err != nil {
		return err
	}
	return lost.CheckThread(i, link.Guest(), states[i.ID])
}

// maxPhoneLinks is the number of links that may belong to a reply from a phone.
const maxPhoneLinks = 50

// ReceiveText adds a reply by SMS or WhatsApp to the newest open conversation with its sender's number. The token of
// the reply is not used. The errors are those of ReceiveReply. It is a NotFound error too if several accounts have open
// conversations with the number, because the reply could belong to each of them.
func (s *Threads) ReceiveText(ctx context.Context, r Reply) error {
	newest, received, err := s.newestPhoneThread(ctx, r, "")
	if err != nil || received {
		return err
	}
	if newest.Account == "" {
		return lost.Missing("link")
	}
	other, received, err := s.newestPhoneThread(ctx, r, newest.Account)
	if err != nil || received {
		return err
	}
	if other.Account != "" {
		return lost.Missing("link")
	}
	return s.receiveReply(ctx, newest, r)
}

// newestPhoneThread returns the link of the newest open conversation with the number of a reply's sender, or an empty
// one if there is none, and whether the reply was added to a conversation before. It leaves out the conversations of
// the account except.
func (s *Threads) newestPhoneThread(ctx context.Context, r Reply, except string) (newest lost.Link, received bool,
	err error) {
	entries, err := s.db.LookupPhone(ctx, r.From, except, maxPhoneLinks)
	if err != nil {
		return newest, false, err
	}
	for _, e := range entries {
		link, received, err := s.phoneThread(ctx, e, r)
		switch {
		case lost.CodeOf(err) == lost.NotFound:
			continue
		case err != nil || received:
			return newest, received, err
		case newest.Account == "":
			newest = link
		}
	}
	return newest, false, nil
}

// phoneThread returns the link of the conversation that a directory entry refers to, and whether the reply was added to
// it before. It returns a NotFound error if the reply cannot belong to the conversation.
func (s *Threads) phoneThread(ctx context.Context, e store.DirectoryEntry, r Reply) (link lost.Link, received bool,
	err error) {
	if _, err := access.EnabledAccount(ctx, s.db, e.Account, "link"); err != nil {
		return link, false, err
	}
	if link, err = s.db.Link(ctx, e.Account, e.Subject); err != nil {
		return link, false, err
	}
	i, err := s.db.Item(ctx, link.Account, link.LocationID, link.ItemID)
	if err != nil {
		return link, false, err
	}
	_, received, err = s.db.ReceivedThreadMessage(ctx, i.Account, i.ID, r.ExternalID)
	if err != nil || received {
		return link, received, err
	}
	if err := link.CheckReply(i); err != nil {
		return link, false, err
	}
	messages, err := s.db.GuestThread(ctx, i)
	if err != nil {
		return link, false, err
	}
	fromDesk := func(m lost.ThreadMessage) bool { return m.From == lost.FromDesk }
	if lost.ThreadClosed(i) || !slices.ContainsFunc(messages, fromDesk) {
		return link, false, lost.Missing("link")
	}
	return link, false, nil
}

// maxAnswers is the number of messages to which a reply may refer that are looked up.
const maxAnswers = 10

// checkAnswers returns a NotFound error if the newest known message that a reply refers to is about another item than
// the reply's token.
func (s *Threads) checkAnswers(ctx context.Context, link lost.Link, answers []string) error {
	for _, id := range answers[:min(maxAnswers, len(answers))] {
		m, err := s.db.Message(ctx, link.Account, id)
		switch {
		case lost.CodeOf(err) == lost.NotFound:
			continue
		case err == nil && m.ItemID != link.ItemID:
			return lost.Missing("link")
		default:
			return err
		}
	}
	return nil
}

// cleanReply removes control characters from a received text, and cuts it to the length of a message.
func cleanReply(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
	return lost.Shorten(strings.TrimSpace(text), lost.MaxThreadText-1)
}

// Bounce is a mail server's report that a message to a guest did not arrive. Anybody can forge one.
type Bounce struct {
	Token   string   // from the address for replies, which the message that came back contains
	Address string   // the address that cannot be reached
	Answers []string // see Reply
	Why     string
}

// ReceiveBounce records that the messages to a guest do not arrive. The desk gets a task, and no reminders are sent
// until it uses another address or sends a message again. The errors are those of ReceiveReply.
func (s *Threads) ReceiveBounce(ctx context.Context, b Bounce) error {
	link, err := s.links.ReplyLink(ctx, strings.ToLower(b.Token))
	if err != nil {
		return err
	}
	if !lost.SameAddress(b.Address, link.Address) {
		return lost.Missing("link")
	}
	if err := s.checkAnswers(ctx, link, b.Answers); err != nil {
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
		if m, found := bouncedMessage(sent, link.Address, b.Answers); found && m.State == lost.MessageSent {
			return failMessage(tx, m, b.Why)
		}
		return nil
	})
	s.wake()
	return err
}

// bouncedMessage returns the message that came back: the one that the report names, or the newest one that was sent to
// the address, even if it is already known to have failed. The messages are sorted from new to old.
func bouncedMessage(messages []lost.Message, address string, named []string) (bounced lost.Message, found bool) {
	for _, m := range messages {
		if m.State != lost.MessageSent && m.State != lost.MessageFailed || !lost.SameAddress(m.To, address) {
			continue
		}
		if slices.Contains(named, m.ID) {
			return m, true
		}
		if !found {
			bounced, found = m, true
		}
	}
	return bounced, found
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
