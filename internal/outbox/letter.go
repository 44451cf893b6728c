package outbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/tracing"
)

// Post sends messages to people.
type Post interface {
	// Send writes a letter in its reader's language and sends it. At the last moment before it leaves, handOver is called; where that
	// fails it does not leave. An Invalid error is a refusal for good, an Unavailable one a refusal for now; after any other error
	// nobody knows whether it left, once it was handed over.
	Send(ctx context.Context, l lost.Letter, handOver func() error) (lost.Receipt, error)
	// Trace asks what became of a message: MessageWaiting while nobody knows.
	Trace(ctx context.Context, m lost.Message) (state lost.MessageState, why string, err error)
	// Tell writes a mail to one of our users.
	Tell(ctx context.Context, to, subject, text string) error
	// Sends tells whether messages go out by a channel.
	Sends(by lost.Channel) bool
}

const (
	giveUpAfter = 3 * 24 * time.Hour // of trying to send a message
	traceFirst  = time.Minute
	traceLast   = 24 * time.Hour
)

// sendMessage sends one message and keeps what became of it. One that was handed over before, by a worker that died or to a
// server that never answered, is sent again only as often as its kind allows.
func (o *Outbox) sendMessage(ctx context.Context, job store.Job) error {
	m, err := o.db.Message(ctx, job.Account, job.Payload)
	if lost.CodeOf(err) == lost.NotFound || err == nil && m.State != lost.MessageWaiting {
		return nil // its item was deleted, or it is settled
	}
	if err != nil {
		return err
	}
	if m.Handovers >= m.Kind.MostHandovers() {
		return o.settle(ctx, m, lost.Receipt{State: lost.MessageSent}, "nobody said whether it was taken, and it is not sent again")
	}
	letter, wanted, err := o.letter(ctx, m)
	if err != nil {
		return err
	}
	if !wanted {
		return o.settle(ctx, m, lost.Receipt{State: lost.MessageCanceled}, "")
	}
	left := false
	sending, span := tracing.Call(ctx, "send "+string(m.Channel))
	span.Set("homeward.message", m.ID)
	span.Set("homeward.kind", string(m.Kind))
	receipt, err := o.post.Send(sending, letter, func() error {
		err := o.handOver(ctx, m, job)
		left = err == nil
		return err
	})
	span.End(err)
	switch {
	case err == nil:
		return o.settle(ctx, m, receipt, "")
	case lost.CodeOf(err) == lost.Invalid:
		return o.settle(ctx, m, lost.Receipt{State: lost.MessageFailed}, told(err))
	case o.db.Now().Sub(m.CreatedAt) > giveUpAfter:
		return o.settle(ctx, m, lost.Receipt{State: lost.MessageFailed}, "it could not be sent for three days")
	case left && lost.CodeOf(err) == lost.Unavailable:
		return cmp.Or(o.takeBack(ctx, m, job), err)
	default:
		return err
	}
}

// told is what an error says to people.
func told(err error) string { return cmp.Or(lost.Detail(err), err.Error()) }

// letter gathers what a message's words are made from, and tells whether they are still to be said.
func (o *Outbox) letter(ctx context.Context, m lost.Message) (l lost.Letter, wanted bool, err error) {
	l = lost.Letter{Message: m}
	if l.Location, err = o.db.Location(ctx, m.Account, m.LocationID); err != nil {
		return l, false, lost.UnlessMissing(err)
	}
	if account, err := o.db.Account(ctx, m.Account); err != nil || !account.DisabledAt.IsZero() {
		return l, false, lost.UnlessMissing(err)
	}
	if m.Kind == lost.DigestMessage {
		const listed = 50
		l.Tasks, err = o.db.Tasks(ctx, m.Account, m.LocationID, lost.Page{Number: 1, Limit: listed})
		return l, len(l.Tasks.Data) > 0, err
	}
	i, err := o.db.Item(ctx, m.Account, m.LocationID, m.ItemID)
	if err != nil {
		return l, false, lost.UnlessMissing(err)
	}
	if m.Kind == lost.LabelMessage { // to the desk, which needs no link
		l = lost.NewLetter(m, i, l.Location, "")
		return o.enclosed(ctx, l, m.Wanted(i, o.db.Now()))
	}
	link, err := o.db.Link(ctx, m.Account, m.LinkID)
	if err != nil {
		return l, false, lost.UnlessMissing(err)
	}
	opens := link.Opens(i, o.db.Now()) == nil // else it was revoked, or the item has another owner
	token, err := o.db.Token(link)
	if err != nil {
		return l, false, err
	}
	l = lost.NewLetter(m, i, l.Location, o.base+"/g/"+token)
	return o.enclosed(ctx, l, opens && m.Wanted(i, o.db.Now()))
}

// maxEnclosed bounds one paper that goes with a letter.
const maxEnclosed = 5 << 20

