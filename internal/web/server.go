package web

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
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

// Server serves requests on a listener.
type Server struct {
	http   *http.Server
	accept *lastListener
	failed chan error // receives the error that ended serving
}

// Start starts serving requests on a listener. The caller must call Wait or Close.
func Start(l net.Listener, h http.Handler, log *slog.Logger) *Server {
	s := &Server{accept: newLastListener(l), failed: make(chan error, 1)}
	s.http = &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTime,
		ReadTimeout:       readTime,
		WriteTimeout:      writeTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	go func() { s.failed <- s.http.Serve(s.accept) }()
	return s
}

// Wait serves until ctx is canceled. Then the server accepts no new connections, and Wait waits up to stopTime for
// running requests to finish. A connection that a client has already established is still served.
func (s *Server) Wait(ctx context.Context) error {
	select {
	case err := <-s.failed:
		return err
	case <-ctx.Done():
	}
	if !refuseConnections(s.accept.Listener) {
		s.accept.stop()
	}
	<-time.After(acceptTime)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return s.http.Close()
	}
	return err
}

// Close stops serving at once and closes the listener and all connections.
func (s *Server) Close() error { return s.http.Close() }

// Serve serves requests on a listener until ctx is canceled, like Start and Wait.
func Serve(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger) error {
	return Start(l, h, log).Wait(ctx)
}
