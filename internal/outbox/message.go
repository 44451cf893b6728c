package outbox

import (
	"cmp"
	"context"
	"errors"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/tracing"
)

const (
	giveUpAfter = 3 * 24 * time.Hour // how long sending a message is retried
	trackFirst  = time.Minute
	trackLast   = 24 * time.Hour
)

// sendMessage sends one message and records the outcome. If a worker died or a server never responded, the message
// may already have been submitted. It is then sent again only as often as its kind allows.
func (o *Outbox) sendMessage(ctx context.Context, job store.Job) error {
	m, err := o.db.Message(ctx, job.Account, job.Payload)
	if lost.CodeOf(err) == lost.NotFound || err == nil && m.State != lost.MessageWaiting {
		return nil // the item was deleted, or the message already has a final state
	}
	if err != nil {
		return err
	}
	if m.Handovers >= m.Kind.MaxSubmissions() {
		const unknown = "the server did not confirm that it accepted the message; it will not be sent again"
		return o.finishMessage(ctx, m, lost.SendResult{State: lost.MessageSent}, unknown)
	}
	data, wanted, err := o.prepareMessage(ctx, m)
	if err != nil {
		return err
	}
	if !wanted {
		return o.finishMessage(ctx, m, lost.SendResult{State: lost.MessageCanceled}, "")
	}
	submitted := false
	sending, span := tracing.StartClientSpan(ctx, "send "+string(m.Channel))
	span.Set("homeward.message", m.ID)
	span.Set("homeward.kind", string(m.Kind))
	receipt, err := o.messenger.Send(sending, data, func() error {
		err := o.handOver(ctx, m, job)
		submitted = err == nil
		return err
	})
	span.End(err)
	switch {
	case err == nil:
		return o.finishMessage(ctx, m, receipt, "")
	case lost.CodeOf(err) == lost.Invalid:
		return o.finishMessage(ctx, m, lost.SendResult{State: lost.MessageFailed}, errorText(err))
	case o.db.Now().Sub(m.CreatedAt) > giveUpAfter:
		return o.finishMessage(ctx, m, lost.SendResult{State: lost.MessageFailed},
			"the message could not be sent within three days")
	case submitted && lost.CodeOf(err) == lost.Unavailable:
		if undoErr := o.undoHandOver(ctx, m, job); undoErr != nil {
			return undoErr
		}
		return err
	default:
		return err
	}
}

// errorText returns the part of an error that is meant for users.
func errorText(err error) string { return cmp.Or(lost.Detail(err), err.Error()) }

// prepareMessage collects the data for a message, and reports whether the message should still be sent.
func (o *Outbox) prepareMessage(ctx context.Context, m lost.Message) (l lost.MessageData, wanted bool, err error) {
	l = lost.MessageData{Message: m}
	if l.Location, err = o.db.Location(ctx, m.Account, m.LocationID); err != nil {
		return l, false, lost.IgnoreNotFound(err)
	}
	account, err := o.db.Account(ctx, m.Account)
	if err != nil || !account.DisabledAt.IsZero() {
		return l, false, lost.IgnoreNotFound(err)
	}
	if m.Kind == lost.DigestMessage {
		const maxTasks = 50
		l.Tasks, err = o.db.Tasks(ctx, m.Account, m.LocationID, lost.Page{Number: 1, Limit: maxTasks})
		return l, len(l.Tasks.Data) > 0, err
	}
	i, err := o.db.Item(ctx, m.Account, m.LocationID, m.ItemID)
	if err != nil {
		return l, false, lost.IgnoreNotFound(err)
	}
	if m.Kind.ToDesk() { // the desk needs no guest's link
		l = lost.NewMessageData(m, i, l.Location, o.deskURL(m.Kind, i))
		return o.withAttachments(ctx, l, m.StillTrue(i, o.db.Now()))
	}
	if m.Kind.ToFinder() { // who has no page
		l = lost.NewMessageData(m, i, l.Location, "")
		l.Privacy = l.Location.PrivacyNotice(account)
		return l, m.StillTrue(i, o.db.Now()), nil
	}
	link, err := o.db.Link(ctx, m.Account, m.LinkID)
	if err != nil {
		return l, false, lost.IgnoreNotFound(err)
	}
	linkValid := link.CheckAccess(i, o.db.Now()) == nil // false if it was revoked or the item has another owner
	token, err := o.db.LinkToken(link)
	if err != nil {
		return l, false, err
	}
	l = lost.NewMessageData(m, i, l.Location, o.base+"/g/"+token)
	l.Privacy = l.Location.PrivacyNotice(account)
	l.ThreadClosed = lost.ThreadClosed(i) || m.About.Rejected == lost.RejectedFull
	wanted = linkValid && m.StillTrue(i, o.db.Now())
	if wanted && o.readsReplies && m.Channel == lost.ByEmail {
		if l.ReplyToken, err = replyToken(ctx, o.db, link); err != nil {
			return l, false, err
		}
	}
	return o.withAttachments(ctx, l, wanted)
}

