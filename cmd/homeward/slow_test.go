package main_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// promptLimit is how long normal requests may take while other clients are slow. It is far less than any timeout,
// with a margin for a busy machine.
const promptLimit = 3 * time.Second

// dial opens a connection with small buffers.
func dial(t *testing.T, p *process) net.Conn {
	t.Helper()
	small := net.Dialer{Control: func(_, _ string, raw syscall.RawConn) error {
		return raw.Control(func(fd uintptr) {
			_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096)
		})
	}}
	c, err := small.DialContext(t.Context(), "tcp", strings.TrimPrefix(p.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// dripUntilCut writes a text and then single bytes at intervals. It returns how long it took until the connection was
// closed, and false if it was not closed in time.
func dripUntilCut(c net.Conn, text string, most time.Duration) (took time.Duration, cut bool) {
	began := time.Now()
	_, _ = io.WriteString(c, text) // if this fails, so does the next write
	closed := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, c)
		close(closed)
	}()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for time.Since(began) < most {
		select {
		case <-closed:
			return time.Since(began), true
		case <-tick.C:
			_, _ = io.WriteString(c, "a")
		}
	}
	return most, false
}

// Clients that send requests or read responses slowly do not delay others, and are disconnected in time.
func TestSlowClientsDoNotDelayOthers(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, testSlowClients)
}

func testSlowClients(t *testing.T, name, database string) {
	const (
		perKind    = 50 // more than there are database connections
		rows       = 1000
		headerTime = 10*time.Second + 10*time.Second // with a margin for a busy machine
		bodyTime   = 30*time.Second + 10*time.Second
	)
	settings := withAdmin(newSettings(t, database))
	p := startService(t, settings...)
	hotel := p.must(http.StatusCreated, "POST", "/v1/locations", `{"name": "Hotel"}`)["id"].(string)
	importItems(t, settings, hotel, rows, 1000)
	cookie := logIn(t, p)
	host := strings.TrimPrefix(p.url, "http://")
	item := p.must(http.StatusOK, "GET", "/v1/locations/"+hotel+"/items?limit=10",
		"")["data"].([]any)[0].(map[string]any)["id"].(string)

	var slowClients sync.WaitGroup
	var mu sync.Mutex
	disconnectedAfter := map[string]time.Duration{}
	startSlowClients := func(kind, text string, most time.Duration) {
		for range perKind {
			c := dial(t, p)
			slowClients.Go(func() {
				took, cut := dripUntilCut(c, text, most)
				if !cut {
					t.Errorf("a client with a slow %s was not disconnected after %v", kind, took)
				}
				mu.Lock()
				defer mu.Unlock()
				disconnectedAfter[kind] = max(disconnectedAfter[kind], took)
			})
		}
	}
	startSlowClients("headers", "GET /v1/locations HTTP/1.1\r\nHost: "+host+"\r\nX-Slow: ", headerTime)
	startSlowClients("bodies", "POST /v1/locations/"+hotel+"/items HTTP/1.1\r\nHost: "+host+"\r\nsvc-api-key: "+apiKey+
		"\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{\"description\": \"", bodyTime)
	for range perKind { // these clients request a list or an export, but do not read the response
		for _, path := range []string{"/v1/locations/" + hotel + "/items?limit=100", "/at/" + hotel + "/items.csv"} {
			c := dial(t, p)
			_, _ = fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: %s\r\nsvc-api-key: %s\r\nCookie: %s\r\n\r\n", path, host,
				apiKey, strings.Join(cookie["Cookie"], "; "))
			if line, err := bufio.NewReaderSize(c, 16).ReadString('\n'); err != nil || !strings.Contains(line, "200") {
				t.Errorf("GET %s returned %q: %v", path, line, err)
			}
		}
	}
	f := faultReport{
		fault: "slow headers, bodies and readers (" + name + ")", load: fmt.Sprintf("%d slow clients", 4*perKind),
		injected: 4 * perKind,
	}
	f.measureOthers(t, p, item, hotel, cookie, 100)
	slowClients.Wait()
	t.Logf("all were disconnected after %v", disconnectedAfter)
	const most = 256 // MB
	if peak := procStatus(t, p, "VmHWM") >> 10; peak > most {
		t.Errorf("memory %d MB, more than %d", peak, most)
	} else {
		t.Logf("peak memory %d MB, limit %d", peak, most)
	}
	f.log(t)
}

