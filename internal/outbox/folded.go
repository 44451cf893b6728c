package outbox

import (
	"log/slog"
	"sync"
	"time"
)

// foldTime is the longest time for which jobs are collected for one log line.
const foldTime = 10 * time.Second

// foldedJobs writes one log line for many successful jobs. An import adds a job for each item, and as many lines would
// hide everything else in the log. A nil *foldedJobs does nothing.
type foldedJobs struct {
	pool poolName
	log  *slog.Logger

	mu    sync.Mutex
	count int
	took  time.Duration
	timer *time.Timer // calls flush
}

// add counts a job that has succeeded.
func (f *foldedJobs) add(took time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.count == 0 {
		f.timer = time.AfterFunc(foldTime, f.flush)
	}
	f.count++
	f.took += took
}

// flush logs the jobs that were counted since the last line.
func (f *foldedJobs) flush() {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.count == 0 {
		return
	}
	f.timer.Stop()
	f.log.Info("jobs", "pool", string(f.pool), "done", f.count, "ms", f.took.Milliseconds())
	f.count, f.took = 0, 0
}
