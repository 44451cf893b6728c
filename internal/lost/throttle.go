package lost

import (
	"fmt"
	"time"
)

// Throttle counts failed attempts and delays further attempts. It expires, so that nobody is locked out permanently.
type Throttle struct {
	Failures  int
	AllowedAt time.Time // when the next attempt is allowed
	ExpiresAt time.Time // when the failures expire
}

// ThrottlePolicy contains the settings of a throttle. After Free failures without a wait, the next failure causes the
// wait First, and each further failure doubles the wait up to Most.
type ThrottlePolicy struct {
	Free        int
	First, Most time.Duration
	Memory      time.Duration // how long failures count after the end of the last wait

	// Window changes the policy: at most Free attempts are allowed in a window of this length, which starts with the
	// first attempt. Further attempts wait for its end.
	Window time.Duration
}

// Wait returns the time until the next attempt is allowed, or 0 if it is allowed now.
func (t Throttle) Wait(now time.Time) time.Duration { return max(0, t.AllowedAt.Sub(now)) }

// Exceeds reports whether there are more failures than the policy allows without a wait.
func (t Throttle) Exceeds(p ThrottlePolicy, now time.Time) bool {
	return t.Failures > p.Free && now.Before(t.ExpiresAt)
}

// Fail counts a failure.
func (t *Throttle) Fail(p ThrottlePolicy, now time.Time) {
	if !now.Before(t.ExpiresAt) {
		*t = Throttle{}
	}
	t.Failures++
	if p.Window > 0 {
		t.failInWindow(p, now)
		return
	}
	t.AllowedAt = now.Add(p.wait(t.Failures - p.Free))
	t.ExpiresAt = t.AllowedAt.Add(p.Memory)
}

// failInWindow sets the times for a policy with a window.
func (t *Throttle) failInWindow(p ThrottlePolicy, now time.Time) {
	if t.ExpiresAt.IsZero() {
		t.ExpiresAt = now.Add(p.Window)
	}
	t.AllowedAt = now
	if t.Failures >= p.Free {
		t.AllowedAt = t.ExpiresAt
	}
}

// wait returns how long to wait after the nth failure beyond the free ones.
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

// Forgive removes one failure. An attempt counts as a failure when it starts; Forgive undoes this afterwards.
func (t *Throttle) Forgive(now time.Time) {
	t.Failures, t.AllowedAt = max(0, t.Failures-1), now
}

// RateLimitError returns the error for an attempt that comes too early.
func RateLimitError(wait time.Duration) *Error {
	e := E(TooMany, "Too many attempts. Try again in %s.", HumanDuration(wait))
	e.Wait = wait
	return e
}

// HumanDuration formats a duration for people, rounded up to whole units.
func HumanDuration(d time.Duration) string {
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
