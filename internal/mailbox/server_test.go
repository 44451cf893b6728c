package mailbox_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-imap/v2/imapserver/imapmemserver"

	"homeward/internal/mailbox"
)

const (
	user     = "replies@adler.example"
	password = "s3cret-pass:word"
)

// server is a mail server with one mailbox.
type server struct {
	t       *testing.T
	address string
	user    *imapmemserver.User
	roots   *x509.CertPool
	sent    *syncBuffer // what clients sent, without TLS

	mu    sync.Mutex
	conns []net.Conn
}

type serverOptions struct {
	implicitTLS, startTLS, insecureLogin bool
}

func newServer(t *testing.T, o serverOptions) *server {
	t.Helper()
	certified := httptest.NewUnstartedServer(nil) // for its certificate
	certified.StartTLS()
	t.Cleanup(certified.Close)
	s := &server{t: t, user: imapmemserver.NewUser(user, password), roots: x509.NewCertPool(), sent: &syncBuffer{}}
	s.roots.AddCert(certified.Certificate())
	if err := s.user.Create("INBOX", nil); err != nil {
		t.Fatal(err)
	}
	memory := imapmemserver.New()
	memory.AddUser(s.user)
	config := &tls.Config{Certificates: certified.TLS.Certificates, MinVersion: tls.VersionTLS12}
	options := &imapserver.Options{
		NewSession: func(*imapserver.Conn) (imapserver.Session, *imapserver.GreetingData, error) {
			return idleSession{memory.NewSession()}, nil, nil
		},
		InsecureAuth: o.insecureLogin, Logger: log.New(io.Discard, "", 0),
	}
	if o.startTLS {
		options.TLSConfig = config
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.address = listener.Addr().String()
	listener = &recordingListener{listener, s}
	if o.implicitTLS {
		listener = tls.NewListener(listener, config)
	}
	srv := imapserver.New(options)
	go func() { _ = srv.Serve(listener) }()
	t.Cleanup(func() { _ = srv.Close() })
	return s
}

// idleSession reports changes that happened before the client began to wait, as RFC 2177 wants. The session that it
// replaces reports only later ones.
type idleSession struct{ imapserver.Session }

func (s idleSession) Idle(w *imapserver.UpdateWriter, stop <-chan struct{}) error {
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

// recordingListener remembers the connections and what was received on them.
type recordingListener struct {
	net.Listener
	s *server
}

func (l *recordingListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	l.s.conns = append(l.s.conns, conn)
	return recordingConn{conn, l.s.sent}, nil
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

// dropConnections closes all connections, as a restart of the server does.
func (s *server) dropConnections() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, conn := range s.conns {
		_ = conn.Close()
	}
	s.conns = nil
}

type literal struct{ *bytes.Reader }

func (l literal) Size() int64 { return l.Reader.Size() }

// deliver puts an e-mail into the mailbox.
func (s *server) deliver(text string) {
	s.t.Helper()
	if _, err := s.user.Append("INBOX", literal{bytes.NewReader([]byte(text))}, &imap.AppendOptions{}); err != nil {
		s.t.Fatal(err)
	}
}

// unseen returns how many e-mails are not seen.
func (s *server) unseen() int {
	s.t.Helper()
	status, err := s.user.Status("INBOX", &imap.StatusOptions{NumUnseen: true})
	if err != nil {
		s.t.Fatal(err)
	}
	return int(*status.NumUnseen)
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// reading is a Reader that runs.
type reading struct {
	t    *testing.T
	got  chan string
	logs *syncBuffer
	stop context.CancelFunc
	done chan struct{}
}

// newReader returns a Reader with short waits. It polls instead of using IDLE if o says how
// often.
func newReader(t *testing.T, s *server, scheme string, o mailbox.Options) (*mailbox.Reader, *syncBuffer) {
	t.Helper()
	logs := &syncBuffer{}
	o.URL = scheme + "://" + "replies%40adler.example:s3cret-pass%3Aword@" + s.address + "/INBOX"
	o.Roots, o.Log = s.roots, slog.New(slog.NewTextHandler(logs, nil))
	if o.Poll == 0 {
		o.Poll = time.Hour
	}
	withoutIdle := o.Poll < time.Hour
	o.Retry, o.Redo = time.Millisecond, time.Millisecond
	r, err := mailbox.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if withoutIdle {
		r.IgnoreIdle()
	}
	return r, logs
}

// read starts to read. handle may be nil. Every e-mail that is handled successfully is sent to got.
func read(t *testing.T, s *server, scheme string, o mailbox.Options) *reading {
	t.Helper()
	g := &reading{t: t, got: make(chan string, 100), done: make(chan struct{})}
	handle := o.Handle
	o.Handle = func(ctx context.Context, raw io.Reader) error {
		text, err := io.ReadAll(raw)
		if err != nil {
			return err
		}
		if handle != nil {
			if err := handle(ctx, bytes.NewReader(text)); err != nil {
				return err
			}
		}
		g.got <- string(text)
		return nil
	}
	r, logs := newReader(t, s, scheme, o)
	g.logs = logs
	ctx, stop := context.WithCancel(t.Context())
	g.stop = stop
	go func() {
		defer close(g.done)
		r.Run(ctx)
	}()
	t.Cleanup(g.end)
	return g
}

// end stops reading and waits until it has stopped.
func (g *reading) end() {
	g.stop()
	select {
	case <-g.done:
	case <-time.After(30 * time.Second):
		g.t.Error("Run did not end")
	}
}

// next waits for the next e-mail.
func (g *reading) next() string {
	g.t.Helper()
	select {
	case text := <-g.got:
		return text
	case <-time.After(30 * time.Second):
		g.t.Fatalf("no e-mail arrived; log:\n%s", g.logs)
		return ""
	}
}
