// Package hook is the door for other services' calls: what a payment provider and a carrier tell by themselves.
//
// Nobody has a key here. Whoever calls signs what it says, and the desk has that checked before it believes a word. A call that was
// heard is answered 200, also when it is none of our business; after anything else, the caller tries again.
package callback

import (
	"context"
	"errors"
	"io"
	"net/http"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// Desk hears what others tell. A Forbidden error is a call whose signature is not good.
type Desk interface {
	HearPayment(ctx context.Context, header http.Header, body []byte) error
	HearParcel(ctx context.Context, header http.Header, body []byte) error
}

// maxBody is the most bytes of a call.
const maxBody = 1 << 20

// New makes the door, to be mounted at /hooks/.
func New(d Desk) http.Handler {
	mux := http.NewServeMux()
	for path, hear := range map[string]hearing{
		"/hooks/stripe":   d.HearPayment,
		"/hooks/easypost": d.HearParcel,
	} {
		mux.Handle("POST "+path, hear)
		mux.HandleFunc(path, refuseMethod)
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		respond.Problem(w, lost.E(lost.NotFound, "There is nothing at this address."))
	})
	return mux
}

// hearing takes one call.
type hearing func(ctx context.Context, header http.Header, body []byte) error

func (h hearing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := read(w, r)
	if err == nil {
		err = h(r.Context(), r.Header, body)
	}
	if err == nil {
		err = respond.JSON(w, http.StatusOK, struct{}{})
	}
	if err != nil {
		respond.Problem(w, err)
	}
}

// read reads the body of a call. Signatures are over its bytes: they are kept as they came.
func read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	tooLarge := lost.E(lost.TooLarge, "A call may have at most 1 MiB.")
	if r.ContentLength > maxBody {
		return nil, tooLarge
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return nil, tooLarge
	}
	if err != nil {
		return nil, lost.E(lost.Unreadable, "The body did not arrive whole.").Because(err)
	}
	return body, nil
}

func refuseMethod(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Allow", http.MethodPost)
	respond.Problem(w, lost.E(lost.NoMethod, "This address takes POST, not %s.", respond.Method(r)))
}
