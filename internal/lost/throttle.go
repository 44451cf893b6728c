package lost

import (
	"fmt"
	"time"
)

// Throttle counts what somebody tried in vain, and slows them down. Nobody is locked out by it: it ends by itself.
type Throttle struct {
	Failures int
	FreeAt   time.Time // when the next try is taken
	OverAt   time.Time // when it is forgotten
}

// ThrottlePolicy says how a throttle slows down: some failures are free, each one after them brings a wait, twice as long as the one before,
// and what lies back long enough is forgotten.
type ThrottlePolicy struct {
	Free        int
	First, Most time.Duration
	Memory      time.Duration // from the end of the last wait on
}

// Wait is how long the next try has to wait; 0 when it is taken.
func (t Throttle) Wait(now time.Time) time.Duration { return max(0, t.FreeAt.Sub(now)) }

// Fail counts a failure.
func (t *Throttle) Fail(p ThrottlePolicy, now time.Time) {
	if !now.Before(t.OverAt) {
		*t = Throttle{}
	}
	t.Failures++
	t.FreeAt = now.Add(p.wait(t.Failures - p.Free))
	t.OverAt = t.FreeAt.Add(p.Memory)
}

// wait is what the nth failure brings that is not free.
func (p ThrottlePolicy) wait(n int) time.Duration {
	if n <= 0 {
		return 0
	}
	wait := p.First
	for range n - 1 {
		if wait >= p.Most {
			break
		}
		wait *= 2
	}
	return min(wait, p.Most)
}

// Forgive takes one failure back, which was none.
func (t *Throttle) Forgive(now time.Time) {
	t.Failures, t.FreeAt = max(0, t.Failures-1), now
}

// TryLater is the answer to somebody who has to wait.
func TryLater(wait time.Duration) *Error {
	e := E(TooMany, "That was tried too often. Try again in %s.", InWords(wait))
	e.Wait = wait
	return e
}

// InWords says how long something takes, rounded up to what people count in.
func InWords(d time.Duration) string {
	many := func(unit time.Duration, name string) string {
		n := int((d + unit - 1) / unit)
		if n == 1 {
			return "1 " + name
		}
		return fmt.Sprintf("%d %ss", n, name)
	}
	switch {
	case d <= time.Minute:
		return many(time.Second, "second")
	case d <= 2*time.Hour:
		return many(time.Minute, "minute")
	default:
		return many(time.Hour, "hour")
	}
}
