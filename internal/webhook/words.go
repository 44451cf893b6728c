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

// maxWords bounds what is quoted of a failure, which may quote the other side.
const maxWords = 200

// causes are the failures that one known error stands for.
var causes = []struct {
	err   error
	words string
}{
	{ssrf.ErrProhibitedIP, "the address is private or reserved; only public addresses are sent to"},
	{ssrf.ErrProhibitedNetwork, "the address is private or reserved; only public addresses are sent to"},
	{syscall.ECONNREFUSED, "connection refused"},
	{syscall.ECONNRESET, "the connection was reset"},
	{syscall.EPIPE, "the connection was closed while the request was sent"},
	{syscall.EHOSTUNREACH, "the host cannot be reached"},
	{syscall.ENETUNREACH, "the host cannot be reached"},
	{io.EOF, "the connection was closed without an answer"},
	{io.ErrUnexpectedEOF, "the connection was closed in the middle of the answer"},
}

// answered says why an answer is a failure; nothing for the one that is none.
func answered(status int) string {
	said := strings.TrimSpace(fmt.Sprintf("answered %d %s", status, http.StatusText(status)))
	switch {
	case status == http.StatusOK:
		return ""
	case status > 200 && status < 300:
		return said + "; only 200 counts as delivered"
	case status >= 300 && status < 400 && status != http.StatusNotModified:
		return said + "; redirects are not followed"
	default:
		return said
	}
}

// words says why there was no answer. It names no address of ours and none that a
// name resolved to: the reader may be a stranger to the network we stand in.
func (s *Sender) words(host string, err error) string {
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return s.lookupWords(dns)
	}
	for _, c := range causes {
		if errors.Is(err, c.err) {
			return c.words
		}
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return s.timeoutWords(err)
	}
	if words := tlsWords(host, err); words != "" {
		return words
	}
	return "no proper answer: " + innermost(err)
}

func (s *Sender) timeoutWords(err error) string {
	op, ok := errors.AsType[*net.OpError](err)
	switch {
	case !ok: // of the transport's own limits only this one is set
		return "no TLS handshake within " + seconds(s.options.HandshakeTimeout)
	case op.Op == "dial":
		return "no connection within " + seconds(s.options.ConnectTimeout)
	default:
		return "the connection was lost"
	}
}

func (s *Sender) lookupWords(err *net.DNSError) string {
	switch {
	case err.IsNotFound:
		return "the host name does not exist"
	case err.IsTimeout:
		return "the host name could not be looked up within " + seconds(s.options.ConnectTimeout)
	default:
		return "the host name could not be looked up"
	}
}

func tlsWords(host string, err error) string {
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
		return "the server does not speak TLS on this port"
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "remote error" { // so crypto/tls marks an alert
		return "the server refused the TLS connection: " + innermost(err)
	}
	return ""
}

// innermost gives what an error is about, without the addresses around it.
func innermost(err error) string {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	text := err.Error()
	for _, prefix := range []string{"net/http: ", "http: ", "http2: ", "tls: "} {
		text = strings.TrimPrefix(text, prefix)
	}
	return clean([]byte(text), maxWords)
}

// seconds writes a time limit for people.
func seconds(d time.Duration) string {
	if d%time.Second == 0 {
		return fmt.Sprintf("%d s", d/time.Second)
	}
	return d.String()
}
