// Package callback serves the calls that payment providers and carriers make to report payments and tracking.
//
// These calls have no API key. The caller signs the body, and the use case checks the signature before it trusts the
// content. A processed call returns 200, even if it concerns no shipment of this service; after any other status the
// caller tries again.
package callback

import (
	"context"
	"net/http"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// New returns the handler for /hooks/. The function payment processes the calls of the payment provider, and parcel
// those of the carrier.
func New(payment, parcel ProcessFunc) http.Handler {
	mux := http.NewServeMux()
	for path, process := range map[string]ProcessFunc{
		"/hooks/stripe":   payment,
		"/hooks/easypost": parcel,
	} {
		mux.Handle("POST "+path, process)
		mux.HandleFunc(path, respond.MethodNotAllowedHandler(http.MethodPost))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		respond.Problem(w, lost.E(lost.NotFound, "There is nothing at this address."))
	})
	return mux
}

// ProcessFunc processes one call. It returns a Forbidden error for a call with a bad signature.
type ProcessFunc func(ctx context.Context, header http.Header, body []byte) error

func (f ProcessFunc) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := f.serve(w, r); err != nil {
		respond.Problem(w, err)
	}
}

func (f ProcessFunc) serve(w http.ResponseWriter, r *http.Request) error {
	body, err := respond.ReadBody(w, r, lost.E(lost.TooLarge, "A call may have at most 1 MiB."))
	if err != nil {
		return err
	}
	if err := f(r.Context(), r.Header, body); err != nil {
		return err
	}
	return respond.JSON(w, http.StatusOK, struct{}{})
}
