package otlp

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"
)

// newTestSender returns a sender to a collector that returns the given statuses, one after the other, and the last one
// to all further requests.
func newTestSender(t *testing.T, statuses ...int) (s *sender, calls *atomic.Int64) {
	t.Helper()
	calls = &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n := min(int(calls.Add(1)), len(statuses)) - 1
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(statuses[n])
	}))
	t.Cleanup(server.Close)
	s = newSender(Options{Collector: server.URL + "/", Version: "1.2.3"}, "/v1/logs")
	s.delay = time.Millisecond
	return s, calls
}

func TestABusyCollectorGetsTheBatchAgain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		statuses []int
		calls    int64
		sent     bool
	}{
		{[]int{200}, 1, true},
		{[]int{503, 429, 502, 504, 200}, 5, true},
		{[]int{400}, 1, false},
		{[]int{401}, 1, false},
		{[]int{500}, 1, false},
		{[]int{307, 200}, 1, false}, // the headers must not be sent elsewhere
	} {
		s, calls := newTestSender(t, c.statuses...)
		if err := s.post(t.Context(), []byte("x")); (err == nil) != c.sent || calls.Load() != c.calls {
			t.Errorf("%v: got %v after %d calls", c.statuses, err, calls.Load())
		}
	}
}

func TestAttemptsEndWithTheContext(t *testing.T) {
	t.Parallel()
	s, _ := newTestSender(t, 503)
	s.delay = time.Second * 20
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Millisecond, cancel)
	start := time.Now()
	if err := s.post(ctx, nil); err == nil || time.Since(start) > 10*time.Second {
		t.Errorf("got %v after %v", err, time.Since(start))
	}
}

func TestTooManyRecordsAreDroppedAndReported(t *testing.T) {
	t.Parallel()
	busy, sent, failures := make(chan struct{}), make(chan int, 100), make(chan error, 100)
	b := newBatcher(time.Hour, func(_ context.Context, records []int) error {
		<-busy
		sent <- len(records)
		return nil
	}, func(err error) { failures <- err })
	const more = 10
	for range maxQueue + batchSize + more + batchSize {
		b.add(1) // never waits, although nothing is sent
	}
	close(busy)
	if err := b.close(t.Context()); err != nil {
		t.Fatal(err)
	}
	close(sent)
	all := 0
	for n := range sent {
		all += n
	}
	if all < maxQueue || all > maxQueue+2*batchSize {
		t.Errorf("%d records were sent", all)
	}
	if len(failures) == 0 {
		t.Error("the dropped records were not reported")
	}
}

func TestCloseGivesUp(t *testing.T) {
	t.Parallel()
	failed := make(chan error, 1)
	b := newBatcher(time.Hour, func(ctx context.Context, _ []int) error {
		<-ctx.Done() // a collector that does not respond
		return ctx.Err()
	}, func(err error) { failed <- err })
	b.add(1)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := b.close(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("the unsent record was reported as %v", err)
	}
}
