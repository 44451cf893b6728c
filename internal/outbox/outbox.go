// Package outbox does the work that transactions leave behind: it claims due jobs, performs
// them outside any transaction, and records what came of it. A job that fails comes back later; a
// job whose worker died comes back when its lease is over. Nothing that was committed is forgotten.
package outbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// Files is what jobs do with files.
type Files interface {
	// Delete removes files; deleting what is gone is no error.
	Delete(ctx context.Context, names ...string) error
	// Thumbnail makes the small version of a picture, unless it is there.
	Thumbnail(ctx context.Context, name string) error
}

// Outbox performs jobs. Any number of copies may run on one database.
type Outbox struct {
	db    *store.DB
	files Files
	log   *slog.Logger
	wake  chan struct{}
	slots chan struct{} // holds a token for each job under way
}

const (
	atOnce      = 16               // jobs under way
	lease       = 5 * time.Minute  // how long a claimed job is left alone
	workTime    = 2 * time.Minute  // how long one may take; well under the lease
	stopTime    = 20 * time.Second // how long one may go on when the service stops; the lease brings it back
	recordTime  = 10 * time.Second
	poll        = 5 * time.Second // at the latest, jobs left by other copies are noticed
	upkeepEvery = 10 * time.Minute
	keepFailed  = 30 * 24 * time.Hour
	firstRetry  = 5 * time.Second
	lastRetry   = time.Hour
)

// kinds lists the jobs that this version knows. Others are left to a newer copy of the service.
func kinds() []string {
	return []string{store.JobDeleteFiles, store.JobThumbnail, store.JobPurgeLocation}
}

// New makes an Outbox.
func New(db *store.DB, files Files, log *slog.Logger) *Outbox {
	return &Outbox{db: db, files: files, log: log, wake: make(chan struct{}, 1), slots: make(chan struct{}, atOnce)}
}

