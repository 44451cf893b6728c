package webhook

import "time"

// MaxAttempts is the number of attempts for a delivery: one, and five retries.
const MaxAttempts = 6

// RetryUnit is the default wait after the first failure. All other waits are multiples of it.
const RetryUnit = 15 * time.Second

// waits are the waits after the first failed attempt, the second, and so on, in retry units: 15, 60, 120, 240 and
// 480 s. The specification states the first two and, for the later ones, 2^failures x 15 s.
var waits = [MaxAttempts - 1]int64{1, 4, 8, 16, 32}

// Delay returns how long to wait after a number of failed attempts, and whether there is another attempt at all.
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
