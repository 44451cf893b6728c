package web

import (
	"net"
	"net/http"

	"homeward/internal/web/respond"
)

// proxyHeaders are the headers that proxies add to the requests that they forward.
var proxyHeaders = []string{
	"X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Real-Ip", "Forwarded", "Via",
}

// onlyLocal serves requests from this machine, and passes all others to hidden. A request that came through a proxy is
// not local, even if the proxy runs on this machine, because the proxy's client may be anywhere.
func onlyLocal(next, hidden http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isLocal(r) {
			next.ServeHTTP(w, r)
			return
		}
		hidden.ServeHTTP(w, r)
	})
}

// isLocal reports whether a request was sent directly by a program on this machine. The host must be an IP address or
// localhost: a proxy without proxy headers often passes on the public name, and an attacker's site could resolve its
// own name to this machine (DNS rebinding).
func isLocal(r *http.Request) bool {
	for _, name := range proxyHeaders {
		if len(r.Header.Values(name)) > 0 {
			return false
		}
	}
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	return respond.ParseAddress(r.RemoteAddr).IsLoopback() &&
		(host == "localhost" || respond.ParseAddress(host).IsValid())
}