// replyToken returns the token for replies to an e-mail with a link. From then on, a reply finds its conversation.
func replyToken(ctx context.Context, db *store.DB, l lost.Link) (string, error) {
	token, err := db.ReplyToken(l)
	if err != nil {
		return "", err
	}
	_, known, err := db.Lookup(ctx, store.ReplyEntry, store.DirectoryHash(token))
	if err != nil || known {
		return token, err
	}
	return token, db.Write(ctx, func(tx *store.Tx) error { return tx.AddReplyEntry(l) })
}

// deskURL returns the address of an item's page in the dashboard, if a message of this kind to the desk links to it.
func (o *Outbox) deskURL(kind lost.MessageKind, i lost.Item) string {
	switch {
	case kind != lost.ThreadAlert:
		return ""
	case i.Source == lost.Request:
		return o.base + "/at/" + i.LocationID + "/requests/" + i.ID
	default:
		return o.base + "/at/" + i.LocationID + "/items/" + i.ID
	}
}

// maxAttachment is the largest size of an attachment, in bytes.
const maxAttachment = 5 << 20

// withAttachments reads a message's attachments and photo, if the message should still be sent. It leaves out files
// that no longer exist because their item is being deleted.
func (o *Outbox) withAttachments(ctx context.Context, l lost.MessageData, wanted bool) (lost.MessageData, bool, error) {
	if !wanted {
		return l, false, nil
	}
	var existing []lost.Attachment
	for _, e := range l.Enclosed {
		content, err := o.files.Read(ctx, e.File, maxAttachment)
		if lost.CodeOf(err) == lost.NotFound {
			continue
		}
		if err != nil {
			return l, false, err
		}
		e.Content = content
		existing = append(existing, e)
	}
	l.Enclosed = existing
	var err error
	l.Photo.Content, err = o.readPhoto(ctx, l.Photo.Image)
	return l, err == nil, err
}

// maxPhoto is the largest size of a photo in an e-mail, in bytes. Servers reject large e-mails, and thumbnails of
// photos are much smaller.
const maxPhoto = 1 << 20

// readPhoto returns the largest thumbnail of an image. It returns nil if there is none, or it cannot be shown.
func (o *Outbox) readPhoto(ctx context.Context, image lost.Image) ([]byte, error) {
	if len(image.Thumbnails()) == 0 {
		return nil, nil
	}
	err := o.files.Thumbnail(ctx, image.File)
	var content []byte
	if err == nil {
		content, err = o.files.Read(ctx, image.Thumbnail, maxPhoto)
	}
	switch lost.CodeOf(err) {
	case lost.NotFound, lost.Unsupported, lost.TooLarge: // the message matters more than its photo
		return nil, nil
	default:
		return content, err
	}
}

