// Package metric counts and measures, and writes the result in the text format of Prometheus. Its metrics are safe for
// concurrent use.
//
// Prometheus's own library would add two protocol buffer runtimes to the program, for a second format that nobody
// asks for.
package metric

import (
	"maps"
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// Kind is the kind of a metric, as Prometheus calls it.
type Kind string

// The kinds of metrics.
const (
	CounterKind   Kind = "counter" // never falls, except to 0 when the program starts
	GaugeKind     Kind = "gauge"   // rises and falls
	histogramKind Kind = "histogram"
	summaryKind   Kind = "summary"
)

// Desc describes a metric.
type Desc struct {
	name, help string
	kind       Kind
	labels     []string
}

// NewDesc returns a description. The labels get their values when the metric is written.
func NewDesc(kind Kind, name, help string, labels ...string) *Desc {
	return &Desc{name: name, help: help, kind: kind, labels: labels}
}

// Collector writes metrics when Prometheus asks for them.
type Collector interface{ Collect(w *Writer) }

// number is a float64 that can be changed atomically.
type number struct{ bits atomic.Uint64 }

func (n *number) load() float64   { return math.Float64frombits(n.bits.Load()) }
func (n *number) store(v float64) { n.bits.Store(math.Float64bits(v)) }

func (n *number) add(v float64) {
	for {
		before := n.bits.Load()
		if n.bits.CompareAndSwap(before, math.Float64bits(math.Float64frombits(before)+v)) {
			return
		}
	}
}

// Counter counts. It never falls.
type Counter struct{ value number }

// Inc adds 1.
func (c *Counter) Inc() { c.value.add(1) }

// Add adds a number that is not negative.
func (c *Counter) Add(v float64) { c.value.add(v) }

func (c *Counter) collect(w *Writer, d *Desc, labels []string) { w.Add(d, c.value.load(), labels...) }

// Gauge is a number that rises and falls.
type Gauge struct{ value number }

// Inc adds 1.
func (g *Gauge) Inc() { g.value.add(1) }

// Dec subtracts 1.
func (g *Gauge) Dec() { g.value.add(-1) }

// Set sets the value.
func (g *Gauge) Set(v float64) { g.value.store(v) }

func (g *Gauge) collect(w *Writer, d *Desc, labels []string) { w.Add(d, g.value.load(), labels...) }

// Histogram counts values by size.
type Histogram struct {
	bounds []float64       // the upper bounds of the buckets, which belong to them
	counts []atomic.Uint64 // the values in each bucket, and in the last one those above all bounds
	sum    number
}

func newHistogram(bounds []float64) *Histogram {
	return &Histogram{bounds: bounds, counts: make([]atomic.Uint64, len(bounds)+1)}
}

// Observe counts a value.
func (h *Histogram) Observe(v float64) {
	at := 0
	for at < len(h.bounds) && v > h.bounds[at] {
		at++
	}
	h.counts[at].Add(1)
	h.sum.add(v)
}

func (h *Histogram) collect(w *Writer, d *Desc, labels []string) {
	s := w.series(d, labels)
	total := uint64(0)
	for i := range h.counts {
		total += h.counts[i].Load()
		bound := math.Inf(1)
		if i < len(h.bounds) {
			bound = h.bounds[i]
		}
		s.line("_bucket", "le", format(bound), float64(total))
	}
	s.line("_sum", "", "", h.sum.load())
	s.line("_count", "", "", float64(total))
}

// metric is one of the types above.
type metric interface {
	collect(w *Writer, d *Desc, labels []string)
}

// Vec is a metric with labels: one M for each combination of their values.
type Vec[M metric] struct {
	desc  *Desc
	build func() M
	mu    sync.RWMutex
	all   map[string]child[M]
}

type child[M metric] struct {
	labels []string
	metric M
}

func newVec[M metric](d *Desc, build func() M) *Vec[M] {
	return &Vec[M]{desc: d, build: build, all: map[string]child[M]{}}
}

// NewCounterVec returns a counter with labels.
func NewCounterVec(name, help string, labels ...string) *Vec[*Counter] {
	return newVec(NewDesc(CounterKind, name, help, labels...), func() *Counter { return &Counter{} })
}

// NewGaugeVec returns a gauge with labels.
func NewGaugeVec(name, help string, labels ...string) *Vec[*Gauge] {
	return newVec(NewDesc(GaugeKind, name, help, labels...), func() *Gauge { return &Gauge{} })
}

// NewHistogramVec returns a histogram with labels. The bounds must rise.
func NewHistogramVec(name, help string, bounds []float64, labels ...string) *Vec[*Histogram] {
	return newVec(NewDesc(histogramKind, name, help, labels...), func() *Histogram { return newHistogram(bounds) })
}

// WithLabelValues returns the metric for values of the labels, in the order of the labels. It exists from then on.
func (v *Vec[M]) WithLabelValues(values ...string) M {
	const separator, usual = 0xff, 128 // a byte that is in no valid text, and the length of most keys
	key := make([]byte, 0, usual)      // on the stack, because every request looks up its metrics
	for _, value := range values {
		key = append(append(key, value...), separator)
	}
	v.mu.RLock()
	found, exists := v.all[string(key)]
	v.mu.RUnlock()
	if exists {
		return found.metric
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if found, exists = v.all[string(key)]; !exists {
		found = child[M]{slices.Clone(values), v.build()}
		v.all[string(key)] = found
	}
	return found.metric
}

// Collect writes the metric for all values that its labels have had.
func (v *Vec[M]) Collect(w *Writer) {
	v.mu.RLock()
	all := slices.Collect(maps.Values(v.all))
	v.mu.RUnlock()
	for _, c := range all {
		c.metric.collect(w, v.desc, c.labels)
	}
}

// Func is a collector that is a function.
type Func func(w *Writer)

// Collect calls the function.
func (f Func) Collect(w *Writer) { f(w) }
