package webhook_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"homeward/internal/webhook"
)

// quiet discards the test servers' log output.
var quiet = log.New(io.Discard, "", 0)

// newSender returns a sender that can reach test servers on private addresses.
func newSender(t testing.TB, o webhook.Options) *webhook.Sender {
	t.Helper()
	o.AllowPrivate = true
	s := webhook.NewSender(o)
	t.Cleanup(s.Close)
	return s
}

// request returns a valid request.
func request(url string) webhook.Request {
	return webhook.Request{URL: url, ID: "dlv_1", Secrets: []string{webhook.NewSecret()}, Body: body, At: time.Now()}
}

// receiver is a server that counts connections and requests.
type receiver struct {
	*httptest.Server
	connections atomic.Int32
	requests    atomic.Int32
}

func newReceiver(t testing.TB, secure bool, handler http.HandlerFunc) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		r.requests.Add(1)
		handler(w, q)
	}))
	r.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			r.connections.Add(1)
		}
	}
	r.Config.ErrorLog = quiet
	r.EnableHTTP2 = secure
	if secure {
		r.StartTLS()
	} else {
		r.Start()
	}
	t.Cleanup(r.Close)
	return r
}

// roots returns a pool that trusts the receiver's certificate.
func (r *receiver) roots() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(r.Certificate())
	return pool
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

func TestARequestIsSignedAndHasTheRightHeaders(t *testing.T) {
	secret := webhook.NewSecret()
	var verdict error
	var got *http.Request
	var received []byte
	r := newReceiver(t, false, func(_ http.ResponseWriter, q *http.Request) {
		got = q
		received, _ = io.ReadAll(q.Body)
		verdict = webhook.Verify(secret, q.Header, received, time.Now())
	})
	headers := map[string]string{"X-Mine": "yes", "Authorization": "Bearer abc"}
	for _, name := range reserved {
		headers[name] = "evil"
	}
	o := newSender(t, webhook.Options{}).Send(t.Context(), webhook.Request{
		URL: r.URL + "/in?x=1", ID: "dlv_7", Secrets: []string{webhook.NewSecret(), secret}, Headers: headers,
		Body: body, At: time.Now(),
	})
	if !o.OK() || o.Status != 200 || o.Err != "" || o.Took <= 0 {
		t.Fatalf("%+v", o)
	}
	if verdict != nil || string(received) != string(body) {
		t.Errorf("received %s: %v", received, verdict)
	}
	if got.Method != http.MethodPost || got.RequestURI != "/in?x=1" ||
		got.Host != strings.TrimPrefix(r.URL, "http://") {
		t.Errorf("%s %s at %s", got.Method, got.RequestURI, got.Host)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/json", "User-Agent": "Homeward-Webhooks/1", "Webhook-Id": "dlv_7",
		"X-Mine": "yes", "Authorization": "Bearer abc", "Accept-Encoding": "", "Expect": "", "Idempotency-Key": "",
	} {
		if value := got.Header.Get(name); value != want {
			t.Errorf("%s is %q, want %q", name, value, want)
		}
	}
	for name, values := range got.Header {
		if strings.Contains(strings.Join(values, ""), "evil") {
			t.Errorf("the account could set %s: %q", name, values)
		}
	}
}

