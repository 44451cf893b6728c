package web

import (
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"homeward/internal/lost"
	"homeward/internal/tracing"
	"homeward/internal/web/respond"
)

// observe gives every request an id, security headers, one log line, a span and panic recovery.
func observe(next http.Handler, o Options) http.Handler {
	untrusted := &untrustedProxyWarning{log: o.Log}
	next = recoverPanics(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		peer := respond.ParseAddress(r.RemoteAddr)
		untrusted.check(peer, o.Proxies, r.Header)
		client := o.Proxies.client(peer, r.Header)
		if client.address != peer {
			r.RemoteAddr = netip.AddrPortFrom(client.address, 0).String() // so handlers need not know about proxies
		}
		target := interfaceOf(r.URL.Path)
		header := w.Header()
		setSecurityHeaders(header, target == InterfaceProbe || isAPIPath(r.URL.Path),
			o.HTTPS || r.TLS != nil || client.https)
		id := requestID(r.Header.Get(respond.RequestIDHeader), start)
		header[respond.RequestIDHeader] = []string{id}
		if o.Stopping != nil && o.Stopping() {
			header.Set("Connection", "close") // so that no proxy uses a connection that is about to be closed
		}
		rec := &respond.Recorder{ResponseWriter: w, MayCompress: target == InterfaceAPI}
		if rec.MayCompress {
			rec.AcceptsGzip = respond.AcceptsGzip(r.Header)
		}
		if o.Observer != nil {
			o.Observer.Begin(target)
		}
		ctx := tracing.WithRequestID(r.Context(), id)
		if o.Context != nil && target != InterfaceProbe {
			ctx = o.Context(ctx)
		}
		var offer *tracing.Offer
		if target == InterfaceAPI { // other interfaces have anonymous callers, who must not decide what is traced
			ctx, offer = tracing.NewOffer(ctx, o.Tracer, r.Header, start)
		}
		var span tracing.Span
		if target != InterfaceProbe && offer == nil {
			ctx, span = tracing.StartServerSpan(ctx, o.Tracer, respond.Method(r))
		}
		r = r.WithContext(ctx) // the mux stores the matched pattern in this request
		defer func() {
			if offer != nil {
				ctx, span = offer.Accepted()
				r = r.WithContext(ctx)
			}
			took := time.Since(start)
			if !rec.Streams.IsZero() { // the rest of the time depends on the client
				took = rec.Streams.Sub(start)
			}
			logRequest(o, rec, r, target, id, took)
			endSpan(span, rec, r, target, id)
		}()
		next.ServeHTTP(rec, r)
	})
}

// recoverPanics responds with a problem when a handler panics. The guest pages and the dashboard recover panics
// themselves, to respond with a page.
func recoverPanics(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer respond.Recover(w, func(err error) { respond.Problem(w, err) })
		next.ServeHTTP(w, r)
	})
}

// endSpan adds the values of the log line to the span, except the client's address, and ends the span.
func endSpan(span tracing.Span, rec *respond.Recorder, r *http.Request, target Interface, id string) {
	if span == (tracing.Span{}) {
		return
	}
	span.Rename(respond.Method(r) + " " + routeOf(r))
	span.Set("http.request.method", respond.Method(r))
	span.Set("http.route", routeOf(r))
	span.Set("http.response.status_code", rec.Status)
	span.Set("homeward.door", string(target))
	span.Set("homeward.request", id)
	if rec.Status >= http.StatusInternalServerError {
		span.Fail(http.StatusText(rec.Status))
	}
	span.End(nil)
}

// routeOf returns the mux pattern that matched the request, without its method.
func routeOf(r *http.Request) string {
	if _, route, found := strings.Cut(r.Pattern, " "); found {
		return route
	}
	return r.Pattern
}

// requestID returns the id that the caller sent if it is safe to log, and a new id otherwise.
func requestID(requested string, now time.Time) string {
	const maxLength = 128
	if requested != "" && len(requested) <= maxLength && !strings.ContainsFunc(requested, unsafeInRequestID) {
		return requested
	}
	return lost.NewID(lost.RequestID, now)
}

func unsafeInRequestID(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		return false
	default:
		return !strings.ContainsRune("-_.:", r)
	}
}

// logRequest reports a finished request to the observer and logs it.
func logRequest(o Options, rec *respond.Recorder, r *http.Request, target Interface, id string, took time.Duration) {
	if rec.Status == 0 {
		rec.Status = http.StatusOK
	}
	if o.Observer != nil {
		o.Observer.End(target, routeOf(r), respond.Method(r), rec.Status, took)
	}
	level := slog.LevelInfo
	switch {
	case target == InterfaceProbe: // other lines report what makes a probe fail
		level = slog.LevelDebug
	case rec.Status >= http.StatusInternalServerError || rec.Err != nil && rec.Status < http.StatusBadRequest:
		level = slog.LevelError
	}
	if !o.Log.Enabled(r.Context(), level) {
		return
	}
	const usual = 16 // so that the slice need not be allocated
	attrs := append(make([]slog.Attr, 0, usual),
		slog.String("request", id),
		slog.String("method", respond.Method(r)),
		slog.String("route", r.Pattern),
		slog.Int("status", rec.Status),
		slog.Int64("bytes", rec.Bytes),
		slog.Float64("ms", float64(took.Microseconds())/1000),
	)
	attrs = append(attrs, rec.Attrs...)
	if traceID := tracing.FromContext(r.Context()).TraceID(); traceID != "" {
		attrs = append(attrs, slog.String("trace", traceID))
	}
	attrs = append(attrs, slog.String("client", respond.ClientNetwork(r)))
	if item := itemIn(r.URL.Path); item != "" {
		attrs = append(attrs, slog.String("item", item))
	}
	if rec.Err != nil {
		attrs = append(attrs, slog.String("error", rec.Err.Error()))
	}
	o.Log.LogAttrs(r.Context(), level, "request", attrs...)
}

// itemIn returns the id of the item that a path names, or "" if there is none. Ids are not secret, unlike the tokens in
// guests' links.
func itemIn(path string) string {
	const prefix, maxLength = lost.ItemID + "_", 40
	at := strings.Index(path, "/"+prefix)
	if at < 0 {
		return ""
	}
	id, _, _ := strings.Cut(path[at+1:], "/")
	random := id[len(prefix):]
	if random == "" || len(random) > maxLength || strings.ContainsFunc(random, notInID) {
		return ""
	}
	return id
}

func notInID(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'z') }
