package media

import (
	"context"
	"runtime/debug"
	"sync"
)

// heavy is the number of pixels from which a decoded picture's memory is given
// back to the system at once, rather than whenever the collector gets to it.
const heavy = 2_000_000

// Lab works on pictures. Decoding takes tens of megabytes, so there is one Lab
// in a process and it decodes one picture at a time.
type Lab struct {
	tempDir string
	gate    chan struct{} // holds a token while a picture is decoded

	mu     sync.Mutex
	making map[string]chan struct{} // thumbnails under way, closed when done
}

// NewLab makes a Lab that keeps its temporary files in tempDir; the system's
// folder for them where it is empty.
func NewLab(tempDir string) *Lab {
	return &Lab{tempDir: tempDir, gate: make(chan struct{}, 1), making: make(map[string]chan struct{})}
}

// alone runs work, which decodes a picture of so many pixels, while nobody else decodes.
func (l *Lab) alone(ctx context.Context, pixels int, work func() error) error {
	select {
	case l.gate <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() {
		giveBack(pixels) // or the next in line would pile its memory upon this one's
		<-l.gate
	}()
	if err := ctx.Err(); err != nil {
		return err
	}
	giveBack(pixels) // what others have left, before the peak
	return work()
}

// giveBack returns to the system what a picture of so many pixels has left.
func giveBack(pixels int) {
	if pixels >= heavy {
		debug.FreeOSMemory()
	}
}
