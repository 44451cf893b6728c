package web

import (
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// ToHTTPS is what answers on an address without TLS: people are sent on to the same page with it. A client program is told instead: it has
// just sent its key where everybody on the way can read it, and would go on doing so if that worked. The names are others that the service has, at the
// same port as its public address.
func ToHTTPS(base string, names []string, proxies Proxies, log *slog.Logger) (http.Handler, error) {
	to, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	next := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1/") || strings.HasPrefix(r.URL.Path, "/hooks/") {
			respond.Problem(w, lost.E(lost.Forbidden, "This address is served by https alone. If a key was sent, take it for known to others, and make a new one."))
			return
		}
		host := to.Host
		if asked := strings.ToLower((&url.URL{Host: r.Host}).Hostname()); slices.Contains(names, asked) { // no other: the answer may be kept for somebody else
			if host = asked; to.Port() != "" {
				host = net.JoinHostPort(asked, to.Port())
			}
		}
		http.Redirect(w, r, (&url.URL{Scheme: "https", Host: host, Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}).String(), http.StatusPermanentRedirect)
	})
	return around(next, Doors{Log: log, Proxies: proxies}), nil
}
