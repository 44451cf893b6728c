package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// driveCommand is the command that runs the client. The client is a separate process, so that its allocations are not
// counted as the server's. It sends raw HTTP over persistent connections, because it shares the machine with the
// server.
const driveCommand = "drive"

const connections = 16

// plan describes the requests that a client sends repeatedly: to each target in turn, with a different body each
// time.
type plan struct {
	Method  string
	Targets []string
	Bodies  []string // empty for GET
	Status  int      // the expected status
}

// slice describes what a client does in one turn.
type slice struct {
	Address string // one or more addresses, separated by commas, over which the connections are spread
	First   int64  // the number of the first request; turns continue where the previous one ended
	Millis  int64
}

// outcome is the result of one turn.
type outcome struct {
	Requests int64
	Seconds  float64
	Times    histogram
	Fault    string // the first error, if any
}

// histogram counts durations in logarithmic steps of 1 %.
type histogram map[int]int64

const step = 1.01

func (h histogram) add(took time.Duration) {
	h[int(math.Log(math.Max(1, float64(took.Nanoseconds())/1e3))/math.Log(step))]++
}

func (h histogram) merge(o histogram) {
	for k, n := range o {
		h[k] += n
	}
}

// at returns the duration at a quantile: the given share of all durations is at most this long.
func (h histogram) at(share float64) time.Duration {
	var all, seen int64
	top := 0
	for k, n := range h {
		all += n
		top = max(top, k)
	}
	for k := 0; k <= top; k++ {
		if seen += h[k]; float64(seen) >= share*float64(all) && seen > 0 {
			return time.Duration(math.Pow(step, float64(k)+0.5) * 1e3)
		}
	}
	return 0
}

// drive reads a plan and then slices from in, and writes the outcome of each slice to out.
func drive(in io.Reader, out io.Writer) error {
	dec, enc := json.NewDecoder(bufio.NewReader(in)), json.NewEncoder(out)
	var p plan
	if err := dec.Decode(&p); err != nil {
		return err
	}
	requests := p.requests()
	for {
		var s slice
		if err := dec.Decode(&s); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := enc.Encode(p.run(s, requests)); err != nil {
			return err
		}
	}
}

// requests returns every request as raw HTTP, ordered by target.
func (p plan) requests() [][]byte {
	bodies := p.Bodies
	if len(bodies) == 0 {
		bodies = []string{""}
	}
	var all [][]byte
	for _, target := range p.Targets {
		for _, body := range bodies {
			head := p.Method + " " + target + " HTTP/1.1\r\nHost: bench\r\nsvc-api-key: " + apiKey + "\r\n"
			if body != "" {
				head += "Content-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n"
			}
			all = append(all, []byte(head+"\r\n"+body))
		}
	}
	return all
}

// request returns the position of the n-th request in the result of requests.
func (p plan) request(n int64) int64 {
	targets, bodies := int64(len(p.Targets)), int64(max(1, len(p.Bodies)))
	target := n % targets
	return target*bodies + (n/targets+target)%bodies
}

func (p plan) run(s slice, requests [][]byte) outcome {
	var next atomic.Int64
	next.Store(s.First)
	addresses := strings.Split(s.Address, ",")
	clients := make([]*client, connections)
	for n := range clients {
		conn, err := net.Dial("tcp", addresses[n%len(addresses)])
		if err != nil {
			return outcome{Fault: err.Error()}
		}
		defer func() { _ = conn.Close() }()
		clients[n] = &client{conn: conn, in: bufio.NewReaderSize(conn, 32<<10), times: histogram{}}
	}
	var done sync.WaitGroup
	begin := time.Now()
	end := begin.Add(time.Duration(s.Millis) * time.Millisecond)
	for _, c := range clients {
		done.Go(func() {
			for c.fault == nil && time.Now().Before(end) {
				c.send(requests[p.request(next.Add(1)-1)], p.Status)
			}
		})
	}
	done.Wait()
	o := outcome{Requests: next.Load() - s.First, Seconds: time.Since(begin).Seconds(), Times: histogram{}}
	for _, c := range clients {
		o.Times.merge(c.times)
		if c.fault != nil {
			o.Fault = c.fault.Error()
		}
	}
	return o
}

// client is one connection to a server.
type client struct {
	conn  net.Conn
	in    *bufio.Reader
	times histogram
	fault error
}

func (c *client) send(request []byte, want int) {
	begin := time.Now()
	if _, c.fault = c.conn.Write(request); c.fault != nil {
		return
	}
	if c.fault = c.readResponse(want); c.fault == nil {
		c.times.add(time.Since(begin))
	}
}

// readResponse reads one response and checks its status. Both servers always send a Content-Length.
func (c *client) readResponse(want int) error {
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		return err
	}
	status, length := 0, -1
	if len(line) > len("HTTP/1.1 200") {
		status, _ = strconv.Atoi(string(line[len("HTTP/1.1 "):len("HTTP/1.1 200")]))
	}
	for len(bytes.TrimSpace(line)) > 0 {
		if line, err = c.in.ReadSlice('\n'); err != nil {
			return err
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			length, _ = strconv.Atoi(string(bytes.TrimSpace(value)))
		}
	}
	if length < 0 {
		return fmt.Errorf("a response with status %d has no Content-Length", status)
	}
	if status != want {
		body := make([]byte, length)
		_, _ = io.ReadFull(c.in, body)
		return fmt.Errorf("got status %d, want %d: %s", status, want, body)
	}
	_, err = c.in.Discard(length)
	return err
}
