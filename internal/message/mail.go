// Package message sends messages to people: e-mail over SMTP, for now.
package message

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/wneessen/go-mail"

	"homeward/internal/lost"
)

// Mailer sends e-mail through one server. Make one with NewMailer.
type Mailer struct {
	from    string
	host    string
	options []mail.Option
}

const sendTime = 30 * time.Second

// NewMailer readies a Mailer for smtp://user:password@host:port, which uses TLS where the server offers it, or
// smtps://…, which begins with it.
func NewMailer(server, from string) (*Mailer, error) {
	u, err := url.Parse(server)
	if err != nil || u.Hostname() == "" {
		return nil, errors.New("the mail server is not written smtp://user:password@host:port")
	}
	m := &Mailer{from: from, host: u.Hostname(), options: []mail.Option{mail.WithTimeout(sendTime)}}
	port := 587
	if u.Scheme == "smtps" {
		port = 465
		m.options = append(m.options, mail.WithSSL())
	} else {
		m.options = append(m.options, mail.WithTLSPolicy(mail.TLSOpportunistic))
	}
	if u.Port() != "" {
		if port, err = strconv.Atoi(u.Port()); err != nil {
			return nil, fmt.Errorf("the mail server's port is not a number: %w", err)
		}
	}
	m.options = append(m.options, mail.WithPort(port))
	if name := u.User.Username(); name != "" {
		password, _ := u.User.Password()
		m.options = append(m.options, mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover), mail.WithUsername(name), mail.WithPassword(password))
	}
	_, err = mail.NewClient(m.host, m.options...)
	return m, err
}

// Send sends one message. An address that the server refuses for good is an Invalid error, which no repetition mends.
func (m *Mailer) Send(ctx context.Context, to, subject, text string) error {
	msg := mail.NewMsg()
	if err := cmp.Or(msg.From(m.from), msg.To(to)); err != nil {
		return lost.E(lost.Invalid, "An e-mail address is not one.").Because(err)
	}
	msg.Subject(subject)
	msg.SetBodyString(mail.TypeTextPlain, text)
	client, err := mail.NewClient(m.host, m.options...)
	if err != nil {
		return fmt.Errorf("ready the mail server: %w", err)
	}
	err = client.DialAndSendWithContext(ctx, msg)
	if refused, ok := errors.AsType[*mail.SendError](err); ok && !refused.IsTemp() && refused.ErrorCode() >= 500 {
		return lost.E(lost.Invalid, "The mail server refused the message.").Because(err)
	}
	return err
}
