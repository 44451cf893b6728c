// Package message writes to people: it makes the words of every message in its reader's language, and sends them by e-mail
// through an SMTP server or by SMS through Twilio.
//
// What a message says is decided in letter.go, phrases.go and parcel.go, once; layout.go and letter.html lay it out as text and HTML, and the words
// themselves are in the catalogs of internal/i18n. Whatever comes from a record is made one harmless line before it stands
// in a message. smtp.go and twilio.go send, each with one moment at which the message leaves.
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

// Options set a Post up. Without SMTP no mail is sent, without a Twilio account no SMS: such messages are kept, to be shown.
type Options struct {
	SMTP     string // smtp://user:password@host:port, which uses TLS where the server offers it, or smtps://…, which begins with it
	From     string // the sender of mails
	Base     string // our public address, without a slash at the end
	Twilio   Twilio
	Discreet bool             // subjects, SMS and what an inbox shows name neither the item nor the place
	Roots    *x509.CertPool   // who is trusted to certify servers; nil for the system's
	Now      func() time.Time // nil for the clock
}

// Twilio is an account with the SMS provider.
type Twilio struct {
	Account, Token string
	From           string // a number, a sender's name, or the id of a messaging service
	API            string // where the provider answers; empty for its own address
}

// Post writes and sends messages. It is safe for concurrent use.
type Post struct {
	base     string
	host     string // in the ids of mails
	from     string
	discreet bool
	smtp     *server // nil where there is none
	twilio   *twilio // likewise
	now      func() time.Time
}

// waitTime bounds every wait for the other side.
const waitTime = 30 * time.Second

// New readies a Post, or says which setting is not right.
func New(o Options) (*Post, error) {
	p := &Post{base: strings.TrimSuffix(o.Base, "/"), discreet: o.Discreet, now: o.Now}
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

// Compose gives the words of a letter: the subject, which an SMS has not, and the text.
func (p *Post) Compose(l lost.Letter) (subject, text string, err error) {
	s := p.scribe(l)
	if l.Channel == lost.BySMS {
		return "", s.sms(), nil
	}
	return s.subject(), s.text(), nil
}

// Send writes a letter and sends it. handOver is called once, at the last moment before it leaves; where that fails, it does
// not leave. An Invalid error is a refusal for good, and says why; an Unavailable one is a refusal for now. After any other
// error nobody knows whether the letter left, if it was handed over. No error holds the letter's link.
func (p *Post) Send(ctx context.Context, l lost.Letter, handOver func() error) (lost.Receipt, error) {
	switch {
	case l.Channel == lost.ByEmail && p.smtp != nil:
		return sent("", p.mail(ctx, l, handOver))
	case l.Channel == lost.BySMS && p.twilio != nil:
		return sent(p.twilio.send(ctx, l.To, p.scribe(l).sms(), handOver, doors(l)))
	case l.Channel == lost.ByEmail || l.Channel == lost.BySMS:
		return lost.Receipt{State: lost.MessageKept}, nil
	default:
		return lost.Receipt{}, lost.E(lost.Invalid, "There is no way to send this kind of message.")
	}
}

func sent(id string, err error) (lost.Receipt, error) {
	if err != nil {
		return lost.Receipt{}, err
	}
	return lost.Receipt{State: lost.MessageSent, ProviderID: id}, nil
}

// Trace asks the SMS provider what became of a message. While that is not known it is waiting; where it failed, why says so in
// words. One that cannot be asked about was sent, and more is never known.
func (p *Post) Trace(ctx context.Context, m lost.Message) (state lost.MessageState, why string, err error) {
	if p.twilio == nil || m.ProviderID == "" || m.Channel != lost.BySMS {
		return lost.MessageSent, "", nil
	}
	return p.twilio.trace(ctx, m.ProviderID)
}

// Sends tells whether messages go out by a channel; where they do not they are kept.
func (p *Post) Sends(by lost.Channel) bool {
	return by == lost.ByEmail && p.smtp != nil || by == lost.BySMS && p.twilio != nil
}

// Tell sends a plain mail to a user of the service. Its errors are those of Send.
func (p *Post) Tell(ctx context.Context, to, subject, text string) error {
	if p.smtp == nil {
		return errors.New("there is no mail server")
	}
	e := p.envelope(to, lost.NewID(lost.MessageID, p.now()))
	e.subject, e.text = header(subject, maxSubject), text
	return p.smtp.deliver(ctx, e, func() error { return nil })
}

// TryMail reaches the mail server, encrypts and logs in as for a mail, and sends none. It is nil where there is no server to try.
func (p *Post) TryMail(ctx context.Context) error {
	if p.smtp == nil {
		return nil
	}
	return p.smtp.try(ctx)
}

// TryTexts asks the SMS provider for the account, and sends nothing. It is nil where there is none.
func (p *Post) TryTexts(ctx context.Context) error {
	if p.twilio == nil {
		return nil
	}
	return p.twilio.try(ctx)
}
