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

// ServesTLS reports whether the service itself serves TLS.
func (c *Config) ServesTLS() bool { return c.TLSCert != "" || c.ACME != "" }

// https reports whether browsers reach the service only over TLS, served by itself or by a proxy in front of it.
func (c *Config) https() bool { return c.ServesTLS() || strings.HasPrefix(c.BaseURL, "https://") }

// acmeHosts returns the host names to request certificates for.
func (c *Config) acmeHosts() (hosts []string) {
	for host := range strings.SplitSeq(c.ACME, ",") {
		hosts = append(hosts, strings.ToLower(strings.TrimSpace(host)))
	}
	return hosts
}

func (c *Config) checkTLS() error {
	switch {
	case (c.TLSCert == "") != (c.TLSKey == ""):
		return errors.New("HOMEWARD_TLS_CERT and HOMEWARD_TLS_KEY must be set together")
	case c.TLSCert != "" && c.ACME != "":
		return errors.New("HOMEWARD_ACME and HOMEWARD_TLS_CERT are alternatives: set only one of them")
	case c.ACME != "" && slices.ContainsFunc(c.acmeHosts(), func(host string) bool { return !isHostName(host) }):
		return InvalidSetting("HOMEWARD_ACME", "host names separated by commas, such as lost.example.com")
	case c.ACMEDirectory != "" && c.ACME == "":
		return errors.New("HOMEWARD_ACME_DIRECTORY needs HOMEWARD_ACME")
	case c.ACMEDirectory != "" && !IsURL(c.ACMEDirectory, "https"):
		return InvalidSetting("HOMEWARD_ACME_DIRECTORY",
			"the HTTPS URL of an ACME directory, such as https://ca.example.com/acme/directory")
	case c.ACMERoots != "" && c.ACMEDirectory == "":
		return errors.New("HOMEWARD_ACME_ROOTS needs HOMEWARD_ACME_DIRECTORY")
	}
	return nil
}

func (c *Config) checkPlainHTTP() error {
	switch {
	case c.HTTPListen != "" && !IsListenAddress(c.HTTPListen):
		return InvalidSetting("HOMEWARD_HTTP_LISTEN", "host:port, such as :80")
	case c.HTTPListen != "" && !c.ServesTLS():
		return errors.New("HOMEWARD_HTTP_LISTEN redirects to HTTPS, which needs HOMEWARD_TLS_CERT or HOMEWARD_ACME")
	case c.ServesTLS() && c.BaseURL != "" && !strings.HasPrefix(c.BaseURL, "https://"):
		return InvalidSetting("HOMEWARD_BASE_URL", "an HTTPS URL if the service serves TLS")
	case c.ACME != "" && c.BaseURL != "" && !slices.Contains(c.acmeHosts(), c.PublicHost()):
		return InvalidSetting("HOMEWARD_BASE_URL",
			"a URL with one of the host names in HOMEWARD_ACME: only those have a certificate")
	}
	return nil
}

func (c *Config) checkProxies() error {
	if _, ok := web.ParseProxies(c.Proxies); c.Proxies != "" && c.Proxies != noProxies && !ok {
		return InvalidSetting("HOMEWARD_TRUSTED_PROXIES",
			"addresses and networks separated by commas, such as 10.0.0.0/8, or none")
	}
	return nil
}

// noProxies is the value of HOMEWARD_TRUSTED_PROXIES that trusts no proxy.
const noProxies = "none"

// proxies returns the proxies whose forwarding headers are trusted.
func (c *Config) proxies() web.Proxies {
	switch c.Proxies {
	case "":
		return web.Loopback()
	case noProxies:
		return nil
	}
	trusted, _ := web.ParseProxies(c.Proxies) // checkProxies has checked it
	return trusted
}

// isHostName reports whether a public authority could issue a certificate for s: a name with a dot, not an IP
// address.
func isHostName(s string) bool {
	const maxLength = 253
	u, err := url.Parse("https://" + s)
	if err != nil || u.Hostname() != s || len(s) > maxLength {
		return false
	}
	return strings.Contains(strings.Trim(s, "."), ".") && !strings.HasSuffix(s, ".") && net.ParseIP(s) == nil
}

// URLOf returns the URL of a host and port that the service listens on.
func (c *Config) URLOf(listen string) string {
	if c.ServesTLS() {
		return "https://" + listen
	}
	return "http://" + listen
}

