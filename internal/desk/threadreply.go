package desk

import (
	"context"
	"errors"
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
	Omitted   []string // see Draft
	Via       lost.ThreadChannel
}

// ReceiveReply adds a guest's reply to the conversation of its token, or returns the reason why it is rejected. After
// an error it is useful to try again. Photos that cannot be used are left out, and a text that is too long is cut. If a
// reply is rejected and its conversation is known, the desk sees it in the item's history, and the guest gets an
// automatic answer, both at most once a day.
func (s *Threads) ReceiveReply(ctx context.Context, r Reply) (lost.Rejection, error) {
	link, err := s.links.ReplyLink(ctx, strings.ToLower(r.Token))
	if err != nil {
		return rejectionOf(err)
	}
	if err := s.checkAnswers(ctx, link, r.Answers); err != nil {
		return rejectionOf(err)
	}
	return s.receiveReply(ctx, link, r)
}

// rejectionOf returns the reason why a reply is rejected, or the error if it may be temporary.
func rejectionOf(err error) (lost.Rejection, error) {
	if errors.Is(err, errOtherItem) {
		return lost.RejectedOtherItem, nil
	}
	if reason := lost.RejectionOf(err); reason != "" {
		return reason, nil
	}
	return "", err
}

var errOtherItem = errors.New("the reply answers a message about another item")

// reject records that a reply was rejected whose conversation is known, and answers the guest. The sender of the reply
// may be anybody, so only the guest's own address gets an answer, and only while the guest's link works.
func (s *Threads) reject(ctx context.Context, link lost.Link, r Reply, reason lost.Rejection) (lost.Rejection, error) {
	err := s.db.Write(ctx, func(tx *store.Tx) error {
		i, err := tx.LockItem(link.Account, link.LocationID, link.ItemID)
		if err != nil {
			return err
		}
		if link, err = tx.Link(ctx, link.Account, link.ID); err != nil {
			return err
		}
		if err := link.CheckReply(i); err != nil {
			return err
		}
		entry, ok := reason.Entry(link.Guest(), tx.Now())
		if !ok {
			return nil
		}
		const day = 24 * time.Hour
		recent, err := tx.HistorySince(ctx, i.Account, i.ID, tx.Now().Add(-day))
		if err != nil || slices.ContainsFunc(recent, isRejection) || len(recent) == store.MaxHistorySince {
			return err
		}
		if err := tx.AddHistory(i, entry); err != nil {
			return err
		}
		works := link.CheckAccess(i, tx.Now()) == nil
		if !works || !lost.SameAddress(r.From, link.Address) {
			return nil
		}
		return tx.AddMessage(lost.NewThreadRejection(i, link, reason, tx.Now()))
	})
	s.wake()
	return reason, lost.IgnoreNotFound(err)
}

func isRejection(e lost.Entry) bool { return e.Action == lost.ReplyRejected }

// LastRejection returns the history entry about a reply of the guest that was rejected since the desk last wrote, and
// whether there is one within a month. The messages of the conversation are sorted newest first.
func (s *Threads) LastRejection(ctx context.Context, a lost.Actor, i lost.Item,
	messages []lost.ThreadMessage) (e lost.Entry, found bool, err error) {
	if err := access.MayView(a, i.LocationID, "item"); err != nil {
		return e, false, err
	}
	const month = 30 * 24 * time.Hour
	since := s.db.Now().Add(-month)
	for _, m := range messages {
		if m.From == lost.FromDesk && m.At.After(since) {
			since = m.At
			break
		}
	}
	entries, err := s.db.HistorySince(ctx, a.Account, i.ID, since)
	slices.Reverse(entries)
	n := slices.IndexFunc(entries, isRejection)
	if err != nil || n < 0 {
		return e, false, err
	}
	return entries[n], true, nil
}

// receiveReply adds a guest's reply to the conversation of a link. It looks at the photos only if the conversation
// accepts the message.
func (s *Threads) receiveReply(ctx context.Context, link lost.Link, r Reply) (lost.Rejection, error) {
	err := s.addReply(ctx, link, r)
	if err == nil {
		return "", nil
	}
	reason, err := rejectionOf(err)
	if err != nil {
		return "", err
	}
	return s.reject(ctx, link, r, reason)
}

