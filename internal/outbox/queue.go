package outbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/tracing"
)

// queue performs the jobs of one pool.
type queue struct {
	db      *store.DB
	log     *slog.Logger
	tracer  *tracing.Tracer
	observe func(kind, outcome string, took time.Duration)
	pool    pool
	kinds   []string // the kinds to claim; others belong to other queues or to a newer version of the service
	perform map[string]func(context.Context, store.Job) error
	wake    chan struct{}
	slots   chan struct{} // holds a token for each job in progress
	turns   turns
	backlog bool // the last claim found as many jobs as there were free slots, so more may be due
	outcome *recorder
	folded  *foldedJobs // nil if each job has its own log line
}

// newQueue returns the queue for a pool. It performs the registered job kinds that belong to the pool.
func newQueue(o Options, p pool, registry []jobKind) *queue {
	q := &queue{
		db: o.DB, log: o.Log, tracer: o.Tracer, observe: o.ObserveJob, pool: p,
		perform: map[string]func(context.Context, store.Job) error{},
		wake:    make(chan struct{}, 1), slots: make(chan struct{}, p.workers), outcome: &recorder{db: o.DB},
	}
	if p.folded {
		q.folded = &foldedJobs{pool: p.name, log: o.Log}
	}
	for _, k := range registry {
		if k.pool == p.name {
			q.kinds = append(q.kinds, k.name)
			q.perform[k.name] = k.perform
		}
	}
	return q
}

// notify wakes the queue, because a job may have been added.
func (q *queue) notify() { wakeUp(q.wake) }

func wakeUp(wake chan struct{}) {
	select {
	case wake <- struct{}{}:
	default: // a wake-up is already pending
	}
}

// run performs jobs until the context ends, and then finishes the jobs in progress.
func (q *queue) run(ctx context.Context) {
	var running sync.WaitGroup
	defer q.folded.flush()
	defer running.Wait()
	for ctx.Err() == nil {
		wait, err := time.Duration(0), error(nil)
		if !q.backlog { // read before writing, because usually there is nothing to claim
			wait, err = q.untilNext(ctx)
		}
		if err == nil && wait <= 0 {
			wait = raceTime // another instance may be claiming the due jobs
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
			q.log.Error("outbox: claiming jobs failed", "pool", string(q.pool.name), "error", err)
		}
		waitOrWake(ctx, q.wake, wait)
	}
}

// raceTime is how long to wait for another instance to commit when it may have claimed the due jobs first.
const raceTime = 5 * time.Millisecond

// waitOrWake waits for the given duration, or until wake receives a value or the context ends.
func waitOrWake(ctx context.Context, wake chan struct{}, wait time.Duration) {
	select {
	case <-ctx.Done():
	case <-wake:
	case <-time.After(wait):
	}
}

// runOnce performs due jobs, at most one for each worker, and returns how many it performed.
func (q *queue) runOnce(ctx context.Context) (int, error) {
	wait, err := q.untilNext(ctx) // read before writing, as in run
	if err != nil || wait > 0 {
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
	q.folded.flush()
	return len(jobs), err
}

// claim waits for a free slot, and then claims at most as many due jobs as there are free slots. Each job holds its
// slot until free is called. While jobs are waiting, it waits for more free slots, so that one transaction claims many
// jobs.
func (q *queue) claim(ctx context.Context) (jobs []store.Job, err error) {
	select {
	case q.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	held := 1
	for held < cap(q.slots) && q.takeSlot() {
		held++
	}
	if q.backlog {
		held += q.gatherSlots(ctx, cap(q.slots)/2-held)
	}
	if jobs, err = q.claimUpTo(ctx, held); err != nil {
		jobs = nil
	}
	q.backlog = len(jobs) == held
	for range held - len(jobs) {
		q.free()
	}
	return jobs, err
}

// gatherTime is how long to wait for more free slots before jobs of a backlog are claimed.
const gatherTime = 5 * time.Millisecond

// gatherSlots takes up to the wanted number of slots as they become free within gatherTime, and returns how many it
// took.
func (q *queue) gatherSlots(ctx context.Context, wanted int) (taken int) {
	timeout := time.NewTimer(gatherTime)
	defer timeout.Stop()
	for taken < wanted {
		select {
		case q.slots <- struct{}{}:
			taken++
		case <-timeout.C:
			return taken
		case <-ctx.Done():
			return taken
		}
	}
	return taken
}

// takeSlot takes a slot if one is free.
func (q *queue) takeSlot() bool {
	select {
	case q.slots <- struct{}{}:
		return true
	default:
		return false
	}
}

func (q *queue) free() { <-q.slots }

// untilNext returns the time until the queue's next job is due, but at most poll.
func (q *queue) untilNext(ctx context.Context) (time.Duration, error) {
	due, ok, err := q.db.NextJob(ctx, q.kinds)
	if err != nil || !ok {
		return poll, err
	}
	return min(poll, due.Sub(q.db.Now())), nil
}

// work performs one job and records the outcome. Jobs added by this job belong to the same trace.
func (q *queue) work(ctx context.Context, job store.Job) {
	start := time.Now()
	ctx, span := tracing.Resume(ctx, q.tracer, job.Trace, "job "+job.Kind)
	err := q.performWithin(ctx, job)
	record, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	// Recording waits for its turn for as long as it takes, unless the service is stopping.
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(recordTime, cancel) })
	defer stop()
	var outcome string
	next, isAgain := errors.AsType[continuation](err)
	recorded := q.outcome.record(record, job, func(tx *store.Tx) error {
		switch {
		case err == nil:
			outcome = "done"
			return tx.FinishJob(job)
		case isAgain:
			outcome = "continues"
			return tx.ContinueJob(job, tx.Now().Add(next.after))
		case isPermanent(err):
			outcome = "failed"
			return tx.FailJob(job, err.Error())
		default:
			outcome = "retry"
			return tx.RetryJob(job, tx.Now().Add(retryAfter(job.AttemptNumber())), err.Error())
		}
	})
	if recorded == nil && outcome == "continues" && next == errMore {
		q.notify() // the job is due immediately, and may have added others
	}
	if isAgain {
		err = nil
	}
	if recorded != nil {
		outcome = outcomeUnrecorded
	}
	q.report(record, span, job, outcome, time.Since(start), errors.Join(err, recorded))
}