// PublicURL returns the public URL of a service that listens on a host and port. It is HOMEWARD_BASE_URL or, if that
// is not set, derived from other settings.
func (c *Config) PublicURL(listen string) string {
	switch {
	case c.BaseURL != "":
		return c.BaseURL
	case c.ACME != "":
		return "https://" + c.acmeHosts()[0]
	default:
		return c.URLOf(listen)
	}
}

// LocalTLS returns the TLS configuration for connecting to the service on this machine. It requests the certificate
// for the public host name, because there may be no other. It does not verify the certificate, because the connection
// does not leave this machine.
func (c *Config) LocalTLS() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12, ServerName: c.PublicHost(), InsecureSkipVerify: true, //nolint:gosec // see above
	}
}

// PublicHost returns the host name in the public URL, or "" if there is none.
func (c *Config) PublicHost() string {
	base, err := url.Parse(c.PublicURL(""))
	if err != nil {
		return ""
	}
	return strings.ToLower(base.Hostname())
}

// useCertificateFiles makes the main listener serve TLS with a certificate from files, if it is configured.
func (a *App) useCertificateFiles(context.Context) error {
	if a.cfg.TLSCert == "" {
		return nil
	}
	files, err := tlsconf.NewFiles(a.cfg.TLSCert, a.cfg.TLSKey, a.log, time.Now)
	if err != nil {
		return fmt.Errorf("HOMEWARD_TLS_CERT or HOMEWARD_TLS_KEY: %w", err)
	}
	a.certificate = files
	return a.secureListeners(files.TLSConfig(), nil)
}

// useACME makes the main listener serve TLS with certificates from an authority, if one is configured. It needs the
// database, which stores the certificates.
func (a *App) useACME(context.Context) (err error) {
	if a.cfg.ACME == "" {
		return nil
	}
	if a.acme, err = a.cfg.NewACME(certificateCache{a.db}, a.log); err != nil {
		return err
	}
	if err := a.secureListeners(a.acme.TLSConfig(), a.cfg.acmeHosts()); err != nil {
		return err
	}
	if a.redirect != nil {
		a.redirect = a.acme.HTTPHandler(a.redirect)
	}
	return nil
}

// secureListeners makes the main listener serve TLS. If there is a plain HTTP listener, requests to it are redirected
// to HTTPS.
func (a *App) secureListeners(config *tls.Config, hosts []string) (err error) {
	a.mainListener = web.NewTLSListener(a.mainListener, config)
	if a.plainListener != nil {
		a.redirect, err = web.RedirectToHTTPS(a.cfg.BaseURL, hosts, a.cfg.proxies(), a.log)
	}
	return err
}

// ReloadCertificate reads the certificate's files again, if the service uses files. After an error, the previous
// certificate stays in use.
func (a *App) ReloadCertificate() error {
	if a.certificate == nil {
		return nil
	}
	return a.certificate.Reload()
}

// NewACME returns a client for the configured certificate authority.
func (c *Config) NewACME(cache tlsconf.Cache, log *slog.Logger) (*tlsconf.ACME, error) {
	client, err := tlsconf.NewACME(c.acmeHosts(), c.ACMEDirectory, c.ACMERoots, cache, log)
	if err != nil {
		return nil, fmt.Errorf("HOMEWARD_ACME_ROOTS: %w", err)
	}
	return client, nil
}

// serveRedirects serves plain HTTP, which redirects to HTTPS, until the context ends.
func (a *App) serveRedirects(ctx context.Context) {
	if err := web.Serve(ctx, a.plainListener, a.redirect, a.log); err != nil {
		a.log.Error("HTTP redirect server stopped", "error", err)
	}
}

// certificateCache stores encrypted certificates in the database. All instances of the service share them, and each
// instance can respond to a challenge that another one requested.
type certificateCache struct{ db *store.DB }

// Get returns the content stored under a name.
func (s certificateCache) Get(ctx context.Context, name string) ([]byte, error) {
	content, err := s.db.Certificate(ctx, name)
	if lost.CodeOf(err) == lost.NotFound {
		return nil, tlsconf.ErrCacheMiss
	}
	return []byte(content), err
}

// Put stores content under a name for ten years. A certificate expires long before that, but the account with the
// authority is used for many certificates.
func (s certificateCache) Put(ctx context.Context, name string, content []byte) error {
	const years = 10
	return s.db.SaveCertificate(ctx, name, string(content), time.Now().AddDate(years, 0, 0))
}

// Delete removes the content stored under a name.
func (s certificateCache) Delete(ctx context.Context, name string) error {
	return s.db.DeleteCertificate(ctx, name)
}
