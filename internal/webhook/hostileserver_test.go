package webhook_test

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"homeward/internal/webhook"
)

// shortTimeout is the attempt timeout in tests that wait for it. maxDuration is the longest time that an attempt may
// take on a busy machine.
const (
	shortTimeout = 400 * time.Millisecond
	maxDuration  = 10 * time.Second
)

// rawServer starts a server that reads the request on each connection and then calls serve. It returns the server's
// URL.
func rawServer(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = c.Close() }()
				readRequest(c)
				serve(c)
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

func readRequest(c net.Conn) {
	var received []byte
	for chunk := make([]byte, 4096); !bytes.HasSuffix(received, body); {
		n, err := c.Read(chunk)
		received = append(received, chunk[:n]...)
		if err != nil {
			return
		}
	}
}

// untilClosed waits until the client closes the connection.
func untilClosed(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

// repeat writes text until the client closes the connection or limit bytes are written, and returns the number of
// bytes written. With a pause, it writes one byte at a time and ignores the limit.
func repeat(c net.Conn, text string, limit int64, pause time.Duration) (written int64) {
	if pause > 0 {
		tick := time.NewTicker(pause)
		defer tick.Stop()
		for i := 0; ; i++ {
			<-tick.C
			if _, err := c.Write([]byte{text[i%len(text)]}); err != nil {
				return int64(i)
			}
		}
	}
	block := []byte(strings.Repeat(text, 64<<10/len(text)))
	for written < limit {
		n, err := c.Write(block)
		written += int64(n)
		if err != nil {
			break
		}
	}
	return written
}

const ok200 = "HTTP/1.1 200 OK\r\n"

// hostileServers lists misbehaving servers and the expected outcome of an attempt.
var hostileServers = []struct {
	name   string
	serve  func(net.Conn)
	status int
	err    string // the expected error starts with this
	waits  bool   // the attempt takes until the timeout
}{
	{"hangs", untilClosed, 0, "no response within 400ms", true},
	{"closes", func(net.Conn) {}, 0, "the connection was closed without a response", false},
	{"resets", func(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0) }, 0, "the connection was reset", false},
	{"sends garbage", func(c net.Conn) {
		_, _ = io.WriteString(c, "\x00\x01\x02 hello there\r\n\r\n")
	}, 0, "invalid response: malformed HTTP ", false},
	{"is a mail server", func(c net.Conn) {
		_, _ = io.WriteString(c, "220 mail.example.com ESMTP\r\n")
	}, 0, "invalid response: malformed HTTP ", false},
	{"closes in the status", func(c net.Conn) {
		_, _ = io.WriteString(c, "HTTP/1.1 2")
	}, 0, "invalid response: malformed HTTP ", false},
	{"closes in the headers", func(c net.Conn) {
		_, _ = io.WriteString(c, ok200+"X-A: b")
	}, 0, "the connection was closed in the middle of the response", false},
	{"sends its headers slowly", func(c net.Conn) {
		_, _ = io.WriteString(c, ok200)
		repeat(c, "X-A: b\r\n", 0, time.Millisecond)
	}, 0, "no response within 400ms", true},
	{"has endless headers", func(c net.Conn) {
		_, _ = io.WriteString(c, ok200)
		repeat(c, "X-A: bbbbbbbbbbbbbbbbbbbbbbbbb\r\n", 1<<30, 0)
	}, 0, "invalid response: server response headers exceeded 32768 bytes", false},
	{"has one endless header", func(c net.Conn) {
		_, _ = io.WriteString(c, ok200+"X-A: ")
		repeat(c, "b", 1<<30, 0)
	}, 0, "invalid response: server response headers exceeded 32768 bytes", false},
	{"sends endless early hints", func(c net.Conn) {
		repeat(c, "HTTP/1.1 103 Early Hints\r\nX-A: b\r\n\r\n", 1<<30, 0)
	}, 0, "invalid response: ", false},
	{"sends its body slowly", func(c net.Conn) {
		_, _ = io.WriteString(c, "HTTP/1.1 500 No\r\nContent-Length: 1000000\r\n\r\n")
		repeat(c, "a", 0, time.Millisecond)
	}, 500, "answered 500", true},
	{"never ends its chunks", func(c net.Conn) {
		_, _ = io.WriteString(c, "HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n")
		repeat(c, "1\r\na\r\n", 1<<30, 0)
	}, 500, "answered 500", false},
	{"has a Content-Length beyond int64", func(c net.Conn) {
		_, _ = io.WriteString(c, ok200+"Content-Length: 99999999999999999999\r\n\r\n")
	}, 0, "invalid response: bad Content-Length", false},
	{"switches protocols", func(c net.Conn) {
		_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n")
		untilClosed(c)
	}, 101, "answered 101", false},
	{"closes after 200", func(c net.Conn) {
		_, _ = io.WriteString(c, ok200+"Content-Length: 100\r\n\r\nthanks")
	}, 200, "", false},
	{"sends its body slowly after 200", func(c net.Conn) {
		_, _ = io.WriteString(c, ok200+"\r\n")
		repeat(c, "a", 0, time.Millisecond)
	}, 200, "", true},
}

