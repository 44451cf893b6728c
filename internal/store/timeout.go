package store

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// acquireTimeout is the longest time that a caller waits for a connection from the pool. It is
	// shorter than responseTimeout, so that callers waiting behind hanging statements get an error
	// soon.
	acquireTimeout = 5 * time.Second

	// responseTimeout is the longest time that PostgreSQL may send nothing while a statement runs.
	// A server that is frozen, or behind a network that drops packets, accepts connections but
	// never responds. Without the timeout, every request would hang and hold its connection.
	responseTimeout = 10 * time.Second

	// batchResponseTimeout is the responseTimeout of work with a BatchContext, which must also finish
	// on a very busy machine.
	batchResponseTimeout = 2 * time.Minute
)

// noTimeoutKey marks the context of work that has no response timeout, such as a migration that
// rewrites a table or waits for another instance.
type noTimeoutKey struct{}

func withoutTimeout(ctx context.Context) context.Context {
	return context.WithValue(ctx, noTimeoutKey{}, true)
}

// deadlineConn is a network connection with a timeout for each response.
type deadlineConn struct {
	net.Conn
	mu       sync.Mutex
	deadline time.Time     // set by pgx when a caller cancels; zero if there is none
	timeout  time.Duration // 0 if there is none
	until    time.Time     // the connection's deadline, if it was set for the timeout
}

// SetDeadline stores the deadline that pgx sets to interrupt a statement when the caller cancels.
func (l *deadlineConn) SetDeadline(t time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.deadline, l.until = t, time.Time{}
	return l.Conn.SetDeadline(t)
}

// SetReadDeadline is like SetDeadline, but only for reading.
func (l *deadlineConn) SetReadDeadline(t time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.deadline, l.until = t, time.Time{}
	return l.Conn.SetReadDeadline(t)
}

// Read extends the deadlines for reading and writing when data arrives. While a long batch is
// written, the server may respond to the first statements before it accepts more.
func (l *deadlineConn) Read(b []byte) (int, error) {
	if err := l.applyTimeout(); err != nil {
		return 0, err
	}
	n, err := l.Conn.Read(b)
	if n > 0 {
		_ = l.applyTimeout() // fails only on a closed connection, where the next call fails too
	}
	return n, err
}

// Write sends b in small parts, and extends the deadline whenever a part is accepted.
func (l *deadlineConn) Write(b []byte) (written int, err error) {
	const partSize = 16 << 10
	for part := range slices.Chunk(b, partSize) {
		if err := l.applyTimeout(); err != nil {
			return written, err
		}
		n, err := l.Conn.Write(part)
		written += n
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

// applyTimeout sets the deadline of the connection to the end of the timeout or the deadline from
// pgx, whichever is earlier. Setting it takes as long as a part of a short query, so it is not done
// for a small change.
func (l *deadlineConn) applyTimeout() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timeout == 0 {
		l.until = time.Time{}
		return l.Conn.SetDeadline(l.deadline)
	}
	const smallest = 64 // a change of one part in this many of the timeout is applied
	end := time.Now().Add(l.timeout)
	if !l.deadline.IsZero() && l.deadline.Before(end) {
		end = l.deadline
	}
	if !l.until.IsZero() && end.Sub(l.until) < l.timeout/smallest {
		return nil
	}
	l.until = end
	return l.Conn.SetDeadline(end)
}

func (l *deadlineConn) setTimeout(timeout time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if timeout != l.timeout {
		l.timeout, l.until = timeout, time.Time{}
	}
}

// useDeadlines makes a pool use deadlineConn.
func useDeadlines(cfg *pgxpool.Config) {
	dial := cfg.ConnConfig.DialFunc
	cfg.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &deadlineConn{Conn: c, timeout: responseTimeout}, nil
	}
}

// deadlineConnOf returns the deadlineConn inside a connection, which may be wrapped in a TLS
// connection.
func deadlineConnOf(conn *pgx.Conn) *deadlineConn {
	c := conn.PgConn().Conn()
	if tlsConn, ok := c.(*tls.Conn); ok {
		c = tlsConn.NetConn()
	}
	l, _ := c.(*deadlineConn)
	return l
}

// acquire returns a connection from the pool, waiting at most acquireTimeout for it. With a
// BatchContext, it waits for its turn for as long as it takes.
func (e *pgEngine) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	wait := ctx
	p := batchWaitOf(ctx)
	if p == nil {
		limited, cancel := context.WithTimeout(ctx, acquireTimeout)
		defer cancel()
		wait = limited
	}
	defer p.watch(acquireTimeout)()
	conn, err := e.pool.Acquire(wait)
	if err != nil {
		if ctx.Err() == nil && wait.Err() != nil {
			return nil, unavailableError(err)
		}
		return nil, pgError(err)
	}
	if l := deadlineConnOf(conn.Conn()); l != nil {
		l.setTimeout(timeoutOf(ctx))
	}
	return conn, nil
}

// timeoutOf returns the response timeout of work with the given context.
func timeoutOf(ctx context.Context) time.Duration {
	switch {
	case ctx.Value(noTimeoutKey{}) != nil:
		return 0
	case batchWaitOf(ctx) != nil:
		return batchResponseTimeout
	default:
		return responseTimeout
	}
}

// release returns a connection to the pool, with its timeout restored.
func release(ctx context.Context, conn *pgxpool.Conn) {
	if l := deadlineConnOf(conn.Conn()); l != nil && timeoutOf(ctx) != responseTimeout {
		l.setTimeout(responseTimeout)
	}
	conn.Release()
}

// errNotStarted is wrapped by the error of a write that was not started because the database was
// locked by another process.
var errNotStarted = errors.New("the database was locked by another process")

// batchWaitKey marks the context of work that waits for its turn.
type batchWaitKey struct{}

// batchWait is how work with a BatchContext waits for its turn.
type batchWait struct {
	onWait func(waited time.Duration) // may be nil
}

// BatchContext returns a context for work that nobody waits for in front of a screen, such as
// imports, cleanup and jobs. When the database is busy, this work waits for its turn for as long as
// it takes, where other work fails after some seconds. If a write waits for longer than usual,
// onWait is called once; it may be nil.
func BatchContext(ctx context.Context, onWait func(waited time.Duration)) context.Context {
	return context.WithValue(ctx, batchWaitKey{}, &batchWait{onWait})
}

// batchWaitOf returns nil for work that must fail soon.
func batchWaitOf(ctx context.Context) *batchWait {
	p, _ := ctx.Value(batchWaitKey{}).(*batchWait)
	return p
}

// watch calls onWait after the given time, unless stop is called before.
func (p *batchWait) watch(after time.Duration) (stop func()) {
	if p == nil || p.onWait == nil {
		return func() {}
	}
	timer := time.AfterFunc(after, func() { p.onWait(after) })
	return func() { timer.Stop() }
}
