package cli

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"homeward/internal/app"
	"homeward/internal/tlsconf"
)

// probe is the response to a health check request.
type probe struct {
	isService bool // whether the response came from a Homeward service
	status    int
	date      string    // the Date header
	expiry    time.Time // when the certificate expires; zero without TLS
}

// probeAddress requests the health check at a base URL. If config is nil, certificates are verified as usual.
func probeAddress(ctx context.Context, base string, config *tls.Config) (p probe, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/healthz", nil)
	if err != nil {
		return p, err
	}
	client := http.Client{Timeout: checkTimeout, Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: config, DisableKeepAlives: true,
	}}
	res, err := client.Do(r)
	if err != nil {
		return p, err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, 1024))
	p.isService = res.StatusCode == http.StatusOK && strings.TrimSpace(string(body)) == "alive"
	p.status = res.StatusCode
	p.date = res.Header.Get("Date")
	if res.TLS != nil {
		p.expiry = res.TLS.PeerCertificates[0].NotAfter
	}
	return p, err
}

func checkListen(ctx context.Context, cfg *app.Config) []finding {
	main, isRunning := checkMainListen(ctx, cfg)
	all := []finding{main}
	debug, _ := cfg.DebugAddress()
	for _, other := range []struct{ what, address string }{
		{"HOMEWARD_METRICS_LISTEN", cfg.MetricsListen},
		{"HOMEWARD_DEBUG_LISTEN", debug},
		{"HOMEWARD_HTTP_LISTEN", cfg.HTTPListen},
	} {
		if other.address != "" {
			all = append(all, checkOtherListen(ctx, other.what, other.address, isRunning))
		}
	}
	return all
}

// tryListen returns an error if the address is not free.
func tryListen(ctx context.Context, address string) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err == nil {
		_ = l.Close() // it has not accepted a connection
	}
	return err
}

// checkOtherListen checks whether an address is free, or in use by the running service.
func checkOtherListen(ctx context.Context, what, address string, isRunning bool) finding {
	switch err := tryListen(ctx, address); {
	case err == nil:
		return ok(what, address+" is free")
	case isRunning && errors.Is(err, syscall.EADDRINUSE):
		return ok(what, address+" is in use, as expected while the service is running")
	default:
		return warning(what, err.Error(), "choose another address, unless the service uses it")
	}
}

// checkMainListen checks whether the main address is free, or in use by the running service.
func checkMainListen(ctx context.Context, cfg *app.Config) (f finding, isRunning bool) {
	const what = "HOMEWARD_LISTEN"
	address := cfg.Listen
	err := tryListen(ctx, address)
	if err == nil {
		return ok(what, address+" is free"), false
	}
	host, port, _ := net.SplitHostPort(address)
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	if p, _ := probeAddress(ctx, cfg.URLOf(net.JoinHostPort(host, port)), cfg.LocalTLS()); p.isService {
		return ok(what, "the service is running at "+address), true
	}
	return incorrect(what, err.Error(),
		"stop the other program, or choose another address, such as 127.0.0.1:8081"), false
}

// checkCertificate checks the certificate files, or whether the ACME authority responds.
func checkCertificate(ctx context.Context, cfg *app.Config) []finding {
	switch {
	case cfg.TLSCert != "":
		return []finding{checkCertificateFiles(cfg)}
	case cfg.ACME != "":
		client, err := cfg.NewACME(nil, slog.New(slog.DiscardHandler)) // no cache: it requests no certificate
		if err != nil {
			return []finding{incorrect("HOMEWARD_ACME_ROOTS", err.Error(),
				"set it to a file with the root certificates (PEM) of the authority")}
		}
		return []finding{result("HOMEWARD_ACME", "the authority responds", client.Check(ctx),
			"make sure that HOMEWARD_ACME_DIRECTORY is the authority's directory, can be reached from here, "+
				"and that HOMEWARD_ACME_ROOTS contains its root certificate")}
	default:
		return nil
	}
}

func checkCertificateFiles(cfg *app.Config) finding {
	const what = "HOMEWARD_TLS_CERT"
	pair, err := tlsconf.Load(cfg.TLSCert, cfg.TLSKey)
	if err != nil {
		return incorrect(what, err.Error(), "set it to a certificate (PEM, with its chain) "+
			"and HOMEWARD_TLS_KEY to its key, and give the service's user read access to both")
	}
	left := time.Until(pair.Leaf.NotAfter)
	if left < 0 {
		return incorrect(what, "it has expired", "replace it; the service reloads it automatically")
	}
	if host := cfg.PublicHost(); host != "" && pair.Leaf.VerifyHostname(host) != nil {
		return incorrect(what, "it is not valid for "+host,
			"use a certificate that is valid for the host in HOMEWARD_BASE_URL")
	}
	if left < renewalPeriod {
		return warning(what, validFor(left), "renew it")
	}
	return ok(what, validFor(left))
}

func validFor(left time.Duration) string {
	return fmt.Sprintf("it is valid for %d more days", int(left.Hours()/24))
}

// renewalPeriod is the shortest acceptable time until a certificate expires. By then it should have been renewed.
const renewalPeriod = 14 * 24 * time.Hour

func checkBaseURL(ctx context.Context, cfg *app.Config) []finding {
	const what = "HOMEWARD_BASE_URL"
	base := cfg.PublicURL(cfg.Listen)
	if cfg.BaseURL == "" && cfg.ACME == "" {
		return []finding{warning(what, "it is not set: links in messages point to "+base,
			"set it to the address at which guests reach the service")}
	}
	p, err := probeAddress(ctx, base, nil)
	if err != nil {
		return []finding{unreachable(what, err)}
	}
	if !p.isService {
		return []finding{incorrect(what, fmt.Sprintf("another program responds there, with status %d", p.status),
			"make the proxy forward requests to HOMEWARD_LISTEN, with the same path")}
	}
	all := []finding{ok(what, "the service responds there")}
	if p.expiry.IsZero() {
		all[0] = warning(what, "the service responds there without encryption",
			"put a proxy with TLS in front of it, or configure TLS, and set this to https://…")
	} else if left := time.Until(p.expiry); left < renewalPeriod {
		all = append(all,
			warning("certificate", validFor(left), "renew it; if renewal is automatic, find out why it failed"))
	}
	if at, err := http.ParseTime(p.date); err == nil {
		all = append(all, checkClock("public address clock", time.Until(at)))
	}
	return all
}

// unreachable reports an invalid certificate as wrong. Any other error is a warning: the service may not be running.
func unreachable(what string, err error) finding {
	_, unknown := errors.AsType[x509.UnknownAuthorityError](err)
	_, invalid := errors.AsType[x509.CertificateInvalidError](err)
	_, wrongHost := errors.AsType[x509.HostnameError](err)
	if unknown || invalid || wrongHost {
		return incorrect(what, err.Error(), "install a certificate that is valid for this host, with its whole chain")
	}
	return warning(what, err.Error(), "start the service; if it is running, check DNS and the proxy")
}
