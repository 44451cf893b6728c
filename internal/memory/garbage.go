package memory

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// calmPercent is how much garbage there may be before it is collected, in percent of the memory in use. It is Go's
	// own value.
	calmPercent = 100
	// busyPercent is the most that there may be while collections are frequent.
	busyPercent = 400
	// busyGarbage is the most garbage, in bytes, that is allowed by more than calmPercent.
	busyGarbage = 48 << 20

	interval = time.Second
	// frequent is the number of collections in an interval that are frequent: they take about 2 % of a core.
	frequent = 2
	// rare is the number of collections in calmIntervals that are no longer worth the memory.
	rare          = 2
	calmIntervals = 10
)

// Adapt lets garbage take more memory while it is collected often, until the context ends. A small program under load
// otherwise spends a sixth of its time on collections. When the load is over, it returns the memory to the system. If
// GOGC is set, Adapt does nothing.
func Adapt(ctx context.Context) {
	if os.Getenv("GOGC") != "" {
		return
	}
	samples := []metrics.Sample{{Name: "/gc/cycles/automatic:gc-cycles"}, {Name: "/gc/heap/live:bytes"}}
	tick := time.NewTicker(interval)
	defer tick.Stop()
	g := newGarbage()
	metrics.Read(samples)
	before := samples[0].Value.Uint64()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		metrics.Read(samples)
		collections, percent := samples[0].Value.Uint64(), g.percent
		g.observe(collections-before, samples[1].Value.Uint64())
		before = collections
		if g.percent != percent {
			debug.SetGCPercent(g.percent)
		}
		if g.percent == calmPercent && percent > calmPercent {
			debug.FreeOSMemory()
		}
	}
}

// garbage decides how much garbage there may be.
type garbage struct {
	percent int
	busy    bool
	recent  [calmIntervals]uint64 // the collections in the last intervals
	next    int
}

func newGarbage() *garbage { return &garbage{percent: calmPercent} }

// observe updates the percentage after an interval with a number of collections. live is the number of bytes in use.
func (g *garbage) observe(collections, live uint64) {
	g.recent[g.next] = collections
	g.next = (g.next + 1) % len(g.recent)
	var sum uint64
	for _, n := range g.recent {
		sum += n
	}
	g.busy = sum > rare && (g.busy || collections >= frequent)
	g.percent = calmPercent
	if g.busy {
		g.percent = max(calmPercent, int(min(busyPercent, busyGarbage*100/max(1, live))))
	}
}
