// Package api is the door for client programs: everything under /v1, and the OpenAPI document
// that describes it.
//
// A request goes from its key to an actor, is decoded, handed to the desk, and the record that
// comes back is encoded. Rules are not found here.
package api

import (
	"net/http"
	"slices"
	"strings"

	"homeward/internal/desk"
	"homeward/internal/lost"
	v1 "homeward/internal/v1"
	"homeward/internal/web/respond"
)

// API serves /v1, /openapi.json and /docs.
type API struct {
	desk *desk.Desk
	wire v1.Wire
	pace *pace
	mux  *http.ServeMux
}

// New makes the API. A rate of 0 is no limit.
func New(d *desk.Desk, wire v1.Wire, requestsPerSecond float64) (*API, error) {
	a := &API{desk: d, wire: wire, pace: newPace(requestsPerSecond), mux: http.NewServeMux()}
	methods := map[string][]string{}
	for _, op := range a.operations() {
		a.mux.Handle(op.method+" "+op.path, a.serve(op))
		methods[op.path] = append(methods[op.path], op.method)
	}
	for path, allowed := range methods {
		a.mux.Handle(path, refuseMethod(allowed))
	}
	a.mux.HandleFunc("/v1/", func(w http.ResponseWriter, _ *http.Request) {
		respond.Problem(w, lost.E(lost.NotFound, "There is nothing at this address. GET /openapi.json lists every one."))
	})
	return a, a.mountDocs(a.mux)
}

func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.mux.ServeHTTP(w, r) }

// refuseMethod answers for a path that exists with other methods.
func refuseMethod(allowed []string) http.HandlerFunc {
	if slices.Contains(allowed, http.MethodGet) {
		allowed = append(allowed, http.MethodHead)
	}
	slices.Sort(allowed)
	list := strings.Join(allowed, ", ")
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", list)
		respond.Problem(w, lost.E(lost.NoMethod, "This address takes %s, not %s.", list, respond.Method(r)))
	}
}

// serve turns an operation into a handler: key, pace, then the work.
func (a *API) serve(op operation) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c := &call{w: w, r: r, op: op}
		if err := a.answer(c, op); err != nil {
			respond.Problem(w, err)
		}
	}
}

func (a *API) answer(c *call, op operation) error {
	secret, err := apiKey(c.r.Header)
	if err != nil {
		return err
	}
	if c.actor, err = a.desk.Authenticate(c.r.Context(), secret); err != nil {
		return err
	}
	c.noteActor()
	if err := a.pace.spend(c.w.Header(), c.actor.ID); err != nil {
		return err
	}
	return op.handle(c)
}

// apiKey finds the key in a request, in either of the two headers.
func apiKey(h http.Header) (string, error) {
	if key := h.Get("svc-api-key"); key != "" {
		return key, nil
	}
	scheme, key, _ := strings.Cut(h.Get("Authorization"), " ")
	if key = strings.TrimSpace(key); key != "" && strings.EqualFold(scheme, "Bearer") {
		return key, nil
	}
	return "", lost.E(lost.Unauthorized, "Send an API key in the header svc-api-key, or as Authorization: Bearer.")
}
