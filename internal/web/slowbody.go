package web

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"homeward/internal/lost"
)

// The minimum rate at which a request body must arrive. A client that sends nothing, or only a few bytes now and then,
// would otherwise occupy a connection for as long as it likes. The rate is low enough for a phone with a bad
// connection: at 20 KiB/s, a window is complete after 12 seconds, so the phone may be offline for the other 18.
const (
	bodyWindow = 30 * time.Second
	bodyBytes  = 240 << 10 // in each window: 8 KiB/s on average
	// bodyAnswer is how long the response may take after a window of a large body.
	bodyAnswer = 5 * time.Minute
)

// limitSlowBodies ends requests whose bodies arrive more slowly than the minimum rate, with status 408.
func limitSlowBodies(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody {
			r.Body = &slowBody{ReadCloser: r.Body, header: w.Header(), connection: http.NewResponseController(w)}
		}
		next.ServeHTTP(w, r)
	})
}

// slowBody is a request body that must arrive at the minimum rate. Only the time spent in Read counts, not the time
// that the service needs in between.
type slowBody struct {
	io.ReadCloser
	header     http.Header // of the response
	connection *http.ResponseController
	spent      time.Duration // in this window
	received   int64         // in this window
	failed     error
}

func (b *slowBody) Read(p []byte) (int, error) {
	if b.failed != nil {
		return 0, b.failed
	}
	start := time.Now()
	// The errors are ignored: the writers used in tests have no deadlines.
	_ = b.connection.SetReadDeadline(start.Add(bodyWindow - b.spent))
	n, err := b.ReadCloser.Read(p)
	b.spent += time.Since(start)
	b.received += int64(n)
	switch {
	case errors.Is(err, io.EOF):
		_ = b.connection.SetReadDeadline(time.Time{}) // the handler may take longer than the window
	case errors.Is(err, os.ErrDeadlineExceeded):
		b.header.Set("Connection", "close")
		b.failed = lost.E(lost.TooSlow, "The request body arrived too slowly. Try again with a better connection.").
			WithCause(err)
		return n, b.failed
	case b.received >= bodyBytes:
		b.spent, b.received = 0, 0
		_ = b.connection.SetWriteDeadline(time.Now().Add(bodyWindow + bodyAnswer))
	}
	return n, err
}
