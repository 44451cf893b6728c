// Package web is the HTTP server. It mounts the HTTP interfaces on one address, serves the health checks, redirects
// to HTTPS and reads the headers of trusted proxies. Every request gets an id, a log line, panic recovery, security
// headers and time limits. The pages and operations are in the packages below it.
package web

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"homeward/internal/lost"
	"homeward/internal/tracing"
	"homeward/internal/web/respond"
)

// Options holds the handlers that Handler mounts, and their common settings.
type Options struct {
	API      http.Handler                // /v1, /openapi.json, /openapi.yaml, /docs
	Files    http.Handler                // /files
	Guest    http.Handler                // /g, /l and /assets; nil without guest pages
	Staff    http.Handler                // everything else; nil without a dashboard
	Callback http.Handler                // /hooks, for calls from payment providers and carriers; nil without them
	MCP      http.Handler                // /mcp, for AI agents; nil without them
	Metrics  http.Handler                // /metrics, only for this machine; nil if it has its own address
	Ready    func(context.Context) error // returns an error unless this instance can serve requests
	Parts    func() map[string]string    // the state of the parts that only some requests need; may be nil
	Stopping func() bool                 // reports whether this instance is about to stop; may be nil
	Prepare  *Preparation                // comes before the first request; may be nil
	Observer Observer                    // observes every request; may be nil
	Tracer   *tracing.Tracer             // collects spans; may be nil
	Log      *slog.Logger
	Proxies  Proxies // proxies whose forwarding headers are trusted
	HTTPS    bool    // the service can be reached only over HTTPS
	// Context adds values to the context of every request, except for health checks and metrics; may be nil.
	Context func(context.Context) context.Context
}

// Observer counts requests.
type Observer interface {
	// Begin is called when a request starts.
	Begin(target Interface)
	// End is called when a request ends. The route is the matched pattern, never the requested path, which may
	// contain secrets. The method is a standard HTTP method, or "another".
	End(target Interface, route, method string, status int, took time.Duration)
}

// Interface is the part of the service that handles a request.
type Interface string

// The interfaces.
const (
	InterfaceAPI      Interface = "api"
	InterfaceFiles    Interface = "files"
	InterfaceGuest    Interface = "guest"
	InterfaceStaff    Interface = "staff"
	InterfaceCallback Interface = "hooks"
	InterfaceMCP      Interface = "mcp"
	InterfaceAssets   Interface = "assets"
	InterfaceProbe    Interface = "probe" // health checks and metrics
)

// Interfaces lists all interfaces.
func Interfaces() []Interface {
	return []Interface{
		InterfaceAPI, InterfaceFiles, InterfaceGuest, InterfaceStaff, InterfaceCallback, InterfaceMCP,
		InterfaceAssets, InterfaceProbe,
	}
}

// interfaceOf returns the interface that serves a path.
func interfaceOf(p string) Interface {
	first, _, _ := strings.Cut(strings.TrimPrefix(p, "/"), "/")
	switch first {
	case "v1", "openapi.json", "openapi.yaml", "docs":
		return InterfaceAPI
	case "files":
		return InterfaceFiles
	case "g", "l":
		return InterfaceGuest
	case "assets":
		return InterfaceAssets
	case "hooks":
		return InterfaceCallback
	case "mcp":
		return InterfaceMCP
	case "healthz", "readyz", "metrics":
		return InterfaceProbe
	default:
		return InterfaceStaff
	}
}

// Handler returns a handler that serves all interfaces.
func Handler(o Options) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/openapi.json", o.API)
	mux.Handle("/openapi.yaml", o.API)
	mux.Handle("/docs", o.API)
	mux.Handle("/docs/", o.API)
	mux.Handle("/files/", respond.Streaming(o.Files))
	if o.Guest != nil {
		for _, prefix := range guestPaths {
			mux.Handle(prefix, o.Guest)
			mux.Handle(prefix+"/", o.Guest)
		}
	}
	if o.Callback != nil {
		mux.Handle("/hooks", o.Callback)
		mux.Handle("/hooks/", o.Callback)
	}
	if o.MCP != nil {
		mux.Handle("/mcp", o.MCP)
	}
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		writeText(w, http.StatusOK, "alive")
	})
	mux.HandleFunc("GET /readyz", serveReadiness(o))
	if o.Staff == nil {
		o.Staff = http.HandlerFunc(notFound)
	}
	if o.Metrics != nil {
		mux.Handle("GET /metrics", onlyLocal(o.Metrics, o.Staff))
	}
	mux.Handle("/", o.Staff)
	return observe(limitBodies(untilPrepared(dispatch(mux, o), o.Prepare)), o)
}

// guestPaths are the path prefixes of the guest pages.
var guestPaths = []string{"/g", "/l", "/assets"}

func isGuestPath(p string) bool {
	return slices.ContainsFunc(guestPaths, func(prefix string) bool {
		return p == prefix || strings.HasPrefix(p, prefix+"/")
	})
}

// isAPIPath reports whether a path belongs to the operations of the API.
func isAPIPath(p string) bool { return p == "/v1" || strings.HasPrefix(p, "/v1/") }

// dispatch passes requests under /v1 to the API, which has its own mux, and others to next. It responds with an error
// to paths such as /v1//items or /v1/../g. Otherwise a mux would redirect them, but an error is more useful to a client
// program. Guests and staff see an error page.
func dispatch(next http.Handler, o Options) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := r.URL.Path
		unclean := p == "/v1" || !isClean(p)
		switch {
		case unclean && o.Guest != nil && isGuestPath(p):
			o.Guest.ServeHTTP(w, r)
		case unclean && isAPIPath(p):
			notFound(w, r)
		case unclean:
			o.Staff.ServeHTTP(w, r)
		case isAPIPath(p):
			o.API.ServeHTTP(w, r)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// isClean reports whether a path has no empty segments and no segments . or .. in it.
func isClean(p string) bool {
	if p != "" && !strings.Contains(p, "//") && !strings.Contains(p, "/.") {
		return true // almost every path
	}
	return p == "/" || path.Clean(p) == strings.TrimSuffix(p, "/")
}

// notFound responds to an unknown path. The response does not contain the path, which may include a secret.
func notFound(w http.ResponseWriter, _ *http.Request) {
	respond.Problem(w, lost.E(lost.NotFound, "There is nothing at this address."))
}

// Header values that all responses share, which saves allocations. They must be replaced with Set, never with Add.
var (
	textType = []string{"text/plain; charset=utf-8"}
	noStore  = []string{"no-store"}
)

func writeText(w http.ResponseWriter, status int, text string) {
	h := w.Header()
	h["Content-Type"] = textType
	h["Cache-Control"] = noStore
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n")
}
