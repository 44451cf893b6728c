package demo

import (
	"sync"
	"time"
)

// Clock is a clock that advances while the demo data is created.
type Clock struct {
	mu              sync.Mutex
	start, now, end time.Time
}

// NewClock returns a clock that starts Days before now.
func NewClock(now time.Time) *Clock {
	start := now.AddDate(0, 0, -Days)
	return &Clock{start: start, now: start, end: now}
}

// Now returns the current time of the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Start returns the time at which the demo's data begins.
func (c *Clock) Start() time.Time { return c.start }

// End returns the time at which the demo's data ends, which is the time passed to NewClock.
func (c *Clock) End() time.Time { return c.end }

// Advance moves the clock forward to the given time, but not beyond its end.
func (c *Clock) Advance(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at.After(c.end) {
		at = c.end
	}
	if at.After(c.now) {
		c.now = at
	}
}
