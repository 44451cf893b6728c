package outbox

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

func TestARunningWorkerKeepsItsJobLongerThanTheLease(t *testing.T) {
	clock := &storetest.Clock{}
	storetest.EachClock(t, clock.Now, func(t *testing.T, db *store.DB) {
		const lease = 150 * time.Millisecond // renewed by the real clock, but expires by the test's clock
		began, finish := make(chan struct{}), make(chan struct{})
		o := Options{DB: db, Log: slog.New(slog.DiscardHandler)}
		p := pool{name: chorePool, workers: 1, lease: lease, timeout: time.Minute}
		slow := newQueue(o, p, []jobKind{{store.JobThumbnail, chorePool, func(context.Context, store.Job) error {
			close(began)
			<-finish
			return nil
		}}})
		other := newQueue(o, p, []jobKind{{store.JobThumbnail, chorePool, func(context.Context, store.Job) error {
			t.Error("another worker performed the job too")
			return nil
		}}})
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			return tx.AddJob("acc_1", store.JobThumbnail, "a.jpg", tx.Now())
		})
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error)
		go func() {
			_, err := slow.runOnce(t.Context())
			done <- err
		}()
		<-began
		tick := time.NewTicker(lease / 10)
		defer tick.Stop()
		timeout := time.After(30 * time.Second)
		for range 4 {
			clock.Advance(lease - time.Millisecond)
			for { // wait until the lease is renewed
				due, _, err := db.NextJob(t.Context(), []string{store.JobThumbnail})
				if err != nil {
					t.Fatal(err)
				}
				if due.Equal(clock.Now().Add(lease)) {
					break
				}
				select {
				case <-tick.C:
				case <-timeout:
					t.Fatal("the lease was not renewed")
				}
			}
			if n, err := other.runOnce(t.Context()); n != 0 || err != nil {
				t.Fatalf("another worker claimed %d jobs, %v", n, err)
			}
		}
		close(finish)
		if err := <-done; err != nil {
			t.Error(err)
		}
		if due, failed, err := db.CountJobs(t.Context()); due != 0 || failed != 0 || err != nil {
			t.Errorf("due %d, failed %d, %v", due, failed, err)
		}
	})
}

// A job whose outcome could not be stored runs again, so it is neither logged nor counted as failed or done.
func TestAnOutcomeThatWasNotStoredIsNotReported(t *testing.T) {
	for name, result := range map[string]error{
		"permanent": lost.E(lost.Invalid, "on purpose"), "temporary": errors.New("on purpose"), "none": nil,
		"continues": errMore,
	} {
		t.Run(name, func(t *testing.T) {
			storetest.Each(t, func(t *testing.T, db *store.DB) {
				var logged bytes.Buffer
				var outcomes []string
				o := Options{
					DB: db, Log: slog.New(slog.NewTextHandler(&logged, nil)),
					ObserveJob: func(_, outcome string, _ time.Duration) { outcomes = append(outcomes, outcome) },
				}
				p := pool{name: chorePool, workers: 1, lease: time.Minute, timeout: time.Minute}
				perform := func(context.Context, store.Job) error {
					if err := db.Write(t.Context(), func(tx *store.Tx) error {
						return tx.Raw().Script("ALTER TABLE jobs RENAME TO unavailable")
					}); err != nil {
						t.Error(err)
					}
					return result
				}
				q := newQueue(o, p, []jobKind{{store.JobThumbnail, chorePool, perform}})
				err := db.Write(t.Context(), func(tx *store.Tx) error {
					return tx.AddJob("acc_1", store.JobThumbnail, "a.jpg", tx.Now())
				})
				if err != nil {
					t.Fatal(err)
				}
				if n, err := q.runOnce(t.Context()); n != 1 || err != nil {
					t.Fatalf("performed %d jobs, %v", n, err)
				}
				if !slices.Equal(outcomes, []string{outcomeUnrecorded}) ||
					!strings.Contains(logged.String(), "level=ERROR msg=job") ||
					!strings.Contains(logged.String(), "outcome=unrecorded") {
					t.Errorf("got outcomes %q and the log %s", outcomes, &logged)
				}
			})
		})
	}
}