// enclosed fetches the papers that go with a letter which is wanted. One that is not there, because its item is being deleted, is left out.
func (o *Outbox) enclosed(ctx context.Context, l lost.Letter, wanted bool) (lost.Letter, bool, error) {
	if !wanted {
		return l, false, nil
	}
	var there []lost.Enclosure
	for _, e := range l.Enclosed {
		content, err := o.files.Read(ctx, e.File, maxEnclosed)
		if lost.CodeOf(err) == lost.NotFound {
			continue
		}
		if err != nil {
			return l, false, err
		}
		e.Content = content
		there = append(there, e)
	}
	l.Enclosed = there
	return l, true, nil
}

// handOver notes that a message leaves now, unless somebody else has sent it meanwhile.
func (o *Outbox) handOver(ctx context.Context, m lost.Message, job store.Job) error {
	var mine bool
	err := o.db.Write(ctx, func(tx *store.Tx) (err error) {
		mine, err = tx.HandOver(m, job)
		return err
	})
	if err == nil && !mine {
		err = errors.New("another worker has this message")
	}
	return err
}

// takeBack notes that a message did not leave after all, so that it can be tried again.
func (o *Outbox) takeBack(ctx context.Context, m lost.Message, job store.Job) error {
	return o.db.Write(context.WithoutCancel(ctx), func(tx *store.Tx) error { return tx.TakeBack(m, job) })
}

// settle keeps what became of a message, on the item's history too, and has the item looked at: what follows may depend on it.
func (o *Outbox) settle(ctx context.Context, m lost.Message, r lost.Receipt, why string) error {
	err := o.db.Write(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		if bringsALook(m, r) { // before the message is locked: whoever deletes the item locks them in this order
			if err := tx.LookAt(m.Account, m.ItemID, tx.Now()); err != nil {
				return err
			}
		}
		m, err := tx.LockMessage(m.Account, m.ID)
		cameBack := m.State == lost.MessageSent && r.State == lost.MessageFailed
		if err != nil || m.State != lost.MessageWaiting && !cameBack { // another worker was quicker
			return lost.UnlessMissing(err)
		}
		m.State, m.Error, m.SettledAt = r.State, why, tx.Now()
		m.ProviderID = cmp.Or(r.ProviderID, m.ProviderID)
		if err := tx.SaveMessage(m); err != nil || m.ItemID == "" {
			return err
		}
		if err := tellHistory(tx, m); err != nil || r.ProviderID == "" {
			return err
		}
		return tx.AddJob(m.Account, store.JobTraceText, m.ID, tx.Now().Add(traceFirst))
	})
	if r.State == lost.MessageFailed {
		o.log.Warn("message failed", "account", m.Account, "message", m.ID, "kind", m.Kind, "channel", m.Channel, "error", why, "request", tracing.Of(ctx).ID)
	}
	o.observeMessage(m, r.State)
	if bringsALook(m, r) {
		wakeUp(o.look)
	}
	return err
}

func (o *Outbox) observeMessage(m lost.Message, became lost.MessageState) {
	if o.observe != nil {
		o.observe(m.Kind, became)
	}
}

// bringsALook tells whether what became of a message may bring a reminder or a task: it was the first that the owner got, or it came to nothing.
func bringsALook(m lost.Message, r lost.Receipt) bool {
	switch m.Kind {
	case lost.NoticeMessage, lost.MatchMessage, lost.ReceivedMessage:
		return true
	default:
		return m.ItemID != "" && r.State == lost.MessageFailed
	}
}

// tellHistory writes what became of a message on its item's history. One that nobody needed is passed over.
func tellHistory(tx *store.Tx, m lost.Message) error {
	action := lost.Sent
	switch m.State {
	case lost.MessageCanceled:
		return nil
	case lost.MessageKept:
		action = lost.Kept
	case lost.MessageFailed:
		action = lost.Failed
	}
	entry := lost.NewEntry(lost.Actor{Kind: lost.ByService}, action, tx.Now())
	entry.Note = fmt.Sprintf("%s by %s to %s", m.Kind, m.Channel, m.To)
	if m.Error != "" {
		entry.Note += ": " + m.Error
	}
	return tx.AddHistory(lost.Item{Account: m.Account, ID: m.ItemID}, entry)
}

// traceText asks what became of an SMS that was sent, until somebody knows or a day is over.
func (o *Outbox) traceText(ctx context.Context, job store.Job) error {
	m, err := o.db.Message(ctx, job.Account, job.Payload)
	if err != nil || m.State != lost.MessageSent {
		return lost.UnlessMissing(err)
	}
	state, why, err := o.post.Trace(ctx, m)
	switch age := o.db.Now().Sub(m.SettledAt); {
	case err == nil && state == lost.MessageFailed:
		return o.settle(ctx, m, lost.Receipt{State: lost.MessageFailed}, why)
	case err == nil && state == lost.MessageSent || age > traceLast:
		return nil
	case err != nil:
		return err
	default: // under way: ask again, more and more seldom
		return o.db.Write(ctx, func(tx *store.Tx) error {
			return tx.AddJob(m.Account, store.JobTraceText, m.ID, tx.Now().Add(max(age, traceFirst)))
		})
	}
}
