package app

import (
	"context"
	"crypto/tls"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"

	"homeward/internal/metric"
	"homeward/internal/services"
	"homeward/internal/store"
)

// gauges collects the metrics whose values are read during each Prometheus scrape: queues, database connections,
// caches, disk space, the last backup and the certificate's expiry.
type gauges struct {
	descriptions
	db       *store.DB
	services *services.Services
	folders  map[string]string // local folders by label, for disk space
	files    *monitor
	mail     *monitor
	replica  *monitor
	public   *expiry // nil if the public address has no certificate

	mu        sync.Mutex // guards the fields below, which hold the last result read from the database
	readAt    time.Time
	lines     []store.Backlog
	backup    time.Time // when the last backup was made; zero if there is none
	reachable bool
}

// descriptions holds the names and help texts of the gauges.
type descriptions struct {
	due, age, bad, up                          *metric.Desc // queues
	pool, poolMax, poolWait, poolTime, waiting *metric.Desc // the database
	hits, misses                               *metric.Desc // caches
	free, size, cert                           *metric.Desc // the machine
	backedUp                                   *metric.Desc // the last backup
	filesUp, mailUp, replicaUp                 *metric.Desc // parts that only some requests need
	streams                                    *metric.Desc // open pages
}

func describeGauges() descriptions {
	return descriptions{
		due: describe("homeward_queue_due",
			"Tasks that are due but not started, by queue: a kind of job, deliver (webhooks) or look "+
				"(items to check for reminders and tasks). Counted up to 10000, for all instances together.", "queue"),
		age: describe("homeward_queue_oldest_seconds",
			"How long the oldest due task has been due, by queue.", "queue"),
		bad: describe("homeward_jobs_failed",
			"Jobs that failed permanently in the last 30 days, by kind. "+
				"Counted up to 10000, for all instances together.", "kind"),
		up: describe("homeward_database_up",
			"Whether the last query to the database succeeded."),
		pool: describe("homeward_database_connections",
			"Connections to the database by pool and state: used, idle.", "pool", "state"),
		poolMax: describe("homeward_database_connections_max",
			"Maximum number of connections to the database, by pool.", "pool"),
		poolWait: describe("homeward_database_connection_waits_total",
			"Number of waits for a connection to the database, by pool.", "pool"),
		poolTime: describe("homeward_database_connection_wait_seconds_total",
			"Total time spent waiting for a connection, by pool; its rate is the average number of waiters.", "pool"),
		waiting: describe("homeward_database_writes_waiting",
			"Write transactions waiting for their turn."),
		hits:   describe("homeward_cache_hits_total", "Cache hits, by cache.", "cache"),
		misses: describe("homeward_cache_misses_total", "Cache misses, by cache.", "cache"),
		free: describe("homeward_disk_free_bytes",
			"Free space on the disk that contains the folder (data or files).", "folder"),
		size: describe("homeward_disk_size_bytes", "Size of the disk that contains the folder.", "folder"),
		cert: describe("homeward_certificate_expiry_timestamp_seconds",
			"When the public address's certificate expires, as seen by this instance."),
		backedUp: describe("homeward_last_backup_timestamp_seconds",
			"When the last complete backup of the database was started; 0 without a backup since the database was "+
				"created, restored or moved."),
		filesUp: describe("homeward_files_up",
			"Whether the last check of the file storage succeeded: a file was written, read and deleted."),
		replicaUp: describe("homeward_replica_up",
			"Whether the replica responded at the last check and replays changes; missing without a replica."),
		streams: describe("homeward_live_streams",
			"Pages of the dashboard that are open and follow changes, on this instance."),
		mailUp: describe("homeward_mail_up",
			"Whether the last log-in to the mail server succeeded; missing without HOMEWARD_SMTP."),
	}
}

// describe describes a counter if the name ends in _total, and a gauge otherwise.
func describe(name, help string, labels ...string) *metric.Desc {
	kind := metric.GaugeKind
	if strings.HasSuffix(name, "_total") {
		kind = metric.CounterKind
	}
	return metric.NewDesc(kind, name, help, labels...)
}

