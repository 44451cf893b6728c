package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/tlsconf"
	"homeward/internal/web"
)

// byTLS tells whether the service itself speaks TLS.
func (c *Config) byTLS() bool { return c.TLSCert != "" || c.ACME != "" }

// https tells whether browsers reach the service by TLS alone: its own, or that of what stands before it.
func (c *Config) https() bool { return c.byTLS() || strings.HasPrefix(c.BaseURL, "https://") }

// acmeHosts are the names to have certificates of.
func (c *Config) acmeHosts() (hosts []string) {
	for host := range strings.SplitSeq(c.ACME, ",") {
		hosts = append(hosts, strings.ToLower(strings.TrimSpace(host)))
	}
	return hosts
}

func (c *Config) checkTLS() error {
	switch {
	case (c.TLSCert == "") != (c.TLSKey == ""):
		return errors.New("HOMEWARD_TLS_CERT and HOMEWARD_TLS_KEY are needed together")
	case c.TLSCert != "" && c.ACME != "":
		return errors.New("HOMEWARD_ACME and HOMEWARD_TLS_CERT are two ways to have a certificate: give one")
	case c.ACME != "" && slices.ContainsFunc(c.acmeHosts(), func(host string) bool { return !isHostName(host) }):
		return wrong("HOMEWARD_ACME", "names of this service with commas between them, such as lost.example.com")
	case c.ACMEDirectory != "" && c.ACME == "":
		return errors.New("HOMEWARD_ACME_DIRECTORY needs HOMEWARD_ACME")
	case c.ACMEDirectory != "" && !isURL(c.ACMEDirectory, "https"):
		return wrong("HOMEWARD_ACME_DIRECTORY", "the https address of an authority's directory, such as https://ca.example.com/acme/directory")
	case c.ACMERoots != "" && c.ACMEDirectory == "":
		return errors.New("HOMEWARD_ACME_ROOTS needs HOMEWARD_ACME_DIRECTORY")
	}
	return nil
}

func (c *Config) checkPlain() error {
	switch {
	case c.HTTPListen != "" && !isListen(c.HTTPListen):
		return wrong("HOMEWARD_HTTP_LISTEN", "host:port, such as :80")
	case c.HTTPListen != "" && !c.byTLS():
		return errors.New("HOMEWARD_HTTP_LISTEN sends on to https, which needs HOMEWARD_TLS_CERT or HOMEWARD_ACME")
	case c.byTLS() && c.BaseURL != "" && !strings.HasPrefix(c.BaseURL, "https://"):
		return wrong("HOMEWARD_BASE_URL", "an https address where the service speaks TLS")
	case c.ACME != "" && c.BaseURL != "" && !slices.Contains(c.acmeHosts(), c.host()):
		return wrong("HOMEWARD_BASE_URL", "an address with one of the names in HOMEWARD_ACME: it has certificates of these alone")
	}
	return nil
}

func (c *Config) checkProxies() error {
	if _, ok := web.ParseProxies(c.Proxies); c.Proxies != "" && c.Proxies != noProxies && !ok {
		return wrong("HOMEWARD_TRUSTED_PROXIES", "addresses and networks with commas between them, such as 10.0.0.0/8, or none")
	}
	return nil
}

// noProxies is the setting by which nobody's word is taken.
const noProxies = "none"

// proxies are those whose word about who asked is taken.
func (c *Config) proxies() web.Proxies {
	switch c.Proxies {
	case "":
		return web.Loopback()
	case noProxies:
		return nil
	}
	trusted, _ := web.ParseProxies(c.Proxies) // which was checked
	return trusted
}

// isHostName tells a name that an authority would certify: several parts, and no number.
func isHostName(s string) bool {
	u, err := url.Parse("https://" + s)
	return err == nil && u.Hostname() == s && len(s) <= 253 && strings.Contains(strings.Trim(s, "."), ".") && !strings.HasSuffix(s, ".") && net.ParseIP(s) == nil
}

// at is the address of what listens on a host and port.
func (c *Config) at(listen string) string {
	if c.byTLS() {
		return "https://" + listen
	}
	return "http://" + listen
}

// base is the public address of a service that is reached at a host and port: the one that is set, or what follows from other settings.
func (c *Config) base(listen string) string {
	switch {
	case c.BaseURL != "":
		return c.BaseURL
	case c.ACME != "":
		return "https://" + c.acmeHosts()[0]
	default:
		return c.at(listen)
	}
}

// toMyself is how a service on this machine is spoken to by TLS: by its public name, without which it may have no certificate to show. Nobody is between, so that it need
// not prove who it is; whether others can trust it is another question.
func (c *Config) toMyself() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, ServerName: c.host(), InsecureSkipVerify: true} //nolint:gosec // see above
}

// host is the public name; empty where there is none.
func (c *Config) host() string {
	base, err := url.Parse(c.base(""))
	if err != nil {
		return ""
	}
	return strings.ToLower(base.Hostname())
}

// secureListeners has the main address speak TLS, and the other one, where there is one, send on to it.
func (a *App) secureListeners() (err error) {
	if !a.cfg.byTLS() {
		return nil
	}
	var names []string
	var speak *tls.Config
	if a.cfg.ACME != "" {
		names = a.cfg.acmeHosts()
		if a.acme, err = a.cfg.authority(shelf{a.db}, a.log); err != nil {
			return err
		}
		speak = a.acme.TLS()
	} else {
		files, err := tlsconf.FromFiles(a.cfg.TLSCert, a.cfg.TLSKey, a.log, time.Now)
		if err != nil {
			return fmt.Errorf("HOMEWARD_TLS_CERT or HOMEWARD_TLS_KEY: %w", err)
		}
		speak = files.TLS()
	}
	a.main = tls.NewListener(a.main, speak)
	if a.plain == nil {
		return nil
	}
	if a.redirect, err = web.ToHTTPS(a.cfg.BaseURL, names, a.cfg.proxies(), a.log); err == nil && a.acme != nil {
		a.redirect = a.acme.Answers(a.redirect)
	}
	return err
}

// authority is whom certificates are had from.
func (c *Config) authority(kept tlsconf.Cache, log *slog.Logger) (*tlsconf.ACME, error) {
	asked, err := tlsconf.FromACME(c.acmeHosts(), c.ACMEDirectory, c.ACMERoots, kept, log)
	if err != nil {
		return nil, fmt.Errorf("HOMEWARD_ACME_ROOTS: %w", err)
	}
	return asked, nil
}

// serveRedirects answers on the address without TLS, until the context ends.
func (a *App) serveRedirects(ctx context.Context) {
	if err := web.Serve(ctx, a.plain, a.redirect, a.log); err != nil {
		a.log.Error("sending on to https ended", "error", err)
	}
}

// shelf keeps certificates in the database, sealed: all copies of the service have the same, and each can answer for the one that asked.
type shelf struct{ db *store.DB }

// Get gives what was put by a name.
func (s shelf) Get(ctx context.Context, name string) ([]byte, error) {
	content, err := s.db.Certificate(ctx, name)
	if lost.CodeOf(err) == lost.NotFound {
		return nil, tlsconf.ErrNotKept
	}
	return []byte(content), err
}

// Put keeps something by a name. A certificate is over long before it is forgotten here; the account with the authority should outlast many.
func (s shelf) Put(ctx context.Context, name string, content []byte) error {
	const years = 10
	return s.db.KeepCertificate(ctx, name, string(content), time.Now().AddDate(years, 0, 0))
}

// Delete forgets it.
func (s shelf) Delete(ctx context.Context, name string) error {
	return s.db.ForgetCertificate(ctx, name)
}
