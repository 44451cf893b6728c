package outbox_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/outbox"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

const account = "acc_1"

// files is a fake file store. It records the calls, or returns the error in fail if there is one.
type files struct {
	mu      sync.Mutex
	deleted []string
	thumbs  []string
	fail    error
	called  chan struct{} // receives a value for each call
}

func newFiles() *files { return &files{called: make(chan struct{}, 1000)} }

func (f *files) Delete(_ context.Context, names ...string) error {
	return f.note(&f.deleted, names...)
}

func (f *files) Thumbnail(_ context.Context, name string) error { return f.note(&f.thumbs, name) }

func (f *files) Read(context.Context, string, int64) ([]byte, error) { return []byte("%PDF-1.4"), nil }

func (f *files) note(list *[]string, names ...string) error {
	defer func() { f.called <- struct{}{} }()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fail != nil {
		return f.fail
	}
	*list = append(*list, names...)
	return nil
}

func (f *files) set(fail error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fail = fail
}

func discardLogger() *slog.Logger { return slog.New(slog.DiscardHandler) }

func write(t *testing.T, db *store.DB, fn func(tx *store.Tx) error) {
	t.Helper()
	if err := db.Write(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// drain performs jobs until nothing is due.
func drain(t *testing.T, o *outbox.Outbox) {
	t.Helper()
	for range 1000 {
		n, err := o.RunOnce(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			return
		}
	}
	t.Fatal("jobs are still due after 1000 runs")
}

func countJobs(t *testing.T, db *store.DB) (due, failed int) {
	t.Helper()
	due, failed, err := db.CountJobs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return due, failed
}

func TestAJobIsRetriedUntilItSucceeds(t *testing.T) {
	clock := &storetest.Clock{}
	storetest.EachClock(t, clock.Now, func(t *testing.T, db *store.DB) {
		f := newFiles()
		o := newOutbox(db, f, discardLogger())
		f.set(errors.New("disk on fire"))
		write(t, db, func(tx *store.Tx) error { return tx.AddDeleteFilesJobs(account, "a.jpg") })
		for attempt, wait := range []time.Duration{5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600} {
			if n, err := o.RunOnce(t.Context()); n != 1 || err != nil {
				t.Fatalf("attempt %d: %d jobs, %v", attempt+1, n, err)
			}
			clock.Advance(wait*time.Second - time.Millisecond)
			if n, _ := o.RunOnce(t.Context()); n != 0 {
				t.Fatalf("attempt %d was repeated within %d s", attempt+1, wait)
			}
			clock.Advance(time.Millisecond)
		}
		f.set(nil)
		drain(t, o)
		if due, failed := countJobs(t, db); due+failed != 0 || !slices.Equal(f.deleted, []string{"a.jpg"}) {
			t.Errorf("due %d, failed %d, deleted %v", due, failed, f.deleted)
		}
	})
}

func TestAPermanentlyFailingJobIsNotRetriedAndStaysVisible(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		f := newFiles()
		f.set(lost.E(lost.Unsupported, "This is not a picture."))
		write(t, db, func(tx *store.Tx) error { return tx.AddJob(account, store.JobThumbnail, "a.jpg", tx.Now()) })
		drain(t, newOutbox(db, f, discardLogger()))
		if due, failed := countJobs(t, db); due != 0 || failed != 1 {
			t.Errorf("due %d, failed %d", due, failed)
		}
	})
}

func TestAThumbnailOfADeletedPictureIsDone(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		f := newFiles()
		f.set(lost.Missing("file"))
		write(t, db, func(tx *store.Tx) error { return tx.AddJob(account, store.JobThumbnail, "a.jpg", tx.Now()) })
		drain(t, newOutbox(db, f, discardLogger()))
		if due, failed := countJobs(t, db); due+failed != 0 {
			t.Errorf("due %d, failed %d", due, failed)
		}
	})
}

