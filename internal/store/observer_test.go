package store_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	"homeward/internal/tracing"
)

func backlogs(t *testing.T, db *store.DB) map[string]store.Backlog {
	t.Helper()
	all, err := db.Backlogs(t.Context(), db.Now())
	if err != nil {
		t.Fatal(err)
	}
	byQueue := map[string]store.Backlog{}
	for _, b := range all {
		byQueue[b.Queue] = b
	}
	return byQueue
}

func TestBacklogsCountDueWorkAndItsAge(t *testing.T) {
	clock := &storetest.Clock{}
	storetest.EachClock(t, clock.Now, func(t *testing.T, db *store.DB) {
		if all := backlogs(t, db); len(all) != len(store.JobKinds())+2 {
			t.Fatalf("got %d queues, want one per kind of job and 2 more", len(all))
		}
		start := db.Now()
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
		all := backlogs(t, db)
		if got := all[store.JobThumbnail]; got.Due != 2 || !got.Oldest.Equal(start) || got.Failed != 0 {
			t.Errorf("thumbnails: got %+v, want 2 due", got)
		}
		if got := all[store.JobTrack]; got.Due != 0 || !got.Oldest.IsZero() {
			t.Errorf("tracking: got %+v, want none due", got)
		}
		write(t, db, func(tx *store.Tx) error { // all jobs are claimed, and one of them fails
			jobs, err := tx.ClaimJobs([]string{store.JobImport, store.JobThumbnail}, 10, time.Minute)
			if err != nil || len(jobs) != 3 {
				return fmt.Errorf("claimed %d jobs, want 3: %w", len(jobs), err)
			}
			return tx.FailJob(jobs[0], "no")
		})
		all = backlogs(t, db)
		if got := all[store.JobImport]; got.Due != 0 || got.Failed != 1 {
			t.Errorf("imports: got %+v, want 1 failed", got)
		}
		if got := all[store.JobThumbnail]; got.Due != 0 || !got.Oldest.IsZero() {
			t.Errorf("thumbnails after a claim: got %+v, want none due", got)
		}
	})
}

func TestBacklogOfDeliveriesHasTheAgeOfTheOldest(t *testing.T) {
	clock := &storetest.Clock{}
	storetest.EachClock(t, clock.Now, func(t *testing.T, db *store.DB) {
		start := db.Now()
		for _, endpoint := range []string{"wh_b", "wh_a", "wh_c"} { // the first id does not have the oldest delivery
			write(t, db, func(tx *store.Tx) error {
				_, err := tx.AddEventForEndpoint(lost.NewEvent(lost.PickupEvent,
					lost.Item{Account: "acc_1", ID: "item_1", LocationID: "loc_1"}, tx.Now()), endpoint)
				return err
			})
			clock.Advance(time.Minute)
		}
		if got := backlogs(t, db)[store.DeliveryQueue]; got.Due != 3 || !got.Oldest.Equal(start) {
			t.Errorf("got %+v, want 3 due, the oldest at %v", got, start)
		}
	})
}

// TestBacklogIgnoresWorkThatIsNotDue checks that work is not counted before it is due, such as a
// retry.
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
		if got := backlogs(t, db)[store.DeliveryQueue]; got.Due != 0 || !got.Oldest.IsZero() {
			t.Errorf("before it is due: got %+v, want none due", got)
		}
		deliver()
		if got := backlogs(t, db)[store.DeliveryQueue]; got.Due != 1 || !got.Oldest.Equal(db.Now()) {
			t.Errorf("when it is due: got %+v, want 1 due", got)
		}
	})
}

func TestJobsAndDeliveriesKeepTheTraceOfTheirRequest(t *testing.T) {
	const trace = "req_7 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		origin := tracing.Decode(trace)
		ctx, _ := tracing.Resume(t.Context(), nil, origin, "test")
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
			if err != nil || len(jobs) != 1 || jobs[0].Trace.Encode() != trace {
				return fmt.Errorf("job: got %+v: %w", jobs, err)
			}
			claimed, err := tx.ClaimDeliveries(store.EndpointQueue{Account: "acc_1", Endpoint: "wh_1"}, 1, time.Minute)
			if err != nil || len(claimed) != 1 || claimed[0].Trace.Encode() != trace {
				return fmt.Errorf("delivery: got %+v: %w", claimed, err)
			}
			return nil
		})
	})
}

func TestObserverReceivesTheOutcomeOfAWrite(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var writes []store.WriteStats
		db.Observe(store.Observer{OnWrite: func(w store.WriteStats) { writes = append(writes, w) }})
		add := func(tx *store.Tx) error { return tx.AddJob("acc_1", store.JobThumbnail, "a.jpg", tx.Now()) }
		_ = db.Write(t.Context(), add)
		_ = db.Write(t.Context(), func(*store.Tx) error { return lost.Missing("item") })
		_ = db.Write(t.Context(), func(*store.Tx) error { return fmt.Errorf("broken") })
		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		_ = db.Write(canceled, add)
		if len(writes) != 4 || writes[0].Outcome != store.Committed || writes[1].Outcome != store.Refused ||
			writes[2].Outcome != store.Failed || writes[3].Outcome != store.Refused {
			t.Fatalf("the observer got %+v", writes)
		}
		if writes[0].Took < writes[0].Waited || writes[0].Took <= 0 || writes[0].Retries != 0 {
			t.Errorf("first write: got %+v", writes[0])
		}
		if n := db.WritesWaiting(); n != 0 {
			t.Errorf("got %d waiting writes, want 0", n)
		}
		var names []string
		for _, p := range db.Pools() {
			names = append(names, p.Name)
			if p.Max < 4 {
				t.Errorf("got %+v, want at least 4 connections", p)
			}
		}
		if got := strings.Join(names, ", "); got != "main" && got != "readers, row readers" {
			t.Errorf("got the pools %s", got)
		}
	})
}

// Changes that one process broadcasts arrive at another one, however many there are. A process does not hear itself.
func TestChangesAreBroadcastToOtherProcesses(t *testing.T) {
	db := storetest.Open(t, storetest.Postgres(t), time.Now)
	account := lost.NewID(lost.AccountID, time.Now()) // other tests use the same server
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	heard, ready, ended := make(chan []store.PageChange, 10), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- db.ListenForChanges(ctx, "here", func() { close(ready) }, func(c []store.PageChange) { heard <- c })
	}()
	<-ready
	want := []store.PageChange{{Account: account, Kind: store.AccessChanged}}
	for n := range 500 {
		want = append(want, store.PageChange{
			Account: account, Location: fmt.Sprintf("loc_%026d", n), Item: fmt.Sprintf("item_%026d", n),
		})
	}
	for _, sender := range []string{"here", "there"} {
		if err := db.Broadcast(t.Context(), sender, want); err != nil {
			t.Fatal(err)
		}
	}
	var got []store.PageChange
	for len(got) < len(want) {
		for _, c := range <-heard {
			if c.Account == account {
				got = append(got, c)
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %d other changes", len(got))
	}
	if stop(); <-ended == nil {
		t.Error("listening ended without an error")
	}
}
