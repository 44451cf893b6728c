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

// copiesName is the operation of reading from several copies of the service. It is measured only on
// request, because it needs many cores.
const copiesName = "copies"

// copyCommand runs one copy of the service in a process of its own, as on a machine of its own.
const copyCommand = "copy"

const (
	manyCopies = 3
	minGain    = 1.8 // of three copies, compared with one
	// Each copy needs two cores, and the database and the client as many as one: with fewer, the
	// copies compete for them.
	coresForCopies = 2*manyCopies + 4
)

// copyResult holds the reads of so many copies.
type copyResult struct {
	op     string
	copies int
	rates  []float64 // of each turn
}

// copyStart is the first message to a copy.
type copyStart struct{ Database, Data string }

// serveCopy runs a copy of the service until its standard input ends.
func serveCopy(ctx context.Context, in io.Reader, out io.Writer) (err error) {
	dec := json.NewDecoder(in)
	var of copyStart
	if err := dec.Decode(&of); err != nil {
		return err
	}
	s := &site{engine: "postgres", setting: of.Database}
	defer func() { err = errors.Join(err, s.close()) }()
	program, err := s.service(ctx, of.Data)
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

// copies measures how much more three copies read than one, on one PostgreSQL.
func (b *bench) copies(ctx context.Context) (all []*copyResult, err error) {
	s := &site{engine: "postgres", size: slices.Max(b.sizes)}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := s.makeDatabase(ctx); err != nil {
		return nil, err
	}
	program, err := s.service(ctx, filepath.Join(b.folder, copiesName))
	if err != nil {
		return nil, err
	}
	b.logf("%s: loading %d items", copiesName, s.size)
	loaded := s.load(ctx)
	// it created the first key, and is not one of the copies
	if err := errors.Join(loaded, s.start(ctx, program)()); err != nil {
		return nil, err
	}
	addresses, err := b.startCopies(ctx, s)
	if err != nil {
		return nil, err
	}
	for _, op := range operations() {
		if op.name != "get" && op.name != "list" {
			continue
		}
		b.logf("%s: %s", copiesName, op.name)
		one, many, err := b.compareCopies(ctx, op, s, addresses)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", op.name, err)
		}
		all = append(all, one, many)
	}
	return all, nil
}

// startCopies starts the copies, which end with the site.
func (b *bench) startCopies(ctx context.Context, s *site) (addresses []string, err error) {
	for n := range manyCopies {
		c, err := startChild(ctx, copyCommand)
		if err != nil {
			return nil, err
		}
		s.onClose(c.close)
		var address string
		if err := c.ask(copyStart{Database: s.setting, Data: filepath.Join(b.folder, fmt.Sprintf("copy-%d", n))},
			&address); err != nil {
			return nil, fmt.Errorf("copy %d did not start: %w", n+1, err)
		}
		addresses = append(addresses, address)
	}
	return addresses, nil
}

// compareCopies drives one copy and all of them in turns. While one is driven, the others are idle.
func (b *bench) compareCopies(ctx context.Context, op operation, s *site,
	addresses []string) (one, many *copyResult, err error) {
	client, err := startDriver(ctx, op.plan(s))
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, client.close()) }()
	one, many = &copyResult{op: op.name, copies: 1}, &copyResult{op: op.name, copies: len(addresses)}
	turn := time.Duration(b.seconds / turns * float64(time.Second))
	for n := range turns + 1 {
		for _, c := range []*copyResult{one, many} {
			o, err := client.drive(slice{
				Address: strings.Join(addresses[:c.copies], ","), First: client.sent, Millis: turn.Milliseconds(),
			})
			client.sent += o.Requests
			if err == nil && o.Fault != "" {
				err = errors.New(o.Fault)
			}
			if err != nil {
				return nil, nil, err
			}
			if n > 0 { // the first turn warms up
				c.rates = append(c.rates, float64(o.Requests)/o.Seconds)
			}
		}
	}
	return one, many, nil
}

func (c *copyResult) rate() float64 { return median(c.rates) }

func median(of []float64) float64 {
	sorted := slices.Sorted(slices.Values(of))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// gain returns the median over the turns of how much more these copies read than one.
func (c *copyResult) gain(one *copyResult) float64 {
	var ratios []float64
	for n := range c.rates {
		ratios = append(ratios, c.rates[n]/one.rates[n])
	}
	return median(ratios)
}

// reportCopies prints the results; for each operation, one copy precedes many.
func reportCopies(w io.Writer, all []*copyResult) {
	_, _ = fmt.Fprintf(w,
		"\n%d cores for the copies, PostgreSQL and the client. At least %.1f times the reads of one copy are "+
			"promised of %d where there are %d cores.\n", runtime.NumCPU(), minGain, manyCopies, coresForCopies)
	_, _ = fmt.Fprintf(w, "\n| operation | copies | requests/s | of one copy | |\n|---|--:|--:|--:|---|\n")
	for n, c := range all {
		if c.copies == 1 {
			_, _ = fmt.Fprintf(w, "| %s | 1 | %.0f | 1.00 | |\n", c.op, c.rate())
			continue
		}
		gain := c.gain(all[n-1])
		_, _ = fmt.Fprintf(w, "| %s | %d | %.0f | %.2f | %s |\n", c.op, c.copies, c.rate(), gain,
			judgeCopies(gain, runtime.NumCPU()))
	}
}

// judgeCopies judges only if there are enough cores for every copy.
func judgeCopies(gain float64, cores int) string {
	if cores < coresForCopies {
		return "too few cores to tell"
	}
	return verdict(gain >= minGain)
}
