package metric

import (
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// libraryText returns what Prometheus's library writes.
func libraryText(t *testing.T, all ...prometheus.Collector) string {
	t.Helper()
	r := prometheus.NewRegistry()
	r.MustRegister(all...)
	w := httptest.NewRecorder()
	promhttp.HandlerFor(r, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	return w.Body.String()
}

func text(all ...Collector) string {
	r := &Registry{}
	r.Register(all...)
	return r.text()
}

const help = "A \\ and a\nsecond line, \"quoted\"."

func TestTheTextIsThatOfPrometheussLibrary(t *testing.T) {
	t.Parallel()
	bounds := []float64{.001, .5, 1, 1e9}
	histogram, theirHistogram := NewHistogramVec("a_seconds", help, bounds, "route", "method"),
		prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "a_seconds", Help: help, Buckets: bounds},
			[]string{"route", "method"})
	for i, v := range []float64{0, .001, .0011, .5, 1, 2, 1e9, 1e10, -1, 0.1 + 0.2} {
		labels := []string{[]string{"/", "/b\\\"\n", "/a", "ä"}[i%4], []string{"GET", "PUT"}[i%2]}
		histogram.WithLabelValues(labels...).Observe(v)
		theirHistogram.WithLabelValues(labels...).Observe(v)
	}
	counter, theirCounter := NewCounterVec("b_total", help), prometheus.NewCounter(
		prometheus.CounterOpts{Name: "b_total", Help: help})
	gauge, theirGauge := NewGaugeVec("z", help, "of"), prometheus.NewGaugeVec(
		prometheus.GaugeOpts{Name: "z", Help: help}, []string{"of"})
	counter.WithLabelValues().Inc()
	counter.WithLabelValues().Add(2.5)
	theirCounter.Inc()
	theirCounter.Add(2.5)
	for i, v := range []float64{0, 1, -1.5, 1e21, 1234567, 123456789, math.Inf(1), math.Inf(-1), math.NaN()} {
		gauge.WithLabelValues(strconv.Itoa(i)).Set(v)
		theirGauge.WithLabelValues(strconv.Itoa(i)).Set(v)
	}
	gauge.WithLabelValues("1").Inc()
	gauge.WithLabelValues("2").Dec()
	theirGauge.WithLabelValues("1").Inc()
	theirGauge.WithLabelValues("2").Dec()
	got, want := text(gauge, counter, histogram), libraryText(t, theirHistogram, theirCounter, theirGauge)
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// readSeries returns the names, labels and types of metrics, with their values.
func readSeries(text string) map[string]float64 {
	all := map[string]float64{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "# HELP") {
			continue
		}
		at := strings.LastIndex(line, " ")
		all[line[:at]], _ = strconv.ParseFloat(line[at+1:], 64)
		if strings.HasPrefix(line, "#") {
			all[line] = 0
		}
	}
	return all
}

// TestRuntimeAndProcessMetricsAreThoseOfTheLibrary compares names, kinds and labels, and roughly the values.
func TestRuntimeAndProcessMetricsAreThoseOfTheLibrary(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems have no /proc")
	}
	var differences []string
	for range 10 { // a garbage collection between the two readings changes some values
		runtime.GC()
		if differences = compareWithLibrary(t); len(differences) == 0 {
			return
		}
	}
	t.Error(strings.Join(differences, "\n"))
}

func compareWithLibrary(t *testing.T) (differences []string) {
	t.Helper()
	theirs := readSeries(libraryText(t, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})))
	ours := readSeries(text(NewRuntimeCollector(), NewProcessCollector()))
	for _, name := range slices.Sorted(maps.Keys(theirs)) {
		got, exists := ours[name]
		if want := theirs[name]; !exists || math.Abs(got-want) > 20+want/2 {
			differences = append(differences, fmt.Sprintf("%s: got %v (%t), want about %v", name, got, exists, want))
		}
	}
	if len(ours) != len(theirs) {
		differences = append(differences, fmt.Sprintf("got %d series, want %d", len(ours), len(theirs)))
	}
	return differences
}

func TestWithoutProcThereAreNoProcessMetrics(t *testing.T) {
	t.Parallel()
	if got := text(newProcessCollector(t.TempDir())); got != "" {
		t.Errorf("got %s", got)
	}
}

func TestMetricsAreCompressedForReadersThatAsk(t *testing.T) {
	t.Parallel()
	r := &Registry{}
	v := NewGaugeVec("a", "b")
	v.WithLabelValues()
	r.Register(v)
	for _, encoding := range []string{"", "gzip, deflate"} {
		w := httptest.NewRecorder()
		request := httptest.NewRequest(http.MethodGet, "/metrics", nil)
		request.Header.Set("Accept-Encoding", encoding)
		r.ServeHTTP(w, request)
		var body io.Reader = w.Body
		if encoding != "" {
			unpacked, err := gzip.NewReader(w.Body)
			if err != nil {
				t.Fatal(err)
			}
			body = unpacked
		}
		got, err := io.ReadAll(body)
		if err != nil || string(got) != "# HELP a b\n# TYPE a gauge\na 0\n" ||
			!regexp.MustCompile(`^text/plain; version=0\.0\.4`).MatchString(w.Header().Get("Content-Type")) {
			t.Errorf("%q: got %q, %v", encoding, got, err)
		}
	}
}

func TestConcurrentChangesAreCounted(t *testing.T) {
	t.Parallel()
	histogram := NewHistogramVec("a", "", []float64{1}, "b")
	var done sync.WaitGroup
	for n := range 8 {
		done.Go(func() {
			for range 1000 {
				histogram.WithLabelValues(strconv.Itoa(n % 2)).Observe(0.5)
				if n == 0 {
					_ = text(histogram)
				}
			}
		})
	}
	done.Wait()
	for _, want := range []string{`a_sum{b="0"} 2000`, `a_count{b="1"} 4000`, `a_bucket{b="1",le="1"} 4000`} {
		if got := text(histogram); !strings.Contains(got, want) {
			t.Errorf("%s is missing from\n%s", want, got)
		}
	}
}
