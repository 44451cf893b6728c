package message

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/mail"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
	"golang.org/x/net/idna"

	"homeward/internal/lost"
)

// photoID is the Content-ID of the photo in an e-mail.
const photoID = "photo@homeward"

// envelope is one e-mail to one person.
type envelope struct {
	id               string // the Message-ID without the host
	host             string
	from, to         mail.Address
	bounces          string // the address to which servers report that it did not arrive; empty if it is from
	replyTo, subject string
	text, html       string // html may be empty
	enclosed         []lost.Attachment
	photo            []byte // shown in the HTML; nil if there is none
	at               time.Time
	stop             string   // the URL that stops such e-mails; empty if there is none
	secrets          []string // must not appear in an error
}

func (p *Sender) envelope(to, id string) envelope {
	return envelope{
		id: id, host: p.host, from: mail.Address{Address: p.from}, to: mail.Address{Address: to}, at: p.now(),
	}
}

// mail composes a message as an e-mail and sends it.
func (p *Sender) mail(ctx context.Context, l lost.MessageData, handOver func() error) error {
	l = withoutMissing(l)
	s := p.composer(l)
	e := p.envelope(l.To, l.ID)
	e.from.Name, e.to.Name = s.sender(), headerText(s.addressee(), maxPerson)
	e.replyTo = s.replyTo()
	e.bounces = s.bounceAddress(p.from)
	e.subject = s.subject()
	e.text = s.text()
	e.secrets = secretsOf(l)
	e.enclosed, _ = attachments(l)
	content := s.page()
	if content.Photo != nil {
		e.photo = l.Photo.Content
	}
	var err error
	if e.html, err = content.html(); err != nil {
		return fmt.Errorf("render the e-mail: %w", err)
	}
	return p.smtp.deliver(ctx, e, handOver)
}

func (s composer) text() string {
	return s.page().text(func(label, value string) string {
		return s.Say("message.fact", "label", label, "value", value)
	})
}

// sender returns the sender's name. An inbox shows it next to the subject, so it is as discreet as
// the subject.
func (s composer) sender() string {
	if s.discreet {
		return headerText(s.Say("message.discreet.sender"), maxPlace)
	}
	return headerText(s.Location.Name, maxPlace)
}

// addressee returns the name of the recipient, or an empty string if it must not be used.
func (s composer) addressee() string {
	if s.toDesk() {
		return s.deskName()
	}
	if lost.IsFromPublicPage(s.Item) {
		return ""
	}
	return personName(s.FullName(s.Item.Owner.FirstName, s.Item.Owner.LastName))
}

// bytes returns the e-mail as it is sent to the server.
func (e envelope) bytes() ([]byte, error) {
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	m.FromMailAddress(&e.from)
	m.ToMailAddress(&e.to)
	if e.replyTo != "" {
		m.ReplyToMailAddress(&mail.Address{Address: e.replyTo})
	}
	m.Subject(e.subject)
	m.SetDateWithValue(e.at)
	m.SetMessageIDWithValue(e.id + "@" + e.host)
	// These headers prevent out-of-office notices and other automatic replies.
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	m.SetGenHeader("X-Auto-Response-Suppress", "All")
	if e.stop != "" { // the button of mail programs, RFC 8058
		m.SetGenHeader("List-Unsubscribe", "<"+e.stop+">")
		m.SetGenHeader("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")
	}
	m.SetBodyString(gomail.TypeTextPlain, e.text)
	if e.html != "" {
		m.AddAlternativeString(gomail.TypeTextHTML, e.html)
	}
	if len(e.photo) > 0 {
		kind := http.DetectContentType(e.photo)
		name := "photo." + strings.TrimPrefix(kind, "image/")
		m.EmbedReadSeeker(name, bytes.NewReader(e.photo), gomail.WithFileContentID("<"+photoID+">"),
			gomail.WithFileContentType(gomail.ContentType(kind)))
	}
	for _, file := range e.enclosed {
		m.AttachReadSeeker(file.Name, bytes.NewReader(file.Content), asPDF(file.Name))
	}
	var b bytes.Buffer
	_, err := m.WriteTo(&b)
	return b.Bytes(), err
}

// check returns an Invalid error if the recipient's address is invalid, and encodes its domain in ASCII.
func (e *envelope) check() error {
	to, ok := lost.ParseEmail(e.to.Address)
	if !ok {
		return lost.E(lost.Invalid, "This is not an e-mail address.")
	}
	at := strings.LastIndexByte(to, '@')
	e.to.Address = to[:at+1] + asciiDomain(to[at+1:])
	return nil
}

// asciiDomain encodes a domain in ASCII. If that is not possible, it returns the domain unchanged.
func asciiDomain(domain string) string {
	if short, err := idna.Lookup.ToASCII(domain); err == nil {
		return short
	}
	return domain
}

// international reports whether the sender's or recipient's address needs a server that supports non-ASCII addresses.
func (e *envelope) international() bool {
	return strings.ContainsFunc(e.from.Address+e.to.Address, func(r rune) bool { return r > 0x7e })
}
