package outbox

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/trace"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// Hooks makes the attempts to deliver events.
type Hooks interface {
	// Send makes one attempt, which takes no longer than Timeout.
	Send(ctx context.Context, e lost.Endpoint, d lost.Delivery, body []byte) lost.Attempt
	Timeout() time.Duration
	// Delay returns how long to wait after so many failed attempts, and whether to try again at all.
	Delay(failures int) (wait time.Duration, again bool)
}

// AttemptsAtOnce is the largest number of attempts in progress. The HTTP client needs as many connections,
// because an endpoint must not wait for a connection that others hold.
const AttemptsAtOnce = 2048

const (
	perEndpoint  = 8 // attempts in progress to one endpoint
	whileFailing = 2 // of these, to an endpoint that fails, so that one that hangs takes little from the others
	claimsAtOnce = 4 // workers that claim at the same time: each uses a database connection

	firstClaim   = 16 // deliveries that a worker claims at first; the number doubles while they are sent quickly
	mostClaimed  = 256
	claimedInAll = 4096 // from here on every worker claims few, because the bodies are in memory
	quick, slow  = time.Second, 3 * time.Second

	endpointsPerQuery = 500
	retryPause        = 100 * time.Millisecond
)

// deliverer delivers events. Every endpoint that has deliveries due gets a worker of its own, so that no
// endpoint waits for another. A worker claims deliveries in turns, makes a few attempts at a time, and ends
// when nothing is due.
type deliverer struct {
	db               *store.DB
	hooks            Hooks
	log              *slog.Logger
	observe          func(became lost.DeliveryState, took time.Duration)
	observeDelivered func(after time.Duration)
	tracer           trace.Tracer

	mu      sync.Mutex
	ctx     context.Context // of the run; nil before and after
	workers map[store.EndpointQueue]*endpointWorker
	running sync.WaitGroup // the workers and attempts of the run

	pending  atomic.Int64  // deliveries that are claimed and not yet recorded
	sending  chan struct{} // holds a token for each attempt in progress
	claiming chan struct{}
	outcomes chan outcome
}

// endpointWorker delivers events to one endpoint.
type endpointWorker struct {
	store.EndpointQueue
	nudged       bool          // there may be more deliveries; guarded by deliverer.mu
	wake         chan struct{} // nudged, or the last outcome was recorded
	pending      atomic.Int64  // deliveries of this endpoint that are claimed and not yet recorded
	slots        chan struct{} // holds a token for each attempt in progress
	failingSlots chan struct{} // holds a token for each attempt that started while the endpoint failed
}

func newDeliverer(o Options) *deliverer {
	return &deliverer{
		db: o.DB, hooks: o.Hooks, log: o.Log, tracer: o.Tracer,
		observe: o.Observe, observeDelivered: o.ObserveDelivered,
		workers: map[store.EndpointQueue]*endpointWorker{},
		sending: make(chan struct{}, AttemptsAtOnce), claiming: make(chan struct{}, claimsAtOnce),
	}
}

// leaseTime is the lease of a claimed delivery: enough for an attempt that starts late, and for its record.
func (d *deliverer) leaseTime() time.Duration { return 3 * d.hooks.Timeout() }

// timeNeeded is how much of a lease an attempt and its record need.
func (d *deliverer) timeNeeded() time.Duration { return d.hooks.Timeout() * 3 / 2 }

// run works until the context ends, and then finishes the attempts in progress.
func (d *deliverer) run(ctx context.Context) {
	end := d.begin(ctx)
	for ctx.Err() == nil {
		pause(ctx, d.startDue(ctx))
	}
	end()
}

// runOnce attempts the deliveries that are due.
func (d *deliverer) runOnce(ctx context.Context) {
	end := d.begin(ctx)
	d.startDue(ctx)
	end()
}

// begin allows workers to start; end waits for them and records the remaining outcomes.
func (d *deliverer) begin(ctx context.Context) (end func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ctx = ctx
	d.outcomes = make(chan outcome, perRecord)
	record, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	// What is not recorded by then becomes due again when its lease expires.
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(cutOff+recordTime, giveUp) })
	var recording sync.WaitGroup
	recording.Go(func() { d.recordAll(record) })
	return func() {
		d.mu.Lock()
		d.ctx = nil
		d.mu.Unlock()
		d.running.Wait()
		close(d.outcomes)
		recording.Wait()
		stop()
		giveUp()
	}
}

// startDue starts a worker for each endpoint that has deliveries due, and returns the time until the next has.
func (d *deliverer) startDue(ctx context.Context) time.Duration {
	next, after := poll, ""
	for {
		waiting, err := d.db.WaitingQueues(ctx, after, endpointsPerQuery)
		if err != nil && ctx.Err() == nil {
			d.log.Error("webhooks: reading due deliveries failed; retrying", "error", err)
		}
		for _, w := range waiting {
			if wait := w.Due.Sub(d.db.Now()); wait > 0 {
				next = min(next, wait)
			} else {
				d.nudge(w.EndpointQueue)
			}
		}
		if len(waiting) < endpointsPerQuery {
			return max(next, retryPause)
		}
		after = waiting[len(waiting)-1].Endpoint
	}
}

