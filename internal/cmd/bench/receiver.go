package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// receiveCommand is the command that runs the webhook receiver: an HTTP server in a separate process that responds
// with 200 and records when each request arrives. Its argument is the number of addresses to listen on, one for each
// endpoint. It prints these addresses on its standard output.
const receiveCommand = "receive"

// receipt records one request that arrived.
type receipt struct {
	ID string // the webhook-id header
	At int64  // Unix time in nanoseconds
}

func (r receipt) at() time.Time { return time.Unix(0, r.At) }

// command tells the receiver to wait until a number of distinct deliveries has arrived or a time has passed. If Take
// is true, the receiver also returns the receipts and removes them.
type command struct {
	Deliveries int
	Millis     int64
	Take       bool
}

// summary is the receiver's response to a command.
type summary struct {
	Deliveries int // number of distinct deliveries
	Receipts   []receipt
}

// receiver is the webhook receiver's HTTP server.
type receiver struct {
	mu       sync.Mutex
	receipts []receipt
	seen     map[string]bool
}

// receive runs the webhook receiver until its standard input is closed.
func receive(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	if len(args) != 1 {
		return errors.New(receiveCommand + " needs one argument: the number of addresses")
	}
	n, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	r := &receiver{seen: map[string]bool{}}
	server := &http.Server{Handler: r, ReadHeaderTimeout: arrivalTimeout}
	defer func() { _ = server.Close() }()
	addresses := make([]string, n)
	for i := range addresses {
		var tcp net.ListenConfig
		l, err := tcp.Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		addresses[i] = l.Addr().String()
		go func() { _ = server.Serve(l) }()
	}
	enc := json.NewEncoder(out)
	if err := enc.Encode(addresses); err != nil {
		return err
	}
	return r.serveCommands(json.NewDecoder(in), enc)
}

// ServeHTTP records a request once its whole body has arrived.
func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	if _, err := io.Copy(io.Discard, q.Body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	got := receipt{ID: q.Header.Get("Webhook-Id"), At: time.Now().UnixNano()}
	r.mu.Lock()
	r.receipts = append(r.receipts, got)
	r.seen[got.ID] = true
	r.mu.Unlock()
	w.WriteHeader(http.StatusOK)
}

func (r *receiver) serveCommands(dec *json.Decoder, enc *json.Encoder) error {
	for {
		var q command
		if err := dec.Decode(&q); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		r.wait(q)
		if err := enc.Encode(r.summarize(q.Take)); err != nil {
			return err
		}
	}
}

// wait waits as a command says. It polls slowly, which does not affect the results because each arrival time is
// recorded.
func (r *receiver) wait(q command) {
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	end := time.Now().Add(time.Duration(q.Millis) * time.Millisecond)
	for r.distinct() < q.Deliveries && time.Now().Before(end) {
		<-poll.C
	}
}

func (r *receiver) distinct() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.seen)
}

func (r *receiver) summarize(take bool) summary {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := summary{Deliveries: len(r.seen)}
	if take {
		t.Receipts, r.receipts, r.seen = r.receipts, nil, map[string]bool{}
	}
	return t
}

// receiverProcess is the process that runs the webhook receiver.
type receiverProcess struct {
	*child
	addresses []string
}

func startReceiver(ctx context.Context, addresses int) (*receiverProcess, error) {
	c, err := startChild(ctx, receiveCommand, strconv.Itoa(addresses))
	if err != nil {
		return nil, err
	}
	r := &receiverProcess{child: c}
	if err := r.dec.Decode(&r.addresses); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

// await waits until n distinct deliveries have arrived. It returns an error if fewer arrive in time.
func (r *receiverProcess) await(n int) error {
	var t summary
	err := r.call(command{Deliveries: n, Millis: arrivalTimeout.Milliseconds()}, &t)
	if err == nil && t.Deliveries < n {
		err = fmt.Errorf("%d of %d deliveries did not arrive within %s", n-t.Deliveries, n, arrivalTimeout)
	}
	return err
}

// take returns the first receipt of each delivery, in the order of arrival, and the number of duplicates. It returns
// an error unless there are exactly n deliveries.
func (r *receiverProcess) take(n int) (first []receipt, duplicates int, err error) {
	var t summary
	if err := r.call(command{Take: true}, &t); err != nil {
		return nil, 0, err
	}
	seen := map[string]bool{}
	for _, got := range t.Receipts {
		if seen[got.ID] {
			duplicates++
			continue
		}
		seen[got.ID] = true
		first = append(first, got)
	}
	if len(first) != n {
		err = fmt.Errorf("got %d distinct deliveries, want %d", len(first), n)
	}
	return first, duplicates, err
}
