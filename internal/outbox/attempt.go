package outbox

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/tracing"
)

const (
	cutOff = 5 * time.Second        // how long attempts may go on when the service stops
	fresh  = 200 * time.Millisecond // how long an endpoint is taken to be as it was read
)

// outcome is what became of a claimed delivery.
type outcome struct {
	store.Claimed
	lane     *lane
	released bool // it was not attempted
	reached  bool // the endpoint took it
}

// handOut has a delivery attempted once there is a slot for it, or gives it back.
func (l *lanes) handOut(ctx context.Context, ln *lane, s some, c store.Claimed) {
	tokens := []chan struct{}{ln.slots}
	if !s.endpoint.FailingSince.IsZero() {
		tokens = append(tokens, ln.few)
	}
	tokens = append(tokens, l.sending) // last: nobody holds what all share while waiting for what is its own
	for n, wanted := range tokens {
		if !take(ctx, wanted) {
			giveBack(tokens[:n])
			l.outcomes <- outcome{Claimed: c, lane: ln, released: true}
			return
		}
	}
	l.running.Go(func() {
		l.outcomes <- l.perform(ctx, ln, s, c) // before the next may begin: what is not recorded stays little
		giveBack(tokens)
	})
}

func giveBack(tokens []chan struct{}) {
	for _, t := range tokens {
		<-t
	}
}

// perform makes one attempt, if the lease leaves time for it and the endpoint is still on.
func (l *lanes) perform(ctx context.Context, ln *lane, s some, c store.Claimed) outcome {
	o := outcome{Claimed: c, lane: ln, released: true}
	if time.Until(s.at.Add(l.leaseTime())) < l.timeLeft() {
		return o
	}
	e := s.endpoint
	if time.Since(s.at) > fresh {
		now, err := l.db.Endpoint(ctx, ln.Account, ln.Endpoint)
		if err != nil || !now.Enabled {
			return o // the lane's next turn settles it
		}
		e = now
	}
	// What is under way when the service stops has a little time left.
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(cutOff, cancel) })
	defer stop()
	work, span := tracing.Resume(work, l.tracer, c.Trail, "webhook attempt")
	at := l.db.Now()
	a, delay := l.send(work, e, c)
	if work.Err() != nil && !a.Delivered() {
		span.Fail("cut off")
		span.End(nil)
		return o // cut off, and so not made
	}
	a.At = at
	o.released, o.reached = false, a.Delivered()
	o.Record(a, delay, l.db.Now())
	l.tell(work, span, o, a)
	return o
}

// send makes an attempt, and tells by which schedule the next follows. A panic is a failed attempt: left alone it would end the
// program, and after the restart again.
func (l *lanes) send(ctx context.Context, e lost.Endpoint, c store.Claimed) (a lost.Attempt, delay func(int) (time.Duration, bool)) {
	defer func() {
		if p := recover(); p != nil {
			l.log.Error("webhooks: an attempt failed in the service itself", "delivery", c.ID, "error", fmt.Sprint(p))
			a, delay = lost.Attempt{Error: "the service could not make the attempt"}, l.hooks.Delay
		}
	}()
	if c.Body == nil {
		return lost.Attempt{Error: "the event is no longer kept"}, func(int) (time.Duration, bool) { return 0, false }
	}
	return l.hooks.Send(ctx, e, c.Delivery, c.Body), l.hooks.Delay
}

// tell says what came of an attempt: one line of log, a span and numbers.
func (l *lanes) tell(ctx context.Context, span tracing.Span, o outcome, a lost.Attempt) {
	l.observe(o.State, a.Took)
	if o.reached && l.arrived != nil {
		l.arrived(a.At.Add(a.Took).Sub(o.CreatedAt))
	}
	level := slog.LevelInfo
	if o.State == lost.DeliveryFailed {
		level = slog.LevelWarn
	}
	if l.log.Enabled(ctx, level) {
		fields := []any{"account", o.Account, "webhook", o.EndpointID, "delivery", o.ID, "event", o.EventType, "status", a.Status, "ms", a.Took.Milliseconds(), "state", o.State}
		if a.Error != "" {
			fields = append(fields, "error", a.Error)
		}
		l.log.Log(ctx, level, "delivery", append(fields, tracing.Of(ctx).Fields()...)...)
	}
	span.Set("homeward.account", o.Account)
	span.Set("homeward.webhook", o.EndpointID)
	span.Set("homeward.delivery", o.ID)
	span.Set("homeward.event", string(o.EventType))
	span.Set("homeward.state", string(o.State))
	span.Set("http.response.status_code", a.Status)
	if !a.Delivered() {
		span.Fail("not delivered")
	}
	span.End(nil)
}
