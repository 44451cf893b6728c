package app

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/net/http/httpguts"

	"homeward/internal/otlp"
	"homeward/internal/web"
)

// checkTelemetry checks the settings for profiles, traces and exported logs.
func (c *Config) checkTelemetry() error {
	_, debugOK := c.DebugAddress()
	_, headersOK := c.CollectorHeaders()
	u, _ := url.Parse(c.OTLP)
	switch {
	case c.DebugListen != "" && !debugOK:
		return InvalidSetting("HOMEWARD_DEBUG_LISTEN", "host:port of a loopback address, such as 127.0.0.1:6060; "+
			"for any other address, add the word exposed after it, because profiles reveal the contents of memory")
	case c.OTLP != "" && (!IsURL(c.OTLP, "http", "https") || u.User != nil || u.RawQuery != ""):
		return InvalidSetting("HOMEWARD_OTLP", "an HTTP or HTTPS URL without a password in it, "+
			"such as http://127.0.0.1:4318 (passwords go into HOMEWARD_OTLP_HEADERS)")
	case !headersOK:
		return InvalidSetting("HOMEWARD_OTLP_HEADERS", "name=value, separated by commas")
	case c.OTLPHeaders != "" && c.OTLP == "":
		return errors.New("HOMEWARD_OTLP_HEADERS needs HOMEWARD_OTLP")
	case !(c.TraceSample >= 0 && c.TraceSample <= 1): // also false for NaN
		return InvalidSetting("HOMEWARD_TRACE_SAMPLE", "a number from 0 to 1")
	}
	return nil
}

// DebugAddress returns the address on which profiles are served, and whether it is valid. Profiles reveal the
// contents of memory, so an address that other machines can reach is valid only if the word "exposed" follows it.
func (c *Config) DebugAddress() (address string, ok bool) {
	address, exposed := strings.CutSuffix(c.DebugListen, " exposed")
	if !IsListenAddress(address) {
		return "", false
	}
	host, _, _ := net.SplitHostPort(address)
	ip := net.ParseIP(host)
	return address, exposed || host == "localhost" || ip != nil && ip.IsLoopback()
}

// CollectorHeaders returns the headers for the OpenTelemetry collector, and whether the setting is valid. The setting
// consists of name=value pairs separated by commas; values may be percent-encoded.
func (c *Config) CollectorHeaders() (headers map[string]string, ok bool) {
	headers = map[string]string{}
	for pair := range strings.SplitSeq(c.OTLPHeaders, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, found := strings.Cut(strings.TrimSpace(pair), "=")
		value, err := url.PathUnescape(value)
		if !found || err != nil || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return nil, false
		}
		headers[name] = value
	}
	return headers, true
}

// openExporter starts sending spans and log lines to the collector, if one is configured.
func (a *App) openExporter(context.Context) error {
	if a.cfg.OTLP == "" {
		return nil
	}
	headers, _ := a.cfg.CollectorHeaders()
	exporter := otlp.Open(otlp.Options{
		Collector: a.cfg.OTLP, Headers: headers, Sample: a.cfg.TraceSample, Version: Version(),
		OnError: a.metrics.exportFailed(a.log),
	})
	a.exporter, a.tracer = exporter, exporter.Tracer()
	// The redacting handler wraps both destinations, so that the collector does not receive secrets either.
	a.log = slog.New(redactHandler{exporter.Handler(a.log.Handler())})
	return nil
}

// exportFailed returns a function that counts failures to reach the collector, and logs them at most once a minute.
func (m *metrics) exportFailed(log *slog.Logger) func(error) {
	const interval = time.Minute
	var last atomic.Int64
	return func(err error) {
		m.unsent.Inc()
		now, before := time.Now().UnixNano(), last.Load()
		if now-before > int64(interval) && last.CompareAndSwap(before, now) {
			log.Warn("spans or log lines could not be sent to the collector", "error", err)
		}
	}
}

// gauges returns the collector for the metrics whose values are read during each Prometheus scrape.
func (a *App) gauges() *gauges {
	folders := map[string]string{"data": a.cfg.Data}
	if !strings.Contains(a.cfg.Files, "://") {
		folders["files"] = a.cfg.Files
	}
	return &gauges{
		descriptions: describeGauges(), db: a.db, services: a.services, folders: folders,
		files: a.filesMonitor, mail: a.mailMonitor, replica: a.replicaMonitor,
		public: newCertificate(cmp.Or(a.cfg.BaseURL, "http://")),
	}
}

// serveDebug serves Go's profiles until the context ends.
func (a *App) serveDebug(ctx context.Context) {
	a.log.Warn("serving profiles: anybody who can reach this address can read the contents of memory",
		"address", a.debugListener.Addr().String())
	if err := web.Serve(ctx, a.debugListener, debugHandler(), a.log); err != nil {
		a.log.Error("profile server stopped", "error", err)
	}
}

// debugHandler serves the profiles. It omits pprof's cmdline page, because the command line may contain secrets.
func debugHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		// Reject all other host names: an attacker's site could resolve its own name to this address (DNS rebinding).
		if host != "localhost" && net.ParseIP(strings.Trim(host, "[]")) == nil {
			http.Error(w, "Use an IP address or localhost to reach this page.", http.StatusMisdirectedRequest)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
