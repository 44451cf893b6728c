package webhook

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// maxQuoted is the maximum number of bytes quoted from an error, which may contain text sent by the server.
const maxQuoted = 200

// knownFailures maps known errors to messages for users.
var knownFailures = []struct {
	err     error
	message string
}{
	{ssrf.ErrProhibitedIP, "the address is private or reserved; webhooks are sent only to public addresses"},
	{ssrf.ErrProhibitedNetwork, "the address is private or reserved; webhooks are sent only to public addresses"},
	{syscall.ECONNREFUSED, "connection refused"},
	{syscall.ECONNRESET, "the connection was reset"},
	{syscall.EPIPE, "the connection was closed while the request was sent"},
	{syscall.EHOSTUNREACH, "the host cannot be reached"},
	{syscall.ENETUNREACH, "the host cannot be reached"},
	{io.EOF, "the connection was closed without a response"},
	{io.ErrUnexpectedEOF, "the connection was closed in the middle of the response"},
}

// describeStatus returns why a response with this status counts as a failure, or "" for 200.
func describeStatus(status int) string {
	text := strings.TrimSpace(fmt.Sprintf("answered %d %s", status, http.StatusText(status)))
	switch {
	case status == http.StatusOK:
		return ""
	case status > 200 && status < 300:
		return text + "; only 200 counts as delivered"
	case status >= 300 && status < 400 && status != http.StatusNotModified:
		return text + "; redirects are not followed"
	default:
		return text
	}
}

// describeFailure returns why there was no response. The text contains neither the service's addresses nor the host's
// resolved address, because it must not reveal anything about the service's network.
func (s *Sender) describeFailure(host string, err error) string {
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return s.describeLookup(dns)
	}
	for _, known := range knownFailures {
		if errors.Is(err, known.err) {
			return known.message
		}
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return s.describeTimeout(err)
	}
	if message := describeTLS(host, err); message != "" {
		return message
	}
	return "invalid response: " + innermost(err)
}

func (s *Sender) describeTimeout(err error) string {
	op, ok := errors.AsType[*net.OpError](err)
	switch {
	case !ok: // the handshake timeout is the only one set on the transport itself
		return "no TLS handshake within " + seconds(s.options.HandshakeTimeout)
	case op.Op == "dial":
		return "no connection within " + seconds(s.options.ConnectTimeout)
	default:
		return "the connection was lost"
	}
}

func (s *Sender) describeLookup(err *net.DNSError) string {
	switch {
	case err.IsNotFound:
		return "the host name does not exist"
	case err.IsTimeout:
		return "the host name could not be looked up within " + seconds(s.options.ConnectTimeout)
	default:
		return "the host name could not be looked up"
	}
}

func describeTLS(host string, err error) string {
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return "the certificate is not valid for " + host
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "the certificate is signed by an unknown authority"
	}
	if bad, ok := errors.AsType[x509.CertificateInvalidError](err); ok && bad.Reason == x509.Expired {
		return "the certificate has expired or is not valid yet"
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "the certificate is not valid"
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return "the server does not use TLS on this port"
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "remote error" { // a TLS alert
		return "the server rejected the TLS connection: " + innermost(err)
	}
	return ""
}

// innermost returns the innermost error's text, without the addresses that wrapping errors add.
func innermost(err error) string {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	text := err.Error()
	for _, prefix := range []string{"net/http: ", "http: ", "http2: ", "tls: "} {
		text = strings.TrimPrefix(text, prefix)
	}
	return cleanText([]byte(text), maxQuoted)
}

// seconds formats a timeout for users.
func seconds(d time.Duration) string {
	if d%time.Second == 0 {
		return fmt.Sprintf("%d s", d/time.Second)
	}
	return d.String()
}
