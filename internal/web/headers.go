package web

import "net/http"

// What every answer says to a browser, unless its door knows better: that it is nothing to run, to frame, or to guess the kind of. They are shared by
// all answers: a door replaces a header, and never adds to one of these.
var guards = map[string][]string{
	"Content-Security-Policy":    {"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
	"X-Content-Type-Options":     {"nosniff"},
	"Referrer-Policy":            {"no-referrer"},
	"Cross-Origin-Opener-Policy": {"same-origin"},
	"Permissions-Policy":         {"camera=(), geolocation=(), microphone=(), payment=(), usb=()"},
}

// strict has a browser that came by TLS come by TLS for a year. The names below this one are not ours to speak for.
var strict = []string{"max-age=31536000"}

// guard puts them on an answer.
func guard(h http.Header, https bool) {
	for name, value := range guards {
		h[name] = value
	}
	if https {
		h["Strict-Transport-Security"] = strict
	}
}
