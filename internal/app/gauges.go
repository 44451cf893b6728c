package app

import (
	"context"
	"crypto/tls"
	"net"
	"net/url"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"homeward/internal/desk"
	"homeward/internal/store"
)

// gauges are the numbers that are looked up when Prometheus asks: what waits, how busy the database's connections are, and what room there is.
type gauges struct {
	numbers
	db      *store.DB
	desk    *desk.Desk
	folders map[string]string // of this machine's disks, by what is in them
	public  *expiry           // nil where the public address has none

	mu       sync.Mutex // of what was last read from the database
	asked    time.Time
	lines    []store.Backlog
	answered bool
}

// numbers describes them.
type numbers struct {
	due, age, bad, up                          *prometheus.Desc // what waits
	pool, poolMax, poolWait, poolTime, waiting *prometheus.Desc // the database
	hits, misses                               *prometheus.Desc // what is remembered
	free, size, cert                           *prometheus.Desc // the machine
}

func describeNumbers() numbers {
	return numbers{
		due:      describe("homeward_queue_due", "What could be done now and is not begun, by queue: a kind of job, deliver (webhooks) or look (items to look at). Counted to 10000, for all copies together.", "queue"),
		age:      describe("homeward_queue_oldest_seconds", "How long the first of what is due has been due, by queue.", "queue"),
		bad:      describe("homeward_jobs_failed", "Jobs that were given up and are kept for 30 days, by kind. Counted to 10000, for all copies together.", "kind"),
		up:       describe("homeward_database_up", "Whether the database answered when it was last asked."),
		pool:     describe("homeward_database_connections", "Connections to the database by pool and state: used, idle.", "pool", "state"),
		poolMax:  describe("homeward_database_connections_max", "How many connections to the database there may be, by pool.", "pool"),
		poolWait: describe("homeward_database_connection_waits_total", "How often somebody waited for a connection to the database, by pool.", "pool"),
		poolTime: describe("homeward_database_connection_wait_seconds_total", "How long they waited altogether; its rate is how many wait on average.", "pool"),
		waiting:  describe("homeward_database_writes_waiting", "Writing transactions whose turn has not come."),
		hits:     describe("homeward_cache_hits_total", "How often something was remembered, by cache.", "cache"),
		misses:   describe("homeward_cache_misses_total", "How often something had to be looked up, by cache.", "cache"),
		free:     describe("homeward_disk_free_bytes", "Room that is left on the disk of a folder: data, files.", "folder"),
		size:     describe("homeward_disk_size_bytes", "Size of the disk of a folder.", "folder"),
		cert:     describe("homeward_certificate_expiry_timestamp_seconds", "When the certificate of the public address expires, as this copy sees it."),
	}
}

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

// Describe names them.
func (g *gauges) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		g.due, g.age, g.bad, g.up, g.pool, g.poolMax, g.poolWait, g.poolTime, g.waiting, g.hits, g.misses, g.free, g.size, g.cert,
	} {
		ch <- d
	}
}

// Collect looks them up.
func (g *gauges) Collect(ch chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	counter := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, v, labels...)
	}
	g.collectBacklog(gauge)
	for _, p := range g.db.Pools() {
		gauge(g.pool, float64(p.InUse), p.Name, "used")
		gauge(g.pool, float64(p.Idle), p.Name, "idle")
		gauge(g.poolMax, float64(p.Max), p.Name)
		counter(g.poolWait, float64(p.Waits), p.Name)
		counter(g.poolTime, p.Waited.Seconds(), p.Name)
	}
	gauge(g.waiting, float64(g.db.WritesWaiting()))
	for _, c := range append(g.desk.Remembered(), g.db.Prepared()) {
		if c.Name != "" {
			counter(g.hits, float64(c.Hits), c.Name)
			counter(g.misses, float64(c.Misses), c.Name)
		}
	}
	for name, folder := range g.folders {
		if free, size, ok := diskSpace(folder); ok {
			gauge(g.free, float64(free), name)
			gauge(g.size, float64(size), name)
		}
	}
	if until, known := g.public.expiry(); known {
		gauge(g.cert, float64(until.Unix()))
	}
}

// collectBacklog tells what waits. While the database does not answer there is nothing to tell but that.
func (g *gauges) collectBacklog(gauge func(*prometheus.Desc, float64, ...string)) {
	lines, up := g.backlog()
	if !up {
		gauge(g.up, 0)
		return
	}
	gauge(g.up, 1)
	now := g.db.Now()
	for _, b := range lines {
		gauge(g.due, float64(b.Due), b.Queue)
		age := 0.0
		if !b.Oldest.IsZero() {
			age = max(0, now.Sub(b.Oldest).Seconds())
		}
		gauge(g.age, age, b.Queue)
		if b.Queue != store.DeliveryQueue && b.Queue != store.LookQueue {
			gauge(g.bad, float64(b.Failed), b.Queue)
		}
	}
}

// backlog asks the database, at most every few seconds however many ask here.
func (g *gauges) backlog() ([]store.Backlog, bool) {
	const fresh, patience = 5 * time.Second, 2 * time.Second
	g.mu.Lock()
	defer g.mu.Unlock()
	if time.Since(g.asked) < fresh {
		return g.lines, g.answered
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	lines, err := g.db.Backlogs(ctx, g.db.Now())
	g.asked, g.lines, g.answered = time.Now(), lines, err == nil
	return g.lines, g.answered
}

// expiry knows until when the one of the public address is valid. Who asks gets what was last seen: looking takes a connection of its own, and goes on beside.
type expiry struct {
	host string // with its port

	mu      sync.Mutex
	until   time.Time
	looked  time.Time
	looking bool
}

// newCertificate is for a public address; nil for one without a certificate.
func newCertificate(base string) *expiry {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "https" {
		return nil
	}
	port := u.Port()
	if port == "" {
		port = "443"
	}
	return &expiry{host: net.JoinHostPort(u.Hostname(), port)}
}

// expiry gives what was last seen, and has somebody look again after a while.
func (c *expiry) expiry() (until time.Time, known bool) {
	const fresh = time.Hour
	if c == nil {
		return time.Time{}, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.looking && time.Since(c.looked) > fresh {
		c.looking = true
		go c.look()
	}
	return c.until, !c.until.IsZero()
}

// look asks for the certificate. One that is expired, or not trusted here, has an expiry all the same: it is only looked at, and nothing is sent.
func (c *expiry) look() {
	const patience, soon = 10 * time.Second, time.Minute
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	host, _, _ := net.SplitHostPort(c.host)
	dialer := &tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true, ServerName: host}} //nolint:gosec // see above
	conn, err := dialer.DialContext(ctx, "tcp", c.host)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.looking, c.looked = false, time.Now()
	if err != nil { // it is not told what was seen long ago
		c.until, c.looked = time.Time{}, c.looked.Add(soon-time.Hour)
		return
	}
	defer func() { _ = conn.Close() }()
	if chain := conn.(*tls.Conn).ConnectionState().PeerCertificates; len(chain) > 0 {
		c.until = chain[0].NotAfter
	}
}
