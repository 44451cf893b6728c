package media

import (
	"context"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxGarbage is the maximum amount of memory, in bytes, that pictures which were processed may leave to the garbage
	// collector. More is returned to the system at once. Doing that after every small picture would take longer than
	// decoding it.
	maxGarbage = 24_000_000

	// idleTime is how long after the last picture the rest is returned to the system.
	idleTime = 2 * time.Second

	// maxRefused is the maximum number of remembered pictures that cannot have a thumbnail. Remembering them takes a
	// few hundred kilobytes. A few pages of a list show fewer pictures than that.
	maxRefused = 1000
)

// Processor processes pictures. Decoding needs tens of megabytes, so each process has a single Processor, which limits
// how many pictures are decoded at once and how much memory they use together.
type Processor struct {
	tempDir  string
	decoders *decoders
	pace     *pace

	garbage atomic.Int64 // bytes that were used since memory was last returned to the system
	idle    *time.Timer  // returns memory to the system

	mu     sync.Mutex
	making map[string]chan struct{} // thumbnails being made; each channel is closed when its thumbnail is done

	refused map[string]error   // the reason why a picture has no thumbnail, by name
	latest  [maxRefused]string // the names in refused; a new name replaces the oldest
	next    int
}

// NewProcessor returns a Processor that stores temporary files in tempDir, or in the system's temporary folder if
// tempDir is empty.
func NewProcessor(tempDir string) *Processor {
	l := &Processor{
		tempDir: tempDir, decoders: newDecoders(coreCount()), pace: newPace(coreCount()),
		making: make(map[string]chan struct{}), refused: make(map[string]error),
	}
	l.idle = time.AfterFunc(idleTime, func() { l.releaseAbove(0) })
	l.idle.Stop()
	return l
}

// inTurn runs work when a decoder is free. memory is the number of bytes that work needs.
func (l *Processor) inTurn(ctx context.Context, lane Lane, memory int64, work func() error) error {
	release, err := l.decoders.acquire(ctx, lane, memory)
	if err != nil {
		return err
	}
	return l.run(ctx, memory, release, work)
}

// run runs work with a decoder that was acquired, and releases the decoder.
func (l *Processor) run(ctx context.Context, memory int64, release func(), work func() error) error {
	defer func() {
		l.garbage.Add(memory)
		l.releaseAbove(maxGarbage) // so that it does not add to the memory for the next picture
		l.idle.Reset(idleTime)
		release()
	}()
	if err := ctx.Err(); err != nil {
		return err
	}
	l.releaseAbove(max(0, maxGarbage-memory)) // frees unused memory from earlier work before the peak
	return work()
}

// releaseAbove returns unused memory to the system if earlier work left more than the given number of bytes.
func (l *Processor) releaseAbove(limit int64) {
	if garbage := l.garbage.Load(); garbage > limit && l.garbage.CompareAndSwap(garbage, 0) {
		debug.FreeOSMemory()
	}
}

// rememberRefusal remembers why a picture has no thumbnail, so that it is not decoded again on the next request. This
// is safe because a file's content never changes.
func (l *Processor) rememberRefusal(name string, why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.refused, l.latest[l.next])
	l.refused[name] = why
	l.latest[l.next] = name
	l.next = (l.next + 1) % maxRefused
}

// previousRefusal returns the error remembered for a picture, or nil if there is none.
func (l *Processor) previousRefusal(name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refused[name]
}
