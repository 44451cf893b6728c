package media

import (
	"context"
	"runtime/debug"
	"sync"
)

const (
	// noticeable is from how many bytes on a decoded picture's memory is given back
	// to the system at once, rather than whenever the collector gets to it.
	noticeable = 3_000_000

	// maxRefused bounds the pictures that are known to have no thumbnail: some
	// hundred kilobytes, and more than a few pages of a list show.
	maxRefused = 1000
)

// Lab works on pictures. Decoding takes tens of megabytes, so there is one Lab
// in a process and it decodes one picture at a time.
type Lab struct {
	tempDir string
	gate    chan struct{} // holds a token while a picture is decoded

	mu     sync.Mutex
	making map[string]chan struct{} // thumbnails under way, closed when done

	refused map[string]error   // pictures without thumbnail, and why
	latest  [maxRefused]string // their names; the next takes the place of the oldest
	next    int
}

// NewLab makes a Lab that keeps its temporary files in tempDir; the system's
// folder for them where it is empty.
func NewLab(tempDir string) *Lab {
	return &Lab{
		tempDir: tempDir, gate: make(chan struct{}, 1),
		making: make(map[string]chan struct{}), refused: make(map[string]error),
	}
}

// alone runs work, which takes so many bytes of memory, while nobody else decodes.
func (l *Lab) alone(ctx context.Context, memory int64, work func() error) error {
	select {
	case l.gate <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() {
		giveBack(memory) // or the next in line would pile its memory upon this one's
		<-l.gate
	}()
	if err := ctx.Err(); err != nil {
		return err
	}
	giveBack(memory) // what others have left, before the peak
	return work()
}

// giveBack returns to the system what work that took so many bytes has left.
func giveBack(memory int64) {
	if memory >= noticeable {
		debug.FreeOSMemory()
	}
}

// refuse remembers why a picture has no thumbnail, so that whoever asks again does
// not have it decoded again. A name stands for the same bytes for ever.
func (l *Lab) refuse(name string, why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.refused, l.latest[l.next])
	l.refused[name], l.latest[l.next] = why, name
	l.next = (l.next + 1) % maxRefused
}

// refusedBefore gives what was remembered, if anything was.
func (l *Lab) refusedBefore(name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refused[name]
}
