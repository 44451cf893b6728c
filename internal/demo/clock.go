package demo

import (
	"sync"
	"time"
)

// Clock runs through the days of a demo as fast as it is filled.
type Clock struct {
	mu              sync.Mutex
	start, now, end time.Time
}

// NewClock makes a clock that begins so long before now as a demo goes back.
func NewClock(now time.Time) *Clock {
	start := now.AddDate(0, 0, -Days)
	return &Clock{start: start, now: start, end: now}
}

// Now is the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Start is when the demo begins, and End when it ends, which is now.
func (c *Clock) Start() time.Time { return c.start }

// End is when the demo ends, which is now.
func (c *Clock) End() time.Time { return c.end }

// To turns the clock forward to a time, and not beyond its end.
func (c *Clock) To(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at.After(c.end) {
		at = c.end
	}
	if at.After(c.now) {
		c.now = at
	}
}
