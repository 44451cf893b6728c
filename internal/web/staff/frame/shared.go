package frame

import (
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// NotFound answers requests for unknown addresses.
func NotFound(*Call) error { return lost.E(lost.NotFound, "There is no page at this address.") }

// methodNotAllowed answers requests with a method that the address does not support.
func methodNotAllowed(allowed []string) func(*Call) error {
	if slices.Contains(allowed, http.MethodGet) {
		allowed = append(allowed, http.MethodHead)
	}
	slices.Sort(allowed)
	return func(c *Call) error {
		c.Writer.Header().Set("Allow", strings.Join(allowed, ", "))
		return lost.E(lost.NoMethod, "This address does not support that method.")
	}
}

// setSecurityHeaders limits what a page may load and forbids other sites to embed it, caches to store it and search
// engines to index it.
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

// checkOrigin rejects a form that was sent from another site.
func (s *Frame) checkOrigin(r *http.Request) error {
	if err := s.origins.Check(r); err != nil {
		return lost.E(lost.Forbidden, "This form was sent from another site.").WithCause(err)
	}
	return nil
}

// recoverPanic answers a request whose handler panicked. If the response has started, the panic continues and aborts
// it.
func (c *Call) recoverPanic() {
	p := recover()
	if p == nil {
		return
	}
	if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) || respond.Started(c.Writer) {
		panic(p)
	}
	c.renderError(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
}
