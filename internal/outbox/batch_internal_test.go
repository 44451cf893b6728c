package outbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

// addJobs adds a number of jobs. Their payloads are their numbers.
func addJobs(t *testing.T, db *store.DB, count int) {
	t.Helper()
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		for n := range count {
			if err := tx.AddJob("acc_1", store.JobThumbnail, fmt.Sprint(n), tx.Now()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestJobsAreClaimedAndFinishedInBatches(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		const workers, jobs = 8, 64
		addJobs(t, db, jobs)
		var writes, performed atomic.Int64
		db.Observe(store.Observer{OnWrite: func(store.WriteStats) { writes.Add(1) }})
		var mu sync.Mutex
		begun, together := 0, make(chan struct{})
		perform := func(context.Context, store.Job) error { // ends when all workers have a job
			mu.Lock()
			if begun++; begun == workers {
				begun = 0
				close(together)
				together = make(chan struct{})
				mu.Unlock()
				return nil
			}
			wait := together
			mu.Unlock()
			<-wait
			return nil
		}
		ctx, cancel := context.WithCancel(t.Context())
		q := newQueue(Options{
			DB: db, Log: slog.New(slog.DiscardHandler),
			ObserveJob: func(string, string, time.Duration) {
				if performed.Add(1) == jobs {
					cancel()
				}
			},
		}, pool{name: chorePool, workers: workers, lease: time.Minute, timeout: time.Minute},
			[]jobKind{{store.JobThumbnail, chorePool, perform}})
		q.run(ctx)
		if due, failed, err := db.CountJobs(t.Context()); due != 0 || failed != 0 || err != nil {
			t.Errorf("due %d, failed %d, %v", due, failed, err)
		}
		if got := writes.Load(); got > jobs {
			t.Errorf("%d jobs took %d transactions, want at most one for each", jobs, got)
		}
	})
}

func TestAnOutcomeThatCannotBeSavedDoesNotFailTheOthersOfItsBatch(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		addJobs(t, db, 3)
		var jobs []store.Job
		if err := db.Write(t.Context(), func(tx *store.Tx) (err error) {
			jobs, err = tx.ClaimJobs([]string{store.JobThumbnail}, 3, time.Minute)
			return err
		}); err != nil || len(jobs) != 3 {
			t.Fatalf("claimed %d jobs, %v", len(jobs), err)
		}
		broken := errors.New("on purpose")
		batch := make([]recording, len(jobs))
		for n, job := range jobs {
			batch[n] = recording{t.Context(), job, func(tx *store.Tx) error {
				if err := tx.FinishJob(job); err != nil || job.ID != jobs[1].ID {
					return err
				}
				return broken
			}, make(chan error, 1)}
		}
		(&recorder{db: db}).save(batch)
		for _, w := range batch {
			if err := <-w.done; errors.Is(err, broken) != (w.job.ID == jobs[1].ID) {
				t.Errorf("job %s: %v", w.job.ID, err)
			}
		}
		if due, _, err := db.CountJobs(t.Context()); due != 1 || err != nil {
			t.Errorf("%d jobs are due, %v, want 1", due, err)
		}
	})
}

func TestAFailingJobDoesNotFailTheOthersOfItsBatch(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		const workers = 8
		addJobs(t, db, workers)
		var begun sync.WaitGroup
		begun.Add(workers)
		results := map[string]error{
			"2": lost.E(lost.Invalid, "on purpose"), "3": errors.New("on purpose"), "4": errMore,
		}
		var mu sync.Mutex
		outcomes := map[string]int{}
		q := newQueue(Options{
			DB: db, Log: slog.New(slog.DiscardHandler),
			ObserveJob: func(_, outcome string, _ time.Duration) {
				mu.Lock()
				defer mu.Unlock()
				outcomes[outcome]++
			},
		}, pool{name: chorePool, workers: workers, lease: time.Minute, timeout: time.Minute},
			[]jobKind{{store.JobThumbnail, chorePool, func(_ context.Context, job store.Job) error {
				begun.Done()
				begun.Wait() // so that the outcomes are saved together
				return results[job.Payload]
			}}})
		if n, err := q.runOnce(t.Context()); n != workers || err != nil {
			t.Fatalf("performed %d jobs, %v", n, err)
		}
		due, failed, err := db.CountJobs(t.Context())
		if due != 2 || failed != 1 || err != nil { // 3 and 4 are due later
			t.Errorf("due %d, failed %d, %v, want 2 and 1", due, failed, err)
		}
		if outcomes["done"] != workers-len(results) || outcomes["failed"] != 1 || outcomes["continues"] != 1 ||
			outcomes["retry"] != 1 {
			t.Errorf("got outcomes %v", outcomes)
		}
	})
}
