package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// instancesName is the name of the operation that compares reading from one instance of the service with reading from
// several. It is measured only on request, because it needs many cores.
const instancesName = "copies"

// instanceCommand is the command that runs one instance of the service in a separate process.
const instanceCommand = "copy"

const (
	manyInstances = 3
	minGain       = 1.8 // the minimum ratio of the read rate of three instances to that of one
	// Two cores for each instance, the database and the client. With fewer cores, they slow each other down.
	coresForInstances = 2*manyInstances + 4
)

// instanceResult holds the read rates measured with a number of instances.
type instanceResult struct {
	op        string
	instances int
	rates     []float64 // one for each turn
}

// instanceStart is the first message sent to an instance.
type instanceStart struct{ Database, Data string }

// serveInstance runs an instance of the service until its standard input is closed.
func serveInstance(ctx context.Context, in io.Reader, out io.Writer) (err error) {
	dec := json.NewDecoder(in)
	var start instanceStart
	if err := dec.Decode(&start); err != nil {
		return err
	}
	s := &site{engine: "postgres", setting: start.Database}
	defer func() { err = errors.Join(err, s.close()) }()
	program, err := s.service(ctx, start.Data)
	if err != nil {
		return err
	}
	s.start(ctx, program)
	if err := json.NewEncoder(out).Encode(strings.TrimPrefix(program.URL(), "http://")); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, in)
	return err
}

// instances compares reading from three instances with reading from one, on the same PostgreSQL server.
func (b *bench) instances(ctx context.Context) (all []*instanceResult, err error) {
	s := &site{engine: "postgres", size: slices.Max(b.sizes)}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := s.makeDatabase(ctx); err != nil {
		return nil, err
	}
	program, err := s.service(ctx, filepath.Join(b.folder, instancesName))
	if err != nil {
		return nil, err
	}
	b.logf("%s: loading %d items", instancesName, s.size)
	loaded := s.load(ctx)
	// This instance creates the first key and is not measured.
	if err := errors.Join(loaded, s.start(ctx, program)()); err != nil {
		return nil, err
	}
	addresses, err := b.startInstances(ctx, s)
	if err != nil {
		return nil, err
	}
	for _, op := range operations() {
		if op.name != "get" && op.name != "list" {
			continue
		}
		b.logf("%s: %s", instancesName, op.name)
		one, many, err := b.compareInstances(ctx, op, s, addresses)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", op.name, err)
		}
		all = append(all, one, many)
	}
	return all, nil
}

// startInstances starts the instances and returns their addresses. The instances stop when s is closed.
func (b *bench) startInstances(ctx context.Context, s *site) (addresses []string, err error) {
	for n := range manyInstances {
		c, err := startChild(ctx, instanceCommand)
		if err != nil {
			return nil, err
		}
		s.onClose(c.close)
		var address string
		start := instanceStart{Database: s.setting, Data: filepath.Join(b.folder, fmt.Sprintf("instance-%d", n))}
		if err := c.call(start, &address); err != nil {
			return nil, fmt.Errorf("instance %d did not start: %w", n+1, err)
		}
		addresses = append(addresses, address)
	}
	return addresses, nil
}

// compareInstances alternately sends requests to one instance and to all of them. While one instance is measured, the
// others are idle.
func (b *bench) compareInstances(ctx context.Context, op operation, s *site,
	addresses []string) (one, many *instanceResult, err error) {
	p, err := op.plan(s)
	if err != nil {
		return nil, nil, err
	}
	client, err := startDriver(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, client.close()) }()
	one, many = &instanceResult{op: op.name, instances: 1}, &instanceResult{op: op.name, instances: len(addresses)}
	turn := time.Duration(b.seconds / turns * float64(time.Second))
	for n := range turns + 1 {
		for _, c := range []*instanceResult{one, many} {
			o, err := client.drive(slice{
				Address: strings.Join(addresses[:c.instances], ","), First: client.sent, Millis: turn.Milliseconds(),
				Clients: connections,
			})
			client.sent += o.Requests
			if err == nil && o.Fault != "" {
				err = errors.New(o.Fault)
			}
			if err != nil {
				return nil, nil, err
			}
			if n > 0 { // the first turn is a warm-up
				c.rates = append(c.rates, float64(o.Requests)/o.Seconds)
			}
		}
	}
	return one, many, nil
}

func (c *instanceResult) rate() float64 { return median(c.rates) }

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// gain returns the median ratio, over all turns, of this read rate to that of one instance.
func (c *instanceResult) gain(one *instanceResult) float64 {
	var ratios []float64
	for n := range c.rates {
		ratios = append(ratios, c.rates[n]/one.rates[n])
	}
	return median(ratios)
}

// reportInstances prints the results. For each operation, all contains the result for one instance and then that for
// several.
func reportInstances(printf func(string, ...any), all []*instanceResult) {
	printf("%d cores for the instances, PostgreSQL and the client. Target: at least %.1f times as many reads "+
		"per second as one instance, with %d instances and at least %d cores.\n",
		runtime.NumCPU(), minGain, manyInstances, coresForInstances)
	printf("\n| operation | instances | requests/s | relative to one | |\n|---|--:|--:|--:|---|\n")
	for n, c := range all {
		if c.instances == 1 {
			printf("| %s | 1 | %.0f | 1.00 | |\n", c.op, c.rate())
			continue
		}
		gain := c.gain(all[n-1])
		printf("| %s | %d | %.0f | %.2f | %s |\n", c.op, c.instances, c.rate(), gain,
			judgeInstances(gain, runtime.NumCPU()))
	}
}

// judgeInstances returns whether the gain meets the target, or that there are too few cores to judge.
func judgeInstances(gain float64, cores int) string {
	if cores < coresForInstances {
		return "too few cores to judge"
	}
	return verdict(gain >= minGain)
}