func TestASlowJobDoesNotDelayOthers(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		f := &slowFiles{files: newFiles(), finish: make(chan struct{})}
		o := newOutbox(db, f, discardLogger())
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { o.Run(ctx); close(done) }()
		write(t, db, func(tx *store.Tx) error { return tx.AddJob(account, store.JobThumbnail, "slow.jpg", tx.Now()) })
		o.Wake()
		write(t, db, func(tx *store.Tx) error { return tx.AddDeleteFilesJobs(account, "quick.jpg") })
		o.Wake()
		<-f.called // the file is deleted while the thumbnail is still in progress
		close(f.finish)
		stop()
		<-done
		if due, failed := countJobs(t, db); due+failed != 0 {
			t.Errorf("stopping did not finish the jobs in progress: due %d, failed %d", due, failed)
		}
	})
}

// slowFiles blocks thumbnails until finish is closed.
type slowFiles struct {
	*files
	finish chan struct{}
}

func (f *slowFiles) Thumbnail(context.Context, string) error {
	<-f.finish
	return nil
}

func TestAFailingDatabaseIsNotQueriedInALoop(t *testing.T) {
	db := storetest.Open(t, t.TempDir()+"/none.db", storetest.Now) // not migrated, so every claim fails
	var logged bytes.Buffer
	o := newOutbox(db, newFiles(), slog.New(slog.NewTextHandler(&logged, nil)))
	ctx, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer stop()
	o.Run(ctx)
	if n := bytes.Count(logged.Bytes(), []byte("claiming jobs failed")); n != 9 { // once for each queue
		t.Errorf("claiming was tried %d times in 300 ms, want 9", n)
	}
}

func TestAnUnknownJobKindIsLeftForANewerVersion(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		write(t, db, func(tx *store.Tx) error { return tx.AddJob(account, "teleport", "", tx.Now()) })
		drain(t, newOutbox(db, newFiles(), discardLogger()))
		if due, failed := countJobs(t, db); due != 1 || failed != 0 {
			t.Errorf("due %d, failed %d", due, failed)
		}
	})
}

func TestADeletedLocationIsEmptiedWithItsFiles(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		const many = 450 // more than two batches
		var l lost.Location
		write(t, db, func(tx *store.Tx) (err error) {
			if l, err = lost.NewLocation(account, lost.LocationPatch{Name: lost.Set("Hotel")}, tx.Now()); err != nil {
				return err
			}
			l.Permalink = "hotel"
			if err := tx.InsertLocation(l); err != nil {
				return err
			}
			for n := range many {
				i, err := lost.NewItem(l.Account, l.ID, lost.ItemPatch{Description: lost.Set("x")}, tx.Now())
				if err != nil {
					return err
				}
				i.Reference = i.ID
				_ = i.AddImage(lost.Image{File: fmt.Sprintf("%d.jpg", n), Thumbnail: fmt.Sprintf("%d-640.jpg", n)},
					tx.Now())
				if err := tx.InsertItem(i); err != nil {
					return err
				}
			}
			c := lost.NewStockTake(lost.Actor{Account: account}, l, "Shelf", false, tx.Now())
			if err := tx.InsertStockTake(c); err != nil {
				return err
			}
			if err := tx.HideLocation(l); err != nil {
				return err
			}
			return tx.AddJob(account, store.JobPurgeLocation, l.ID, tx.Now())
		})
		f := newFiles()
		drain(t, newOutbox(db, f, discardLogger()))
		if due, failed := countJobs(t, db); due+failed != 0 {
			t.Errorf("due %d, failed %d", due, failed)
		}
		slices.Sort(f.deleted)
		if names := slices.Compact(f.deleted); len(names) != many {
			t.Errorf("%d files were deleted, want %d", len(names), many)
		}
		if counts, err := db.StockTakes(t.Context(), account, l.ID, lost.FirstPage()); err != nil ||
			len(counts.Data) != 0 {
			t.Errorf("got %d remaining stock takes, %v; want none", len(counts.Data), err)
		}
		// The insert succeeds only if no rows of the location remain.
		write(t, db, func(tx *store.Tx) error { return tx.InsertLocation(l) })
	})
}

