package app

import (
	"cmp"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"time"

	"homeward/internal/assistant"
	"homeward/internal/lost"
	"homeward/internal/metric"
	"homeward/internal/outbox"
	"homeward/internal/store"
	"homeward/internal/web"
)

// metrics holds the Prometheus metrics. Label values are names defined by the program, such as routes, kinds and
// states. They never identify an account, a location, an address or a person.
type metrics struct {
	registry *metric.Registry
	requests *metric.Vec[*metric.Histogram]
	known    sync.Map // the observer of each requestLabels: a lookup here costs half as much as one in requests
	inFlight map[web.Interface]*metric.Gauge
	attempts *metric.Vec[*metric.Histogram]
	arrived  *metric.Histogram
	messages *metric.Vec[*metric.Counter]
	replies  *metric.Vec[*metric.Counter]
	rejected *metric.Vec[*metric.Counter]
	notices  *metric.Vec[*metric.Counter]
	jobs     *metric.Vec[*metric.Histogram]
	writes   *metric.Vec[*metric.Histogram]
	waits    *metric.Histogram
	reruns   *metric.Counter
	files    *metric.Vec[*metric.Histogram]
	models   *metric.Vec[*metric.Histogram]
	photos   *metric.Vec[*metric.Counter]
	unsent   *metric.Counter // failed exports to the collector
}

// Histogram buckets, in seconds.
var (
	shortBuckets    = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}
	jobBuckets      = []float64{.01, .05, .1, .5, 1, 5, 15, 60, 300}
	deliveryBuckets = []float64{.1, .5, 1, 5, 15, 60, 300, 900, 3600} // from event to delivery, including retries
)

func newMetrics() *metrics {
	r := &metric.Registry{}
	m := &metrics{
		registry: r,
		requests: metric.NewHistogramVec("homeward_http_request_duration_seconds",
			"Duration of requests, by interface (label door), route, method and status.",
			shortBuckets, "door", "route", "method", "status"),
		attempts: metric.NewHistogramVec("homeward_webhook_attempt_duration_seconds",
			"Duration of attempts to deliver webhooks, by resulting state: delivered, pending (retried later), failed.",
			[]float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 15}, "state"),
		arrived: histogram(r, "homeward_webhook_delivery_delay_seconds",
			"Time from an event to its delivery, including retries.", deliveryBuckets),
		messages: metric.NewCounterVec("homeward_messages_total",
			"Messages to people, by kind and resulting state: sent, kept, failed, canceled.", "kind", "state"),
		replies: metric.NewCounterVec("homeward_replies_total",
			"E-mails read from the mailbox, by outcome: added, bounce, ignored, rejected, unhandled (tried again).",
			"outcome"),
		rejected: metric.NewCounterVec("homeward_replies_rejected_total",
			"Guests' replies that were not added to a conversation, by way (email, sms) and reason: unknown, "+
				"other-item, ambiguous, closed, full, daily-limit, empty.", "via", "reason"),
		notices: metric.NewCounterVec("homeward_notices_total",
			"Messages to members of staff, by channel and outcome: sent, retry, failed, dropped (no longer wanted).",
			"channel", "outcome"),
		jobs: metric.NewHistogramVec("homeward_job_duration_seconds",
			"Duration of background job runs, by kind and outcome: done, continues, retry, failed.",
			jobBuckets, "kind", "outcome"),
		writes: metric.NewHistogramVec("homeward_database_write_duration_seconds",
			"Duration of write transactions, including time spent waiting, by outcome: "+
				"committed, refused (rejected by a business rule), failed.",
			shortBuckets, "outcome"),
		waits: histogram(r, "homeward_database_write_wait_seconds",
			"How long write transactions waited for SQLite's only writer or for a PostgreSQL connection.",
			shortBuckets),
		reruns: counter(r, "homeward_database_write_retries_total",
			"Number of times a write transaction was retried because it conflicted with another."),
		files: metric.NewHistogramVec("homeward_file_operation_duration_seconds",
			"Duration of file operations, by operation (put, open, delete, check) "+
				"and outcome: ok, missing, canceled, error.",
			shortBuckets, "operation", "outcome"),
		models: metric.NewHistogramVec("homeward_model_request_duration_seconds",
			"Duration of requests to models, by model (vision, embeddings) and outcome: ok, not-reached, timeout, "+
				"busy, unauthorized, refused, unreadable.", jobBuckets, "model", "outcome"),
		photos: metric.NewCounterVec("homeward_photo_assistant_total",
			"Photos for the photo assistant, by outcome: suggested, nothing (no usable answer), discarded (a face or "+
				"an identity paper), skipped (no longer allowed), limited (HOMEWARD_VISION_DAILY), retry, failed.",
			"outcome"),
		unsent: counter(r, "homeward_otlp_failures_total", "Failures to send spans or log lines to the collector."),
	}
	inFlight := metric.NewGaugeVec("homeward_http_requests_in_flight",
		"Requests in progress, by interface (label door).", "door")
	m.inFlight = map[web.Interface]*metric.Gauge{}
	for _, name := range web.Interfaces() {
		m.inFlight[name] = inFlight.WithLabelValues(string(name))
	}
	m.initialize()
	r.Register(m.requests, inFlight, m.attempts, m.messages, m.replies, m.rejected, m.notices, m.jobs, m.writes,
		m.files, m.models, m.photos, buildInfo(), metric.NewRuntimeCollector(), metric.NewProcessCollector())
	return m
}

