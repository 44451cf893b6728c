package app

import (
	"net/http"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/web"
)

// metrics is what Prometheus reads. Labels are names of the program alone: routes, kinds, states. None is an account, a place, an address or a person.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.HistogramVec
	known    sync.Map // observers of requests by seenRequest: looking one up here costs half of what it costs there
	inFlight map[web.Door]prometheus.Gauge
	attempts *prometheus.HistogramVec
	arrived  prometheus.Histogram
	messages *prometheus.CounterVec
	jobs     *prometheus.HistogramVec
	writes   *prometheus.HistogramVec
	waits    prometheus.Histogram
	reruns   prometheus.Counter
	files    *prometheus.HistogramVec
	unsent   prometheus.Counter // to the collector
}

// How long things take, in seconds: requests and writes, and what waits for others.
var (
	quickly = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}
	slowly  = []float64{.01, .05, .1, .5, 1, 5, 15, 60, 300}
	within  = []float64{.1, .5, 1, 5, 15, 60, 300, 900, 3600} // from an event to its receiver, retries included
)

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: histograms("homeward_http_request_duration_seconds", "How long requests took, by door, pattern of the address, method and status.", quickly, "door", "route", "method", "status"),
		attempts: histograms("homeward_webhook_attempt_duration_seconds",
			"How long attempts to deliver webhooks took, by what became of the delivery: delivered, pending (tried again later), failed.",
			[]float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 15}, "state"),
		arrived: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "homeward_webhook_delivery_delay_seconds", Help: "How long it took from an event until its receiver had it, retries included.", Buckets: within,
		}),
		messages: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "homeward_messages_total",
			Help: "Messages to people, by kind and what became of them: sent, kept, failed, canceled.",
		}, []string{"kind", "state"}),
		jobs:   histograms("homeward_job_duration_seconds", "How long turns of background jobs took, by kind and outcome: done, continues, retry, failed.", slowly, "kind", "outcome"),
		writes: histograms("homeward_database_write_duration_seconds", "How long writing transactions took, waiting included, by outcome: committed, refused (by a rule), failed.", quickly, "outcome"),
		waits: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "homeward_database_write_wait_seconds", Help: "How long writing transactions waited for their turn: for SQLite's one writer, or a connection to PostgreSQL.", Buckets: quickly,
		}),
		reruns: prometheus.NewCounter(prometheus.CounterOpts{Name: "homeward_database_write_retries_total", Help: "Writing transactions that were run again because others were quicker."}),
		files:  histograms("homeward_file_operation_duration_seconds", "How long operations on files took, by operation (put, open, delete, check) and outcome: ok, missing, canceled, error.", quickly, "operation", "outcome"),
		unsent: prometheus.NewCounter(prometheus.CounterOpts{Name: "homeward_otlp_failures_total", Help: "Times that spans or log lines could not be sent to the collector."}),
	}
	inFlight := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "homeward_http_requests_in_flight", Help: "Requests under way, by door."}, []string{"door"})
	m.inFlight = map[web.Door]prometheus.Gauge{}
	for _, door := range web.AllDoors() {
		m.inFlight[door] = inFlight.WithLabelValues(string(door))
	}
	m.begin()
	m.registry.MustRegister(m.requests, inFlight, m.attempts, m.arrived, m.messages, m.jobs, m.writes, m.waits, m.reruns, m.files, m.unsent, buildInfo(),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// watchReplica counts where lists are read.
func (m *metrics) watchReplica(db *store.DB) {
	for from, reads := range map[string]func() float64{
		"replica": func() float64 { there, _ := db.ReplicaReads(); return float64(there) },
		"primary": func() float64 { _, here := db.ReplicaReads(); return float64(here) },
	} {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "homeward_list_reads_total", Help: "Lists that were read, by where: the replica, or the primary because the replica was behind, slow or down.",
			ConstLabels: prometheus.Labels{"from": from},
		}, reads))
	}
}

func histograms(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
}

// begin has those numbers stand at zero from the start that alerts look at: the first failure is then an increase.
func (m *metrics) begin() {
	for _, state := range lost.DeliveryStates() {
		if state != lost.DeliveryCanceled { // which no attempt ends in
			m.attempts.WithLabelValues(string(state))
		}
	}
	for _, outcome := range []store.Outcome{store.Committed, store.Refused, store.Broken} {
		m.writes.WithLabelValues(string(outcome))
	}
	for _, kind := range store.JobKinds() {
		for _, outcome := range []string{"done", "retry", "failed"} {
			m.jobs.WithLabelValues(kind, outcome)
		}
	}
	for _, operation := range []string{"put", "open", "delete", "check"} {
		for _, outcome := range []string{"ok", "error"} {
			m.files.WithLabelValues(operation, outcome)
		}
	}
	for _, kind := range lost.MessageKinds() {
		for _, state := range []lost.MessageState{lost.MessageSent, lost.MessageFailed} {
			m.messages.WithLabelValues(string(kind), string(state))
		}
	}
}

// buildInfo says what runs, in labels of a number that is always 1.
func buildInfo() prometheus.Collector {
	g := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "homeward_build_info", Help: "What runs: always 1.",
		ConstLabels: prometheus.Labels{"version": version(), "revision": revision(), "goversion": runtime.Version()},
	})
	g.Set(1)
	return g
}

// revision is the commit that the program was built from, where that is known.
func revision() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value
			}
		}
	}
	return "unknown"
}

// seenRequest is what requests are told apart by.
type seenRequest struct {
	door          web.Door
	route, method string
	status        int
}

// Begin counts a request that is under way.
func (m *metrics) Begin(door web.Door) { m.inFlight[door].Inc() }

// End counts a request that was answered.
func (m *metrics) End(door web.Door, route, method string, status int, took time.Duration) {
	m.inFlight[door].Dec()
	of := seenRequest{door, route, method, status}
	o, known := m.known.Load(of)
	if !known {
		o, _ = m.known.LoadOrStore(of, m.requests.WithLabelValues(string(door), route, of.method, strconv.Itoa(status)))
	}
	o.(prometheus.Observer).Observe(took.Seconds())
}

func (m *metrics) observeAttempt(became lost.DeliveryState, took time.Duration) {
	m.attempts.WithLabelValues(string(became)).Observe(took.Seconds())
}

func (m *metrics) observeDelivered(after time.Duration) { m.arrived.Observe(after.Seconds()) }

func (m *metrics) observeMessage(kind lost.MessageKind, became lost.MessageState) {
	m.messages.WithLabelValues(string(kind), string(became)).Inc()
}

func (m *metrics) observeJob(kind, outcome string, took time.Duration) {
	m.jobs.WithLabelValues(kind, outcome).Observe(took.Seconds())
}

func (m *metrics) observeWrite(w store.Written) {
	m.writes.WithLabelValues(string(w.Outcome)).Observe(w.Took.Seconds())
	m.waits.Observe(w.Waited.Seconds())
	m.reruns.Add(float64(w.Reruns))
}

func (m *metrics) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	return mux
}
