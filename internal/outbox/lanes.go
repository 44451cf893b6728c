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
	// Delay tells how long to wait after so many failed attempts, and whether to try again at all.
	Delay(failures int) (wait time.Duration, again bool)
}

// AttemptsAtOnce bounds the attempts under way: whoever makes them needs as many connections, because an endpoint must
// not wait for one that others hold.
const AttemptsAtOnce = 2048

const (
	perEndpoint  = 8 // attempts under way to one endpoint
	whileFailing = 2 // of these, to one that fails: whatever hangs takes little from the others
	claimsAtOnce = 4 // lanes that take deliveries at the same time: each uses a connection to the database

	firstClaim   = 16 // deliveries that a lane takes at once, more as long as they go out quickly
	mostClaimed  = 256
	claimedInAll = 4096 // from here on every lane takes few: their bodies lie in memory
	quick, slow  = time.Second, 3 * time.Second

	lanesALook = 500 // endpoints that are read at once
	soon       = 100 * time.Millisecond
)

// lanes deliver events. Every endpoint that has something due gets a lane of its own, so that none waits for another. A
// lane claims deliveries in turns, makes a few attempts at a time, and is gone when nothing is left to do.
type lanes struct {
	db      *store.DB
	hooks   Hooks
	log     *slog.Logger
	observe func(became lost.DeliveryState, took time.Duration)
	arrived func(after time.Duration)
	tracer  trace.Tracer

	mu      sync.Mutex
	ctx     context.Context // of the run; nil before and after
	open    map[store.Lane]*lane
	running sync.WaitGroup // the lanes and attempts of the run

	pending  atomic.Int64  // deliveries taken and not yet recorded
	sending  chan struct{} // holds a token for each attempt under way
	claiming chan struct{}
	outcomes chan outcome
}

// lane is the work for one endpoint.
type lane struct {
	store.Lane
	nudged  bool          // there may be more; guarded by lanes.mu
	wake    chan struct{} // nudged, or the last outcome was recorded
	pending atomic.Int64  // as above, of this lane
	slots   chan struct{} // holds a token for each attempt under way
	few     chan struct{} // and one for each that was begun while the endpoint failed
}

func newLanes(o Options) *lanes {
	return &lanes{
		db: o.DB, hooks: o.Hooks, log: o.Log, observe: o.Observe, arrived: o.ObserveDelivered, tracer: o.Tracer, open: map[store.Lane]*lane{},
		sending: make(chan struct{}, AttemptsAtOnce), claiming: make(chan struct{}, claimsAtOnce),
	}
}

// leaseTime is how long a claimed delivery is left alone: enough for an attempt that begins late, and for its record.
func (l *lanes) leaseTime() time.Duration { return 3 * l.hooks.Timeout() }

// timeLeft is what an attempt and its record need of a lease.
func (l *lanes) timeLeft() time.Duration { return l.hooks.Timeout() * 3 / 2 }

// run works until the context ends, and then finishes what is under way.
func (l *lanes) run(ctx context.Context) {
	end := l.begin(ctx)
	for ctx.Err() == nil {
		pause(ctx, l.look(ctx))
	}
	end()
}

// runOnce delivers what is due.
func (l *lanes) runOnce(ctx context.Context) {
	end := l.begin(ctx)
	l.look(ctx)
	end()
}

// begin lets lanes be opened; end lets them finish and records the rest.
func (l *lanes) begin(ctx context.Context) (end func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ctx, l.outcomes = ctx, make(chan outcome, perRecord)
	record, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(cutOff+recordTime, giveUp) }) // the leases bring back the rest
	var recording sync.WaitGroup
	recording.Go(func() { l.recordAll(record) })
	return func() {
		l.mu.Lock()
		l.ctx = nil
		l.mu.Unlock()
		l.running.Wait()
		close(l.outcomes)
		recording.Wait()
		stop()
		giveUp()
	}
}

// look opens the lanes that have something due, and tells how long until the next has.
func (l *lanes) look(ctx context.Context) time.Duration {
	next, after := poll, ""
	for {
		waiting, err := l.db.WaitingLanes(ctx, after, lanesALook)
		if err != nil && ctx.Err() == nil {
			l.log.Error("webhooks: looking for deliveries failed", "error", err)
		}
		for _, w := range waiting {
			if wait := w.Due.Sub(l.db.Now()); wait > 0 {
				next = min(next, wait)
			} else {
				l.nudge(w.Lane)
			}
		}
		if len(waiting) < lanesALook {
			return max(next, soon)
		}
		after = waiting[len(waiting)-1].Endpoint
	}
}

