package main_test

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"homeward/internal/message/mailtest"
	"homeward/internal/store"
)

const (
	shortSoak  = 15 * time.Second
	soakPace   = 25 * time.Millisecond // how long a client waits between two requests
	soakEnding = 90 * time.Second      // how long closing everything may take after the load
)

// soakTime returns how long the load lasts on each database: HOMEWARD_TEST_SOAK, or a short time by default.
func soakTime(t *testing.T) time.Duration {
	t.Helper()
	text, set := os.LookupEnv("HOMEWARD_TEST_SOAK")
	if !set {
		return shortSoak
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < time.Second {
		t.Fatalf("HOMEWARD_TEST_SOAK=%s is not a duration such as 10m", text)
	}
	return d
}

// Under a moderate load that covers everything people and programs do, the numbers of goroutines, open files and
// connections and the memory use do not grow. After the load, everything is closed again. `make soak` runs this test
// for an hour.
func TestNothingGrowsUnderLoad(t *testing.T) {
	t.Parallel()
	// Both databases run in parallel, because the load is moderate.
	onBothDatabases(t, func(t *testing.T, _, database string) { soak(t, database) })
}

// sample is the resource usage of a process at one time.
type sample struct {
	at                                              time.Duration
	rss, heap, goroutines, files, sockets, database float64 // heap is the live heap after the last garbage collection
}

// columns lists the measured resources, the tolerated growth, and whether more growth fails the test.
var columns = []struct {
	name  string
	unit  string
	of    func(sample) float64
	noise float64 // tolerated growth in the resource's unit
	part  float64 // tolerated growth as a fraction of the first value
}{
	{"RSS", "MB", func(s sample) float64 { return s.rss / (1 << 20) }, 24, .25},
	{"live heap", "MB", func(s sample) float64 { return s.heap / (1 << 20) }, 12, .25},
	{"goroutines", "", func(s sample) float64 { return s.goroutines }, 25, .25},
	{"open files", "", func(s sample) float64 { return s.files }, 15, .25},
	{"sockets", "", func(s sample) float64 { return s.sockets }, 15, .25},
}

// take reads the resource usage of the service.
func (k *soakTest) take() (s sample, err error) {
	a, err := sendRequest("GET", k.p.url+"/metrics", "")
	if err != nil {
		return s, err
	}
	for lines := bufio.NewScanner(bytes.NewReader(a.body)); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), " ")
		n, _ := strconv.ParseFloat(value, 64) // a missing value is 0
		switch name {
		case "process_resident_memory_bytes":
			s.rss = n
		case "go_memstats_next_gc_bytes":
			s.heap = n / 2 // the value is the size of the next collection, which runs when the live heap has doubled
		case "go_goroutines":
			s.goroutines = n
		case "process_open_fds":
			s.files = n
		}
	}
	s.sockets = float64(len(socketsOf(k.p.cmd.Process.Pid)))
	s.at, s.database = time.Since(k.began), k.databaseSize()
	return s, nil
}

func (k *soakTest) databaseSize() float64 {
	if !store.IsPostgres(k.database) {
		size := int64(0)
		for _, part := range []string{"", "-wal"} {
			if info, err := os.Stat(k.database + part); err == nil {
				size += info.Size()
			}
		}
		return float64(size)
	}
	conn, err := pgx.Connect(k.t.Context(), k.database)
	if err != nil {
		return 0
	}
	defer func() { _ = conn.Close(k.t.Context()) }()
	var size int64
	_ = conn.QueryRow(k.t.Context(), "SELECT pg_database_size(current_database())").Scan(&size) // 0 if it fails
	return float64(size)
}

// soakTest is a service under load.
type soakTest struct {
	t        *testing.T
	p        *process
	database string
	settings []string
	hotel    string // id of the location
	public   string // public page of the location
	link     string // a guest's page
	cookie   http.Header
	began    time.Time
	client   *http.Client
	mails    *mailtest.Server
	hooks    *webhookReceiver
	requests atomic.Int64
	writes   atomic.Int64
	failed   sync.Map // how often each unexpected response occurred
}

