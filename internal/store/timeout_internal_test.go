package store

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"
)

// TestAServerThatDoesNotRespondTimesOut checks that reads and writes time out, and that a canceled
// caller does not wait for the timeout.
func TestAServerThatDoesNotRespondTimesOut(t *testing.T) {
	near, far := net.Pipe()
	defer func() { _, _ = near.Close(), far.Close() }()
	l := &deadlineConn{Conn: near, timeout: 20 * time.Millisecond}
	if _, err := l.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("read from a server that does not respond: got error %v", err)
	}
	if _, err := l.Write([]byte("a")); !errors.Is(err, os.ErrDeadlineExceeded) { // the server does not read
		t.Errorf("write to a server that does not read: got error %v", err)
	}
	l.setTimeout(time.Hour)
	if err := l.SetDeadline(time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("read after the caller has canceled: got error %v", err)
	}
	if err := l.SetDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	l.setTimeout(0)
	go func() { _, _ = far.Write([]byte("b")) }()
	if n, err := l.Read(make([]byte, 1)); n != 1 || err != nil {
		t.Errorf("got %d bytes, %v, want 1", n, err)
	}
}

// TestALongBatchDoesNotTimeOut checks that a batch that takes longer than the timeout is not
// canceled while the server accepts parts of it.
func TestALongBatchDoesNotTimeOut(t *testing.T) {
	near, far := net.Pipe()
	defer func() { _, _ = near.Close(), far.Close() }()
	const timeout = 200 * time.Millisecond
	l := &deadlineConn{Conn: near, timeout: timeout}
	batch := make([]byte, 20*16<<10)
	go func() {
		part := make([]byte, 16<<10)
		for tick := time.NewTicker(timeout / 10); ; <-tick.C { // twice as long as the timeout in total
			if _, err := io.ReadFull(far, part); err != nil {
				tick.Stop()
				return
			}
		}
	}()
	if n, err := l.Write(batch); n != len(batch) || err != nil {
		t.Errorf("wrote %d of %d bytes: %v", n, len(batch), err)
	}
}

// TestAResponseExtendsTheWriteDeadline covers a server that sends responses but does not accept
// more data yet. Such a server is busy, not frozen.
func TestAResponseExtendsTheWriteDeadline(t *testing.T) {
	near, far := net.Pipe()
	defer func() { _, _ = near.Close(), far.Close() }()
	const timeout, responses = 200 * time.Millisecond, 20
	l := &deadlineConn{Conn: near, timeout: timeout}
	go func() {
		for range responses {
			if _, err := l.Read(make([]byte, 1)); err != nil {
				return
			}
		}
	}()
	go func() {
		tick := time.NewTicker(timeout / 10)
		defer tick.Stop()
		for range responses { // twice as long as the timeout in total
			<-tick.C
			_, _ = far.Write([]byte("a"))
		}
		_, _ = io.CopyN(io.Discard, far, 1)
	}()
	if _, err := l.Write([]byte("b")); err != nil {
		t.Errorf("write to a busy server: %v", err)
	}
}
