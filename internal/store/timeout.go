package store

import (
	"context"
	"crypto/tls"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// acquireTimeout is how long somebody waits for a connection of the pool. It is shorter than maxSilence: who waits behind statements that hang is told soon.
	acquireTimeout = 5 * time.Second

	// responseTimeout is how long PostgreSQL may say nothing while it is asked something. A server that is frozen, or behind a network that swallows
	// packets, takes connections and never answers; without this every request would hang with it, and their connections with them.
	responseTimeout = 10 * time.Second
)

// noTimeoutKey marks the context of work that may be silent for long: a migration that rewrites a table, or waits for another copy's.
type noTimeoutKey struct{}

func withoutTimeout(ctx context.Context) context.Context { return context.WithValue(ctx, noTimeoutKey{}, true) }

// deadlineConn is a connection on which silence ends.
type deadlineConn struct {
	net.Conn
	mu    sync.Mutex
	deadline time.Time     // as pgx asked for, when somebody left; zero for never
	timeout time.Duration // 0 for none
}

// SetDeadline keeps what pgx asks for: it ends what is under way when whoever asked has left.
func (l *deadlineConn) SetDeadline(t time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.deadline = t
	return l.Conn.SetDeadline(t)
}

// SetReadDeadline is SetDeadline for reading.
func (l *deadlineConn) SetReadDeadline(t time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.deadline = t
	return l.Conn.SetReadDeadline(t)
}

// A byte that comes or goes is a sign of life for both ways: while a long batch is written, a server answers what it has done and may take
// long to take more.
func (l *deadlineConn) Read(b []byte) (int, error) {
	if err := l.applyTimeout(l.Conn.SetReadDeadline); err != nil {
		return 0, err
	}
	n, err := l.Conn.Read(b)
	if n > 0 {
		_ = l.applyTimeout(l.Conn.SetDeadline) // fails on a closed connection, and so does the next
	}
	return n, err
}

// Write sends a little at a time, to see that some of it is taken.
func (l *deadlineConn) Write(b []byte) (written int, err error) {
	const some = 16 << 10
	for part := range slices.Chunk(b, some) {
		if err := l.applyTimeout(l.Conn.SetDeadline); err != nil {
			return written, err
		}
		n, err := l.Conn.Write(part)
		if written += n; err != nil {
			return written, err
		}
	}
	return written, nil
}

// applyTimeout sets a deadline: the end of patience, or the one that pgx asked for where that is sooner.
func (l *deadlineConn) applyTimeout(set func(time.Time) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timeout == 0 {
		return set(l.deadline)
	}
	end := time.Now().Add(l.timeout)
	if !l.deadline.IsZero() && l.deadline.Before(end) {
		end = l.deadline
	}
	return set(end)
}

func (l *deadlineConn) setTimeout(bound time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.timeout = bound
}

// useDeadlines has a pool's connections listen so.
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

// deadlineConnOf finds the listener of a connection, below its encryption.
func deadlineConnOf(conn *pgx.Conn) *deadlineConn {
	c := conn.PgConn().Conn()
	if encrypted, is := c.(*tls.Conn); is {
		c = encrypted.NetConn()
	}
	l, _ := c.(*deadlineConn)
	return l
}

// acquire takes a connection, for which it waits only so long.
func (e *pgEngine) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	wait, cancel := context.WithTimeout(ctx, acquireTimeout)
	defer cancel()
	conn, err := e.pool.Acquire(wait)
	if err != nil {
		if ctx.Err() == nil && wait.Err() != nil {
			return nil, unavailableError(err)
		}
		return nil, pgError(err)
	}
	if l := deadlineConnOf(conn.Conn()); l != nil && ctx.Value(noTimeoutKey{}) != nil {
		l.setTimeout(0)
	}
	return conn, nil
}

// release gives a connection back as it was.
func release(ctx context.Context, conn *pgxpool.Conn) {
	if l := deadlineConnOf(conn.Conn()); l != nil && ctx.Value(noTimeoutKey{}) != nil {
		l.setTimeout(responseTimeout)
	}
	conn.Release()
}
