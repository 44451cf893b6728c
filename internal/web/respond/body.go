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

// ReadBody reads a request body of at most MaxBody bytes, and returns the error tooLarge for a larger one. The bytes
// are exactly those received, because signatures are computed over them.
func ReadBody(r *http.Request, tooLarge error) ([]byte, error) {
	if r.ContentLength > MaxBody {
		return nil, tooLarge
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, MaxBody+1))
	switch {
	case lost.CodeOf(err) == lost.TooSlow:
		return nil, err
	case err != nil:
		return nil, lost.E(lost.Unreadable, "The body is incomplete.").WithCause(err)
	case len(body) > MaxBody:
		return nil, tooLarge
	}
	return body, nil
}

// ExtendDeadlines sets the connection's read and write deadlines to d from now, because uploads from slow phones take
// a long time. It does nothing for response writers that do not support deadlines, as in tests.
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
