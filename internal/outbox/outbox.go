// Package outbox does the work that transactions leave behind: it claims due jobs, performs
// them outside any transaction, and records what came of it. A job that fails comes back later; a
// job whose worker died comes back when its lease is over. Nothing that was committed is forgotten.
package outbox

import (
	"cmp"
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

// Mail sends e-mail.
type Mail interface {
	Send(ctx context.Context, to, subject, text string) error
}

// Outbox performs jobs and deliveries. Any number of copies may run on one database.
type Outbox struct {
	db             *store.DB
	files          Files
	mail           Mail // nil where no server is set
	log            *slog.Logger
	wake           chan struct{}
	slots          chan struct{} // holds a token for each job under way
	lanes          *lanes
	keepDeliveries time.Duration
}

// Options is what an Outbox works with.
type Options struct {
	DB             *store.DB
	Files          Files
	Hooks          Hooks
	Mail           Mail // nil: people are told in the log alone
	Log            *slog.Logger
	Observe        func(became lost.DeliveryState, took time.Duration) // told of every attempt
	KeepDeliveries time.Duration                                       // how long settled deliveries and their events are kept
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
	return []string{store.JobDeleteFiles, store.JobThumbnail, store.JobPurgeLocation, store.JobTellUser}
}

// New makes an Outbox.
func New(o Options) *Outbox {
	return &Outbox{
		db: o.DB, files: o.Files, mail: o.Mail, log: o.Log, keepDeliveries: o.KeepDeliveries,
		wake: make(chan struct{}, 1), slots: make(chan struct{}, atOnce), lanes: newLanes(o),
	}
}

// NudgeLanes says that some endpoints have something due: look now.
func (o *Outbox) NudgeLanes(of ...store.Lane) { o.lanes.nudge(of...) }

// DeliverOnce makes an attempt of every delivery that is due.
func (o *Outbox) DeliverOnce(ctx context.Context) { o.lanes.runOnce(ctx) }

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
	running.Go(func() { o.lanes.run(ctx) })
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
	case store.JobTellUser:
		return o.tellUser(ctx, job)
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
		o.KeepUpOnce(ctx)
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
	}
}

// KeepUpOnce removes what has had its time, and switches off the endpoints that have failed for too long.
func (o *Outbox) KeepUpOnce(ctx context.Context) {
	o.prune(ctx, "answers", func(tx *store.Tx, some int) (int64, error) { return tx.PruneAnswers(some) })
	o.prune(ctx, "jobs", func(tx *store.Tx, some int) (int64, error) { return tx.PruneJobs(tx.Now().Add(-keepFailed), some) })
	o.prune(ctx, "deliveries", func(tx *store.Tx, some int) (int64, error) {
		return tx.PruneDeliveries(tx.Now().Add(-o.keepDeliveries), some)
	})
	o.prune(ctx, "events", func(tx *store.Tx, some int) (int64, error) {
		return tx.PruneEvents(tx.Now().Add(-o.keepDeliveries), some)
	})
	if err := o.switchOff(ctx); err != nil && ctx.Err() == nil {
		o.log.Error("outbox: switching off failing webhooks failed", "error", err)
	}
}

// prune removes something in small pieces until there is none left.
func (o *Outbox) prune(ctx context.Context, what string, piece func(tx *store.Tx, some int) (int64, error)) {
	if err := o.db.InPieces(ctx, piece); err != nil && ctx.Err() == nil {
		o.log.Error("outbox: pruning failed", "what", what, "error", err)
	}
}

// switchOff switches off the endpoints that have failed for too long without one success, and has their accounts' users told.
func (o *Outbox) switchOff(ctx context.Context) error {
	const most = 100
	failing, err := o.db.FailingEndpoints(ctx, lost.SwitchOffAfter, most)
	for _, e := range failing {
		if err := o.switchOffOne(ctx, e); err != nil {
			return err
		}
	}
	return err
}

func (o *Outbox) switchOffOne(ctx context.Context, e lost.Endpoint) error {
	off := false
	err := o.db.Write(ctx, func(tx *store.Tx) error {
		e, err := tx.LockEndpoint(e.Account, e.ID)
		off = err == nil && e.SwitchOff(tx.Now())
		if lost.CodeOf(err) == lost.NotFound || err == nil && !off {
			return nil // it was deleted, or has recovered
		}
		if err != nil {
			return err
		}
		return cmp.Or(tx.SaveEndpoint(e), tx.TellUsersLater(e.Account, e.ID))
	})
	if err != nil || !off {
		return err
	}
	o.log.Warn("webhook switched off: it failed for five days without one success", "account", e.Account, "webhook", e.ID)
	o.Nudge()
	return o.db.CancelWaiting(ctx, store.Lane{Account: e.Account, Endpoint: e.ID})
}

// tellUser writes to one user that a webhook was switched off. Each has a job of their own, so that one whose address is
// refused keeps none of the others from hearing.
func (o *Outbox) tellUser(ctx context.Context, job store.Job) error {
	ids, err := job.Names()
	if err != nil || len(ids) != 2 {
		return lost.E(lost.Invalid, "The job names no user and webhook.").Because(err)
	}
	user, err := o.db.User(ctx, job.Account, ids[0])
	if lost.CodeOf(err) == lost.NotFound || err == nil && !user.DisabledAt.IsZero() {
		return nil
	}
	if err != nil {
		return err
	}
	e, err := o.db.Endpoint(ctx, job.Account, ids[1])
	if lost.CodeOf(err) == lost.NotFound || err == nil && e.Enabled {
		return nil // deleted, or on again
	}
	if err != nil || o.mail == nil {
		return err
	}
	return o.mail.Send(ctx, user.Email, "A webhook was switched off", switchedOff(e))
}

func switchedOff(e lost.Endpoint) string {
	name := e.URL
	if e.Description != "" {
		name = e.Description + " (" + e.URL + ")"
	}
	return "Hello,\n\nthe webhook " + name + " was switched off.\n\n" + e.Reason + "\n\nIts id is " + e.ID + ".\n"
}
