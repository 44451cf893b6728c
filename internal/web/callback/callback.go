// Package callback serves the HTTP callbacks with which payment providers and carriers report payments and tracking
// updates, and with which the SMS provider passes on guests' replies.
//
// Callbacks have no API key. The caller signs the body, and the use case checks the signature before it trusts the
// content. The response is 200 if the callback was processed, even if it does not concern a shipment of this service.
// After any other status, payment providers and carriers try again.
package callback

import (
	"context"
	"io"
	"net/http"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// New returns the handler for /hooks/. payment processes callbacks from the payment provider, and parcel processes
// callbacks from the carrier, and text those from the SMS provider.
func New(payment, parcel, text ProcessFunc) http.Handler {
	mux := http.NewServeMux()
	for path, process := range map[string]http.Handler{
		"/hooks/stripe":   payment,
		"/hooks/easypost": parcel,
		"/hooks/twilio":   textFunc(text),
	} {
		mux.Handle("POST "+path, process)
		mux.HandleFunc(path, respond.MethodNotAllowedHandler(http.MethodPost))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		respond.Problem(w, lost.E(lost.NotFound, "There is nothing at this address."))
	})
	return mux
}

// ProcessFunc processes one callback. It returns a Forbidden error if the signature is wrong.
type ProcessFunc func(ctx context.Context, header http.Header, body []byte) error

func (f ProcessFunc) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := f.serve(w, r); err != nil {
		respond.Problem(w, err)
	}
}

func (f ProcessFunc) serve(w http.ResponseWriter, r *http.Request) error {
	if err := f.process(r); err != nil {
		return err
	}
	return respond.JSON(w, http.StatusOK, struct{}{})
}

func (f ProcessFunc) process(r *http.Request) error {
	body, err := respond.ReadBody(r, lost.E(lost.TooLarge, "A callback must not be larger than 1 MiB."))
	if err != nil {
		return err
	}
	return f(r.Context(), r.Header, body)
}

// textFunc is a ProcessFunc whose response tells the SMS provider to send no answer.
type textFunc ProcessFunc

func (f textFunc) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := ProcessFunc(f).process(r); err != nil {
		respond.Problem(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/xml; charset=utf-8")
	_, _ = io.WriteString(w, `<?xml version="1.0" encoding="UTF-8"?><Response></Response>`)
}
