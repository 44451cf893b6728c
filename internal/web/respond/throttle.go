package respond

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Throttle limits each client to a budget of requests, which refills steadily. It counts only the requests to this
// instance: behind a load balancer a client has one budget per instance.
type Throttle struct {
	limit rate.Limit
	burst int
	now   func() time.Time

	mu      sync.Mutex
	clients map[string]*rate.Limiter
}

// maxThrottled is the maximum number of clients that a Throttle remembers. A client that was forgotten starts again
// with a full budget.
const maxThrottled = 10000

// NewThrottle returns a throttle whose budgets hold up to burst requests and refill by limit requests per second.
func NewThrottle(limit rate.Limit, burst int, now func() time.Time) *Throttle {
	return &Throttle{limit: limit, burst: burst, now: now, clients: map[string]*rate.Limiter{}}
}

// Take takes one request from the client's budget and returns how much of the budget remains. If the budget is empty,
// nothing is taken, and wait is the time until the next request is allowed; otherwise wait is 0.
func (t *Throttle) Take(client string) (remaining float64, wait time.Duration) {
	now := t.now()
	l := t.limiter(client, now)
	allowed := l.AllowN(now, 1)
	remaining = max(0, l.TokensAt(now))
	if allowed {
		return remaining, 0
	}
	missing := 1 - remaining
	return remaining, max(1, time.Duration(missing/float64(t.limit)*float64(time.Second)))
}

// Wait returns the time until the client's next request is allowed, or 0 if it is allowed now. It takes nothing.
func (t *Throttle) Wait(client string) time.Duration {
	now := t.now()
	t.mu.Lock()
	l := t.clients[client]
	t.mu.Unlock()
	if l == nil {
		return 0
	}
	missing := 1 - l.TokensAt(now)
	return max(0, time.Duration(missing/float64(t.limit)*float64(time.Second)))
}

func (t *Throttle) limiter(client string, now time.Time) *rate.Limiter {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.clients[client]
	if l == nil {
		if len(t.clients) >= maxThrottled {
			t.forget(now)
		}
		l = rate.NewLimiter(t.limit, t.burst)
		t.clients[client] = l
	}
	return l
}

// forget removes the clients whose budget is full again, or all clients if that frees no space.
func (t *Throttle) forget(now time.Time) {
	for client, l := range t.clients {
		if l.TokensAt(now) >= float64(t.burst) {
			delete(t.clients, client)
		}
	}
	if len(t.clients) >= maxThrottled {
		clear(t.clients)
	}
}
