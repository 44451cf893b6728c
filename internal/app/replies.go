package app

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/mail"
	"net/url"
	"strings"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/mailbox"
	"homeward/internal/message"
	"homeward/internal/reply"
)

// NewMailbox returns the reader of the configured mailbox.
func NewMailbox(cfg Config, handle mailbox.Handler, log *slog.Logger) (*mailbox.Reader, error) {
	reader, err := mailbox.New(mailbox.Options{URL: cfg.IMAP, Handle: handle, Log: log})
	if err != nil {
		return nil, fmt.Errorf("HOMEWARD_IMAP: %w", err)
	}
	return reader, nil
}

// replyAddress returns the address of the mailbox for replies: its user name if that is an e-mail address, or else the
// sender of messages. It is empty if replies are not read.
func (c *Config) replyAddress() string {
	if c.IMAP == "" {
		return ""
	}
	if u, err := url.Parse(c.IMAP); err == nil {
		if address, ok := lost.ParseEmail(u.User.Username()); ok {
			return address
		}
	}
	return c.senderAddress()
}

// senderAddress returns the address in HOMEWARD_MAIL_FROM without the name.
func (c *Config) senderAddress() string {
	if from, err := mail.ParseAddress(c.MailFrom); err == nil {
		return from.Address
	}
	return ""
}

// pushContact returns the address at which push services reach the operator: the public address if it has TLS, or else
// the sender of messages.
func (c *Config) pushContact() string {
	if strings.HasPrefix(c.BaseURL, "https:") {
		return c.BaseURL
	}
	return c.senderAddress()
}

// replies adds the e-mails in the mailbox to the conversations that they belong to.
type replies struct {
	threads *desk.Threads
	self    reply.Self
	log     *slog.Logger
	observe func(outcome string)
}

func (a *App) newReplies(messenger *message.Sender) replies {
	self := reply.Self{Address: a.cfg.replyAddress(), From: a.cfg.senderAddress(), Host: messenger.MessageIDHost()}
	return replies{threads: a.services.Threads, self: self, log: a.log, observe: a.metrics.observeReply}
}

// What happened to a received e-mail.
const (
	replyAdded     = "added"
	replyBounced   = "bounce"
	replyIgnored   = "ignored"   // not written by a person, or not a reply to a message
	replyRejected  = "rejected"  // there is no such conversation, or it is closed or full
	replyUnhandled = "unhandled" // it is passed again later
)

// handle processes one e-mail from the mailbox. It returns an error only if it is useful to try again. The text of the
// e-mail and its addresses are never logged.
func (r replies) handle(ctx context.Context, raw io.Reader) error {
	m, err := reply.Parse(raw, r.self)
	if err != nil {
		r.report(replyIgnored, "unreadable")
		return nil //nolint:nilerr // the same bytes would fail again
	}
	outcome := replyIgnored
	switch {
	case m.Token == "":
	case m.Kind == reply.Answer:
		outcome, err = replyAdded, r.threads.ReceiveReply(ctx, newReply(m))
	case m.Kind == reply.Bounce && m.Unreachable != "":
		outcome, err = replyBounced, r.threads.ReceiveBounce(ctx, desk.Bounce{
			Token: m.Token, Address: m.Unreachable, Answers: m.Answers,
			Why: "the recipient's mail server reported that the address cannot be reached",
		})
	}
	switch {
	case err == nil:
	case isFinal(err):
		outcome, err = replyRejected, nil
	default:
		outcome = replyUnhandled
	}
	r.report(outcome, string(m.Kind))
	return err
}

// isFinal reports whether a message that caused an error would cause it again.
func isFinal(err error) bool {
	switch lost.CodeOf(err) {
	case lost.NotFound, lost.Conflict, lost.Gone, lost.Invalid:
		return true
	default:
		return false
	}
}

func newReply(m reply.Message) desk.Reply {
	r := desk.Reply{
		Token: m.Token, From: m.From, Answers: m.Answers, ExternalID: m.ID, Text: m.Text, Via: lost.ViaEmail,
	}
	for _, photo := range m.Photos {
		r.Photos = append(r.Photos, bytes.NewReader(photo.Content))
	}
	return r
}

func (r replies) report(outcome, kind string) {
	r.log.Info("e-mail read from the mailbox", "outcome", outcome, "kind", kind)
	r.observe(outcome)
}

// textReplies adds replies from phones to the conversations that they belong to.
type textReplies struct {
	threads   *desk.Threads
	messenger *message.Sender
	log       *slog.Logger
}

// mediaTime is how long fetching the photos of a message may take. The provider waits 15 seconds for a response.
const mediaTime = 10 * time.Second

// handle processes a message that the SMS provider passes on. A message that belongs to no conversation is ignored.
func (t textReplies) handle(ctx context.Context, header http.Header, body []byte) error {
	m, ours, err := t.messenger.ParseTextReply(header, body)
	if err != nil || !ours {
		return err
	}
	r := desk.Reply{From: m.From, ExternalID: m.ID, Text: m.Text, Via: lost.ViaSMS, Photos: t.fetch(ctx, m.Media)}
	err = t.threads.ReceiveText(ctx, r)
	if err != nil && isFinal(err) {
		t.log.Info("text message belongs to no open conversation", "id", m.ID)
		return nil
	}
	return err
}

// fetch returns the photos of a message. It leaves out those that cannot be fetched, because the text matters more.
func (t textReplies) fetch(ctx context.Context, media []string) (photos []io.Reader) {
	ctx, cancel := context.WithTimeout(ctx, mediaTime)
	defer cancel()
	for _, address := range media[:min(len(media), lost.MaxThreadImages)] {
		content, err := t.messenger.FetchMedia(ctx, address)
		if err != nil {
			t.log.Warn("a photo in a text message could not be fetched", "error", err)
			continue
		}
		photos = append(photos, bytes.NewReader(content))
	}
	return photos
}
