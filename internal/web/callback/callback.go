// Package callback serves the calls that payment providers and carriers make to report payments and tracking.
//
// These calls have no API key. The caller signs the body, and the use case checks the signature before it trusts the
// content. A call that was processed is answered with 200, also if it concerns nothing here; after any other status
// the caller tries again.
package callback

import (
	"context"
	"net/http"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// Desk processes calls. It returns a Forbidden error for a call with a bad signature.
type Desk interface {
	HearPayment(ctx context.Context, header http.Header, body []byte) error
	HearParcel(ctx context.Context, header http.Header, body []byte) error
}

// New makes the handler, to be mounted at /hooks/.
func New(d Desk) http.Handler {
	mux := http.NewServeMux()
	for path, process := range map[string]processFunc{
		"/hooks/stripe":   d.HearPayment,
		"/hooks/easypost": d.HearParcel,
	} {
		mux.Handle("POST "+path, process)
		mux.HandleFunc(path, respond.MethodNotAllowedHandler(http.MethodPost))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		respond.Problem(w, lost.E(lost.NotFound, "There is nothing at this address."))
	})
	return mux
}

// processFunc processes one call.
type processFunc func(ctx context.Context, header http.Header, body []byte) error

func (f processFunc) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := f.serve(w, r); err != nil {
		respond.Problem(w, err)
	}
}

func (f processFunc) serve(w http.ResponseWriter, r *http.Request) error {
	body, err := respond.ReadBody(w, r, lost.E(lost.TooLarge, "A call may have at most 1 MiB."))
	if err != nil {
		return err
	}
	if err := f(r.Context(), r.Header, body); err != nil {
		return err
	}
	return respond.JSON(w, http.StatusOK, struct{}{})
}
