// Package secretscan searches test logs for secrets. A Log collects the secrets of the service that writes to it:
// those in its settings, and those in requests and responses that go through its Transport. A test fails if its log
// contains a secret.
package secretscan

import (
	"bytes"
	"cmp"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// Log collects log output and the secrets that must not be in it. Create one with Watch.
type Log struct {
	mu      sync.Mutex
	text    bytes.Buffer
	secrets map[string]string // maps each secret to its description
}

// minLength is the minimum length of a secret. Shorter texts could occur in a log by chance.
const minLength = 16

// Watch returns a log that is searched when the test ends. Call it before starting the program that writes to the
// log, so that the program stops before the search.
func Watch(t testing.TB) *Log {
	l := &Log{secrets: map[string]string{}}
	t.Cleanup(func() {
		for _, leak := range l.Leaks() {
			t.Errorf("the log contains a secret: %s", leak)
		}
	})
	return l
}

// Write appends to the log.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String returns the log output so far.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// AddSecret adds secrets that must not be in the log. It ignores secrets shorter than minLength.
func (l *Log) AddSecret(description string, secrets ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range secrets {
		if len(s) >= minLength {
			l.secrets[s] = description
		}
	}
}

// formats matches the service's secrets by their format.
var formats = map[string]*regexp.Regexp{
	"an API key":         regexp.MustCompile(`\bhwp?_[A-Za-z0-9]{20,}`),
	"a webhook's secret": regexp.MustCompile(`\bwhsec_[A-Za-z0-9+/=]{20,}`),
	"a link":             regexp.MustCompile(`/(?:g|reset|invitation|confirm)/[A-Za-z0-9_-]{20,}`),
	"a Stripe key":       regexp.MustCompile(`\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{8,}`),
	"a password":         regexp.MustCompile(`://[^/\s":@]+:[^/\s"@]+@`),
}

// Leaks returns a description of each secret found in the log. The descriptions do not contain the secrets.
func (l *Log) Leaks() (leaks []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := l.text.String()
	for secret, description := range l.secrets {
		if at := strings.Index(text, secret); at >= 0 {
			leaks = append(leaks, description+", after: "+textBefore(text, at))
		}
	}
	for description, format := range formats {
		if at := format.FindStringIndex(text); at != nil {
			leaks = append(leaks, description+" by its format, after: "+textBefore(text, at[0]))
		}
	}
	return leaks
}

// textBefore returns the text on the same line before an offset.
func textBefore(text string, at int) string {
	const limit = 200
	line := text[strings.LastIndexByte(text[:at], '\n')+1 : at]
	return line[max(0, len(line)-limit):]
}

// Transport returns a transport that collects the secrets in requests and responses and passes requests on to base.
func (l *Log) Transport(base http.RoundTripper) http.RoundTripper { return &transport{l, base} }

type transport struct {
	log  *Log
	base http.RoundTripper
}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	for _, c := range r.Cookies() {
		t.log.AddSecret("the cookie "+c.Name, c.Value)
	}
	res, err := t.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	key := cmp.Or(r.Header.Get("Svc-Api-Key"), strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	// If a request was rejected, its key may be arbitrary text.
	if res.StatusCode < http.StatusBadRequest || strings.HasPrefix(key, "hw_") || strings.HasPrefix(key, "hwp_") {
		t.log.AddSecret("an API key in a request", key)
	}
	for _, c := range res.Cookies() {
		t.log.AddSecret("the cookie "+c.Name, c.Value)
	}
	res.Body = &body{ReadCloser: res.Body, log: t.log}
	return res, nil
}

// fields matches secrets in a response body.
var fields = regexp.MustCompile(`"(?:key|secret|token|password)":\s*"([^"]+)"|/g/([a-z0-9]{16,})`)

// body collects the secrets in a response body while it is read.
type body struct {
	io.ReadCloser
	log  *Log
	read bytes.Buffer
}

// maxSearched is the maximum number of bytes of a response that are searched.
const maxSearched = 1 << 20

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.read.Len() < maxSearched {
		b.read.Write(p[:n])
	}
	return n, err
}

// Close searches the part of the body that was read, and closes it.
func (b *body) Close() error {
	for _, found := range fields.FindAllSubmatch(b.read.Bytes(), -1) {
		b.log.AddSecret("a secret in a response", string(found[1]), string(found[2]))
	}
	return b.ReadCloser.Close()
}
