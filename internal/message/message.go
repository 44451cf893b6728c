// Package message writes messages to guests, desks and members of staff in their language, and sends them by e-mail
// (SMTP) or SMS (Twilio). MailUser sends an e-mail whose text the caller wrote. Packages outbox and notify decide when
// to send a message, and retry.
//
// page.go, phrases.go and parcel.go decide what a message says; layout.go and message.html lay it out as text and
// HTML; the texts are in the catalogs of internal/i18n. Every text from a record is reduced to one harmless line
// before it is put into a message, and a privacy notice to several such lines. smtp.go and twilio.go send messages;
// both call handOver immediately before the server accepts the message.
package message

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"strings"
	"time"

	"homeward/internal/lost"
)

// Options configures a Sender. Without SMTP no e-mails are sent, and without a Twilio account no SMS. Messages that
// are not sent are stored and can be read in the dashboard.
type Options struct {
	SMTP     string // smtp://user:password@host:port uses TLS if the server offers it; smtps://… starts with TLS
	From     string // the sender of e-mails
	Base     string // the service's public address
	Replies  string // the address of the mailbox that replies to messages are read from; empty if there is none
	Twilio   Twilio
	Discreet bool             // subjects, SMS and inbox previews name neither the item nor the location
	Roots    *x509.CertPool   // certificate authorities for the servers; nil for the system's
	Now      func() time.Time // nil for time.Now
}

// Twilio is an account with the SMS provider.
type Twilio struct {
	Account, Token string
	From           string // a number, "whatsapp:" and a number, a sender name, or the id of a messaging service
	API            string // the address of the provider's API; empty for the default
}

// Sender composes and sends messages. It is safe for concurrent use.
type Sender struct {
	base     string
	host     string // used in Message-IDs
	from     string
	replies  string
	discreet bool
	smtp     *server // nil if no mail server is configured
	twilio   *twilio // nil if no SMS account is configured
	now      func() time.Time
}

// waitTime is how long to wait for a server's reply.
const waitTime = 30 * time.Second

// New returns a Sender, or an error that names the invalid setting.
func New(o Options) (*Sender, error) {
	p := &Sender{base: strings.TrimSuffix(o.Base, "/"), replies: o.Replies, discreet: o.Discreet, now: o.Now}
	if p.now == nil {
		p.now = time.Now
	}
	p.host = hostOf(o.Base)
	if o.SMTP != "" {
		from, err := mail.ParseAddress(o.From)
		if err != nil {
			return nil, fmt.Errorf("the sender is not an e-mail address: %w", err)
		}
		p.from = from.Address
		p.host = cmp.Or(asciiDomain(p.from[strings.LastIndexByte(p.from, '@')+1:]), p.host)
		if p.smtp, err = parseServer(o.SMTP, o.Roots); err != nil {
			return nil, err
		}
		p.smtp.helo = p.host
		if name := hostOf(o.Base); strings.Contains(name, ".") && net.ParseIP(name) == nil {
			p.smtp.helo = name
		}
	}
	if o.Twilio.Account != "" {
		var err error
		if p.twilio, err = newTwilio(o.Twilio, o.Roots); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// MessageIDHost returns the host in the Message-IDs of e-mails.
func (p *Sender) MessageIDHost() string { return p.host }

func hostOf(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// Compose returns the subject and the text of a message. An SMS has no subject.
func (p *Sender) Compose(l lost.MessageData) (subject, text string, err error) {
	s := p.composer(l)
	if l.Channel == lost.BySMS {
		return "", s.sms(), nil
	}
	return s.subject(), s.text(), nil
}

// Send composes a message and sends it. It calls handOver once, immediately before the message is sent; if handOver
// fails, the message is not sent. An Invalid error means that the message was permanently rejected, and says why. An
// Unavailable error means that it was temporarily rejected. After any other error, a message may have been sent if
// handOver was called. No error contains the message's link.
func (p *Sender) Send(ctx context.Context, l lost.MessageData, handOver func() error) (lost.SendResult, error) {
	switch {
	case l.Channel == lost.ByEmail && p.smtp != nil:
		return receipt("", p.mail(ctx, l, handOver))
	case l.Channel == lost.BySMS && p.twilio != nil:
		return receipt(p.twilio.send(ctx, l.To, p.composer(l).sms(), handOver, secretsOf(l)))
	case l.Channel == lost.ByEmail || l.Channel == lost.BySMS:
		return lost.SendResult{State: lost.MessageSaved}, nil
	default:
		return lost.SendResult{}, lost.E(lost.Invalid, "Messages cannot be sent through this channel.")
	}
}

func receipt(id string, err error) (lost.SendResult, error) {
	if err != nil {
		return lost.SendResult{}, err
	}
	return lost.SendResult{State: lost.MessageSent, ProviderID: id}, nil
}

// DeliveryState requests the state of a message from the SMS provider. The state is MessageWaiting until it is final.
// If it is MessageFailed, why is the reason. A message whose state cannot be requested counts as sent.
func (p *Sender) DeliveryState(ctx context.Context, m lost.Message) (state lost.MessageState, why string, err error) {
	if p.twilio == nil || m.ProviderID == "" || m.Channel != lost.BySMS {
		return lost.MessageSent, "", nil
	}
	return p.twilio.trace(ctx, m.ProviderID)
}

// Sends reports whether a channel is configured. If it is not, messages for this channel are stored but not sent.
func (p *Sender) Sends(by lost.Channel) bool {
	return by == lost.ByEmail && p.smtp != nil || by == lost.BySMS && p.twilio != nil
}

// MailUser sends a plain-text e-mail to a user of the service. It returns the same errors as Send.
func (p *Sender) MailUser(ctx context.Context, to, subject, text string) error {
	if p.smtp == nil {
		return errors.New("no mail server is configured")
	}
	e := p.envelope(to, lost.NewID(lost.MessageID, p.now()))
	e.subject, e.text = headerText(subject, maxSubject), text
	return p.smtp.deliver(ctx, e, func() error { return nil })
}

// CheckMail connects to the mail server, starts TLS and logs in, without sending an e-mail. It returns nil if no
// server is configured.
func (p *Sender) CheckMail(ctx context.Context) error {
	if p.smtp == nil {
		return nil
	}
	return p.smtp.check(ctx)
}

// CheckSMS requests the account from the SMS provider, without sending a message. It returns nil if no
// account is configured.
func (p *Sender) CheckSMS(ctx context.Context) error {
	if p.twilio == nil {
		return nil
	}
	return p.twilio.check(ctx)
}