func TestHostileServersAreHandled(t *testing.T) {
	for _, tt := range hostileServers {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			timeout := maxDuration
			if tt.waits {
				timeout = shortTimeout
			}
			o := newSender(t, webhook.Options{Timeout: timeout}).Send(t.Context(), request(rawServer(t, tt.serve)))
			if o.Status != tt.status || !strings.HasPrefix(o.Err, tt.err) || tt.err == "" && o.Err != "" {
				t.Errorf("%+v", o)
			}
			if o.OK() != (tt.status == 200) || o.Took > maxDuration || tt.waits && o.Took < shortTimeout ||
				len(o.Response) > webhook.MaxResponse || len(o.Err) > 300 {
				t.Errorf("took %v, response of %d bytes, error of %d", o.Took, len(o.Response), len(o.Err))
			}
			if strings.Contains(o.Err, "127.0.0.1") {
				t.Errorf("the error contains an address of the service: %s", o.Err)
			}
		})
	}
}

func TestAConnectionFailureIsDescribed(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	silent := rawServer(t, untilClosed)
	s := newSender(t, webhook.Options{HandshakeTimeout: shortTimeout})
	for url, want := range map[string]string{
		"http://" + l.Addr().String():                 "connection refused",
		strings.Replace(silent, "http:", "https:", 1): "no TLS handshake within 400ms",
	} {
		if o := s.Send(t.Context(), request(url)); o.Status != 0 || o.Err != want || o.Took > maxDuration {
			t.Errorf("%s: %+v", url, o)
		}
	}
}

// TestAHugeResponseNeedsLittleMemory uses a server that offers a gigabyte. Memory use must not depend on this size,
// and the server must not be able to write more than fits into the buffers on both sides.
func TestAHugeResponseNeedsLittleMemory(t *testing.T) {
	const offered = 1 << 30
	for name, secure := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			var written atomic.Int64
			ended := make(chan struct{})
			r := newReceiver(t, secure, func(w http.ResponseWriter, _ *http.Request) {
				defer close(ended)
				block := bytes.Repeat([]byte("a"), 32<<10)
				for written.Load() < offered {
					n, err := w.Write(block)
					written.Add(int64(n))
					if err != nil {
						return
					}
				}
			})
			o := webhook.Options{}
			if secure {
				o.Roots = r.roots()
			}
			s := newSender(t, o)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got := s.Send(t.Context(), request(r.URL))
			<-ended
			runtime.ReadMemStats(&after)
			if !got.OK() || len(got.Response) != webhook.MaxResponse {
				t.Errorf("status %d, %s, %d bytes", got.Status, got.Err, len(got.Response))
			}
			used := after.TotalAlloc - before.TotalAlloc
			t.Logf("both sides allocated %d KiB, the server wrote %d KiB", used>>10, written.Load()>>10)
			if used > 8<<20 || written.Load() > 64<<20 {
				t.Errorf("%d bytes allocated, %d written", used, written.Load())
			}
		})
	}
}

func TestALongResponseClosesItsConnection(t *testing.T) {
	r := newReceiver(t, false, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 1<<20)) })
	s := newSender(t, webhook.Options{})
	for range 3 {
		if o := s.Send(t.Context(), request(r.URL)); !o.OK() {
			t.Fatalf("%+v", o)
		}
	}
	if n := r.connections.Load(); n != 3 {
		t.Errorf("got %d connections for 3 requests, want 3", n)
	}
}

func TestHTTP2HasTheSameLimits(t *testing.T) {
	disconnected := make(chan struct{})
	r := newReceiver(t, true, func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path == "/headers" {
			w.Header().Set("X-A", strings.Repeat("b", 40<<10))
			return
		}
		w.Header().Set("X-Hang", "yes")
		<-q.Context().Done()
		close(disconnected)
	})
	s := newSender(t, webhook.Options{Roots: r.roots()})
	if o := s.Send(t.Context(), request(r.URL+"/headers")); o.Status != 0 ||
		!strings.HasPrefix(o.Err, "invalid response: ") {
		t.Errorf("%+v", o)
	}
	s = newSender(t, webhook.Options{Roots: r.roots(), Timeout: shortTimeout})
	if o := s.Send(t.Context(), request(r.URL+"/hang")); o.Status != 0 || o.Err != "no response within 400ms" ||
		o.Took > maxDuration {
		t.Errorf("%+v", o)
	}
	<-disconnected
}
