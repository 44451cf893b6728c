package store

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
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

// The driver reads in the background while it writes a long batch, and may still do so when the connection is used by
// somebody else. The race detector finds accesses of the fields that are not synchronized.
func TestAConnectionIsUsedByItsReaderItsWriterAndItsNextOwner(t *testing.T) {
	near, far := net.Pipe()
	const rounds = 200
	l := &deadlineConn{Conn: near, timeout: time.Minute}
	go func() { _, _ = io.Copy(far, far) }() // the server echoes
	var all sync.WaitGroup
	all.Go(func() {
		if _, err := io.ReadFull(l, make([]byte, rounds)); err != nil {
			t.Errorf("read: %v", err)
		}
	})
	all.Go(func() {
		for range rounds {
			if _, err := l.Write([]byte("a")); err != nil {
				t.Errorf("write: %v", err)
				return
			}
		}
	})
	all.Go(func() {
		for n := range rounds {
			l.setTimeout([]time.Duration{0, time.Minute, time.Hour}[n%3])
		}
	})
	all.Go(func() {
		for range rounds {
			later := time.Now().Add(time.Hour)
			if err := errors.Join(l.SetDeadline(later), l.SetReadDeadline(time.Time{})); err != nil {
				t.Errorf("deadline: %v", err)
			}
		}
	})
	all.Wait()
	_, _ = near.Close(), far.Close()
}

// A batch that the server is slow to accept makes the driver read in the background. The connection is then used with
// another timeout, and by a caller who gives up.
func TestABackgroundReaderSharesTheConnection(t *testing.T) {
	each(t, func(t *testing.T, setting string) {
		db := open(t, setting)
		if db.d.name != "postgres" {
			t.Skip("only PostgreSQL has connections")
		}
		e := db.engine.(inspectedEngine).engine.(*pgEngine)
		long := strings.Repeat("a", 1<<20)
		for n := range 6 {
			ctx, cancel := BatchContext(t.Context(), nil), func() {}
			wait := "SELECT pg_sleep(0.1)" // meanwhile the server reads nothing
			if n%2 == 1 {                  // the caller gives up long before the server responds
				ctx, cancel = context.WithTimeout(t.Context(), 30*time.Millisecond)
				wait = "SELECT pg_sleep(60)"
			}
			conn, err := e.acquire(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			deadlineConnOf(conn.Conn()).setTimeout(timeoutOf(ctx))
			batch := &pgx.Batch{}
			batch.Queue(wait)
			for range 20 { // more than the buffers of both sides hold
				batch.Queue("SELECT $1::text", long)
			}
			err = conn.SendBatch(ctx, batch).Close()
			if canceled := n%2 == 1; canceled == (err == nil) {
				t.Errorf("batch %d: got error %v", n, err)
			}
			release(ctx, conn)
			cancel()
		}
		if err := db.Ping(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