// nudge says that an endpoint may have something due.
func (l *lanes) nudge(of ...store.Lane) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctx == nil || l.ctx.Err() != nil {
		return // whoever runs next looks for itself
	}
	for _, key := range of {
		ln := l.open[key]
		if ln == nil {
			ln = &lane{Lane: key, wake: make(chan struct{}, 1), slots: make(chan struct{}, perEndpoint), few: make(chan struct{}, whileFailing)}
			l.open[key] = ln
			ctx := l.ctx
			l.running.Go(func() { l.work(ctx, ln) })
		}
		ln.nudged = true
		ln.signal()
	}
}

func (ln *lane) signal() {
	select {
	case ln.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// work claims and attempts an endpoint's deliveries until none is due.
func (l *lanes) work(ctx context.Context, ln *lane) {
	size, more := firstClaim, false
	for ctx.Err() == nil {
		if nudged := l.takeNudge(ln); nudged || more {
			more, size = l.turn(ctx, ln, size)
			continue
		}
		if l.closed(ctx, ln) {
			return
		}
		select {
		case <-ctx.Done():
		case <-ln.wake:
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, ln.Lane)
}

// takeNudge tells whether the lane was told of more since it was last asked.
func (l *lanes) takeNudge(ln *lane) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	nudged := ln.nudged
	ln.nudged = false
	return nudged
}

// closed ends a lane that has nothing under way. Where its next delivery is due before anybody looks, it is opened again then.
func (l *lanes) closed(ctx context.Context, ln *lane) bool {
	if ln.pending.Load() > 0 {
		return false
	}
	due, waiting, err := l.db.NextDue(ctx, ln.Lane)
	l.mu.Lock()
	defer l.mu.Unlock()
	if ln.nudged {
		ln.signal()
		return false
	}
	delete(l.open, ln.Lane)
	if wait := due.Sub(l.db.Now()); err == nil && waiting && wait < poll {
		time.AfterFunc(max(wait, soon), func() { l.nudge(ln.Lane) })
	}
	return true
}

// turn takes up to so many deliveries and hands them out. It tells whether there may be more, and how many to take then.
func (l *lanes) turn(ctx context.Context, ln *lane, size int) (more bool, next int) {
	began := time.Now()
	s, err := l.takeSome(ctx, ln, size)
	for _, c := range s.claimed {
		l.handOut(ctx, ln, s, c)
	}
	more = len(s.claimed) > 0 && len(s.claimed) == s.size
	took := time.Since(began)
	switch {
	case err != nil && ctx.Err() == nil:
		l.log.Error("webhooks: taking deliveries failed", "webhook", ln.Endpoint, "error", err)
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

// some is what a lane took in one turn.
type some struct {
	endpoint lost.Endpoint // as it was then
	at       time.Time
	size     int // how many it asked for
	claimed  []store.Claimed
}

// takeSome claims up to so many deliveries, the oldest first. What waits for an endpoint that is off or gone is canceled.
func (l *lanes) takeSome(ctx context.Context, ln *lane, size int) (s some, err error) {
	if !take(ctx, l.claiming) {
		return s, ctx.Err()
	}
	defer func() { <-l.claiming }()
	s.at, s.size = time.Now(), size
	s.endpoint, err = l.db.Endpoint(ctx, ln.Account, ln.Endpoint)
	switch {
	case lost.CodeOf(err) == lost.NotFound || err == nil && !s.endpoint.Enabled:
		return s, l.db.CancelWaiting(ctx, ln.Lane)
	case err != nil:
		return s, err
	case !s.endpoint.FailingSince.IsZero():
		s.size = 2 * whileFailing
	case l.pending.Load() >= claimedInAll:
		s.size = firstClaim
	}
	err = l.db.Write(ctx, func(tx *store.Tx) (err error) {
		s.claimed, err = tx.ClaimDeliveries(ln.Lane, s.size, l.leaseTime())
		return err
	})
	if err != nil {
		s.claimed = nil
	}
	slices.SortFunc(s.claimed, func(a, b store.Claimed) int { return cmp.Compare(a.ID, b.ID) })
	l.pending.Add(int64(len(s.claimed)))
	ln.pending.Add(int64(len(s.claimed)))
	return s, err
}

// take waits for a token, unless the context ends before.
func take(ctx context.Context, tokens chan struct{}) bool {
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

// pause waits a while, or until the context ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