func TestWakeStartsAJobImmediately(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		f := newFiles()
		o := newOutbox(db, f, discardLogger())
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { o.Run(ctx); close(done) }()
		for n := range 3 {
			write(t, db, func(tx *store.Tx) error { return tx.AddDeleteFilesJobs(account, fmt.Sprint(n)) })
			o.Wake()
			select {
			case <-f.called:
			case <-time.After(4 * time.Second): // less than the poll interval
				t.Fatal("the job did not start")
			}
		}
		stop()
		<-done
	})
}

func TestSeveralOutboxesShareTheWork(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		const jobs = 100
		write(t, db, func(tx *store.Tx) error {
			for n := range jobs {
				if err := tx.AddDeleteFilesJobs(account, fmt.Sprintf("%03d", n)); err != nil {
					return err
				}
			}
			return nil
		})
		f := newFiles()
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		for range 3 {
			o := newOutbox(db, f, discardLogger())
			running.Go(func() { o.Run(ctx) })
		}
		for range jobs {
			<-f.called
		}
		stop()
		running.Wait()
		slices.Sort(f.deleted)
		if n := len(f.deleted); n != jobs || len(slices.Compact(f.deleted)) != jobs {
			t.Errorf("got %d deletions, want %d", n, jobs)
		}
		if due, failed := countJobs(t, db); due+failed != 0 {
			t.Errorf("due %d, failed %d", due, failed)
		}
	})
}

func TestAPanicInAJobIsAFailedAttempt(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var logged bytes.Buffer
		write(t, db, func(tx *store.Tx) error { return tx.AddDeleteFilesJobs(account, "a") })
		o := newOutbox(db, nil, slog.New(slog.NewTextHandler(&logged, nil)))
		if n, err := o.RunOnce(t.Context()); n != 1 || err != nil {
			t.Fatal(n, err)
		}
		if due, _ := countJobs(t, db); due != 1 || !bytes.Contains(logged.Bytes(), []byte("panic")) {
			t.Errorf("due %d, log %s", due, &logged)
		}
	})
}

func TestLoggedJobAttemptsCountFromOne(t *testing.T) {
	clock := &storetest.Clock{}
	storetest.EachClock(t, clock.Now, func(t *testing.T, db *store.DB) {
		write(t, db, func(tx *store.Tx) error { return tx.AddDeleteFilesJobs(account, "a") })
		write(t, db, func(tx *store.Tx) error { // simulates a worker that claims the job and dies
			_, err := tx.ClaimJobs([]string{store.JobDeleteFiles}, 1, time.Second)
			return err
		})
		clock.Advance(time.Second)
		f := newFiles()
		f.set(errors.New("disk on fire"))
		for attempt := range 2 {
			var logged bytes.Buffer
			if n, err := newOutbox(db, f, slog.New(slog.NewTextHandler(&logged, nil))).RunOnce(t.Context()); n != 1 ||
				err != nil {
				t.Fatal(n, err)
			}
			if want := fmt.Sprintf(" attempt=%d ", attempt+1); !strings.Contains(logged.String(), want) {
				t.Errorf("the log has no %q: %s", want, &logged)
			}
			clock.Advance(time.Minute)
		}
	})
}

// newOutbox returns an outbox without webhooks.
func newOutbox(db *store.DB, f outbox.Files, log *slog.Logger) *outbox.Outbox {
	return outbox.New(outbox.Options{
		DB: db, Files: f, Hooks: &hooks{}, Matching: noMatching{}, Log: log, Observe: ignoreAttempt,
		KeepDeliveries: 30 * 24 * time.Hour,
	})
}

// noMatching matches nothing.
type noMatching struct{}

func (noMatching) Match(context.Context, string, string) (bool, error)  { return false, nil }
func (noMatching) RematchLocation(context.Context, store.Rematch) error { return nil }
func (noMatching) RematchOutdated(context.Context, int) (int, error)    { return 0, nil }
func (noMatching) Embed(context.Context, string) (bool, error)          { return false, nil }
func (noMatching) EmbedOutdated(context.Context, int) (int, error)      { return 0, nil }

func ignoreAttempt(lost.DeliveryState, time.Duration) {}
