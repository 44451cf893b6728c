package media

import (
	"context"
	"runtime/debug"
	"sync"
)

const (
	// minReleased is the smallest amount of memory, in bytes, that is returned to the system immediately after a
	// picture is processed. Smaller amounts are left to the garbage collector.
	minReleased = 3_000_000

	// maxRefused is the maximum number of remembered pictures that cannot have a thumbnail. Remembering them takes a
	// few hundred kilobytes. A few pages of a list show fewer pictures than that.
	maxRefused = 1000
)

// Processor processes pictures. Decoding needs tens of megabytes, so each process has a single Processor, which limits
// how many pictures are decoded at once and how much memory they use together.
type Processor struct {
	tempDir  string
	decoders *decoders

	mu     sync.Mutex
	making map[string]chan struct{} // thumbnails being made; each channel is closed when its thumbnail is done

	refused map[string]error   // the reason why a picture has no thumbnail, by name
	latest  [maxRefused]string // the names in refused; a new name replaces the oldest
	next    int
}

// NewProcessor returns a Processor that stores temporary files in tempDir, or in the system's temporary folder if
// tempDir is empty.
func NewProcessor(tempDir string) *Processor {
	return &Processor{
		tempDir: tempDir, decoders: newDecoders(coreCount()),
		making: make(map[string]chan struct{}), refused: make(map[string]error),
	}
}

// inTurn runs work when a decoder is free. memory is the number of bytes that work needs.
func (l *Processor) inTurn(ctx context.Context, lane Lane, memory int64, work func() error) error {
	release, err := l.decoders.acquire(ctx, lane, memory)
	if err != nil {
		return err
	}
	defer func() {
		releaseMemory(memory) // so that it does not add to the memory for the next picture
		release()
	}()
	if err := ctx.Err(); err != nil {
		return err
	}
	releaseMemory(memory) // frees unused memory from earlier work before the peak
	return work()
}

// releaseMemory returns unused memory to the system if the work used at least minReleased bytes.
func releaseMemory(memory int64) {
	if memory >= minReleased {
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
