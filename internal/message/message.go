// Package message writes messages to people in their language, and sends them by e-mail through an
// SMTP server or by SMS through Twilio.
//
// page.go, phrases.go and parcel.go decide what a message says; layout.go and message.html lay it
// out as text and HTML; the texts are in the catalogs of internal/i18n. Every text from a record is
// reduced to one harmless line before it becomes part of a message. smtp.go and twilio.go send;
// each calls handOver immediately before the message leaves.
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

// Options configures a Sender. Without SMTP no mail is sent, and without a Twilio account no SMS:
// such messages are stored and can be read in the dashboard.
type Options struct {
	SMTP     string // smtp://user:password@host:port uses TLS if the server offers it; smtps://… starts with TLS
	From     string // the sender of mails
	Base     string // our public address
	Twilio   Twilio
	Discreet bool             // subjects, SMS and inbox previews name neither the item nor the location
	Roots    *x509.CertPool   // certificate authorities for the servers; nil for the system's
	Now      func() time.Time // nil for time.Now
}

// Twilio is an account with the SMS provider.
type Twilio struct {
	Account, Token string
	From           string // a number, a sender name, or the id of a messaging service
	API            string // address of the provider's API; empty for the default
}

// Sender writes and sends messages. It is safe for concurrent use.
type Sender struct {
	base     string
	host     string // used in the ids of mails
	from     string
	discreet bool
	smtp     *server // nil if there is none
	twilio   *twilio // nil if there is none
	now      func() time.Time
}

// waitTime is the timeout for a server's reply.
const waitTime = 30 * time.Second

// New returns a Sender, or an error that names the wrong setting.
func New(o Options) (*Sender, error) {
	p := &Sender{base: strings.TrimSuffix(o.Base, "/"), discreet: o.Discreet, now: o.Now}
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

// Send writes a message and sends it. handOver is called once, immediately before the message
// leaves; if it fails, the message does not leave. An Invalid error is a permanent refusal and says
// why; an Unavailable one is a temporary refusal. After any other error it is unknown whether a
// message that was handed over has left. No error contains the message's link.
func (p *Sender) Send(ctx context.Context, l lost.MessageData, handOver func() error) (lost.SendResult, error) {
	switch {
	case l.Channel == lost.ByEmail && p.smtp != nil:
		return receipt("", p.mail(ctx, l, handOver))
	case l.Channel == lost.BySMS && p.twilio != nil:
		return receipt(p.twilio.send(ctx, l.To, p.composer(l).sms(), handOver, secretsOf(l)))
	case l.Channel == lost.ByEmail || l.Channel == lost.BySMS:
		return lost.SendResult{State: lost.MessageSaved}, nil
	default:
		return lost.SendResult{}, lost.E(lost.Invalid, "Messages cannot be sent by this channel.")
	}
}

func receipt(id string, err error) (lost.SendResult, error) {
	if err != nil {
		return lost.SendResult{}, err
	}
	return lost.SendResult{State: lost.MessageSent, ProviderID: id}, nil
}

// DeliveryState requests the state of a message from the SMS provider: waiting while it is unknown, or
// failed with the reason. A message whose state cannot be requested counts as sent.
func (p *Sender) DeliveryState(ctx context.Context, m lost.Message) (state lost.MessageState, why string, err error) {
	if p.twilio == nil || m.ProviderID == "" || m.Channel != lost.BySMS {
		return lost.MessageSent, "", nil
	}
	return p.twilio.trace(ctx, m.ProviderID)
}

// Sends reports whether messages are sent by a channel; otherwise they are only stored.
func (p *Sender) Sends(by lost.Channel) bool {
	return by == lost.ByEmail && p.smtp != nil || by == lost.BySMS && p.twilio != nil
}

// MailUser sends a plain mail to a user of the service. Its errors are those of Send.
func (p *Sender) MailUser(ctx context.Context, to, subject, text string) error {
	if p.smtp == nil {
		return errors.New("no mail server is configured")
	}
	e := p.envelope(to, lost.NewID(lost.MessageID, p.now()))
	e.subject, e.text = headerText(subject, maxSubject), text
	return p.smtp.deliver(ctx, e, func() error { return nil })
}

// CheckMail connects to the mail server, encrypts and logs in as for a mail, without sending one. It
// returns nil if no server is configured.
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
