package media

import (
	"context"
	"runtime"
	"slices"
	"sync"
)

// Lane is a queue for decoding pictures. Each lane has its own share of the decoders.
type Lane int

// The lanes.
const (
	StaffLane     Lane = iota // uploads by staff and API clients
	ThumbnailLane             // thumbnails of stored pictures
	PublicLane                // uploads by guests and on public pages
	lanes
)

// laneWeights are how many pictures of each lane are decoded in one round if all lanes have pictures waiting. They
// favour staff, and no lane waits forever.
var laneWeights = [lanes]int{StaffLane: 4, ThumbnailLane: 2, PublicLane: 1}

// otherBudget is the maximum memory, in bytes, that pictures of all lanes except StaffLane may use together. A picture
// that needs more is decoded while no other picture of these lanes is. The rest of the budget is for staff.
const otherBudget = budget * 6 / 10

// decoders decides when each picture is decoded. At most slots pictures are decoded at once, and together they need
// at most budget bytes. One slot is reserved for StaffLane, so uploads by strangers do not occupy all of them.
type decoders struct {
	slots int

	mu      sync.Mutex
	waiting [lanes][]*turn
	credit  [lanes]int // how many more pictures of each lane are decoded in this round
	running int
	used    int64 // bytes
	// The pictures of other lanes than StaffLane that are being decoded, and the bytes that they need.
	others      int
	othersBytes int64
}

// turn is a picture that is waiting for a decoder.
type turn struct {
	lane   Lane
	memory int64
	ready  chan struct{} // closed when the picture may be decoded
}

// newDecoders returns decoders for a machine with the given number of cores. There are at least two, so that one can
// be reserved.
func newDecoders(cores int) *decoders { return &decoders{slots: max(2, cores), credit: laneWeights} }

// coreCount returns how many cores the process may use. Go reads the limits of the container.
func coreCount() int { return runtime.GOMAXPROCS(0) }

// acquire waits until a picture that needs the given number of bytes may be decoded. The caller must call release
// afterwards.
func (d *decoders) acquire(ctx context.Context, lane Lane, memory int64) (release func(), err error) {
	t := &turn{lane: lane, memory: min(memory, budget), ready: make(chan struct{})}
	d.mu.Lock()
	d.waiting[lane] = append(d.waiting[lane], t)
	d.start()
	d.mu.Unlock()
	select {
	case <-t.ready:
		return func() { d.release(t) }, nil
	case <-ctx.Done():
		d.cancel(t)
		return nil, ctx.Err()
	}
}

// start lets pictures be decoded, in turn, until the next one has to wait. It must be called with the lock held.
func (d *decoders) start() {
	for {
		lane, found := d.nextLane()
		if !found {
			return
		}
		t := d.waiting[lane][0]
		// A picture that does not fit waits for memory, and others do not overtake it: it would never fit otherwise.
		if d.used+t.memory > budget {
			return
		}
		d.waiting[lane] = slices.Delete(d.waiting[lane], 0, 1)
		d.credit[lane] = max(0, d.credit[lane]-1)
		d.count(t, 1)
		close(t.ready)
	}
}

// nextLane returns the lane of the next picture. It returns false if no picture is waiting or no slot is free for it.
func (d *decoders) nextLane() (Lane, bool) {
	if d.running >= d.slots {
		return 0, false
	}
	if !d.roundContinues() {
		d.credit = laneWeights
	}
	for lane := range lanes {
		if d.credit[lane] > 0 && d.mayStart(lane) {
			return lane, true
		}
	}
	return StaffLane, d.mayStart(StaffLane) // in the slot that others may not use
}

// roundContinues reports whether a lane with waiting pictures has credit left.
func (d *decoders) roundContinues() bool {
	for lane := range lanes {
		if len(d.waiting[lane]) > 0 && d.credit[lane] > 0 {
			return true
		}
	}
	return false
}

// mayStart reports whether a lane has a picture waiting that need not leave its slot or memory to staff.
func (d *decoders) mayStart(lane Lane) bool {
	if len(d.waiting[lane]) == 0 {
		return false
	}
	if lane == StaffLane || d.others == 0 {
		return true
	}
	return d.others < d.slots-1 && d.othersBytes+d.waiting[lane][0].memory <= otherBudget
}

// count adds a picture to those being decoded, or removes it if n is -1.
func (d *decoders) count(t *turn, n int) {
	d.running += n
	d.used += int64(n) * t.memory
	if t.lane != StaffLane {
		d.others += n
		d.othersBytes += int64(n) * t.memory
	}
}

func (d *decoders) release(t *turn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.count(t, -1)
	d.start()
}

// cancel removes a picture that no longer waits.
func (d *decoders) cancel(t *turn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if at := slices.Index(d.waiting[t.lane], t); at >= 0 {
		d.waiting[t.lane] = slices.Delete(d.waiting[t.lane], at, at+1)
	} else { // it was started in the meantime
		d.count(t, -1)
	}
	d.start()
}
