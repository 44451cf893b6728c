package web

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
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

// How much of a refused body is read, and for how long. Many clients send the whole body before they read the response.
// If the connection were closed while they send, they would see only that, and not the error.
const (
	refusedBytes = 64 << 20
	refusedTime  = time.Minute
)

// limitBodies ends requests whose bodies arrive more slowly than the minimum rate, with status 408. If a request is
// refused before its body was read, limitBodies sends the response at once, and then reads the rest of the body.
func limitBodies(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.Body == http.NoBody {
			next.ServeHTTP(w, r)
			return
		}
		body := &slowBody{ReadCloser: r.Body, header: w.Header(), connection: http.NewResponseController(w)}
		r.Body = body
		next.ServeHTTP(w, r)
		waits := r.Header.Get("Expect") != "" && !body.begun // the client sends nothing after a refusal
		if rec, ok := w.(*respond.Recorder); ok && blamesRequest(rec.Status) && r.ProtoMajor == 1 && !waits {
			body.discard()
		}
	})
}

// blamesRequest reports whether a status says what is wrong with a request. The bodies of clients that send too many
// requests, and those that arrive while the service is busy, are not read.
func blamesRequest(status int) bool {
	return status >= http.StatusBadRequest && status < http.StatusInternalServerError &&
		status != http.StatusTooManyRequests
}

// slowBody is a request body that must arrive at the minimum rate. Only the time spent in Read counts, not the time
// that the service needs in between.
type slowBody struct {
	io.ReadCloser
	header     http.Header // of the response
	connection *http.ResponseController
	spent      time.Duration // in this window
	received   int64         // in this window
	begun      bool          // something was read
	end        error         // what the end of the body returned
}

func (b *slowBody) Read(p []byte) (int, error) {
	if b.end != nil {
		return 0, b.end
	}
	b.begun = true
	start := time.Now()
	// The errors are ignored: the writers used in tests have no deadlines.
	_ = b.connection.SetReadDeadline(start.Add(bodyWindow - b.spent))
	n, err := b.ReadCloser.Read(p)
	b.spent += time.Since(start)
	b.received += int64(n)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		b.header.Set("Connection", "close")
		err = lost.E(lost.TooSlow, "The request body arrived too slowly. Try again with a better connection.").
			WithCause(err)
	case errors.Is(err, io.EOF):
		_ = b.connection.SetReadDeadline(time.Time{}) // the handler may take longer than the window
	case b.received >= bodyBytes:
		b.spent, b.received = 0, 0
		_ = b.connection.SetWriteDeadline(time.Now().Add(bodyWindow + bodyAnswer))
	}
	b.end = err
	return n, err
}

// discard sends the response, and reads what is left of the body, within limits.
func (b *slowBody) discard() {
	if b.end != nil {
		return
	}
	_ = b.connection.Flush() // an error only means that the client disconnected
	start := time.Now()
	for left := int64(refusedBytes); left > 0 && time.Since(start) < refusedTime; {
		n, err := io.CopyN(io.Discard, b, bodyBytes)
		if err != nil {
			return
		}
		left -= n
	}
}