func TestOnly200IsSuccess(t *testing.T) {
	for code, message := range map[int]string{
		200: "",
		201: "answered 201 Created; only 200 counts as delivered",
		202: "answered 202 Accepted; only 200 counts as delivered",
		204: "answered 204 No Content; only 200 counts as delivered",
		299: "answered 299; only 200 counts as delivered",
		304: "answered 304 Not Modified",
		400: "answered 400 Bad Request",
		404: "answered 404 Not Found",
		410: "answered 410 Gone",
		429: "answered 429 Too Many Requests",
		500: "answered 500 Internal Server Error",
		503: "answered 503 Service Unavailable",
	} {
		r := newReceiver(t, false, status(code))
		o := newSender(t, webhook.Options{}).Send(t.Context(), request(r.URL))
		if o.OK() != (code == 200) || o.Status != code || o.Err != message {
			t.Errorf("%d: %+v", code, o)
		}
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	inside := newReceiver(t, false, status(200))
	for _, code := range []int{301, 302, 303, 307, 308} {
		r := newReceiver(t, false, func(w http.ResponseWriter, q *http.Request) {
			http.Redirect(w, q, inside.URL, code)
		})
		o := newSender(t, webhook.Options{}).Send(t.Context(), request(r.URL))
		if o.OK() || o.Status != code || !strings.HasSuffix(o.Err, "; redirects are not followed") {
			t.Errorf("%d: %+v", code, o)
		}
	}
	if n := inside.connections.Load(); n != 0 {
		t.Errorf("%d connections to the target of the redirects", n)
	}
}

func TestAResponseBecomesCleanText(t *testing.T) {
	const limit = webhook.MaxResponse
	for _, tt := range []struct{ name, body, want string }{
		{"empty", "", ""},
		{"text", "thank\tyou\r\n", "thank\tyou\r\n"},
		{"other scripts", "どうも 🔑", "どうも 🔑"},
		{"control characters", "a\x00b\x1b[31mc\x7f", "a\uFFFDb\uFFFD[31mc\uFFFD"},
		{"not UTF-8", "gr\xfc\xdfe", "gr\uFFFD\uFFFDe"},
		{"just fits", strings.Repeat("a", limit), strings.Repeat("a", limit)},
		{"one too long", strings.Repeat("a", limit+1), strings.Repeat("a", limit)},
		{"cut inside a character", strings.Repeat("a", limit-1) + "ü", strings.Repeat("a", limit-1)},
		{"grows when cleaned", strings.Repeat("\xff", limit), strings.Repeat("\uFFFD", limit/3)},
	} {
		r := newReceiver(t, false, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, tt.body) })
		o := newSender(t, webhook.Options{}).Send(t.Context(), request(r.URL))
		if !o.OK() || o.Response != tt.want {
			t.Errorf("%s: status %d, %d bytes: %.40q…", tt.name, o.Status, len(o.Response), o.Response)
		}
		if !utf8.ValidString(o.Response) || len(o.Response) > limit {
			t.Errorf("%s: %d bytes, valid %v", tt.name, len(o.Response), utf8.ValidString(o.Response))
		}
	}
}

func TestConnectionsAreReused(t *testing.T) {
	// On a busy machine, net/http gives up a connection if the goroutine that writes to it is delayed by 50 ms.
	const requests, most = 50, 5
	for name, secure := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			var proto atomic.Value
			r := newReceiver(t, secure, func(w http.ResponseWriter, q *http.Request) {
				proto.Store(q.Proto)
				_, _ = w.Write(make([]byte, webhook.MaxResponse)) // the largest body that is read to the end
			})
			o := webhook.Options{}
			if secure {
				o.Roots = r.roots()
			}
			s := newSender(t, o)
			for range requests {
				if o := s.Send(t.Context(), request(r.URL)); !o.OK() {
					t.Fatalf("%+v", o)
				}
			}
			if n := r.connections.Load(); n > most || !strings.HasPrefix(proto.Load().(string), name) {
				t.Errorf("%d connections for %d requests, by %v", n, requests, proto.Load())
			}
		})
	}
}

func TestConnectionsPerHostAreLimited(t *testing.T) {
	const limit, parallel = 4, 32
	r := newReceiver(t, false, status(200))
	s := newSender(t, webhook.Options{ConnsPerHost: limit})
	var all sync.WaitGroup
	for range parallel {
		all.Go(func() {
			if o := s.Send(t.Context(), request(r.URL)); !o.OK() {
				t.Errorf("%+v", o)
			}
		})
	}
	all.Wait()
	if n := r.connections.Load(); n > limit || r.requests.Load() != parallel {
		t.Errorf("%d connections for %d requests, want at most %d", n, r.requests.Load(), limit)
	}
}

// TestAFailedRequestIsNotRepeated checks that an attempt is a single request, even if it fails on a reused
// connection. A receiver must not get more requests than the service has recorded.
func TestAFailedRequestIsNotRepeated(t *testing.T) {
	r := newReceiver(t, false, func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path == "/bad" {
			panic(http.ErrAbortHandler)
		}
	})
	s := newSender(t, webhook.Options{})
	if o := s.Send(t.Context(), request(r.URL)); !o.OK() {
		t.Fatalf("%+v", o)
	}
	bad := request(r.URL + "/bad")
	bad.Headers = map[string]string{"Idempotency-Key": "x"}
	if o := s.Send(t.Context(), bad); o.OK() || o.Err != "the connection was closed without a response" {
		t.Errorf("%+v", o)
	}
	if n := r.requests.Load(); n != 2 {
		t.Errorf("got %d requests, want 2", n)
	}
}

