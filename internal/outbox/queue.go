package outbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/tracing"
)

// queue performs jobs of some kinds, a few at a time. A job that is slow holds up only those of its own queue.
type queue struct {
	db      *store.DB
	log     *slog.Logger
	tracer  trace.Tracer
	observe func(kind, outcome string, took time.Duration)
	kinds   []string      // others are left to another queue, or to a newer copy of the service
	lease   time.Duration // how long a claimed job is left alone when nothing is heard of its worker
	time    time.Duration // how long one may take
	perform func(context.Context, store.Job) error
	wake    chan struct{}
	slots   chan struct{} // holds a token for each job under way
}

func newQueue(o Options, atOnce int, lease, work time.Duration, perform func(context.Context, store.Job) error, kinds ...string) *queue {
	return &queue{
		db: o.DB, log: o.Log, tracer: o.Tracer, observe: o.ObserveJob, kinds: kinds, lease: lease, time: work, perform: perform,
		wake: make(chan struct{}, 1), slots: make(chan struct{}, atOnce),
	}
}

// nudge says that a job may have been left: look now.
func (q *queue) nudge() { wakeUp(q.wake) }

func wakeUp(wake chan struct{}) {
	select {
	case wake <- struct{}{}:
	default: // it will look anyway
	}
}

// run works until the context ends, and then finishes what is under way.
func (q *queue) run(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	for ctx.Err() == nil {
		wait, err := q.untilNext(ctx) // a read: most of the time there is nothing to claim
		if err == nil && wait <= 0 {
			wait = raceTime // another copy may be claiming them
			var claimed []store.Job
			claimed, err = q.claim(ctx)
			for _, job := range claimed {
				running.Go(func() {
					defer q.free()
					q.work(ctx, job)
				})
			}
			if len(claimed) > 0 {
				continue
			}
		}
		if err != nil && ctx.Err() == nil {
			wait = poll
			q.log.Error("outbox: claiming jobs failed", "error", err)
		}
		rest(ctx, q.wake, wait)
	}
}

// raceTime is how long to wait for a copy that was quicker to commit.
const raceTime = 5 * time.Millisecond

// rest waits for a while, or until woken.
func rest(ctx context.Context, wake chan struct{}, wait time.Duration) {
	select {
	case <-ctx.Done():
	case <-wake:
	case <-time.After(wait):
	}
}

// runOnce performs the jobs that are due, as many as may be under way at once, and tells how many that was.
func (q *queue) runOnce(ctx context.Context) (int, error) {
	if wait, err := q.untilNext(ctx); err != nil || wait > 0 { // a read, as above
		return 0, err
	}
	jobs, err := q.claim(ctx)
	var working sync.WaitGroup
	for _, job := range jobs {
		working.Go(func() {
			defer q.free()
			q.work(ctx, job)
		})
	}
	working.Wait()
	return len(jobs), err
}

// claim takes as many due jobs as there are free slots, once there is one. Each holds a slot until free.
func (q *queue) claim(ctx context.Context) (jobs []store.Job, err error) {
	select {
	case q.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	held := 1
	for held < cap(q.slots) && q.another() {
		held++
	}
	err = q.db.Write(ctx, func(tx *store.Tx) (err error) {
		jobs, err = tx.ClaimJobs(q.kinds, held, q.lease)
		return err
	})
	if err != nil {
		jobs = nil
	}
	for range held - len(jobs) {
		q.free()
	}
	return jobs, err
}

// another takes one more slot, if one is free.
func (q *queue) another() bool {
	select {
	case q.slots <- struct{}{}:
		return true
	default:
		return false
	}
}

func (q *queue) free() { <-q.slots }

// untilNext is how long there is nothing to do here.
func (q *queue) untilNext(ctx context.Context) (time.Duration, error) {
	due, ok, err := q.db.NextJob(ctx, q.kinds)
	if err != nil || !ok {
		return poll, err
	}
	return min(poll, due.Sub(q.db.Now())), nil
}

// work performs one job and records the outcome. What it leaves behind in turn is on the trail of the same request.
func (q *queue) work(ctx context.Context, job store.Job) {
	start := time.Now()
	ctx, span := tracing.Resume(ctx, q.tracer, job.Trail, "job "+job.Kind)
	err := q.performWithin(ctx, job)
	record, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer cancel()
	var outcome string
	next, isAgain := errors.AsType[again](err)
	recorded := q.db.Write(record, func(tx *store.Tx) error {
		switch {
		case err == nil:
			outcome = "done"
			return tx.FinishJob(job)
		case isAgain:
			outcome = "continues"
			return tx.ContinueJob(job, tx.Now().Add(next.after))
		case final(err):
			outcome = "failed"
			return tx.FailJob(job, err.Error())
		default:
			outcome = "retry"
			return tx.RetryJob(job, tx.Now().Add(retryAfter(job.Try())), err.Error())
		}
	})
	if outcome == "continues" && next == errMore {
		q.nudge() // it is due again, and may have left jobs of its own
	}
	if isAgain {
		err = nil
	}
	q.tell(record, span, job, outcome, time.Since(start), errors.Join(err, recorded))
}

// tell says what came of a job's turn: one line of log, a span and a number.
func (q *queue) tell(ctx context.Context, span tracing.Span, job store.Job, outcome string, took time.Duration, err error) {
	level := slog.LevelInfo
	switch {
	case err == nil && outcome == "continues":
		level = slog.LevelDebug
	case outcome == "failed" || outcome == "retry":
		level = slog.LevelWarn
	case err != nil: // it is not recorded
		level = slog.LevelError
	}
	if q.log.Enabled(ctx, level) {
		fields := []any{"kind", job.Kind, "job", job.ID, "account", job.Account, "attempt", job.Try(), "outcome", outcome, "ms", took.Milliseconds()}
		if err != nil {
			fields = append(fields, "error", err.Error())
		}
		q.log.Log(ctx, level, "job", append(fields, tracing.Of(ctx).Fields()...)...)
	}
	span.Set("homeward.account", job.Account)
	span.Set("homeward.job", job.ID)
	span.Set("homeward.attempt", job.Try())
	span.Set("homeward.outcome", outcome)
	span.End(err)
	if q.observe != nil {
		q.observe(job.Kind, outcome, took)
	}
}

// performWithin gives a job its time, of which stopTime is left when the service stops.
func (q *queue) performWithin(ctx context.Context, job store.Job) (err error) {
	work, cancel := context.WithTimeout(context.WithoutCancel(ctx), q.time)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(stopTime, cancel) })
	defer stop()
	defer q.hold(work, job)()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return q.perform(work, job)
}

// hold renews the lease of a job until it is let go: whoever lives keeps the job for as long as it takes, and what the dead had
// comes back soon.
func (q *queue) hold(ctx context.Context, job store.Job) (letGo func()) {
	ctx, cancel := context.WithCancel(ctx)
	var holding sync.WaitGroup
	holding.Go(func() {
		again := time.NewTicker(q.lease / 3)
		defer again.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-again.C:
			}
			err := q.db.Write(ctx, func(tx *store.Tx) error { return tx.RenewJob(job, q.lease) })
			if err != nil && ctx.Err() == nil {
				q.log.Warn("outbox: renewing a lease failed", "job", job.ID, "error", err)
			}
		}
	})
	return func() {
		cancel()
		holding.Wait() // before the outcome is recorded, which it would undo
	}
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

// again says that a job did a piece of its work, and when it has more.
type again struct{ after time.Duration }

func (again) Error() string { return "more to do" }

// errMore says that a job has more to do at once.
var errMore = again{}
