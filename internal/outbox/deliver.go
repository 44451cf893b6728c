package outbox

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/tracing"
)

// Hooks sends events to endpoints.
type Hooks interface {
	// Send makes one delivery attempt, which takes no longer than Timeout.
	Send(ctx context.Context, e lost.Endpoint, d lost.Delivery, body []byte) lost.Attempt
	Timeout() time.Duration
	// Delay returns how long to wait after the given number of failed attempts, and whether to try again at all.
	Delay(failures int) (wait time.Duration, again bool)
}

// MaxConcurrentAttempts is the maximum number of concurrent delivery attempts. The HTTP client must allow at least as
// many connections, so that no endpoint waits for a connection in use by another endpoint.
const MaxConcurrentAttempts = 2048

const (
	perEndpoint         = 8 // concurrent attempts to one endpoint
	perFailingEndpoint  = 2 // concurrent attempts to a failing endpoint; low, because they may hang
	maxConcurrentClaims = 4 // each claim uses a database connection

	firstClaim         = 16 // the size of a worker's first claim; it doubles while deliveries are fast
	maxClaim           = 256
	maxClaimedTotal    = 4096 // above this, workers claim only firstClaim, because claimed bodies are held in memory
	fastTurn, slowTurn = time.Second, 3 * time.Second

	endpointsPerQuery = 500
	retryPause        = 100 * time.Millisecond
)

// deliverer delivers events. Every endpoint with due deliveries gets its own worker, so that no endpoint
// waits for another. A worker claims deliveries in batches, makes a few concurrent attempts, and ends when
// nothing is due.
type deliverer struct {
	db               *store.DB
	hooks            Hooks
	log              *slog.Logger
	observe          func(became lost.DeliveryState, took time.Duration)
	observeDelivered func(after time.Duration)
	tracer           *tracing.Tracer

	mu      sync.Mutex
	ctx     context.Context // the context of the current run; nil when not running
	workers map[store.EndpointQueue]*endpointWorker
	running sync.WaitGroup // the workers and attempts of the current run

	pending  atomic.Int64  // deliveries that are claimed but whose outcome is not yet recorded
	sending  chan struct{} // holds a token for each attempt in progress
	claiming chan struct{}
	outcomes chan outcome
}

// endpointWorker delivers events to one endpoint.
type endpointWorker struct {
	store.EndpointQueue
	notified     bool          // there may be new deliveries; guarded by deliverer.mu
	wake         chan struct{} // signals a notification, or that the last outcome was recorded
	pending      atomic.Int64  // deliveries of this endpoint that are claimed but whose outcome is not yet recorded
	slots        chan struct{} // holds a token for each attempt in progress
	failingSlots chan struct{} // holds a token for each attempt that was started while the endpoint was failing
}

func newDeliverer(o Options) *deliverer {
	return &deliverer{
		db: o.DB, hooks: o.Hooks, log: o.Log, tracer: o.Tracer,
		observe: o.Observe, observeDelivered: o.ObserveDelivered,
		workers: map[store.EndpointQueue]*endpointWorker{},
		sending: make(chan struct{}, MaxConcurrentAttempts), claiming: make(chan struct{}, maxConcurrentClaims),
	}
}

// leaseTime returns how long a delivery is claimed for: long enough to start an attempt late and record its outcome.
func (d *deliverer) leaseTime() time.Duration { return 3 * d.hooks.Timeout() }

// timeNeeded returns how much of the lease must remain to make an attempt and record its outcome.
func (d *deliverer) timeNeeded() time.Duration { return d.hooks.Timeout() * 3 / 2 }

// run delivers events until the context ends, and then finishes the attempts in progress.
func (d *deliverer) run(ctx context.Context) {
	end := d.begin(ctx)
	for ctx.Err() == nil {
		pause(ctx, d.startDue(ctx))
	}
	end()
}

// runOnce attempts all deliveries that are due, and waits for the attempts to finish.
func (d *deliverer) runOnce(ctx context.Context) {
	end := d.begin(ctx)
	d.startDue(ctx)
	end()
}

