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

// MaxResponse is how much of an answer is read, in bytes.
const MaxResponse = 16 << 10

// UserAgent is how the service introduces itself.
const UserAgent = "Homeward-Webhooks/1"

const (
	maxResponseHeaders = 32 << 10

	// Connections that wait for the next delivery are many, because endpoints may share a
	// host, and do not wait long: a server that hangs up on an idle connection just as
	// a request is on its way costs that delivery an attempt. Node hangs up
	// after 5 s, many others later.
	idleTime    = 4 * time.Second
	idlePerHost = 64
	idleInAll   = 1024

	// A dead HTTP/2 connection, which others would go on using, is noticed within one attempt.
	pingAfter = 8 * time.Second
	pingWait  = 5 * time.Second
)

// Options set a Sender up. What is zero has a default.
type Options struct {
	// AllowPrivate lifts the guard: private addresses, any port, plain http.
	AllowPrivate bool

	Timeout          time.Duration // of a whole attempt, until the answer is read: 15 s
	ConnectTimeout   time.Duration // of looking the name up and connecting: 5 s
	HandshakeTimeout time.Duration // of TLS: 5 s

	// ConnsPerHost bounds the connections to one host (256). An attempt that finds
	// all of them taken waits, and its time runs: let it be no less than all
	// attempts that are made at once.
	ConnsPerHost int

	Roots    *x509.CertPool // who is trusted to certify; nil for the system's
	Resolver *net.Resolver  // nil for Go's own
}

// Sender makes attempts, all through one transport, so that connections are
// reused. It is safe for concurrent use.
type Sender struct {
	options   Options
	transport *http.Transport
}

// NewSender readies a Sender.
func NewSender(o Options) *Sender {
	o.Timeout = cmp.Or(o.Timeout, 15*time.Second)
	o.ConnectTimeout = cmp.Or(o.ConnectTimeout, 5*time.Second)
	o.HandshakeTimeout = cmp.Or(o.HandshakeTimeout, 5*time.Second)
	o.ConnsPerHost = cmp.Or(o.ConnsPerHost, 256)
	if o.Resolver == nil {
		o.Resolver = &net.Resolver{PreferGo: true} // the same in every build, and it can be interrupted
	}
	return &Sender{options: o, transport: newTransport(o)}
}

func newTransport(o Options) *http.Transport {
	dialer := &net.Dialer{Timeout: o.ConnectTimeout, Resolver: o.Resolver}
	if !o.AllowPrivate {
		dialer.Control = newGuard().Safe // with the address that is about to be connected to
	}
	return &http.Transport{
		Proxy:                  nil, // one in the environment would connect to what the guard never sees
		DialContext:            dialer.DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.Roots},
		TLSHandshakeTimeout:    o.HandshakeTimeout,
		MaxConnsPerHost:        o.ConnsPerHost,
		MaxIdleConnsPerHost:    idlePerHost,
		MaxIdleConns:           idleInAll,
		IdleConnTimeout:        idleTime,
		MaxResponseHeaderBytes: maxResponseHeaders,
		DisableCompression:     true,
		ForceAttemptHTTP2:      true,
		HTTP2: &http.HTTP2Config{
			MaxReceiveBufferPerStream:     64 << 10, // the default lets a server push 4 MiB at us that nobody reads
			MaxReceiveBufferPerConnection: 1 << 20,
			SendPingTimeout:               pingAfter,
			PingTimeout:                   pingWait,
		},
	}
}

// Close lets go of the connections that are kept for reuse.
func (s *Sender) Close() { s.transport.CloseIdleConnections() }

// Timeout is the longest that an attempt takes.
func (s *Sender) Timeout() time.Duration { return s.options.Timeout }

// Request is one attempt to be made.
type Request struct {
	URL     string
	ID      string            // the same on every attempt of a delivery
	EventID string            // the same in every delivery of an event; may be empty
	Secrets []string          // the newest first
	Headers map[string]string // the account's own
	Body    []byte
	At      time.Time // when it is signed
}

// Outcome is how an attempt went.
type Outcome struct {
	Status   int           // 0 if there was no answer
	Took     time.Duration // until the answer was read, or the failure
	Response string        // the beginning of the answer's body, as text
	Err      string        // for people; empty if it was delivered
}

// OK tells whether the event was delivered: 200 and nothing else says so.
func (o Outcome) OK() bool { return o.Status == http.StatusOK }

// Send makes one attempt and takes no longer than Timeout. A 200 counts from the
// moment it is there, even if the body after it breaks off.
func (s *Sender) Send(ctx context.Context, r Request) Outcome {
	began := time.Now()
	o := s.attempt(ctx, r)
	o.Took = time.Since(began)
	return o
}

func (s *Sender) attempt(ctx context.Context, r Request) Outcome {
	// Checked again, because the operator may have changed what is allowed since.
	target, f := parseTarget(r.URL, s.options.AllowPrivate)
	if f != nil {
		return Outcome{Err: "the address " + f.message}
	}
	limited, cancel := context.WithTimeout(ctx, s.options.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(limited, http.MethodPost, target.String(), bytes.NewReader(r.Body))
	if err != nil {
		return Outcome{Err: "the address " + badURL.message}
	}
	req.Header = requestHeader(r)
	// The transport itself, not a client: it follows no redirects and keeps no cookies.
	res, err := s.transport.RoundTrip(req)
	switch {
	case err == nil:
		defer func() { _ = res.Body.Close() }() // what was not read is not drained: the connection or stream ends
		return outcome(res)
	case ctx.Err() != nil:
		return Outcome{Err: "the attempt was interrupted because the service is stopping"}
	case limited.Err() != nil:
		return Outcome{Err: "no answer within " + seconds(s.options.Timeout)}
	default:
		return Outcome{Err: s.words(target.Hostname(), err)}
	}
}

// requestHeader has the account's headers, and ours over them.
func requestHeader(r Request) http.Header {
	h := http.Header{}
	addAllowed(h, r.Headers)
	h.Set("Content-Type", "application/json")
	h.Set("User-Agent", UserAgent)
	if r.EventID != "" {
		h.Set(headerEventID, r.EventID)
	}
	maps.Copy(h, Headers(r.Secrets, r.ID, r.At, r.Body))
	return h
}

// outcome reads an answer as far as it is wanted.
func outcome(res *http.Response) Outcome {
	if res.StatusCode == http.StatusSwitchingProtocols {
		// What follows is the bare connection, which no time limit of the request ends.
		return Outcome{Status: res.StatusCode, Err: answered(res.StatusCode)}
	}
	// One byte more shows the end of a body that has just the size, for reuse.
	start, _ := io.ReadAll(io.LimitReader(res.Body, MaxResponse+1)) // what came before it broke off is the answer
	return Outcome{Status: res.StatusCode, Response: clean(start, MaxResponse), Err: answered(res.StatusCode)}
}

// clean makes text of whatever came: valid, without characters that a database or
// a terminal would stumble over, and no longer than so many bytes.
func clean(body []byte, limit int) string {
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
