package outbox

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// Hooks makes the attempts to deliver events.
type Hooks interface {
	// Send makes one attempt, which takes no longer than Timeout. The delivery is the same on every attempt.
	Send(ctx context.Context, e lost.Endpoint, delivery string, body []byte) lost.Attempt
	Timeout() time.Duration
	// Delay tells how long to wait after so many failed attempts, and whether to try again at all.
	Delay(failures int) (wait time.Duration, again bool)
}

const (
	perEndpoint   = 8    // attempts under way to one endpoint
	whileFailing  = 2    // the same, to one that fails: whatever hangs takes little from the others
	attemptsInAll = 2048 // attempts under way
	claimsAtOnce  = 4    // lanes that take deliveries at the same time: each uses a connection

	firstClaim   = 16 // deliveries that a lane takes at once, more as long as they go out quickly
	mostClaimed  = 256
	claimedInAll = 4096 // from here on every lane takes few: their bodies lie in memory
	quick, slow  = time.Second, 3 * time.Second

	perRecord  = 64  // outcomes that share a transaction, and as many that wait for the next
	lanesALook = 500 // endpoints that are read at once
	soon       = 100 * time.Millisecond
)

// lanes deliver events. Every endpoint that has something due gets a lane of its own, so that none waits for another. A
// lane claims deliveries in turns, makes a few attempts at a time, and is gone when nothing is left to do.
type lanes struct {
	db    *store.DB
	hooks Hooks
	log   *slog.Logger

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
	few     chan struct{} // the same, while the endpoint fails
}

// outcome is what became of a claimed delivery.
type outcome struct {
	store.Claimed
	lane     *lane
	released bool // it was not attempted
	health   health
}

// health is what an attempt says about its endpoint.
type health int

const (
	asBefore health = iota
	recovered
	fails
)

func newLanes(db *store.DB, hooks Hooks, log *slog.Logger) *lanes {
	return &lanes{
		db: db, hooks: hooks, log: log, open: map[store.Lane]*lane{},
		sending: make(chan struct{}, attemptsInAll), claiming: make(chan struct{}, claimsAtOnce),
	}
}

// lease is how long a claimed delivery is left alone: enough for an attempt that begins late, and for its record.
func (l *lanes) lease() time.Duration { return 3 * l.hooks.Timeout() }

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
	var recording sync.WaitGroup
	recording.Go(l.recordAll)
	return func() {
		l.running.Wait()
		l.mu.Lock()
		l.ctx = nil
		l.mu.Unlock()
		l.running.Wait() // for one that was opened meanwhile
		close(l.outcomes)
		recording.Wait()
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

// closed ends a lane that has nothing under way, and has it opened again when its next delivery is due.
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
	if err == nil && waiting {
		time.AfterFunc(max(due.Sub(l.db.Now()), soon), func() { l.nudge(ln.Lane) })
	}
	return true
}

// turn takes up to so many deliveries and hands them out. It tells whether there may be more, and how many to take then.
func (l *lanes) turn(ctx context.Context, ln *lane, size int) (more bool, next int) {
	if l.pending.Load() >= claimedInAll {
		size = firstClaim
	}
	began := time.Now()
	n, err := l.takeSome(ctx, ln, size)
	took := time.Since(began)
	switch {
	case err != nil && ctx.Err() == nil:
		l.log.Error("webhooks: taking deliveries failed", "webhook", ln.Endpoint, "error", err)
		pause(ctx, time.Second)
		return true, firstClaim
	case took > slow:
		return n == size, firstClaim
	case took < quick:
		return n == size, min(2*size, mostClaimed)
	default:
		return n == size, size
	}
}

// takeSome claims up to so many deliveries, hands them out, and tells how many there were.
func (l *lanes) takeSome(ctx context.Context, ln *lane, size int) (int, error) {
	e, err := l.db.Endpoint(ctx, ln.Account, ln.Endpoint)
	if lost.CodeOf(err) == lost.NotFound || err == nil && !e.Enabled {
		return 0, l.db.CancelWaiting(ctx, ln.Lane)
	}
	if err != nil {
		return 0, err
	}
	until := time.Now().Add(l.lease())
	claimed, err := l.claim(ctx, ln.Lane, size)
	if err != nil {
		return 0, err
	}
	l.pending.Add(int64(len(claimed)))
	ln.pending.Add(int64(len(claimed)))
	for _, c := range claimed {
		l.handOut(ctx, ln, e, c, until)
	}
	return len(claimed), nil
}

