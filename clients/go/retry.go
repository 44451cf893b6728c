package homeward

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

const (
	idempotencyKey = "Idempotency-Key"
	firstPause     = 500 * time.Millisecond
	longestPause   = 8 * time.Second
	longestWait    = time.Minute // the largest Retry-After that the client obeys
)

// newKey returns a new Idempotency-Key.
func newKey() string { return rand.Text() }

// sendRepeatedly sends a request until it gets a response that is final, or has repeated it often enough.
func (c *Client) sendRepeatedly(
	ctx context.Context, r request, body *body, header http.Header,
) (*http.Response, error) {
	for attempt := 0; ; attempt++ {
		res, err := c.sendOnce(ctx, r, body, header)
		if attempt >= c.retries || ctx.Err() != nil || !body.reopens() || !worthRepeating(r, res, err) {
			return res, err
		}
		pause, ok := pauseAfter(attempt, res)
		if !ok {
			return res, err
		}
		if res != nil {
			const small = 64 << 10
			_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, small)) // so that the connection can be used again
			_ = res.Body.Close()
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), err)
		case <-time.After(pause):
		}
	}
}

// worthRepeating reports whether a request may have another result the next time, and repeating it is safe.
func worthRepeating(r request, res *http.Response, err error) bool {
	safe := r.method == http.MethodGet || r.repeatable
	if err != nil {
		return safe
	}
	switch res.StatusCode {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return true
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		return safe
	default:
		return false
	}
}

// pauseAfter returns how long to wait before the next attempt. It returns false if the service asks for a longer pause
// than the client is willing to make.
func pauseAfter(attempt int, res *http.Response) (pause time.Duration, ok bool) {
	if res != nil {
		if seconds, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil && seconds >= 0 {
			wait := time.Duration(seconds) * time.Second
			jitter := time.Duration(mathrand.Int64N(int64(firstPause))) // many clients may wait for the same moment
			return wait + jitter, wait <= longestWait
		}
	}
	most := min(firstPause<<attempt, longestPause)
	return most/2 + time.Duration(mathrand.Int64N(int64(most/2))), true
}
