package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"
	"time"
)

// series holds the results for one operation with one number of items, for the service or for the baseline handler.
type series struct {
	engine string
	op     operation
	size   int
	bare   bool

	address  string
	site     *site
	client   *driver
	requests int64
	seconds  float64
	times    histogram
	mallocs  uint64
	bytes    uint64
	cpu      time.Duration // processor time during the turns
	queue    time.Duration // processor time after the turns, until all jobs were finished
	rates    []float64     // one for each turn
}

const turns = 10 // number of turns in each series

// measure measures an operation in short turns, alternating between all numbers of items and between the service and
// the baseline handler.
func (b *bench) measure(ctx context.Context, op operation, sites []*site) (all []*series, err error) {
	if op.once {
		sites = sites[:1]
	}
	for _, s := range sites {
		p, err := op.plan(s)
		if err != nil {
			return nil, err
		}
		client, err := startDriver(ctx, p)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, client.close()) }()
		one := series{engine: s.engine, op: op, size: s.size, site: s, client: client}
		if b.profile == "" {
			bare := one
			bare.bare, bare.address, bare.times = true, s.bare, histogram{}
			if op.compared != nil {
				if bare.client, err = startCompared(ctx, op, s); err != nil {
					return nil, err
				}
				defer func() { err = errors.Join(err, bare.client.close()) }()
				bare.address = s.full
			}
			all = append(all, &bare)
		}
		one.address, one.times = s.full, histogram{}
		all = append(all, &one)
	}
	turn := time.Duration(b.seconds / turns * float64(time.Second))
	for _, s := range all {
		if err := s.warmUp(ctx, turn); err != nil {
			return all, err
		}
	}
	for n := range turns {
		for _, s := range all {
			if err := b.turn(ctx, s, n, turn); err != nil {
				return all, err
			}
		}
	}
	return all, nil
}

// startCompared starts the driver for the requests that an operation is compared with.
func startCompared(ctx context.Context, op operation, s *site) (*driver, error) {
	p, err := op.compared(s)
	if err != nil {
		return nil, err
	}
	return startDriver(ctx, p)
}

func (s *series) warmUp(ctx context.Context, duration time.Duration) error {
	if _, err := s.drive(duration); err != nil {
		return err
	}
	return s.finishJobs(ctx)
}

// turn runs one turn of a series and counts the server's allocations and processor time.
func (b *bench) turn(ctx context.Context, s *series, n int, duration time.Duration) error {
	stop, err := b.startProfile(s, n)
	if err != nil {
		return err
	}
	defer stop()
	before, err := s.usage(true)
	if err != nil {
		return err
	}
	o, err := s.drive(duration)
	if err != nil {
		return err
	}
	after, err := s.usage(false)
	if err != nil {
		return err
	}
	s.requests += o.Requests
	s.seconds += o.Seconds
	s.times.merge(o.Times)
	s.mallocs += after.Mallocs - before.Mallocs
	s.bytes += after.Bytes - before.Bytes
	s.cpu += after.CPU - before.CPU
	s.rates = append(s.rates, float64(o.Requests)/o.Seconds)
	end := processorTime()
	if err := s.finishJobs(ctx); err != nil {
		return err
	}
	s.queue += processorTime() - end
	return nil
}

// usage returns what the server has used: this process, or that of the baseline handler.
func (s *series) usage(collect bool) (u usage, err error) {
	if s.bare && s.op.compared == nil {
		err = s.site.bareProcess.call(collect, &u)
		return u, err
	}
	return measureUsage(collect), nil
}

const (
	maxQueueTime = 5 * time.Minute
	queuePause   = 20 * time.Millisecond
)

// finishJobs waits until the service has finished the jobs that the requests have added. Otherwise they would slow down
// the baseline handler's turn.
func (s *series) finishJobs(ctx context.Context) error {
	if s.bare || !s.op.writes {
		return nil
	}
	return s.site.finishJobs(ctx, maxQueueTime)
}

// finishJobs waits until the service has no jobs to do and no items to check.
func (s *site) finishJobs(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the jobs were not finished within %s", limit))
	defer cancel()
	for {
		waiting := ""
		err := s.queries.run(ctx, bareJobs, func(row [][]byte) { waiting = string(row[0]) }, time.Now().UnixMicro())
		if err != nil || waiting == "" {
			return err
		}
		select {
		case <-time.After(queuePause):
		case <-ctx.Done():
			return fmt.Errorf("waiting for jobs such as %s: %w", waiting, context.Cause(ctx))
		}
	}
}

func (s *series) drive(duration time.Duration) (outcome, error) {
	o, err := s.client.drive(slice{
		Address: s.address, First: s.client.sent, Millis: duration.Milliseconds(), Clients: s.op.clients,
	})
	s.client.sent += o.Requests
	if err == nil && o.Fault != "" {
		err = errors.New(o.Fault)
	}
	return o, err
}

// cpuPerRequest returns the processor time for each request, with the jobs that it adds.
func (s *series) cpuPerRequest() float64 { return float64(s.cpu+s.queue) / float64(max(1, s.requests)) }

func (s *series) rate() float64 { return float64(s.requests) / s.seconds }

// against returns the median ratio of this series' rate to that of o, comparing them turn by turn. With the
// median, a single disturbed turn does not affect the result.
func (s *series) against(o *series) float64 {
	var ratios []float64
	for n := range s.rates {
		ratios = append(ratios, s.rates[n]/o.rates[n])
	}
	return median(ratios)
}

// startProfile starts a CPU profile of the turn if profiling is enabled. Calling stop writes it, and a profile of all
// allocations so far.
func (b *bench) startProfile(s *series, n int) (stop func(), err error) {
	if b.profile == "" {
		return func() {}, nil
	}
	name := filepath.Join(b.profile, fmt.Sprintf("%s-%s-%d-%d", s.engine, s.op.name, s.size, n))
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
