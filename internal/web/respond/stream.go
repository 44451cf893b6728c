package respond

import (
	"net/http"
	"slices"
	"time"
)

// PartTime is how long a client may take to read each part of a stream.
const PartTime = time.Minute

// Stream sends part of a response of any length in small pieces. The connection's write deadline
// moves with each piece that is sent, so that a slow client is not cut off while it makes progress.
func Stream(w http.ResponseWriter, p []byte) (written int, err error) {
	const pieceSize = 16 << 10
	connection := http.NewResponseController(w)
	for piece := range slices.Chunk(p, pieceSize) {
		_ = connection.SetWriteDeadline(time.Now().Add(PartTime)) // the writers used in tests have no deadline
		n, err := w.Write(piece)
		written += n
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

// Streaming returns a handler whose responses are sent with Stream.
func Streaming(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(streamWriter{w}, r)
	})
}

// streamWriter is a response writer that sends everything with Stream.
type streamWriter struct{ http.ResponseWriter }

func (s streamWriter) Write(p []byte) (int, error) { return Stream(s.ResponseWriter, p) }

// Unwrap gives http.ResponseController access to the connection.
func (s streamWriter) Unwrap() http.ResponseWriter { return s.ResponseWriter }
