package web

import "net/http"

// The security headers tell a browser not to run, frame or guess the type of a response. A handler that needs another
// value must replace the header with Set. It must not use Add, because all responses share these slices.
var (
	strictPolicy      = []string{"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"}
	noSniff           = []string{"nosniff"}
	noReferrer        = []string{"no-referrer"}
	sameOrigin        = []string{"same-origin"}
	permissionsPolicy = []string{"camera=(), geolocation=(), microphone=(), payment=(), usb=()"}
)

// strictTransport makes a browser that connected over TLS use TLS for a year. It omits includeSubDomains, because
// subdomains may belong to other services.
var strictTransport = []string{"max-age=31536000"}

// setSecurityHeaders sets the security headers of a response. Responses for programs do not have those that matter only
// for pages: each takes a client as much time to parse as a field of a record.
func setSecurityHeaders(h http.Header, forPrograms, https bool) {
	h["Content-Security-Policy"] = strictPolicy
	h["X-Content-Type-Options"] = noSniff
	if !forPrograms {
		h["Referrer-Policy"] = noReferrer
		h["Cross-Origin-Opener-Policy"] = sameOrigin
		h["Permissions-Policy"] = permissionsPolicy
	}
	if https {
		h["Strict-Transport-Security"] = strictTransport
	}
}
