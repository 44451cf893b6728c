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

// rateLimit limits the requests of each API key. A budget holds one second's worth of requests.
type rateLimit struct {
	perSecond float64
	burst     int
	policy    string // value of the header RateLimit-Policy
	throttle  *respond.Throttle
}

// newRateLimit returns a limit of perSecond requests; 0 means no limit.
func newRateLimit(perSecond float64) *rateLimit {
	burst := max(1, int(math.Ceil(perSecond)))
	window := math.Ceil(float64(burst) / max(perSecond, 1e-6))
	return &rateLimit{
		perSecond: perSecond, burst: burst, policy: fmt.Sprintf("%d;w=%.0f", burst, window),
		throttle: respond.NewThrottle(rate.Limit(perSecond), burst, time.Now),
	}
}

// take takes one request from a key's budget and reports in headers what remains.
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
	return lost.E(lost.TooMany, "This key may make %g requests a second. Try again in %d s.", l.perSecond, seconds)
}
