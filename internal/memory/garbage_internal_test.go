package memory

import "testing"

func TestGarbageMayTakeMoreMemoryWhileItIsCollectedOften(t *testing.T) {
	const mega = 1 << 20
	g := newGarbage()
	observe := func(times int, collections, live uint64, want int) {
		t.Helper()
		for range times {
			g.observe(collections, live)
		}
		if g.percent != want {
			t.Errorf("%d × %d collections of %d bytes: %d %%, want %d %%", times, collections, live, g.percent, want)
		}
	}
	observe(20, 1, 10*mega, calmPercent)
	observe(1, frequent, 10*mega, busyPercent)
	observe(1, frequent, 24*mega, 200)          // 48 MiB of garbage
	observe(1, frequent, 500*mega, calmPercent) // never less than without Adapt
	observe(1, frequent, 0, busyPercent)
	observe(calmIntervals-1, 1, 10*mega, busyPercent) // fewer, because more garbage is allowed
	observe(calmIntervals-3, 0, 10*mega, busyPercent)
	observe(1, 0, 10*mega, calmPercent)
}
