package webhook

import "time"

// MaxAttempts is how often a delivery is tried: once, and five times again.
const MaxAttempts = 6

// Unit is the wait after the first failure, unless the operator has set another.
// All other waits are multiples of it.
const Unit = 15 * time.Second

// waits has the units to wait after the first failed attempt, the second, and so
// on: 15, 60, 120, 240 and 480 s. The specification states the first two and, for
// the later ones, 2^failures x 15 s.
var waits = [MaxAttempts - 1]int64{1, 4, 8, 16, 32}

// Delay tells how long to wait after so many failed attempts, and whether there is
// another attempt at all. Before the first failure there is nothing to wait for.
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
