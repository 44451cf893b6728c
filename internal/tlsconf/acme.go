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

// ACME requests a certificate for each host from a certificate authority, and renews it in time. Certificates and
// challenge responses are stored in a cache shared by all instances of the service, so that every instance can
// respond to the authority's challenges.
type ACME struct {
	manager *autocert.Manager
	hosts   []string
	log     *slog.Logger
}

// ErrCacheMiss is returned by a cache if it does not have an entry.
var ErrCacheMiss = autocert.ErrCacheMiss

// Cache stores certificates, their keys, and challenge responses.
type Cache = autocert.Cache

// NewACME returns an ACME for the given hosts. directory is the URL of the authority's directory, and roots is a file
// with its CA certificates; empty values select the defaults. It returns an error if roots cannot be read.
func NewACME(hosts []string, directory, roots string, cache Cache, log *slog.Logger) (*ACME, error) {
	const timeout = 30 * time.Second
	pool, err := readRoots(roots)
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2: true, IdleConnTimeout: timeout,
	}
	return &ACME{hosts: hosts, log: log, manager: &autocert.Manager{
		Prompt: autocert.AcceptTOS, Cache: cache, HostPolicy: autocert.HostWhitelist(hosts...),
		Client: &acme.Client{
			DirectoryURL: directory, UserAgent: "homeward",
			HTTPClient: &http.Client{Transport: transport, Timeout: timeout},
		},
	}}, nil
}

// readRoots reads the CA certificates in a file. If file is empty, it returns nil, which selects the system's
// certificates.
func readRoots(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, errors.New("the file contains no certificate")
	}
	return pool, nil
}

// TLSConfig returns the server configuration. It also responds to the authority's TLS challenges.
func (a *ACME) TLSConfig() *tls.Config {
	c := a.manager.TLSConfig()
	c.MinVersion = tls.VersionTLS12
	return c
}

// HTTPHandler responds to the authority's HTTP challenges and passes all other requests to next. A private authority
// may use a port other than 80, which is then part of the Host header.
func (a *ACME) HTTPHandler(next http.Handler) http.Handler {
	challenges := a.manager.HTTPHandler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/.well-known/acme-challenge/") {
			next.ServeHTTP(w, r)
			return
		}
		clone := r.Clone(r.Context())
		if host, _, err := net.SplitHostPort(r.Host); err == nil {
			clone.Host = host
		}
		challenges.ServeHTTP(w, clone)
	})
}

// The first and the longest delay before a failed certificate request is retried. Authorities limit failed requests.
const (
	firstWait = time.Minute
	maxWait   = time.Hour
)

// Check reads the authority's directory without requesting a certificate.
func (a *ACME) Check(ctx context.Context) error {
	_, err := a.manager.Client.Discover(ctx)
	return err
}

// Run requests a certificate for every host in advance, so that the first visitor does not have to wait for it. It
// then checks each certificate once a day until the context ends, because failed renewals are not reported in any
// other way.
func (a *ACME) Run(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	for _, host := range a.hosts {
		running.Go(func() { a.obtain(ctx, host) })
	}
}

func (a *ACME) obtain(ctx context.Context, host string) {
	const day = 24 * time.Hour
	var known time.Time
	for wait := firstWait; ; {
		cert, err := a.certificate(ctx, host)
		pause := day
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			a.log.Error("certificate request failed; retrying", "host", host, "error", err, "in", wait.String())
			pause, wait = wait, min(2*wait, maxWait)
		case overdue(cert, time.Now()):
			a.log.Warn("certificate renewal is overdue; check that this service and the authority can reach each other",
				"host", host, "until", cert.NotAfter)
		case !cert.NotAfter.Equal(known):
			known = cert.NotAfter
			a.log.Info("certificate available", "host", host, "until", known)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// certificate returns a host's certificate. The request cannot be canceled, but ends within a few minutes.
func (a *ACME) certificate(ctx context.Context, host string) (*x509.Certificate, error) {
	type result struct {
		cert *tls.Certificate
		err  error
	}
	results := make(chan result, 1)
	go func() {
		cert, err := a.manager.GetCertificate(browserHello(host))
		results <- result{cert, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case r := <-results:
		if r.err != nil {
			return nil, r.err
		}
		return r.cert.Leaf, nil
	}
}

// overdue reports whether a certificate should already have been renewed. Certificates are renewed when a third of
// their lifetime is left, but at most 30 days before they expire.
func overdue(cert *x509.Certificate, now time.Time) bool {
	const limit = 20 * 24 * time.Hour
	return cert.NotAfter.Sub(now) < min(cert.NotAfter.Sub(cert.NotBefore)/5, limit)
}

// browserHello returns a TLS ClientHello like that of a current browser.
func browserHello(host string) *tls.ClientHelloInfo {
	return &tls.ClientHelloInfo{
		ServerName: host, CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256},
		SupportedCurves:  []tls.CurveID{tls.CurveP256},
		SignatureSchemes: []tls.SignatureScheme{tls.ECDSAWithP256AndSHA256},
	}
}
