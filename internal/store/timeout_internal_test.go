package store

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"
)

// A server that says nothing is waited for only so long, whoever asks; and not at all once whoever asked has left.
func TestSilenceEnds(t *testing.T) {
	near, far := net.Pipe()
	defer func() { _, _ = near.Close(), far.Close() }()
	l := &deadlineConn{Conn: near, timeout: 20 * time.Millisecond}
	if _, err := l.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("silence ends with %v", err)
	}
	if _, err := l.Write([]byte("a")); !errors.Is(err, os.ErrDeadlineExceeded) { // nobody reads
		t.Errorf("a write that nobody takes ends with %v", err)
	}
	l.setTimeout(time.Hour)
	if err := l.SetDeadline(time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("after whoever asked has left, reading ends with %v", err)
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

// A batch that takes longer than silence may last is not cut off while the server takes some of it.
func TestALongBatchIsNotSilence(t *testing.T) {
	near, far := net.Pipe()
	defer func() { _, _ = near.Close(), far.Close() }()
	const bound = 200 * time.Millisecond
	l := &deadlineConn{Conn: near, timeout: bound}
	batch := make([]byte, 20*16<<10)
	go func() {
		part := make([]byte, 16<<10)
		for tick := time.NewTicker(bound / 10); ; <-tick.C { // twice as long as the bound, in all
			if _, err := io.ReadFull(far, part); err != nil {
				tick.Stop()
				return
			}
		}
	}()
	if n, err := l.Write(batch); n != len(batch) || err != nil {
		t.Errorf("%d of %d bytes were taken: %v", n, len(batch), err)
	}
}

// A server that answers while it takes nothing is busy, and not silent.
func TestAnAnswerIsASignOfLifeForWhatIsWritten(t *testing.T) {
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
		for range answers { // twice as long as the bound, in all
			<-tick.C
			_, _ = far.Write([]byte("a"))
		}
		_, _ = io.CopyN(io.Discard, far, 1)
	}()
	if _, err := l.Write([]byte("b")); err != nil {
		t.Errorf("a write to a busy server ends with %v", err)
	}
}
