package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// measureBurst stores a backlog of undelivered events, starts the service and waits until all deliveries have arrived.
// Times are measured from when the service starts.
func (h *webhookSite) measureBurst(ctx context.Context, to []target) ([]*deliveryResult, error) {
	d := &deliveryResult{
		engine: h.engine, name: fmt.Sprintf("burst, %d endpoints, from the start of the service", len(to)),
		finished: h.finished, deliveries: h.bench.burst,
	}
	if len(to) == 1 {
		d.name = "burst, 1 endpoint, from the start of the service"
	}
	h.bench.logf("%s: webhooks, %s", h.engine, d.name)
	program, err := h.service(ctx, h.data)
	if err != nil {
		return nil, err
	}
	if err := h.addBacklog(ctx, to, d.deliveries); err != nil {
		return nil, err
	}
	err = h.runCase(fmt.Sprintf("webhooks-burst-%d", len(to)), func() error {
		d.began = time.Now()
		stop := h.start(ctx, program)
		return errors.Join(h.await(ctx, d), stop())
	})
	if err != nil {
		return nil, err
	}
	if err := h.summarize(ctx, d, func(context.Context, receipt) (time.Time, error) {
		return d.began, nil
	}); err != nil {
		return nil, err
	}
	minRate := minBurst(h.engine)
	d.target, d.met = fmt.Sprintf("at least %d/s", minRate), d.rate() >= float64(minRate)
	return []*deliveryResult{d}, nil
}

// addBacklog stores events that are waiting for delivery, distributed evenly among the accounts.
func (h *webhookSite) addBacklog(ctx context.Context, to []target, events int) error {
	r := rand.New(rand.NewPCG(9, 10))
	size := 0
	for from := 0; from < events; from += backlogPiece {
		err := h.db.Write(ctx, func(tx *store.Tx) error {
			for n := from; n < min(events, from+backlogPiece); n++ {
				e, err := h.event(r, to[n%len(to)].account, tx.Now())
				if err != nil {
					return err
				}
				size += len(e.Body)
				if err := tx.AddEvent(e); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	h.bench.logf("%s: %d events are pending, with %d bytes on average", h.engine, events, size/events)
	return nil
}

// event returns an event about an item that will be picked up.
func (h *webhookSite) event(r *rand.Rand, account string, now time.Time) (e lost.Event, err error) {
	found := now.Add(-72 * time.Hour)
	i, err := lost.NewItem(account, lost.NewID(lost.LocationID, found), describe(r, false), found)
	if err != nil {
		return e, err
	}
	i.Status, i.UpdatedAt, i.Pickup = lost.PickUp, now, lost.Pickup{Date: "2026-11-20", Time: "14:30"}
	i.ImageURL = "https://pictures.example.com/2026/" + i.ID + ".jpg"
	i.Notes = "Handed in at the front desk by housekeeping; the guest was notified by phone."
	e = lost.NewEvent(lost.PickupEvent, i, now)
	e.Body, err = h.wire.EventBody(e, i)
	return e, err
}

// measureFlood makes many clients change items as fast as they can while the service delivers the events. Times are
// measured from the transaction that added the delivery.
func (h *webhookSite) measureFlood(ctx context.Context) ([]*deliveryResult, error) {
	d := &deliveryResult{
		engine:   h.engine,
		name:     fmt.Sprintf("%d clients calling update-status, from the transaction", connections),
		finished: h.finished,
	}
	h.bench.logf("%s: webhooks, %s", h.engine, d.name)
	program, err := h.service(ctx, h.data)
	if err != nil {
		return nil, err
	}
	client, err := startDriver(ctx,
		plan{
			Kinds: []requestKind{{
				Method: http.MethodPut, Targets: h.sample(sampled, "/update-status"), Bodies: texts(announcedMoves()),
				Type: jsonBody, Status: http.StatusOK,
			}},
			Order: []int{0},
		})
	if err != nil {
		return nil, err
	}
	err = h.runCase("webhooks-flood", func() error {
		d.began = time.Now()
		stop := h.start(ctx, program)
		s := &series{
			op: operation{clients: connections}, address: strings.TrimPrefix(program.URL(), "http://"), client: client,
		}
		o, err := s.drive(time.Duration(h.bench.seconds * float64(time.Second)))
		d.deliveries = int(o.Requests) // each request sets a new status, which adds one delivery
		if err == nil {
			err = h.await(ctx, d)
		}
		return errors.Join(err, stop())
	})
	if err = errors.Join(err, client.close()); err != nil {
		return nil, err
	}
	return []*deliveryResult{d}, h.summarize(ctx, d, func(ctx context.Context, r receipt) (time.Time, error) {
		delivery, err := h.db.Delivery(ctx, h.account, r.ID)
		return delivery.CreatedAt, err
	})
}

// announcedMoves returns request bodies that set each status for which there is an event.
func announcedMoves() []string {
	var bodies []string
	for _, s := range []lost.Status{lost.PickUp, lost.Donate, lost.Discard} {
		bodies = append(bodies, fmt.Sprintf(`{"status":%q}`, s))
	}
	return bodies
}
