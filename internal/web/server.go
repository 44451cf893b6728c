package web

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Limits for each connection. Handlers of uploads and downloads extend the deadlines.
const (
	headerTime = 10 * time.Second
	readTime   = 30 * time.Second
	writeTime  = 60 * time.Second
	idleTime   = 2 * time.Minute
	stopTime   = 30 * time.Second
	maxHeader  = 32 << 10
)

// acceptTime is how long connections that are already being established may take to be accepted. They need one round
// trip.
const acceptTime = 200 * time.Millisecond

// lastListener also returns connections that were accepted while its listener stopped.
type lastListener struct {
	net.Listener
	stopping atomic.Bool // acceptLast was or will be called
	conns    chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

// Accept returns the next connection. After the listener has stopped, it returns the last connections until Close.
func (l *lastListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil || !l.stopping.Load() {
		return c, err
	}
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, err
	}
}

// Close stops listening.
func (l *lastListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// Serve serves requests on a listener until ctx is canceled. It then accepts no new connections, and waits up to
// stopTime for running requests to finish. A connection that a client has already established is still served.
func Serve(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger) error {
	server := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTime,
		ReadTimeout:       readTime,
		WriteTimeout:      writeTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	serveErr := make(chan error, 1)
	last := &lastListener{Listener: l, conns: make(chan net.Conn), closed: make(chan struct{})}
	go func() { serveErr <- server.Serve(last) }()
	select {
	case err := <-serveErr:
		return err
	case <-ctx.Done():
	}
	if !refuseConnections(l) {
		last.stopping.Store(true)
		for _, c := range acceptLast(l) {
			last.conns <- c
		}
	}
	<-time.After(acceptTime)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	err := server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return server.Close()
	}
	return err
}
