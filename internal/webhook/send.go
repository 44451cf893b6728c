package webhook

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// MaxResponse is the maximum number of bytes that are read from a response body.
const MaxResponse = 16 << 10

// UserAgent identifies the service to receivers.
const UserAgent = "Homeward-Webhooks/1"

const (
	maxResponseHeaders = 32 << 10

	// Many idle connections are kept, because endpoints may share a host. They are kept only briefly: if a server
	// closes an idle connection while a request is being sent, that attempt fails. Node.js closes idle connections
	// after 5 s, and many other servers later.
	idleTime     = 4 * time.Second
	idlePerHost  = 64
	maxIdleTotal = 1024

	// A dead HTTP/2 connection is detected within one attempt, because other requests would otherwise keep using it.
	pingAfter = 8 * time.Second
	pingWait  = 5 * time.Second
)

// Options configures a Sender. Zero values select the defaults.
type Options struct {
	// AllowPrivate disables the address check: private addresses, any port and plain HTTP are allowed.
	AllowPrivate bool

	Timeout          time.Duration // for a whole attempt, until the response is read; default 15 s
	ConnectTimeout   time.Duration // for the DNS lookup and the connection; default 5 s
	HandshakeTimeout time.Duration // for the TLS handshake; default 5 s

	// ConnsPerHost limits the connections to one host; default 256. If all of them are in use, an attempt waits until
	// its timeout, so the limit should be at least the number of concurrent attempts.
	ConnsPerHost int

	Roots    *x509.CertPool // the trusted certificate authorities; nil for those of the system
	Resolver *net.Resolver  // nil for the Go resolver
}

// Sender sends webhook requests through one transport, so that connections are reused. It is safe for concurrent use.
type Sender struct {
	options   Options
	transport *http.Transport
}

// NewSender returns a Sender.
func NewSender(o Options) *Sender {
	o.Timeout = cmp.Or(o.Timeout, 15*time.Second)
	o.ConnectTimeout = cmp.Or(o.ConnectTimeout, 5*time.Second)
	o.HandshakeTimeout = cmp.Or(o.HandshakeTimeout, 5*time.Second)
	o.ConnsPerHost = cmp.Or(o.ConnsPerHost, 256)
	if o.Resolver == nil {
		o.Resolver = &net.Resolver{PreferGo: true} // behaves the same in every build and can be canceled
	}
	return &Sender{options: o, transport: newTransport(o)}
}

func newTransport(o Options) *http.Transport {
	dialer := &net.Dialer{Timeout: o.ConnectTimeout, Resolver: o.Resolver}
	if !o.AllowPrivate {
		dialer.Control = newGuard().Safe // receives the resolved address just before connecting
	}
	return &http.Transport{
		Proxy:                  nil, // a proxy from the environment would connect to unchecked addresses
		DialContext:            dialer.DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.Roots},
		TLSHandshakeTimeout:    o.HandshakeTimeout,
		MaxConnsPerHost:        o.ConnsPerHost,
		MaxIdleConnsPerHost:    idlePerHost,
		MaxIdleConns:           maxIdleTotal,
		IdleConnTimeout:        idleTime,
		MaxResponseHeaderBytes: maxResponseHeaders,
		DisableCompression:     true,
		ForceAttemptHTTP2:      true,
		HTTP2: &http.HTTP2Config{
			MaxReceiveBufferPerStream:     64 << 10, // the default would buffer 4 MiB that is never read
			MaxReceiveBufferPerConnection: 1 << 20,
			SendPingTimeout:               pingAfter,
			PingTimeout:                   pingWait,
		},
	}
}

// Transport returns the transport, which never connects to a private address unless the operator allows it.
func (s *Sender) Transport() http.RoundTripper { return s.transport }

// Close closes idle connections.
func (s *Sender) Close() { s.transport.CloseIdleConnections() }

// Timeout returns the maximum duration of an attempt.
func (s *Sender) Timeout() time.Duration { return s.options.Timeout }

