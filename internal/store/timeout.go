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
	// turnTime is how long somebody waits for a connection of the pool. It is shorter than maxSilence: who waits behind statements that hang is told soon.
	turnTime = 5 * time.Second

	// maxSilence is how long PostgreSQL may say nothing while it is asked something. A server that is frozen, or behind a network that swallows
	// packets, takes connections and never answers; without this every request would hang with it, and their connections with them.
	maxSilence = 10 * time.Second
)

// patient marks the context of work that may be silent for long: a migration that rewrites a table, or waits for another copy's.
type patient struct{}

func patiently(ctx context.Context) context.Context { return context.WithValue(ctx, patient{}, true) }

// listener is a connection on which silence ends.
type listener struct {
	net.Conn
	mu    sync.Mutex
	until time.Time     // as pgx asked for, when somebody left; zero for never
	bound time.Duration // 0 for none
}

// SetDeadline keeps what pgx asks for: it ends what is under way when whoever asked has left.
func (l *listener) SetDeadline(t time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until = t
	return l.Conn.SetDeadline(t)
}

// SetReadDeadline is SetDeadline for reading.
func (l *listener) SetReadDeadline(t time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until = t
	return l.Conn.SetReadDeadline(t)
}

// A byte that comes or goes is a sign of life for both ways: while a long batch is written, a server answers what it has done and may take
// long to take more.
func (l *listener) Read(b []byte) (int, error) {
	if err := l.limit(l.Conn.SetReadDeadline); err != nil {
		return 0, err
	}
	n, err := l.Conn.Read(b)
	if n > 0 {
		_ = l.limit(l.Conn.SetDeadline) // fails on a closed connection, and so does the next
	}
	return n, err
}

// Write sends a little at a time, to see that some of it is taken.
func (l *listener) Write(b []byte) (written int, err error) {
	const some = 16 << 10
	for part := range slices.Chunk(b, some) {
		if err := l.limit(l.Conn.SetDeadline); err != nil {
			return written, err
		}
		n, err := l.Conn.Write(part)
		if written += n; err != nil {
			return written, err
		}
	}
	return written, nil
}

// limit sets a deadline: the end of patience, or the one that pgx asked for where that is sooner.
func (l *listener) limit(set func(time.Time) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.bound == 0 {
		return set(l.until)
	}
	end := time.Now().Add(l.bound)
	if !l.until.IsZero() && l.until.Before(end) {
		end = l.until
	}
	return set(end)
}

func (l *listener) allow(bound time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bound = bound
}

// listening has a pool's connections listen so.
func listening(cfg *pgxpool.Config) {
	dial := cfg.ConnConfig.DialFunc
	cfg.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &listener{Conn: c, bound: maxSilence}, nil
	}
}

// listenerOf finds the listener of a connection, below its encryption.
func listenerOf(conn *pgx.Conn) *listener {
	c := conn.PgConn().Conn()
	if encrypted, is := c.(*tls.Conn); is {
		c = encrypted.NetConn()
	}
	l, _ := c.(*listener)
	return l
}

// acquire takes a connection, for which it waits only so long.
func (e *pgEngine) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	wait, cancel := context.WithTimeout(ctx, turnTime)
	defer cancel()
	conn, err := e.pool.Acquire(wait)
	if err != nil {
		if ctx.Err() == nil && wait.Err() != nil {
			return nil, unavailable(err)
		}
		return nil, pgError(err)
	}
	if l := listenerOf(conn.Conn()); l != nil && ctx.Value(patient{}) != nil {
		l.allow(0)
	}
	return conn, nil
}

// release gives a connection back as it was.
func release(ctx context.Context, conn *pgxpool.Conn) {
	if l := listenerOf(conn.Conn()); l != nil && ctx.Value(patient{}) != nil {
		l.allow(maxSilence)
	}
	conn.Release()
}