// outcomeUnrecorded is the outcome of a job that was performed, but whose outcome could not be stored. The job is
// repeated when its lease ends.
const outcomeUnrecorded = "unrecorded"

// report logs, traces and counts one run of a job.
func (q *queue) report(
	ctx context.Context, span tracing.Span, job store.Job, outcome string, took time.Duration, err error,
) {
	level := slog.LevelInfo
	switch {
	case err == nil && outcome == "continues":
		level = slog.LevelDebug
	case err == nil && q.folded != nil:
		level = slog.LevelDebug
		q.folded.add(took)
	case outcome == outcomeUnrecorded:
		level = slog.LevelError
	case err != nil: // the job failed, or is retried
		level = slog.LevelWarn
	}
	if q.log.Enabled(ctx, level) {
		fields := []any{
			"kind", job.Kind, "job", job.ID, "account", job.Account,
			"attempt", job.AttemptNumber(), "outcome", outcome, "ms", took.Milliseconds(),
		}
		if err != nil {
			fields = append(fields, "error", err.Error())
		}
		q.log.Log(ctx, level, "job", append(fields, tracing.FromContext(ctx).LogFields()...)...)
	}
	span.Set("homeward.account", job.Account)
	span.Set("homeward.job", job.ID)
	span.Set("homeward.attempt", job.AttemptNumber())
	span.Set("homeward.outcome", outcome)
	span.End(err)
	if q.observe != nil {
		q.observe(job.Kind, outcome, took)
	}
}

// performWithin performs a job within the pool's timeout, or within stopTime once the service is stopping. A panic is
// logged with its stack and returned as an error; otherwise one bad job would crash the program after every restart.
func (q *queue) performWithin(ctx context.Context, job store.Job) (err error) {
	work, cancel := context.WithTimeout(context.WithoutCancel(ctx), q.pool.timeout)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(stopTime, cancel) })
	defer stop()
	defer q.keepLease(work, job)()
	defer func() {
		if p := recover(); p != nil {
			q.log.ErrorContext(ctx, "job panicked; it will be retried", "kind", job.Kind, "job", job.ID,
				"account", job.Account, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	perform, ok := q.perform[job.Kind]
	if !ok {
		return fmt.Errorf("unknown job kind %q", job.Kind)
	}
	return perform(work, job)
}

// keepLease renews a job's lease until release is called. A running worker thus keeps its job for as long as needed,
// while a dead worker's job soon becomes due again.
func (q *queue) keepLease(ctx context.Context, job store.Job) (release func()) {
	ctx, cancel := context.WithCancel(ctx)
	var renewing sync.WaitGroup
	renewing.Go(func() {
		tick := time.NewTicker(q.pool.lease / 3)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			err := q.db.Write(ctx, func(tx *store.Tx) error { return tx.RenewJob(job, q.pool.lease) })
			if err != nil && ctx.Err() == nil {
				q.log.Warn("outbox: renewing a lease failed", "job", job.ID, "error", err)
			}
		}
	})
	return func() {
		cancel()
		renewing.Wait() // a renewal after the outcome is recorded would overwrite it
	}
}

// isPermanent reports whether a job with this error must not be retried.
func isPermanent(err error) bool {
	code := lost.CodeOf(err)
	return code == lost.Unsupported || code == lost.Invalid
}

// retryAfter returns the delay after a number of failed attempts. It doubles from firstRetry to lastRetry. There is
// no last attempt: a committed job is retried until it succeeds.
func retryAfter(failures int) time.Duration {
	d := firstRetry
	for range failures - 1 {
		d *= 2
		if d >= lastRetry {
			return lastRetry
		}
	}
	return d
}

// continuation is returned by a job that did part of its work and must run again after a delay.
type continuation struct{ after time.Duration }

func (continuation) Error() string { return "more to do" }

// errMore is returned by a job that did part of its work and must run again immediately.
var errMore = continuation{}
