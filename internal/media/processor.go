package media

import (
	"context"
	"runtime/debug"
	"sync"
)

const (
	// minReleased is the size in bytes from which a picture's memory is returned to the system immediately,
	// instead of by the garbage collector later.
	minReleased = 3_000_000

	// maxRefused is the number of pictures without a thumbnail that are remembered. They take a few hundred kilobytes,
	// and are more than a few pages of a list show.
	maxRefused = 1000
)

// Processor processes pictures. Decoding needs tens of megabytes, so a process has one Processor, which decodes one
// picture at a time.
type Processor struct {
	tempDir string
	gate    chan struct{} // holds a token while a picture is decoded

	mu     sync.Mutex
	making map[string]chan struct{} // thumbnails that are being made; closed when done

	refused map[string]error   // why pictures have no thumbnail, by name
	latest  [maxRefused]string // their names; a new name replaces the oldest
	next    int
}

// NewProcessor returns a Processor that stores temporary files in tempDir, or in the system's temporary folder if
// tempDir is empty.
func NewProcessor(tempDir string) *Processor {
	return &Processor{
		tempDir: tempDir, gate: make(chan struct{}, 1),
		making: make(map[string]chan struct{}), refused: make(map[string]error),
	}
}

// exclusively runs work while nothing else is decoded. memory is the number of bytes that the work needs.
func (l *Processor) exclusively(ctx context.Context, memory int64, work func() error) error {
	select {
	case l.gate <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() {
		releaseMemory(memory) // otherwise the memory of the next picture would be added to this one's
		<-l.gate
	}()
	if err := ctx.Err(); err != nil {
		return err
	}
	releaseMemory(memory) // frees unused memory of earlier work before the peak
	return work()
}

// releaseMemory returns unused memory to the system, if the work needs a lot of memory.
func releaseMemory(memory int64) {
	if memory >= minReleased {
		debug.FreeOSMemory()
	}
}

// rememberRefusal remembers why a picture has no thumbnail, so that it is not decoded again at the next request. The
// content of a name never changes.
func (l *Processor) rememberRefusal(name string, why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.refused, l.latest[l.next])
	l.refused[name] = why
	l.latest[l.next] = name
	l.next = (l.next + 1) % maxRefused
}

// previousRefusal returns the error that was remembered for a picture, or nil.
func (l *Processor) previousRefusal(name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refused[name]
}
