package web_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"homeward/internal/web"
)

// pipeListener accepts in-memory connections, which work inside testing/synctest.
type pipeListener struct{ conns chan net.Conn }

func (p pipeListener) Accept() (net.Conn, error) {
	c, ok := <-p.conns
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (p pipeListener) Close() error   { return nil }
func (p pipeListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// A client that sends its header or body byte by byte, or nothing at all, is disconnected.
func TestASlowClientIsDisconnected(t *testing.T) {
	for name, c := range map[string]struct {
		sent  string // followed by one byte every second
		limit time.Duration
	}{
		"nothing at all": {"", 11 * time.Second},
		"half a header":  {"GET / HTTP/1.1\r\nHost: x\r\nX: ", 11 * time.Second},
		"half a body":    {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n", 31 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				l := pipeListener{make(chan net.Conn)}
				served := make(chan error, 1)
				go func() {
					served <- web.Serve(ctx, l, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
						_, _ = io.Copy(io.Discard, r.Body)
					}), slog.New(slog.DiscardHandler))
				}()
				ours, theirs := net.Pipe()
				l.conns <- theirs
				started := time.Now()
				var sending sync.WaitGroup
				sending.Go(func() {
					for _, err := io.WriteString(ours, c.sent); err == nil &&
						c.sent != ""; _, err = io.WriteString(ours, "x") {
						time.Sleep(time.Second) //nolint:forbidigo // inside testing/synctest, where time is simulated
					}
				})
				_, _ = io.Copy(io.Discard, ours) // returns when the server disconnects
				if took := time.Since(started); took > c.limit {
					t.Errorf("disconnected after %s, want at most %s", took, c.limit)
				}
				_ = ours.Close()
				sending.Wait()
				cancel()
				close(l.conns)
				<-served
			})
		})
	}
}
