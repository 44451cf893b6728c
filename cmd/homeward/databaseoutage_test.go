package main_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"homeward/internal/store/storetest"
)

const (
	adminEmail    = "admin@hotel.example"
	adminPassword = "correct horse battery"

	// maxResponseTime is how long any request may take while the database is unavailable: the wait for a connection
	// plus the statement timeout, with a margin for a busy machine.
	maxResponseTime = 25 * time.Second
)

func readerOf(text string) io.Reader { return strings.NewReader(text) }

// logIn logs in to the dashboard and returns the session cookie.
func logIn(t *testing.T, p *process) http.Header {
	t.Helper()
	a := probe{
		method: "POST", path: "/login", body: url.Values{"email": {adminEmail}, "password": {adminPassword}}.Encode(),
	}
	r, err := http.NewRequest(a.method, p.url+a.path, readerOf(a.body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := patientClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if len(res.Cookies()) == 0 {
		t.Fatalf("login returned %d without a cookie", res.StatusCode)
	}
	h := http.Header{}
	for _, c := range res.Cookies() {
		h.Add("Cookie", c.Name+"="+c.Value)
	}
	return h
}

// withAdmin adds the settings for a user who can log in.
func withAdmin(settings []string) []string {
	return append(settings, "HOMEWARD_ADMIN_EMAIL="+adminEmail, "HOMEWARD_ADMIN_PASSWORD="+adminPassword)
}

// probeEveryHandler returns requests to every handler, including some that do not need the database.
func probeEveryHandler(item, permalink string) []probe {
	hotel, _, _ := strings.Cut(item, "/items/")
	return []probe{
		{"GET", "/healthz", "", 200, 200},
		{"GET", "/readyz", "", 200, 503},
		{"GET", "/openapi.json", "", 200, 200},
		{"GET", item, "", 200, 503},
		{"GET", hotel + "/items", "", 200, 503},
		{"GET", hotel + "/items?term=umbrella", "", 200, 503},
		{"POST", hotel + "/items", `{"description": "Scarf"}`, 201, 503},
		{"PUT", item, `{"notes": "seen"}`, 200, 503},
		{"GET", "/v1/webhooks", "", 200, 503},
		{"GET", "/l/" + permalink, "", 200, 503},
		{"GET", "/g/no-such-link-but-it-looks-like-one-000000000", "", 404, 503},
		{"GET", "/", "", 200, 503},
		{"GET", "/at/" + strings.TrimPrefix(hotel, "/v1/locations/") + "/items", "", 200, 503},
	}
}

// checkProbes checks the results of probes. faulty says whether there was a fault when they were sent. It returns the
// number of 503 responses and the longest response time.
func checkProbes(t *testing.T, results []probeResult, faulty bool) (refused int, slowest time.Duration) {
	t.Helper()
	for _, a := range results {
		want := a.want
		if faulty {
			want = a.wantFault
		}
		slowest = max(slowest, a.took)
		switch {
		case a.err != nil || a.status != want:
			t.Errorf("%s %s returned %d after %v, want %d: %v %.200s", a.method, a.path, a.status, a.took, want, a.err,
				a.body)
		case a.status == http.StatusServiceUnavailable && a.retry == "":
			t.Errorf("%s %s has no Retry-After", a.method, a.path)
		case a.took > maxResponseTime:
			t.Errorf("%s %s took %v, more than %v", a.method, a.path, a.took, maxResponseTime)
		case a.path == "/healthz" && a.took > 5*time.Second:
			t.Errorf("/healthz took %v", a.took)
		}
		if a.status == http.StatusServiceUnavailable {
			refused++
		}
	}
	return refused, slowest
}

// testStoppedPostgres stops PostgreSQL cleanly and starts it again.
func testStoppedPostgres(t *testing.T) {
	db := newPostgres(t)
	testDatabaseOutage(t, "PostgreSQL stopped", db.address(), func() { db.stop(inOrder) }, db.start)
}

func testRefusingPostgres(t *testing.T) {
	g, address := proxyAddress(t, storetest.Postgres(t))
	testDatabaseOutage(t, "PostgreSQL's port refuses", address, g.refuse, g.accept)
}

func testHangingPostgres(t *testing.T) {
	g, address := proxyAddress(t, storetest.Postgres(t))
	testDatabaseOutage(t, "connections to PostgreSQL hang", address, g.hang, g.resume)
}

// testDatabaseOutage makes the database unavailable for a while. Every request that needs it returns 503 with
// Retry-After within maxResponseTime. Afterwards the service recovers automatically.
func testDatabaseOutage(t *testing.T, fault, address string, stop, restart func()) {
	outage := 3 * time.Second
	if isLong() {
		outage = time.Minute
	}
	p := startService(t, withAdmin(newWebhookSettings(t, address))...)
	cookie := logIn(t, p)
	receivers := []*webhookReceiver{newWebhookReceiver(t, p, nil)}
	load := newLoadGenerator(t, p, 4)
	hotel, _, _ := strings.Cut(load.items[0], "/items/")
	probes := probeEveryHandler(load.items[0], p.must(http.StatusOK, "GET", hotel, "")["permalink"].(string))
	checkProbes(t, runProbes(p.url, cookie, probes), false)

	end := load.start(p.url)
	busy := load.count() + 50
	waitWithin(t, time.Minute, "there is load", func() bool { return load.count() >= busy })
	stop()
	for _, m := range receivers {
		m.round.Add(1)
	}
	f := faultReport{fault: fault, load: "4 clients and every handler", injected: 1}
	waitWithin(t, time.Minute, "the service notices", func() bool {
		f.requests++
		return probe{"GET", "/readyz", "", 200, 503}.send(p.url, nil).status == http.StatusServiceUnavailable
	})
	for deadline := time.Now().Add(outage); ; {
		refused, slowest := checkProbes(t, runProbes(p.url, cookie, probes), true)
		f.requests, f.refused, f.slowest = f.requests+len(probes), f.refused+refused, max(f.slowest, slowest)
		if time.Now().After(deadline) {
			break
		}
		pause(t.Context().Done(), 100*time.Millisecond)
	}
	restart()
	began, more := time.Now(), load.count()+20
	waitWithin(t, time.Minute, "the service is ready", func() bool {
		return probe{"GET", "/readyz", "", 200, 503}.send(p.url, nil).status == http.StatusOK
	})
	waitWithin(t, time.Minute, "the service recovers", func() bool { return load.count() >= more })
	f.recovered = time.Since(began)
	checkProbes(t, runProbes(p.url, cookie, probes), false)
	end()
	f.checkLosses(t, p, load, receivers, 1)
	if code := p.terminate(); code != 0 {
		t.Errorf("exit code %d: %s", code, p.stderr)
	}
}

// checkLosses waits until all deliveries have finished, and counts lost events and repeated deliveries.
func (f faultReport) checkLosses(t *testing.T, p *process, load *loadGenerator, receivers []*webhookReceiver,
	failures int) {
	t.Helper()
	audit(t, p, load, receivers, failures)
	for _, m := range receivers {
		f.lost += len(load.missing(m))
		_, made := m.counts()
		f.doubled += made
		for _, d := range p.deliveries(m.id, "", 1<<30) {
			f.doubled -= len(d.Attempts)
		}
	}
	f.requests += load.count()
	for status, n := range load.refused {
		f.requests += n
		if status == http.StatusServiceUnavailable {
			f.refused += n
		}
	}
	f.log(t)
}
