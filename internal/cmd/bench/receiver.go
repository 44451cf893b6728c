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

// receiveCommand runs the receiver of webhooks: an HTTP server in a process of its own, which
// answers 200 and records when each request arrived. It takes the number of addresses to listen on,
// one for each endpoint, and prints them on its standard output.
const receiveCommand = "receive"

// receipt is one request that arrived.
type receipt struct {
	ID string // webhook-id
	At int64  // nanoseconds since 1970, of the clock that all processes share
}

func (r receipt) at() time.Time { return time.Unix(0, r.At) }

// question asks the receiver to wait for so many different deliveries, or for so long. With Take it
// returns what has arrived, and drops it.
type question struct {
	Deliveries int
	Millis     int64
	Take       bool
}

// tally is the receiver's answer.
type tally struct {
	Deliveries int // different ones
	Receipts   []receipt
}

// receiver is the server.
type receiver struct {
	mu       sync.Mutex
	receipts []receipt
	seen     map[string]bool
}

// receive serves until there are no more questions.
func receive(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	if len(args) != 1 {
		return errors.New(receiveCommand + " takes the number of addresses")
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
	return r.answerAll(json.NewDecoder(in), enc)
}

// ServeHTTP records a request when its body has arrived.
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

func (r *receiver) answerAll(dec *json.Decoder, enc *json.Encoder) error {
	for {
		var q question
		if err := dec.Decode(&q); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		r.wait(q)
		if err := enc.Encode(r.tally(q.Take)); err != nil {
			return err
		}
	}
}

// wait polls slowly: the time of each request is recorded, so it need not be quick.
func (r *receiver) wait(q question) {
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	end := time.Now().Add(time.Duration(q.Millis) * time.Millisecond)
	for r.different() < q.Deliveries && time.Now().Before(end) {
		<-look.C
	}
}

func (r *receiver) different() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.seen)
}

func (r *receiver) tally(take bool) tally {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := tally{Deliveries: len(r.seen)}
	if take {
		t.Receipts, r.receipts, r.seen = r.receipts, nil, map[string]bool{}
	}
	return t
}

// receiverProcess is the receiver's process.
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

// await waits until so many different deliveries have arrived. Fewer are an error.
func (r *receiverProcess) await(n int) error {
	var t tally
	err := r.ask(question{Deliveries: n, Millis: arrivalTimeout.Milliseconds()}, &t)
	if err == nil && t.Deliveries < n {
		err = fmt.Errorf("%d of %d deliveries have not arrived within %s", n-t.Deliveries, n, arrivalTimeout)
	}
	return err
}

// take returns the first receipt of each delivery, in the order of arrival, and the number of
// repeated ones. Unexpected deliveries are an error.
func (r *receiverProcess) take(n int) (first []receipt, doubled int, err error) {
	var t tally
	if err := r.ask(question{Take: true}, &t); err != nil {
		return nil, 0, err
	}
	seen := map[string]bool{}
	for _, got := range t.Receipts {
		if seen[got.ID] {
			doubled++
			continue
		}
		seen[got.ID] = true
		first = append(first, got)
	}
	if len(first) != n {
		err = fmt.Errorf("%d different deliveries arrived, not %d", len(first), n)
	}
	return first, doubled, err
}
