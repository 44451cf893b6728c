package frame

import (
	"net/http"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// NotFound is the handler for unknown paths. It returns a not-found error.
func NotFound(*Call) error { return lost.E(lost.NotFound, "There is no page at this address.") }

// methodNotAllowed returns a handler that rejects requests with a method that the path does not support.
func methodNotAllowed(allowed []string) func(*Call) error {
	return func(c *Call) error { return respond.MethodNotAllowed(c.Writer, c.Request, allowed) }
}

// setSecurityHeaders limits what a page may load. It also forbids other sites to embed the page, caches to store it
// and search engines to index it.
func setSecurityHeaders(h http.Header) {
	h.Set("Content-Security-Policy",
		"default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' blob: data:; media-src 'self' "+
			"blob:; connect-src 'self'; "+
			"manifest-src 'self'; worker-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; "+
			"frame-ancestors 'none'")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Permissions-Policy", "camera=(self), geolocation=(), microphone=(), payment=(), usb=()")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Robots-Tag", "noindex, nofollow")
}
