package web_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"homeward/internal/lost"
	"homeward/internal/web"
	"homeward/internal/web/respond"
)

// A body that arrives too slowly is answered with 408, and the connection is closed. Slow phones get through.
func TestASlowBodyIsRefused(t *testing.T) {
	const kib = 1 << 10
	steady := func(chunk int, every time.Duration) func(int) (int, time.Duration) {
		return func(int) (int, time.Duration) { return chunk, every }
	}
	for name, c := range map[string]struct {
		path string
		size int
		send func(sent int) (chunk int, pause time.Duration) // called until the whole body was sent
		want int
		most time.Duration // how long the request may take
	}{
		"a phone with 20 KiB/s":      {"/v1/upload", 10 << 20, steady(20*kib, time.Second), 200, 9 * time.Minute},
		"JSON with 20 KiB/s":         {"/v1/json", 1 << 20, steady(20*kib, time.Second), 200, time.Minute},
		"a phone in a short tunnel":  {"/v1/upload", 2 << 20, pauseAt(1<<20, 15*time.Second), 200, 3 * time.Minute},
		"a stalled upload":           {"/v1/upload", 10 << 20, pauseAt(1<<20, time.Hour), 408, 100 * time.Second},
		"an upload with 2 KiB/s":     {"/v1/upload", 10 << 20, steady(2*kib, time.Second), 408, 31 * time.Second},
		"JSON byte by byte":          {"/v1/json", 1 << 20, steady(1, time.Second), 408, 31 * time.Second},
		"JSON that never arrives":    {"/v1/json", 100, steady(0, time.Hour), 408, 31 * time.Second},
		"a guest's form that stalls": {"/g/form", 2 << 20, pauseAt(10*kib, time.Hour), 408, 31 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				status, closed := sendSlowly(t, c.path, c.size, c.send)
				if took := time.Since(start); status != c.want || took > c.most {
					t.Errorf("got status %d after %s, want %d within %s", status, took, c.want, c.most)
				}
				if c.want == http.StatusRequestTimeout && !closed {
					t.Error("the connection is kept open")
				}
			})
		})
	}
}

// pauseAt sends 20 KiB/s, and pauses once after the given number of bytes.
func pauseAt(bytes int, pause time.Duration) func(int) (int, time.Duration) {
	const chunk = 20 << 10
	paused := false
	return func(sent int) (int, time.Duration) {
		if sent >= bytes && !paused {
			paused = true
			return chunk, pause
		}
		return min(chunk, bytes), time.Second
	}
}

// sendSlowly sends a request with a body and returns the status, and whether the server closed the connection.
func sendSlowly(t *testing.T, path string, size int, send func(int) (int, time.Duration)) (status int, closed bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	l := pipeListener{make(chan net.Conn)}
	served := make(chan error, 1)
	go func() { served <- web.Serve(ctx, l, slowTestHandler(), slog.New(slog.DiscardHandler)) }()
	ours, theirs := net.Pipe()
	l.conns <- theirs
	answered := make(chan struct{})
	var sending sync.WaitGroup
	sending.Go(func() {
		_, err := fmt.Fprintf(ours, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", path, size)
		for sent := 0; sent < size && err == nil; {
			chunk, pause := send(sent)
			select {
			case <-time.After(pause):
			case <-answered:
				return
			}
			var n int
			n, err = io.WriteString(ours, strings.Repeat("x", min(chunk, size-sent)))
			sent += n
		}
	})
	in := bufio.NewReader(ours)
	response, err := http.ReadResponse(in, nil)
	if err != nil {
		t.Errorf("the server did not respond: %v", err)
	} else {
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		status, closed = response.StatusCode, response.Close
	}
	close(answered)
	_ = ours.Close()
	sending.Wait()
	cancel()
	close(l.conns)
	<-served
	return status, closed
}

// A refused body is read for a limited time, and up to a limited size. Then the connection is closed.
func TestARefusedBodyIsReadWithinLimits(t *testing.T) {
	for name, c := range map[string]struct {
		chunk int
		pause time.Duration
		least int64 // what is read
		most  time.Duration
	}{
		"quickly": {1 << 20, 0, 64 << 20, time.Second},
		"slowly":  {100 << 10, 10 * time.Second, 300 << 10, 100 * time.Second},
		"hardly":  {1, time.Second, 1, 40 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				l := pipeListener{make(chan net.Conn)}
				served := make(chan error, 1)
				go func() { served <- web.Serve(ctx, l, slowTestHandler(), slog.New(slog.DiscardHandler)) }()
				ours, theirs := net.Pipe()
				l.conns <- theirs
				status := make(chan int, 1)
				go func() {
					defer close(status)
					if response, err := http.ReadResponse(bufio.NewReader(ours), nil); err == nil {
						status <- response.StatusCode
						_, _ = io.Copy(io.Discard, response.Body)
					}
				}()
				start, sent := time.Now(), int64(0)
				_, err := io.WriteString(ours, "POST /v1/json HTTP/1.1\r\nHost: x\r\n"+
					"Content-Length: 100000000000\r\n\r\n")
				for chunk := strings.Repeat("x", c.chunk); err == nil; {
					var n int
					n, err = io.WriteString(ours, chunk)
					sent += int64(n)
					time.Sleep(c.pause) //nolint:forbidigo // inside testing/synctest, where time is simulated
				}
				if took := time.Since(start); took > c.most || sent < c.least || sent > 65<<20 {
					t.Errorf("read %d bytes in %s, want at least %d within %s", sent, took, c.least, c.most)
				}
				if got := <-status; got != http.StatusRequestEntityTooLarge {
					t.Errorf("got status %d", got)
				}
				_ = ours.Close()
				cancel()
				close(l.conns)
				<-served
			})
		})
	}
}

// slowTestHandler reads JSON bodies and uploads as the interfaces do.
func slowTestHandler() http.Handler {
	upload := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var err error
		if r.URL.Path == "/v1/json" {
			_, err = respond.ReadBody(r, lost.E(lost.TooLarge, "The body is too large."))
		} else if _, err = io.Copy(io.Discard, r.Body); err != nil {
			err = respond.UnreadableForm(err)
		}
		if err != nil {
			respond.Problem(w, err)
		}
	})
	return web.Handler(web.Options{
		API: upload, Guest: upload, Files: http.NotFoundHandler(), Log: slog.New(slog.DiscardHandler),
	})
}
