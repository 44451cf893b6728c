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

func TestAJobComesBackWhenItsLeaseIsOver(t *testing.T) {
	clock := &storetest.Clock{}
	storetest.EachClock(t, clock.Now, func(t *testing.T, db *store.DB) {
		write(t, db, func(tx *store.Tx) error { return tx.AddJob(account, "k", "p", tx.Now().Add(time.Second)) })
		if jobs := claim(t, db, 10); len(jobs) != 0 {
			t.Fatalf("claimed before it was due: %+v", jobs)
		}
		clock.Advance(time.Second)
		first := claim(t, db, 10)
		if len(first) != 1 || first[0].Attempt != 1 || first[0].Payload != "p" {
			t.Fatalf("claimed %+v", first)
		}
		if jobs := claim(t, db, 10); len(jobs) != 0 {
			t.Fatalf("claimed twice: %+v", jobs)
		}
		clock.Advance(time.Minute)
		second := claim(t, db, 10)
		if len(second) != 1 || second[0].Attempt != 2 {
			t.Fatalf("after the lease: %+v", second)
		}
		// The first worker continues too late: the job is no longer its own.
		write(t, db, func(tx *store.Tx) error { return tx.FinishJob(first[0]) })
		write(t, db, func(tx *store.Tx) error { return tx.FailJob(first[0], "late") })
		if due, failed, err := db.CountJobs(t.Context()); due != 1 || failed != 0 || err != nil {
			t.Errorf("due %d, failed %d, %v", due, failed, err)
		}
		write(t, db, func(tx *store.Tx) error { return tx.RetryJob(second[0], tx.Now().Add(time.Hour), "it failed") })
		if next, ok, err := db.NextJob(t.Context(), []string{"k"}); !ok || err != nil ||
			!next.Equal(clock.Now().Add(time.Hour)) {
			t.Errorf("next at %v, %v, %v", next, ok, err)
		}
		clock.Advance(time.Hour)
		third := claim(t, db, 10)
		if third[0].Failures != 1 {
			t.Errorf("after a failure: %+v", third[0])
		}
		write(t, db, func(tx *store.Tx) error { return tx.ContinueJob(third[0], tx.Now()) })
		fourth := claim(t, db, 10)
		if len(fourth) != 1 || fourth[0].Attempt != 4 || fourth[0].Failures != 0 {
			t.Fatalf("a continued job: %+v", fourth)
		}
		write(t, db, func(tx *store.Tx) error { return tx.FinishJob(first[0]) }) // still not its own
		if due, _, _ := db.CountJobs(t.Context()); due != 1 {
			t.Fatal("a worker from before a continuation ended the job")
		}
		write(t, db, func(tx *store.Tx) error { return tx.FailJob(fourth[0], "given up") })
		if due, failed, _ := db.CountJobs(t.Context()); due != 0 || failed != 1 {
			t.Errorf("due %d, failed %d", due, failed)
		}
		clock.Advance(time.Hour)
		checkPruning(t, db)
	})
}

// checkPruning checks that one job that failed an hour ago is pruned, and not earlier.
func checkPruning(t *testing.T, db *store.DB) {
	t.Helper()
	write(t, db, func(tx *store.Tx) error {
		if n, err := tx.PruneJobs(tx.Now().Add(-2*time.Hour), 10); n != 0 || err != nil {
			t.Errorf("pruned %d too early, %v", n, err)
		}
		n, err := tx.PruneJobs(tx.Now().Add(-time.Hour), 10)
		if n != 1 {
			t.Errorf("pruned %d, want 1", n)
		}
		return err
	})
}

func TestAJobOfAnotherKindIsLeft(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		write(t, db, func(tx *store.Tx) error { return tx.AddJob(account, "of a newer version", "", tx.Now()) })
		if jobs := claim(t, db, 10); len(jobs) != 0 {
			t.Errorf("claimed %+v", jobs)
		}
		if _, ok, err := db.NextJob(t.Context(), []string{"k"}); ok || err != nil {
			t.Errorf("its due time is reported: %v", err)
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
		var wait sync.WaitGroup
		for range 8 {
			wait.Go(func() {
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
		wait.Wait()
		for range 10 { // a worker may have found everything locked and ended
			for _, j := range claim(t, db, jobs) {
				seen[j.ID]++
			}
		}
		if len(seen) != jobs {
			t.Errorf("%d jobs were claimed, want %d", len(seen), jobs)
		}
		for id, n := range seen {
			if n != 1 {
				t.Errorf("job %s was claimed %d times", id, n)
			}
		}
	})
}

func TestACanceledDeletionLeavesTheFile(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var many []string
		for n := range 250 {
			many = append(many, strconv.Itoa(n))
		}
		write(t, db, func(tx *store.Tx) error {
			if err := tx.AddDeleteFilesJobs(account, "", ""); err != nil { // nothing to delete is no job
				return err
			}
			id, err := tx.AddDeleteFileJob(account, "a.jpg", tx.Now())
			if err != nil {
				return err
			}
			if err := tx.DeleteJob(account, id); err != nil {
				return err
			}
			return tx.AddDeleteFilesJobs(account, many...)
		})
		jobs := claim(t, db, 10)
		if len(jobs) != 3 {
			t.Fatalf("%d jobs for 250 files, want 3", len(jobs))
		}
		var named []string
		for _, j := range jobs {
			names, err := j.Arguments()
			if err != nil || len(names) > 100 {
				t.Errorf("%d names in a job, %v", len(names), err)
			}
			named = append(named, names...)
		}
		if len(named) != 250 || slices.Contains(named, "a.jpg") {
			t.Errorf("%d files are to be deleted", len(named))
		}
	})
}
