package main_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// hostileReceiver is a malicious or broken webhook receiver.
type hostileReceiver struct {
	name    string
	serve   func(net.Conn)
	failure string // prefix of the recorded failure
	tries   int    // number of attempts to wait for; a hanging attempt takes 15 s
	id      string // id of its webhook
}

const webhookTries = 6

func hostileReceivers() []*hostileReceiver {
	return []*hostileReceiver{
		{name: "hangs", serve: waitForClose, failure: "no response within 15 s", tries: 1},
		{name: "drips", serve: func(c net.Conn) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nX-Slow: ")
			drip(c)
		}, failure: "no response within 15 s", tries: 1},
		{name: "resets", serve: func(c net.Conn) {
			_ = c.(*net.TCPConn).SetLinger(0)
		}, failure: "the connection was reset", tries: webhookTries},
		{name: "endless headers", serve: func(c net.Conn) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n")
			pour(c, "X-More: and more and more and more\r\n", 1<<40)
		}, failure: "invalid response: server response headers exceeded", tries: webhookTries},
		{name: "a gigabyte", serve: func(c net.Conn) {
			_, _ = io.WriteString(c, "HTTP/1.1 500 No\r\nContent-Length: 1073741824\r\n\r\n")
			pour(c, "a", 1<<30)
		}, failure: "answered 500", tries: webhookTries},
	}
}

// waitForClose waits until the other side closes the connection.
func waitForClose(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

// drip writes a byte at intervals, until the other side closes the connection.
func drip(c net.Conn) {
	for tick := time.NewTicker(20 * time.Millisecond); ; <-tick.C {
		if _, err := c.Write([]byte("a")); err != nil {
			tick.Stop()
			return
		}
	}
}

// pour writes a text repeatedly as fast as possible, up to the given number of bytes.
func pour(c net.Conn, text string, most int64) {
	block := bytes.Repeat([]byte(text), 64<<10/len(text))
	for written := int64(0); written < most; {
		n, err := c.Write(block)
		written += int64(n)
		if err != nil {
			return
		}
	}
}

// listen starts the receiver and returns its URL. The receiver responds correctly to verification requests, so that it
// can be registered, but misbehaves on every other request.
func (v *hostileReceiver) listen(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go v.handle(c)
		}
	}()
	return "http://" + l.Addr().String()
}

func (v *hostileReceiver) handle(c net.Conn) {
	defer func() { _ = c.Close() }()
	r, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if bytes.Contains(body, []byte(`"verification"`)) {
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		return
	}
	v.serve(c)
}

// failed reports whether the receiver's delivery has had the expected number of attempts. It fails the test if an
// attempt did not fail for the expected reason.
func (v *hostileReceiver) failed(t *testing.T, p *process) bool {
	t.Helper()
	done := false
	for _, d := range p.deliveries(v.id, "", 1<<30) {
		matching := 0
		for _, a := range d.Attempts {
			if strings.HasPrefix(a.Error, v.failure) {
				matching++
			} else if a.Error == "" {
				t.Fatalf("%s: a failed attempt has no recorded reason", v.name)
			}
		}
		exhausted := len(d.Attempts) >= webhookTries
		if len(d.Attempts) > webhookTries || (d.State == "failed") != exhausted || !exhausted && d.State != "pending" {
			t.Fatalf("after %d attempts the delivery to a receiver that %s is %s", len(d.Attempts), v.name, d.State)
		}
		done = done || matching >= v.tries
	}
	return done
}

// Some receivers hang, reset connections, or send their response byte by byte or endlessly. While each of them has a
// queue, another receiver gets its events promptly, and the service stays within its memory limit.
func TestHostileReceiversDoNotAffectOthers(t *testing.T) {
	// Both databases run in parallel, because most of the time is spent waiting for hanging attempts.
	onBothDatabases(t, func(t *testing.T, _, database string) { testHostileReceivers(t, database) })
}

func testHostileReceivers(t *testing.T, database string) {
	t.Helper()
	const (
		backlog = 60
		prompt  = 2 * time.Second // far less than the 15 s that a hanging attempt takes, even on a busy machine
	)
	p := startService(t, newWebhookSettings(t, database)...)
	bad := hostileReceivers()
	for _, v := range bad {
		v.id, _ = register(p, v.listen(t))
	}
	load := newLoadGenerator(t, p, 4)
	end := load.start(p.url)
	waitWithin(t, time.Minute, "there is a backlog", func() bool { return load.count() >= backlog })
	end()
	good := newWebhookReceiver(t, p, nil)
	load = newLoadGenerator(t, p, 1)
	var delays []time.Duration
	waitWithin(t, 2*time.Minute, "every delivery to a hostile receiver has failed", func() bool {
		delays = append(delays, measure(t, p, load, good, len(delays)))
		bad = slices.DeleteFunc(bad, func(v *hostileReceiver) bool { return v.failed(t, p) })
		return len(bad) == 0
	})
	slices.Sort(delays)
	worst := delays[len(delays)-1]
	t.Logf("%d events for the healthy receiver took %v (median) and %v (maximum)", len(delays), delays[len(delays)/2],
		worst)
	if worst > prompt {
		t.Errorf("an event took %v", worst)
	}
	checkMemory(t, p)
}

// measure changes an item and returns how long it took until the receiver got the event.
func measure(t *testing.T, p *process, load *loadGenerator, m *webhookReceiver, n int) time.Duration {
	t.Helper()
	began := time.Now()
	c, ok := load.move(p.url, load.items[0], n)
	if !ok {
		t.Fatalf("a change was rejected: %v", load.refused)
	}
	var at time.Time
	waitWithin(t, time.Minute, "the event arrives", func() (there bool) {
		at, there = m.arrived(c)
		return there
	})
	return at.Sub(began)
}

// checkMemory checks the peak memory of a process.
func checkMemory(t *testing.T, p *process) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Log("peak memory is only available on Linux")
		return
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		var kb int
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kb); n == 1 {
			t.Logf("peak memory %d MB, limit %d", kb>>10, memoryLimit)
			if kb>>10 > memoryLimit {
				t.Errorf("peak memory %d MB, more than %d", kb>>10, memoryLimit)
			}
			return
		}
	}
	t.Error("peak memory is only available on Linux")
}
