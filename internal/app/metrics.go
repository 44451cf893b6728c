package app

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// metrics is what Prometheus reads.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.HistogramVec
	attempts *prometheus.HistogramVec
	messages *prometheus.CounterVec
}

// jobGauges asks the database, when Prometheus asks here, how much background work there is.
type jobGauges struct {
	db   *store.DB
	desc *prometheus.Desc
}

// Describe names the one metric.
func (g jobGauges) Describe(ch chan<- *prometheus.Desc) { ch <- g.desc }

// Collect counts the jobs. While the database does not answer there is nothing to tell.
func (g jobGauges) Collect(ch chan<- prometheus.Metric) {
	const patience = 2 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	due, failed, err := g.db.Jobs(ctx)
	if err != nil {
		return
	}
	ch <- prometheus.MustNewConstMetric(g.desc, prometheus.GaugeValue, float64(due), "due")
	ch <- prometheus.MustNewConstMetric(g.desc, prometheus.GaugeValue, float64(failed), "failed")
}

func newMetrics(db *store.DB) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "homeward_http_request_duration_seconds",
			Help:    "How long requests took, by route, method and status.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"route", "method", "status"}),
		attempts: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "homeward_webhook_attempt_duration_seconds",
			Help:    "How long attempts to deliver webhooks took, by what became of the delivery: delivered, pending (tried again later), failed.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 15},
		}, []string{"state"}),
		messages: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "homeward_messages_total",
			Help: "Messages to people, by kind and what became of them: sent, kept, failed, canceled.",
		}, []string{"kind", "state"}),
	}
	jobs := jobGauges{db, prometheus.NewDesc("homeward_jobs", "Background jobs that wait (due), and that were given up (failed).", []string{"state"}, nil)}
	m.registry.MustRegister(m.requests, m.attempts, m.messages, jobs, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if db.HasReplica() {
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
	return m
}

func (m *metrics) observe(route, method string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, knownMethod(method), strconv.Itoa(status)).Observe(took.Seconds())
}

func (m *metrics) observeAttempt(became lost.DeliveryState, took time.Duration) {
	m.attempts.WithLabelValues(string(became)).Observe(took.Seconds())
}

func (m *metrics) observeMessage(kind lost.MessageKind, became lost.MessageState) {
	m.messages.WithLabelValues(string(kind), string(became)).Inc()
}

// knownMethod keeps callers from making up label values.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions, http.MethodPatch:
		return method
	}
	return "other"
}

func (m *metrics) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	return mux
}
