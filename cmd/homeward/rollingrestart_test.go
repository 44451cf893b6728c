package main_test

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"homeward/internal/store/storetest"
)

// Three instances are restarted one after the other, without any pause, behind each load balancer. No request is lost,
// whether it reads or writes. Then the database stops: the service's own 503 reaches the clients, with Retry-After.
func TestDrillRollingRestartLosesNoRequest(t *testing.T) {
	t.Parallel()
	g, database := proxyAddress(t, storetest.Postgres(t))
	f := startInstances(t, 3, database, "HOMEWARD_FILES="+t.TempDir(), "HOMEWARD_DRAIN=3s")
	for n, address := range f.addresses() { // a restarted instance must have the same address
		f.settings[n] = append(f.settings[n], "HOMEWARD_LISTEN="+address)
	}
	p := f.current()[0]
	hotel := "/v1/locations/" + p.must(http.StatusCreated, "POST", "/v1/locations", `{"name": "Hotel"}`)["id"].(string)
	item := hotel + "/items/" +
		p.must(http.StatusCreated, "POST", hotel+"/items", `{"description": "Umbrella"}`)["id"].(string)
	calls := []probe{
		{"GET", hotel + "/items", "", 200, 503},
		{"POST", hotel + "/items", `{"description": "Scarf"}`, 201, 503},
		{"PUT", item, `{"notes": "seen"}`, 200, 503},
	}
	done := make(chan struct{})
	var sending sync.WaitGroup
	urls, sent := map[string]string{}, map[string]*atomic.Int64{}
	for name, start := range balancers {
		urls[name], sent[name] = start(t, f.addresses()), &atomic.Int64{}
		for _, q := range calls {
			sending.Go(func() { repeatProbe(t, name, urls[name], q, sent[name], done) })
		}
	}
	rounds := 1
	if isLong() {
		rounds = 5
	}
	for range rounds {
		for n := range f.current() {
			f.terminateAndStart(n)
		}
	}
	close(done)
	sending.Wait()
	for name, n := range sent {
		t.Logf("drill: %d restarts of three instances behind %s, without pause | %d requests, 0 lost", 3*rounds, name,
			n.Load())
		if n.Load() < 100 {
			t.Errorf("behind %s only %d requests were sent", name, n.Load())
		}
	}

	g.refuse()
	defer g.accept()
	for name, url := range urls {
		for _, q := range calls {
			waitWithin(t, time.Minute, "the 503 of the service arrives through "+name, func() bool {
				return q.send(url, nil).isProblem()
			})
		}
	}
}

// repeatProbe sends a request again and again until done is closed. Every response must be the expected one.
func repeatProbe(t *testing.T, name, url string, q probe, sent *atomic.Int64, done <-chan struct{}) {
	for !t.Failed() {
		select {
		case <-done:
			return
		default:
		}
		a := q.send(url, nil)
		sent.Add(1)
		if a.err != nil || a.status != q.want {
			t.Errorf("behind %s, %s %s returned %d after %v: %v %.300s", name, q.method, q.path, a.status, a.took,
				a.err, a.body)
		}
		pause(done, 2*time.Millisecond)
	}
}

// terminateAndStart stops an instance with SIGTERM and starts it again as soon as it has ended.
func (f *serviceInstances) terminateAndStart(n int) {
	f.t.Helper()
	if code := f.current()[n].terminate(); code != 0 {
		f.t.Errorf("exit code %d: %s", code, f.current()[n].stderr)
	}
	again := startService(f.t, f.settings[n]...)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.instances[n] = again
}

// After SIGTERM an instance is unready, but accepts connections and serves requests for the drain time. Its responses
// ask clients to close the connection.
func TestStoppingInstanceIsUnreadyAndStillServes(t *testing.T) {
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		p := startService(t, newSettings(t, setting, "HOMEWARD_DRAIN=5s")...)
		if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		ready := probe{"GET", "/readyz", "", 200, 503}
		waitUntil(t, "the instance is unready", func() bool { return ready.send(p.url, nil).isProblem() })
		res, err := http.Get(p.url + "/healthz")
		if err != nil || res.StatusCode != http.StatusOK || !res.Close {
			t.Errorf("/healthz returned %v, %v, want 200 and Connection: close", res, err)
		}
		if err == nil {
			_ = res.Body.Close()
		}
		p.must(http.StatusCreated, "POST", "/v1/locations", `{"name": "Hotel"}`)
		<-p.ended
		if code := p.cmd.ProcessState.ExitCode(); code != 0 {
			t.Errorf("exit code %d: %s", code, p.stderr)
		}
	})
}

// The start waits for a database that cannot be reached, says so once, and continues when the database is there.
func TestStartWaitsForTheDatabase(t *testing.T) {
	g, address := proxyAddress(t, storetest.Postgres(t))
	g.refuse()
	p := launchProgram(t, self(t), newSettings(t, address)...)
	waitUntil(t, "the service waits", func() bool {
		return strings.Contains(p.stderr.String(), "the database cannot be reached; waiting for it")
	})
	g.accept()
	p.awaitListening()
	p.must(http.StatusCreated, "POST", "/v1/locations", `{"name": "Hotel"}`)
	for _, want := range []string{"the database cannot be reached; waiting for it", "the database is available"} {
		if n := strings.Count(p.stderr.String(), want); n != 1 {
			t.Errorf("the log contains %q %d times:\n%s", want, n, p.stderr)
		}
	}
	g.refuse()
	impatient := launchProgram(t, self(t), newSettings(t, address, "HOMEWARD_DATABASE_WAIT=1s")...)
	<-impatient.ended
	if code, log := impatient.cmd.ProcessState.ExitCode(), impatient.stderr.String(); code != 1 ||
		!strings.Contains(log, "homeward: HOMEWARD_DATABASE: ") {
		t.Errorf("without a database the exit code is %d: %s", code, log)
	}
}
