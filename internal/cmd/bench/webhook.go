package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	v1 "homeward/internal/v1"
	"homeward/internal/webhook"
)

// webhooksName is the name of the operation that measures webhook delivery.
const webhooksName = "webhooks"

const (
	manyEndpoints = 100
	steadyRate    = 50 // changes per second
	steadyWarm    = time.Second
	backlogPiece  = 500 // events per transaction

	arrivalTimeout  = 3 * time.Minute // how long to wait for deliveries to arrive
	responseTimeout = 10 * time.Second
	webhookTime     = 30 * time.Minute // how long one database may take, including loading
)

// deliveryResult holds the results for one case.
type deliveryResult struct {
	engine, name string
	finished     int // deliveries that were already finished before
	deliveries   int
	duplicates   int
	began        time.Time
	recorded     time.Time // when the service had recorded all deliveries
	seconds      float64   // seconds until the last delivery arrived
	times        histogram
	target       string
	met          bool // whether the target was met
}

func (d *deliveryResult) rate() float64 { return float64(d.deliveries) / d.seconds }

// recordRate returns the number of deliveries per second until all outcomes are recorded. Once recorded, a delivery
// is not repeated.
func (d *deliveryResult) recordRate() float64 {
	return float64(d.deliveries) / d.recorded.Sub(d.began).Seconds()
}

// target is one endpoint in one account.
type target struct{ account, endpoint string }

// webhookSite is a database with endpoints, and the receiver of their webhooks. The service is restarted for each
// case.
type webhookSite struct {
	*site
	bench    *bench
	data     string
	db       *store.DB
	receiver *receiverProcess
	wire     v1.Encoder
	finished int

	one, many []target // endpoints for bursts; each has its own account, so that each event is one delivery
	own       []target // endpoints in the account that has the API key and the items
	steadyAt  string
	steady    []string // the IDs of items in the location steadyAt, one for each change
}

// webhooks measures webhook delivery on one database.
func (b *bench) webhooks(ctx context.Context, engine string) (all []*deliveryResult, err error) {
	ctx, cancel := context.WithTimeout(ctx, webhookTime)
	defer cancel()
	h, err := b.openHooks(ctx, engine)
	defer func() { err = errors.Join(err, h.close()) }()
	if err != nil {
		return nil, err
	}
	for _, measure := range []func(context.Context) ([]*deliveryResult, error){
		func(ctx context.Context) ([]*deliveryResult, error) { return h.measureBurst(ctx, h.one) },
		func(ctx context.Context) ([]*deliveryResult, error) { return h.measureBurst(ctx, h.many) },
		h.measureFlood,
		h.measureSteady,
	} {
		measured, err := measure(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, measured...)
	}
	return all, nil
}

// openHooks starts a receiver, and creates a database with accounts, endpoints, items and finished deliveries, but no
// pending events. The caller must close the returned webhookSite even if there is an error.
func (b *bench) openHooks(ctx context.Context, engine string) (*webhookSite, error) {
	h := &webhookSite{
		site: &site{engine: engine}, bench: b, data: filepath.Join(b.folder, engine+"-webhooks"),
		wire: v1.Encoder{Base: "https://lost.example.com"},
	}
	h.setting = filepath.Join(h.data, "homeward.db")
	if engine == "postgres" {
		if err := h.makeDatabase(ctx); err != nil {
			return h, err
		}
	}
	program, err := h.service(ctx, h.data)
	if err != nil {
		return h, err
	}
	if err := h.start(ctx, program)(); err != nil { // creates the tables, the account and its API key
		return h, err
	}
	if h.receiver, err = startReceiver(ctx, manyEndpoints); err != nil {
		return h, err
	}
	h.onClose(h.receiver.close)
	if h.db, err = store.Open(ctx, h.setting, time.Now); err != nil {
		return h, err
	}
	h.onClose(func() error { h.db.Close(); return nil })
	if err := h.db.UseSecret([]byte(serviceSecret)); err != nil {
		return h, err
	}
	if err := h.populate(ctx); err != nil {
		return h, err
	}
	b.logf("%s: loading %d finished deliveries", engine, b.finished)
	return h, h.addSettled(ctx, b.finished)
}

