package media

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// queue adds n pictures to a lane of d.
func queue(t *testing.T, d *decoders, lane Lane, memory int64, n int) (turns []*turn) {
	t.Helper()
	for range n {
		next := &turn{lane: lane, memory: memory, ready: make(chan struct{})}
		d.mu.Lock()
		d.waiting[lane] = append(d.waiting[lane], next)
		d.start()
		d.mu.Unlock()
		turns = append(turns, next)
	}
	return turns
}

// started returns how many of the pictures are being decoded.
func started(turns []*turn) (n int) {
	for _, t := range turns {
		select {
		case <-t.ready:
			n++
		default:
		}
	}
	return n
}

func TestDecodersFollowTheCores(t *testing.T) {
	for cores, want := range map[int]int{1: 2, 2: 2, 4: 4, 16: 16} {
		if got := started(queue(t, newDecoders(cores), StaffLane, 1000, 20)); got != want {
			t.Errorf("with %d cores, %d small pictures are decoded at once, want %d", cores, got, want)
		}
	}
}

func TestDecodersStayWithinTheMemoryBudget(t *testing.T) {
	const photo = budget * 3 / 10
	if got := started(queue(t, newDecoders(16), StaffLane, photo, 20)); got != 3 {
		t.Errorf("%d pictures of 30 %% of the budget are decoded at once, want 3", got)
	}
	d := newDecoders(16)
	if got := started(queue(t, d, PublicLane, photo, 20)); got != 2 {
		t.Errorf("%d pictures of strangers are decoded at once, want 2", got)
	}
	if got := started(queue(t, d, StaffLane, photo, 1)); got != 1 {
		t.Error("strangers use the memory that is reserved for staff")
	}
	if got := started(queue(t, newDecoders(16), PublicLane, budget, 2)); got != 1 {
		t.Errorf("%d of the largest pictures of strangers are decoded at once, want 1", got)
	}
}

func TestOneDecoderIsReservedForStaff(t *testing.T) {
	for _, cores := range []int{1, 2, 8} {
		d := newDecoders(cores)
		strangers := append(queue(t, d, ThumbnailLane, 1000, 20), queue(t, d, PublicLane, 1000, 20)...)
		if got := started(strangers); got != d.slots-1 {
			t.Errorf("with %d cores, strangers use %d of %d decoders", cores, got, d.slots)
		}
		if started(queue(t, d, StaffLane, 1000, 1)) != 1 {
			t.Errorf("with %d cores, a picture of staff waits for strangers", cores)
		}
	}
}

// While every lane has pictures waiting, staff get most decoders, and no lane waits forever.
func TestNoLaneWaitsForever(t *testing.T) {
	d := newDecoders(2)
	first := queue(t, d, StaffLane, budget, 1)
	all := map[Lane][]*turn{}
	for lane := range lanes {
		all[lane] = queue(t, d, lane, budget, 14)
	}
	var order []Lane
	for last := first[0]; len(order) < 7; {
		d.release(last)
		for lane := range lanes {
			if n := started(all[lane]); n == 1 {
				last, all[lane] = all[lane][0], all[lane][1:]
				order = append(order, lane)
			}
		}
	}
	want := []Lane{
		StaffLane, StaffLane, StaffLane, StaffLane, ThumbnailLane, ThumbnailLane, PublicLane,
	}
	if !slices.Equal(order, want) {
		t.Errorf("decoded in the order %v, want %v", order, want)
	}
}

func TestACanceledPictureFreesItsPlace(t *testing.T) {
	d := newDecoders(2)
	release, err := d.acquire(t.Context(), PublicLane, budget)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.acquire(ctx, StaffLane, budget); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want it to be canceled", err)
	}
	release()
	if d.running != 0 || d.used != 0 || d.others != 0 || d.othersBytes != 0 {
		t.Errorf("%d pictures with %d bytes are counted after the last one ended", d.running, d.used)
	}
	release, err = d.acquire(t.Context(), StaffLane, budget)
	if err != nil {
		t.Fatal(err)
	}
	release()
}