func TestEnvironmentProxiesAreIgnored(t *testing.T) {
	proxy := newReceiver(t, false, status(200))
	t.Setenv("HTTP_PROXY", proxy.URL)
	t.Setenv("HTTPS_PROXY", proxy.URL)
	nothing := nameServer(func() []string { return nil })
	o := newSender(t, webhook.Options{Resolver: nothing}).Send(t.Context(), request("http://example.com/"))
	if o.OK() || proxy.connections.Load() != 0 {
		t.Errorf("%+v, %d connections to the proxy", o, proxy.connections.Load())
	}
}

func TestOldTLSIsRefused(t *testing.T) {
	r := httptest.NewUnstartedServer(status(200))
	r.TLS = &tls.Config{MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}
	r.Config.ErrorLog = quiet
	r.StartTLS()
	t.Cleanup(r.Close)
	o := newSender(t, webhook.Options{}).Send(t.Context(), request(r.URL))
	if o.OK() || o.Err != "the server rejected the TLS connection: protocol version not supported" {
		t.Errorf("%+v", o)
	}
}

func TestTheCertificateIsVerified(t *testing.T) {
	r := newReceiver(t, true, status(200))
	if o := newSender(t, webhook.Options{}).Send(t.Context(),
		request(r.URL)); o.Err != "the certificate is signed by an unknown authority" {
		t.Errorf("%+v", o)
	}
	trusting := newSender(t, webhook.Options{Roots: r.roots()})
	if o := trusting.Send(t.Context(),
		request(strings.Replace(r.URL, "127.0.0.1", "localhost",
			1))); o.Err != "the certificate is not valid for localhost" {
		t.Errorf("%+v", o)
	}
	if o := trusting.Send(t.Context(), request(r.URL)); !o.OK() {
		t.Errorf("%+v", o)
	}
	if o := trusting.Send(t.Context(), request(strings.Replace(r.URL, "https", "http", 1))); o.Status != 400 {
		t.Errorf("plain HTTP to a TLS server: %+v", o)
	}
	plain := newReceiver(t, false, status(200))
	if o := trusting.Send(t.Context(),
		request(strings.Replace(plain.URL, "http", "https",
			1))); o.Err != "the server does not use TLS on this port" {
		t.Errorf("TLS to a plain HTTP server: %+v", o)
	}
}

func TestAnInterruptedAttemptSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := newReceiver(t, false, func(_ http.ResponseWriter, q *http.Request) {
		_, _ = io.ReadAll(q.Body) // the server notices a disconnect only after the body is read
		cancel()
		<-q.Context().Done()
	})
	o := newSender(t, webhook.Options{}).Send(ctx, request(r.URL))
	if o.OK() || o.Err != "the attempt was interrupted because the service is stopping" {
		t.Errorf("%+v", o)
	}
}

// TestTheURLIsCheckedAtEveryAttempt checks that a private address is rejected even if it was allowed when it was
// registered.
func TestTheURLIsCheckedAtEveryAttempt(t *testing.T) {
	r := newReceiver(t, false, status(200))
	s := webhook.NewSender(webhook.Options{})
	for _, url := range []string{
		r.URL, strings.Replace(r.URL, "http", "https", 1), "https://localhost/", "https://example.com:22/", "%",
	} {
		if o := s.Send(t.Context(), request(url)); o.OK() || !strings.HasPrefix(o.Err, "the URL must ") {
			t.Errorf("%s: %+v", url, o)
		}
	}
	if n := r.connections.Load(); n != 0 {
		t.Errorf("got %d connections, want none", n)
	}
}

func TestTheDefaultTimeoutFollowsTheSpecification(t *testing.T) {
	if got := webhook.NewSender(webhook.Options{}).Timeout(); got != 15*time.Second {
		t.Errorf("the timeout is %v, want 15s", got)
	}
}
