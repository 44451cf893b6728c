// Package api is the HTTP interface for client programs: everything under /v1, and the OpenAPI document that
// describes this interface.
//
// A handler authenticates the API key, decodes the request, calls a use case and encodes the record that it returns.
// The business rules are in the use cases, not in this package.
package api

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"homeward/internal/lost"
	"homeward/internal/services"
	"homeward/internal/tracing"
	v1 "homeward/internal/v1"
	"homeward/internal/web/respond"
)

// API serves /v1, /openapi.json and /docs.
type API struct {
	services *services.Services
	limit    *rateLimit
	attempts *keyAttempts
	mux      *http.ServeMux
}

// New returns the API. If requestsPerSecond is 0, there is no rate limit.
func New(d *services.Services, wire v1.Encoder, requestsPerSecond float64) (*API, error) {
	a := &API{
		services: d, limit: newRateLimit(requestsPerSecond), attempts: newKeyAttempts(time.Now),
		mux: http.NewServeMux(),
	}
	operations := handlers{services: d, wire: wire}.operations()
	methods := map[string][]string{}
	for _, op := range operations {
		a.mux.Handle(op.method+" "+op.path, a.serve(op))
		methods[op.path] = append(methods[op.path], op.method)
	}
	for _, op := range operations {
		if op.method == methods[op.path][0] { // once for each path
			a.refuseOtherMethods(op, methods[op.path])
		}
		if op.public {
			a.mux.Handle(http.MethodOptions+" "+op.path, a.preflight(op.method, methods[op.path]))
		}
	}
	a.mux.HandleFunc("/v1/", func(w http.ResponseWriter, _ *http.Request) {
		respond.Problem(w,
			lost.E(lost.NotFound, "There is nothing at this address. GET /openapi.json lists all addresses."))
	})
	return a, mountDocs(a.mux, operations)
}

// refuseOtherMethods mounts the error for methods that the path of an operation does not support.
func (a *API) refuseOtherMethods(op operation, allowed []string) {
	refuse := respond.MethodNotAllowedHandler(allowed...)
	if !op.fitsID {
		a.mux.Handle(op.path, refuse)
		return
	}
	// The mux would not know whether GET /items/{id} or any method of /items/bulk is more specific.
	for _, method := range []string{
		http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
	} {
		if !slices.Contains(allowed, method) {
			a.mux.Handle(method+" "+op.path, refuse)
		}
	}
}

// ServeHTTP serves a request. It ignores a slash at the end of a path under /v1.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/") || !isOperationPath(r.URL.EscapedPath()) {
		a.mux.ServeHTTP(w, r)
		return
	}
	address := *r.URL
	address.Path, address.RawPath = strings.TrimSuffix(address.Path, "/"), strings.TrimSuffix(address.RawPath, "/")
	trimmed := *r
	trimmed.URL = &address
	a.mux.ServeHTTP(w, &trimmed)
	r.Pattern = trimmed.Pattern // for the log and the metrics
}

// isOperationPath reports whether a path that ends with a slash may be an operation's without it. An escaped slash is
// part of an identifier.
func isOperationPath(escaped string) bool {
	rest, under := strings.CutPrefix(escaped, "/v1/")
	return under && len(rest) > 1 && strings.HasSuffix(rest, "/")
}

// serve returns the handler of an operation.
func (a *API) serve(op operation) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c := &call{w: w, r: r, op: op}
		if err := a.handle(c); err != nil {
			respond.Problem(w, err)
		}
	}
}

// handle authenticates the API key, checks its rate limit and runs the operation.
func (a *API) handle(c *call) error {
	secret, err := apiKey(c.r.Header)
	if err != nil {
		return err
	}
	if c.actor, err = a.authenticate(c.r, secret); err != nil {
		return err
	}
	if ctx, accepted := tracing.AcceptOffer(c.r.Context(), respond.Method(c.r)); accepted {
		c.r = c.r.WithContext(ctx)
	}
	c.logActor()
	limited := c.actor.ID
	if c.actor.Role == lost.PublishableRole {
		if err := allowWebsite(c); err != nil {
			return err
		}
		limited += " " + c.actor.Address // its users are strangers to each other
	}
	if err := a.limit.take(c.w.Header(), limited); err != nil {
		return err
	}
	if err := respond.CheckAddress(c.r); err != nil {
		return err
	}
	return c.op.handle(c)
}

// authenticate returns the actor for an API key. A client that has sent many wrong keys gets a TooMany error for
// further wrong ones.
func (a *API) authenticate(r *http.Request, secret string) (lost.Actor, error) {
	client := respond.ClientNetwork(r)
	keys := a.services.Keys
	remembers := func() bool { return keys.Remembers(secret) }
	actor, err := a.attempts.authenticate(r.Context(), client, remembers, func() (lost.Actor, error) {
		return keys.Authenticate(r.Context(), secret)
	})
	if lost.CodeOf(err) == lost.Unauthorized {
		return actor, a.attempts.refuse(client, err)
	}
	return actor.WithAddress(client), err
}

// apiKey returns the API key in the svc-api-key or Authorization header. It returns an Unauthorized error if there is
// none. In Go, the names of headers have this spelling; Get would convert any other.
func apiKey(h http.Header) (string, error) {
	if key := h.Get("Svc-Api-Key"); key != "" {
		return key, nil
	}
	scheme, key, _ := strings.Cut(h.Get("Authorization"), " ")
	if key = strings.TrimSpace(key); key != "" && strings.EqualFold(scheme, "Bearer") {
		return key, nil
	}
	return "", lost.E(lost.Unauthorized, "Send an API key in the header svc-api-key, or as Authorization: Bearer.")
}
