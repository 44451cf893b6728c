package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"time"
)

// operation is an operation to measure.
type operation struct {
	name string
	bare bool // whether the baseline handler supports it too
	plan func(*site) plan
}

const sampled = 4000 // number of items used by operations on single items

// operations returns the operations in the order in which they are measured. Writes come last.
func operations() []operation {
	query := func(term string) func(*site) plan {
		return func(s *site) plan {
			return plan{Method: http.MethodGet, Targets: []string{s.path() + "?term=" + term}, Status: http.StatusOK}
		}
	}
	return []operation{
		{"get", true, func(s *site) plan {
			return plan{Method: http.MethodGet, Targets: s.sample(sampled, ""), Status: http.StatusOK}
		}},
		{"list", true, func(s *site) plan {
			return plan{Method: http.MethodGet, Targets: []string{s.path()}, Status: http.StatusOK}
		}},
		{"search-rare", false, query(rareTerm)},
		{"search-common", false, query(commonTerm)},
		{"update-status", false, func(s *site) plan {
			return plan{
				Method: http.MethodPut, Targets: s.sample(sampled, "/update-status"), Bodies: moves(),
				Status: http.StatusOK,
			}
		}},
		{"create", true, func(s *site) plan {
			return plan{
				Method: http.MethodPost, Targets: []string{s.path()}, Bodies: newItems(), Status: http.StatusCreated,
			}
		}},
	}
}

func operationNames() []string {
	var names []string
	for _, op := range operations() {
		names = append(names, op.name)
	}
	return names
}

// allNames returns the names of all operations, including webhooks, pages and matching, which are measured
// differently.
func allNames() []string { return append(operationNames(), webhooksName, pagesName, matchName) }

func moves() []string {
	var bodies []string
	for _, s := range statuses() {
		bodies = append(bodies, fmt.Sprintf(`{"status":%q}`, s))
	}
	return bodies
}

// newItems returns request bodies that create items.
func newItems() []string {
	const count = 500
	r := rand.New(rand.NewPCG(5, 6))
	bodies := make([]string, count)
	for n := range bodies {
		p := describe(r, false)
		body := map[string]any{
			"description": p.Description.Value, "color": p.Color.Value, "brand": p.Brand.Value, "model": p.Model.Value,
			"discoveryPlace": p.DiscoveryPlace.Value, "discoveryDate": p.DiscoveryDate.Value,
			"storagePlace": p.StoragePlace.Value,
		}
		if o := p.Owner; o.Sent {
			body["owner"] = map[string]any{
				"firstName": o.Value.FirstName.Value, "lastName": o.Value.LastName.Value, "email": o.Value.Email.Value,
				"phone": o.Value.Phone.Value,
			}
			body["shipping"] = map[string]any{
				"weight": p.Shipping.Value.Weight.Value, "weightUnit": "kg", "boxType": "shoe",
			}
		}
		text, _ := json.Marshal(body) // cannot fail, because all fields can be encoded
		bodies[n] = string(text)
	}
	return bodies
}

// series holds the results for one operation with one number of items, for the service or for the baseline handler.
type series struct {
	engine, op string
	size       int
	bare       bool

	address  string
	client   *driver
	requests int64
	seconds  float64
	times    histogram
	mallocs  uint64
	bytes    uint64
	rates    []float64 // one for each turn
}

const turns = 10 // number of turns in each series

// measure measures an operation in short turns, alternating between all numbers of items and between the service and
// the baseline handler.
func (b *bench) measure(ctx context.Context, op operation, sites []*site) (all []*series, err error) {
	for _, s := range sites {
		client, err := startDriver(ctx, op.plan(s))
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, client.close()) }()
		if op.bare && b.profile == "" {
			all = append(all,
				&series{
					engine: s.engine, op: op.name, size: s.size, bare: true, address: s.bare, client: client,
					times: histogram{},
				})
		}
		all = append(all,
			&series{engine: s.engine, op: op.name, size: s.size, address: s.full, client: client, times: histogram{}})
	}
	turn := time.Duration(b.seconds / turns * float64(time.Second))
	for _, s := range all {
		if _, err := s.drive(turn); err != nil { // warm-up
			return all, err
		}
	}
	for n := range turns {
		for _, s := range all {
			if err := b.turn(s, n, turn); err != nil {
				return all, err
			}
		}
	}
	return all, nil
}

// turn runs one turn of a series and counts the server's allocations.
func (b *bench) turn(s *series, n int, duration time.Duration) error {
	stop, err := b.startProfile(s, n)
	if err != nil {
		return err
	}
	defer stop()
	var before, after runtime.MemStats
	runtime.GC() // garbage from earlier runs must not affect this one
	runtime.ReadMemStats(&before)
	o, err := s.drive(duration)
	if err != nil {
		return err
	}
	runtime.ReadMemStats(&after)
	s.requests += o.Requests
	s.seconds += o.Seconds
	s.times.merge(o.Times)
	s.mallocs += after.Mallocs - before.Mallocs
	s.bytes += after.TotalAlloc - before.TotalAlloc
	s.rates = append(s.rates, float64(o.Requests)/o.Seconds)
	return nil
}

func (s *series) drive(duration time.Duration) (outcome, error) {
	o, err := s.client.drive(slice{Address: s.address, First: s.client.sent, Millis: duration.Milliseconds()})
	s.client.sent += o.Requests
	if err == nil && o.Fault != "" {
		err = errors.New(o.Fault)
	}
	return o, err
}

func (s *series) rate() float64 { return float64(s.requests) / s.seconds }

// against returns the median ratio of this series' rate to that of o, comparing them turn by turn. With the
// median, a single disturbed turn does not affect the result.
func (s *series) against(o *series) float64 {
	var ratios []float64
	for n := range s.rates {
		ratios = append(ratios, s.rates[n]/o.rates[n])
	}
	slices.Sort(ratios)
	return (ratios[(len(ratios)-1)/2] + ratios[len(ratios)/2]) / 2
}

// startProfile starts a CPU profile of the turn if profiling is enabled. Calling stop writes it, and a profile of all
// allocations so far.
func (b *bench) startProfile(s *series, n int) (stop func(), err error) {
	if b.profile == "" {
		return func() {}, nil
	}
	name := filepath.Join(b.profile, fmt.Sprintf("%s-%s-%d-%d", s.engine, s.op, s.size, n))
	cpu, err := os.Create(name + ".cpu")
	if err != nil {
		return nil, err
	}
	return func() {
		pprof.StopCPUProfile()
		_ = cpu.Close()
		if allocs, err := os.Create(name + ".allocs"); err == nil {
			_ = pprof.Lookup("allocs").WriteTo(allocs, 0)
			_ = allocs.Close()
		}
	}, pprof.StartCPUProfile(cpu)
}

// driver is the client process that sends the requests in a plan.
type driver struct {
	*child
	sent int64 // number of requests sent so far
}

func startDriver(ctx context.Context, p plan) (*driver, error) {
	c, err := startChild(ctx, driveCommand)
	if err != nil {
		return nil, err
	}
	return &driver{child: c}, c.enc.Encode(p)
}

func (d *driver) drive(s slice) (o outcome, err error) {
	return o, d.call(s, &o)
}