// handOver records that a message is about to be submitted. It fails if another worker has claimed the message.
func (o *Outbox) handOver(ctx context.Context, m lost.Message, job store.Job) error {
	var mine bool
	err := o.db.Write(ctx, func(tx *store.Tx) (err error) {
		mine, err = tx.RecordSubmission(m, job)
		return err
	})
	if err == nil && !mine {
		err = errors.New("another worker has claimed this message")
	}
	return err
}

// undoHandOver records that the server did not accept the message, so that it can be sent again.
func (o *Outbox) undoHandOver(ctx context.Context, m lost.Message, job store.Job) error {
	return o.db.Write(context.WithoutCancel(ctx), func(tx *store.Tx) error { return tx.UndoSubmission(m, job) })
}

// finishMessage records the final state of a message and adds it to the item's history. It schedules a check
// of the item, because its next reminder or task may depend on the outcome.
func (o *Outbox) finishMessage(ctx context.Context, m lost.Message, r lost.SendResult, why string) error {
	outcome := m
	outcome.State = r.State
	affects := outcome.MayChangeTasks()
	err := o.db.Write(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		if affects { // locks in the same order as deleting an item, to prevent deadlocks
			if err := tx.ScheduleCheck(m.Account, m.ItemID, tx.Now()); err != nil {
				return err
			}
		}
		m, err := tx.LockMessage(m.Account, m.ID)
		if err != nil {
			return lost.IgnoreNotFound(err)
		}
		bounced := m.State == lost.MessageSent && r.State == lost.MessageFailed
		if m.State != lost.MessageWaiting && !bounced {
			return nil // another worker recorded the outcome first
		}
		m.State = r.State
		m.Error = why
		m.SettledAt = tx.Now()
		m.ProviderID = cmp.Or(r.ProviderID, m.ProviderID)
		if err := tx.SaveMessage(m); err != nil || m.ItemID == "" {
			return err
		}
		if err := addMessageHistory(tx, m); err != nil || r.ProviderID == "" {
			return err
		}
		return tx.AddJob(m.Account, store.JobTrackText, m.ID, tx.Now().Add(trackFirst))
	})
	if r.State == lost.MessageFailed {
		o.log.Warn("message failed", "account", m.Account, "message", m.ID, "kind", m.Kind,
			"channel", m.Channel, "error", why, "request", tracing.FromContext(ctx).ID)
	}
	if o.observeMessage != nil {
		o.observeMessage(m.Kind, r.State)
	}
	if affects {
		wakeUp(o.wakeItems)
	}
	return err
}

// addMessageHistory adds a message's outcome to its item's history, unless the message was canceled.
func addMessageHistory(tx *store.Tx, m lost.Message) error {
	entry, ok := m.OutcomeEntry(tx.Now())
	if !ok {
		return nil
	}
	return tx.AddHistory(lost.Item{Account: m.Account, LocationID: m.LocationID, ID: m.ItemID}, entry)
}

// trackText checks the state of a sent SMS until the final state is known or a day has passed.
func (o *Outbox) trackText(ctx context.Context, job store.Job) error {
	m, err := o.db.Message(ctx, job.Account, job.Payload)
	if err != nil || m.State != lost.MessageSent {
		return lost.IgnoreNotFound(err)
	}
	state, why, err := o.messenger.DeliveryState(ctx, m)
	switch age := o.db.Now().Sub(m.SettledAt); {
	case err == nil && state == lost.MessageFailed:
		return o.finishMessage(ctx, m, lost.SendResult{State: lost.MessageFailed}, why)
	case err == nil && state == lost.MessageSent || age > trackLast:
		return nil
	case err != nil:
		return err
	default: // in transit: check again, at increasing intervals
		return o.db.Write(ctx, func(tx *store.Tx) error {
			return tx.AddJob(m.Account, store.JobTrackText, m.ID, tx.Now().Add(max(age, trackFirst)))
		})
	}
}
