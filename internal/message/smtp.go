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
	"sync/atomic"
	"time"

	"github.com/wneessen/go-mail/smtp"

	"homeward/internal/lost"
)

// server is the mail server through which e-mails are sent.
type server struct {
	host, port     string
	user, password string
	tlsFirst       bool
	roots          *x509.CertPool
	helo           string
	// onlyFrom is true once the server has rejected an e-mail with another sender than the one in From, and has
	// accepted it with that one.
	onlyFrom atomic.Bool
}

func parseServer(raw string, roots *x509.CertPool) (*server, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() == "" || u.Scheme != "smtp" && u.Scheme != "smtps" {
		// The error does not quote the setting, which contains the password.
		return nil, errors.New("the mail server must be a URL such as smtp://user:password@host:port")
	}
	s := &server{
		host: u.Hostname(), port: u.Port(), user: u.User.Username(), tlsFirst: u.Scheme == "smtps", roots: roots,
	}
	s.password, _ = u.User.Password()
	if s.port == "" {
		s.port = "587"
		if s.tlsFirst {
			s.port = "465"
		}
	}
	return s, nil
}

// deliver sends one e-mail over a new connection. It calls handOver once, when the server has received the whole e-mail
// except for the last line, which makes the server responsible for the e-mail. If handOver fails, the connection is
// closed without QUIT, which would first send the last line.
func (s *server) deliver(ctx context.Context, e envelope, handOver func() error) error {
	if err := e.check(); err != nil {
		return err
	}
	text, err := e.bytes()
	if err != nil {
		return fmt.Errorf("encode the e-mail: %w", err)
	}
	dialer := net.Dialer{Timeout: waitTime}
	raw, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(s.host, s.port))
	if err != nil {
		return fmt.Errorf("connect to the mail server: %w", err)
	}
	defer func() { _ = raw.Close() }()
	defer context.AfterFunc(ctx, func() { _ = raw.Close() })()
	conn := &limitedConn{Conn: raw, wait: waitTime, left: maxReplies}
	c, err := s.begin(conn, !e.international())
	if err != nil {
		return s.senderError(ctx, "start a session with the mail server", err)
	}
	d := &delivery{server: s, client: c, conn: conn, envelope: e, content: text, handOver: handOver}
	defer func() {
		if !d.partial {
			conn.wait = quitTime
			_ = c.Quit() // errors no longer matter: the e-mail was accepted
		}
	}()
	return d.send(ctx)
}

const (
	maxReplies = 256 << 10 // maximum size of a server's replies to one e-mail, in bytes
	quitTime   = 3 * time.Second
	// acceptTime is how long the server may take to accept an e-mail. It is long, because an e-mail that is accepted
	// after this time may be sent again.
	acceptTime = 5 * time.Minute
)