func soak(t *testing.T, database string) {
	k := &soakTest{
		t: t, database: database, mails: mailtest.Start(t), began: time.Now(),
		client: &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 16}},
	}
	k.settings = withAdmin(newWebhookSettings(t, database, "HOMEWARD_SMTP="+k.mails.URL()))
	k.p = startService(t, append(k.settings, "GOGC=100")...) // a constant value, from which the live heap is computed
	k.hooks = newWebhookReceiver(t, k.p, nil)
	location := k.p.must(http.StatusCreated, "POST", "/v1/locations", `{"name": "Hotel"}`)
	k.hotel, k.public = location["id"].(string), "/l/"+location["permalink"].(string)
	k.cookie = logIn(t, k.p)
	k.create(`, "owner": {"firstName": "Emma", "email": "emma@example.com"}`)
	k.link = strings.TrimPrefix(k.mails.Next(t, "emma@example.com").Link(k.p.url+"/g/"), k.p.url)

	length := soakTime(t)
	warm := min(length/3, time.Minute) // in this time caches fill, pools grow and statements are prepared
	k.load(warm)
	k.waitUntilIdle()
	first, err := k.take()
	if err != nil {
		t.Fatal(err)
	}
	written := k.writes.Load()
	done := make(chan struct{})
	go func() {
		k.load(length - warm)
		close(done)
	}()
	var samples []sample
	every := time.NewTicker(min(5*time.Second, length/30))
	defer every.Stop()
	for running := true; running; {
		select {
		case <-done:
			running = false
		case <-every.C:
			if s, err := k.take(); err == nil {
				samples = append(samples, s)
			}
		}
	}
	k.waitUntilIdle()
	last := k.waitUntilClosed(first)
	k.checkGrowth(first, last, samples, float64(k.writes.Load()-written))
	if code := k.p.terminate(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// load runs all clients for a while.
func (k *soakTest) load(length time.Duration) {
	end := time.After(length)
	done := make(chan struct{})
	go func() {
		<-end
		close(done)
	}()
	var working sync.WaitGroup
	for _, client := range []func(){k.program, k.program, k.uploader, k.colleague, k.guest, k.reader} {
		working.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				client()
				pause(done, soakPace)
			}
		})
	}
	working.Go(func() { // runs an import occasionally
		for {
			select {
			case <-done:
				return
			case <-time.After(max(3*time.Second, length/20)):
				importItems(k.t, k.settings, k.hotel, 50, 100)
			}
		}
	})
	working.Wait()
}

// do sends a request, and records unexpected responses.
func (k *soakTest) do(method, path, body, contentType string, want int) []byte {
	r, err := http.NewRequest(method, k.p.url+path, readerOf(body))
	if err != nil {
		k.t.Error(err)
		return nil
	}
	r.Header.Set("svc-api-key", apiKey)
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	if !strings.HasPrefix(path, "/v1/") {
		r.Header["Cookie"] = k.cookie["Cookie"]
	}
	k.requests.Add(1)
	if method != http.MethodGet {
		k.writes.Add(1)
	}
	res, err := k.client.Do(r)
	if err != nil {
		k.note(fmt.Sprintf("%s %.12s: %v", method, path, err))
		return nil
	}
	defer func() { _ = res.Body.Close() }()
	var b bytes.Buffer
	if _, err := b.ReadFrom(res.Body); err != nil || res.StatusCode != want {
		k.note(fmt.Sprintf("%s %.12s returned %d", method, path, res.StatusCode))
	}
	return b.Bytes()
}

func (k *soakTest) note(what string) {
	n, _ := k.failed.LoadOrStore(what, &atomic.Int64{})
	n.(*atomic.Int64).Add(1)
}

const jsonType = "application/json"

func (k *soakTest) items() string { return "/v1/locations/" + k.hotel + "/items" }

// create creates an item and returns its path, or "" on failure.
func (k *soakTest) create(fields string) string {
	_, id, _ := strings.Cut(string(k.do("POST", k.items(), `{"description": "Umbrella"`+fields+`}`, jsonType,
		http.StatusCreated)), `"id":"`)
	id, _, _ = strings.Cut(id, `"`)
	if id == "" {
		return k.items()
	}
	return k.items() + "/" + id
}

// program is an API client. It creates an item, changes it, which sends a webhook, reads it and deletes it.
func (k *soakTest) program() {
	item := k.create("")
	k.do("PUT", item+"/update-status", `{"status": "DONATE"}`, jsonType, http.StatusOK)
	k.do("GET", item, "", "", http.StatusOK)
	k.do("GET", item+"/history", "", "", http.StatusOK)
	k.do("GET", k.items()+"?term=umbrella&limit=20", "", "", http.StatusOK)
	k.do("DELETE", item, "", "", http.StatusNoContent)
}

// uploader adds a picture to an item whose owner is notified by e-mail, and deletes both.
func (k *soakTest) uploader() {
	item := k.create(`, "owner": {"firstName": "Anna", "email": "anna@example.com"}`)
	form, contentType := imageForm()
	k.do("POST", item+"/upload-image", form, contentType, http.StatusOK)
	k.do("DELETE", item, "", "", http.StatusNoContent)
	pause(k.t.Context().Done(), 10*soakPace)
}

// colleague browses the dashboard, and downloads a file.
func (k *soakTest) colleague() {
	for _, path := range []string{
		"/", "/at/" + k.hotel + "/items", "/at/" + k.hotel + "/items.csv", "/at/" + k.hotel + "/items?term=umbrella",
	} {
		k.do("GET", path, "", "", http.StatusOK)
		pause(k.t.Context().Done(), 4*soakPace)
	}
}

