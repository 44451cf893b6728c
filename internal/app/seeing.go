package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

// checkSeeing looks at the settings by which somebody looks into the service.
func (c *Config) checkSeeing() error {
	_, debug := debugAddress(c.DebugListen)
	_, headers := otlpHeaders(c.OTLPHeaders)
	u, _ := url.Parse(c.OTLP)
	switch {
	case c.DebugListen != "" && !debug:
		return wrong("HOMEWARD_DEBUG_LISTEN", "host:port of this machine alone, such as 127.0.0.1:6060, or another with the word exposed after it: who reaches it sees what is in memory")
	case c.OTLP != "" && (!isURL(c.OTLP, "http", "https") || u.User != nil || u.RawQuery != ""):
		return wrong("HOMEWARD_OTLP", "an http or https address without a password in it, such as http://127.0.0.1:4318 (passwords go into HOMEWARD_OTLP_HEADERS)")
	case !headers:
		return wrong("HOMEWARD_OTLP_HEADERS", "name=value, with commas between")
	case c.OTLPHeaders != "" && c.OTLP == "":
		return errors.New("HOMEWARD_OTLP_HEADERS needs HOMEWARD_OTLP")
	case !(c.TraceSample >= 0 && c.TraceSample <= 1): // not a number is neither
		return wrong("HOMEWARD_TRACE_SAMPLE", "a number from 0 to 1")
	}
	return nil
}

// debugAddress reads where profiles are served. They show what is in memory, so that an address which others reach must be meant.
func debugAddress(setting string) (at string, ok bool) {
	at, exposed := strings.CutSuffix(setting, " exposed")
	if !isListen(at) {
		return "", false
	}
	host, _, _ := net.SplitHostPort(at)
	ip := net.ParseIP(host)
	return at, exposed || host == "localhost" || ip != nil && ip.IsLoopback()
}

// otlpHeaders reads name=value pairs with commas between. Values may be written as in an address, %20 for a blank.
func otlpHeaders(setting string) (map[string]string, bool) {
	headers := map[string]string{}
	for pair := range strings.SplitSeq(setting, ",") {
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

// openPipe begins to send spans and log lines to the collector, where there is one.
func (a *App) openPipe(ctx context.Context) error {
	if a.cfg.OTLP == "" {
		return nil
	}
	headers, _ := otlpHeaders(a.cfg.OTLPHeaders)
	pipe, err := otlp.Open(ctx, otlp.Options{
		Collector: a.cfg.OTLP, Headers: headers, Sample: a.cfg.TraceSample, Version: version(), Failed: a.metrics.failedToSend(a.log),
	})
	if err != nil {
		return fmt.Errorf("HOMEWARD_OTLP: %w", err)
	}
	a.pipe, a.tracer = pipe, pipe.Tracer()
	a.log = slog.New(redactHandler{pipe.Handler(a.log.Handler())}) // around both: the collector is told no more than the log
	return nil
}

// failedToSend counts what could not be sent, and says so once in a while in the log that is written here.
func (m *metrics) failedToSend(log *slog.Logger) func(error) {
	const quiet = time.Minute
	var last atomic.Int64
	return func(err error) {
		m.unsent.Inc()
		now, before := time.Now().UnixNano(), last.Load()
		if now-before > int64(quiet) && last.CompareAndSwap(before, now) {
			log.Warn("spans or log lines could not be sent to the collector", "error", err)
		}
	}
}

// gauges makes what is looked up when Prometheus asks.
func (a *App) gauges() *gauges {
	folders := map[string]string{"data": a.cfg.Data}
	if !strings.Contains(a.cfg.Files, "://") {
		folders["files"] = a.cfg.Files
	}
	return &gauges{numbers: describeNumbers(), db: a.db, desk: a.desk, folders: folders, public: newCertificate(cmp.Or(a.cfg.BaseURL, "http://"))}
}

// serveDebug serves Go's profiles until the context ends.
func (a *App) serveDebug(ctx context.Context) {
	a.log.Warn("serving profiles: who reaches this address sees what is in memory", "address", a.debug.Addr().String())
	if err := web.Serve(ctx, a.debug, debugHandler(), a.log); err != nil {
		a.log.Error("serving profiles ended", "error", err)
	}
}

// debugHandler serves the profiles, and not the command line: a setting on it may be secret.
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
		if host != "localhost" && net.ParseIP(strings.Trim(host, "[]")) == nil { // a page elsewhere may have a name of its own lead here
			http.Error(w, "Ask for this by an IP address or localhost.", http.StatusMisdirectedRequest)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
