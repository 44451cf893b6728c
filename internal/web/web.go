// Package web mounts the doors on one address and puts around them what every request
// needs: an id, a log line, a net under panics, and time limits.
package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"homeward/internal/lost"
	"homeward/internal/tracing"
	"homeward/internal/web/respond"
)

// Doors is what is mounted.
type Doors struct {
	API     http.Handler // /v1, /openapi.json, /docs
	Files   http.Handler // /files
	Guest   http.Handler // /g, /l and /assets; nil where there are no pages
	Staff   http.Handler // everything else; nil where there is no dashboard
	Hooks   http.Handler // /hooks, for other services' calls; nil where nobody calls
	Metrics http.Handler // /metrics; nil where it has an address of its own
	Ready   func(context.Context) error
	Watch   Watcher      // told of every request; nil for nobody
	Tracer  trace.Tracer // collects spans; nil for nobody
	Log     *slog.Logger
	Proxies Proxies // whose word about who asked is taken
	HTTPS   bool    // browsers reach the service by TLS alone
}

// Watcher counts requests.
type Watcher interface {
	// Begin is told through which door one comes.
	Begin(door Door)
	// End is told how it went. The route is the pattern of an address, never the address; the method is one of HTTP's, or "another".
	End(door Door, route, method string, status int, took time.Duration)
}

// Door is what part of the service a request is for.
type Door string

// The doors.
const (
	APIDoor    Door = "api"
	FilesDoor  Door = "files"
	GuestDoor  Door = "guest"
	StaffDoor  Door = "staff"
	HooksDoor  Door = "hooks"
	AssetsDoor Door = "assets"
	ProbeDoor  Door = "probe" // those who look after the service
)

// AllDoors lists the doors.
func AllDoors() []Door {
	return []Door{APIDoor, FilesDoor, GuestDoor, StaffDoor, HooksDoor, AssetsDoor, ProbeDoor}
}

// doorOf tells which door an address belongs to.
func doorOf(p string) Door {
	first, _, _ := strings.Cut(strings.TrimPrefix(p, "/"), "/")
	switch first {
	case "v1", "openapi.json", "docs":
		return APIDoor
	case "files":
		return FilesDoor
	case "g", "l":
		return GuestDoor
	case "assets":
		return AssetsDoor
	case "hooks":
		return HooksDoor
	case "healthz", "readyz", "metrics":
		return ProbeDoor
	default:
		return StaffDoor
	}
}

// Handler serves all doors.
func Handler(d Doors) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/v1/", d.API)
	mux.Handle("/openapi.json", d.API)
	mux.Handle("/docs", d.API)
	mux.Handle("/docs/", d.API)
	mux.Handle("/files/", patient(d.Files))
	if d.Guest != nil {
		for _, at := range guestPaths {
			mux.Handle(at, d.Guest)
			mux.Handle(at+"/", d.Guest)
		}
	}
	if d.Hooks != nil {
		mux.Handle("/hooks", d.Hooks)
		mux.Handle("/hooks/", d.Hooks)
	}
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, "alive") })
	mux.HandleFunc("GET /readyz", ready(d.Ready))
	if d.Metrics != nil {
		mux.Handle("GET /metrics", d.Metrics)
	}
	if d.Staff == nil {
		d.Staff = http.HandlerFunc(nothing)
	}
	mux.Handle("/", d.Staff)
	return around(exact(mux, d), d)
}

// guestPaths is where the pages for people begin.
var guestPaths = []string{"/g", "/l", "/assets"}

// isGuests tells whether an address belongs to them.
func isGuests(p string) bool {
	return slices.ContainsFunc(guestPaths, func(at string) bool { return p == at || strings.HasPrefix(p, at+"/") })
}

// exact answers for addresses that are spelled in an odd way, which the mux would redirect: a
// client program is helped more by an error than by a page that sends it elsewhere. People get their error as a page.
func exact(next http.Handler, d Doors) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := r.URL.Path
		odd := p == "/v1" || p != "/" && path.Clean(p) != strings.TrimSuffix(p, "/")
		switch {
		case odd && d.Guest != nil && isGuests(p):
			d.Guest.ServeHTTP(w, r)
		case odd && (p == "/v1" || strings.HasPrefix(p, "/v1/")):
			nothing(w, r)
		case odd:
			d.Staff.ServeHTTP(w, r)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// nothing answers for an address that there is not. It does not repeat it: addresses can hold secrets, and
// details go to the log.
func nothing(w http.ResponseWriter, _ *http.Request) {
	respond.Problem(w, lost.E(lost.NotFound, "There is nothing at this address."))
}

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = fmt.Fprintln(w, text)
}

// patient gives a download the time that a slow connection needs.
func patient(next http.Handler) http.Handler {
	const downloadTime = 5 * time.Minute
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(downloadTime)) // where there is one to set
		next.ServeHTTP(w, r)
	})
}

// ready answers whether the database and the files can be used.
func ready(check func(context.Context) error) http.HandlerFunc {
	last := &lastCheck{check: check}
	return func(w http.ResponseWriter, r *http.Request) {
		if err := last.result(r.Context()); err != nil {
			respond.Problem(w, lost.E(lost.Unavailable, "The service is not ready.").Because(err))
			return
		}
		plain(w, http.StatusOK, "ready")
	}
}

