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

// plan describes the requests that a client sends repeatedly: one of the kind that comes next in Order.
type plan struct {
	Kinds []requestKind
	Order []int // positions in Kinds
}

// requestKind is a kind of request: to each target in turn, with a different body each time.
type requestKind struct {
	Method  string
	Targets []string
	Bodies  [][]byte // empty for GET
	Type    string   // the content type of the bodies
	Status  int      // the expected status
}

// slice describes what a client does in one turn.
type slice struct {
	Address string // one or more addresses, separated by commas, over which the connections are spread
	First   int64  // the number of the first request; turns continue where the previous one ended
	Millis  int64
	Clients int // the number of connections
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
	requests := newRequests(p)
	for {
		var s slice
		if err := dec.Decode(&s); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := enc.Encode(requests.run(s)); err != nil {
			return err
		}
	}
}

// requests holds the parts of all requests of a plan as raw HTTP.
type requests struct {
	kinds  []rawKind
	order  []int
	before []int64 // for each position in order, how often its kind occurs before it
}

// rawKind is a kind of request as raw HTTP. A request is the start for a target and the rest for a body.
type rawKind struct {
	starts, rests [][]byte
	status        int
	perRound      int64 // how often the kind occurs in the order
}

func newRequests(p plan) *requests {
	r := &requests{order: p.Order}
	for _, k := range p.Kinds {
		raw := rawKind{status: k.Status}
		for _, target := range k.Targets {
			raw.starts = append(raw.starts,
				[]byte(k.Method+" "+target+" HTTP/1.1\r\nHost: bench\r\nsvc-api-key: "+apiKey+"\r\n"))
		}
		for _, body := range k.Bodies {
			rest := "Content-Type: " + k.Type + "\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n"
			raw.rests = append(raw.rests, append([]byte(rest), body...))
		}
		if len(k.Bodies) == 0 {
			raw.rests = [][]byte{[]byte("\r\n")}
		}
		r.kinds = append(r.kinds, raw)
	}
	for _, k := range p.Order {
		r.before = append(r.before, r.kinds[k].perRound)
		r.kinds[k].perRound++
	}
	return r
}

// request returns the parts of the n-th request and the expected status. Every target gets every body in turn.
func (r *requests) request(n int64) (start, rest []byte, status int) {
	round, at := n/int64(len(r.order)), n%int64(len(r.order))
	k := &r.kinds[r.order[at]]
	m := round*k.perRound + r.before[at]
	targets, bodies := int64(len(k.starts)), int64(len(k.rests))
	target := m % targets
	return k.starts[target], k.rests[(m/targets+target)%bodies], k.status
}

func (r *requests) run(s slice) outcome {
	var next atomic.Int64
	next.Store(s.First)
	addresses := strings.Split(s.Address, ",")
	clients := make([]*client, s.Clients)
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
				c.send(r.request(next.Add(1) - 1))
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
	out   []byte
	times histogram
	fault error
}

func (c *client) send(start, rest []byte, want int) {
	c.out = append(append(c.out[:0], start...), rest...)
	begin := time.Now()
	if _, c.fault = c.conn.Write(c.out); c.fault != nil {
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
