package webhook

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"homeward/internal/lost"
)

// Limits on the headers that an account can add to its deliveries.
const (
	MaxHeaders     = 20
	MaxHeaderBytes = 4 << 10 // the total size of all names and values
)

// reservedHeaders lists headers that the service sets or that belong to the connection. The two idempotency keys are
// reserved because net/http automatically repeats a request that has one, but each attempt must be a single request.
// Receivers can use webhook-id instead.
var reservedHeaders = []string{
	"accept-encoding", "connection", "expect", "host", "http2-settings", "idempotency-key", "keep-alive", "te",
	"trailer", "transfer-encoding", "upgrade", "user-agent", "via", "x-idempotency-key",
}

// reservedPrefixes lists prefixes; every header that begins with one of them is reserved.
var reservedPrefixes = []string{"content-", "proxy-", "sec-", "svc-", "webhook-"}

// CheckHeaders validates the headers that an account adds to its deliveries, such as an Authorization header. A
// problem names the header but never contains its value, which is often a secret.
func CheckHeaders(headers map[string]string) lost.Problems {
	var p lost.Problems
	if len(headers) > MaxHeaders {
		p.Add("headers", "too-many", "must not have more than %d entries", MaxHeaders)
		return p
	}
	size, seen := 0, map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		size += len(name) + len(headers[name])
		checkHeader(&p, name, headers[name], seen[strings.ToLower(name)])
		seen[strings.ToLower(name)] = true
	}
	if size > MaxHeaderBytes {
		p.Add("headers", "too-long",
			"must have at most %d characters in total, counting all names and values", MaxHeaderBytes)
	}
	return p
}

func checkHeader(p *lost.Problems, name, value string, seen bool) {
	field := "headers." + name
	switch {
	case name == "" || len(name) > MaxHeaderBytes || strings.ContainsFunc(name, invalidInName):
		p.Add("headers", "invalid-name",
			"must have names that contain only letters, digits and hyphens, such as X-Api-Key")
	case isReserved(name):
		p.Add(field, "reserved", "is set by the service and cannot be changed")
	case seen:
		p.Add(field, "duplicate", "is set twice; header names are case-insensitive")
	case !isHeaderValue(value):
		p.Add(field, "invalid-value", "must contain only printable ASCII characters, without line breaks")
	}
}

// invalidInName reports whether a header name must not contain r. It is stricter than HTTP, because some receivers
// treat underscores as hyphens and would accept svc_signature as svc-signature.
func invalidInName(r rune) bool {
	return r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}

func isReserved(name string) bool {
	name = strings.ToLower(name)
	return slices.Contains(reservedHeaders, name) || slices.ContainsFunc(reservedPrefixes, func(prefix string) bool {
		return strings.HasPrefix(name, prefix)
	})
}

// isHeaderValue reports whether s is printable ASCII. It is stricter than HTTP, because receivers decode other
// characters differently.
func isHeaderValue(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

// addAllowed copies the headers that an account may set. It skips all others, which CheckHeaders rejects when a
// webhook is registered.
func addAllowed(to http.Header, headers map[string]string) {
	for name, value := range headers {
		if httpguts.ValidHeaderFieldName(name) && !isReserved(name) && isHeaderValue(value) {
			to.Set(name, value)
		}
	}
}
