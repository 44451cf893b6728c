package media

import (
	"context"
	"sync"
	"time"
)

const (
	// paceWindow is the period in which uploads are counted.
	paceWindow = 100 * time.Millisecond
	// paceUploads is how many uploads for each core in a window are a burst.
	paceUploads = 2
	// paceWait is the longest time that a picture waits for the end of a burst.
	paceWait = time.Second
)

// pace recognises bursts of uploads. Pictures that are verified in the background wait for the end of a burst, because
// decoding would take the processor from the requests. They do not wait long, so that a picture is verified within
// seconds even if the burst does not end.
type pace struct {
	limit int

	mu       sync.Mutex
	window   int64 // the number of the window in which uploads were last counted
	count    int   // the uploads in that window
	previous int   // the uploads in the window before
}

func newPace(cores int) *pace { return &pace{limit: paceUploads * max(1, cores)} }

// advance starts the window that a moment belongs to. It must be called with the lock held.
func (p *pace) advance(now time.Time) {
	window := now.UnixNano() / int64(paceWindow)
	switch {
	case window == p.window+1:
		p.previous, p.count = p.count, 0
	case window != p.window:
		p.previous, p.count = 0, 0
	}
	p.window = window
}

// add counts an upload.
func (p *pace) add(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.advance(now)
	p.count++
}

// isBurst reports whether there are many uploads at the moment.
func (p *pace) isBurst(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.advance(now)
	return max(p.count, p.previous) >= p.limit
}

// acquireAfterBurst is acquire for background work: it also waits for the end of a burst of uploads, at most
// paceWait. It always waits for a moment, because the picture may be the first of a burst. While it waits, others can
// use the decoder.
func (l *Processor) acquireAfterBurst(ctx context.Context, lane Lane, memory int64) (release func(), err error) {
	for start := time.Now(); ; {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(paceWindow / 3):
		}
		if release, err = l.decoders.acquire(ctx, lane, memory); err != nil {
			return nil, err
		}
		if now := time.Now(); !l.pace.isBurst(now) || now.Sub(start) >= paceWait {
			return release, nil
		}
		release()
	}
}
