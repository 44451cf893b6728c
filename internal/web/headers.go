package web

import "net/http"

// securityHeaders tell a browser not to run, frame or guess the type of a response. A handler that needs another
// value must replace the header with Set. It must not use Add, because all responses share these slices.
var securityHeaders = map[string][]string{
	"Content-Security-Policy":    {"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
	"X-Content-Type-Options":     {"nosniff"},
	"Referrer-Policy":            {"no-referrer"},
	"Cross-Origin-Opener-Policy": {"same-origin"},
	"Permissions-Policy":         {"camera=(), geolocation=(), microphone=(), payment=(), usb=()"},
}

// strictTransport makes a browser that connected over TLS use TLS for a year. It omits includeSubDomains, because
// subdomains may belong to other services.
var strictTransport = []string{"max-age=31536000"}

func setSecurityHeaders(h http.Header, https bool) {
	for name, value := range securityHeaders {
		h[name] = value
	}
	if https {
		h["Strict-Transport-Security"] = strictTransport
	}
}
