package respond

import (
	"net/http"
	"slices"
	"strings"

	"homeward/internal/lost"
)

// MethodNotAllowed lists the allowed methods in the Allow header and returns the error for a request whose method is
// not one of them. Allowing GET also allows HEAD, as in http.ServeMux.
func MethodNotAllowed(w http.ResponseWriter, r *http.Request, allowed []string) error {
	methods := slices.Clone(allowed)
	if slices.Contains(methods, http.MethodGet) {
		methods = append(methods, http.MethodHead)
	}
	slices.Sort(methods)
	list := strings.Join(methods, ", ")
	w.Header().Set("Allow", list)
	return lost.E(lost.NoMethod, "This address supports %s, not %s.", list, Method(r))
}

// Method returns the name of a request's method if HTTP defines it, and "another" otherwise: a client can send any text
// as its method, and that text must not reach logs, metrics or error messages.
func Method(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete, http.MethodConnect, http.MethodOptions, http.MethodTrace:
		return r.Method
	}
	return "another"
}

// MethodNotAllowedHandler returns a handler that responds with the MethodNotAllowed error, for paths that support
// only other methods.
func MethodNotAllowedHandler(allowed ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { Problem(w, MethodNotAllowed(w, r, allowed)) }
}
