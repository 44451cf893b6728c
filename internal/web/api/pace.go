package api

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"homeward/internal/lost"
)

// pace limits the requests of each key on this copy of the service.
type pace struct {
	perSecond float64
	burst     int
	policy    string
	now       func() time.Time

	mu   sync.Mutex
	keys map[string]*rate.Limiter
}

const maxPaced = 10000 // keys remembered; forgetting one gives it a full budget, no more

func newPace(perSecond float64) *pace {
	burst := max(1, int(math.Ceil(perSecond)))
	return &pace{
		perSecond: perSecond, burst: burst, policy: fmt.Sprintf("%d;w=%.0f", burst, math.Ceil(float64(burst)/max(perSecond, 1e-6))),
		now: time.Now, keys: map[string]*rate.Limiter{},
	}
}

// spend takes one request off a key's budget and tells in headers what is left. The
// budget is one second's worth, and fills steadily.
func (p *pace) spend(h http.Header, key string) error {
	if p.perSecond <= 0 {
		return nil
	}
	l, now := p.limiter(key), p.now()
	ok := l.AllowN(now, 1)
	left := math.Max(0, l.TokensAt(now))
	h.Set("RateLimit-Policy", p.policy)
	h.Set("RateLimit-Limit", strconv.Itoa(p.burst))
	h.Set("RateLimit-Remaining", strconv.Itoa(int(left)))
	h.Set("RateLimit-Reset", strconv.Itoa(int(math.Ceil((float64(p.burst)-left)/p.perSecond))))
	if ok {
		return nil
	}
	wait := int(math.Max(1, math.Ceil((1-left)/p.perSecond)))
	h.Set("Retry-After", strconv.Itoa(wait))
	return lost.E(lost.TooMany, "This key may make %g requests a second. Try again in %d s.", p.perSecond, wait)
}

func (p *pace) limiter(key string) *rate.Limiter {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.keys[key]
	if l == nil {
		if len(p.keys) >= maxPaced {
			clear(p.keys)
		}
		l = rate.NewLimiter(rate.Limit(p.perSecond), p.burst)
		p.keys[key] = l
	}
	return l
}
