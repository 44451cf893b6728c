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

// RedirectToHTTPS returns a handler for plain HTTP that redirects to the same page over HTTPS. API clients, AI agents
// and callbacks get an error instead: they have just sent their key unencrypted, and a successful redirect would hide
// this. names are additional host names of the service, on the same port as its public address.
func RedirectToHTTPS(base string, names []string, proxies Proxies, log *slog.Logger) (http.Handler, error) {
	to, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	next := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1/") || strings.HasPrefix(r.URL.Path, "/hooks/") || r.URL.Path == "/mcp" {
			respond.Problem(w, lost.E(lost.Forbidden,
				"Use https. If this request contained an API key, revoke the key and create a new one."))
			return
		}
		target := url.URL{
			Scheme: "https", Host: redirectHost(to, names, r.Host),
			Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery,
		}
		http.Redirect(w, r, target.String(), http.StatusPermanentRedirect)
	})
	return observe(next, Options{Log: log, Proxies: proxies}), nil
}

// redirectHost returns the requested host if it is one of the service's names, and the host of base otherwise: a
// cache may store the redirect and serve it to other clients.
func redirectHost(base *url.URL, names []string, requested string) string {
	name := strings.ToLower((&url.URL{Host: requested}).Hostname())
	switch {
	case !slices.Contains(names, name):
		return base.Host
	case base.Port() != "":
		return net.JoinHostPort(name, base.Port())
	default:
		return name
	}
}
