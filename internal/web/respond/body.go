package respond

import (
	"errors"
	"io"
	"net/http"
	"time"

	"homeward/internal/lost"
)

// MaxBody is the largest accepted JSON body, in bytes.
const MaxBody = 1 << 20

// ReadBody reads a request body of at most MaxBody bytes, and returns tooLarge for a larger one. It returns the exact
// bytes that arrived: signatures are computed over them.
func ReadBody(w http.ResponseWriter, r *http.Request, tooLarge error) ([]byte, error) {
	if r.ContentLength > MaxBody {
		return nil, tooLarge
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return nil, tooLarge
	}
	if err != nil {
		return nil, lost.E(lost.Unreadable, "The body is incomplete.").WithCause(err)
	}
	return body, nil
}

// ExtendDeadlines moves the deadlines of a connection to d from now, because an upload from a slow phone takes long.
// It ignores response writers without deadlines, which tests use.
func ExtendDeadlines(w http.ResponseWriter, d time.Duration) error {
	deadline := time.Now().Add(d)
	connection := http.NewResponseController(w)
	for _, set := range []func(time.Time) error{connection.SetReadDeadline, connection.SetWriteDeadline} {
		if err := set(deadline); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return err
		}
	}
	return nil
}