// begin greets the server, starts TLS if the server offers it, and logs in.
func (s *server) begin(conn net.Conn, onlyASCII bool) (*smtp.Client, error) {
	config := &tls.Config{ServerName: s.host, MinVersion: tls.VersionTLS12, RootCAs: s.roots}
	if s.tlsFirst {
		conn = tls.Client(conn, config)
	}
	c, err := smtp.NewClient(conn, s.host)
	if err != nil {
		return nil, err
	}
	c.SkipSMTPUTF8(onlyASCII) // a later server may reject an e-mail that uses SMTPUTF8 without needing it
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

// logIn logs in with the most secure method that the server offers. The password is never sent unencrypted.
func (s *server) logIn(c *smtp.Client, encrypted bool) error {
	if s.user == "" {
		return nil
	}
	_, offered := c.Extension("AUTH")
	offers := strings.Fields(strings.ToUpper(offered))
	for _, method := range []struct {
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
		if slices.Contains(offers, method.name) && (encrypted || !method.clear) {
			return c.Auth(method.auth)
		}
	}
	return errors.New("the server offers no login method that keeps the password secret")
}

// smtpAddress formats an address for SMTP commands.
func smtpAddress(a mail.Address) string { return (&mail.Address{Address: a.Address}).String() }

// senderError returns the error for a failure that is caused neither by the recipient nor by the e-mail: it may be
// temporary, or the operator can fix it.
func (s *server) senderError(ctx context.Context, doing string, err error) error {
	if reply, ok := errors.AsType[*textproto.Error](err); ok {
		return lost.E(lost.Unavailable, "The mail server is not accepting messages at the moment: %s",
			s.quote(reply, nil)).
			WithCause(errors.New("could not " + doing))
	}
	if invalid, ok := errors.AsType[textproto.ProtocolError](err); ok {
		return fmt.Errorf("could not %s: the server said %q", doing, quote(invalid.Error(), s.password))
	}
	if ctx.Err() != nil {
		return fmt.Errorf("could not %s: %w", doing, ctx.Err())
	}
	return fmt.Errorf("could not %s: %w", doing, err)
}

// recipientError returns the error for a failure that may be caused by the recipient or the e-mail.
func (s *server) recipientError(ctx context.Context, doing string, err error, secrets []string) error {
	reply, ok := errors.AsType[*textproto.Error](err)
	switch {
	case !ok:
		return s.senderError(ctx, doing, err)
	case reply.Code < 500 || isOurFault(reply):
		return lost.E(lost.Unavailable, "The mail server has not accepted the message yet: %s",
			s.quote(reply, secrets)).
			WithCause(errors.New("could not " + doing))
	default:
		return lost.E(lost.Invalid, "The mail server rejected the message: %s", s.quote(reply, secrets))
	}
}

func (s *server) quote(reply *textproto.Error, secrets []string) string {
	return quote(fmt.Sprintf("%d %s", reply.Code, reply.Msg), append(slices.Clone(secrets), s.password)...)
}

// unwelcome matches replies that reject the sender, because it is not logged in, may not relay, or fails
// authentication checks.
var unwelcome = regexp.MustCompile(`(?i)^5\.7\.(8|9|11|2[0-9])\b|authenticat|` +
	`relay(ing)?( access)? (is )?(denied|not (permitted|allowed))|(unable|not (permitted|allowed)) to relay|` +
	`do(es)? not relay`)

// isOurFault reports whether an e-mail was permanently rejected because of the sender, so that another recipient or
// text would not help.
func isOurFault(reply *textproto.Error) bool {
	switch reply.Code {
	case 502, 503, 530, 534, 535, 538:
		return true
	default:
		return unwelcome.MatchString(reply.Msg)
	}
}

// limitedConn is a connection with a timeout for every read and write, and a limit on the total number of bytes read.
type limitedConn struct {
	net.Conn
	wait time.Duration
	left int
}

var errLongReplies = errors.New("the server's replies are too long")

func (p *limitedConn) Read(b []byte) (int, error) {
	if p.left <= 0 {
		return 0, errLongReplies
	}
	_ = p.SetReadDeadline(time.Now().Add(p.wait)) // if the connection is closed, this fails, and so does the read
	n, err := p.Conn.Read(b)
	p.left -= n
	return n, err
}

func (p *limitedConn) Write(b []byte) (int, error) {
	_ = p.SetWriteDeadline(time.Now().Add(p.wait))
	return p.Conn.Write(b)
}

// check connects, starts TLS and logs in, without sending an e-mail.
func (s *server) check(ctx context.Context) error {
	raw, err := (&net.Dialer{Timeout: waitTime}).DialContext(ctx, "tcp", net.JoinHostPort(s.host, s.port))
	if err != nil {
		return fmt.Errorf("connect to the mail server: %w", err)
	}
	defer func() { _ = raw.Close() }()
	defer context.AfterFunc(ctx, func() { _ = raw.Close() })()
	conn := &limitedConn{Conn: raw, wait: waitTime, left: maxReplies}
	c, err := s.begin(conn, true)
	if err != nil {
		return s.senderError(ctx, "start a session with the mail server", err)
	}
	conn.wait = quitTime
	_ = c.Quit() // the check has already succeeded
	return nil
}