// Request describes one delivery attempt.
type Request struct {
	URL     string
	ID      string            // the same in every attempt of a delivery
	EventID string            // the same in every delivery of an event; may be empty
	Secrets []string          // newest first
	Headers map[string]string // the headers that the account added
	Body    []byte
	At      time.Time // the time included in the signature
	Test    bool      // whether the event is a test, and may be a sample
}

// Outcome is the result of a delivery attempt.
type Outcome struct {
	Status   int           // 0 if there was no response
	Took     time.Duration // the time until the response was read or the attempt failed
	Response string        // the beginning of the response body, as text
	Err      string        // a message for users; empty if the event was delivered
}

// OK reports whether the event was delivered. Only status 200 counts as delivered.
func (o Outcome) OK() bool { return o.Status == http.StatusOK }

// Send makes one delivery attempt, which takes no longer than Timeout. A 200 counts as soon as it arrives, even if
// the response body is incomplete.
func (s *Sender) Send(ctx context.Context, r Request) Outcome {
	start := time.Now()
	o := s.attempt(ctx, r)
	o.Took = time.Since(start)
	return o
}

func (s *Sender) attempt(ctx context.Context, r Request) Outcome {
	// Check the URL again, because the operator may have changed AllowPrivate since the webhook was registered.
	target, f := parseTarget(r.URL, s.options.AllowPrivate)
	if f != nil {
		return Outcome{Err: "the URL " + f.message}
	}
	limited, cancel := context.WithTimeout(ctx, s.options.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(limited, http.MethodPost, target.String(), bytes.NewReader(r.Body))
	if err != nil {
		return Outcome{Err: "the URL " + badURL.message}
	}
	req.Header = requestHeader(r)
	// The transport is used directly, because an http.Client would follow redirects.
	res, err := s.transport.RoundTrip(req)
	switch {
	case err == nil:
		defer func() { _ = res.Body.Close() }() // unread bytes are not drained; the connection or stream is closed
		return readOutcome(res)
	case ctx.Err() != nil:
		return Outcome{Err: "the attempt was interrupted because the service is stopping"}
	case limited.Err() != nil:
		return Outcome{Err: "no response within " + seconds(s.options.Timeout)}
	default:
		return Outcome{Err: s.describeFailure(target.Hostname(), err)}
	}
}

// requestHeader returns the account's headers combined with the service's headers, which take precedence.
func requestHeader(r Request) http.Header {
	h := http.Header{}
	addAllowed(h, r.Headers)
	h.Set("Content-Type", "application/json")
	h.Set("User-Agent", UserAgent)
	if r.EventID != "" {
		h.Set(headerEventID, r.EventID)
	}
	if r.Test {
		h.Set(headerTest, "true")
	}
	maps.Copy(h, Headers(r.Secrets, r.ID, r.At, r.Body))
	return h
}

// readOutcome reads the beginning of a response and returns the outcome.
func readOutcome(res *http.Response) Outcome {
	if res.StatusCode == http.StatusSwitchingProtocols {
		// The body would be the raw connection, which has no timeout.
		return Outcome{Status: res.StatusCode, Err: describeStatus(res.StatusCode)}
	}
	// Reading one extra byte detects the end of a body of exactly the maximum size, so that its connection can be
	// reused. If the body is incomplete, the part that arrived is kept.
	start, _ := io.ReadAll(io.LimitReader(res.Body, MaxResponse+1))
	text := cleanText(start, MaxResponse)
	return Outcome{Status: res.StatusCode, Response: text, Err: describeStatus(res.StatusCode)}
}

// cleanText returns at most limit bytes of valid text. It replaces control characters, which a database or terminal
// might not accept.
func cleanText(body []byte, limit int) string {
	text := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' {
			return utf8.RuneError
		}
		return r
	}, string(body[:min(len(body), limit)]))
	if len(text) <= limit {
		return text
	}
	for !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
