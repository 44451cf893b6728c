package mailbox_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"

	"homeward/internal/mailbox"
	"homeward/internal/mailbox/mailboxtest"
)

const hello = "From: a@b.example\r\nMessage-ID: <1@b.example>\r\n\r\nHello\r\n"

func TestUnreadMailsAreReadInOrderAndMarked(t *testing.T) {
	s := mailboxtest.New(t, mailboxtest.Options{ImplicitTLS: true})
	s.Deliver(hello + "1")
	s.Deliver(hello + "2")
	g := read(t, s, "imaps", mailbox.Options{})
	for _, want := range []string{hello + "1", hello + "2"} {
		if got := g.next(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	s.Deliver(hello + "3") // reported by IDLE: the next poll is in an hour
	if got := g.next(); got != hello+"3" {
		t.Errorf("got %q", got)
	}
	s.Deliver(hello + "4") // when it arrives, 3 is marked
	g.next()
	if n := s.Unseen(); n > 1 {
		t.Errorf("%d e-mails are not marked", n)
	}
	g.end()
	again := read(t, s, "imaps", mailbox.Options{})
	s.Deliver(hello + "5")
	for got := again.next(); got != hello+"5"; got = again.next() {
		if got != hello+"4" { // may have been read but not marked
			t.Errorf("read again: %q", got)
		}
	}
}

func TestAServerWithoutIdleIsPolled(t *testing.T) {
	s := mailboxtest.New(t, mailboxtest.Options{ImplicitTLS: true})
	g := read(t, s, "imaps", mailbox.Options{Poll: 5 * time.Millisecond})
	for range 3 {
		s.Deliver(hello)
		g.next()
	}
}

func TestAMailThatFailsDoesNotBlockOthersAndIsFlagged(t *testing.T) {
	s := mailboxtest.New(t, mailboxtest.Options{ImplicitTLS: true})
	for name, fail := range map[string]func() error{
		"error": func() error { return errors.New("cannot read it") },
		"panic": func() error { panic("boom") },
	} {
		t.Run(name, func(t *testing.T) {
			var attempts atomic.Int32
			gaveUp := make(chan struct{})
			s.Deliver("Subject: poison\r\n\r\n" + name)
			s.Deliver(hello)
			g := read(t, s, "imaps", mailbox.Options{Handle: func(_ context.Context, raw io.Reader) error {
				text, _ := io.ReadAll(raw)
				if !bytes.Contains(text, []byte("poison")) {
					return nil
				}
				if attempts.Add(1) == mailbox.MaxAttempts {
					close(gaveUp)
				}
				return fail()
			}})
			g.next()
			<-gaveUp
			s.Deliver(hello)
			g.next()
			s.Deliver(hello) // one more round, in which it would be tried again
			g.next()
			if n := attempts.Load(); n != mailbox.MaxAttempts {
				t.Errorf("tried %d times, want %d", n, mailbox.MaxAttempts)
			}
			if !strings.Contains(g.logs.String(), "flagged") {
				t.Errorf("not logged:\n%s", g.logs)
			}
			g.end()
			if n := s.Unseen(); n == 0 {
				t.Error("the e-mail that failed is marked as seen")
			}
		})
	}
}

func TestATemporaryFailureIsTriedAgain(t *testing.T) {
	s := mailboxtest.New(t, mailboxtest.Options{ImplicitTLS: true})
	s.Deliver(hello)
	var attempts atomic.Int32
	g := read(t, s, "imaps", mailbox.Options{Handle: func(context.Context, io.Reader) error {
		if attempts.Add(1) < 4 {
			return errors.New("the database is not available")
		}
		return nil
	}})
	if got := g.next(); got != hello {
		t.Errorf("got %q", got)
	}
}

func TestAMailIsDeliveredAgainIfItWasNotMarked(t *testing.T) {
	s := mailboxtest.New(t, mailboxtest.Options{ImplicitTLS: true})
	s.Deliver(hello)
	var attempts atomic.Int32
	g := read(t, s, "imaps", mailbox.Options{Handle: func(context.Context, io.Reader) error {
		if attempts.Add(1) == 1 {
			s.DropConnections() // between the handler and the mark
		}
		return nil
	}})
	for range 2 {
		if got := g.next(); got != hello {
			t.Errorf("got %q", got)
		}
	}
}

func TestALostConnectionIsReplaced(t *testing.T) {
	s := mailboxtest.New(t, mailboxtest.Options{ImplicitTLS: true})
	g := read(t, s, "imaps", mailbox.Options{})
	for range 3 {
		s.Deliver(hello)
		g.next()
		s.DropConnections()
	}
	s.Deliver(hello)
	g.next()
}

func TestTheContextEndsReadingAtOnce(t *testing.T) {
	s := mailboxtest.New(t, mailboxtest.Options{ImplicitTLS: true})
	t.Run("while waiting", func(t *testing.T) {
		g := read(t, s, "imaps", mailbox.Options{})
		s.Deliver(hello)
		g.next()
		g.end()
	})
	t.Run("while handling", func(t *testing.T) {
		started := make(chan struct{}, 10)
		g := read(t, s, "imaps", mailbox.Options{Handle: func(ctx context.Context, _ io.Reader) error {
			started <- struct{}{}
			<-ctx.Done()
			return nil // even then, it is not marked
		}})
		s.Deliver(hello)
		<-started
		g.end()
		if s.Unseen() == 0 {
			t.Error("the e-mail is marked")
		}
	})
	t.Run("while connecting fails", func(t *testing.T) {
		r, err := mailbox.New(mailbox.Options{URL: "imaps://a:b@127.0.0.1:1/"})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		r.Run(ctx)
	})
}

func TestLargeMailsArePassedInPart(t *testing.T) {
	s := mailboxtest.New(t, mailboxtest.Options{ImplicitTLS: true})
	s.Deliver(hello + strings.Repeat("x", mailbox.MaxSize))
	g := read(t, s, "imaps", mailbox.Options{})
	if got := g.next(); !strings.HasPrefix(got, hello) || len(got) != 4<<20 {
		t.Errorf("got %d bytes", len(got))
	}
}

func TestStartTLSIsRequiredExceptOnLoopback(t *testing.T) {
	s := mailboxtest.New(t, mailboxtest.Options{StartTLS: true, InsecureLogin: true})
	r, _ := newReader(t, s, "imap", mailbox.Options{})
	r.RequireTLS()
	if err := r.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if strings.Contains(s.Sent.String(), "LOGIN") || strings.Contains(s.Sent.String(), "AUTHENTICATE") {
		t.Error("logged in without TLS")
	}

	without := mailboxtest.New(t, mailboxtest.Options{InsecureLogin: true})
	r, _ = newReader(t, without, "imap", mailbox.Options{})
	r.RequireTLS()
	if err := r.Check(t.Context()); err == nil {
		t.Error("a server without STARTTLS is accepted")
	}
	if sent := without.Sent.String(); strings.Contains(sent, "LOGIN") || strings.Contains(sent, "AUTHENTICATE") {
		t.Error("the password was sent without TLS")
	}

	r, _ = newReader(t, without, "imap", mailbox.Options{})
	if err := r.Check(t.Context()); err != nil {
		t.Errorf("on loopback: %v", err)
	}
}

func TestAnUntrustedCertificateIsRefused(t *testing.T) {
	s := mailboxtest.New(t, mailboxtest.Options{ImplicitTLS: true})
	s.Roots = nil
	r, _ := newReader(t, s, "imaps", mailbox.Options{})
	if err := r.Check(t.Context()); err == nil {
		t.Error("accepted")
	}
}

func TestThePasswordIsNeverShown(t *testing.T) {
	s := mailboxtest.New(t, mailboxtest.Options{ImplicitTLS: true})
	s.User = nil
	wrong := "imaps://replies%40adler.example:wr0ng-secret@" + s.Address + "/Other"
	var logs mailboxtest.Buffer
	r, err := mailbox.New(mailbox.Options{URL: wrong, Roots: s.Roots})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Check(t.Context()); err == nil || strings.Contains(err.Error(), "wr0ng") {
		t.Errorf("got %v", err)
	}
	for _, url := range []string{
		"imaps://u:wr0ng-secret@:bad port/", "pop3://u:wr0ng-secret@host/", "imaps://u:wr0ng-secret@host/?x=y",
		"wr0ng-secret",
		"imaps://:wr0ng-secret@host/", "imaps://u:wr0ng%zz-secret@host/",
	} {
		if _, err := mailbox.New(mailbox.Options{URL: url}); err == nil || strings.Contains(err.Error(), "wr0ng") {
			t.Errorf("%s: got %v", url, err)
		}
	}
	if strings.Contains(logs.String(), "wr0ng") {
		t.Errorf("logged: %s", &logs)
	}
}

func TestAMissingFolderIsReported(t *testing.T) {
	s := mailboxtest.New(t, mailboxtest.Options{ImplicitTLS: true})
	r, err := mailbox.New(mailbox.Options{
		URL: "imaps://replies%40adler.example:s3cret-pass%3Aword@" + s.Address + "/Replies", Roots: s.Roots,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Errorf("got %v", err)
	}
	if err := s.User.Create("Replies", nil); err != nil {
		t.Fatal(err)
	}
	if err := r.Check(t.Context()); err != nil {
		t.Error(err)
	}
	text := mailboxtest.Literal{Reader: bytes.NewReader([]byte(hello))}
	if _, err := s.User.Append("Replies", text, &imap.AppendOptions{}); err != nil {
		t.Fatal(err)
	}
}