func (s *Threads) addReply(ctx context.Context, link lost.Link, r Reply) error {
	_, received, err := s.db.ReceivedThreadMessage(ctx, link.Account, link.ItemID, r.ExternalID)
	if err != nil || received {
		return err
	}
	if err := s.checkReply(ctx, link); err != nil {
		return err
	}
	d := Draft{Via: r.Via, SkipBadPhotos: true, NextPhoto: r.NextPhoto, Omitted: r.Omitted}
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
// the reply is not used. The results are those of ReceiveReply. It is rejected if several accounts have open
// conversations with the number, because it could belong to each of them.
func (s *Threads) ReceiveText(ctx context.Context, r Reply) (lost.Rejection, error) {
	newest, err := s.phoneThreads(ctx, r, "")
	if err != nil || newest.received {
		return "", err
	}
	if newest.open.Account == "" {
		if newest.closed.Account == "" {
			return lost.RejectedUnknown, nil
		}
		return s.reject(ctx, newest.closed, r, lost.RejectedClosed)
	}
	other, err := s.phoneThreads(ctx, r, newest.open.Account)
	if err != nil || other.received {
		return "", err
	}
	if other.open.Account != "" {
		return s.reject(ctx, newest.open, r, lost.RejectedAmbiguous)
	}
	return s.receiveReply(ctx, newest.open, r)
}

// phoneThreads are the conversations to which a reply from a phone may belong.
type phoneThreads struct {
	open, closed lost.Link // the newest conversation of each kind; empty if there is none
	received     bool      // the reply was added to a conversation before
}

// phoneThreads returns the conversations with the number of a reply's sender. It leaves out those of the account
// except.
func (s *Threads) phoneThreads(ctx context.Context, r Reply, except string) (t phoneThreads, err error) {
	entries, err := s.db.LookupPhone(ctx, r.From, except, maxPhoneLinks)
	if err != nil {
		return t, err
	}
	for _, e := range entries {
		link, received, err := s.phoneThread(ctx, e, r)
		switch {
		case lost.ReasonOf(err) == lost.WrongState:
			if t.closed.Account == "" {
				t.closed = link
			}
		case lost.CodeOf(err) == lost.NotFound:
		case err != nil:
			return t, err
		case received:
			return phoneThreads{received: true}, nil
		case t.open.Account == "":
			t.open = link
		}
	}
	return t, nil
}

// phoneThread returns the link of the conversation that a directory entry refers to, and whether the reply was added to
// it before. The error is NotFound if the reply cannot belong to the conversation, and WrongState if it is closed.
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
	if !slices.ContainsFunc(messages, func(m lost.ThreadMessage) bool { return m.From == lost.FromDesk }) {
		return link, false, lost.Missing("link")
	}
	if lost.ThreadClosed(i) {
		return link, false, lost.CheckThread(i, link.Guest(), lost.ThreadState{})
	}
	return link, false, nil
}

// maxAnswers is the number of messages to which a reply may refer that are looked up.
const maxAnswers = 10

// checkAnswers returns errOtherItem, as a NotFound error, if the newest known message that a reply refers to is about
// another item than the reply's token.
func (s *Threads) checkAnswers(ctx context.Context, link lost.Link, answers []string) error {
	for _, id := range answers[:min(maxAnswers, len(answers))] {
		m, err := s.db.Message(ctx, link.Account, id)
		switch {
		case lost.CodeOf(err) == lost.NotFound:
			continue
		case err == nil && m.ItemID != link.ItemID:
			return lost.Missing("link").WithCause(errOtherItem)
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
// until it uses another address or sends a message again. A NotFound error means that the report is not about the
// guest's address.
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

// omittedNames returns the names of all attachments that a message does not have, up to a limit.
func omittedNames(d Draft, p prepared) (names []string) {
	for _, name := range slices.Concat(d.Omitted, p.omitted) {
		if len(names) < lost.MaxThreadOmitted {
			names = append(names, cleanReply(name))
		}
	}
	return names
}
