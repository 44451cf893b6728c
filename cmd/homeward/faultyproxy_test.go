package main_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"
)

// faultyProxy is a TCP proxy that can refuse, stall and resume connections.
type faultyProxy struct {
	t  *testing.T
	at string // the proxy's own address, which stays the same
	to string

	mu         sync.Mutex
	listener   net.Listener // nil while connections are refused
	conns      map[net.Conn]bool
	forwarding chan struct{} // closed while data is forwarded
}

func newFaultyProxy(t *testing.T, to string) *faultyProxy {
	t.Helper()
	g := &faultyProxy{
		t: t, at: fmt.Sprintf("127.0.0.1:%d", freePort(t)), to: to, conns: map[net.Conn]bool{},
		forwarding: make(chan struct{}),
	}
	close(g.forwarding)
	g.accept()
	t.Cleanup(func() {
		g.refuse()
		g.resume()
	})
	return g
}

// proxyAddress starts a proxy for the server in a URL, and returns the URL with the proxy's address instead.
func proxyAddress(t *testing.T, address string) (*faultyProxy, string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	g := newFaultyProxy(t, u.Host)
	u.Host = g.at
	return g, u.String()
}

// accept makes the proxy accept connections and forward their data, until refuse is called.
func (g *faultyProxy) accept() {
	g.t.Helper()
	l, err := net.Listen("tcp", g.at)
	if err != nil {
		g.t.Fatal(err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.listener = l
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go g.forward(c)
		}
	}()
}

// refuse makes the proxy refuse new connections, and closes the existing ones.
func (g *faultyProxy) refuse() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.listener != nil {
		_ = g.listener.Close()
	}
	g.listener = nil
	for c := range g.conns {
		_ = c.Close()
	}
}

// hang makes the proxy accept connections without forwarding any data.
func (g *faultyProxy) hang() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.forwarding = make(chan struct{})
}

// resume makes the proxy forward data again, including the data that it has held back since hang was called.
func (g *faultyProxy) resume() {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-g.forwarding:
	default:
		close(g.forwarding)
	}
}

func (g *faultyProxy) forward(near net.Conn) {
	far, err := net.Dial("tcp", g.to)
	if err != nil {
		_ = near.Close()
		return
	}
	g.mu.Lock()
	g.conns[near], g.conns[far] = true, true
	g.mu.Unlock()
	var copying sync.WaitGroup
	for _, way := range [][2]net.Conn{{near, far}, {far, near}} {
		copying.Go(func() {
			_, _ = io.Copy(stallingConn{way[1], g}, way[0])
			_, _ = near.Close(), far.Close()
		})
	}
	copying.Wait()
	g.mu.Lock()
	delete(g.conns, near)
	delete(g.conns, far)
	g.mu.Unlock()
}

// stallingConn writes only while the proxy forwards data.
type stallingConn struct {
	net.Conn
	proxy *faultyProxy
}

func (c stallingConn) Write(b []byte) (int, error) {
	c.proxy.mu.Lock()
	forwarding := c.proxy.forwarding
	c.proxy.mu.Unlock()
	<-forwarding
	return c.Conn.Write(b)
}

// isLong reports whether the long versions of tests should run.
func isLong() bool { return os.Getenv("HOMEWARD_TEST_LONG") != "" }

// probe is a request and its expected status, both without and with a fault.
type probe struct {
	method, path, body string
	want, wantFault    int
}

// probeResult is the response to a probe.
type probeResult struct {
	probe
	status int
	retry  string // the Retry-After header
	body   []byte
	took   time.Duration
	err    error
}

// patientClient has a longer timeout than any request may take.
var patientClient = &http.Client{
	Timeout:       time.Minute,
	Transport:     &http.Transport{MaxIdleConnsPerHost: 100},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

func (q probe) send(base string, header http.Header) probeResult {
	began := time.Now()
	p := probeResult{probe: q}
	r, err := http.NewRequest(q.method, base+q.path, readerOf(q.body))
	if err != nil {
		p.err = err
		return p
	}
	for name, values := range header {
		r.Header[name] = values
	}
	r.Header.Set("svc-api-key", apiKey)
	if q.body != "" && r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/json")
	}
	res, err := patientClient.Do(r)
	if err != nil {
		p.took, p.err = time.Since(began), err
		return p
	}
	defer func() { _ = res.Body.Close() }()
	p.body, p.err = io.ReadAll(res.Body)
	p.status, p.retry, p.took = res.StatusCode, res.Header.Get("Retry-After"), time.Since(began)
	return p
}

// runProbes sends all probes at the same time and returns their results.
func runProbes(base string, header http.Header, probes []probe) []probeResult {
	results := make([]probeResult, len(probes))
	var sending sync.WaitGroup
	for n, q := range probes {
		sending.Go(func() { results[n] = q.send(base, header) })
	}
	sending.Wait()
	return results
}

// faultReport is the result of a fault test, for docs/operate/reliability.md.
type faultReport struct {
	fault                       string
	load                        string
	injected, requests, refused int
	lost, doubled               int
	slowest, recovered          time.Duration
}

func (f faultReport) log(t *testing.T) {
	t.Helper()
	t.Logf("fault: %s | load: %s | injected: %d | requests: %d, refused temporarily: %d, "+
		"slowest response %v | lost: %d | duplicates: %d | recovered after %v",
		f.fault, f.load, f.injected, f.requests, f.refused, f.slowest.Round(time.Millisecond), f.lost, f.doubled,
		f.recovered.Round(time.Millisecond))
	if f.lost > 0 {
		t.Errorf("%d were lost", f.lost)
	}
}
