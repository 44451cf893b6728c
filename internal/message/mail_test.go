package message_test

import (
	"errors"
	"io"
	"net"
	"net/mail"
	"strings"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"homeward/internal/lost"
	"homeward/internal/message"
)

// server is a mail server that keeps what it gets.
type server struct {
	received chan string
	refuse   error
}

func (s *server) NewSession(*smtp.Conn) (smtp.Session, error) { return &session{server: s}, nil }

type session struct{ server *server }

func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(string, string, string) error { return errors.New("a password came in clear") }), nil
}
func (s *session) Mail(string, *smtp.MailOptions) error { return nil }
func (s *session) Rcpt(string, *smtp.RcptOptions) error { return s.server.refuse }
func (s *session) Reset()                               {}
func (s *session) Logout() error                        { return nil }
func (s *session) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	s.server.received <- string(text)
	return err
}

func start(t *testing.T, refuse error) (address string, received chan string) {
	t.Helper()
	backend := &server{received: make(chan string, 1), refuse: refuse}
	s := smtp.NewServer(backend)
	s.Domain, s.AllowInsecureAuth = "localhost", true
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = s.Serve(l) }() // until it is closed
	t.Cleanup(func() { _ = s.Close() })
	return l.Addr().String(), backend.received
}

func TestAMessageArrives(t *testing.T) {
	address, received := start(t, nil)
	m, err := message.NewMailer("smtp://"+address, "lost@hotel.example")
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Send(t.Context(), "anna@example.com", "Grüße", "Line one\nLine two\n"); err != nil {
		t.Fatal(err)
	}
	read, err := mail.ReadMessage(strings.NewReader(<-received))
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(read.Body)
	if read.Header.Get("To") != "<anna@example.com>" || read.Header.Get("From") != "<lost@hotel.example>" || !strings.Contains(string(body), "Line two") {
		t.Errorf("%v\n%s", read.Header, body)
	}
}

func TestAPasswordIsNotSentInClear(t *testing.T) {
	address, received := start(t, nil)
	m, err := message.NewMailer("smtp://desk:p%40ss@"+address, "lost@hotel.example")
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Send(t.Context(), "anna@example.com", "Hello", "Text"); err == nil || len(received) > 0 {
		t.Errorf("sent: %v", err)
	}
}

func TestWhatIsRefusedForGoodIsToldApart(t *testing.T) {
	for code, want := range map[int]lost.Code{550: lost.Invalid, 451: lost.Internal} {
		address, _ := start(t, &smtp.SMTPError{Code: code, EnhancedCode: smtp.EnhancedCode{code / 100, 1, 1}, Message: "no such mailbox"})
		m, err := message.NewMailer("smtp://"+address, "lost@hotel.example")
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Send(t.Context(), "anna@example.com", "Hello", "Text"); err == nil || lost.CodeOf(err) != want {
			t.Errorf("%d: %v", code, err)
		}
	}
	if _, err := message.NewMailer("smtp://", "x@y.example"); err == nil {
		t.Error("a server without a name was taken")
	}
}