// nudge wakes the workers of some endpoints, because deliveries may be due.
func (d *deliverer) nudge(of ...store.EndpointQueue) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ctx == nil || d.ctx.Err() != nil {
		return // the next run reads for itself what is due
	}
	for _, key := range of {
		w := d.workers[key]
		if w == nil {
			w = &endpointWorker{
				EndpointQueue: key, wake: make(chan struct{}, 1),
				slots: make(chan struct{}, perEndpoint), failingSlots: make(chan struct{}, whileFailing),
			}
			d.workers[key] = w
			ctx := d.ctx
			d.running.Go(func() { d.work(ctx, w) })
		}
		w.nudged = true
		w.signal()
	}
}

func (w *endpointWorker) signal() { wakeUp(w.wake) }

// work claims and attempts an endpoint's deliveries until none is due.
func (d *deliverer) work(ctx context.Context, w *endpointWorker) {
	size, more := firstClaim, false
	for ctx.Err() == nil {
		if nudged := d.takeNudge(w); nudged || more {
			more, size = d.turn(ctx, w, size)
			continue
		}
		if d.retire(ctx, w) {
			return
		}
		select {
		case <-ctx.Done():
		case <-w.wake:
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.workers, w.EndpointQueue)
}

// takeNudge reports whether the worker was nudged since the last call.
func (d *deliverer) takeNudge(w *endpointWorker) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	nudged := w.nudged
	w.nudged = false
	return nudged
}

// retire removes a worker that has nothing in progress, and reports whether it did. If the endpoint's next
// delivery is due before the next poll, a timer starts a worker for it.
func (d *deliverer) retire(ctx context.Context, w *endpointWorker) bool {
	if w.pending.Load() > 0 {
		return false
	}
	due, waiting, err := d.db.NextDeliveryDue(ctx, w.EndpointQueue)
	d.mu.Lock()
	defer d.mu.Unlock()
	if w.nudged {
		w.signal()
		return false
	}
	delete(d.workers, w.EndpointQueue)
	if wait := due.Sub(d.db.Now()); err == nil && waiting && wait < poll {
		time.AfterFunc(max(wait, retryPause), func() { d.nudge(w.EndpointQueue) })
	}
	return true
}

// turn claims up to size deliveries and starts their attempts. It reports whether there may be more, and how
// many to claim next.
func (d *deliverer) turn(ctx context.Context, w *endpointWorker, size int) (more bool, next int) {
	began := time.Now()
	b, err := d.claim(ctx, w, size)
	for _, c := range b.claimed {
		d.startAttempt(ctx, w, b, c)
	}
	more = len(b.claimed) > 0 && len(b.claimed) == b.size
	took := time.Since(began)
	switch {
	case err != nil && ctx.Err() == nil:
		d.log.Error("webhooks: claiming deliveries failed; retrying", "webhook", w.Endpoint, "error", err)
		pause(ctx, time.Second)
		return true, firstClaim
	case took > slow:
		return more, firstClaim
	case took < quick:
		return more, min(2*size, mostClaimed)
	default:
		return more, size
	}
}

// batch is what a worker claimed in one turn.
type batch struct {
	endpoint lost.Endpoint // as it was then
	at       time.Time
	size     int // how many it asked for
	claimed  []store.ClaimedDelivery
}

// claim claims up to size deliveries, the oldest first. Deliveries for a disabled or deleted endpoint are canceled.
func (d *deliverer) claim(ctx context.Context, w *endpointWorker, size int) (b batch, err error) {
	if !takeToken(ctx, d.claiming) {
		return b, ctx.Err()
	}
	defer func() { <-d.claiming }()
	b.at = time.Now()
	b.size = size
	b.endpoint, err = d.db.Endpoint(ctx, w.Account, w.Endpoint)
	switch {
	case lost.CodeOf(err) == lost.NotFound || err == nil && !b.endpoint.Enabled:
		return b, d.db.CancelDeliveries(ctx, w.EndpointQueue)
	case err != nil:
		return b, err
	case !b.endpoint.FailingSince.IsZero():
		b.size = 2 * whileFailing
	case d.pending.Load() >= claimedInAll:
		b.size = firstClaim
	}
	err = d.db.Write(ctx, func(tx *store.Tx) (err error) {
		b.claimed, err = tx.ClaimDeliveries(w.EndpointQueue, b.size, d.leaseTime())
		return err
	})
	if err != nil {
		b.claimed = nil
	}
	slices.SortFunc(b.claimed, func(x, y store.ClaimedDelivery) int { return cmp.Compare(x.ID, y.ID) })
	d.pending.Add(int64(len(b.claimed)))
	w.pending.Add(int64(len(b.claimed)))
	return b, err
}

// takeToken waits for a token and reports whether it got one before the context ended.
func takeToken(ctx context.Context, tokens chan struct{}) bool {
	if ctx.Err() != nil {
		return false
	}
	select {
	case tokens <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// pause waits for some time, or until the context ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
