// Package mailtest runs a real mail server for tests. It stores every message that it receives, and returns the
// parsed messages.
package mailtest

import (
	"errors"
	"io"
	"log"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-message/mail"
	"github.com/emersion/go-smtp"
)

// Server is a mail server. Start returns one.
type Server struct {
	address string
	// Refuse returns an error if the server must reject a recipient. If Refuse is nil, all recipients are accepted.
	// Set it before the first message.
	Refuse func(to string) error
	// OnReceived is called when a message has arrived but is not yet acknowledged. It may be nil.
	OnReceived func(to string)
	// OnAcknowledged is called after a message was acknowledged to its sender. It may be nil.
	OnAcknowledged func(to string)

	mu      sync.Mutex
	mails   []Mail
	next    int           // the index of the first message that Next has not looked at
	arrived chan struct{} // closed and replaced whenever a message arrives
}

// Mail is a message that arrived.
type Mail struct {
	To     string // the recipient in the SMTP session
	Sender string // the sender in the SMTP session
	Raw    string
	Header mail.Header
	Text   string
	HTML   string
	// Attachments holds the files attached to the message, in order.
	Attachments []Attachment
	// Photo is the picture that the HTML shows as cid:photo@homeward; nil if there is none.
	Photo []byte
}

// Attachment is a file attached to a message.
type Attachment struct {
	Name    string
	Type    string // such as application/pdf
	Content []byte
}

// Start runs a server until the test ends.
func Start(t testing.TB) *Server {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{address: l.Addr().String(), arrived: make(chan struct{})}
	server := smtp.NewServer(s)
	server.Domain = "localhost"
	server.ErrorLog = log.New(io.Discard, "", 0) // some tests close connections early
	go func() { _ = server.Serve(l) }()          // runs until the server is closed
	t.Cleanup(func() { _ = server.Close() })
	return s
}

// URL returns the server's address as HOMEWARD_SMTP expects it.
func (s *Server) URL() string { return "smtp://" + s.address }

// nextTimeout is how long Next waits for a message.
const nextTimeout = 30 * time.Second

// Next waits for the next message to an address and returns it. It skips messages to other addresses, and fails the
// test after nextTimeout.
func (s *Server) Next(t testing.TB, to string) Mail {
	t.Helper()
	deadline := time.After(nextTimeout)
	for {
		s.mu.Lock()
		for s.next < len(s.mails) {
			m := s.mails[s.next]
			s.next++
			if m.To == to {
				s.mu.Unlock()
				return m
			}
		}
		arrived := s.arrived
		s.mu.Unlock()
		select {
		case <-arrived:
		case <-deadline:
			t.Fatalf("no message to %s arrived", to)
		}
	}
}

// All returns every message that has arrived.
func (s *Server) All() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Mail(nil), s.mails...)
}

// Arrived returns a channel that is closed when the next message arrives.
func (s *Server) Arrived() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.arrived
}

// Link returns the first URL in the text that begins with prefix, or an empty string if there is none.
func (m Mail) Link(prefix string) string {
	for word := range strings.FieldsSeq(m.Text) {
		if strings.HasPrefix(word, prefix) {
			return word
		}
	}
	return ""
}

// NewSession starts a session; the SMTP library calls it.
func (s *Server) NewSession(*smtp.Conn) (smtp.Session, error) { return &session{server: s}, nil }

type session struct {
	server   *Server
	sender   string
	to       []string
	received string // the recipient of the message that has arrived
}

func (d *session) Mail(sender string, _ *smtp.MailOptions) error {
	d.sender = sender
	return nil
}

func (d *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	if d.server.Refuse != nil {
		if err := d.server.Refuse(to); err != nil {
			return err
		}
	}
	d.to = append(d.to, to)
	return nil
}

func (d *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	m, err := read(string(raw))
	if err != nil {
		return &smtp.SMTPError{Code: 554, Message: "this is not a valid message: " + err.Error()}
	}
	m.Sender = d.sender
	d.server.store(m, d.to)
	if d.server.OnReceived != nil {
		d.server.OnReceived(d.to[0])
	}
	d.received = d.to[0]
	return nil
}

func (s *Server) store(m Mail, recipients []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, to := range recipients {
		m.To = to
		s.mails = append(s.mails, m)
	}
	close(s.arrived)
	s.arrived = make(chan struct{})
}

// Reset is called by the SMTP library after each message, while the reply is being sent.
func (d *session) Reset() {
	to := d.received
	d.to, d.received = nil, ""
	if to != "" && d.server.OnAcknowledged != nil {
		d.server.OnAcknowledged(to)
	}
}

func (d *session) Logout() error { return nil }

// read parses a message.
func read(raw string) (Mail, error) {
	m := Mail{Raw: raw}
	r, err := mail.CreateReader(strings.NewReader(raw))
	if err != nil {
		return m, err
	}
	m.Header = r.Header
	for {
		part, err := r.NextPart()
		if errors.Is(err, io.EOF) {
			return m, nil
		}
		if err != nil {
			return m, err
		}
		body, err := io.ReadAll(part.Body)
		if err != nil {
			return m, err
		}
		if err := m.addPart(part.Header, body); err != nil {
			return m, err
		}
	}
}

// addPart adds one MIME part to the message.
func (m *Mail) addPart(head mail.PartHeader, body []byte) error {
	switch h := head.(type) {
	case *mail.AttachmentHeader:
		name, err := h.Filename()
		if err != nil {
			return err
		}
		kind, _, err := h.ContentType()
		m.Attachments = append(m.Attachments, Attachment{Name: name, Type: kind, Content: body})
		return err
	case *mail.InlineHeader:
		switch kind, _, _ := h.ContentType(); kind {
		case "text/plain":
			m.Text = string(body)
		case "text/html":
			m.HTML = string(body)
		case "image/jpeg", "image/png":
			if h.Get("Content-Id") == "<photo@homeward>" {
				m.Photo = body
			}
		}
	}
	return nil
}