// watchReplica adds counters for lists read from the replica and from the primary.
func (m *metrics) watchReplica(db *store.DB) {
	reads := metric.NewDesc(metric.CounterKind, "homeward_list_reads_total",
		"Lists read, by source: the replica, or the primary if the replica was behind, slow or down.", "from")
	m.registry.Register(metric.Func(func(w *metric.Writer) {
		there, here := db.ReplicaReads()
		w.Add(reads, float64(there), "replica")
		w.Add(reads, float64(here), "primary")
	}))
}

// counter registers a counter without labels.
func counter(r *metric.Registry, name, help string) *metric.Counter {
	v := metric.NewCounterVec(name, help)
	r.Register(v)
	return v.WithLabelValues()
}

// histogram registers a histogram without labels.
func histogram(r *metric.Registry, name, help string, buckets []float64) *metric.Histogram {
	v := metric.NewHistogramVec(name, help, buckets)
	r.Register(v)
	return v.WithLabelValues()
}

// initialize creates the series that alerts use with a value of zero, so that the first failure appears as an
// increase.
func (m *metrics) initialize() {
	for _, state := range lost.DeliveryStates() {
		if state != lost.DeliveryCanceled { // an attempt never ends in this state
			m.attempts.WithLabelValues(string(state))
		}
	}
	for _, outcome := range []store.Outcome{store.Committed, store.Refused, store.Failed} {
		m.writes.WithLabelValues(string(outcome))
	}
	for _, kind := range outbox.JobKinds() {
		for _, outcome := range []string{"done", "retry", "failed"} {
			m.jobs.WithLabelValues(kind, outcome)
		}
	}
	for _, outcome := range assistant.Outcomes() {
		m.photos.WithLabelValues(string(outcome))
	}
	for _, operation := range []string{"put", "open", "delete", "check"} {
		for _, outcome := range []string{"ok", "error"} {
			m.files.WithLabelValues(operation, outcome)
		}
	}
	for _, via := range []lost.ThreadChannel{lost.ViaEmail, lost.ViaSMS} {
		for _, reason := range lost.Rejections() {
			m.rejected.WithLabelValues(string(via), string(reason))
		}
	}
	for _, kind := range lost.MessageKinds() {
		for _, state := range []lost.MessageState{lost.MessageSent, lost.MessageFailed} {
			m.messages.WithLabelValues(string(kind), string(state))
		}
	}
}

// buildInfo returns a gauge that is always 1 and has the version in its labels.
func buildInfo() metric.Collector {
	g := metric.NewGaugeVec("homeward_build_info", "Always 1; the labels contain the running version.",
		"version", "revision", "goversion")
	g.WithLabelValues(Version(), cmp.Or(Commit(), "unknown"), runtime.Version()).Set(1)
	return g
}

// requestLabels are the labels of a request.
type requestLabels struct {
	name          web.Interface
	route, method string
	status        int
}

// Begin counts a request that has started.
func (m *metrics) Begin(name web.Interface) { m.inFlight[name].Inc() }

// End records the duration of a request that has ended.
func (m *metrics) End(name web.Interface, route, method string, status int, took time.Duration) {
	m.inFlight[name].Dec()
	labels := requestLabels{name, route, method, status}
	o, known := m.known.Load(labels)
	if !known {
		observer := m.requests.WithLabelValues(string(name), route, method, strconv.Itoa(status))
		o, _ = m.known.LoadOrStore(labels, observer)
	}
	o.(*metric.Histogram).Observe(took.Seconds())
}

func (m *metrics) observeAttempt(state lost.DeliveryState, took time.Duration) {
	m.attempts.WithLabelValues(string(state)).Observe(took.Seconds())
}

func (m *metrics) observeDelivered(after time.Duration) { m.arrived.Observe(after.Seconds()) }

func (m *metrics) observeMessage(kind lost.MessageKind, state lost.MessageState) {
	m.messages.WithLabelValues(string(kind), string(state)).Inc()
}

func (m *metrics) observeNotice(channel, outcome string) {
	m.notices.WithLabelValues(channel, outcome).Inc()
}

func (m *metrics) observePhoto(outcome assistant.Outcome) {
	m.photos.WithLabelValues(string(outcome)).Inc()
}

func (m *metrics) observeReply(outcome string) { m.replies.WithLabelValues(outcome).Inc() }

// observeRejection counts a reply that was rejected; the reason is empty if it was not.
func (m *metrics) observeRejection(via lost.ThreadChannel, reason lost.Rejection) {
	if reason != "" {
		m.rejected.WithLabelValues(string(via), string(reason)).Inc()
	}
}

func (m *metrics) observeJob(kind, outcome string, took time.Duration) {
	m.jobs.WithLabelValues(kind, outcome).Observe(took.Seconds())
}

func (m *metrics) observeWrite(w store.WriteStats) {
	m.writes.WithLabelValues(string(w.Outcome)).Observe(w.Took.Seconds())
	m.waits.Observe(w.Waited.Seconds())
	m.reruns.Add(float64(w.Retries))
}

func (m *metrics) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", m.registry)
	return mux
}
