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
		t.Errorf("%d clients are remembered", len(throttle.clients))
	}
}

func TestThrottleRefillsTheBudget(t *testing.T) {
	now := time.Unix(0, 0)
	throttle := NewThrottle(rate.Every(time.Minute), 1, func() time.Time { return now })
	if remaining, wait := throttle.Take("client"); remaining != 0 || wait != 0 {
		t.Errorf("the first request leaves %v and waits %v", remaining, wait)
	}
	for range 3 { // a refused request takes nothing from the budget
		if _, wait := throttle.Take("client"); wait != time.Minute {
			t.Errorf("has to wait for %v", wait)
		}
	}
	if _, wait := throttle.Take("another client"); wait != 0 {
		t.Errorf("another client has to wait for %v", wait)
	}
	now = now.Add(time.Minute)
	if _, wait := throttle.Take("client"); wait != 0 {
		t.Errorf("a minute later, has to wait for %v", wait)
	}
}
