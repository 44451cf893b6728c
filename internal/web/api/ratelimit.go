package api

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"golang.org/x/time/rate"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// rateLimit limits the number of requests per second for each API key. A key can make one second's worth of requests
// at once.
type rateLimit struct {
	perSecond float64
	burst     int
	policy    string // the value of the RateLimit-Policy header
	throttle  *respond.Throttle
}

// newRateLimit returns a limit of perSecond requests per second, or no limit if perSecond is 0.
func newRateLimit(perSecond float64) *rateLimit {
	burst := max(1, int(math.Ceil(perSecond)))
	window := math.Ceil(float64(burst) / max(perSecond, 1e-6))
	return &rateLimit{
		perSecond: perSecond, burst: burst, policy: fmt.Sprintf("%d;w=%.0f", burst, window),
		throttle: respond.NewThrottle(rate.Limit(perSecond), burst, time.Now),
	}
}

// take counts one request by a key and sets the RateLimit headers. It returns a TooMany error if the limit is
// exceeded.
func (l *rateLimit) take(h http.Header, key string) error {
	if l.perSecond <= 0 {
		return nil
	}
	remaining, wait := l.throttle.Take(key)
	h.Set("RateLimit-Policy", l.policy)
	h.Set("RateLimit-Limit", strconv.Itoa(l.burst))
	h.Set("RateLimit-Remaining", strconv.Itoa(int(remaining)))
	h.Set("RateLimit-Reset", strconv.Itoa(int(math.Ceil((float64(l.burst)-remaining)/l.perSecond))))
	if wait == 0 {
		return nil
	}
	seconds := int(math.Max(1, math.Ceil((1-remaining)/l.perSecond)))
	h.Set("Retry-After", strconv.Itoa(seconds))
	return lost.E(lost.TooMany, "This API key is limited to %g requests per second. Try again in %d s.", l.perSecond,
		seconds)
}