// begin allows workers to start. Calling end waits for them and records the remaining outcomes.
func (d *deliverer) begin(ctx context.Context) (end func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ctx = ctx
	d.outcomes = make(chan outcome, perRecord)
	record, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	// If recording is given up, a delivery without a recorded outcome becomes due again when its lease expires.
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

// startDue starts a worker for each endpoint with due deliveries. It returns the time until the next delivery is due,
// but at most poll.
func (d *deliverer) startDue(ctx context.Context) time.Duration {
	next, after := poll, ""
	for {
		waiting, err := d.db.PendingQueues(ctx, after, endpointsPerQuery)
		if err != nil && ctx.Err() == nil {
			d.log.Error("webhooks: reading due deliveries failed; retrying", "error", err)
		}
		for _, w := range waiting {
			if wait := w.Due.Sub(d.db.Now()); wait > 0 {
				next = min(next, wait)
			} else {
				d.notify(w.EndpointQueue)
			}
		}
		if len(waiting) < endpointsPerQuery {
			return max(next, retryPause)
		}
		after = waiting[len(waiting)-1].Endpoint
	}
}

// notify wakes the workers of endpoints that may have due deliveries, and starts missing workers.
func (d *deliverer) notify(queues ...store.EndpointQueue) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ctx == nil || d.ctx.Err() != nil {
		return // the next run reads the due deliveries from the database
	}
	for _, key := range queues {
		w := d.workers[key]
		if w == nil {
			w = &endpointWorker{
				EndpointQueue: key, wake: make(chan struct{}, 1),
				slots: make(chan struct{}, perEndpoint), failingSlots: make(chan struct{}, perFailingEndpoint),
			}
			d.workers[key] = w
			ctx := d.ctx
			d.running.Go(func() { d.work(ctx, w) })
		}
		w.notified = true
		w.signal()
	}
}

func (w *endpointWorker) signal() { wakeUp(w.wake) }

// work claims and attempts an endpoint's deliveries until there are none left.
func (d *deliverer) work(ctx context.Context, w *endpointWorker) {
	size, more := firstClaim, false
	for ctx.Err() == nil {
		if notified := d.takeNotification(w); notified || more {
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

// takeNotification reports whether the worker was notified since the last call, and clears the notification.
func (d *deliverer) takeNotification(w *endpointWorker) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	notified := w.notified
	w.notified = false
	return notified
}

// retire removes a worker that has nothing in progress, and reports whether it did so. If the endpoint's next
// delivery is due before the next poll, a timer starts a new worker for it.
func (d *deliverer) retire(ctx context.Context, w *endpointWorker) bool {
	if w.pending.Load() > 0 {
		return false
	}
	due, waiting, err := d.db.NextDeliveryDue(ctx, w.EndpointQueue)
	d.mu.Lock()
	defer d.mu.Unlock()
	if w.notified {
		w.signal()
		return false
	}
	delete(d.workers, w.EndpointQueue)
	if wait := due.Sub(d.db.Now()); err == nil && waiting && wait < poll {
		time.AfterFunc(max(wait, retryPause), func() { d.notify(w.EndpointQueue) })
	}
	return true
}

// turn claims up to size deliveries and starts their attempts. It reports whether more deliveries may be due, and how
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
	case took > slowTurn:
		return more, firstClaim
	case took < fastTurn:
		return more, min(2*size, maxClaim)
	default:
		return more, size
	}
}

// batch holds the deliveries that a worker claimed in one turn.
type batch struct {
	endpoint lost.Endpoint // the endpoint's data when the batch was claimed
	at       time.Time
	size     int // the number of deliveries requested
	claimed  []store.ClaimedDelivery
}

// claim claims up to size deliveries, oldest first. If the endpoint is disabled or deleted, it cancels the
// endpoint's deliveries instead.
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
		b.size = 2 * perFailingEndpoint
	case d.pending.Load() >= maxClaimedTotal:
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

// pause waits for the given duration or until the context ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
