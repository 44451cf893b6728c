package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"homeward/internal/app"
)

// changes returns the number of changes in the steady stream, including the warm-up.
func (b *bench) changes() int {
	return int((b.steady + steadyWarm.Seconds()) * steadyRate)
}

// change is one change in the steady stream.
type change struct {
	sent, responded time.Time
	counted         bool // false during the warm-up
}

// measureSteady changes items at a constant rate, each item once. Times are measured from the response, which follows
// the commit; an event that arrives earlier counts as 0. They are also measured from sending the request, which
// precedes the commit. The real time is between the two.
func (h *webhookSite) measureSteady(ctx context.Context) ([]*deliveryResult, error) {
	d := &deliveryResult{
		engine: h.engine, name: fmt.Sprintf("steady %d/s, from the response", steadyRate),
		finished: h.finished, deliveries: len(h.steady),
	}
	h.bench.logf("%s: webhooks, %s", h.engine, d.name)
	program, err := h.service(ctx, h.data)
	if err != nil {
		return nil, err
	}
	var changes map[string]change
	err = h.runCase("webhooks-steady", func() error {
		d.began = time.Now()
		stop := h.start(ctx, program)
		changes, err = h.changeAll(ctx, program)
		if err == nil {
			err = h.await(ctx, d)
		}
		return errors.Join(err, stop())
	})
	if err != nil {
		return nil, err
	}
	fromSent := histogram{}
	err = h.summarize(ctx, d, func(ctx context.Context, r receipt) (time.Time, error) {
		c, err := h.changeOf(ctx, changes, r)
		if err != nil || !c.counted {
			return time.Time{}, err
		}
		fromSent.add(r.at().Sub(c.sent))
		return c.responded, nil
	})
	d.target = fmt.Sprintf("p50 < %d, p99 < %d ms", maxSteadyP50.Milliseconds(), maxSteadyP99.Milliseconds())
	d.met = d.times.at(0.5) < maxSteadyP50 && d.times.at(0.99) < maxSteadyP99
	fromRequest := *d
	fromRequest.name, fromRequest.times, fromRequest.target = fmt.Sprintf("steady %d/s, from the request", steadyRate),
		fromSent, ""
	return []*deliveryResult{d, &fromRequest}, err
}

// changeAll changes the status of each item for the steady stream, at a constant rate. It does not wait for the
// response to the previous change.
func (h *webhookSite) changeAll(ctx context.Context, service *app.App) (map[string]change, error) {
	client := &program{url: service.URL()}
	changes, errs := make([]change, len(h.steady)), make([]error, len(h.steady))
	moves := announcedMoves()
	pace := time.NewTicker(time.Second / steadyRate)
	defer pace.Stop()
	var running sync.WaitGroup
	for n, id := range h.steady {
		<-pace.C
		running.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, responseTimeout)
			defer cancel()
			path := client.url + "/v1/locations/" + h.steadyAt + "/items/" + id + "/update-status"
			c := change{sent: time.Now(), counted: n >= int(steadyWarm.Seconds()*steadyRate)}
			errs[n] = client.call(ctx, http.MethodPut, path, "application/json",
				strings.NewReader(moves[n%len(moves)]), nil)
			c.responded = time.Now()
			changes[n] = c
		})
	}
	running.Wait()
	byItem := map[string]change{}
	for n, id := range h.steady {
		byItem[id] = changes[n]
	}
	return byItem, errors.Join(errs...)
}

// changeOf returns the change that caused a delivery.
func (h *webhookSite) changeOf(ctx context.Context, changes map[string]change, r receipt) (change, error) {
	delivery, err := h.db.Delivery(ctx, h.account, r.ID)
	if err != nil {
		return change{}, err
	}
	event, err := h.db.Event(ctx, h.account, delivery.EventID)
	c, known := changes[event.ItemID]
	if err == nil && !known {
		err = errors.New("a delivery belongs to an item that was not changed")
	}
	return c, err
}
