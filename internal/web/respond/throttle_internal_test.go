package respond

import (
	"strconv"
	"testing"
	"time"

	"golang.org/x/time/rate"
)

func TestThrottleForgetsClients(t *testing.T) {
	throttle := NewThrottle(rate.Every(time.Minute), 1, func() time.Time { return time.Unix(0, 0) })
	for n := range 3 * maxThrottled {
		throttle.Take(strconv.Itoa(n))
	}
	if len(throttle.clients) > maxThrottled {
		t.Errorf("%d clients are stored, want at most %d", len(throttle.clients), maxThrottled)
	}
}

func TestThrottleRefillsTheBudget(t *testing.T) {
	now := time.Unix(0, 0)
	throttle := NewThrottle(rate.Every(time.Minute), 1, func() time.Time { return now })
	if remaining, wait := throttle.Take("client"); remaining != 0 || wait != 0 {
		t.Errorf("the first request: got %v remaining and wait %v, want 0 and 0", remaining, wait)
	}
	for range 3 { // a rejected request takes nothing from the budget
		if _, wait := throttle.Take("client"); wait != time.Minute {
			t.Errorf("got wait %v, want %v", wait, time.Minute)
		}
	}
	if _, wait := throttle.Take("another client"); wait != 0 {
		t.Errorf("another client: got wait %v, want 0", wait)
	}
	now = now.Add(time.Minute)
	if _, wait := throttle.Take("client"); wait != 0 {
		t.Errorf("a minute later: got wait %v, want 0", wait)
	}
}
