package memory

import (
	"context"
	"runtime/debug"
	"time"
)

// releaseAfter is how long after the start its memory is released.
const releaseAfter = 5 * time.Second

// ReleaseStart returns the memory to the system that only the start has used, unless ctx ends first. Without requests,
// the garbage collector would not do so for minutes.
func ReleaseStart(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(releaseAfter):
		debug.FreeOSMemory()
	}
}