// guest visits the public page, and the page of their item.
func (k *soakTest) guest() {
	k.do("GET", k.public, "", "", http.StatusOK)
	k.do("GET", k.link, "", "", http.StatusOK)
	pause(k.t.Context().Done(), 10*soakPace)
}

// reader reads webhook deliveries and documentation.
func (k *soakTest) reader() {
	k.do("GET", "/v1/webhooks/"+k.hooks.id+"/deliveries", "", "", http.StatusOK)
	k.do("GET", "/openapi.json", "", "", http.StatusOK)
	pause(k.t.Context().Done(), 20*soakPace)
}

// waitUntilIdle waits until there is no background work, and closes the clients' connections.
func (k *soakTest) waitUntilIdle() {
	k.t.Helper()
	waitUntilSettled(k.t, k.p, k.hooks)
	k.client.CloseIdleConnections()
	http.DefaultClient.CloseIdleConnections()
}

// waitUntilClosed waits until everything is closed again, and returns the resource usage then.
func (k *soakTest) waitUntilClosed(first sample) (last sample) {
	k.t.Helper()
	deadline := time.Now().Add(soakEnding)
	for time.Now().Before(deadline) {
		s, err := k.take()
		if err != nil {
			k.t.Fatal(err)
		}
		last = s
		if s.goroutines <= first.goroutines+columns[2].noise && s.files <= first.files+columns[3].noise &&
			s.sockets <= first.sockets+columns[4].noise {
			return last
		}
		pause(k.t.Context().Done(), 200*time.Millisecond)
	}
	k.t.Errorf("%v after the load there are %.0f goroutines and %.0f open files; before it there were %.0f and %.0f",
		soakEnding, last.goroutines, last.files, first.goroutines, first.files)
	return last
}

// slope fits a line to the samples, and returns its rise from the first to the last sample and its first value.
func slope(samples []sample, of func(sample) float64) (rise, begins float64) {
	var n, sx, sy, sxx, sxy float64
	for _, s := range samples {
		x, y := s.at.Seconds(), of(s)
		n++
		sx, sy = sx+x, sy+y
		sxx, sxy = sxx+x*x, sxy+x*y
	}
	if n < 2 || n*sxx == sx*sx {
		return 0, 0
	}
	per := (n*sxy - sx*sy) / (n*sxx - sx*sx)
	from, to := samples[0].at.Seconds(), samples[len(samples)-1].at.Seconds()
	return per * (to - from), (sy-per*sx)/n + per*from
}

// checkGrowth prints the measurements, and fails the test if a resource grew by more than is tolerated.
func (k *soakTest) checkGrowth(first, last sample, samples []sample, writes float64) {
	k.t.Helper()
	var table strings.Builder
	fmt.Fprintf(&table, "%d requests in %v, %d samples, %d mails, %d webhook attempts\n", k.requests.Load(),
		last.at.Round(time.Second), len(samples), len(k.mails.All()), attempts([]*webhookReceiver{k.hooks}))
	fmt.Fprintf(&table, "%-14s %9s %9s %9s %9s %9s %9s\n", "", "before", "lowest", "highest", "rise", "allowed",
		"after")
	for _, c := range columns {
		rise, begins := slope(samples, c.of)
		lowest, highest := math.Inf(1), 0.0
		for _, s := range samples {
			lowest, highest = min(lowest, c.of(s)), max(highest, c.of(s))
		}
		allowed := max(c.noise, c.part*begins)
		fmt.Fprintf(&table, "%-14s %9.1f %9.1f %9.1f %9.1f %9.1f %9.1f %s\n", c.name, c.of(first), lowest, highest,
			rise, allowed, c.of(last), c.unit)
		if rise > allowed {
			k.t.Errorf("%s grew by %.1f %s under constant load; %.1f is tolerated", c.name, rise, c.unit, allowed)
		}
	}
	const mostPerWrite = 16.0 // kB for an event, its delivery, a message, their history and a share of the imports
	per := (last.database - first.database) / 1024 / max(writes, 1)
	fmt.Fprintf(&table, "%-14s %9.1f %39s %9.1f MB, %.1f kB for each of %.0f writes\n", "database",
		first.database/(1<<20), "", last.database/(1<<20), per, writes)
	if per > mostPerWrite {
		k.t.Errorf("the database grew by %.1f kB per write, more than %.0f", per, mostPerWrite)
	}
	k.failed.Range(func(what, n any) bool {
		k.t.Errorf("%v, %d times", what, n.(*atomic.Int64).Load())
		return true
	})
	k.t.Logf("\n%s", table.String())
}
