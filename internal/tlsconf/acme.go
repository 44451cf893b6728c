package tlsconf

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// ACME asks an authority for a certificate of each host, and for another in time before it ends. What is kept goes to a cache that all copies of
// the service share, the answers to the authority's questions among it: whichever copy is asked, answers.
type ACME struct {
	manager *autocert.Manager
	hosts   []string
	log     *slog.Logger
}

// ErrNotKept is what a cache says of something that it does not have.
var ErrNotKept = autocert.ErrCacheMiss

// Cache keeps certificates, their keys, and what is said to the authority.
type Cache = autocert.Cache

// FromACME asks for certificates of some hosts. The directory is the authority's address, and roots a file with what it is itself trusted by; the usual
// ones where they are empty.
func FromACME(hosts []string, directory, roots string, cache Cache, log *slog.Logger) (*ACME, error) {
	const asking = 30 * time.Second
	trust, err := trusted(roots)
	if err != nil {
		return nil, err
	}
	way := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{RootCAs: trust, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true, IdleConnTimeout: asking}
	return &ACME{hosts: hosts, log: log, manager: &autocert.Manager{
		Prompt: autocert.AcceptTOS, Cache: cache, HostPolicy: autocert.HostWhitelist(hosts...),
		Client: &acme.Client{DirectoryURL: directory, UserAgent: "homeward", HTTPClient: &http.Client{Transport: way, Timeout: asking}},
	}}, nil
}

// trusted reads the certificates in a file; nil for the machine's own.
func trusted(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, errors.New("there is no certificate in the file")
	}
	return pool, nil
}

// TLS is how a server proves its name with them. It answers what the authority asks by TLS, too.
func (a *ACME) TLS() *tls.Config {
	c := a.manager.TLSConfig()
	c.MinVersion = tls.VersionTLS12
	return c
}

// Answers answers what the authority asks by plain HTTP, and hands everything else on. An authority of the operator's own may ask at another port than
// the usual one, and then names it.
func (a *ACME) Answers(next http.Handler) http.Handler {
	answering := a.manager.HTTPHandler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/.well-known/acme-challenge/") {
			next.ServeHTTP(w, r)
			return
		}
		asked := r.Clone(r.Context())
		if host, _, err := net.SplitHostPort(r.Host); err == nil {
			asked.Host = host
		}
		answering.ServeHTTP(w, asked)
	})
}

// How long to wait before a certificate is asked for again that could not be had. Authorities count what fails.
const (
	firstWait = time.Minute
	mostWait  = time.Hour
)

// Try asks the authority what it offers, and for no certificate.
func (a *ACME) Try(ctx context.Context) error {
	_, err := a.manager.Client.Discover(ctx)
	return err
}

// Run has a certificate of every host before anybody comes, until the context ends. Without one, whoever comes first waits for it. It looks at each once
// a day: that renewing one fails is told nowhere else.
func (a *ACME) Run(ctx context.Context) {
	var asking sync.WaitGroup
	defer asking.Wait()
	for _, host := range a.hosts {
		asking.Go(func() { a.obtain(ctx, host) })
	}
}

func (a *ACME) obtain(ctx context.Context, host string) {
	const day = 24 * time.Hour
	var known time.Time
	for wait := firstWait; ; {
		cert, err := a.ask(ctx, host)
		pause := day
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			a.log.Error("no certificate could be had; it is asked for again", "host", host, "error", err, "in", wait.String())
			pause, wait = wait, min(2*wait, mostWait)
		case overdue(cert, time.Now()):
			a.log.Warn("the certificate was to be renewed, and is not: the authority must be reached, and must reach this service", "host", host, "until", cert.NotAfter)
		case !cert.NotAfter.Equal(known):
			known = cert.NotAfter
			a.log.Info("there is a certificate", "host", host, "until", known)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// ask gives the certificate of a host. Asking takes no context, and ends by itself in minutes.
func (a *ACME) ask(ctx context.Context, host string) (*x509.Certificate, error) {
	type answer struct {
		cert *tls.Certificate
		err  error
	}
	got := make(chan answer, 1)
	go func() {
		cert, err := a.manager.GetCertificate(modern(host))
		got <- answer{cert, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case had := <-got:
		if had.err != nil {
			return nil, had.err
		}
		return had.cert.Leaf, nil
	}
}

// overdue tells of a certificate that should have been replaced: that is done when a third of its life is left, and 30 days at most.
func overdue(cert *x509.Certificate, now time.Time) bool {
	const most = 20 * 24 * time.Hour
	return cert.NotAfter.Sub(now) < min(cert.NotAfter.Sub(cert.NotBefore)/5, most)
}

// modern is how a browser of today greets a host.
func modern(host string) *tls.ClientHelloInfo {
	return &tls.ClientHelloInfo{
		ServerName: host, CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256},
		SupportedCurves: []tls.CurveID{tls.CurveP256}, SignatureSchemes: []tls.SignatureScheme{tls.ECDSAWithP256AndSHA256},
	}
}
