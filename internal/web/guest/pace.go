package guest

import (
	"math"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"homeward/internal/lost"
)

// pace gives each client a budget, which fills steadily, on this copy of the service.
type pace struct {
	every time.Duration
	burst int
	now   func() time.Time

	mu      sync.Mutex
	clients map[string]*rate.Limiter
}

const maxPaced = 10000 // clients remembered; forgetting one gives it a full budget, no more

func newPace(every time.Duration, burst int, now func() time.Time) *pace {
	return &pace{every: every, burst: burst, now: now, clients: map[string]*rate.Limiter{}}
}

// take takes one off a client's budget. Where nothing is left it tells how long that stays so; else giveBack
// undoes it, for what came to nothing.
func (p *pace) take(client string) (giveBack func(), wait time.Duration) {
	now := p.now()
	r := p.limiter(client, now).ReserveN(now, 1)
	giveBack = func() { r.CancelAt(now) }
	if wait = r.DelayFrom(now); wait > 0 {
		giveBack()
	}
	return giveBack, wait
}

func (p *pace) limiter(client string, now time.Time) *rate.Limiter {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.clients[client]
	if l == nil {
		if len(p.clients) >= maxPaced {
			p.forget(now)
		}
		l = rate.NewLimiter(rate.Every(p.every), p.burst)
		p.clients[client] = l
	}
	return l
}

// forget drops the clients whose budget is full again, and all where that is not enough.
func (p *pace) forget(now time.Time) {
	for client, l := range p.clients {
		if l.TokensAt(now) >= float64(p.burst) {
			delete(p.clients, client)
		}
	}
	if len(p.clients) >= maxPaced {
		clear(p.clients)
	}
}

// tooMany is the answer to a client who has to wait.
func (c *call) tooMany(wait time.Duration) error {
	c.w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	return lost.E(lost.TooMany, "This client has to wait.")
}

// explainWait says how long to wait, and whom to ask instead.
func (c *call) explainWait(say func(title, text string, args ...any) failPage) failPage {
	minutes := c.minutes()
	if minutes == 0 { // the location has taken all that it takes in a day
		return say("error.page.full.title", "error.page.full.text", "location", c.placeName())
	}
	return say("error.page.wait.title", "error.page.wait.text", "n", minutes)
}

// minutes is how long the client has to wait, as it was told; 0 where that was not said.
func (c *call) minutes() int {
	seconds, err := strconv.Atoi(c.w.Header().Get("Retry-After"))
	if err != nil {
		return 0
	}
	return max(1, (seconds+59)/60)
}
