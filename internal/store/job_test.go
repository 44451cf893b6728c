package store_test

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

func claim(t *testing.T, db *store.DB, limit int) []store.Job {
	t.Helper()
	jobs, err := tryClaim(db, limit)
	if err != nil {
		t.Fatal(err)
	}
	return jobs
}

func tryClaim(db *store.DB, limit int) (jobs []store.Job, err error) {
	err = db.Write(context.Background(), func(tx *store.Tx) (err error) {
		jobs, err = tx.ClaimJobs([]string{"k", store.JobDeleteFiles}, limit, time.Minute)
		return err
	})
	return jobs, err
}

func TestAJobCanBeClaimedAgainAfterItsLease(t *testing.T) {
	clock := &storetest.Clock{}
	storetest.EachClock(t, clock.Now, func(t *testing.T, db *store.DB) {
		write(t, db, func(tx *store.Tx) error { return tx.AddJob(account, "k", "p", tx.Now().Add(time.Second)) })
		if jobs := claim(t, db, 10); len(jobs) != 0 {
			t.Fatalf("claimed before it was due: %+v", jobs)
		}
		clock.Advance(time.Second)
		first := claim(t, db, 10)
		if len(first) != 1 || first[0].Attempt != 1 || first[0].Payload != "p" {
			t.Fatalf("first claim: got %+v", first)
		}
		if jobs := claim(t, db, 10); len(jobs) != 0 {
			t.Fatalf("claimed twice: %+v", jobs)
		}
		clock.Advance(time.Minute)
		second := claim(t, db, 10)
		if len(second) != 1 || second[0].Attempt != 2 {
			t.Fatalf("claim after the lease: got %+v", second)
		}
		// The first worker is too late: it has lost the job.
		write(t, db, func(tx *store.Tx) error { return tx.FinishJob(first[0]) })
		write(t, db, func(tx *store.Tx) error { return tx.FailJob(first[0], "late") })
		if due, failed, err := db.CountJobs(t.Context()); due != 1 || failed != 0 || err != nil {
			t.Errorf("got %d due and %d failed jobs, %v, want 1 and 0", due, failed, err)
		}
		write(t, db, func(tx *store.Tx) error { return tx.RetryJob(second[0], tx.Now().Add(time.Hour), "it failed") })
		if next, ok, err := db.NextJob(t.Context(), []string{"k"}); !ok || err != nil ||
			!next.Equal(clock.Now().Add(time.Hour)) {
			t.Errorf("NextJob: got %v, %t, %v, want in an hour", next, ok, err)
		}
		clock.Advance(time.Hour)
		third := claim(t, db, 10)
		if third[0].Failures != 1 {
			t.Errorf("claim after a failure: got %+v, want 1 failure", third[0])
		}
		write(t, db, func(tx *store.Tx) error { return tx.ContinueJob(third[0], tx.Now()) })
		fourth := claim(t, db, 10)
		if len(fourth) != 1 || fourth[0].Attempt != 4 || fourth[0].Failures != 0 {
			t.Fatalf("claim of a continued job: got %+v", fourth)
		}
		write(t, db, func(tx *store.Tx) error { return tx.FinishJob(first[0]) }) // this worker has lost the job
		if due, _, _ := db.CountJobs(t.Context()); due != 1 {
			t.Fatal("a worker that had lost the job finished it")
		}
		write(t, db, func(tx *store.Tx) error { return tx.FailJob(fourth[0], "failed permanently") })
		if due, failed, _ := db.CountJobs(t.Context()); due != 0 || failed != 1 {
			t.Errorf("got %d due and %d failed jobs, want 0 and 1", due, failed)
		}
		clock.Advance(time.Hour)
		checkPruning(t, db)
	})
}

// checkPruning checks that a failed job is pruned after an hour, and not earlier.
func checkPruning(t *testing.T, db *store.DB) {
	t.Helper()
	write(t, db, func(tx *store.Tx) error {
		if n, err := tx.PruneJobs(tx.Now().Add(-2*time.Hour), 10); n != 0 || err != nil {
			t.Errorf("PruneJobs pruned %d jobs too early, %v", n, err)
		}
		n, err := tx.PruneJobs(tx.Now().Add(-time.Hour), 10)
		if n != 1 {
			t.Errorf("PruneJobs: got %d, want 1", n)
		}
		return err
	})
}

func TestAJobOfAnotherKindIsNotClaimed(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		write(t, db, func(tx *store.Tx) error { return tx.AddJob(account, "of a newer version", "", tx.Now()) })
		if jobs := claim(t, db, 10); len(jobs) != 0 {
			t.Errorf("claimed %+v, want none", jobs)
		}
		if _, ok, err := db.NextJob(t.Context(), []string{"k"}); ok || err != nil {
			t.Errorf("NextJob: got ok=%t, %v, want no job", ok, err)
		}
	})
}

func TestNoTwoWorkersClaimTheSameJob(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		const jobs = 200
		write(t, db, func(tx *store.Tx) error {
			for range jobs {
				if err := tx.AddJob(account, "k", "p", tx.Now()); err != nil {
					return err
				}
			}
			return nil
		})
		var mu sync.Mutex
		seen := map[string]int{}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for {
					got, err := tryClaim(db, 7)
					if err != nil {
						t.Error(err)
					}
					if len(got) == 0 {
						return
					}
					mu.Lock()
					for _, j := range got {
						seen[j.ID]++
					}
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		for range 10 { // a worker may have stopped because all jobs were locked
			for _, j := range claim(t, db, jobs) {
				seen[j.ID]++
			}
		}
		if len(seen) != jobs {
			t.Errorf("%d jobs were claimed, want %d", len(seen), jobs)
		}
		for id, n := range seen {
			if n != 1 {
				t.Errorf("job %s was claimed %d times, want 1", id, n)
			}
		}
	})
}

func TestACanceledDeletionLeavesTheFile(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var names []string
		for n := range 250 {
			names = append(names, strconv.Itoa(n))
		}
		write(t, db, func(tx *store.Tx) error {
			if err := tx.AddDeleteFilesJobs(account, "", ""); err != nil { // without names, no job is added
				return err
			}
			id, err := tx.AddDeleteFileJob(account, "a.jpg", tx.Now())
			if err != nil {
				return err
			}
			if err := tx.DeleteJob(account, id); err != nil {
				return err
			}
			return tx.AddDeleteFilesJobs(account, names...)
		})
		jobs := claim(t, db, 10)
		if len(jobs) != 3 {
			t.Fatalf("got %d jobs for 250 files, want 3", len(jobs))
		}
		var all []string
		for _, j := range jobs {
			names, err := j.Arguments()
			if err != nil || len(names) > 100 {
				t.Errorf("got %d names in a job, %v, want at most 100", len(names), err)
			}
			all = append(all, names...)
		}
		if len(all) != 250 || slices.Contains(all, "a.jpg") {
			t.Errorf("got %d files to delete, want 250 without a.jpg", len(all))
		}
	})
}
