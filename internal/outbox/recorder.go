package outbox

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"homeward/internal/store"
)

// recorder saves the outcomes of jobs. Outcomes that arrive while a transaction commits share the next one.
type recorder struct {
	db      *store.DB
	mu      sync.Mutex
	waiting []recording
	running bool // saveAll is running
}

// recording is an outcome that is waiting to be saved.
type recording struct {
	ctx  context.Context // ends only after the outcome is saved, or if it can no longer be saved
	job  store.Job
	save func(tx *store.Tx) error
	done chan error
}

// record saves the outcome of a job and waits for the commit.
func (r *recorder) record(ctx context.Context, job store.Job, save func(tx *store.Tx) error) error {
	done := make(chan error, 1)
	r.mu.Lock()
	r.waiting = append(r.waiting, recording{ctx, job, save, done})
	if !r.running {
		r.running = true
		go r.saveAll()
	}
	r.mu.Unlock()
	return <-done
}

// saveAll saves outcomes until none is waiting.
func (r *recorder) saveAll() {
	for batch := r.next(); len(batch) > 0; batch = r.next() {
		r.save(batch)
	}
}

// next returns the outcomes that are waiting, at most perRecord.
func (r *recorder) next() []recording {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := min(len(r.waiting), perRecord)
	batch := r.waiting[:n:n]
	r.waiting = r.waiting[n:]
	r.running = n > 0
	return batch
}

// save saves outcomes in one transaction. If that fails, it saves each in its own, so that an outcome that cannot be
// saved does not affect the others.
func (r *recorder) save(batch []recording) {
	// All instances lock rows in the same order, to prevent deadlocks.
	slices.SortFunc(batch, func(a, b recording) int {
		return cmp.Or(cmp.Compare(a.job.Account, b.job.Account), cmp.Compare(a.job.ID, b.job.ID))
	})
	err := r.db.Write(batch[0].ctx, func(tx *store.Tx) error {
		for _, w := range batch {
			if err := w.save(tx); err != nil {
				return err
			}
		}
		return nil
	})
	for _, w := range batch {
		if err != nil && len(batch) > 1 {
			w.done <- r.db.Write(w.ctx, w.save)
		} else {
			w.done <- err
		}
	}
}
