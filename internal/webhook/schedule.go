package webhook

import "time"

// MaxAttempts is the maximum number of attempts for a delivery: the first one and five retries.
const MaxAttempts = 6

// RetryUnit is the default delay after the first failure. All other delays are multiples of it.
const RetryUnit = 15 * time.Second

// waits holds the delay after each failed attempt, in retry units: 15, 60, 120, 240 and 480 s by default. The
// service's specification sets the first two delays and, for the later ones, 2^failures × 15 s.
var waits = [MaxAttempts - 1]int64{1, 4, 8, 16, 32}

// Delay returns how long to wait after the given number of failed attempts, and whether to try again at all.
func Delay(failures int, unit time.Duration) (wait time.Duration, again bool) {
	switch {
	case failures <= 0:
		return 0, true
	case failures > len(waits):
		return 0, false
	default:
		return time.Duration(waits[failures-1] * int64(unit)), true
	}
}