// Nudge says that a job may have been left: look now.
func (o *Outbox) Nudge() {
	select {
	case o.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// Run works until the context ends, and then finishes what is under way.
func (o *Outbox) Run(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { o.keepUp(ctx) })
	for ctx.Err() == nil {
		claimed, err := o.claim(ctx)
		for _, job := range claimed {
			running.Go(func() {
				defer o.free()
				o.work(ctx, job)
			})
		}
		if len(claimed) > 0 {
			continue
		}
		wait := poll
		if err == nil {
			wait = o.untilNext(ctx)
		} else if ctx.Err() == nil {
			o.log.Error("outbox: claiming jobs failed", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-o.wake:
		case <-time.After(wait):
		}
	}
}

// RunOnce performs the jobs that are due, as many as may be under way at once, and tells how many that was.
func (o *Outbox) RunOnce(ctx context.Context) (int, error) {
	jobs, err := o.claim(ctx)
	var working sync.WaitGroup
	for _, job := range jobs {
		working.Go(func() {
			defer o.free()
			o.work(ctx, job)
		})
	}
	working.Wait()
	return len(jobs), err
}

// claim takes as many due jobs as there are free slots, once there is one. Each holds a slot until free.
func (o *Outbox) claim(ctx context.Context) (jobs []store.Job, err error) {
	select {
	case o.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	held := 1
	for held < atOnce && o.another() {
		held++
	}
	err = o.db.Write(ctx, func(tx *store.Tx) (err error) {
		jobs, err = tx.ClaimJobs(kinds(), held, lease)
		return err
	})
	if err != nil {
		jobs = nil
	}
	for range held - len(jobs) {
		o.free()
	}
	return jobs, err
}

// another takes one more slot, if one is free.
func (o *Outbox) another() bool {
	select {
	case o.slots <- struct{}{}:
		return true
	default:
		return false
	}
}

func (o *Outbox) free() { <-o.slots }

// untilNext is how long there is nothing to do here.
func (o *Outbox) untilNext(ctx context.Context) time.Duration {
	due, ok, err := o.db.NextJob(ctx, kinds())
	if err != nil || !ok {
		return poll
	}
	return min(poll, max(time.Until(due), time.Millisecond))
}

// work performs one job and records the outcome.
func (o *Outbox) work(ctx context.Context, job store.Job) {
	start := time.Now()
	err := o.performWithin(ctx, job)
	record, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer cancel()
	var outcome string
	recorded := o.db.Write(record, func(tx *store.Tx) error {
		switch {
		case err == nil:
			outcome = "done"
			return tx.FinishJob(job)
		case errors.Is(err, errMore):
			outcome = "continues"
			return tx.ContinueJob(job)
		case final(err):
			outcome = "failed"
			return tx.FailJob(job, err.Error())
		default:
			outcome = "retry"
			return tx.RetryJob(job, tx.Now().Add(retryAfter(job.Failures+1)), err.Error())
		}
	})
	if outcome == "continues" {
		o.Nudge() // it is due again, and may have left jobs of its own
	}
	level := slog.LevelDebug
	switch {
	case recorded != nil:
		level = slog.LevelError
	case outcome == "failed" || outcome == "retry":
		level = slog.LevelWarn
	}
	o.log.Log(record, level, "job", "kind", job.Kind, "job", job.ID, "account", job.Account, "attempt", job.Attempt,
		"outcome", outcome, "ms", time.Since(start).Milliseconds(), "error", errors.Join(err, recorded))
}

// performWithin gives a job its time: workTime, of which stopTime is left when the service stops.
func (o *Outbox) performWithin(ctx context.Context, job store.Job) error {
	work, cancel := context.WithTimeout(context.WithoutCancel(ctx), workTime)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(stopTime, cancel) })
	defer stop()
	return o.perform(work, job)
}

// final tells errors that no repetition will mend.
func final(err error) bool {
	code := lost.CodeOf(err)
	return code == lost.Unsupported || code == lost.Invalid
}

// retryAfter doubles from firstRetry to lastRetry. There is no last attempt: what a
// transaction promised is tried until it is done.
func retryAfter(failures int) time.Duration {
	d := firstRetry
	for range failures - 1 {
		if d = 2 * d; d >= lastRetry {
			return lastRetry
		}
	}
	return d
}

// errMore says that a job did a piece of its work and there is more.
var errMore = errors.New("more to do")

func (o *Outbox) perform(ctx context.Context, job store.Job) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	switch job.Kind {
	case store.JobDeleteFiles:
		names, err := job.Names()
		if err != nil {
			return err
		}
		return o.files.Delete(ctx, names...)
	case store.JobThumbnail:
		err := o.files.Thumbnail(ctx, job.Payload)
		if lost.CodeOf(err) == lost.NotFound { // deleted meanwhile, and so done
			return nil
		}
		return err
	case store.JobPurgeLocation:
		return o.purgeLocation(ctx, job)
	default:
		return fmt.Errorf("unknown kind of job %q", job.Kind)
	}
}

const purgePiece = 200

// purgeLocation removes some of a deleted location's items, and the location after the last one.
func (o *Outbox) purgeLocation(ctx context.Context, job store.Job) error {
	var left bool
	err := o.db.Write(ctx, func(tx *store.Tx) error {
		items, err := tx.PurgeItems(job.Account, job.Payload, purgePiece)
		if err != nil {
			return err
		}
		if left = len(items) > 0; !left {
			return tx.PurgeLocation(job.Account, job.Payload)
		}
		var files []string
		for _, i := range items {
			files = append(files, i.Files()...)
		}
		return tx.DeleteFilesLater(job.Account, files...)
	})
	if err == nil && left {
		return errMore
	}
	return err
}

// keepUp removes what has had its time, from the start on and again every while.
func (o *Outbox) keepUp(ctx context.Context) {
	every := time.NewTicker(upkeepEvery)
	defer every.Stop()
	for {
		o.prune(ctx, "answers", func(tx *store.Tx, some int) (int64, error) { return tx.PruneAnswers(some) })
		o.prune(ctx, "jobs", func(tx *store.Tx, some int) (int64, error) { return tx.PruneJobs(tx.Now().Add(-keepFailed), some) })
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
	}
}

// prune removes something in small pieces until there is none left.
func (o *Outbox) prune(ctx context.Context, what string, piece func(tx *store.Tx, some int) (int64, error)) {
	const some = 500
	for pruned := int64(some); pruned == some && ctx.Err() == nil; {
		err := o.db.Write(ctx, func(tx *store.Tx) (err error) {
			pruned, err = piece(tx, some)
			return err
		})
		if err != nil {
			if ctx.Err() == nil {
				o.log.Error("outbox: pruning failed", "what", what, "error", err)
			}
			return
		}
	}
}
