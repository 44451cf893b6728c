package web_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"homeward/internal/web"
)

// Metrics are served only to programs on this machine. For everybody else, and for everything that came through a
// proxy, the page does not exist.
func TestMetricsAreServedOnlyToThisMachine(t *testing.T) {
	h := web.Handler(web.Options{
		API: http.NotFoundHandler(), Files: http.NotFoundHandler(),
		Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "metrics") }),
		Ready:   func(context.Context) error { return nil },
		Log:     slog.New(slog.DiscardHandler), Proxies: web.Loopback(),
	})
	for name, c := range map[string]metricsRequest{
		"IPv4":                      {peer: "127.0.0.1:999", host: "127.0.0.1:8080", wantReadable: true},
		"IPv6":                      {peer: "[::1]:999", host: "[::1]:8080", wantReadable: true},
		"IPv4 in IPv6":              {peer: "[::ffff:127.0.0.1]:999", host: "localhost:8080", wantReadable: true},
		"no port":                   {peer: "127.0.0.1:999", host: "localhost", wantReadable: true},
		"another machine":           {peer: "10.0.0.9:999", host: "10.0.0.11:8080"},
		"public":                    {peer: "203.0.113.9:999", host: "127.0.0.1"},
		"proxy here":                header("X-Forwarded-For", "203.0.113.9"),
		"proxy here, claims local":  header("X-Forwarded-For", "127.0.0.1"),
		"proxy here, empty header":  header("X-Forwarded-For", ""),
		"standard header":           header("Forwarded", "for=127.0.0.1"),
		"only the protocol":         header("X-Forwarded-Proto", "https"),
		"only the real address":     header("X-Real-Ip", "127.0.0.1"),
		"via":                       header("Via", "1.1 proxy"),
		"proxy with only the host":  {peer: "127.0.0.1:999", host: "lost.example.com"},
		"no host":                   {peer: "127.0.0.1:999", host: ""},
		"remote that claims local":  forged("203.0.113.9:999", "127.0.0.1"),
		"trusted, forwards a local": forged("127.0.0.1:999", "::1"),
	} {
		r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
		r.RemoteAddr, r.Host = c.peer, c.host
		for name, values := range c.header {
			r.Header[name] = values
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		want := http.StatusNotFound
		if c.wantReadable {
			want = http.StatusOK
		}
		if w.Code != want || (w.Body.String() == "metrics") != c.wantReadable {
			t.Errorf("%s: /metrics returned %d, want %d: %s", name, w.Code, want, w.Body)
		}
	}
}

// metricsRequest is a request for the metrics, and whether they may be read.
type metricsRequest struct {
	peer, host   string
	header       http.Header
	wantReadable bool
}

// header returns a request from this machine with a header that a proxy adds.
func header(name, value string) metricsRequest {
	return metricsRequest{peer: "127.0.0.1:999", host: "127.0.0.1:8080", header: http.Header{name: {value}}}
}

// forged returns a request that claims to come from another address.
func forged(peer, claimed string) metricsRequest {
	return metricsRequest{
		peer: peer, host: "127.0.0.1:8080",
		header: http.Header{"X-Forwarded-For": {claimed}, "Forwarded": {"for=" + claimed}},
	}
}