// Collect implements metric.Collector.
func (g *gauges) Collect(w *metric.Writer) {
	g.collectStored(w)
	for _, p := range g.db.Pools() {
		w.Add(g.pool, float64(p.InUse), p.Name, "used")
		w.Add(g.pool, float64(p.Idle), p.Name, "idle")
		w.Add(g.poolMax, float64(p.Max), p.Name)
		w.Add(g.poolWait, float64(p.Waits), p.Name)
		w.Add(g.poolTime, p.Waited.Seconds(), p.Name)
	}
	w.Add(g.waiting, float64(g.db.WritesWaiting()))
	w.Add(g.streams, float64(g.services.Live.Tabs()))
	for _, c := range append(g.services.CacheUse(), g.db.StatementCache()) {
		if c.Name != "" {
			w.Add(g.hits, float64(c.Hits), c.Name)
			w.Add(g.misses, float64(c.Misses), c.Name)
		}
	}
	for name, folder := range g.folders {
		if free, size, ok := DiskSpace(folder); ok {
			w.Add(g.free, float64(free), name)
			w.Add(g.size, float64(size), name)
		}
	}
	if up, known := g.files.up(); known {
		w.Add(g.filesUp, up)
	}
	if up, known := g.mail.up(); known {
		w.Add(g.mailUp, up)
	}
	if up, known := g.replica.up(); known {
		w.Add(g.replicaUp, up)
	}
	if until, known := g.public.expiry(); known {
		w.Add(g.cert, float64(until.Unix()))
	}
}

// collectStored reports the queues and the last backup. If the database is unavailable, it reports only that.
func (g *gauges) collectStored(w *metric.Writer) {
	lines, backup, up := g.read()
	if !up {
		w.Add(g.up, 0)
		return
	}
	w.Add(g.up, 1)
	backedUp := 0.0
	if !backup.IsZero() {
		backedUp = float64(backup.Unix())
	}
	w.Add(g.backedUp, backedUp)
	now := g.db.Now()
	for _, b := range lines {
		w.Add(g.due, float64(b.Due), b.Queue)
		age := 0.0
		if !b.Oldest.IsZero() {
			age = max(0, now.Sub(b.Oldest).Seconds())
		}
		w.Add(g.age, age, b.Queue)
		if b.Queue != store.DeliveryQueue && b.Queue != store.CheckQueue {
			w.Add(g.bad, float64(b.Failed), b.Queue)
		}
	}
}

// read reads the queues and the time of the last backup from the database at most every five seconds, and otherwise
// returns the last result. It returns false if the database did not respond.
func (g *gauges) read() (lines []store.Backlog, backup time.Time, reachable bool) {
	const maxAge, timeout = 5 * time.Second, 2 * time.Second
	g.mu.Lock()
	defer g.mu.Unlock()
	if time.Since(g.readAt) < maxAge {
		return g.lines, g.backup, g.reachable
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	lines, err := g.db.Backlogs(ctx, g.db.Now())
	var last store.LastBackup
	if err == nil {
		last, _, err = g.db.LastBackup(ctx)
	}
	g.readAt = time.Now()
	g.lines, g.backup, g.reachable = lines, last.Made, err == nil
	return g.lines, g.backup, g.reachable
}

// expiry holds the expiry date of the public address's certificate. Reading the date requires a connection, so it is
// read in the background, and callers get the last known value.
type expiry struct {
	host string // including the port

	mu        sync.Mutex
	until     time.Time
	checkedAt time.Time
	checking  bool
}

// newCertificate returns an expiry for a public address, or nil if the address does not use TLS.
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

// expiry returns the last known expiry date. If that date was read more than an hour ago, it starts reading it again.
func (c *expiry) expiry() (until time.Time, known bool) {
	const maxAge = time.Hour
	if c == nil {
		return time.Time{}, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.checking && time.Since(c.checkedAt) > maxAge {
		c.checking = true
		go c.check()
	}
	return c.until, !c.until.IsZero()
}

// check reads the certificate's expiry date. It does not verify the certificate, because even an expired or untrusted
// certificate has an expiry date. It sends no data over the connection.
func (c *expiry) check() {
	const timeout, retryAfter = 10 * time.Second, time.Minute
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	host, _, _ := net.SplitHostPort(c.host)
	insecure := &tls.Config{InsecureSkipVerify: true, ServerName: host} //nolint:gosec // see above
	dialer := &tls.Dialer{Config: insecure}
	conn, err := dialer.DialContext(ctx, "tcp", c.host)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.checking, c.checkedAt = false, time.Now()
	if err != nil {
		c.until = time.Time{} // an old value would hide the failure
		c.checkedAt = c.checkedAt.Add(retryAfter - time.Hour)
		return
	}
	defer func() { _ = conn.Close() }()
	if chain := conn.(*tls.Conn).ConnectionState().PeerCertificates; len(chain) > 0 {
		c.until = chain[0].NotAfter
	}
}