func (l *lanes) claim(ctx context.Context, of store.Lane, size int) (claimed []store.Claimed, err error) {
	if !take(ctx, l.claiming) {
		return nil, ctx.Err()
	}
	defer func() { <-l.claiming }()
	err = l.db.Write(ctx, func(tx *store.Tx) (err error) {
		claimed, err = tx.ClaimDeliveries(of, size, l.lease())
		return err
	})
	return claimed, err
}

// handOut has a delivery attempted once there is a slot for it, or gives it back.
func (l *lanes) handOut(ctx context.Context, ln *lane, e lost.Endpoint, c store.Claimed, until time.Time) {
	slots := ln.slots
	if !e.FailingSince.IsZero() {
		slots = ln.few
	}
	release := outcome{Claimed: c, lane: ln, released: true}
	if !take(ctx, slots) {
		l.outcomes <- release
		return
	}
	if !take(ctx, l.sending) {
		<-slots
		l.outcomes <- release
		return
	}
	l.running.Go(func() {
		o := release
		if time.Until(until) >= l.timeLeft() {
			o = l.attempt(ctx, ln, e, c)
		}
		l.outcomes <- o // before the next may begin: what is not recorded stays little
		<-l.sending
		<-slots
	})
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

// attempt makes one attempt. What is under way when the service stops has a little time left; one that
// is then cut off counts as not made.
func (l *lanes) attempt(ctx context.Context, ln *lane, e lost.Endpoint, c store.Claimed) outcome {
	o := outcome{Claimed: c, lane: ln}
	if c.Body == nil {
		o.Record(lost.Attempt{At: l.db.Now(), Error: "the event is no longer kept"}, func(int) (time.Duration, bool) { return 0, false }, l.db.Now())
		return o
	}
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(stopTime/4, cancel) })
	defer stop()
	at := l.db.Now()
	a := l.hooks.Send(work, e, c.ID, c.Body)
	if work.Err() != nil && !a.Delivered() {
		o.released = true
		return o
	}
	a.At = at
	o.Record(a, l.hooks.Delay, l.db.Now())
	switch {
	case a.Delivered() && !e.FailingSince.IsZero():
		o.health = recovered
	case !a.Delivered() && e.FailingSince.IsZero():
		o.health = fails
	}
	level := slog.LevelDebug
	if o.State == lost.DeliveryFailed {
		level = slog.LevelWarn
	}
	l.log.Log(ctx, level, "delivery", "account", c.Account, "webhook", c.EndpointID, "delivery", c.ID, "event", c.EventType,
		"status", a.Status, "ms", a.Took.Milliseconds(), "state", o.State, "error", a.Error)
	return o
}

// recordAll keeps outcomes as they come. Those that come while a transaction commits share the next one.
func (l *lanes) recordAll() {
	for o := range l.outcomes {
		some := []outcome{o}
		for more := true; more && len(some) < perRecord; {
			select {
			case o, more = <-l.outcomes:
				if more {
					some = append(some, o)
				}
			default:
				more = false
			}
		}
		l.record(some)
		l.pending.Add(-int64(len(some)))
		for _, o := range some {
			if o.lane.pending.Add(-1) == 0 {
				o.lane.signal()
			}
		}
	}
}

// record keeps outcomes in one transaction. While the database is away it tries again, as long as the leases last; what
// cannot be kept by then will be attempted again.
func (l *lanes) record(some []outcome) {
	slices.SortFunc(some, func(a, b outcome) int { return strings.Compare(a.ID, b.ID) }) // two copies lock in one order
	ctx, cancel := context.WithTimeout(context.Background(), l.hooks.Timeout())
	defer cancel()
	for ctx.Err() == nil {
		err := l.db.Write(ctx, func(tx *store.Tx) error { return save(tx, some) })
		if err == nil {
			return
		}
		l.log.Error("webhooks: recording attempts failed", "deliveries", len(some), "error", err)
		pause(ctx, soon)
	}
}

func save(tx *store.Tx, some []outcome) error {
	told := map[store.Lane]health{}
	for _, o := range some {
		if o.health != asBefore && told[o.lane.Lane] != recovered { // one success ends a row of failures
			told[o.lane.Lane] = o.health
		}
		keep := tx.SaveClaimed
		if o.released {
			keep = tx.ReleaseClaimed
		}
		if err := keep(o.Claimed); err != nil {
			return err
		}
	}
	for of, h := range told {
		if err := tx.NoteHealth(of.Account, of.Endpoint, h == fails); err != nil {
			return err
		}
	}
	return nil
}

// pause waits a while, or until the context ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
