package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	"homeward/internal/tracing"
)

func backlog(t *testing.T, db *store.DB) map[string]store.Backlog {
	t.Helper()
	all, err := db.Backlogs(t.Context(), db.Now())
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]store.Backlog{}
	for _, b := range all {
		by[b.Queue] = b
	}
	return by
}

func TestBacklogsCountDueWorkAndItsAge(t *testing.T) {
	clock := &storetest.Clock{}
	storetest.EachClock(t, clock.Now, func(t *testing.T, db *store.DB) {
		if all := backlog(t, db); len(all) != len(store.JobKinds())+2 {
			t.Fatalf("there are %d queues", len(all))
		}
		began := db.Now()
		write(t, db, func(tx *store.Tx) error {
			for n := range 3 {
				if err := tx.AddJob("acc_1", store.JobThumbnail, "a.jpg",
					tx.Now().Add(time.Duration(n)*time.Minute)); err != nil {
					return err
				}
			}
			return tx.AddJob("acc_2", store.JobImport, "imp_1", tx.Now())
		})
		clock.Advance(90 * time.Second)
		all := backlog(t, db)
		if got := all[store.JobThumbnail]; got.Due != 2 || !got.Oldest.Equal(began) || got.Failed != 0 {
			t.Errorf("thumbnails: %+v", got)
		}
		if got := all[store.JobTrack]; got.Due != 0 || !got.Oldest.IsZero() {
			t.Errorf("tracking: %+v", got)
		}
		write(t, db, func(tx *store.Tx) error { // one job is claimed and fails, the others are claimed
			jobs, err := tx.ClaimJobs([]string{store.JobImport, store.JobThumbnail}, 10, time.Minute)
			if err != nil || len(jobs) != 3 {
				return fmt.Errorf("claimed %d: %w", len(jobs), err)
			}
			return tx.FailJob(jobs[0], "no")
		})
		all = backlog(t, db)
		if got := all[store.JobImport]; got.Due != 0 || got.Failed != 1 {
			t.Errorf("imports: %+v", got)
		}
		if got := all[store.JobThumbnail]; got.Due != 0 || !got.Oldest.IsZero() {
			t.Errorf("claimed thumbnails count as waiting: %+v", got)
		}
	})
}

func TestBacklogOfDeliveriesHasTheAgeOfTheOldest(t *testing.T) {
	clock := &storetest.Clock{}
	storetest.EachClock(t, clock.Now, func(t *testing.T, db *store.DB) {
		began := db.Now()
		for _, endpoint := range []string{"wh_b", "wh_a", "wh_c"} { // the first by name is not the oldest
			write(t, db, func(tx *store.Tx) error {
				_, err := tx.AddEventForEndpoint(lost.NewEvent(lost.PickupEvent,
					lost.Item{Account: "acc_1", ID: "item_1", LocationID: "loc_1"}, tx.Now()), endpoint)
				return err
			})
			clock.Advance(time.Minute)
		}
		if got := backlog(t, db)[store.DeliveryQueue]; got.Due != 3 || !got.Oldest.Equal(began) {
			t.Errorf("backlog %+v, want the oldest at %v", got, began)
		}
	})
}

// Work that is to be tried again later is not due.
func TestBacklogIgnoresWorkThatIsNotDue(t *testing.T) {
	clock := &storetest.Clock{}
	storetest.EachClock(t, clock.Now, func(t *testing.T, db *store.DB) {
		deliver := func() {
			write(t, db, func(tx *store.Tx) error {
				_, err := tx.AddEventForEndpoint(lost.NewEvent(lost.PickupEvent,
					lost.Item{Account: "acc_1", ID: "item_1", LocationID: "loc_1"}, tx.Now()), "wh_a")
				return err
			})
		}
		clock.Advance(time.Hour)
		deliver()
		clock.Advance(-time.Hour)
		if got := backlog(t, db)[store.DeliveryQueue]; got.Due != 0 || !got.Oldest.IsZero() {
			t.Errorf("before it is due: %+v", got)
		}
		deliver()
		if got := backlog(t, db)[store.DeliveryQueue]; got.Due != 1 || !got.Oldest.Equal(db.Now()) {
			t.Errorf("when it is due: %+v", got)
		}
	})
}

func TestJobsAndDeliveriesKeepTheTraceOfTheirRequest(t *testing.T) {
	const kept = "req_7 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		by := tracing.Decode(kept)
		ctx, _ := tracing.Resume(t.Context(), nil, by, "test")
		err := db.Write(ctx, func(tx *store.Tx) error {
			if err := tx.AddJob("acc_1", store.JobThumbnail, "a.jpg", tx.Now()); err != nil {
				return err
			}
			_, err := tx.AddEventForEndpoint(lost.NewEvent(lost.PickupEvent,
				lost.Item{Account: "acc_1", ID: "item_1", LocationID: "loc_1"}, tx.Now()), "wh_1")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		write(t, db, func(tx *store.Tx) error {
			jobs, err := tx.ClaimJobs([]string{store.JobThumbnail}, 1, time.Minute)
			if err != nil || len(jobs) != 1 || jobs[0].Trace.Encode() != kept {
				return fmt.Errorf("job: %+v: %w", jobs, err)
			}
			claimed, err := tx.ClaimDeliveries(store.EndpointQueue{Account: "acc_1", Endpoint: "wh_1"}, 1, time.Minute)
			if err != nil || len(claimed) != 1 || claimed[0].Trace.Encode() != kept {
				return fmt.Errorf("delivery: %+v: %w", claimed, err)
			}
			return nil
		})
	})
}

func TestObserverReceivesTheOutcomeOfAWrite(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var heard []store.WriteStats
		db.Observe(store.Observer{OnWrite: func(w store.WriteStats) { heard = append(heard, w) }})
		add := func(tx *store.Tx) error { return tx.AddJob("acc_1", store.JobThumbnail, "a.jpg", tx.Now()) }
		_ = db.Write(t.Context(), add)
		_ = db.Write(t.Context(), func(*store.Tx) error { return lost.Missing("item") })
		_ = db.Write(t.Context(), func(*store.Tx) error { return fmt.Errorf("broken") })
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		_ = db.Write(gone, add)
		if len(heard) != 4 || heard[0].Outcome != store.Committed || heard[1].Outcome != store.Refused ||
			heard[2].Outcome != store.Failed || heard[3].Outcome != store.Refused {
			t.Fatalf("the observer got %+v", heard)
		}
		if heard[0].Took < heard[0].Waited || heard[0].Took <= 0 || heard[0].Retries != 0 {
			t.Errorf("the first write: %+v", heard[0])
		}
		if n := db.WritesWaiting(); n != 0 {
			t.Errorf("%d writes still wait", n)
		}
		if pools := db.Pools(); len(pools) != 1 || pools[0].Max < 4 {
			t.Errorf("pools: %+v", pools)
		}
	})
}
