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
}

const (
	batch       = 16              // jobs claimed at once
	lease       = 5 * time.Minute // how long a claimed job is left alone
	workTime    = 2 * time.Minute // how long one may take; well under the lease
	poll        = 5 * time.Second // at the latest, jobs left by other copies are noticed
	upkeepEvery = 10 * time.Minute
	firstRetry  = 5 * time.Second
	lastRetry   = time.Hour
)

// New makes an Outbox.
func New(db *store.DB, files Files, log *slog.Logger) *Outbox {
	return &Outbox{db: db, files: files, log: log, wake: make(chan struct{}, 1)}
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
	upkeep := time.NewTicker(upkeepEvery)
	defer upkeep.Stop()
	for ctx.Err() == nil {
		worked, err := o.RunOnce(ctx)
		if err != nil && ctx.Err() == nil {
			o.log.Error("outbox: claiming jobs failed", "error", err)
		}
		if worked > 0 {
			continue
		}
		select {
		case <-ctx.Done():
		case <-o.wake:
		case <-time.After(o.untilNext(ctx)):
		case <-upkeep.C:
			o.upkeep(ctx)
		}
	}
}

// untilNext is how long there is nothing to do here.
func (o *Outbox) untilNext(ctx context.Context) time.Duration {
	due, ok, err := o.db.NextJob(ctx)
	if err != nil || !ok {
		return poll
	}
	return min(poll, max(time.Until(due), time.Millisecond))
}

// RunOnce claims the jobs that are due, performs them, and tells how many there were.
func (o *Outbox) RunOnce(ctx context.Context) (int, error) {
	var jobs []store.Job
	err := o.db.Write(ctx, func(tx *store.Tx) (err error) {
		jobs, err = tx.ClaimJobs(batch, lease)
		return err
	})
	if err != nil {
		return 0, err
	}
	var working sync.WaitGroup
	for _, job := range jobs {
		working.Go(func() { o.work(ctx, job) })
	}
	working.Wait()
	return len(jobs), nil
}

// work performs one job and records the outcome. Stopping the service does not
// cut it short; its time-out does.
func (o *Outbox) work(ctx context.Context, job store.Job) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), workTime)
	defer cancel()
	start := time.Now()
	err := o.perform(ctx, job)
	outcome := "done"
	recorded := o.db.Write(context.WithoutCancel(ctx), func(tx *store.Tx) error {
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
			return tx.RetryJob(job, tx.Now().Add(retryAfter(job.Attempt)), err.Error())
		}
	})
	level := slog.LevelDebug
	if outcome == "failed" || outcome == "retry" {
		level = slog.LevelWarn
	}
	o.log.Log(ctx, level, "job", "kind", job.Kind, "job", job.ID, "account", job.Account, "attempt", job.Attempt,
		"outcome", outcome, "ms", time.Since(start).Milliseconds(), "error", errors.Join(err, recorded))
}

// final tells errors that no repetition will mend.
func final(err error) bool {
	code := lost.CodeOf(err)
	return code == lost.Unsupported || code == lost.NotFound || code == lost.Invalid
}

// retryAfter doubles from firstRetry to lastRetry. There is no last attempt: what a
// transaction promised is tried until it is done.
func retryAfter(attempt int) time.Duration {
	d := firstRetry
	for range attempt - 1 {
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
		return o.files.Thumbnail(ctx, job.Payload)
	case store.JobPurgeLocation:
		return o.purgeLocation(ctx, job)
	default: // left by a newer copy of the service, which will take it
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

// upkeep removes what has had its time, in small pieces.
func (o *Outbox) upkeep(ctx context.Context) {
	const piece = 500
	for ctx.Err() == nil {
		var pruned int64
		err := o.db.Write(ctx, func(tx *store.Tx) (err error) {
			pruned, err = tx.PruneAnswers(piece)
			return err
		})
		if err != nil {
			o.log.Error("outbox: upkeep failed", "error", err)
			return
		}
		if pruned < piece {
			return
		}
	}
}