// populate creates accounts, endpoints and items.
func (h *webhookSite) populate(ctx context.Context) error {
	key, err := h.db.KeyByHash(ctx, store.DirectoryHash(apiKey))
	if err != nil {
		return err
	}
	h.account = key.Account
	err = h.db.Write(ctx, func(tx *store.Tx) (err error) {
		h.one, h.many, h.own = nil, nil, nil // reset them, because the transaction may be retried
		t, err := h.register(tx, "", 0)
		h.one = append(h.one, t)
		for n := 0; n < manyEndpoints && err == nil; n++ {
			t, err = h.register(tx, "", n)
			h.many = append(h.many, t)
		}
		if err == nil {
			t, err = h.register(tx, h.account, 0)
			h.own = append(h.own, t)
		}
		return err
	})
	if err != nil {
		return err
	}
	l := &loader{db: h.db, actor: key.Actor(), r: rand.New(rand.NewPCG(1, 2)), references: map[string]bool{}}
	if h.steadyAt, h.steady, err = l.location(ctx, "Steady", h.bench.changes()); err != nil {
		return err
	}
	h.location, h.items, err = l.location(ctx, "Adler", sampled)
	return err
}

// register adds an endpoint at one of the receiver's addresses. If account is empty, it creates a new account for it.
func (h *webhookSite) register(tx *store.Tx, account string, address int) (target, error) {
	if account == "" {
		a, err := lost.NewAccount("Bench", tx.Now())
		if err != nil {
			return target{}, err
		}
		if err := tx.InsertAccount(a); err != nil {
			return target{}, err
		}
		account = a.ID
	}
	e, err := lost.NewEndpoint(account,
		lost.EndpointPatch{URL: lost.Set("http://" + h.receiver.addresses[address] + "/hooks/homeward")}, tx.Now())
	if err != nil {
		return target{}, err
	}
	e.Secret = webhook.NewSecret()
	return target{account, e.ID}, tx.InsertEndpoint(e)
}

// runCase runs a case, and profiles it if profiling is enabled.
func (h *webhookSite) runCase(name string, run func() error) error {
	runtime.GC() // garbage from earlier cases must not affect this one
	stop, err := h.bench.startProfile(&series{engine: h.engine, op: operation{name: name}, size: h.finished}, 0)
	if err != nil {
		return err
	}
	defer stop()
	return run()
}

// await waits until all deliveries in a case have arrived and been recorded.
func (h *webhookSite) await(ctx context.Context, d *deliveryResult) error {
	if err := h.receiver.await(d.deliveries); err != nil {
		return err
	}
	poll := time.NewTicker(50 * time.Millisecond) // a long interval, because each query puts load on the database
	defer poll.Stop()
	for end := time.Now().Add(arrivalTimeout); time.Now().Before(end); <-poll.C {
		waiting, err := h.db.PendingQueues(ctx, "", 1)
		if err != nil {
			return err
		}
		d.recorded = time.Now()
		if len(waiting) == 0 {
			return nil
		}
	}
	return fmt.Errorf("received deliveries were not recorded within %s", arrivalTimeout)
}

// summarize computes the results of a case from the receipts, after the service has stopped. since returns the time
// from which a delivery is measured.
func (h *webhookSite) summarize(ctx context.Context, d *deliveryResult, since func(context.Context,
	receipt) (time.Time, error)) error {
	receipts, duplicates, err := h.receiver.take(d.deliveries)
	if err != nil {
		return err
	}
	d.duplicates, d.times = duplicates, histogram{}
	for _, r := range receipts {
		from, err := since(ctx, r)
		if err != nil {
			return err
		}
		if !from.IsZero() {
			d.times.add(max(0, r.at().Sub(from)))
		}
		d.seconds = max(d.seconds, r.at().Sub(d.began).Seconds())
	}
	return nil
}
