package app

import (
	"bytes"
	"cmp"
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
	metrics *metrics
}

func (a *App) newReplies(messenger *message.Sender) replies {
	self := reply.Self{Address: a.cfg.replyAddress(), From: a.cfg.senderAddress(), Host: messenger.MessageIDHost()}
	return replies{threads: a.services.Threads, self: self, log: a.log, metrics: a.metrics}
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
		r.report(replyIgnored, "unreadable", "")
		return nil //nolint:nilerr // the same bytes would fail again
	}
	outcome := replyIgnored
	var rejection lost.Rejection
	switch {
	case m.Token == "":
	case m.Kind == reply.Answer:
		outcome = replyAdded
		rejection, err = r.threads.ReceiveReply(ctx, newReply(m))
	case m.Kind == reply.Bounce && m.Unreachable != "":
		outcome = replyBounced
		rejection, err = r.receiveBounce(ctx, m)
	}
	switch {
	case err != nil:
		outcome = replyUnhandled
	case rejection != "":
		outcome = replyRejected
	}
	r.report(outcome, string(m.Kind), rejection)
	return err
}

// receiveBounce records that a message did not arrive. It rejects a report that is not about the guest's address.
func (r replies) receiveBounce(ctx context.Context, m reply.Message) (lost.Rejection, error) {
	err := r.threads.ReceiveBounce(ctx, desk.Bounce{
		Token: m.Token, Address: m.Unreachable, Answers: m.Answers,
		Why: "the recipient's mail server reported that the address cannot be reached",
	})
	if rejection := lost.RejectionOf(err); err != nil && rejection != "" {
		return rejection, nil
	}
	return "", err
}

func newReply(m reply.Message) desk.Reply {
	photos := m.Photos
	return desk.Reply{
		Token: m.Token, From: m.From, Answers: m.Answers, ExternalID: m.ID, Text: m.Text, Via: lost.ViaEmail,
		Omitted: m.Omitted,
		NextPhoto: func() (photo io.Reader, _ error) {
			if len(photos) > 0 {
				content := bytes.NewReader(photos[0].Content)
				photo = desk.NamedPhoto{Reader: content, Name: cmp.Or(photos[0].Name, photos[0].Type)}
				photos = photos[1:]
			}
			return photo, nil
		},
	}
}

func (r replies) report(outcome, kind string, rejection lost.Rejection) {
	r.log.Info("e-mail read from the mailbox", "outcome", outcome, "kind", kind, "reason", rejection)
	r.metrics.observeReply(outcome)
	if kind == string(reply.Answer) {
		r.metrics.observeRejection(lost.ViaEmail, rejection)
	}
}

// textReplies adds replies from phones to the conversations that they belong to.
type textReplies struct {
	threads   *desk.Threads
	messenger *message.Sender
	metrics   *metrics
	log       *slog.Logger
}

const (
	// mediaTime is how long fetching the photos of a message may take. The provider waits 15 seconds for a response.
	mediaTime = 10 * time.Second
	textTime  = time.Minute // for all of a message
)

// handle processes a message that the SMS provider passes on, even if the provider no longer waits for the response: it
// does not try again. A message that is rejected counts as processed.
func (t textReplies) handle(ctx context.Context, header http.Header, body []byte) error {
	m, ours, err := t.messenger.ParseTextReply(header, body)
	if err != nil || !ours {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), textTime)
	defer cancel()
	fetching, stop := context.WithTimeout(ctx, mediaTime)
	defer stop()
	r := desk.Reply{
		From: m.From, ExternalID: m.ID, Text: m.Text, Via: lost.ViaSMS, NextPhoto: t.fetch(fetching, m.Media),
	}
	rejection, err := t.threads.ReceiveText(ctx, r)
	if rejection != "" {
		t.log.Info("text message rejected", "id", m.ID, "reason", rejection)
	}
	t.metrics.observeRejection(lost.ViaSMS, rejection)
	return err
}

// fetch returns a function that fetches the photos of a message one after the other, and then returns nil. It leaves
// out those that cannot be fetched, because the text matters more.
func (t textReplies) fetch(ctx context.Context, media []string) func() (io.Reader, error) {
	return func() (io.Reader, error) {
		for len(media) > 0 {
			address := media[0]
			media = media[1:]
			content, err := t.messenger.FetchMedia(ctx, address)
			if err == nil {
				return bytes.NewReader(content), nil
			}
			t.log.Warn("a photo in a text message could not be fetched", "error", err)
		}
		return nil, nil
	}
}
