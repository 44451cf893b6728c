package store

import (
	"errors"
	"net"
	"os"
	"testing"
	"time"
)

// A server that says nothing is waited for only so long, whoever asks; and not at all once whoever asked has left.
func TestSilenceEnds(t *testing.T) {
	near, far := net.Pipe()
	defer func() { _, _ = near.Close(), far.Close() }()
	l := &listener{Conn: near, bound: 20 * time.Millisecond}
	if _, err := l.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("silence ends with %v", err)
	}
	if _, err := l.Write([]byte("a")); !errors.Is(err, os.ErrDeadlineExceeded) { // nobody reads
		t.Errorf("a write that nobody takes ends with %v", err)
	}
	l.allow(time.Hour)
	if err := l.SetDeadline(time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("after whoever asked has left, reading ends with %v", err)
	}
	if err := l.SetDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	l.allow(0)
	go func() { _, _ = far.Write([]byte("b")) }()
	if n, err := l.Read(make([]byte, 1)); n != 1 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
}
