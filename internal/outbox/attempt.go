package outbox

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/tracing"
)

const (
	cutOff   = 5 * time.Second        // how long attempts may continue after the service is stopped
	freshFor = 200 * time.Millisecond // how long endpoint data is used before it is read again
)

// outcome is the result of processing a claimed delivery.
type outcome struct {
	store.ClaimedDelivery
	worker   *endpointWorker
	released bool // no attempt was made
	reached  bool // the endpoint accepted the event
}

// startAttempt starts a delivery attempt as soon as a slot is free. If the context ends first, it releases the
// delivery.
func (d *deliverer) startAttempt(ctx context.Context, w *endpointWorker, b batch, c store.ClaimedDelivery) {
	tokens := []chan struct{}{w.slots}
	if !b.endpoint.FailingSince.IsZero() {
		tokens = append(tokens, w.failingSlots)
	}
	// The shared token is taken last, so that no worker holds it while waiting for its endpoint's tokens.
	tokens = append(tokens, d.sending)
	for n, token := range tokens {
		if !takeToken(ctx, token) {
			releaseTokens(tokens[:n])
			d.outcomes <- outcome{ClaimedDelivery: c, worker: w, released: true}
			return
		}
	}
	d.running.Go(func() {
		// Sending the outcome before releasing the tokens limits how many outcomes can be waiting to be recorded.
		d.outcomes <- d.attempt(ctx, w, b, c)
		releaseTokens(tokens)
	})
}

func releaseTokens(tokens []chan struct{}) {
	for _, t := range tokens {
		<-t
	}
}

// attempt makes one delivery attempt if enough of the lease remains and the endpoint is still enabled.
func (d *deliverer) attempt(ctx context.Context, w *endpointWorker, b batch, c store.ClaimedDelivery) outcome {
	o := outcome{ClaimedDelivery: c, worker: w, released: true}
	if time.Until(b.at.Add(d.leaseTime())) < d.timeNeeded() {
		return o
	}
	e := b.endpoint
	if time.Since(b.at) > freshFor {
		current, err := d.db.Endpoint(ctx, w.Account, w.Endpoint)
		if err != nil || !current.Enabled {
			return o // the worker's next turn cancels the delivery
		}
		e = current
	}
	// An attempt in progress may continue for a short time when the service stops.
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(cutOff, cancel) })
	defer stop()
	work, span := tracing.Resume(work, d.tracer, c.Trace, "webhook attempt")
	at := d.db.Now()
	a, delay := d.send(work, e, c)
	if work.Err() != nil && !a.Delivered() {
		span.Fail("cut off")
		span.End(nil)
		return o // an interrupted attempt does not count
	}
	a.At = at
	o.released = false
	o.reached = a.Delivered()
	o.Record(a, delay, d.db.Now())
	d.report(work, span, o, a)
	return o
}

// send makes an attempt and returns its result and the retry schedule. A panic counts as a failed attempt; otherwise
// it would crash the program after every restart.
func (d *deliverer) send(
	ctx context.Context, e lost.Endpoint, c store.ClaimedDelivery,
) (a lost.Attempt, delay func(int) (time.Duration, bool)) {
	defer func() {
		if p := recover(); p != nil {
			d.log.ErrorContext(ctx, "webhooks: delivery attempt panicked; it will be retried", "delivery", c.ID,
				"account", c.Account, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			a = lost.Attempt{Error: "an internal error prevented the attempt"}
			delay = d.hooks.Delay
		}
	}()
	if c.Body == nil {
		never := func(int) (time.Duration, bool) { return 0, false }
		return lost.Attempt{Error: "the event is no longer stored"}, never
	}
	return d.hooks.Send(ctx, e, c.Delivery, c.Body), d.hooks.Delay
}

// report logs, traces and counts one delivery attempt.
func (d *deliverer) report(ctx context.Context, span tracing.Span, o outcome, a lost.Attempt) {
	d.observe(o.State, a.Took)
	if o.reached && d.observeDelivered != nil {
		d.observeDelivered(a.At.Add(a.Took).Sub(o.CreatedAt))
	}
	level, attempt := slog.LevelInfo, o.Failures+1
	if !a.Delivered() {
		level, attempt = slog.LevelWarn, o.Failures
	}
	if d.log.Enabled(ctx, level) {
		fields := []any{
			"account", o.Account, "webhook", o.EndpointID, "delivery", o.ID, "event", o.EventType,
			"attempt", attempt, "status", a.Status, "ms", a.Took.Milliseconds(), "state", o.State,
		}
		if a.Error != "" {
			fields = append(fields, "error", a.Error)
		}
		d.log.Log(ctx, level, "delivery", append(fields, tracing.FromContext(ctx).LogFields()...)...)
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
