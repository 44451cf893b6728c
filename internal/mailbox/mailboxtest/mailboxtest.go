// Package mailboxtest runs an IMAP server for tests.
package mailboxtest

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-imap/v2/imapserver/imapmemserver"
)

// The mailbox's user, which is its address, unless the options have another one, and its password.
const (
	User     = "replies@adler.example"
	Password = "s3cret-pass:word"
)

// Server is a mail server with one mailbox.
type Server struct {
	Address string
	User    *imapmemserver.User
	Roots   *x509.CertPool
	Sent    *Buffer // what clients sent, without TLS

	// BeforeMark is called before an e-mail is marked, which fails if it returns an error. It may be nil. Set it before
	// the first client connects.
	BeforeMark func() error

	t       testing.TB
	mailbox string

	mu    sync.Mutex
	conns []net.Conn
}

// Options are the properties of a Server.
type Options struct {
	ImplicitTLS, StartTLS, InsecureLogin bool

	Address string // of the mailbox; User if empty
}

// New runs a server until the test ends.
func New(t testing.TB, o Options) *Server {
	t.Helper()
	certified := httptest.NewUnstartedServer(nil) // for its certificate
	certified.StartTLS()
	t.Cleanup(certified.Close)
	s := &Server{t: t, mailbox: cmp.Or(o.Address, User), Roots: x509.NewCertPool(), Sent: &Buffer{}}
	s.User = imapmemserver.NewUser(s.mailbox, Password)
	s.Roots.AddCert(certified.Certificate())
	if err := s.User.Create("INBOX", nil); err != nil {
		t.Fatal(err)
	}
	memory := imapmemserver.New()
	memory.AddUser(s.User)
	config := &tls.Config{Certificates: certified.TLS.Certificates, MinVersion: tls.VersionTLS12}
	options := &imapserver.Options{
		NewSession: func(*imapserver.Conn) (imapserver.Session, *imapserver.GreetingData, error) {
			return session{memory.NewSession(), s}, nil, nil
		},
		InsecureAuth: o.InsecureLogin, Logger: log.New(io.Discard, "", 0),
	}
	if o.StartTLS {
		options.TLSConfig = config
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.Address = listener.Addr().String()
	listener = &recordingListener{listener, s}
	if o.ImplicitTLS {
		listener = tls.NewListener(listener, config)
	}
	srv := imapserver.New(options)
	go func() { _ = srv.Serve(listener) }()
	t.Cleanup(func() { _ = srv.Close() })
	return s
}

// session reports changes that happened before the client began to wait, as RFC 2177 wants. The session that it
// replaces reports only later ones.
type session struct {
	imapserver.Session
	server *Server
}

// Idle reports changes until the client stops waiting.
func (s session) Idle(w *imapserver.UpdateWriter, stop <-chan struct{}) error {
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for {
		if err := s.Poll(w, true); err != nil {
			return err
		}
		select {
		case <-stop:
			return nil
		case <-ticker.C:
		}
	}
}

// Store marks e-mails.
func (s session) Store(w *imapserver.FetchWriter, set imap.NumSet, flags *imap.StoreFlags,
	o *imap.StoreOptions) error {
	if s.server.BeforeMark != nil {
		if err := s.server.BeforeMark(); err != nil {
			return err
		}
	}
	return s.Session.Store(w, set, flags, o)
}

// recordingListener remembers the connections and what was received on them.
type recordingListener struct {
	net.Listener
	s *Server
}

func (l *recordingListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	l.s.conns = append(l.s.conns, conn)
	return recordingConn{conn, l.s.Sent}, nil
}

type recordingConn struct {
	net.Conn
	sent io.Writer
}

func (c recordingConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	_, _ = c.sent.Write(b[:n])
	return n, err
}

// DropConnections closes all connections, as a restart of the server does.
func (s *Server) DropConnections() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, conn := range s.conns {
		_ = conn.Close()
	}
	s.conns = nil
}

// Literal is an e-mail to append to a folder.
type Literal struct{ *bytes.Reader }

// Size returns the number of bytes.
func (l Literal) Size() int64 { return l.Reader.Size() }

// URL returns the mailbox as HOMEWARD_IMAP expects it.
func (s *Server) URL(scheme string) string {
	user := url.UserPassword(cmp.Or(s.mailbox, User), Password)
	mailbox := url.URL{Scheme: scheme, User: user, Host: s.Address, Path: "/INBOX"}
	return mailbox.String()
}

// Deliver puts an e-mail into the mailbox.
func (s *Server) Deliver(text string) {
	s.t.Helper()
	if _, err := s.User.Append("INBOX", Literal{bytes.NewReader([]byte(text))}, &imap.AppendOptions{}); err != nil {
		s.t.Fatal(err)
	}
}

// Unseen returns how many e-mails are not seen.
func (s *Server) Unseen() int {
	s.t.Helper()
	status, err := s.User.Status("INBOX", &imap.StatusOptions{NumUnseen: true})
	if err != nil {
		s.t.Fatal(err)
	}
	return int(*status.NumUnseen)
}

// Buffer is a bytes.Buffer for concurrent use.
type Buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write appends to the buffer.
func (s *Buffer) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

func (s *Buffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
