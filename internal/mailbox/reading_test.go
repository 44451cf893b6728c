package mailbox_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"testing"
	"time"

	"homeward/internal/mailbox"
	"homeward/internal/mailbox/mailboxtest"
)

// reading is a Reader that runs.
type reading struct {
	t    *testing.T
	got  chan string
	logs *mailboxtest.Buffer
	stop context.CancelFunc
	done chan struct{}
}

// newReader returns a Reader with short waits. It polls instead of using IDLE if o says how
// often.
func newReader(t *testing.T, s *mailboxtest.Server, scheme string,
	o mailbox.Options) (*mailbox.Reader, *mailboxtest.Buffer) {
	t.Helper()
	logs := &mailboxtest.Buffer{}
	o.URL = s.URL(scheme)
	o.Roots, o.Log = s.Roots, slog.New(slog.NewTextHandler(logs, nil))
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
func read(t *testing.T, s *mailboxtest.Server, scheme string, o mailbox.Options) *reading {
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