// measureOthers measures the requests of clients that are not slow.
func (f *faultReport) measureOthers(t *testing.T, p *process, item, hotel string, cookie http.Header, times int) {
	t.Helper()
	path := "/v1/locations/" + hotel + "/items/" + item
	probes := []probe{
		{"GET", path, "", 200, 200}, {"PUT", path, `{"notes": "seen"}`, 200, 200},
		{"GET", "/v1/locations/" + hotel + "/items?limit=10", "", 200, 200},
		{"GET", "/at/" + hotel + "/items", "", 200, 200}, {"GET", "/readyz", "", 200, 200},
	}
	var took []time.Duration
	for n := range times {
		a := probes[n%len(probes)].send(p.url, cookie)
		f.requests++
		took = append(took, a.took)
		if a.err != nil || a.status != a.want {
			t.Errorf("%s %s returned %d: %v %.200s", a.method, a.path, a.status, a.err, a.body)
		}
	}
	slices.Sort(took)
	f.slowest = took[len(took)-1]
	if f.slowest > promptLimit {
		t.Errorf("a normal request took %v", f.slowest)
	}
}

// importItems fills a location by running the import command, and returns the command's peak memory use in MB.
func importItems(t *testing.T, settings []string, hotel string, rows, noteLength int) (peak int) {
	t.Helper()
	var text strings.Builder
	text.WriteString("description,notes\n")
	note := strings.Repeat("long notes, ", noteLength/12)
	for n := range rows {
		fmt.Fprintf(&text, "Umbrella %d,\"%s\"\n", n, note)
	}
	return runMeasured(t, settings, "import", "--location", hotel, writeFile(t, text.String()))
}

// runMeasured runs a command that must succeed, and returns its peak memory use in MB.
func runMeasured(t *testing.T, settings []string, args ...string) (peak int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), self(t), args...)
	cmd.Env = environment(settings...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%.2000s", args, err, out)
	}
	return int(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss >> 10)
}

// Thousands of connections stay open and idle. Other requests are not delayed, and memory use stays within a limit.
func TestIdleConnectionsUseLittleMemory(t *testing.T) {
	t.Parallel()
	idle, reserve := 10_000, uint64(2000)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if limit.Cur < uint64(idle)+reserve { // Go has raised the limit as far as possible
		idle = int(limit.Cur-min(limit.Cur, reserve)) / 2
		t.Logf("only %d open files are allowed here, so the test uses %d connections", limit.Cur, idle)
	}
	settings := withAdmin(newSettings(t, t.TempDir()+"/homeward.db"))
	p := startService(t, settings...)
	hotel := p.must(http.StatusCreated, "POST", "/v1/locations", `{"name": "Hotel"}`)["id"].(string)
	item := p.must(http.StatusCreated, "POST", "/v1/locations/"+hotel+"/items", `{"description": "Hat"}`)["id"].(string)
	cookie := logIn(t, p)
	before := rss(t, p)
	host := strings.TrimPrefix(p.url, "http://")
	for n := range idle {
		c, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatalf("connection %d: %v", n, err)
		}
		t.Cleanup(func() { _ = c.Close() })
		_, _ = fmt.Fprintf(c, "GET /healthz HTTP/1.1\r\nHost: %s\r\n\r\n", host)
		if line, err := bufio.NewReaderSize(c, 16).ReadString('\n'); err != nil || !strings.Contains(line, "200") {
			t.Fatalf("connection %d returned %q: %v", n, line, err)
		}
	}
	f := faultReport{fault: "idle connections", load: fmt.Sprintf("%d connections", idle), injected: idle}
	f.measureOthers(t, p, item, hotel, cookie, 200)
	const each = 24 // kB
	after, bound := rss(t, p), before+64+idle*each/1024
	t.Logf("memory: %d MB before, %d MB with %d connections, %d MB allowed", before, after, idle, bound)
	if after > bound {
		t.Errorf("memory %d MB, more than %d", after, bound)
	}
	f.log(t)
}
