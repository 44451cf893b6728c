package cli_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeward/internal/cli"
	"homeward/internal/webhook"
)

// target is a program that events are forwarded to. It refuses the first requests.
type target struct {
	*httptest.Server
	secret string

	mu      sync.Mutex
	refuse  int
	ids     []string // of all requests, oldest first
	types   []string // of accepted events
	invalid int
}

func newTarget(t *testing.T, refuse int) *target {
	t.Helper()
	r := &target{secret: webhook.NewSecret(), refuse: refuse}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		var event struct{ EventType string }
		r.mu.Lock()
		defer r.mu.Unlock()
		if json.Unmarshal(body, &event) != nil || webhook.Verify(r.secret, req.Header, body, time.Now()) != nil ||
			req.Header.Get("svc-event-id") == "" || (req.Header.Get("svc-test") != "") != (event.EventType == "test") {
			r.invalid++
		}
		r.ids = append(r.ids, req.Header.Get("webhook-id"))
		if r.refuse > 0 {
			r.refuse--
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		r.types = append(r.types, event.EventType)
	}))
	t.Cleanup(r.Close)
	return r
}

// accepted returns the types of the accepted events.
func (r *target) accepted() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.types)
}

// forward runs homeward webhook listen --forward-to until stop is called. stop returns the exit code.
func forward(t *testing.T, args ...string) (out *syncBuffer, stop func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	out = &syncBuffer{}
	code := make(chan int, 1)
	go func() {
		code <- cli.Run(ctx, append([]string{"webhook", "listen", "--every", "10ms"}, args...), out, out)
	}()
	stop = sync.OnceValue(func() int {
		cancel()
		return <-code
	})
	t.Cleanup(func() { stop() })
	return out, stop
}

// The service does not have to reach the target: it does not send webhooks to private addresses. A restart misses no
// event.
func TestEventsAreForwarded(t *testing.T) {
	s := startService(t, newConfig(t, ""))
	hotel := "/v1/locations/" + s.create(t, "/v1/locations", map[string]any{"name": "Hotel"})["id"].(string)
	r := newTarget(t, 1)
	place := filepath.Join(t.TempDir(), "cursor")
	args := []string{
		"--forward-to", r.URL, "--url", s.URL(), "--api-key", firstKey, "--webhook-secret", r.secret, "--type", "*",
		"--cursor-file", place,
	}
	s.create(t, hotel+"/items", map[string]any{"description": "Before it started"})
	out, stop := forward(t, args...)
	waitUntil(t, "the position is saved", func() bool { saved, _ := os.ReadFile(place); return len(saved) > 0 })
	s.create(t, hotel+"/items", map[string]any{"description": "Umbrella"})
	waitUntil(t, "the first event is forwarded", func() bool { return len(r.accepted()) == 1 })
	waitUntil(t, "the result is printed", func() bool {
		return strings.Contains(out.String(), "failed: answered 502 Bad Gateway; retrying in 1s\n") &&
			strings.Contains(out.String(), "  forwarded\n")
	})
	if code := stop(); code != 0 {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	s.create(t, hotel+"/requests", map[string]any{
		"description": "Hat", "owner": map[string]any{"email": "ann@example.com"},
	})
	forward(t, args...)
	waitUntil(t, "the event while it was stopped is forwarded", func() bool {
		types := r.accepted()
		return len(types) > 1 && types[len(types)-1] == "request"
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ids[0] != r.ids[1] || r.invalid > 0 || !slices.Contains(r.types, "item-created") {
		t.Errorf("%d requests are wrong; ids %v, types %v", r.invalid, r.ids, r.types)
	}
}

func TestForwardingReportsWhatCannotWork(t *testing.T) {
	s := startService(t, newConfig(t, ""))
	place := filepath.Join(t.TempDir(), "cursor")
	if err := os.WriteFile(place, []byte("bm90IGEgY3Vyc29y"), 0o600); err != nil {
		t.Fatal(err)
	}
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("another server received %s with %v", r.URL, r.Header)
	}))
	t.Cleanup(elsewhere.Close)
	moved := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusFound))
	t.Cleanup(moved.Close)
	for want, args := range map[string][]string{
		"responded with 302":           {"--forward-to", s.URL(), "--url", moved.URL, "--api-key", firstKey},
		"HOMEWARD_API_KEY is required": {"--forward-to", s.URL(), "--url", s.URL()},
		"--forward-to":                 {"--forward-to", "here", "--url", s.URL(), "--api-key", firstKey},
		"responded with 401": {
			"--forward-to", s.URL(), "--url", s.URL(), "--api-key", "hw_another-key-of-the-tests",
		},
		"Delete the file of --cursor-file": {
			"--forward-to", s.URL(), "--url", s.URL(), "--api-key", firstKey, "--cursor-file", place,
		},
	} {
		var out syncBuffer
		code := cli.Run(t.Context(), append([]string{"webhook", "listen"}, args...), &out, &out)
		if code == 0 || !strings.Contains(out.String(), want) {
			t.Errorf("%q: exit code %d, printed %s", want, code, &out)
		}
	}
}