// lastCheck remembers for a moment what a check said. It writes to files, and anybody may ask.
type lastCheck struct {
	check func(context.Context) error
	mu    sync.Mutex
	at    time.Time
	err   error
}

func (c *lastCheck) result(ctx context.Context) error {
	const fresh, patience = time.Second, 5 * time.Second
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.at) > fresh {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		c.err = c.check(ctx)
		c.at = time.Now()
	}
	return c.err
}

// around gives every request an id, one log line and a net under panics.
func around(next http.Handler, d Doors) http.Handler {
	strangers := &distrust{log: d.Log}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		peer := respond.Address(r.RemoteAddr)
		strangers.note(peer, d.Proxies, r.Header)
		client := d.Proxies.client(peer, r.Header)
		if client.by != peer {
			r.RemoteAddr = netip.AddrPortFrom(client.by, 0).String() // from here on it is as if there were no proxy
		}
		guard(w.Header(), d.HTTPS || r.TLS != nil || client.https)
		id := requestID(r.Header.Get(respond.RequestIDHeader), start)
		w.Header().Set(respond.RequestIDHeader, id)
		rec := &respond.Record{ResponseWriter: w}
		door := doorOf(r.URL.Path)
		if d.Watch != nil {
			d.Watch.Begin(door)
		}
		ctx := tracing.With(r.Context(), id)
		if door == APIDoor { // elsewhere a stranger would decide what is collected
			ctx = tracing.Hear(ctx, r.Header)
		}
		var span tracing.Span
		if door != ProbeDoor {
			ctx, span = tracing.Answer(ctx, d.Tracer, respond.Method(r))
		}
		r = r.WithContext(ctx) // the handlers put the pattern they found into it
		defer func() {
			cut := rescue(rec, recover())
			finish(d, rec, r, door, id, time.Since(start))
			endSpan(span, rec, r, door, id)
			if cut {
				panic(http.ErrAbortHandler)
			}
		}()
		next.ServeHTTP(rec, r)
	})
}

// endSpan tells of a request what its log line does, without who asked.
func endSpan(span tracing.Span, rec *respond.Record, r *http.Request, door Door, id string) {
	span.Rename(respond.Method(r) + " " + routeOf(r))
	span.Set("http.request.method", respond.Method(r))
	span.Set("http.route", routeOf(r))
	span.Set("http.response.status_code", rec.Status)
	span.Set("homeward.door", string(door))
	span.Set("homeward.request", id)
	if rec.Status >= http.StatusInternalServerError {
		span.Fail(http.StatusText(rec.Status))
	}
	span.End(nil)
}

// routeOf is the pattern of a request's address: that of the mux, without its method.
func routeOf(r *http.Request) string {
	if _, route, found := strings.Cut(r.Pattern, " "); found {
		return route
	}
	return r.Pattern
}

// requestID keeps a caller's id where it is harmless, and makes one otherwise.
func requestID(given string, now time.Time) string {
	const longest = 128
	harmless := given != "" && len(given) <= longest && !strings.ContainsFunc(given, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.:", r))
	})
	if harmless {
		return given
	}
	return lost.NewID(lost.RequestID, now)
}

// rescue answers a request whose handler panicked. Where an answer had begun, the
// connection must be cut, so that nobody takes half of it for whole.
func rescue(rec *respond.Record, p any) (cut bool) {
	if p == nil {
		return false
	}
	if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		return true
	}
	rec.Err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
	if rec.Status != 0 {
		return true
	}
	respond.Problem(rec, rec.Err)
	return false
}

// finish writes the request's one log line.
func finish(d Doors, rec *respond.Record, r *http.Request, door Door, id string, took time.Duration) {
	if rec.Status == 0 {
		rec.Status = http.StatusOK
	}
	if d.Watch != nil {
		d.Watch.End(door, routeOf(r), respond.Method(r), rec.Status, took)
	}
	level := slog.LevelInfo
	if rec.Status >= http.StatusInternalServerError || rec.Err != nil && rec.Status < http.StatusBadRequest {
		level = slog.LevelError
	}
	attrs := append([]slog.Attr{
		slog.String("request", id), slog.String("method", respond.Method(r)), slog.String("route", r.Pattern),
		slog.Int("status", rec.Status), slog.Int64("bytes", rec.Bytes), slog.Float64("ms", float64(took.Microseconds())/1000),
	}, rec.Attrs...)
	if traced := tracing.Of(r.Context()).Trace(); traced != "" {
		attrs = append(attrs, slog.String("trace", traced))
	}
	if refused(rec.Status) {
		attrs = append(attrs, slog.String("client", respond.ClientOf(r)))
	}
	if rec.Err != nil {
		attrs = append(attrs, slog.String("error", rec.Err.Error()))
	}
	d.Log.LogAttrs(r.Context(), level, "request", attrs...)
}

// refused tells the answers after which an operator may want to know where they went: else an address is nobody's business.
func refused(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusTooManyRequests
}
