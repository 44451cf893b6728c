package message

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/textproto"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/wneessen/go-mail/smtp"

	"homeward/internal/lost"
)

// server is the mail server that takes our mails.
type server struct {
	host, port     string
	user, password string
	tlsFirst       bool
	roots          *x509.CertPool
	helo           string
}

func parseServer(raw string, roots *x509.CertPool) (*server, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() == "" || u.Scheme != "smtp" && u.Scheme != "smtps" {
		return nil, errors.New("the mail server is not written smtp://user:password@host:port") // and the password is not quoted
	}
	s := &server{host: u.Hostname(), port: u.Port(), user: u.User.Username(), tlsFirst: u.Scheme == "smtps", roots: roots}
	s.password, _ = u.User.Password()
	if s.port == "" {
		s.port = "587"
		if s.tlsFirst {
			s.port = "465"
		}
	}
	return s, nil
}

// deliver hands one mail to the server, over a connection of its own. handOver is called when the server has everything
// but the last line, which makes the mail the server's to deliver. Where it fails the connection is dropped without
// a word: a polite QUIT would first send that line.
func (s *server) deliver(ctx context.Context, e envelope, handOver func() error) error {
	if err := e.check(); err != nil {
		return err
	}
	text, err := e.bytes()
	if err != nil {
		return fmt.Errorf("write the mail: %w", err)
	}
	dialer := net.Dialer{Timeout: waitTime}
	raw, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(s.host, s.port))
	if err != nil {
		return fmt.Errorf("reach the mail server: %w", err)
	}
	defer func() { _ = raw.Close() }()
	defer context.AfterFunc(ctx, func() { _ = raw.Close() })()
	conn := &patience{Conn: raw, wait: waitTime, left: maxAnswers}
	c, err := s.begin(conn, !e.international())
	if err != nil {
		return s.ours(ctx, "begin with the mail server", err)
	}
	half := false // of the mail is written
	defer func() {
		if !half {
			conn.wait = quitTime
			_ = c.Quit() // whatever it says now, the answer was given before
		}
	}()
	if err := c.Mail(bare(e.from)); err != nil {
		return s.ours(ctx, "name the sender", err)
	}
	if err := c.Rcpt(bare(e.to)); err != nil {
		return s.theirs(ctx, "name the recipient", err, e.secrets)
	}
	w, err := c.Data()
	if err != nil {
		return s.theirs(ctx, "begin the mail", err, e.secrets)
	}
	half = true
	if _, err := w.Write(text); err != nil {
		return s.ours(ctx, "send the mail", err)
	}
	if err := handOver(); err != nil {
		return fmt.Errorf("hand the mail over: %w", err)
	}
	conn.wait = takeTime
	err, half = w.Close(), false
	if err != nil {
		return s.theirs(ctx, "finish the mail", err, e.secrets)
	}
	return nil
}

const (
	maxAnswers = 256 << 10 // all that a server may say to one mail, in bytes
	quitTime   = 3 * time.Second
	takeTime   = 5 * time.Minute // for a server to read a mail before it takes it; who is less patient sends it twice
)

// begin says hello, encrypts and logs in.
func (s *server) begin(conn net.Conn, onlyASCII bool) (*smtp.Client, error) {
	config := &tls.Config{ServerName: s.host, MinVersion: tls.VersionTLS12, RootCAs: s.roots}
	if s.tlsFirst {
		conn = tls.Client(conn, config)
	}
	c, err := smtp.NewClient(conn, s.host)
	if err != nil {
		return nil, err
	}
	c.SkipSMTPUTF8(onlyASCII) // a mail that does not need it must not be refused further on for want of it
	if err := c.Hello(s.helo); err != nil {
		return nil, err
	}
	encrypted := s.tlsFirst
	if offered, _ := c.Extension("STARTTLS"); offered && !encrypted {
		if err := c.StartTLS(config); err != nil {
			return nil, err
		}
		encrypted = true
	}
	return c, s.logIn(c, encrypted)
}

