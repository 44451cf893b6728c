package outbox

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

func TestAWorkerThatLivesKeepsItsJobForLongerThanTheLease(t *testing.T) {
	clock := &storetest.Clock{}
	storetest.EachClock(t, clock.Now, func(t *testing.T, db *store.DB) {
		const lease = 150 * time.Millisecond // renewed by the real clock, over by the one that stands
		began, finish := make(chan struct{}), make(chan struct{})
		o := Options{DB: db, Log: slog.New(slog.DiscardHandler)}
		slow := newQueue(o, 1, lease, time.Minute, func(context.Context, store.Job) error {
			close(began)
			<-finish
			return nil
		}, store.JobThumbnail)
		other := newQueue(o, 1, lease, time.Minute, func(context.Context, store.Job) error {
			t.Error("somebody else did it too")
			return nil
		}, store.JobThumbnail)
		if err := db.Write(t.Context(), func(tx *store.Tx) error { return tx.AddJob("acc_1", store.JobThumbnail, "a.jpg", tx.Now()) }); err != nil {
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
		late := time.After(30 * time.Second)
		for range 4 {
			clock.Advance(lease - time.Millisecond)
			for { // until it is renewed
				due, _, err := db.NextJob(t.Context(), []string{store.JobThumbnail})
				if err != nil {
					t.Fatal(err)
				}
				if due.Equal(clock.Now().Add(lease)) {
					break
				}
				select {
				case <-tick.C:
				case <-late:
					t.Fatal("the lease is not renewed")
				}
			}
			if n, err := other.runOnce(t.Context()); n != 0 || err != nil {
				t.Fatalf("claimed %d, %v", n, err)
			}
		}
		close(finish)
		if err := <-done; err != nil {
			t.Error(err)
		}
		if due, failed, err := db.Jobs(t.Context()); due != 0 || failed != 0 || err != nil {
			t.Errorf("%d left, %d failed, %v", due, failed, err)
		}
	})
}

func TestEveryKindOfJobHasAQueueAndIsCounted(t *testing.T) {
	b := New(Options{})
	var kinds []string
	for _, q := range []*queue{b.erasing, b.chores, b.mails, b.texts, b.parcels, b.trackers, b.importing, b.comparing} {
		kinds = append(kinds, q.kinds...)
	}
	slices.Sort(kinds)
	if known := slices.Sorted(slices.Values(store.JobKinds())); !slices.Equal(kinds, known) {
		t.Errorf("queues have %q, counted are %q", kinds, known)
	}
}
