package metric

import (
	"compress/gzip"
	"io"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Registry has all metrics of a program. It is an http.Handler that Prometheus can read.
type Registry struct {
	mu         sync.Mutex
	collectors []Collector
}

// Register adds collectors. Metrics of several collectors may have the same name if their labels differ.
func (r *Registry) Register(collectors ...Collector) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.collectors = append(r.collectors, collectors...)
}

// ServeHTTP writes all metrics.
func (r *Registry) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Header().Set("Vary", "Accept-Encoding")
	text := r.text()
	if !strings.Contains(request.Header.Get("Accept-Encoding"), "gzip") {
		_, _ = io.WriteString(w, text) // fails only if the reader has gone
		return
	}
	w.Header().Set("Content-Encoding", "gzip")
	packed := gzip.NewWriter(w)
	_, _ = io.WriteString(packed, text)
	_ = packed.Close()
}

// text returns all metrics, ordered by name and labels.
func (r *Registry) text() string {
	r.mu.Lock()
	collectors := slices.Clone(r.collectors)
	r.mu.Unlock()
	w := &Writer{families: map[string]*family{}}
	for _, c := range collectors {
		c.Collect(w)
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(w.families)) {
		f := w.families[name]
		b.WriteString("# HELP " + name + " " + escapeHelp.Replace(f.desc.help) + "\n")
		b.WriteString("# TYPE " + name + " " + string(f.desc.kind) + "\n")
		slices.SortFunc(f.series, func(x, y *series) int { return slices.Compare(x.order, y.order) })
		for _, s := range f.series {
			b.WriteString(s.lines.String())
		}
	}
	return b.String()
}

// Writer receives the metrics from collectors.
type Writer struct{ families map[string]*family }

// family is all metrics of one name.
type family struct {
	desc   *Desc
	series []*series
}

// series is a metric with values for its labels.
type series struct {
	name   string
	order  []string // the values of the labels, ordered by the labels' names
	labels string   // for example a="1",b="2"
	lines  strings.Builder
}

// Add writes a counter or gauge.
func (w *Writer) Add(d *Desc, value float64, labels ...string) {
	w.series(d, labels).line("", "", "", value)
}

// series adds a series to its family.
func (w *Writer) series(d *Desc, values []string) *series {
	f := w.families[d.name]
	if f == nil {
		f = &family{desc: d}
		w.families[d.name] = f
	}
	s := &series{name: d.name}
	for _, name := range slices.Sorted(slices.Values(d.labels)) {
		value := values[slices.Index(d.labels, name)]
		s.order = append(s.order, value)
		if s.labels != "" {
			s.labels += ","
		}
		s.labels += name + `="` + escapeLabel.Replace(value) + `"`
	}
	f.series = append(f.series, s)
	return s
}

// line writes one line of the series. If label is not empty, the line has it in addition.
func (s *series) line(suffix, label, labelValue string, value float64) {
	labels := s.labels
	if label != "" {
		if labels != "" {
			labels += ","
		}
		labels += label + `="` + labelValue + `"`
	}
	s.lines.WriteString(s.name + suffix)
	if labels != "" {
		s.lines.WriteString("{" + labels + "}")
	}
	s.lines.WriteString(" " + format(value) + "\n")
}

var (
	escapeHelp  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	escapeLabel = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

// format returns a number as Prometheus reads it.
func format(v float64) string {
	if math.IsInf(v, 1) {
		return "+Inf"
	}
	return strconv.FormatFloat(v, 'g', -1, 64) // also -Inf and NaN
}