// logIn proves who we are in the best way that the server knows. A password never travels in clear.
func (s *server) logIn(c *smtp.Client, encrypted bool) error {
	if s.user == "" {
		return nil
	}
	_, offered := c.Extension("AUTH")
	offers := strings.Fields(strings.ToUpper(offered))
	for _, way := range []struct {
		name  string
		clear bool
		auth  smtp.Auth
	}{
		{"SCRAM-SHA-256", false, smtp.ScramSHA256Auth(s.user, s.password)},
		{"SCRAM-SHA-1", false, smtp.ScramSHA1Auth(s.user, s.password)},
		{"CRAM-MD5", false, smtp.CRAMMD5Auth(s.user, s.password)},
		{"PLAIN", true, smtp.PlainAuth("", s.user, s.password, s.host, false)},
		{"LOGIN", true, smtp.LoginAuth(s.user, s.password, s.host, false)},
	} {
		if slices.Contains(offers, way.name) && (encrypted || !way.clear) {
			return c.Auth(way.auth)
		}
	}
	return errors.New("the server offers no way to log in that keeps the password secret")
}

// bare is an address as the commands of SMTP have it.
func bare(a mail.Address) string { return (&mail.Address{Address: a.Address}).String() }

// ours makes an error of a failure that is no fault of the recipient's or the mail's: it may pass, or the operator mends it.
func (s *server) ours(ctx context.Context, doing string, err error) error {
	if answer, ok := errors.AsType[*textproto.Error](err); ok {
		return lost.E(lost.Unavailable, "The mail server does not take messages at the moment: %s", s.quote(answer, nil)).
			Because(errors.New("could not " + doing))
	}
	if odd, ok := errors.AsType[textproto.ProtocolError](err); ok {
		return fmt.Errorf("could not %s: the server said %q", doing, quote(odd.Error(), s.password))
	}
	if ctx.Err() != nil {
		return fmt.Errorf("could not %s: %w", doing, ctx.Err())
	}
	return fmt.Errorf("could not %s: %w", doing, err)
}

// theirs makes an error of a failure that may be the recipient's or the mail's own.
func (s *server) theirs(ctx context.Context, doing string, err error, secrets []string) error {
	answer, ok := errors.AsType[*textproto.Error](err)
	switch {
	case !ok:
		return s.ours(ctx, doing, err)
	case answer.Code < 500 || isOurFault(answer):
		return lost.E(lost.Unavailable, "The mail server does not take the message at the moment: %s", s.quote(answer, secrets)).
			Because(errors.New("could not " + doing))
	default:
		return lost.E(lost.Invalid, "The mail server refused the message: %s", s.quote(answer, secrets))
	}
}

func (s *server) quote(answer *textproto.Error, secrets []string) string {
	return quote(fmt.Sprintf("%d %s", answer.Code, answer.Msg), append(slices.Clone(secrets), s.password)...)
}

// unwelcome finds refusals of the sender: it is not logged in, may not relay, or cannot be shown to be who it says.
var unwelcome = regexp.MustCompile(`(?i)^5\.7\.(8|9|11|2[0-9])\b|authenticat|` +
	`relay(ing)?( access)? (is )?(denied|not (permitted|allowed))|(unable|not (permitted|allowed)) to relay|do(es)? not relay`)

// isOurFault tells refusals for good that no other recipient and no other text would have mended.
func isOurFault(answer *textproto.Error) bool {
	switch answer.Code {
	case 502, 503, 530, 534, 535, 538:
		return true
	default:
		return unwelcome.MatchString(answer.Msg)
	}
}

// patience is a connection that waits only so long for the other side, and listens only to so much.
type patience struct {
	net.Conn
	wait time.Duration
	left int
}

var errTalkative = errors.New("the server says more than a mail server has to say")

func (p *patience) Read(b []byte) (int, error) {
	if p.left <= 0 {
		return 0, errTalkative
	}
	_ = p.SetReadDeadline(time.Now().Add(p.wait)) // fails on a closed connection, and so does reading
	n, err := p.Conn.Read(b)
	p.left -= n
	return n, err
}

func (p *patience) Write(b []byte) (int, error) {
	_ = p.SetWriteDeadline(time.Now().Add(p.wait))
	return p.Conn.Write(b)
}

// try does all that comes before a mail.
func (s *server) try(ctx context.Context) error {
	raw, err := (&net.Dialer{Timeout: waitTime}).DialContext(ctx, "tcp", net.JoinHostPort(s.host, s.port))
	if err != nil {
		return fmt.Errorf("reach the mail server: %w", err)
	}
	defer func() { _ = raw.Close() }()
	defer context.AfterFunc(ctx, func() { _ = raw.Close() })()
	conn := &patience{Conn: raw, wait: waitTime, left: maxAnswers}
	c, err := s.begin(conn, true)
	if err != nil {
		return s.ours(ctx, "begin with the mail server", err)
	}
	conn.wait = quitTime
	_ = c.Quit() // whatever it says now, it would have taken a mail
	return nil
}
