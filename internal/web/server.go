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
	last := newLastListener(l)
	go func() { serveErr <- server.Serve(last) }()
	select {
	case err := <-serveErr:
		return err
	case <-ctx.Done():
	}
	if !refuseConnections(l) {
		last.stop()
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
