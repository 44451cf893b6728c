package store

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"
)

// A server that sends nothing is waited for only until the timeout, and not at all after the caller has left.
func TestAServerThatDoesNotRespondTimesOut(t *testing.T) {
	near, far := net.Pipe()
	defer func() { _, _ = near.Close(), far.Close() }()
	l := &deadlineConn{Conn: near, timeout: 20 * time.Millisecond}
	if _, err := l.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("read from a server that does not respond: %v", err)
	}
	if _, err := l.Write([]byte("a")); !errors.Is(err, os.ErrDeadlineExceeded) { // nobody reads
		t.Errorf("write to a server that does not read: %v", err)
	}
	l.setTimeout(time.Hour)
	if err := l.SetDeadline(time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("read after the caller has left: %v", err)
	}
	if err := l.SetDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	l.setTimeout(0)
	go func() { _, _ = far.Write([]byte("b")) }()
	if n, err := l.Read(make([]byte, 1)); n != 1 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// A batch that takes longer than the timeout is not canceled while the server accepts parts of it.
func TestALongBatchDoesNotTimeOut(t *testing.T) {
	near, far := net.Pipe()
	defer func() { _, _ = near.Close(), far.Close() }()
	const bound = 200 * time.Millisecond
	l := &deadlineConn{Conn: near, timeout: bound}
	batch := make([]byte, 20*16<<10)
	go func() {
		part := make([]byte, 16<<10)
		for tick := time.NewTicker(bound / 10); ; <-tick.C { // twice as long as the timeout in total
			if _, err := io.ReadFull(far, part); err != nil {
				tick.Stop()
				return
			}
		}
	}()
	if n, err := l.Write(batch); n != len(batch) || err != nil {
		t.Errorf("%d of %d bytes were written: %v", n, len(batch), err)
	}
}

// A server that responds while it accepts nothing is busy, not frozen.
func TestAResponseExtendsTheWriteDeadline(t *testing.T) {
	near, far := net.Pipe()
	defer func() { _, _ = near.Close(), far.Close() }()
	const bound, answers = 200 * time.Millisecond, 20
	l := &deadlineConn{Conn: near, timeout: bound}
	go func() {
		for range answers {
			if _, err := l.Read(make([]byte, 1)); err != nil {
				return
			}
		}
	}()
	go func() {
		tick := time.NewTicker(bound / 10)
		defer tick.Stop()
		for range answers { // twice as long as the timeout in total
			<-tick.C
			_, _ = far.Write([]byte("a"))
		}
		_, _ = io.CopyN(io.Discard, far, 1)
	}()
	if _, err := l.Write([]byte("b")); err != nil {
		t.Errorf("write to a busy server: %v", err)
	}
}
